/** The requests that read entries and rows by their addresses, as programs send them. */
import { quotedIfNeeded } from './sql-names.ts';

export interface EntryAddress {
  /** The endpoint: `http://localhost:8080/svc`. */
  readonly endpoint: string;
  /** Empty means the default cache. */
  readonly cacheName: string;
  readonly key: string;
  readonly keyType: string;
}

/** Returns the command line of curl, or undefined for the keys that clients take for other paths. */
export function entryCurl(
  { endpoint, cacheName, key, keyType }: EntryAddress,
  needsLogin: boolean,
): string | undefined {
  if (key === '.' || key === '..') return undefined;
  const type = `?keyType=${segment(keyType)}`;
  const url = `${endpoint}/caches/${segment(cacheName || 'default')}/entries/${segment(key)}${type}`;
  return curl(url, needsLogin);
}

/** The table of a column, as the service names it; schema and table are empty for an expression. */
export interface TableName {
  readonly schema: string;
  readonly table: string;
}

const SYSTEM_SCHEMAS: ReadonlySet<string> = new Set(['SYS', 'INFORMATION_SCHEMA']);

/** Returns the command line that reads the only table of columns, or undefined if they have none or several. */
export function rowsCurl(endpoint: string, tables: readonly TableName[], needsLogin: boolean): string | undefined {
  const names = new Set(
    tables.map(({ schema, table }) => {
      const name = quotedIfNeeded(table);
      return table === '' || schema === 'PUBLIC' ? name : `${quotedIfNeeded(schema)}.${name}`;
    }),
  );
  const [name = ''] = names;
  // System views have no addresses.
  const isTable = names.size === 1 && name !== '' && tables.every(({ schema }) => !SYSTEM_SCHEMAS.has(schema));
  return isTable ? curl(`${endpoint}/tables/${segment(name)}/rows`, needsLogin) : undefined;
}

function curl(url: string, needsLogin: boolean): string {
  return `curl ${needsLogin ? '-u USER:PASSWORD ' : ''}'${url}'`;
}

/** Encodes text for the quotes of a shell as well. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
