/** Lists of names in one string: separated by commas, and in double quotes where necessary. */

/** Returns the names as a list that {@link splitNames} reads. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => (isPlain(name, names) ? name : `"${name.replaceAll('"', '""')}"`)).join(',');
}

function isPlain(name: string, { length }: readonly string[]): boolean {
  return !/^$|^\s|\s$|[",]/.test(name) && (name !== '*' || length === 1);
}

const ITEM = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/y;

/** Parses a list that contains a double quote. A quote inside a quoted name is doubled. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  for (let at = 0; at <= text.length; ) {
    ITEM.lastIndex = at;
    const [all = '', quoted, plain = ''] = ITEM.exec(text) ?? [];
    names.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    at += all.length;
    if (!all.endsWith(',')) break;
  }
  return names;
}
