import { describe, expect, test } from 'bun:test';
import type { CacheRequest, Grid } from '../../src/grid/grid.ts';
import { formatText } from '../../src/values/json.ts';
import { text, type Value } from '../../src/values/value.ts';
import { countersOf, entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

/** The time to live of counters, in ms. */
const TTL = 60_000n;
const [A, B, C] = [text('a'), text('b'), text('c')];

const byText = (one: Value, other: Value): number => (formatText(one) < formatText(other) ? -1 : 1);

export function runCachesSuite({ subject, newCache }: SuiteContext): void {
  const grid = (): Grid => subject().grid;

  describe('a cache', () => {
    test('is created and found by its name', async () => {
      const cache = await newCache();
      const definition = await grid().caches.find(cache);
      expect(definition).toMatchObject({ name: cache, mode: 'PARTITIONED', backups: 0, writeMode: 'FULL_SYNC' });
      expect((await grid().caches.list()).map(({ name }) => name)).toContain(cache);
      expect(await grid().caches.find(cache.toUpperCase())).toBe(undefined);
    });

    test('has the settings of the request', async () => {
      const name = `${await newCache()}_requested`;
      await grid().caches.getOrCreate(name, { template: 'partitioned', backups: 2, writeMode: 'PRIMARY_SYNC' });
      expect(await grid().caches.find(name)).toMatchObject({ backups: 2, writeMode: 'PRIMARY_SYNC' });
      await grid().caches.destroy(name);
    });

    for (const template of ['REPLICATED', 'replicated', 'Replicated']) {
      test(`of the template ${template} is replicated`, async () => {
        const name = `${await newCache()}_replicated`;
        await grid().caches.getOrCreate(name, { template });
        expect((await grid().caches.find(name))?.mode).toBe('REPLICATED');
      });
    }

    test('that exists stays unchanged', async () => {
      const cache = await newCache();
      await entriesOf(grid()).put(cache, A, B);
      await grid().caches.getOrCreate(cache, { template: 'REPLICATED', backups: 3 });
      expect(await grid().caches.find(cache)).toMatchObject({ mode: 'PARTITIONED', backups: 0 });
      expect(await entriesOf(grid()).get(cache, A)).toEqual(B);
    });

    const rejected: ReadonlyArray<readonly [string, CacheRequest, string]> = [
      ['an unknown template', { template: 'no_such_template' }, 'TEMPLATE_NOT_FOUND'],
      ['an unknown region', { region: 'no_such_region' }, 'REGION_NOT_FOUND'],
      ['a negative number of backups', { backups: -1 }, 'BACKUPS_NEGATIVE'],
    ];
    for (const [what, request, code] of rejected) {
      test(`is rejected with ${what} and can be created later`, async () => {
        const name = `${await newCache()}_rejected`;
        expect(await errorOf(() => grid().caches.getOrCreate(name, request))).toBe(code);
        expect(await grid().caches.find(name)).toBe(undefined);
        await grid().caches.getOrCreate(name, {});
        expect(await entriesOf(grid()).size(name)).toBe(0);
      });
    }

    test('with a time to live gives it to entries without one of their own [11.6]', async () => {
      const cache = `${await newCache()}_ttl`;
      const { caches } = grid();
      const entries = entriesOf(grid());
      const ttlMs = 600 * subject().timeFactor;
      await caches.getOrCreate(cache, { ttlMs });
      expect(await caches.find(cache)).toMatchObject({ ttlMs });
      for (const key of [A, B]) await entries.put(cache, key, A);
      await entries.put(cache, C, A, null);
      await entries.put(cache, text('long'), A, 60_000n);
      await subject().pass(0.6 * ttlMs);
      // Every write begins a new time to live; reads do not.
      await entries.replace(cache, B, C);
      expect(await entries.get(cache, A)).toEqual(A);
      await subject().pass(0.6 * ttlMs);
      const found = await entries.getAll(cache, [A, B, C, text('long')]);
      expect(found.map(({ key }) => key).sort(byText)).toEqual([B, C, text('long')]);
      await caches.destroy(cache);
    });

    test('with sliding expiry keeps entries that are read [11.7]', async () => {
      const cache = `${await newCache()}_sliding`;
      const { caches } = grid();
      const entries = entriesOf(grid());
      const ttlMs = 600 * subject().timeFactor;
      await caches.getOrCreate(cache, { ttlMs, sliding: true });
      expect(await caches.find(cache)).toMatchObject({ ttlMs, sliding: true });
      for (const key of [A, B, C]) await entries.put(cache, key, A);
      await entries.put(cache, text('eternal'), A, null);
      for (let round = 0; round < 3; round++) {
        await subject().pass(0.6 * ttlMs);
        expect(await entries.get(cache, A)).toEqual(A);
        expect((await entries.getAll(cache, [B])).length).toBe(1);
        // Reads do not wait until the deadline has moved; these changes do.
        for (let change = 0; change < 3; change++) await entries.put(cache, text('other'), A);
      }
      expect(await entries.has(cache, C)).toBe(false);
      expect(await entries.has(cache, text('eternal'))).toBe(true);
      await subject().pass(1.25 * ttlMs);
      expect((await entries.getAll(cache, [A, B])).length).toBe(0);
      await caches.destroy(cache);
    });

    test('with sliding expiry needs a time to live', async () => {
      const cache = `${await newCache()}_rejected`;
      expect(await errorOf(() => grid().caches.getOrCreate(cache, { sliding: true }))).toBe('SLIDING_WITHOUT_TTL');
    });

    test('must have a name', async () => {
      expect(await errorOf(() => grid().caches.getOrCreate('', {}))).toBe('CACHE_NAME_INVALID');
    });

    test('may have any string as its name, which is case-sensitive', async () => {
      if (subject().traits?.anyCacheName === false) return;
      const base = await newCache();
      const names = [`${base} /ü"'😀`, `${base}x`, `${base}X`];
      for (const name of names) {
        await grid().caches.getOrCreate(name, {});
        await entriesOf(grid()).put(name, A, text(name));
      }
      for (const name of names) expect(await entriesOf(grid()).get(name, A)).toEqual(text(name));
      for (const name of names) await grid().caches.destroy(name);
    });

    test('of a group has the settings of the group and shares no keys', async () => {
      const base = await newCache();
      await grid().caches.getOrCreate(`${base}_1`, { group: `${base}_g`, backups: 1 });
      expect(await errorOf(() => grid().caches.getOrCreate(`${base}_2`, { group: `${base}_g`, backups: 2 }))).toBe(
        'GROUP_MISMATCH',
      );
      await grid().caches.getOrCreate(`${base}_3`, { group: `${base}_g`, backups: 1 });
      await entriesOf(grid()).put(`${base}_1`, A, B);
      expect(await entriesOf(grid()).get(`${base}_3`, A)).toBe(undefined);
    });

    test('does not exist after destroy and is empty when created again', async () => {
      const cache = await newCache();
      await entriesOf(grid()).put(cache, A, B);
      await grid().caches.destroy(cache);
      expect(await errorOf(() => entriesOf(grid()).get(cache, A))).toBe('CACHE_NOT_FOUND');
      await grid().caches.destroy(cache);
      await grid().caches.getOrCreate(cache, {});
      expect(await entriesOf(grid()).get(cache, A)).toBe(undefined);
      expect(await entriesOf(grid()).size(cache)).toBe(0);
      expect(await grid().caches.metrics(cache)).toMatchObject({ reads: 1, writes: 0 });
    });

    test('of the system cannot be used', async () => {
      expect(await errorOf(() => entriesOf(grid()).get('ignite-sys-cache', A))).toBe('CACHE_IS_SYSTEM');
    });

    test('that does not exist has neither metrics nor metadata', async () => {
      expect(await errorOf(() => grid().caches.metrics('suite_no_such_cache'))).toBe('CACHE_NOT_FOUND');
      expect(await errorOf(() => grid().caches.metadata('suite_no_such_cache'))).toBe('CACHE_NOT_FOUND');
    });

    test('without entities has empty metadata', async () => {
      const cache = await newCache();
      const empty = { types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };
      expect(await grid().caches.metadata(cache)).toEqual({ cacheName: cache, ...empty });
    });
  });

  describe('the metrics of a cache', () => {
    test('start at 0', async () => {
      const { createTime, ...others } = await grid().caches.metrics(await newCache());
      expect(createTime).toBeGreaterThan(0);
      expect(others).toEqual({ readTime: 0, writeTime: 0, hits: 0, misses: 0, reads: 0, writes: 0 });
    });

    test('count the reads and writes of each operation', async () => {
      const entries = entriesOf(grid());
      if (subject().traits?.exactMetrics === false) return;
      type Counts = readonly [hits: number, misses: number, writes: number];
      // Ignite counts these for each operation (docs/spec/ignite-data.md 4.6).
      const steps: ReadonlyArray<readonly [string, (cache: string) => unknown, Counts]> = [
        ['get of nothing', (c) => entries.get(c, A), [0, 1, 0]],
        ['put', (c) => entries.put(c, A, B), [0, 0, 1]],
        ['get', (c) => entries.get(c, A), [1, 0, 0]],
        ['getAndPut', (c) => entries.getAndPut(c, A, B), [1, 0, 1]],
        ['getAndPutIfAbsent', (c) => entries.getAndPutIfAbsent(c, A, B), [1, 0, 0]],
        ['putIfAbsent', (c) => entries.putIfAbsent(c, A, B), [1, 0, 0]],
        ['replace', (c) => entries.replace(c, A, B), [1, 0, 1]],
        ['replace of nothing', (c) => entries.replace(c, C, B), [0, 1, 0]],
        ['getAndReplace', (c) => entries.getAndReplace(c, A, B), [1, 0, 1]],
        ['replaceIfEquals', (c) => entries.replaceIfEquals(c, A, B, A), [1, 0, 1]],
        ['replaceIfEquals of another', (c) => entries.replaceIfEquals(c, A, B, A), [1, 0, 0]],
        ['append', (c) => entries.append(c, A, B), [1, 0, 1]],
        ['append to nothing', (c) => entries.append(c, C, B), [0, 1, 0]],
        ['has', (c) => entries.has(c, A), [0, 0, 0]],
        ['size', (c) => entries.size(c), [0, 0, 0]],
        ['removeIfEquals of another', (c) => entries.removeIfEquals(c, A, C), [1, 0, 0]],
        ['updateTtl', (c) => entries.updateTtl(c, A, 100_000n), [1, 0, 0]],
        ['remove of nothing', (c) => entries.remove(c, C), [0, 0, 0]],
        ['getAndRemove of nothing', (c) => entries.getAndRemove(c, C), [0, 1, 0]],
        ['getAndRemove', (c) => entries.getAndRemove(c, A), [1, 0, 1]],
        ['putIfAbsent of a new entry', (c) => entries.putIfAbsent(c, A, B), [0, 1, 1]],
        ['remove', (c) => entries.remove(c, A), [0, 0, 1]],
        [
          'putAll',
          (c) =>
            entries.putAll(c, [
              { key: A, value: A },
              { key: B, value: B },
            ]),
          [0, 0, 2],
        ],
        ['getAll', (c) => entries.getAll(c, [A, B, C, C]), [2, 1, 0]],
        ['getAllAsText', (c) => entries.getAllAsText(c, [A, B, C, C]), [2, 1, 0]],
        ['removeAll', (c) => entries.removeAll(c, [A, B, C]), [0, 0, 2]],
      ];
      const cache = await newCache();
      let last = await grid().caches.metrics(cache);
      for (const [title, step, [hits, misses, writes]] of steps) {
        await step(cache);
        const now = await grid().caches.metrics(cache);
        const counted = {
          title,
          hits: now.hits - last.hits,
          misses: now.misses - last.misses,
          writes: now.writes - last.writes,
        };
        expect(counted).toEqual({ title, hits, misses, writes });
        expect(now.reads).toBe(now.hits + now.misses);
        last = now;
      }
    });

    test('have the times of the last read and the last write', async () => {
      const cache = await newCache();
      await subject().pass(20);
      await entriesOf(grid()).put(cache, A, B);
      const written = await grid().caches.metrics(cache);
      expect(written.writeTime).toBeGreaterThan(written.createTime);
      expect(written.readTime).toBe(0);
      await subject().pass(20);
      await entriesOf(grid()).get(cache, A);
      const read = await grid().caches.metrics(cache);
      expect(read.readTime).toBeGreaterThan(read.writeTime);
      expect({ ...read, reads: 0, hits: 0, readTime: 0 }).toEqual(written);
    });
  });

  describe('a counter', () => {
    test('starts at its initial value', async () => {
      const name = await newCache();
      expect(await countersOf(grid()).add(name, 5n, 10n)).toBe(15n);
      expect(await countersOf(grid()).add(name, 1n, 99n)).toBe(16n);
      expect(await countersOf(grid()).add(name, -20n, 0n)).toBe(-4n);
      expect(await countersOf(grid()).add(name, 0n, 0n)).toBe(-4n);
    });

    test('wraps at 64 bits', async () => {
      const name = await newCache();
      expect(await countersOf(grid()).add(name, 1n, 2n ** 63n - 1n)).toBe(-(2n ** 63n));
      expect(await countersOf(grid()).add(name, -1n, 0n)).toBe(2n ** 63n - 1n);
    });

    test('expires if it began with a time to live', async () => {
      const { capabilities } = grid();
      const counters = countersOf(grid());
      const name = await newCache();
      if (capabilities.expiringCounters === false) {
        for (const attempt of [
          () => counters.add(name, 1n, 0n, TTL),
          () => counters.timeToLive(name),
          () => counters.persist(name),
        ]) {
          expect(await errorOf(attempt)).toBe('NOT_SUPPORTED');
        }
        return;
      }
      expect(await counters.timeToLive(name)).toBeUndefined();
      expect(await counters.persist(name)).toBe(false);
      expect(await counters.add(name, 1n, 0n, TTL)).toBe(1n);
      await subject().pass(1_000);
      // The first change determines the deadline.
      expect(await counters.add(name, 1n, 0n)).toBe(2n);
      expect(await counters.add(name, 1n, 0n, TTL * 10n)).toBe(3n);
      const left = (await counters.timeToLive(name)) ?? 0n;
      expect(left > 0n && left <= TTL - 1_000n).toBe(true);
      await subject().pass(Number(TTL));
      expect(await counters.timeToLive(name)).toBeUndefined();
      expect(await counters.persist(name)).toBe(false);
      expect(await counters.add(name, 1n, 5n)).toBe(6n);
      expect(await counters.timeToLive(name)).toBeNull();
    });

    test('has no deadline after persist', async () => {
      const { capabilities } = grid();
      const counters = countersOf(grid());
      if (capabilities.expiringCounters === false) return;
      const name = await newCache();
      await counters.add(name, 1n, 0n, TTL);
      expect(await counters.persist(name)).toBe(true);
      expect(await counters.timeToLive(name)).toBeNull();
      await subject().pass(Number(TTL) + 1_000);
      expect(await counters.add(name, 1n, 0n)).toBe(2n);
      expect(await counters.persist(name)).toBe(true);
    });

    test('belongs to no cache', async () => {
      const name = await newCache();
      await countersOf(grid()).add(name, 1n, 0n);
      expect(await entriesOf(grid()).size(name)).toBe(0);
      await grid().caches.destroy(name);
      expect(await countersOf(grid()).add(name, 1n, 0n)).toBe(2n);
    });

    test('loses no increment of concurrent calls', async () => {
      const name = await newCache();
      const values = await Promise.all(Array.from({ length: 50 }, () => countersOf(grid()).add(name, 1n, 0n)));
      expect(new Set(values).size).toBe(50);
      expect(await countersOf(grid()).add(name, 0n, 0n)).toBe(50n);
    });
  });

  describe('a record', () => {
    test('is stored under its kind and id', async () => {
      const [{ records }, id] = [grid(), await newCache()];
      expect(await records.get('setting', id)).toBe(undefined);
      await records.put('setting', id, 'one');
      await records.put('setting', id, 'two');
      expect(await records.get('setting', id)).toBe('two');
      expect(await records.get('user', id)).toBe(undefined);
      expect(await records.list('setting')).toContainEqual({ id, content: 'two' });
    });

    test('is added only if there is none', async () => {
      const [{ records }, id] = [grid(), await newCache()];
      const added = await Promise.all([records.add('user', id, 'a'), records.add('user', id, 'b')]);
      expect(added.filter((each) => each).length).toBe(1);
      expect(await records.get('user', id)).toBe(added[0] ? 'a' : 'b');
    });

    test('is replaced only if there is one', async () => {
      const [{ records }, id] = [grid(), await newCache()];
      expect(await records.replace('session', id, 'a')).toBe(false);
      expect(await records.get('session', id)).toBe(undefined);
      await records.put('session', id, 'a');
      expect(await records.replace('session', id, 'b')).toBe(true);
      expect(await records.get('session', id)).toBe('b');
      // Whatever the order, a record that is removed stays removed.
      await Promise.all([records.replace('session', id, 'c'), records.remove('session', id)]);
      expect(await records.get('session', id)).toBe(undefined);
    });

    test('is returned by remove', async () => {
      const [{ records }, id] = [grid(), await newCache()];
      await records.put('user', id, 'a');
      expect(await records.remove('user', id)).toBe('a');
      expect(await records.remove('user', id)).toBe(undefined);
      expect(await records.get('user', id)).toBe(undefined);
    });

    test('expires', async () => {
      const [{ records, caches }, id] = [grid(), await newCache()];
      const { createTime } = await caches.metrics(id);
      await records.put('session', id, 'a', createTime + 2_000);
      expect(await records.get('session', id)).toBe('a');
      await subject().pass(2_050);
      expect(await records.get('session', id)).toBe(undefined);
      expect((await records.list('session')).map((record) => record.id)).not.toContain(id);
      expect(await records.add('session', id, 'b', createTime + 100_000)).toBe(true);
      expect(await records.remove('session', id)).toBe('b');
    });
  });
}
