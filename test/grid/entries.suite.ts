import { describe, expect, test } from 'bun:test';
import { formatText, writeJson, writeText } from '../../src/values/json.ts';
import { text, type Value } from '../../src/values/value.ts';
import { type Entries, entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

const int = (data: number): Value => ({ type: 'integer', data });
const list = (...data: Value[]): Value => ({ type: 'list', data });
const set = (...data: Value[]): Value => ({ type: 'list', data, kind: 'hashSet' });
const map = (entries: Record<string, Value>): Value => ({
  type: 'map',
  data: Object.entries(entries).map(([name, value]) => [text(name), value] as const),
});
const object = (typeName: string, fields: Record<string, Value>): Value => ({
  type: 'object',
  typeName,
  fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
});

const UUID = '00000000-0000-0001-0000-00000000000a';

/** Values of which no two are equal. As a key, each must be found by an equal value and by no other. */
const DISTINCT: readonly Value[] = [
  { type: 'boolean', data: true },
  { type: 'boolean', data: false },
  { type: 'byte', data: 5 },
  { type: 'byte', data: -128 },
  { type: 'short', data: 5 },
  { type: 'integer', data: 5 },
  { type: 'integer', data: 0 },
  { type: 'integer', data: -2_147_483_648 },
  { type: 'integer', data: 2_147_483_647 },
  { type: 'long', data: 5n },
  { type: 'long', data: 9_007_199_254_740_993n },
  { type: 'long', data: 9_007_199_254_740_992n },
  { type: 'long', data: -(2n ** 63n) },
  { type: 'long', data: 2n ** 63n - 1n },
  { type: 'float', data: 5 },
  { type: 'float', data: 1.5 },
  { type: 'double', data: 5 },
  { type: 'double', data: 0 },
  { type: 'double', data: -0 },
  { type: 'double', data: Number.NaN },
  { type: 'double', data: Number.POSITIVE_INFINITY },
  { type: 'double', data: Number.NEGATIVE_INFINITY },
  { type: 'double', data: 5e-324 },
  { type: 'double', data: 1.7976931348623157e308 },
  { type: 'char', data: '5' },
  { type: 'string', data: '5' },
  { type: 'string', data: '' },
  { type: 'string', data: 'null' },
  { type: 'string', data: 'a' },
  { type: 'string', data: 'A' },
  { type: 'string', data: 'a ' },
  { type: 'string', data: 'a\0b' },
  { type: 'string', data: 'a\0c' },
  { type: 'string', data: 'é€😀' },
  { type: 'string', data: 'e\u0301€😀' },
  { type: 'date', data: 17_532 },
  { type: 'time', data: 36_672_000 },
  { type: 'timestamp', data: 1_518_915_783_000_000_001n },
  { type: 'timestamp', data: 1_518_915_783_000_000_000n },
  { type: 'timestamp', data: -1n },
  { type: 'instant', data: 1_518_915_783_000 },
  { type: 'uuid', data: UUID },
  { type: 'gridUuid', data: `a1-${UUID}` },
  { type: 'decimal', data: { unscaled: 15n, scale: 1 } },
  { type: 'decimal', data: { unscaled: 150n, scale: 2 } },
  { type: 'decimal', data: { unscaled: -(10n ** 30n), scale: 5 } },
  { type: 'bigInteger', data: 5n },
  { type: 'bigInteger', data: 10n ** 40n },
  { type: 'bytes', data: Uint8Array.of(1, 2, 3) },
  { type: 'bytes', data: new Uint8Array(0) },
  { type: 'array', element: 'integer', data: [int(1), int(2)] },
  { type: 'array', element: 'long', data: [{ type: 'long', data: 1n }] },
  { type: 'list', data: [] },
  { type: 'list', data: [int(1), text('x'), { type: 'null' }] },
  { type: 'map', data: [] },
  { type: 'map', data: [[text('k'), int(1)]] },
];

/** Custom values. Engines with fixed fields per type store them differently. */
const OBJECTS: readonly Value[] = [
  object('SuiteA', { x: int(1), y: text('2') }),
  object('SuiteA', { y: text('2'), x: int(1) }),
  object('SuiteB', { x: int(1), y: text('2') }),
  object('SuiteA', { x: int(1), inner: object('SuiteB', { z: list(int(1), { type: 'null' }) }) }),
  object('SuiteA', { x: { type: 'null' } }),
  object('SuiteA', {}),
];

/** One case per line: the value before, the operation, its result, the value after. */
type Case = readonly [
  title: string,
  before: Value | undefined,
  action: (entries: Entries, cache: string, key: Value) => unknown,
  answer: unknown,
  after: Value | undefined,
];

const [A, B, C] = [text('a'), text('b'), text('c')];
const CASES: readonly Case[] = [
  ['put stores a new entry', undefined, (e, c, k) => e.put(c, k, A), undefined, A],
  ['put replaces', A, (e, c, k) => e.put(c, k, B), undefined, B],
  ['putIfAbsent stores a new entry', undefined, (e, c, k) => e.putIfAbsent(c, k, A), true, A],
  ['putIfAbsent keeps an existing entry', A, (e, c, k) => e.putIfAbsent(c, k, B), false, A],
  ['getAndPut returns undefined for a new entry', undefined, (e, c, k) => e.getAndPut(c, k, A), undefined, A],
  ['getAndPut returns the old value', A, (e, c, k) => e.getAndPut(c, k, B), A, B],
  ['getAndPutIfAbsent stores a new entry', undefined, (e, c, k) => e.getAndPutIfAbsent(c, k, A), undefined, A],
  ['getAndPutIfAbsent returns the existing value', A, (e, c, k) => e.getAndPutIfAbsent(c, k, B), A, A],
  ['replace creates no entry', undefined, (e, c, k) => e.replace(c, k, A), false, undefined],
  ['replace replaces', A, (e, c, k) => e.replace(c, k, B), true, B],
  ['replace with the same value succeeds', A, (e, c, k) => e.replace(c, k, A), true, A],
  ['getAndReplace creates no entry', undefined, (e, c, k) => e.getAndReplace(c, k, A), undefined, undefined],
  ['getAndReplace returns the old value', A, (e, c, k) => e.getAndReplace(c, k, B), A, B],
  ['replaceIfEquals replaces the expected value', A, (e, c, k) => e.replaceIfEquals(c, k, A, B), true, B],
  ['replaceIfEquals keeps another value', A, (e, c, k) => e.replaceIfEquals(c, k, C, B), false, A],
  ['replaceIfEquals creates no entry', undefined, (e, c, k) => e.replaceIfEquals(c, k, A, B), false, undefined],
  ['replaceIfEquals compares types too', int(5), (e, c, k) => e.replaceIfEquals(c, k, text('5'), B), false, int(5)],
  ['remove deletes the entry', A, (e, c, k) => e.remove(c, k), true, undefined],
  ['remove of nothing', undefined, (e, c, k) => e.remove(c, k), false, undefined],
  ['getAndRemove returns the deleted value', A, (e, c, k) => e.getAndRemove(c, k), A, undefined],
  ['getAndRemove of nothing', undefined, (e, c, k) => e.getAndRemove(c, k), undefined, undefined],
  ['removeIfEquals deletes the expected value', A, (e, c, k) => e.removeIfEquals(c, k, A), true, undefined],
  ['removeIfEquals keeps another value', A, (e, c, k) => e.removeIfEquals(c, k, B), false, A],
  ['removeIfEquals of nothing', undefined, (e, c, k) => e.removeIfEquals(c, k, A), false, undefined],
  ['append to a string', A, (e, c, k) => e.append(c, k, B), true, text('ab')],
  ['prepend to a string', A, (e, c, k) => e.prepend(c, k, B), true, text('ba')],
  ['append to nothing', undefined, (e, c, k) => e.append(c, k, B), false, undefined],
  ['prepend to nothing', undefined, (e, c, k) => e.prepend(c, k, B), false, undefined],
  ['append to a list', list(A), (e, c, k) => e.append(c, k, list(B, C)), true, list(A, B, C)],
  ['prepend to a list', list(A), (e, c, k) => e.prepend(c, k, list(B, C)), true, list(B, C, A)],
  ['append to a set keeps one of equal items', set(A), (e, c, k) => e.append(c, k, set(A, B)), true, set(A, B)],
  [
    'removeIfEquals compares sets without order',
    set(A, B),
    (e, c, k) => e.removeIfEquals(c, k, set(B, A)),
    true,
    undefined,
  ],
  ['removeIfEquals keeps a set beside a list', set(A), (e, c, k) => e.removeIfEquals(c, k, list(A)), false, set(A)],
  [
    'append to a map replaces its entries',
    map({ x: A, y: A }),
    (e, c, k) => e.append(c, k, map({ y: B })),
    true,
    map({ x: A, y: B }),
  ],
  [
    'prepend to a map keeps its entries',
    map({ x: A }),
    (e, c, k) => e.prepend(c, k, map({ x: B })),
    true,
    map({ x: A }),
  ],
  ['has an entry', A, (e, c, k) => e.has(c, k), true, A],
  ['has no entry', undefined, (e, c, k) => e.has(c, k), false, undefined],
  ['updateTtl of nothing', undefined, (e, c, k) => e.updateTtl(c, k, 1000n), false, undefined],
  ['updateTtl 0 changes nothing', A, (e, c, k) => e.updateTtl(c, k, 0n), true, A],
  ['updateTtl below 0 expires the entry', A, (e, c, k) => e.updateTtl(c, k, -1n), true, undefined],
];

export function runEntriesSuite({ subject, newCache }: SuiteContext): void {
  const entries = (): Entries => entriesOf(subject().grid);

  describe('an operation on one entry', () => {
    for (const [title, before, action, answer, after] of CASES) {
      test(title, async () => {
        const cache = await newCache();
        const key = text('key');
        if (before) await entries().put(cache, key, before);
        expect<unknown>(await action(entries(), cache, key)).toEqual(answer);
        expect(await entries().get(cache, key)).toEqual(after);
        expect(await entries().size(cache)).toBe(after ? 1 : 0);
      });
    }

    test('rejects incompatible types in append and prepend and changes nothing', async () => {
      const cache = await newCache();
      const pairs: ReadonlyArray<readonly [Value, Value]> = [
        [int(5), text('a')],
        [text('a'), int(5)],
        [int(5), int(6)],
        [list(A), text('a')],
        [map({ x: A }), list(A)],
      ];
      for (const [old, value] of pairs) {
        await entries().put(cache, A, old);
        expect(await errorOf(() => entries().append(cache, A, value))).toBe('INCOMPATIBLE_TYPES');
        expect(await errorOf(() => entries().prepend(cache, A, value))).toBe('INCOMPATIBLE_TYPES');
        expect(await entries().get(cache, A)).toEqual(old);
      }
    });
  });

  describe('a value of any type', () => {
    test('reads back unchanged', async () => {
      const cache = await newCache();
      for (const value of DISTINCT) {
        await entries().put(cache, A, value);
        expect(await entries().get(cache, A)).toEqual(value);
      }
    });

    test('is equal to itself and to no other', async () => {
      const cache = await newCache();
      for (const [index, value] of DISTINCT.entries()) {
        await entries().put(cache, int(index), value);
        const other = DISTINCT[(index + 1) % DISTINCT.length] ?? A;
        expect(await entries().replaceIfEquals(cache, int(index), other, A)).toBe(false);
        expect(await entries().removeIfEquals(cache, int(index), value)).toBe(true);
      }
    });

    test('is a key that only an equal value finds', async () => {
      const cache = await newCache();
      const isDistinct = subject().traits?.distinctTimeKeys !== false;
      const keys = DISTINCT.filter(({ type }) => isDistinct || type !== 'instant');
      for (const [index, key] of keys.entries()) await entries().put(cache, key, int(index));
      expect(await entries().size(cache)).toBe(keys.length);
      for (const [index, key] of keys.entries()) expect(await entries().get(cache, key)).toEqual(int(index));
      const found = await entries().getAll(cache, keys);
      expect(found.length).toBe(keys.length);
      for (const key of keys) expect(await entries().remove(cache, key)).toBe(true);
      expect(await entries().size(cache)).toBe(0);
    });

    test('of a custom type reads back unchanged, with the order of its fields', async () => {
      if (subject().traits?.freeFields === false) return;
      const cache = await newCache();
      for (const [index, value] of OBJECTS.entries()) await entries().put(cache, value, int(index));
      expect(await entries().size(cache)).toBe(OBJECTS.length);
      for (const [index, value] of OBJECTS.entries()) {
        expect(await entries().get(cache, value)).toEqual(int(index));
        await entries().put(cache, A, value);
        expect(await entries().get(cache, A)).toEqual(value);
        const other = OBJECTS[(index + 1) % OBJECTS.length] ?? A;
        expect(await entries().removeIfEquals(cache, A, other)).toBe(false);
        expect(await entries().removeIfEquals(cache, A, value)).toBe(true);
      }
    });

    test('may be large', async () => {
      const cache = await newCache();
      const value = text('é'.repeat(1_000_000));
      await entries().put(cache, A, value);
      expect(await entries().get(cache, A)).toEqual(value);
    });
  });

  describe('many entries', () => {
    test('putAll stores all; the last value of a repeated key wins', async () => {
      const cache = await newCache();
      await entries().putAll(cache, [
        { key: A, value: int(1) },
        { key: B, value: int(2) },
        { key: A, value: int(3) },
      ]);
      expect(await entries().get(cache, A)).toEqual(int(3));
      expect(await entries().size(cache)).toBe(2);
    });

    test('getAllAsText returns the entries of getAll, as JSON when they are strings', async () => {
      const texts = [
        '',
        'plain',
        '5',
        '"',
        '\\',
        '\n\t\b\f\r',
        '\u0001\u001f\u007f',
        'é€',
        '😀x😀',
        '\u2028',
        'a\0b',
        ...(subject().traits?.loneSurrogates === false ? [] : ['\ud800']),
      ];
      const check = async (cache: string, asked: readonly Value[]): Promise<unknown> => {
        const expected = await entries().getAll(cache, asked);
        const found = await entries().getAllAsText(cache, asked);
        const members = expected.map(({ key, value }) => `${writeText(formatText(key))}:${writeJson(value)}`);
        if (typeof found !== 'string') {
          const texts = found.map(({ key, value }) => `${writeText(formatText(key))}:${writeJson(value)}`);
          expect(texts.sort()).toEqual(members.sort());
          return 'entries';
        }
        // The entries have no order.
        for (const member of members) expect(found).toContain(member);
        expect(found.length).toBe(`{${members.join(',')}}`.length);
        return 'text';
      };
      const cache = await newCache();
      expect(await check(cache, [A, B])).toBe('text');
      for (const key of texts) {
        for (const value of texts) {
          await entries().putAll(cache, [
            { key: text(key), value: text(value) },
            { key: A, value: text('1') },
          ]);
          await check(cache, [text(key), C, A, text(key)]);
        }
      }
      await check(cache, texts.map(text));
      await entries().put(cache, B, text('2'));
      expect(await check(cache, [B, A, C, B])).toBe('text');
      await entries().put(cache, B, int(2));
      expect(await check(cache, [B, A])).toBe('entries');
      await entries().put(cache, B, text('x'.repeat(1_000_000)));
      await check(cache, [B, A]);
      await entries().put(cache, B, text('2'), 1_000n);
      await subject().pass(1_500 * subject().timeFactor);
      await check(cache, [A, B]);
    });

    test('getAll returns existing entries only, each once', async () => {
      const cache = await newCache();
      await entries().put(cache, A, int(1));
      await entries().put(cache, B, int(2));
      const found = await entries().getAll(cache, [B, C, A, B]);
      expect(new Map(found.map(({ key, value }) => [key, value]))).toEqual(
        new Map([
          [A, int(1)],
          [B, int(2)],
        ]),
      );
      expect(found.length).toBe(2);
      expect(await entries().getAll(cache, [C])).toEqual([]);
    });

    test('hasAll is true if every key has an entry', async () => {
      const cache = await newCache();
      await entries().put(cache, A, int(1));
      await entries().put(cache, B, int(1));
      expect(await entries().hasAll(cache, [A, B])).toBe(true);
      expect(await entries().hasAll(cache, [A, B, C])).toBe(false);
    });

    test('removeAll deletes the existing entries', async () => {
      const cache = await newCache();
      await entries().put(cache, A, int(1));
      await entries().put(cache, B, int(1));
      await entries().removeAll(cache, [A, C]);
      expect(await entries().has(cache, A)).toBe(false);
      expect(await entries().size(cache)).toBe(1);
    });

    test('clear empties only its cache', async () => {
      const [cache, other] = [await newCache(), await newCache()];
      await entries().putAll(cache, [
        { key: A, value: A },
        { key: B, value: A },
      ]);
      await entries().put(other, A, A);
      await entries().clear(cache);
      expect(await entries().size(cache)).toBe(0);
      expect(await entries().get(cache, A)).toBe(undefined);
      expect(await entries().size(other)).toBe(1);
      await entries().put(cache, A, B);
      expect(await entries().size(cache)).toBe(1);
    });

    test('concurrent changes have separate results', async () => {
      const cache = await newCache();
      await entries().put(cache, A, int(1));
      const outcomes = await Promise.allSettled([
        entries().put(cache, B, B),
        entries().append(cache, A, text('x')),
        entries().put('suite_no_such_cache', A, A),
        entries().putIfAbsent(cache, C, C),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      expect(await entries().size(cache)).toBe(3);
    });

    test('of concurrent conditional changes, one succeeds', async () => {
      const cache = await newCache();
      const wins = await Promise.all(Array.from({ length: 20 }, (_, n) => entries().putIfAbsent(cache, A, int(n))));
      expect(wins.filter((won) => won).length).toBe(1);
      const removed = await Promise.all(Array.from({ length: 20 }, () => entries().remove(cache, A)));
      expect(removed.filter((won) => won).length).toBe(1);
    });
  });

  describe('a time to live', () => {
    const time = (ms: number): number => ms * subject().timeFactor;
    const ttl = (): bigint => BigInt(time(400));
    type Write = (cache: string, key: Value, ttlMs: bigint | null) => unknown;
    const creating: ReadonlyArray<readonly [string, Write]> = [
      ['put', (c, k, ttl) => entries().put(c, k, B, ttl)],
      ['putAll', (c, k, ttl) => entries().putAll(c, [{ key: k, value: B }], ttl)],
      ['putIfAbsent', (c, k, ttl) => entries().putIfAbsent(c, k, B, ttl)],
      ['getAndPut', (c, k, ttl) => entries().getAndPut(c, k, B, ttl)],
      ['getAndPutIfAbsent', (c, k, ttl) => entries().getAndPutIfAbsent(c, k, B, ttl)],
    ];
    const changing: ReadonlyArray<readonly [string, Write]> = [
      ...creating.filter(([name]) => !name.endsWith('IfAbsent')),
      ['replace', (c, k, ttl) => entries().replace(c, k, B, ttl)],
      ['getAndReplace', (c, k, ttl) => entries().getAndReplace(c, k, B, ttl)],
      ['replaceIfEquals', (c, k, ttl) => entries().replaceIfEquals(c, k, C, B, ttl)],
      ['append', (c, k, ttl) => entries().append(c, k, B, ttl)],
      ['prepend', (c, k, ttl) => entries().prepend(c, k, B, ttl)],
      ['updateTtl', (c, k, ttl) => entries().updateTtl(c, k, ttl)],
    ];
    const keyOf = (name: string): Value => text(name);

    test('of every write expires a new entry', async () => {
      const cache = await newCache();
      for (const [name, write] of creating) await write(cache, keyOf(name), ttl());
      expect(await entries().size(cache)).toBe(creating.length);
      await subject().pass(time(450));
      // Nodes of a cluster count expired entries until they have removed them.
      const keys = creating.map(([name]) => keyOf(name));
      expect(await entries().getAll(cache, keys)).toEqual([]);
    });

    test('of every write expires an entry without one', async () => {
      const cache = await newCache();
      for (const [name] of changing) await entries().put(cache, keyOf(name), C);
      for (const [name, write] of changing) await write(cache, keyOf(name), ttl());
      expect(await entries().size(cache)).toBe(changing.length);
      await subject().pass(time(450));
      const keys = changing.map(([name]) => keyOf(name));
      expect(await entries().getAll(cache, keys)).toEqual([]);
    });

    test('is removed by every write with null', async () => {
      const cache = await newCache();
      for (const [name] of changing) await entries().put(cache, keyOf(name), C, ttl());
      for (const [name, write] of changing) await write(cache, keyOf(name), null);
      for (const [name, write] of creating) await write(cache, keyOf(`new ${name}`), null);
      await subject().pass(time(450));
      expect(await entries().size(cache)).toBe(changing.length + creating.length);
    });

    test('is what remains until the expiry time', async () => {
      const cache = await newCache();
      if (subject().grid.capabilities.knowsTimeToLive === false) {
        expect(await errorOf(() => entries().timeToLive(cache, A))).toBe('NOT_SUPPORTED');
        return;
      }
      await entries().put(cache, A, B, 60_000n);
      await entries().put(cache, B, B);
      const remaining = await entries().timeToLive(cache, A);
      expect([(remaining ?? 0n) > 50_000n, (remaining ?? 0n) <= 60_000n]).toEqual([true, true]);
      expect(await entries().timeToLive(cache, B)).toBe(null);
      expect(await errorOf(() => entries().timeToLive(cache, C))).toBe('KEY_NOT_FOUND');
      await entries().put(cache, A, B, 1n);
      await subject().pass(20);
      expect(await errorOf(() => entries().timeToLive(cache, A))).toBe('KEY_NOT_FOUND');
    });

    test('keeps its expiry time when later writes set none', async () => {
      const cache = await newCache();
      await entries().put(cache, A, B, ttl());
      await subject().pass(time(150));
      await entries().put(cache, A, B);
      await entries().put(cache, A, B, 0n);
      await entries().put(cache, A, B, -5n);
      await entries().getAndPut(cache, A, B);
      await entries().append(cache, A, B);
      await entries().updateTtl(cache, A, 0n);
      expect(await entries().get(cache, A)).toEqual(text('bb'));
      await subject().pass(time(300));
      expect(await entries().has(cache, A)).toBe(false);
    });

    test('is removed by updateTtl with null', async () => {
      const cache = await newCache();
      await entries().put(cache, A, B, ttl());
      expect(await entries().updateTtl(cache, A, null)).toBe(true);
      expect(await entries().updateTtl(cache, B, null)).toBe(false);
      await subject().pass(time(450));
      expect(await entries().get(cache, A)).toEqual(B);
      await entries().put(cache, A, C);
      expect(await entries().updateTtl(cache, A, ttl())).toBe(true);
      await subject().pass(time(450));
      expect(await entries().has(cache, A)).toBe(false);
    });

    test('is replaced by that of a later write', async () => {
      const cache = await newCache();
      await entries().put(cache, A, B, ttl());
      await entries().put(cache, A, B, 60_000n);
      await subject().pass(time(450));
      expect(await entries().has(cache, A)).toBe(true);
    });

    test('may be the largest long', async () => {
      const cache = await newCache();
      await entries().put(cache, A, B, 9_223_372_036_854_775_807n);
      await subject().pass(50);
      expect(await entries().get(cache, A)).toEqual(B);
    });

    test('is removed with the entry', async () => {
      const cache = await newCache();
      await entries().put(cache, A, B, ttl());
      await entries().remove(cache, A);
      await entries().put(cache, A, B);
      await subject().pass(time(450));
      expect(await entries().get(cache, A)).toEqual(B);
    });

    test('makes the entry absent for every operation after it has passed', async () => {
      const cache = await newCache();
      const renew = async (): Promise<void> => {
        await entries().put(cache, A, B, BigInt(time(100)));
        await subject().pass(time(150));
      };
      const operations: ReadonlyArray<readonly [() => unknown, unknown]> = [
        [() => entries().get(cache, A), undefined],
        [() => entries().has(cache, A), false],
        [() => entries().hasAll(cache, [A]), false],
        [() => entries().getAll(cache, [A]), []],
        [() => entries().size(cache), 0],
        [() => entries().replace(cache, A, C), false],
        [() => entries().getAndReplace(cache, A, C), undefined],
        [() => entries().replaceIfEquals(cache, A, B, C), false],
        [() => entries().remove(cache, A), false],
        [() => entries().getAndRemove(cache, A), undefined],
        [() => entries().removeIfEquals(cache, A, B), false],
        [() => entries().append(cache, A, C), false],
        [() => entries().updateTtl(cache, A, 1000n), false],
      ];
      await renew();
      for (const [operation, answer] of operations) expect(await operation()).toEqual(answer);
      expect(await entries().getAndPut(cache, A, C)).toBe(undefined);
      await subject().pass(time(150));
      expect(await entries().get(cache, A)).toEqual(C);
      await entries().remove(cache, A);
      await renew();
      expect(await entries().putIfAbsent(cache, A, C)).toBe(true);
      expect(await entries().size(cache)).toBe(1);
    });
  });

  test('every operation rejects an unknown cache', async () => {
    const cache = 'suite_no_such_cache';
    const operations: ReadonlyArray<() => unknown> = [
      () => entries().get(cache, A),
      () => entries().has(cache, A),
      () => entries().getAll(cache, [A]),
      () => entries().hasAll(cache, [A]),
      () => entries().size(cache),
      () => entries().put(cache, A, B),
      () => entries().putAll(cache, [{ key: A, value: B }]),
      () => entries().putIfAbsent(cache, A, B),
      () => entries().getAndPut(cache, A, B),
      () => entries().getAndPutIfAbsent(cache, A, B),
      () => entries().replace(cache, A, B),
      () => entries().getAndReplace(cache, A, B),
      () => entries().replaceIfEquals(cache, A, B, C),
      () => entries().remove(cache, A),
      () => entries().getAndRemove(cache, A),
      () => entries().removeIfEquals(cache, A, B),
      () => entries().removeAll(cache, [A]),
      () => entries().clear(cache),
      () => entries().append(cache, A, B),
      () => entries().prepend(cache, A, B),
      () => entries().updateTtl(cache, A, 1n),
    ];
    for (const operation of operations) expect(await errorOf(operation)).toBe('CACHE_NOT_FOUND');
  });
}
