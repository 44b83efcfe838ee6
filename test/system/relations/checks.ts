/** Relations that always hold for the entries of a cache, whatever has been done. */
import { expect } from 'bun:test';
import { queryOf } from '../service-process.ts';
import { type Entry, type Exact, exact, isRejected, type Outcome, type Page, type Side } from './pair.ts';
import type { History } from './steps.ts';

/** A cache as a history has it on both sides. */
export interface Place {
  readonly cache: string;
  /** As statements name it. */
  readonly table: string;
}

/** What a check has read. */
export interface Seen {
  readonly entries: readonly Entry[];
  /** The rows of the table in the order of their texts, or the reason why there are none. */
  readonly rows: readonly string[];
}

const sorted = (items: readonly unknown[]): string[] => items.map((item) => JSON.stringify(item)).sort();

/** What both sides have; deadlines differ. */
export function comparable(found: readonly Entry[]): unknown {
  return found.map(({ expires, ...entry }) => ({ ...entry, expires: expires !== null }));
}

/** Returns the entries in a fixed order, with types and without deadlines. */
function plain(found: readonly Entry[]): string[] {
  return sorted(found.map(({ key, keyType, value, valueType }) => [key, keyType, value, valueType]));
}

function fieldOf(value: Exact, column: string): Exact {
  const fields = value as { readonly [name: string]: Exact };
  if (Object.hasOwn(fields, column)) return fields[column] ?? null;
  const found = Object.keys(fields).filter((name) => name.toUpperCase() === column.toUpperCase());
  expect([fields, found.length <= 1]).toEqual([fields, true]);
  return fields[found[0] ?? ''] ?? null;
}

/** Put = SELECT. Returns the rows. */
async function checkRows(
  side: Side,
  { table }: Place,
  history: History,
  found: readonly Entry[],
  isThorough: boolean,
): Promise<readonly string[]> {
  const qry = `SELECT * FROM ${table}`;
  const outcome = await side.read({ cmd: 'qryfldexe', pageSize: 1000, qry });
  if (isRejected(outcome)) {
    expect(outcome.error).toMatch(/not found/);
    return [outcome.error];
  }
  const { fieldsMetadata, items } = outcome.response as unknown as Page;
  const columns = fieldsMetadata.map(({ fieldName }) => fieldName);
  const expected = found
    .filter(({ valueType }) => valueType === history.valueType)
    .map(({ key, value }) => {
      const isObject = typeof key === 'object' && key !== null;
      return columns.map((column) => {
        if (column !== 'K' && !(isObject && column === 'L')) return fieldOf(value, column);
        return isObject ? fieldOf(key, column) : key;
      });
    });
  const rows = sorted(items);
  expect(['rows', columns, rows]).toEqual(['rows', columns, sorted(expected)]);
  if (isThorough) await checkPages(side, `${qry} ORDER BY ${columns.join(', ')}`);
  return rows;
}

/** Pages are one page, and a stream has the rows of a page. */
async function checkPages(side: Side, qry: string): Promise<void> {
  const whole = await side.page({ cmd: 'qryfldexe', pageSize: 1000, qry });
  const first = await side.page({ cmd: 'qryfldexe', pageSize: 2, qry });
  const items = [...first.items];
  let { last } = first;
  const qryId = first.queryId.slice(1);
  while (!last) {
    const next = await side.page({ cmd: 'qryfetch', qryId, pageSize: 2 });
    items.push(...next.items);
    last = next.last;
  }
  expect(['pages', items]).toEqual(['pages', [...whole.items]]);
  const query = queryOf({ cmd: 'qryfldexe', pageSize: 2, qry });
  const lines = (await side.text(`?${query}`, { accept: 'application/x-ndjson' }))
    .split('\n')
    .filter((line) => line !== '');
  const columns = whole.fieldsMetadata.map(({ fieldName }) => fieldName);
  const streamed = lines.map((line) => {
    const row = exact(line) as { readonly [name: string]: Exact };
    return columns.map((column) => row[column] ?? null);
  });
  expect(['stream', streamed]).toEqual(['stream', whole.items.map((row) => row as Exact[])]);
}

