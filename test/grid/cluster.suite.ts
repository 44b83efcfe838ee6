import { afterEach, describe, expect, test } from 'bun:test';
import { CLUSTER_STATES, type Grid } from '../../src/grid/grid.ts';
import { text } from '../../src/values/value.ts';
import { countersOf, entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

const [A, B] = [text('a'), text('b')];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function runClusterSuite(context: SuiteContext): void {
  const { subject, newCache } = context;
  const grid = (): Grid => subject().grid;

  describe('the cluster', () => {
    test('lists its nodes and finds them by id', async () => {
      const nodes = await grid().cluster.nodes({ metrics: false, attributes: false });
      expect(nodes.length).toBeGreaterThan(0);
      for (const node of nodes) {
        expect(node.id).toMatch(UUID);
        expect(await grid().cluster.hasNode(node.id)).toBe(true);
      }
      expect(await grid().cluster.hasNode('00000000-0000-0000-0000-000000000000')).toBe(false);
    });

    test('knows the primary node of a key', async () => {
      const node = await grid().cluster.primaryNode(await newCache(), A);
      expect(await grid().cluster.hasNode(node)).toBe(true);
    });

    test('has a version, a baseline and regions', async () => {
      expect(await grid().cluster.version()).not.toBe('');
      const baseline = await grid().cluster.baseline();
      expect(baseline.active).toBe(true);
      expect(baseline.baseline.length).toBeGreaterThan(0);
      expect((await grid().cluster.regions()).map(({ name }) => name)).toContain('default');
    });
  });

  describe('the state of the cluster', () => {
    afterEach(async () => {
      if (subject().exclusive) await grid().cluster.setState('ACTIVE', true);
    });

    test('can change to every state, including the current one', async () => {
      if (!subject().exclusive) return;
      for (const from of CLUSTER_STATES) {
        for (const to of CLUSTER_STATES) {
          await grid().cluster.setState(from, true);
          await grid().cluster.setState(to, true);
          expect(await grid().cluster.state()).toBe(to);
          expect((await grid().cluster.baseline()).active).toBe(to !== 'INACTIVE');
        }
      }
    });

    test('ACTIVE_READ_ONLY allows reads and rejects every change, also in unknown caches', async () => {
      if (!subject().exclusive) return;
      const cache = await newCache();
      await entriesOf(grid()).put(cache, A, B);
      await countersOf(grid()).add(cache, 1n, 0n);
      await grid().cluster.setState('ACTIVE_READ_ONLY', false);
      const { caches } = grid();
      const entries = entriesOf(grid());
      expect(await entries.get(cache, A)).toEqual(B);
      expect(await entries.has(cache, A)).toBe(true);
      expect(await entries.hasAll(cache, [A])).toBe(true);
      expect((await entries.getAll(cache, [A])).length).toBe(1);
      expect(await entries.size(cache)).toBe(1);
      expect((await caches.metrics(cache)).hits).toBe(2);
      for (const name of [cache, 'suite_no_such_cache']) {
        const changes: ReadonlyArray<() => unknown> = [
          () => entries.put(name, A, B),
          () => entries.putAll(name, [{ key: A, value: B }]),
          () => entries.putIfAbsent(name, A, B),
          () => entries.getAndPut(name, A, B),
          () => entries.getAndPutIfAbsent(name, A, B),
          () => entries.replace(name, A, B),
          () => entries.getAndReplace(name, A, B),
          () => entries.replaceIfEquals(name, A, B, A),
          () => entries.remove(name, A),
          () => entries.getAndRemove(name, A),
          () => entries.removeIfEquals(name, A, B),
          () => entries.removeAll(name, [A]),
          () => entries.clear(name),
          () => entries.append(name, A, B),
          () => entries.prepend(name, A, B),
          () => entries.updateTtl(name, A, 1n),
          () => countersOf(grid()).add(name, 1n, 0n),
          () => caches.destroy(name),
          () => caches.getOrCreate('suite_no_such_cache', {}),
        ];
        for (const change of changes) expect(await errorOf(change)).toBe('READ_ONLY');
      }
      await caches.getOrCreate(cache, {});
      await grid().cluster.setState('ACTIVE', false);
      expect(await entries.get(cache, A)).toEqual(B);
      expect(await countersOf(grid()).add(cache, 0n, 0n)).toBe(1n);
    });

    test('INACTIVE rejects all operations on entries and preserves persistent entries', async () => {
      if (!subject().exclusive) return;
      const cache = await newCache();
      await entriesOf(grid()).put(cache, A, B);
      await grid().cluster.setState('INACTIVE', false);
      const { caches } = grid();
      const entries = entriesOf(grid());
      const operations: ReadonlyArray<() => unknown> = [
        () => entries.get(cache, A),
        () => entries.get('suite_no_such_cache', A),
        () => entries.has(cache, A),
        () => entries.getAll(cache, [A]),
        () => entries.hasAll(cache, [A]),
        () => entries.size(cache),
        () => entries.put(cache, A, B),
        () => entries.remove('suite_no_such_cache', A),
        () => entries.clear(cache),
        () => countersOf(grid()).add(cache, 1n, 0n),
        () => caches.getOrCreate(cache, {}),
        () => caches.destroy(cache),
        () => caches.metrics(cache),
        () => caches.metrics('suite_no_such_cache'),
        () => caches.metadata(cache),
        () => caches.metadata('suite_no_such_cache'),
      ];
      for (const operation of operations) expect(await errorOf(operation)).toBe('INACTIVE');
      expect((await caches.list()).map(({ name }) => name)).toContain(cache);
      expect(await grid().cluster.regions()).toEqual([]);
      await grid().cluster.setState('ACTIVE', false);
      expect(await entries.get(cache, A)).toEqual(B);
    });

    test('INACTIVE needs force to drop the entries of caches that are not persistent', async () => {
      const { temporaryRegion, exclusive } = subject();
      if (!exclusive || temporaryRegion === undefined) return;
      const cache = await newCache(temporaryRegion);
      await grid().cluster.setState('INACTIVE', false);
      await grid().cluster.setState('ACTIVE', false);
      await entriesOf(grid()).put(cache, A, B);
      expect(await errorOf(() => grid().cluster.setState('INACTIVE', false))).toBe('DEACTIVATION_STOPPED');
      expect(await entriesOf(grid()).get(cache, A)).toEqual(B);
      await grid().cluster.setState('INACTIVE', true);
      await grid().cluster.setState('ACTIVE', false);
      expect(await entriesOf(grid()).get(cache, A)).toBe(undefined);
      expect(await entriesOf(grid()).size(cache)).toBe(0);
      await entriesOf(grid()).put(cache, A, B);
      expect(await entriesOf(grid()).size(cache)).toBe(1);
      await grid().caches.destroy(cache);
    });
  });

  describe('a restart', () => {
    test('preserves entries, expiry times, counters, records, caches and the state', async () => {
      const { restart, exclusive } = subject();
      if (!restart || !exclusive) return;
      const cache = await newCache();
      await entriesOf(grid()).put(cache, A, B);
      await entriesOf(grid()).put(cache, B, B, 1_000n);
      await countersOf(grid()).add(cache, 7n, 0n);
      await grid().records.put('user', cache, 'content');
      const before = await grid().caches.find(cache);
      const { createTime } = await grid().caches.metrics(cache);
      await grid().cluster.setState('ACTIVE_READ_ONLY', false);
      await restart();
      expect(await grid().cluster.state()).toBe('ACTIVE_READ_ONLY');
      expect(await grid().caches.find(cache)).toEqual(before);
      expect(await grid().caches.metrics(cache)).toMatchObject({ createTime, reads: 0, writes: 0 });
      expect(await entriesOf(grid()).get(cache, A)).toEqual(B);
      expect(await entriesOf(grid()).size(cache)).toBe(2);
      await grid().cluster.setState('ACTIVE', false);
      expect(await countersOf(grid()).add(cache, 0n, 0n)).toBe(7n);
      expect(await grid().records.get('user', cache)).toBe('content');
      await subject().pass(1_100);
      expect(await entriesOf(grid()).size(cache)).toBe(1);
    });

    test('clears the caches that are not persistent', async () => {
      const { restart, temporaryRegion } = subject();
      if (!restart || temporaryRegion === undefined) return;
      const cache = await newCache(temporaryRegion);
      await entriesOf(grid()).put(cache, A, B);
      await restart();
      expect((await grid().caches.find(cache))?.region).toBe(temporaryRegion);
      expect(await entriesOf(grid()).get(cache, A)).toBe(undefined);
      expect(await entriesOf(grid()).size(cache)).toBe(0);
      await entriesOf(grid()).put(cache, A, B);
      expect(await entriesOf(grid()).get(cache, A)).toEqual(B);
      await grid().caches.destroy(cache);
    });

    test('preserves the default cache, which destroy clears', async () => {
      const { exclusive } = subject();
      if (!exclusive) return;
      await entriesOf(grid()).put('default', A, B);
      await grid().caches.destroy('default');
      expect((await grid().caches.find('default'))?.schema).toBe('PUBLIC');
      expect(await entriesOf(grid()).size('default')).toBe(0);
    });
  });
}
