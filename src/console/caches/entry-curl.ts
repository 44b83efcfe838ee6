/** The request that reads an entry by its address, as programs send it. */

export interface EntryAddress {
  /** The endpoint: `http://localhost:8080/svc`. */
  readonly endpoint: string;
  /** Empty: the default cache. */
  readonly cacheName: string;
  readonly key: string;
  readonly keyType: string;
}

/** Returns the command line of curl; undefined for the keys that clients take for other paths. */
export function entryCurl(
  { endpoint, cacheName, key, keyType }: EntryAddress,
  needsLogin: boolean,
): string | undefined {
  if (key === '.' || key === '..') return undefined;
  const type = `?keyType=${segment(keyType)}`;
  const url = `${endpoint}/caches/${segment(cacheName || 'default')}/entries/${segment(key)}${type}`;
  return `curl ${needsLogin ? '-u USER:PASSWORD ' : ''}'${url}'`;
}

/** Encodes a text also for the quotes of a shell. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
