/** The change feed of the embedded engine: what each operation on entries records, and how streams continue. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { type Clock, sleep, systemClock } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import { FROM_NOW, FROM_START, type WatchRequest } from '../../../grid/change-feed.ts';
import { changeWriter } from '../../../grid/change-writers.ts';
import { text, type Value } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const long = (data: bigint): Value => ({ type: 'long', data });

const CACHE = 'orders';
const OTHER = 'unrecorded';
const [A, B, ONE, TWO] = [text('a'), text('b'), long(1n), long(2n)];
const dataDir = mkdtempSync(join(tmpdir(), 'svc-feed-'));
let grid: EmbeddedGrid;

const open = (clock: Clock = systemClock): Promise<EmbeddedGrid> =>
  openEmbeddedGrid({
    dataDir,
    clock,
    version: '1.0.0',
    regions: [{ name: 'memory', persistent: false }],
    caches: [
      { name: CACHE, changeFeed: true },
      { name: OTHER },
      { name: 'fleeting', region: 'memory', changeFeed: true },
    ],
    changeFeed: { ageMs: 3_600_000, bytes: 64 * 1024 },
  });

beforeAll(async () => {
  grid = await open();
});
afterAll(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

interface Event {
  readonly event: string;
  readonly position: string;
  readonly operation?: string;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly oldValue?: unknown;
  readonly reason?: string;
}

function request(changes: Partial<WatchRequest>): WatchRequest {
  return {
    caches: [CACHE],
    key: undefined,
    operations: undefined,
    withOldValue: true,
    from: FROM_NOW,
    follows: true,
    heartbeatMs: 60_000,
    writer: changeWriter('ndjson'),
    sharing: undefined,
    owner: 'ann',
    tenant: { key: 'user ann', isAdministrator: false },
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    authorize: () => undefined,
    ...changes,
  };
}

const feed = () => {
  if (grid.changeFeed === undefined) throw new TypeError('the engine has a change feed');
  return grid.changeFeed;
};

/** Reads the events of a stream until `isEnough`, and ends it. */
async function read(
  changes: Partial<WatchRequest>,
  isEnough: (events: readonly Event[]) => boolean,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const part of await feed().watch(request(changes))) {
    for (const line of part.trimEnd().split('\n')) events.push(JSON.parse(line) as Event);
    if (isEnough(events)) break;
  }
  return events;
}

/** Returns the changes after a position up to now, each as `operation key value oldValue`. */
async function since(from: string, changes: Partial<WatchRequest> = {}): Promise<string[]> {
  const events = await read({ from, follows: false, ...changes }, (all) => all.at(-1)?.event === 'end');
  return events
    .filter(({ event }) => event === 'change')
    .map(({ operation, key, value, oldValue }) =>
      [operation, key, value, oldValue].map((each) => (each === undefined ? '-' : String(each))).join(' '),
    );
}

const now = (cache = CACHE): string => feed().position([cache]) ?? '';

const entries = () => entriesOf(grid);

