/** The requests that programs usually send to a cache or table. */
import { qualifiedName, quotedIfNeeded } from '../elements/sql-names.ts';
import type { SentRequest } from '../requests/sent-requests.ts';
import type { CacheDescription } from './cache-list.ts';
import { argumentTypeOf, type TableColumn } from './row-query.ts';

export interface SampleRequest {
  readonly title: string;
  readonly request: SentRequest;
}

const PAGE_SIZE = 100;

/** Values to begin with, by the type of an argument. */
const EXAMPLES: Readonly<Record<string, string | number | boolean>> = {
  string: 'text',
  int: 1,
  long: 1,
  short: 1,
  byte: 1,
  double: 1.5,
  float: 1.5,
  decimal: 1.5,
  boolean: true,
  date: '2026-01-31',
  time: '12:30:00',
  timestamp: '2026-01-31 12:30:00',
  uuid: '00000000-0000-0000-0000-000000000001',
};

function exampleOf(column: TableColumn): string | number | boolean | null {
  return EXAMPLES[argumentTypeOf(column) ?? ''] ?? null;
}

/** Returns the requests for a cache or table, the most usual first. */
export function samplesFor({ name, table, columns }: CacheDescription): readonly SampleRequest[] {
  const cacheName = name;
  const watch = { title: 'Follow its changes', request: requestOf('watch', { cacheName }) };
  if (table === undefined) {
    return [
      { title: 'Store an entry', request: requestOf('put', { cacheName, key: 'k1', val: 'v1' }) },
      {
        title: 'Store one that expires',
        request: requestOf('put', { cacheName, key: 'k1', val: 'v1', ttlMs: 60_000 }),
      },
      { title: 'Read an entry', request: requestOf('get', { cacheName, key: 'k1' }) },
      { title: 'Read several entries', request: requestOf('getall', { cacheName, k1: 'k1', k2: 'k2' }) },
      {
        title: 'Change it if nobody else has',
        request: requestOf('cas', { cacheName, key: 'k1', val: 'new', val2: 'v1' }),
      },
      { title: 'Remove an entry', request: requestOf('rmv', { cacheName, key: 'k1' }) },
      { title: 'Read all entries', request: requestOf('qryscanexe', { cacheName, pageSize: PAGE_SIZE }) },
      watch,
    ];
  }
  const target = qualifiedName(table);
  const names = columns.map((column) => quotedIfNeeded(column.name));
  const keys = columns.filter(({ isKey }) => isKey);
  const others = columns.filter(({ isKey }) => !isKey);
  const byKey = keys.map((column) => `${quotedIfNeeded(column.name)} = ?`).join(' AND ');
  const sql = (qry: string, of: readonly TableColumn[]): SentRequest =>
    requestOf('qryfldexe', { qry, pageSize: PAGE_SIZE, ...(of.length > 0 && { args: of.map(exampleOf) }) });
  const [first] = others;
  return [
    { title: 'Read rows', request: sql(`SELECT ${names.join(', ')} FROM ${target}`, []) },
    ...(keys.length === 0
      ? []
      : [{ title: 'Read a row by its key', request: sql(`SELECT * FROM ${target} WHERE ${byKey}`, keys) }]),
    {
      title: 'Add a row',
      request: sql(`INSERT INTO ${target} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, columns),
    },
    ...(first === undefined || keys.length === 0
      ? []
      : [
          {
            title: 'Change a row',
            request: sql(`UPDATE ${target} SET ${quotedIfNeeded(first.name)} = ? WHERE ${byKey}`, [first, ...keys]),
          },
        ]),
    ...(keys.length === 0
      ? []
      : [{ title: 'Remove a row', request: sql(`DELETE FROM ${target} WHERE ${byKey}`, keys) }]),
    watch,
  ];
}

function requestOf(cmd: string, params: Readonly<Record<string, unknown>>): SentRequest {
  return { cmd, params };
}
