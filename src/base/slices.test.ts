import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { systemClock } from './clock.ts';
import { completeAtOnce, GeneratorWork, runAtOnce, SLICE_MS, type SlicedWork, SliceQueue } from './slices.ts';

const NEVER_ABORTS = new AbortController().signal;

/** Returns work of `steps` steps, each of which blocks the thread for `stepMs`. */
function work(steps: number, stepMs: number): SlicedWork & { done: number } {
  return {
    done: 0,
    step() {
      const endMs = performance.now() + stepMs;
      while (performance.now() < endMs);
      return ++this.done < steps;
    },
  };
}

test('tasks run one after another, in the order of their arrival', async () => {
  const queue = new SliceQueue(systemClock);
  const seen: string[] = [];
  const task = (name: string) =>
    queue.enqueue(NEVER_ABORTS, async (run) => {
      seen.push(`${name} begins`);
      await run(work(20, 0.2));
      seen.push(`${name} ends`);
      return name;
    });
  expect(await Promise.all([task('a'), task('b')])).toEqual(['a', 'b']);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('timers run between the slices of long work', async () => {
  const queue = new SliceQueue(systemClock);
  let timers = 0;
  const timer = setInterval(() => timers++, 1);
  await queue.enqueue(NEVER_ABORTS, (run) => run(work(40, SLICE_MS)));
  clearInterval(timer);
  expect(timers).toBeGreaterThan(10);
});

test('the queues of a thread share the time of a slice', async () => {
  const clock = new ManualClock();
  const stepMs = SLICE_MS / 4;
  const events: string[] = [];
  const queues = ['a', 'b', 'c'].map((name) => {
    let left = 8;
    return new SliceQueue(clock).enqueue(NEVER_ABORTS, (run) =>
      run({
        step() {
          events.push(name);
          clock.advance(stepMs);
          return --left > 0;
        },
      }),
    );
  });
  for (let tick = 0; tick < 10; tick++) {
    await Bun.sleep(0);
    events.push('|');
    clock.advance(0);
  }
  await Promise.all(queues);
  expect(events.join('').replace(/\|+$/, '')).toBe('aaaa|bbbb|cccc|aaaa|bbbb|cccc');
});

test('a task that fails rejects only its own promise', async () => {
  const queue = new SliceQueue(systemClock);
  const failing = queue.enqueue(NEVER_ABORTS, () => Promise.reject(new Error('broken')));
  const following = queue.enqueue(NEVER_ABORTS, async () => 'done');
  expect(failing).rejects.toThrow('broken');
  expect(await following).toBe('done');
});

test('an aborted signal stops running work and keeps a waiting task from starting', async () => {
  const queue = new SliceQueue(systemClock);
  const controller = new AbortController();
  const long = work(1_000, SLICE_MS);
  let started = false;
  const running = queue.enqueue(controller.signal, (run) => run(long));
  const waiting = queue.enqueue(controller.signal, async () => {
    started = true;
  });
  running.catch(() => {});
  waiting.catch(() => {});
  await Bun.sleep(10);
  controller.abort();
  expect(running).rejects.toThrow();
  await Promise.allSettled([running, waiting]);
  expect([long.done > 0 && long.done < 900, started]).toEqual([true, false]);
});

test('the return value of a generator is the result of the work', () => {
  const generator = new GeneratorWork(
    (function* () {
      yield undefined;
      return 7;
    })(),
  );
  expect(generator.result).toBeUndefined();
  runAtOnce(generator);
  expect(generator.result).toBe(7);
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
  expect(() => new GeneratorWork(sum()).end()).toThrow('not done');
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
