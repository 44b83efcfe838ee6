/** Filters and orders of the console's grid of entries, and how matching entries are found. */
import { describe, expect, test } from 'bun:test';
import { parseAsSent } from '../../../src/client/exact-json.ts';
import { entryRow, type StoredEntry } from '../../../src/console/caches/entry-kind.ts';
import {
  comparerOf,
  entryFilterProblem,
  lineTestOf,
  matcherOf,
  selectsAll,
} from '../../../src/console/caches/entry-query.ts';
import { FilteredEntries } from '../../../src/console/caches/filtered-entries.ts';
import type { RowTexts } from '../../../src/console/rows/row.ts';

const entryOf = (line: string) => parseAsSent(line) as unknown as StoredEntry;
const LINES = [
  '{"key":"tea","value":1.50,"keyType":"string","valueType":"java.math.BigDecimal"}',
  '{"key":"9007199254740993","value":"Tee","keyType":"long","valueType":"string","expires":1767225600000}',
  '{"key":"9007199254740992","value":"Kaffee","keyType":"long","valueType":"string"}',
  '{"key":"visit","value":{"page":"/Tee","n":2},"keyType":"string","valueType":"Visit"}',
  '{"key":"9","value":"10","keyType":"string","valueType":"string"}',
  '{"key":"10","value":-2,"keyType":"integer","valueType":"integer"}',
];
const ROWS = LINES.map((line) => entryRow(entryOf(line)));
const keysOf = (rows: typeof ROWS) => rows.map(([key]) => String(key));

test.each([
  [{ Key: 'TE' }, ['tea']],
  [{ Key: '10' }, ['10']],
  [{ Key: '9007199254740993' }, ['9007199254740993']],
  [{ Key: '> 9007199254740992', 'Key type': 'long' }, ['9007199254740993']],
  [{ 'Key type': 'integer' }, ['10']],
  [{ 'Key type': '= long' }, ['9007199254740993', '9007199254740992']],
  [{ Value: 'tee' }, ['9007199254740993', 'visit']],
  [{ Value: '= Tee' }, ['9007199254740993']],
  [{ Value: '1.5' }, ['tea']],
  [{ Value: '< 0', 'Value type': 'integer' }, ['10']],
  [{ Value: '<> Tee', 'Value type': 'string' }, ['9007199254740992', '9']],
  [{ Expires: '!null' }, ['9007199254740993']],
  [{ Expires: '>= 2026-01-01 00:00:00Z' }, ['9007199254740993']],
  [{ Expires: '< 2025-12-31' }, []],
  [{ Expires: 'null', Key: '9' }, ['9']],
])('the filters %j select the entries %j', (filters, expected) => {
  const query = { filters: filters as Readonly<Record<string, string>> };
  expect(keysOf(ROWS.filter(matcherOf(query)))).toEqual(expected);
  // Lines that are skipped before parsing do not match.
  expect(keysOf(ROWS.filter((row, at) => matcherOf(query)(row) && lineTestOf(query)(LINES[at] ?? '')))).toEqual(
    expected,
  );
});

test.each([
  [{ Key: 'Te' }, '{"key":"TEA","value":1}', true],
  [{ Key: 'te' }, '{"key":"coffee","value":1}', false],
  [{ Value: '100' }, '{"key":"a","value":1E+2}', true],
  [{ Value: '100' }, '{"key":"a","value":99}', false],
  [{ Value: '1.50' }, '{"key":"a","value":1.5}', true],
  [{ Value: '> 5' }, '{"key":"a","value":7}', true],
  [{ Value: '"x"' }, '{"key":"a","value":"\\"x\\""}', true],
  [{ Value: '= Tee', Key: 'b' }, '{"key":"a","value":"Tee"}', false],
])('the filters %j may match the line %s: %p', (filters, line, expected) => {
  expect(lineTestOf({ filters: filters as Readonly<Record<string, string>> })(line)).toBe(expected);
});

test.each([
  ['Key', ['10', '9007199254740992', '9007199254740993', '9', 'tea', 'visit'], 'visit'],
  ['Value', ['10', 'tea', '9', '9007199254740992', '9007199254740993', 'visit'], 'visit'],
  ['Value type', ['visit', 'tea', '10', '9007199254740993', '9007199254740992', '9'], '9007199254740993'],
])('the column %s orders numbers before texts, and equal ones as they were', (column, expected, last) => {
  expect(keysOf([...ROWS].sort(comparerOf({ column, isDescending: false })))).toEqual(expected);
  const [first] = [...ROWS].sort(comparerOf({ column, isDescending: true }));
  expect(String(first?.[0])).toBe(last);
});

