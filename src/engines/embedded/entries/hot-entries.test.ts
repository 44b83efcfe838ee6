/** Entries that threads keep are never older than what was acknowledged, whatever changes them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { randomUuid } from '../../../base/clock.ts';
import { ManualClock } from '../../../base/manual-clock.ts';
import { RpcChannel } from '../../../base/rpc-channel.ts';
import type { Entry, Grid } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import { openEmbeddedGrid } from '../embedded-grid.ts';
import { openEmbeddedReader, type ReaderMethods } from '../thread/embedded-reader.ts';
import type { OwnerMethods } from '../thread/owner-thread.fixture.ts';

const ROUNDS = 1_500;
const NAMES = ['a', 'b'] as const;
const NUMBERS = Array.from({ length: 12 }, (_, number) => number);
/** Keys of several types, among them texts that look like others. */
const KEYS: readonly Value[] = NUMBERS.flatMap((data): Value[] => [
  text(String(data)),
  { type: 'integer', data },
  { type: 'long', data: BigInt(data) },
]);

interface Subject {
  readonly grid: Grid;
  readonly advance: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openThread(dataDir: string): Promise<Subject> {
  const clock = new ManualClock();
  const worker = new Worker(new URL('../thread/owner-thread.fixture.ts', import.meta.url), { workerData: dataDir });
  const channel = new RpcChannel<OwnerMethods, ReaderMethods>(worker, clock);
  const grid = await openEmbeddedReader(await channel.call('open', null), channel, clock);
  return {
    grid,
    advance: async (ms) => {
      clock.advance(ms);
      await channel.call('advance', ms);
    },
    close: async () => {
      await grid.close();
      await channel.call('close', null);
      channel.close();
      await worker.terminate();
    },
  };
}

async function openOwner(dataDir: string): Promise<Subject> {
  const clock = new ManualClock();
  const grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0' });
  return { grid, advance: async (ms) => clock.advance(ms), close: () => grid.close() };
}

/** Numbers that follow from a seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Every way to change an entry, with what it does to the values that are expected. */
type Expected = Map<Value, { readonly value: Value; readonly untilMs: number }>;
interface Step {
  readonly grid: Grid;
  readonly cache: string;
  readonly key: Value;
  readonly value: Value;
  readonly several: readonly Value[];
  readonly entries: Expected;
  readonly nowMs: number;
}

const FOREVER = Number.POSITIVE_INFINITY;
const CHANGES: ReadonlyArray<readonly [string, (step: Step) => Promise<void>]> = [
  [
    'put',
    async ({ grid, cache, key, value, entries, nowMs }) => {
      await grid.entries.put(cache, key, value);
      const before = entries.get(key);
      const untilMs = before !== undefined && before.untilMs > nowMs ? before.untilMs : FOREVER;
      entries.set(key, { value, untilMs });
    },
  ],
  [
    'put with a time to live',
    async ({ grid, cache, key, value, entries, nowMs }) => {
      await grid.entries.put(cache, key, value, 20n);
      entries.set(key, { value, untilMs: nowMs + 20 });
    },
  ],
  [
    'putAll',
    async ({ grid, cache, several, value, entries }) => {
      await grid.entries.putAll(
        cache,
        several.map((key) => ({ key, value })),
        null,
      );
      for (const key of several) entries.set(key, { value, untilMs: FOREVER });
    },
  ],
  [
    'getAndPut',
    async ({ grid, cache, key, value, entries }) => {
      await grid.entries.getAndPut(cache, key, value, null);
      entries.set(key, { value, untilMs: FOREVER });
    },
  ],
  [
    'remove',
    async ({ grid, cache, key, entries }) => {
      await grid.entries.remove(cache, key);
      entries.delete(key);
    },
  ],
  [
    'removeAll',
    async ({ grid, cache, several, entries }) => {
      await grid.entries.removeAll(cache, several);
      for (const key of several) entries.delete(key);
    },
  ],
  [
    'updateTtl',
    async ({ grid, cache, key, entries, nowMs }) => {
      await grid.entries.updateTtl(cache, key, 15n);
      const before = entries.get(key);
      if (before !== undefined && before.untilMs > nowMs) entries.set(key, { ...before, untilMs: nowMs + 15 });
    },
  ],
  [
    'clear',
    async ({ grid, cache, entries }) => {
      await grid.entries.clear(cache);
      entries.clear();
    },
  ],
  [
    'destroy and create',
    async ({ grid, cache, entries }) => {
      await grid.caches.destroy(cache);
      await grid.caches.getOrCreate(cache, {});
      entries.clear();
    },
  ],
];
/** How often each is chosen: the last ones, which empty the cache, rarely. */
const WEIGHTS = [80, 40, 20, 40, 40, 10, 30, 3, 2];
const CHOICES = CHANGES.flatMap((change, at) => Array.from({ length: WEIGHTS[at] ?? 0 }, () => change));

describe.each([
  ['a thread that reads while another one writes', openThread],
  ['the thread that writes', openOwner],
] as const)('%s', (_, open) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-hot-'));
  let subject: Subject;
  beforeAll(async () => {
    subject = await open(dataDir);
    for (const name of NAMES) await subject.grid.caches.getOrCreate(name, {});
  }, 30_000);
  afterAll(async () => {
    await subject.close();
    rmSync(dataDir, { recursive: true });
  });

  test('reads agree with a model after each of many changes', async () => {
    const seed = Number.parseInt(randomUuid().slice(0, 7), 16);
    process.stdout.write(`hot entries: seed ${seed}\n`);
    const random = randomFrom(seed);
    const expected = new Map(NAMES.map((name): [string, Expected] => [name, new Map()]));
    const { grid, advance } = subject;
    let nowMs = 0;
    const expectAll = async (cache: string, entries: Expected): Promise<void> => {
      const live = KEYS.filter((key) => (entries.get(key)?.untilMs ?? 0) > nowMs);
      const wanted: Entry[] = live.map((key) => ({ key, value: entries.get(key)?.value ?? text('') }));
      expect(await grid.entries.getAll(cache, [...KEYS, ...KEYS.slice(0, 3)])).toEqual(wanted);
      for (const key of KEYS.slice(0, 6)) {
        const found = live.includes(key) ? entries.get(key)?.value : undefined;
        expect(await grid.entries.get(cache, key)).toEqual(found);
      }
    };
    for (let round = 0; round < ROUNDS; round++) {
      const cache = NAMES[random(2)] ?? 'a';
      const entries = expected.get(cache) ?? new Map();
      const key = KEYS[random(KEYS.length)] ?? text('');
      const several = KEYS.filter(() => random(6) === 0);
      const step = { grid, cache, key, value: text(`value ${round}`), several, entries, nowMs };
      if (several.length > 0) await CHOICES[random(CHOICES.length)]?.[1](step);
      if (random(20) === 0) {
        nowMs += 10;
        await advance(10);
      }
      // Twice, so that entries are kept, and found again.
      for (const name of NAMES)
        for (let time = 0; time < 2; time++) await expectAll(name, expected.get(name) ?? new Map());
    }
  }, 60_000);

  test('a value that was kept counts as a hit', async () => {
    const { entries, caches } = subject.grid;
    await entries.put('a', text('counted'), text('1'), null);
    const before = await caches.metrics('a');
    for (let time = 0; time < 5; time++) await entries.getAll('a', [text('counted')]);
    await entries.getAll('a', [text('counted'), text('counted')]);
    const after = await caches.metrics('a');
    expect([after.reads - before.reads, after.hits - before.hits, after.misses - before.misses]).toEqual([6, 6, 0]);
  });
});
