/** Words that names in Go write in capitals. */
const INITIALISMS: Readonly<Record<string, string>> = { Id: 'ID', Ip: 'IP', Ttl: 'TTL' };

/** Returns the Go name of a parameter or a member: `CacheName`, `QryID`. */
export function goName(name: string): string {
  const own = name.slice(name.lastIndexOf('.') + 1);
  const words = (own.charAt(0).toUpperCase() + own.slice(1)).match(/[A-Z][a-z0-9]*|[0-9]+/g) ?? [];
  return words.map((word) => INITIALISMS[word] ?? word).join('');
}
