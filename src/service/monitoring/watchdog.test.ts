import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { createLog } from './log.ts';
import { WATCHDOG_POLL_MS, Watchdog } from './watchdog.ts';
import { WatchedThreads } from './watched-threads.ts';

const COMMANDS = ['get', 'put'];
const STOP_MS = 4_500;

/** Starts a watchdog over two threads that tick until they are added to `blocked`. */
function watch(options: { readonly seesSignals?: boolean } = {}) {
  const clock = new ManualClock();
  const threads = new WatchedThreads(2);
  const lines: Array<Record<string, unknown>> = [];
  const killed: string[] = [];
  const blocked = new Set<number>();
  const watchdog = new Watchdog({
    clock,
    log: createLog({ append: (line) => lines.push(JSON.parse(line)) }, 'info', clock),
    threads,
    commands: COMMANDS,
    seesSignals: true,
    stopMs: STOP_MS,
    kill: (reason) => killed.push(reason),
    ...options,
  });
  clock.every(WATCHDOG_POLL_MS, () => {
    for (const thread of [0, 1]) if (!blocked.has(thread)) threads.beat(thread);
    watchdog.poll();
  });
  const logged = () => lines.map(({ time: _time, level: _level, ...fields }) => fields);
  return { clock, threads, blocked, logged, killed };
}

describe('a blocked thread', () => {
  test('is logged once with its command and the time, and counted', () => {
    const { clock, threads, blocked, logged, killed } = watch();
    threads.commandOf(1)[0] = 2;
    clock.advance(500);
    blocked.add(1);
    clock.advance(3_000);
    expect(logged()).toEqual([]);
    expect(threads.statistics()).toMatchObject({ count: 1, totalMs: 3_000, longestMs: 3_000 });
    blocked.delete(1);
    clock.advance(1_000);
    expect(logged()).toEqual([
      { message: 'A thread was blocked', thread: 'http 1', command: 'put', durationMs: 3_100 },
    ]);
    expect(threads.statistics()).toMatchObject({ count: 1, totalMs: 3_100, longestMs: 3_100 });
    expect(killed).toEqual([]);
  });

  test('is logged with its last command if it runs none', () => {
    const { clock, threads, blocked, logged } = watch();
    threads.commandOf(0)[0] = -1;
    clock.advance(100);
    blocked.add(0);
    clock.advance(1_500);
    blocked.delete(0);
    clock.advance(500);
    expect(logged()).toMatchObject([{ thread: 'main', lastCommand: 'get' }]);
  });

  test('is logged while it is still blocked if that takes long', () => {
    const { clock, blocked, logged } = watch();
    clock.advance(100);
    blocked.add(0);
    clock.advance(30_000);
    expect(logged()).toEqual([{ message: 'A thread is still blocked', thread: 'main', durationMs: 10_100 }]);
  });

  test('is not logged if it was blocked for less than a second, has ended, or the process was suspended', () => {
    const { clock, threads, blocked, logged } = watch();
    clock.advance(100);
    blocked.add(1);
    clock.advance(900);
    blocked.delete(1);
    clock.advance(100);
    threads.ended(1);
    blocked.add(1);
    clock.advance(5_000);
    expect(logged()).toEqual([]);
    expect(threads.statistics().count).toBe(0);
  });
});

describe('a signal to stop', () => {
  test('kills the process if it is still running at the time limit', () => {
    const { clock, threads, blocked, logged, killed } = watch();
    clock.advance(200);
    threads.commandOf(0)[0] = 2;
    blocked.add(0);
    clock.advance(2_000);
    threads.signals[0] = 1;
    clock.advance(STOP_MS);
    expect(killed).toEqual([]);
    clock.advance(100);
    expect(killed).toEqual(['The process did not stop after a signal']);
    expect(logged()).toMatchObject([
      { message: 'A thread was blocked when the process was killed', thread: 'main', command: 'put' },
      { message: 'The watchdog kills the process' },
    ]);
  });

  test('kills the process early if repeated, but not if npm forwards it', () => {
    const { clock, threads, killed } = watch();
    threads.signals[0] = 1;
    clock.advance(300);
    threads.signals[0] = 2;
    clock.advance(1_200);
    expect(killed).toEqual([]);
    threads.signals[0] = 3;
    clock.advance(400);
    expect(killed).toEqual([]);
    clock.advance(300);
    expect(killed).not.toEqual([]);
  });

  test('is not seen without the native handler; only a long hang kills the process', () => {
    const { clock, threads, blocked, killed } = watch({ seesSignals: false });
    threads.signals[0] = 0;
    clock.advance(100);
    blocked.add(1);
    clock.advance(120_000);
    expect(killed).toEqual([]);
    blocked.add(0);
    clock.advance(59_000);
    expect(killed).toEqual([]);
    clock.advance(1_500);
    expect(killed[0]).toBe('The main thread hangs');
  });
});