/** Getall = gets = what the entries are. */
async function checkGets(side: Side, { cache }: Place, history: History, found: readonly Entry[]): Promise<void> {
  const keyed = { cacheName: cache, keyType: history.keyType };
  const [all, size, ...gets] = await Promise.all([
    side.read({ cmd: 'getall', ...keyed, keys: history.keys }),
    side.read({ cmd: 'size', cacheName: cache }),
    ...history.keys.map((key) => side.read({ cmd: 'get', ...keyed, key })),
  ]);
  const responseOf = (outcome: Outcome): Exact => {
    if (isRejected(outcome)) throw new Error(outcome.error);
    return outcome.response;
  };
  const values = (items: readonly Exact[]): string[] => [...new Set(sorted(items))];
  const got = values(gets.map(responseOf).filter((value) => value !== null));
  expect(['getall', values(Object.values(responseOf(all) as object))]).toEqual(['getall', got]);
  expect(['get', got]).toEqual(['get', values(found.map(({ value }) => value))]);
  expect(size).toEqual({ response: `#${found.length}` });
}

/** The types of keys that the list of entries has. */
export const LISTED_KEYS: ReadonlySet<string> = new Set(['string', 'int', 'long']);

/** An export and the list of a resource have the entries that statements see. */
async function checkLists(side: Side, place: Place, { keyType }: History, found: readonly Entry[]): Promise<void> {
  expect(['export', plain(await side.exportedEntries(place.cache))]).toEqual(['export', plain(found)]);
  if (!LISTED_KEYS.has(keyType) || side.cluster !== undefined) return;
  const listed = exact(await side.text(`/caches/${place.cache}/entries?${queryOf({ keyType, select: 'key,value' })}`));
  const pairs = (listed as unknown as readonly Entry[]).map(({ key, value }) => [key, value]);
  expect(['entries', sorted(pairs)]).toEqual(['entries', sorted(found.map(({ key, value }) => [key, value]))]);
}

/** One history in this many is also checked in the ways that need additional requests. */
const THOROUGH = 3;

/** Checks the relations of one side. */
export async function checkSide(side: Side, place: Place, history: History): Promise<Seen> {
  const entries = await side.entries(place.cache);
  const isThorough = history.seed % THOROUGH === 0;
  const [rows] = await Promise.all([
    checkRows(side, place, history, entries, isThorough),
    checkGets(side, place, history, entries),
    ...(isThorough ? [checkLists(side, place, history, entries)] : []),
  ]);
  return { entries, rows };
}

/** An import restores exactly what was exported. */
export async function checkImport(side: Side, { cache }: Place, { entries }: Seen): Promise<void> {
  const lines = await side.exported({ cacheName: cache });
  await side.json({ cmd: 'clear', cacheName: cache });
  expect(['clear', await side.entries(cache)]).toEqual(['clear', []]);
  const imported = await side.importLines({ cacheName: cache }, lines.map((line) => `${line}\n`).join(''));
  expect(['import', isRejected(imported) ? imported : true]).toEqual(['import', true]);
  expect(['import', await side.entries(cache)]).toEqual(['import', [...entries]]);
}

interface Change {
  readonly event: string;
  readonly operation: string;
  readonly key: Exact;
  readonly keyType?: string;
  readonly value: Exact;
  readonly expires?: string;
}

/** The types of keys that a table may store in another form. */
const CONVERTED_KEYS: ReadonlySet<string> = new Set(['java.math.BigDecimal', 'RelationKey']);

/** Replaying the feed yields the state: the values since the last declaration, which converts earlier ones. */
export async function checkFeed(
  side: Side,
  { cache }: Place,
  { keyType }: History,
  { entries: found }: Seen,
): Promise<void> {
  let isRenamed = false;
  const text = await side.text(`?${queryOf({ cmd: 'watch', cacheName: cache, from: 'start', follow: 'false' })}`);
  const state = new Map<string, string | undefined>();
  const keyOf = (key: Exact): string => JSON.stringify(key);
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const { event, operation, key, value, expires } = exact(line) as unknown as Change;
    if (event !== 'change') continue;
    if (operation === 'created' || operation === 'updated') state.set(keyOf(key), JSON.stringify(value));
    // Expired entries may not have been removed yet.
    if (expires !== undefined && Date.parse(expires) < Date.now()) state.delete(keyOf(key));
    if (operation === 'removed' || operation === 'expired') state.delete(keyOf(key));
    if (operation === 'cleared' || operation === 'cacheDestroyed') state.clear();
    // Keys that had a different form before their table was declared have two names in the feed.
    isRenamed ||= operation === 'cacheAltered' && CONVERTED_KEYS.has(keyType);
    if (operation === 'cacheAltered') for (const each of state.keys()) state.set(each, undefined);
  }
  const known = found.filter(({ key }) => state.get(keyOf(key)) !== undefined);
  const replayed = known.map(({ key }) => [keyOf(key), state.get(keyOf(key))]);
  const expected = known.map(({ key, value }) => [keyOf(key), JSON.stringify(value)]);
  expect(['feed', replayed, isRenamed || state.size]).toEqual(['feed', expected, isRenamed || found.length]);
}