describe('an operation on entries is recorded:', () => {
  const cases: ReadonlyArray<{ title: string; before?: () => unknown; run: () => unknown; expected: string[] }> = [
    { title: 'put of a new key', run: () => entries().put(CACHE, A, ONE), expected: ['created a 1 -'] },
    {
      title: 'put of a known key',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().put(CACHE, A, TWO),
      expected: ['updated a 2 1'],
    },
    {
      title: 'putAll',
      before: () => entries().put(CACHE, A, ONE),
      run: () =>
        entries().putAll(CACHE, [
          { key: A, value: TWO },
          { key: B, value: ONE },
        ]),
      expected: ['updated a 2 1', 'created b 1 -'],
    },
    { title: 'putIfAbsent', run: () => entries().putIfAbsent(CACHE, A, ONE), expected: ['created a 1 -'] },
    {
      title: 'putIfAbsent of a known key',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().putIfAbsent(CACHE, A, TWO),
      expected: [],
    },
    { title: 'getAndPut', run: () => entries().getAndPut(CACHE, A, ONE), expected: ['created a 1 -'] },
    { title: 'getAndPutIfAbsent', run: () => entries().getAndPutIfAbsent(CACHE, A, ONE), expected: ['created a 1 -'] },
    {
      title: 'replace',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().replace(CACHE, A, TWO),
      expected: ['updated a 2 1'],
    },
    { title: 'replace without an entry', run: () => entries().replace(CACHE, A, TWO), expected: [] },
    {
      title: 'getAndReplace',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().getAndReplace(CACHE, A, TWO),
      expected: ['updated a 2 1'],
    },
    {
      title: 'replaceIfEquals',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().replaceIfEquals(CACHE, A, ONE, TWO),
      expected: ['updated a 2 1'],
    },
    {
      title: 'replaceIfEquals of another value',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().replaceIfEquals(CACHE, A, TWO, TWO),
      expected: [],
    },
    {
      title: 'remove',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().remove(CACHE, A),
      expected: ['removed a - 1'],
    },
    {
      title: 'getAndRemove',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().getAndRemove(CACHE, A),
      expected: ['removed a - 1'],
    },
    {
      title: 'removeIfEquals',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().removeIfEquals(CACHE, A, ONE),
      expected: ['removed a - 1'],
    },
    {
      title: 'removeAll',
      before: () =>
        entries().putAll(CACHE, [
          { key: A, value: ONE },
          { key: B, value: TWO },
        ]),
      run: () => entries().removeAll(CACHE, [A, B]),
      expected: ['removed a - 1', 'removed b - 2'],
    },
    {
      title: 'clear',
      before: () =>
        entries().putAll(CACHE, [
          { key: A, value: ONE },
          { key: B, value: TWO },
        ]),
      run: () => entries().clear(CACHE),
      expected: ['cleared - - -'],
    },
    {
      title: 'put after clear',
      before: () => entries().clear(CACHE),
      run: () => entries().put(CACHE, A, ONE),
      expected: ['created a 1 -'],
    },
    {
      title: 'append',
      before: () => entries().put(CACHE, A, B),
      run: () => entries().append(CACHE, A, B),
      expected: ['updated a bb b'],
    },
    {
      title: 'prepend',
      before: () => entries().put(CACHE, A, B),
      run: () => entries().prepend(CACHE, A, A),
      expected: ['updated a ab b'],
    },
    {
      title: 'updateTtl',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().updateTtl(CACHE, A, 60_000n),
      expected: ['expiryChanged a - -'],
    },
    {
      title: 'updateTtl below 0',
      before: () => entries().put(CACHE, A, ONE),
      run: () => entries().updateTtl(CACHE, A, -1n),
      expected: ['removed a - 1'],
    },
    {
      title: 'removal of a deadline',
      before: () => entries().put(CACHE, A, ONE, 60_000n),
      run: () => entries().updateTtl(CACHE, A, null),
      expected: ['expiryChanged a - -'],
    },
    {
      title: 'expiry',
      before: () => entries().put(CACHE, A, ONE, 1n),
      run: async () => {
        await sleep(systemClock, 5);
        await grid.sweep();
      },
      expected: ['expired a - 1'],
    },
    {
      title: 'put of a key that has expired',
      before: () => entries().put(CACHE, A, ONE, 1n),
      run: async () => {
        await sleep(systemClock, 5);
        await entries().put(CACHE, A, TWO);
      },
      expected: ['expired a - 1', 'created a 2 -'],
    },
    { title: 'nothing of a cache whose feed is off', run: () => entries().put(OTHER, A, ONE), expected: [] },
    {
      title: 'a call with an idempotency key',
      run: () =>
        grid.port.call(
          { kind: 'put', cache: CACHE, key: A, value: ONE },
          {
            once: {
              key: { id: crypto.randomUUID(), fingerprint: 'f', tenant: 'c', expiresAtMs: Date.now() + 60_000 },
              onReplay: () => {},
            },
          },
        ),
      expected: ['created a 1 -'],
    },
  ];
  for (const { title, before, run, expected } of cases) {
    test(title, async () => {
      await entries().clear(CACHE);
      await before?.();
      const from = now();
      await run();
      expect(await since(from)).toEqual(expected);
    });
  }

  test('and a region that does not persist has a feed of its own', async () => {
    const from = now('fleeting');
    await entries().put('fleeting', A, ONE);
    expect(await since(from, { caches: ['fleeting'] })).toEqual(['created a 1 -']);
    expect(now('fleeting').split('.')[0]).not.toBe(now().split('.')[0]);
  });
});