test('entries that do not expire are before others', () => {
  const [first] = [...ROWS].sort(comparerOf({ column: 'Expires', isDescending: true }));
  expect(String(first?.[0])).toBe('9007199254740993');
});

test('a deadline is compared with a time, and nothing else is', () => {
  expect(entryFilterProblem({ filters: { Expires: '> soon' } })).toContain('a date and time such as');
  expect(entryFilterProblem({ filters: { Expires: '> 2026-01-31', Value: '> soon' } })).toBeUndefined();
  expect(selectsAll({ filters: { Key: ' ' }, order: undefined })).toBe(true);
  expect(selectsAll({ filters: {}, order: { column: 'Key', isDescending: false } })).toBe(false);
});

/** Reads a number of entries, whose values are the last digits of their keys. */
class Numbered {
  readonly #count: number;
  looked = 0;
  restarts = 0;

  constructor(count: number) {
    this.#count = count;
  }

  async read(from: number, count: number) {
    const end = Math.min(this.#count, from + count);
    this.looked += end - from;
    const entries = Array.from({ length: end - from }, (_, at) => {
      return { key: String(from + at), value: String((from + at) % 10), keyType: 'long', valueType: 'long' };
    });
    return { entries, count: end - from, characters: 0, total: end < this.#count ? undefined : this.#count };
  }

  async size(): Promise<number> {
    return this.#count;
  }

  restart(): void {
    this.restarts++;
  }

  close(): void {}
}

/** Reads until a row is there, or all are known. */
async function readTo(entries: FilteredEntries, index: number): Promise<RowTexts | undefined> {
  for (;;) {
    const [row] = await entries.load([index]);
    if (row !== undefined || entries.isComplete.value) return row;
  }
}

describe('entries that match', () => {
  test('are read as far as they are asked for', async () => {
    const all = new Numbered(100_000);
    const entries = new FilteredEntries(all, { filters: { Value: '7' }, order: undefined });
    expect(await readTo(entries, 30)).toMatchObject({ Key: '307', Value: '7' });
    expect(entries.isComplete.value).toBe(false);
    expect(entries.progress.value).toBe('Checked 3,000 of 100,000 entries.');
    expect(all.looked).toBe(3_000);
    entries.refresh();
    expect(all.restarts).toBe(1);
    await entries.open();
    expect(entries.texts(0)).toMatchObject({ Key: '7', 'Key type': 'long' });
  });

  test('are counted when all were looked at, and sorted', async () => {
    const order = { column: 'Key', isDescending: true };
    const entries = new FilteredEntries(new Numbered(50_000), { filters: { Value: '7' }, order });
    expect(await readTo(entries, 1)).toMatchObject({ Key: '49987' });
    expect(entries.rowCount.value).toBe(5_000);
    expect(entries.progress.value).toBe('');
  });

  test('are bounded, which is said', async () => {
    const some = new FilteredEntries(new Numbered(100_000), { filters: { Value: '>= 1' }, order: undefined });
    expect(await readTo(some, 9_999)).toBeDefined();
    expect(some.rowCount.value).toBe(10_000);
    expect(some.progress.value).toStartWith('These are the first 10,000 ');
  });

  test.each([
    ['Key', false, {}, 100_000, ['0', '1', '9999']],
    ['Key', true, {}, 100_000, ['99999', '99998', '90000']],
    ['Value', false, { Value: '>= 1' }, 90_000, ['1', '11', '99991']],
    ['Value', true, { Value: '>= 1' }, 90_000, ['9', '19', '99999']],
    ['Value', true, { Value: '>= 9' }, 10_000, ['9', '19', '99999']],
  ] as const)('of which there are many are the first ones by %s, descending: %p, with %j', async (...row) => {
    const [column, isDescending, filters, matching, [first, second, last]] = row;
    const entries = new FilteredEntries(new Numbered(100_000), { filters, order: { column, isDescending } });
    expect(await readTo(entries, 0)).toMatchObject({ Key: first });
    expect(entries.texts(1)).toMatchObject({ Key: second });
    expect(await readTo(entries, 9_999)).toMatchObject({ Key: last });
    expect([entries.rowCount.value, entries.isComplete.value]).toEqual([10_000, true]);
    const count = matching.toLocaleString('en-US');
    const said = `These are the first 10,000 of ${count} in this order. Narrow the filters, or export the cache.`;
    expect(entries.progress.value).toBe(matching === 10_000 ? '' : said);
  });
});
