import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { COMMANDS } from '../../commands/registry.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { LATENCY_BOUNDS_MS, Metrics } from './metrics.ts';

const NAMES = COMMANDS.map((each) => each.name);

describe('Metrics', () => {
  /** Durations in ms and their buckets. */
  const durations: ReadonlyArray<readonly [number, number]> = [
    [0, 0],
    [0.1, 0],
    [0.11, 1],
    [1, 3],
    [10_000, 14],
    [10_001, 15],
    [1e9, 15],
  ];
  for (const [durationMs, bucket] of durations) {
    test(`${durationMs} ms counts in the bucket up to ${LATENCY_BOUNDS_MS[bucket] ?? 'infinity'}`, () => {
      const metrics = new Metrics(NAMES, 1);
      metrics.begin();
      metrics.end('get', 0, durationMs);
      const [get] = metrics.commands();
      expect(get?.buckets.indexOf(1)).toBe(bucket);
      expect(get?.totalMs).toBe(durationMs);
    });
  }

  test('counts requests by command and outcome', () => {
    const metrics = new Metrics(NAMES, 1);
    for (const status of [0, 0, 1, 2, 3, 4] as const) metrics.end('put', status, 1);
    metrics.end('get', 0, 1);
    expect(metrics.commands().map(({ command, outcomes }) => [command, outcomes])).toEqual([
      ['get', [1, 0, 0, 0, 0]],
      ['put', [2, 1, 1, 1, 1]],
    ]);
  });

  test('sums over all threads, and counts requests in flight', () => {
    const first = new Metrics(NAMES, 3);
    const others = [1, 2].map((thread) => new Metrics(NAMES, 3, thread, first.memory));
    for (const metrics of [first, ...others]) {
      metrics.begin();
      metrics.begin();
      metrics.end('get', 0, 1);
    }
    expect(first.inFlight()).toBe(3);
    expect(first.ended()).toBe(3);
    expect(others[1]?.commands()[0]?.outcomes).toEqual([3, 0, 0, 0, 0]);
  });

  test('counts an unknown command only as ended', () => {
    const metrics = new Metrics(NAMES, 1);
    metrics.begin();
    metrics.end('nosuch', 1, 1);
    expect([metrics.inFlight(), metrics.commands()]).toEqual([0, []]);
  });
});

test('metric sums the values of threads and returns the maximum of delays', () => {
  const first = new Metrics(NAMES, 2);
  const second = new Metrics(NAMES, 2, 1, first.memory);
  first.publish({ sentBytes: 10, maximumLoopDelayMs: 3 });
  second.publish({ sentBytes: 5, maximumLoopDelayMs: 7 });
  second.publish({ sentBytes: 6 });
  expect([first.metric('sentBytes'), first.metric('maximumLoopDelayMs'), first.metric('httpWaiting')]).toEqual([
    16, 7, 0,
  ]);
});

test('EventLoopDelay measures how late timers fire', () => {
  const clock = new ManualClock();
  let deferred = 0;
  const delayedClock = { ...clock, nowMs: () => 0, monotonicMs: () => clock.monotonicMs() + deferred };
  let ticks = 0;
  const timers = {
    threadCpuMs: () => 0,
    after: clock.after.bind(clock),
    every: clock.every.bind(clock),
    endOfTick: clock.endOfTick.bind(clock),
    nextTick: clock.nextTick.bind(clock),
    pollDelay: clock.pollDelay.bind(clock),
  };
  const delay = new EventLoopDelay({ ...delayedClock, ...timers }, () => ticks++);
  clock.advance(100);
  deferred = 40;
  clock.advance(100);
  clock.advance(100);
  expect(delay.sample()).toEqual({ currentMs: 0, maximumMs: 40 });
  expect(delay.sample()).toEqual({ currentMs: 0, maximumMs: 0 });
  expect(ticks).toBe(3);
});