describe('a stream', () => {
  test('has the changes of the asked operations, key and values', async () => {
    await entries().clear(CACHE);
    const from = now();
    await entries().putAll(CACHE, [
      { key: A, value: ONE },
      { key: B, value: ONE },
    ]);
    await entries().put(CACHE, A, TWO);
    await entries().remove(CACHE, A);
    expect(await since(from, { operations: new Set(['updated', 'removed']) })).toEqual([
      'updated a 2 1',
      'removed a - 2',
    ]);
    expect(await since(from, { key: B })).toEqual(['created b 1 -']);
    expect(await since(from, { withOldValue: false, key: A })).toEqual([
      'created a 1 -',
      'updated a 2 -',
      'removed a - -',
    ]);
  });

  test('continues exactly behind each position, across restarts', async () => {
    await entries().clear(CACHE);
    const from = now();
    const expected: string[] = [];
    for (let key = 0; key < 20; key++) {
      await entries().put(CACHE, long(BigInt(key)), ONE);
      expected.push(`created ${key} 1 -`);
    }
    const events = await read({ from }, (all) => all.length === 21);
    await grid.close();
    grid = await open();
    for (const [index, { position }] of events.entries()) expect(await since(position)).toEqual(expected.slice(index));
  });

  test('delivers what is committed while it runs, to all consumers alike', async () => {
    const from = now();
    const expected = Array.from({ length: 100 }, (_, key) => `k${key}`);
    const readers = [1, 2, 3].map(() => read({ from, sharing: 'same' }, (all) => all.length > expected.length));
    for (const key of expected) await entries().put(CACHE, text(key), ONE);
    for (const events of await Promise.all(readers)) expect(events.slice(1).map(({ key }) => key)).toEqual(expected);
  });

  describe('whose first page another consumer read before the last commit', () => {
    const sharing = 'the same';
    const clock = new ManualClock();
    let from = '';
    let other: AsyncIterator<string>;
    beforeAll(async () => {
      await grid.close();
      grid = await open(clock);
    });
    afterAll(async () => {
      await grid.close();
      grid = await open();
    });
    beforeEach(async () => {
      await entries().clear(CACHE);
      from = now();
      other = (await feed().watch(request({ from, sharing })))[Symbol.asyncIterator]();
      await other.next();
      await entries().put(CACHE, A, ONE);
      await other.next();
      await entries().put(CACHE, B, TWO);
    });
    afterEach(() => other.return?.());

    test('ends after the last change', async () => {
      expect(await since(from, { sharing })).toEqual(['created a 1 -', 'created b 2 -']);
    });

    test('delivers the last change without another commit', async () => {
      const stream = (await feed().watch(request({ from, sharing })))[Symbol.asyncIterator]();
      await stream.next();
      expect(JSON.parse((await stream.next()).value ?? '')).toMatchObject({ event: 'change', key: 'a' });
      const last = stream.next();
      // Time for a page, but neither for a heartbeat nor for a check of rights: a stream also reads again then.
      for (let ms = 0; ms < 100; ms += 10) clock.advance(10);
      expect(JSON.parse((await last).value ?? '')).toMatchObject({ event: 'change', key: 'b' });
      await stream.return?.();
    });
  });

  test('sends heartbeats with its position', async () => {
    const events = await read({ heartbeatMs: 100 }, (all) => all.length === 3);
    expect(events.map(({ event }) => event)).toEqual(['open', 'heartbeat', 'heartbeat']);
    expect(events.at(-1)?.position).toBe(now());
  });

  test('ends when the consumer may not read any more', async () => {
    const authorize = () => {
      throw new GridError('PERMISSION_DENIED', 'no');
    };
    const events = await read({ authorize }, (all) => all.at(-1)?.event === 'end');
    expect(events.at(-1)).toMatchObject({ event: 'end', reason: 'denied', error: 'no' });
  });

  test('ends when the service stops', async () => {
    const stopping = new AbortController();
    const running = read({ stopping: stopping.signal }, () => false);
    await sleep(systemClock, 30);
    stopping.abort();
    expect((await running).at(-1)).toMatchObject({ event: 'end', reason: 'stopping' });
  });

  test('ends with the client, and its place is free again', async () => {
    const abort = new AbortController();
    const running = read({ signal: abort.signal }, () => false);
    await sleep(systemClock, 30);
    expect(feed().statistics().consumers).toBe(1);
    expect(feed().consumers()).toMatchObject([{ owner: 'ann', caches: CACHE, behind: 0 }]);
    abort.abort();
    await running;
    expect(feed().statistics().consumers).toBe(0);
  });
});

