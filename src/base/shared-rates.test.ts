import { describe, expect, spyOn, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import type { RateWork } from '../../test/fixtures/base/shared-rates-thread.ts';
import { parseRate } from './rates.ts';
import { rateMemory, SharedRates } from './shared-rates.ts';

describe('the text of a rate', () => {
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ['100/s', { requests: 100, windowMs: 1_000 }],
    ['1/m', { requests: 1, windowMs: 60_000 }],
    ['9999999/h', { requests: 9_999_999, windowMs: 3_600_000 }],
    ['20/10s', { requests: 20, windowMs: 10_000 }],
    ['5/24h', { requests: 5, windowMs: 86_400_000 }],
    ['5/25h', undefined],
    ['0/s', undefined],
    ['5/0s', undefined],
    ['10000000/s', undefined],
    ['5', undefined],
    ['5/d', undefined],
    ['5 /s', undefined],
    ['-5/s', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases)
    test(JSON.stringify(text), () => expect(parseRate(text)).toEqual(expected as never));
});

const start = () => {
  const clock = new ManualClock();
  const memory = rateMemory();
  return { clock, memory, rates: new SharedRates(clock, memory) };
};

describe('a rate', () => {
  for (const requests of [1, 2, 3, 7, 100, 999, 12_345]) {
    test(`of ${requests} per second admits as many at once, and then refills evenly`, () => {
      const { clock, rates } = start();
      const rate = { requests, windowMs: 1_000 };
      for (let left = requests - 1; left >= 0; left--) {
        expect(rates.take('a', rate)).toMatchObject({ admitted: true, remaining: left, retryMs: 0 });
      }
      const { admitted, remaining, retryMs } = rates.take('a', rate);
      expect([admitted, remaining]).toEqual([false, 0]);
      expect(retryMs).toBeCloseTo(1_000 / requests, 1);
      clock.advance(Math.ceil(1_000 / requests));
      expect(rates.take('a', rate).admitted).toBe(true);
      clock.advance(2_000);
      expect(rates.take('a', rate)).toMatchObject({ admitted: true, remaining: requests - 1 });
    });
  }

  test('admits its requests over a long time, however they arrive', () => {
    const { clock, rates } = start();
    const rate = { requests: 50, windowMs: 1_000 };
    let admitted = 0;
    for (let ms = 0; ms < 60_000; ms += 3) {
      clock.advance(3);
      for (let each = 0; each < 1 + (ms % 4); each++) if (rates.take('a', rate).admitted) admitted++;
    }
    // One window at once, then 50 in each of the 60 seconds.
    expect(Math.abs(admitted - 3_050)).toBeLessThanOrEqual(3);
  });

  test('is counted by name', () => {
    const { rates } = start();
    const rate = { requests: 1, windowMs: 1_000 };
    for (const name of ['a', 'b', 'c']) expect(rates.take(name, rate).admitted).toBe(true);
    for (const name of ['a', 'b', 'c']) expect(rates.take(name, rate).admitted).toBe(false);
  });

  test('is counted over all threads', () => {
    const { clock, memory, rates } = start();
    const other = new SharedRates(clock, memory);
    const rate = { requests: 3, windowMs: 1_000 };
    expect([rates, other, rates, other, rates].map((each) => each.take('a', rate).admitted)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('survives a change of the time of day', () => {
    const { clock, memory } = start();
    const rate = { requests: 1, windowMs: 1_000 };
    let offsetMs = 0;
    const rates = new SharedRates(
      { ...clock, nowMs: () => clock.nowMs() + offsetMs, monotonicMs: () => 0 } as unknown as ManualClock,
      memory,
    );
    expect(rates.take('a', rate).admitted).toBe(true);
    expect(rates.take('a', rate).admitted).toBe(false);
    offsetMs = -86_400_000;
    expect(rates.take('a', rate).admitted).toBe(true);
  });

  test('is counted on after a thread ended while it added a bucket', () => {
    const { memory, rates } = start();
    const words = new BigInt64Array(memory);
    expect(rates.take('a', { requests: 1, windowMs: 1_000 }).admitted).toBe(true);
    // The lock, which its holder did not release.
    words[1] = -1n;
    expect(rates.take('b', { requests: 1, windowMs: 1_000 }).admitted).toBe(true);
    expect(rates.take('b', { requests: 1, windowMs: 1_000 }).admitted).toBe(false);
  });

  test('waits anew for each holder of the lock', () => {
    const { memory, rates } = start();
    const words = new BigInt64Array(memory);
    words[1] = -1n;
    const holders: bigint[] = [];
    const wait = spyOn(Atomics, 'wait').mockImplementation((_words: unknown, _word: unknown, holder: unknown) => {
      holders.push(holder as bigint);
      // When the wait times out, another thread holds the lock, which it releases afterwards.
      words[1] = holders.length === 1 ? -2n : 0n;
      return holders.length === 1 ? 'timed-out' : 'ok';
    });
    expect(rates.take('a', { requests: 1, windowMs: 1_000 }).admitted).toBe(true);
    wait.mockRestore();
    expect([holders, words[1]]).toEqual([[-1n, -2n], 0n]);
  });

  test('does not release the lock of the thread that has taken it over', () => {
    const { memory, rates } = start();
    const words = new BigInt64Array(memory);
    const { store } = Atomics;
    const taken = spyOn(Atomics, 'store').mockImplementation(((array: BigInt64Array, word: number, value: bigint) => {
      words[1] = -1n;
      return store(array, word, value);
    }) as typeof Atomics.store);
    expect(rates.take('a', { requests: 1, windowMs: 1_000 }).admitted).toBe(true);
    taken.mockRestore();
    expect(words[1]).toBe(-1n);
  });

  test('of one name is kept beside a flood of others, within the same memory', () => {
    const { memory, rates } = start();
    const heavy = { requests: 10, windowMs: 60_000 };
    for (let each = 0; each < 10; each++) rates.take('heavy', heavy);
    const bytes = memory.byteLength;
    for (let each = 0; each < 200_000; each++) rates.take(`one ${each}`, heavy);
    expect(rates.take('heavy', heavy).admitted).toBe(false);
    expect(memory.byteLength).toBe(bytes);
    expect(bytes).toBeLessThan(1_000_000);
  });
});

/** Makes threads take requests from buckets, and returns how many each bucket admitted. */
async function admittedTogether(buckets: number, work: Pick<RateWork, 'threads' | 'requests' | 'attempts'>) {
  const [memory, arrived] = [rateMemory(), new Int32Array(new SharedArrayBuffer(4 * buckets))];
  const workers = Array.from(
    { length: work.threads },
    () => new Worker(new URL('../../test/fixtures/base/shared-rates-thread.ts', import.meta.url)),
  );
  const counts = await Promise.all(
    workers.map((worker) => {
      const { promise, resolve } = Promise.withResolvers<readonly number[]>();
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage({ ...work, memory, arrived } satisfies RateWork);
      return promise;
    }),
  );
  for (const worker of workers) worker.terminate();
  return Array.from(arrived, (_, bucket) => counts.reduce((sum, count) => sum + (count[bucket] ?? 0), 0));
}

describe('threads admit no more requests than the rate, together:', () => {
  test('of one bucket', async () => {
    expect(await admittedTogether(1, { threads: 3, requests: 10_000, attempts: 20_000 })).toEqual([10_000]);
  }, 20_000);

  test('of buckets that are new to all of them', async () => {
    const admitted = await admittedTogether(200, { threads: 2, requests: 10, attempts: 15 });
    expect(admitted.filter((count) => count !== 10)).toEqual([]);
  }, 20_000);

  for (const time of [1, 2]) {
    test(`also if one of them stands still after it has read the time, at time ${time}`, () => {
      const { clock, memory, rates: other } = start();
      const rate = { requests: 10, windowMs: 1_000 };
      const admitted: boolean[] = [];
      let times = 0;
      const nowMs = () => {
        const read = clock.nowMs();
        if (++times === time) {
          clock.advance(1);
          for (let each = 0; each < 10; each++) admitted.push(other.take('a', rate).admitted);
        }
        return read;
      };
      const rates = new SharedRates({ ...clock, nowMs } as unknown as ManualClock, memory);
      for (let each = 0; each < 10; each++) admitted.push(rates.take('a', rate).admitted);
      expect(admitted.filter((each) => each)).toHaveLength(10);
    });
  }
});
