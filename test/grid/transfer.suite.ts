/** Tests of transfer: scans, definitions and lists of counters. */

import { describe, expect, test } from 'bun:test';
import { randomUuid } from '../../src/base/clock.ts';
import type { CacheDefinition, EntryBatch, Grid, ScannedEntry } from '../../src/grid/grid.ts';
import { equalValues, keyOf } from '../../src/values/equality.ts';
import { text, type Value } from '../../src/values/value.ts';
import { countersOf, entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

const ENTRIES = 2_500;

/** Keys of several types with equal numbers, and structured values. */
const KEYS: readonly Value[] = [
  { type: 'integer', data: 5 },
  { type: 'long', data: 5n },
  { type: 'string', data: '5' },
  { type: 'string', data: '' },
  { type: 'double', data: -0 },
  { type: 'double', data: 0 },
  { type: 'boolean', data: true },
  { type: 'uuid', data: '00000000-0000-0001-0000-00000000000a' },
  { type: 'timestamp', data: 1_518_915_783_000_000_001n },
  { type: 'decimal', data: { unscaled: 15n, scale: 1 } },
  { type: 'bytes', data: Uint8Array.of(0, 255) },
];

async function batchesOf(grid: Grid, cache: string, position?: string): Promise<EntryBatch[]> {
  const batches: EntryBatch[] = [];
  for await (const batch of grid.transfer.scan(cache, position)) batches.push(batch);
  return batches;
}

async function scannedEntries(grid: Grid, cache: string, position?: string): Promise<ScannedEntry[]> {
  return (await batchesOf(grid, cache, position)).flatMap(({ entries }) => [...entries]);
}

function numbered(index: number): Value {
  return { type: 'list', data: [{ type: 'integer', data: index }, text(`value ${index}`)] };
}

export function runTransferSuite({ subject, newCache }: SuiteContext): void {
  async function filled(): Promise<string> {
    const cache = await newCache();
    const entries = Array.from({ length: ENTRIES }, (_, index) => ({
      key: { type: 'integer', data: index - 1_000 } as const,
      value: numbered(index),
    }));
    await entriesOf(subject().grid).putAll(cache, entries);
    return cache;
  }

  describe('transfer', () => {
    test('a scan returns every entry once, with its types', async () => {
      const { grid } = subject();
      const cache = await newCache();
      await entriesOf(grid).putAll(
        cache,
        KEYS.map((key, index) => ({ key, value: numbered(index) })),
      );
      const found = await scannedEntries(grid, cache);
      expect(found.map(({ key }) => keyOf(key)).sort()).toEqual(KEYS.map(keyOf).sort());
      for (const [index, key] of KEYS.entries()) {
        const entry = found.find((each) => equalValues(each.key, key));
        expect(entry?.value).toEqual(numbered(index));
      }
    });

    test('a scan of many entries has several batches, that of an empty cache none', async () => {
      const { grid } = subject();
      const batches = await batchesOf(grid, await filled());
      expect(batches.length).toBeGreaterThan(1);
      const keys = new Set(batches.flatMap(({ entries }) => entries.map(({ key }) => keyOf(key))));
      expect(keys.size).toBe(ENTRIES);
      expect(await scannedEntries(grid, await newCache())).toEqual([]);
    });

    test('a scan from a position returns the entries after it', async () => {
      const { grid } = subject();
      const cache = await filled();
      const [first] = await batchesOf(grid, cache);
      // Engines without an order have no positions and start from the beginning.
      const skipped = first?.position === undefined ? 0 : first.entries.length;
      expect((await scannedEntries(grid, cache, first?.position)).length).toBe(ENTRIES - skipped);
    });

    test('a scan returns remaining times to live, skips expired entries and is not counted in metrics', async () => {
      const { grid, pass } = subject();
      const cache = await newCache();
      await entriesOf(grid).put(cache, text('short'), text('a'), 50n);
      await entriesOf(grid).put(cache, text('long'), text('b'), 3_600_000n);
      await entriesOf(grid).put(cache, text('ever'), text('c'));
      // A cluster returns an entry for up to a second after it has expired.
      await pass(2_000);
      const before = await grid.caches.metrics(cache);
      const found = await scannedEntries(grid, cache);
      expect(found.map(({ key }) => keyOf(key)).sort()).toEqual([text('ever'), text('long')].map(keyOf).sort());
      expect(found.find(({ key }) => keyOf(key) === keyOf(text('ever')))?.ttlMs).toBeUndefined();
      const left = found.find(({ key }) => keyOf(key) === keyOf(text('long')))?.ttlMs;
      if (grid.capabilities.knowsTimeToLive === false) expect(left).toBeUndefined();
      else expect(Number(left)).toBeWithin(3_500_000, 3_600_001);
      expect((await grid.caches.metrics(cache)).reads).toBe(before.reads);
    });

    test('a scan of an unknown cache is rejected', async () => {
      expect(await errorOf(() => scannedEntries(subject().grid, 'none'))).toBe('CACHE_NOT_FOUND');
    });

    test('a cache is defined once, with its query entities', async () => {
      const { grid } = subject();
      const model = await newCache();
      const template = await grid.caches.find(model);
      if (!template) throw new Error('the cache has no definition');
      const name = `suite_${randomUuid().slice(0, 8)}`;
      const definition: CacheDefinition = {
        ...template,
        name,
        region: 'a region that nobody has',
        schema: name,
        entities: [
          {
            keyType: 'integer',
            valueType: 'SuitePart',
            fields: [
              { name: 'code', type: { kind: 'scalar', type: 'string' } },
              { name: 'weight', type: { kind: 'scalar', type: 'double' } },
            ],
            indexes: [{ name: 'by_code', fields: [{ name: 'code', descending: true }] }],
          },
        ],
      };
      try {
        expect(await grid.transfer.define(definition)).toBe(true);
        expect(await grid.transfer.define(definition)).toBe(false);
        const found = await grid.caches.find(name);
        expect(found?.region).toBe(template.region);
        expect(found?.entities[0]?.valueType).toBe('SuitePart');
        expect(found?.entities[0]?.fields.map((field) => field.name)).toEqual(['code', 'weight']);
        expect(found?.entities[0]?.indexes?.[0]?.fields).toEqual([{ name: 'code', descending: true }]);
      } finally {
        await grid.caches.destroy(name);
      }
    });

    test('counters are listed with their values, including existing ones of the given names', async () => {
      const { grid } = subject();
      const name = `suite_${randomUuid().slice(0, 8)}`;
      await countersOf(grid).add(name, 5n, 2n ** 62n);
      const found = await grid.transfer.counters([name, `${name}_none`]);
      expect(found.filter((each) => each.name.startsWith(name))).toEqual([{ name, value: 2n ** 62n + 5n }]);
    });
  });
}
