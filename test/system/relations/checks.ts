/** What holds of the entries of a cache at every moment, whatever has been done. */
import { expect } from 'bun:test';
import { queryOf } from '../service-process.ts';
import { type Exact, exact, isRejected, type Page, type Side } from './pair.ts';
import { type History, VALUE_TYPE } from './steps.ts';

/** A cache as a history has it on both sides. */
export interface Place {
  readonly cache: string;
  /** As statements name it. */
  readonly table: string;
}

interface Entry {
  readonly key: Exact;
  readonly value: Exact;
  readonly keyType: string;
  readonly valueType: string;
  readonly expires?: Exact;
}

export async function entries(side: Side, { cache }: Place): Promise<Entry[]> {
  const lines = (await side.exported({ cacheName: cache })).sort();
  return Promise.all(lines.map((line) => shownEntry(side, cache, exact(line) as unknown as Entry)));
}

/** The export has an exact form for what a put of its JSON would store in another way; shows what a get shows. */
async function shownEntry(side: Side, cacheName: string, entry: Entry): Promise<Entry> {
  const { key, keyType, value, valueType } = entry;
  if (valueType !== 'SvcValue') return entry;
  const got = await side.json({
    cmd: 'get',
    cacheName,
    keyType,
    key: typeof key === 'string' ? key.replace(/^#/, '') : unmarked(key),
  });
  if (isRejected(got)) throw new Error(got.error);
  const { object = valueType } = value as { readonly object?: string };
  return { ...entry, value: got.response, valueType: object };
}

/** Numbers as they were. */
function unmarked(value: Exact): unknown {
  return JSON.parse(JSON.stringify(value), (_name, each: unknown) =>
    typeof each === 'string' ? each.replace(/^#/, '') : each,
  );
}

/** What both sides have; deadlines differ. */
export function comparable(found: readonly Entry[]): unknown {
  return found.map(({ expires, ...entry }) => ({ ...entry, expires: expires !== undefined }));
}

function fieldOf(value: Exact, column: string): Exact {
  const fields = value as { readonly [name: string]: Exact };
  if (Object.hasOwn(fields, column)) return fields[column] ?? null;
  const found = Object.keys(fields).filter((name) => name.toUpperCase() === column.toUpperCase());
  expect([fields, found.length <= 1]).toEqual([fields, true]);
  return fields[found[0] ?? ''] ?? null;
}

/** Put = SELECT. */
async function checkRows(side: Side, { table }: Place, found: readonly Entry[], isThorough: boolean): Promise<void> {
  const qry = `SELECT * FROM ${table}`;
  const outcome = await side.json({ cmd: 'qryfldexe', pageSize: 1000, qry });
  if (isRejected(outcome)) {
    expect(outcome.error).toMatch(/not found/);
    return;
  }
  const { fieldsMetadata, items } = outcome.response as unknown as Page;
  const columns = fieldsMetadata.map(({ fieldName }) => fieldName);
  const expected = found
    .filter(({ valueType }) => valueType === VALUE_TYPE)
    .map(({ key, value }) => {
      const isObject = typeof key === 'object' && key !== null;
      return columns.map((column) => {
        if (column !== 'K' && !(isObject && column === 'L')) return fieldOf(value, column);
        return isObject ? fieldOf(key, column) : key;
      });
    });
  const sorted = (rows: readonly Exact[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(['rows', columns, sorted(items)]).toEqual(['rows', columns, sorted(expected)]);
  if (isThorough) await checkPages(side, `${qry} ORDER BY ${columns.join(', ')}`);
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

/** Getall = gets = what the export says. */
async function checkGets(side: Side, { cache }: Place, history: History, found: readonly Entry[]): Promise<void> {
  const keyed = { cacheName: cache, keyType: history.keyType };
  const all = await side.json({ cmd: 'getall', ...keyed, keys: history.keys });
  if (isRejected(all)) throw new Error(all.error);
  const gets = await side.json({
    cmd: 'batch',
    commands: history.keys.map((key) => ({ cmd: 'get', ...keyed, key })),
  });
  if (isRejected(gets)) throw new Error(gets.error);
  const values = (gets.response as ReadonlyArray<{ readonly response: Exact }>).map(({ response }) => response);
  const sorted = (items: readonly Exact[]): string[] => [...new Set(items.map((item) => JSON.stringify(item)))].sort();
  const got = sorted(values.filter((value) => value !== null));
  expect(['getall', sorted(Object.values(all.response as object))]).toEqual(['getall', got]);
  expect(['get', got]).toEqual(['get', sorted(found.map(({ value }) => value))]);
  expect(await side.json({ cmd: 'size', cacheName: cache })).toEqual({ response: `#${found.length}` });
}

/** The types of keys that the list of entries has. */
export const LISTED_KEYS: ReadonlySet<string> = new Set(['string', 'int', 'long']);

/** Entries in SQL and as resources are those of the export. */
async function checkEntriesTable(
  side: Side,
  { cache }: Place,
  { keyType }: History,
  found: readonly Entry[],
): Promise<void> {
  const rows = await side.statement(`SELECT _key, key_type, _val, value_type FROM "${cache}".ENTRIES`);
  const shown = (items: readonly unknown[]): string[] => items.map((item) => JSON.stringify(item)).sort();
  const expected = found.map(({ key, keyType, value, valueType }) => [key, keyType, value, valueType]);
  if (isRejected(rows)) throw new Error(rows.error);
  expect(['ENTRIES', shown(rows.response as readonly Exact[])]).toEqual(['ENTRIES', shown(expected)]);
  if (!LISTED_KEYS.has(keyType)) return;
  const listed = exact(await side.text(`/caches/${cache}/entries?${queryOf({ keyType, select: 'key,value' })}`));
  const pairs = (listed as unknown as readonly Entry[]).map(({ key, value }) => [key, value]);
  expect(['entries', shown(pairs)]).toEqual(['entries', shown(found.map(({ key, value }) => [key, value]))]);
}

/** One history in so many is checked in all ways at each check, since each statement has a text of its own. */
const THOROUGH = 3;

/** Checks the relations of one side. Returns the entries. */
export async function checkSide(side: Side, place: Place, history: History): Promise<Entry[]> {
  const found = await entries(side, place);
  await checkGets(side, place, history, found);
  const isThorough = history.seed % THOROUGH === 0;
  await checkRows(side, place, found, isThorough);
  if (isThorough) await checkEntriesTable(side, place, history, found);
  return found;
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

/** The feed replayed is the state: values since the last declaration, which converts those before it. */
export async function checkFeed(side: Side, { cache }: Place, { keyType }: History): Promise<void> {
  let isRenamed = false;
  const text = await side.text(`?${queryOf({ cmd: 'watch', cacheName: cache, from: 'start', follow: 'false' })}`);
  const found = await entries(side, { cache, table: '' });
  const state = new Map<string, string | undefined>();
  const keyOf = (key: Exact): string => JSON.stringify(key);
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const { event, operation, key, value, expires } = exact(line) as unknown as Change;
    if (event !== 'change') continue;
    if (operation === 'created' || operation === 'updated') state.set(keyOf(key), JSON.stringify(value));
    // What has expired may not have been removed yet.
    if (expires !== undefined && Date.parse(expires) < Date.now()) state.delete(keyOf(key));
    if (operation === 'removed' || operation === 'expired') state.delete(keyOf(key));
    if (operation === 'cleared' || operation === 'cacheDestroyed') state.clear();
    // Keys that had another form before their table was declared have two names in the feed.
    isRenamed ||= operation === 'cacheAltered' && CONVERTED_KEYS.has(keyType);
    if (operation === 'cacheAltered') for (const each of state.keys()) state.set(each, undefined);
  }
  const known = found.filter(({ key }) => state.get(keyOf(key)) !== undefined);
  const replayed = known.map(({ key }) => [keyOf(key), state.get(keyOf(key))]);
  const expected = known.map(({ key, value }) => [keyOf(key), JSON.stringify(value)]);
  expect(['feed', replayed, isRenamed || state.size]).toEqual(['feed', expected, isRenamed || found.length]);
}
