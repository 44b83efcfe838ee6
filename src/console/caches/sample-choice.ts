/** The usual requests to a cache or table. */
import { joinNames } from '../../client/names.ts';
import { qualifiedName, quotedIfNeeded, type TableName } from '../elements/sql-names.ts';
import type { SentRequest } from '../requests/sent-requests.ts';
import { argumentTypeOf } from '../rows/column-filter.ts';
import type { CacheDescription } from './cache-list.ts';
import type { TableColumn } from './row-query.ts';

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

/** Returns the requests for a cache or table, the most common first. */
export function samplesFor(cache: CacheDescription): readonly SampleRequest[] {
  const { name: cacheName, table } = cache;
  const all = table === undefined ? entrySamples(cacheName) : rowSamples(cache, table);
  const samples: readonly Sample[] = [...all, ['Follow its changes', 'watch', { cacheName: joinNames([cacheName]) }]];
  return samples.map(([title, cmd, params]) => ({ title, request: { cmd, params } }));
}

type Sample = readonly [title: string, cmd: string, params: SentRequest['params']];

function entrySamples(cacheName: string): readonly Sample[] {
  const key = 'k1';
  return [
    ['Store an entry', 'put', { cacheName, key, val: 'v1' }],
    ['Store one that expires', 'put', { cacheName, key, val: 'v1', ttlMs: 60_000 }],
    ['Read an entry', 'get', { cacheName, key }],
    ['Read several entries', 'getall', { cacheName, k1: key, k2: 'k2' }],
    ['Change it if nobody else has', 'cas', { cacheName, key, val: 'new', val2: 'v1' }],
    ['Remove an entry', 'rmv', { cacheName, key }],
    ['Read all entries', 'qryscanexe', { cacheName, pageSize: PAGE_SIZE }],
  ];
}

function rowSamples({ columns }: CacheDescription, table: TableName): readonly Sample[] {
  const target = qualifiedName(table);
  const names = columns.map((column) => quotedIfNeeded(column.name));
  const keys = columns.filter(({ isKey }) => isKey);
  const first = columns.find(({ isKey }) => !isKey);
  const byKey = keys.map((column) => `${quotedIfNeeded(column.name)} = ?`).join(' AND ');
  const sql = (title: string, qry: string, of: readonly TableColumn[]): Sample => {
    const args = of.length > 0 && { args: of.map(exampleOf) };
    return [title, 'qryfldexe', { qry, pageSize: PAGE_SIZE, ...args }];
  };
  const list = names.join(', ');
  const insert = `INSERT INTO ${target} (${list}) VALUES (${names.map(() => '?').join(', ')})`;
  const read = sql('Read rows', `SELECT ${list} FROM ${target}`, []);
  const add = sql('Add a row', insert, columns);
  if (keys.length === 0) return [read, add];
  const set = first === undefined ? '' : `UPDATE ${target} SET ${quotedIfNeeded(first.name)} = ? WHERE ${byKey}`;
  return [
    read,
    sql('Read a row by its key', `SELECT * FROM ${target} WHERE ${byKey}`, keys),
    add,
    ...(first === undefined ? [] : [sql('Change a row', set, [first, ...keys])]),
    sql('Remove a row', `DELETE FROM ${target} WHERE ${byKey}`, keys),
  ];
}
