import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { systemClock } from './clock.ts';
import { completeAtOnce, SLICE_MS, SliceQueue } from './slices.ts';

const NEVER_ABORTS = new AbortController().signal;

/** Yields after each of `count` steps, which block the thread for `stepMs`; `onStep` is called before each. */
function* work(count: number, stepMs: number, onStep: (step: number) => void = () => {}): Generator<undefined, void> {
  for (let step = 0; step < count; step++) {
    onStep(step);
    const endMs = performance.now() + stepMs;
    while (performance.now() < endMs);
    yield;
  }
}

test('generators run one after another, in the order of their arrival', async () => {
  const queue = new SliceQueue(systemClock);
  const seen: string[] = [];
  function* task(name: string): Generator<undefined, string> {
    seen.push(`${name} begins`);
    yield* work(20, 0.2);
    seen.push(`${name} ends`);
    return name;
  }
  const results = ['a', 'b'].map((name) => queue.complete(NEVER_ABORTS, task(name)));
  expect(await Promise.all(results)).toEqual(['a', 'b']);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('timers run between the slices of long work', async () => {
  const queue = new SliceQueue(systemClock);
  let timers = 0;
  const timer = setInterval(() => timers++, 1);
  await queue.complete(NEVER_ABORTS, work(40, SLICE_MS));
  clearInterval(timer);
  expect(timers).toBeGreaterThan(10);
});

test('the queues of a thread share the time of a slice', async () => {
  const clock = new ManualClock();
  const stepMs = SLICE_MS / 4;
  const events: string[] = [];
  const queues = ['a', 'b', 'c'].map((name) => {
    const steps = work(8, 0, () => {
      events.push(name);
      clock.advance(stepMs);
    });
    return new SliceQueue(clock).complete(NEVER_ABORTS, steps);
  });
  for (let tick = 0; tick < 10; tick++) {
    await Bun.sleep(0);
    events.push('|');
    clock.advance(0);
  }
  await Promise.all(queues);
  expect(events.join('').replace(/\|+$/, '')).toBe('aaaa|bbbb|cccc|aaaa|bbbb|cccc');
});

test('a generator that fails rejects only its own promise', async () => {
  const queue = new SliceQueue(systemClock);
  const fails = (): void => {
    throw new Error('broken');
  };
  const failing = queue.complete(NEVER_ABORTS, work(1, 0, fails));
  const following = queue.complete(NEVER_ABORTS, work(1, 0));
  expect(failing).rejects.toThrow('broken');
  expect(await following).toBeUndefined();
});

test('an aborted signal stops a running generator and keeps a waiting one from starting', async () => {
  const queue = new SliceQueue(systemClock);
  const controller = new AbortController();
  let [done, started] = [0, false];
  const long = work(1_000, SLICE_MS, (step) => {
    done = step;
  });
  const other = work(1, 0, () => {
    started = true;
  });
  const running = queue.complete(controller.signal, long);
  const waiting = queue.complete(controller.signal, other);
  running.catch(() => {});
  waiting.catch(() => {});
  while (done === 0) await Bun.sleep(1);
  controller.abort();
  expect(running).rejects.toThrow();
  await Promise.allSettled([running, waiting]);
  expect([done > 0 && done < 900, started]).toEqual([true, false]);
});

test('the steps of a generator run at once or in slices, with the same result', async () => {
  function* sum(): Generator<undefined, number> {
    let total = 0;
    for (let at = 1; at <= 4; at++) {
      total += at;
      yield;
    }
    return total;
  }
  expect(completeAtOnce(sum())).toBe(10);
  expect(await new SliceQueue(systemClock).complete(NEVER_ABORTS, sum())).toBe(10);
  await expect(new SliceQueue(systemClock).complete(AbortSignal.abort(), sum())).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
  });
});

test('a generator ends at once within its time, and goes on in slices after that', async () => {
  const clock = new ManualClock();
  function* count(steps: number): Generator<undefined, number> {
    for (let step = 0; step < steps; step++) {
      clock.advance(1);
      yield;
    }
    return steps;
  }
  const queue = new SliceQueue(clock);
  expect(queue.begin(10, count(5))).toBe(5);
  const beginMs = clock.monotonicMs();
  const pending = queue.begin(3, count(5));
  expect(clock.monotonicMs() - beginMs).toBe(3);
  for (let tick = 0; tick < 5; tick++) {
    await Bun.sleep(0);
    clock.advance(0);
  }
  expect(await pending).toBe(5);
});