/** Returns the code of an error. */
async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    return error instanceof GridError ? error.code : String(error);
  }
  return 'none';
}

describe('a position', () => {
  test.each([
    ['CHANGE_FEED_OFF', { caches: [OTHER] }],
    ['CACHE_NOT_FOUND', { caches: ['absent'] }],
    ['CHANGE_POSITION_INVALID', { from: 'yesterday' }],
    ['CHANGE_POSITION_INVALID', { from: '0123456789ab.1,0123456789ab.2' }],
    ['CHANGE_POSITION_GONE', { from: '0123456789ab.1' }],
  ])('is rejected with %s', async (code, changes) => {
    expect(await codeOf(() => feed().watch(request(changes)))).toBe(code);
  });

  test('after the last change is unknown', async () => {
    const [file, number] = now().split('.');
    expect(await codeOf(() => feed().watch(request({ from: `${file}.${Number(number) + 1}` })))).toBe(
      'CHANGE_POSITION_GONE',
    );
  });

  test('that is not kept any more is gone, also for a stream that stands still', async () => {
    await entries().clear(CACHE);
    const first = now();
    const slow = (await feed().watch(request({ from: first })))[Symbol.asyncIterator]();
    await slow.next();
    const value: Value = text('x'.repeat(1_000));
    for (let batch = 0; batch < 3; batch++) {
      await entries().putAll(
        CACHE,
        Array.from({ length: 50 }, (_, key) => ({ key: long(BigInt(batch * 50 + key)), value })),
      );
    }
    await grid.trimChangeFeed();
    expect(await codeOf(() => feed().watch(request({ from: first })))).toBe('CHANGE_POSITION_GONE');
    const { value: last = '' } = await slow.next();
    expect(JSON.parse(last)).toMatchObject({ event: 'end', reason: 'lost', position: first });
    expect(await slow.next()).toMatchObject({ done: true });
    expect(feed().statistics().lost).toBe(1);
    expect(feed().statistics().keptBytes).toBeLessThan(80 * 1024);
    const kept = await since(FROM_START);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.at(-1)).toStartWith('created 149 ');
  });

  test('can be waited for', async () => {
    const before = now();
    await feed().waitFor(before, 0, new AbortController().signal);
    const [file, number] = before.split('.');
    const next = `${file}.${Number(number) + 1}`;
    const { signal } = new AbortController();
    expect(await codeOf(() => feed().waitFor(next, 20, signal))).toBe('CHANGE_POSITION_TIMEOUT');
    const waiting = feed().waitFor(next, 10_000, signal);
    await entries().put(CACHE, A, ONE);
    await waiting;
    expect(now()).toBe(next);
    expect(await codeOf(() => feed().waitFor('0123456789ab.1', 20, signal))).toBe('CHANGE_POSITION_GONE');
  });
});

test('recording begins and ends with the cache in use', async () => {
  const from = now();
  await entries().put(OTHER, A, ONE);
  await feed().setRecorded(OTHER, true);
  await entries().put(OTHER, A, TWO);
  await feed().setRecorded(OTHER, false);
  await entries().put(OTHER, A, ONE);
  expect(await since(from, { caches: [OTHER] })).toEqual(['feedStarted - - -', 'updated a 2 1', 'feedEnded - - -']);
  expect(feed().position([OTHER])).toBeUndefined();
});

test('caches that are created and destroyed are recorded', async () => {
  const from = now();
  await grid.caches.getOrCreate('brief', { changeFeed: true });
  await entries().put('brief', A, ONE);
  await grid.caches.destroy('brief');
  await grid.caches.getOrCreate('brief', { changeFeed: true });
  expect(await since(from, { caches: ['brief'] })).toEqual([
    'cacheCreated - - -',
    'created a 1 -',
    'cacheDestroyed - - -',
    'cacheCreated - - -',
  ]);
});
