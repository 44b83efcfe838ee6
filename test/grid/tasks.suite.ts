import { describe, expect, test } from 'bun:test';
import { randomUuid, sleep, systemClock } from '../../src/base/clock.ts';
import type { Tenant } from '../../src/base/shares.ts';
import { formatText } from '../../src/values/json.ts';
import type { Value } from '../../src/values/value.ts';
import { errorOf } from './suite-context.ts';

/** The outcome of a task. */
interface Outcome {
  readonly id: string;
  readonly finished: boolean;
  readonly result: Value;
}

/** The owner of a task. */
interface Owner {
  readonly user: string;
  readonly tenant: Tenant;
}

/** Runs tasks on an engine; every subject has the two named tasks. */
export interface TasksSubject {
  /** Sums the lengths of the words of its only argument; fails with several arguments. */
  readonly lengths: string;
  /** Waits for the number of milliseconds in its argument. */
  readonly waits: string;
  run(name: string, args: readonly string[], timeoutMs: number, signal: AbortSignal, owner: Owner): Promise<Outcome>;
  start(name: string, args: readonly string[], timeoutMs: number, owner: Owner): Outcome | Promise<Outcome>;
  result(id: string, user: string): Outcome | Promise<Outcome>;
}

const ann: Owner = { user: 'ann', tenant: { key: 'user ann', isAdministrator: false } };
const LONG_MS = '60000';
/** Time within which a cancelled task must end. */
const CANCEL_LIMIT_MS = 15_000;
const STEP_MS = 20;
const OTHER_NODE = '00000000-0000-4000-8000-00000000000f';

/** Tests results, failures, time limits, cancellation and owners of tasks. */
export function runTasksSuite(name: string, subject: () => TasksSubject): void {
  const never = new AbortController().signal;
  const run = async (task: string, args: readonly string[], timeoutMs = 0, signal = never): Promise<string> => {
    const { finished, result } = await subject().run(task, args, timeoutMs, signal, ann);
    expect(finished).toBe(true);
    return formatText(result);
  };

  async function resultOf(id: string, user: string): Promise<Outcome> {
    for (let leftMs = CANCEL_LIMIT_MS; leftMs > 0; leftMs -= STEP_MS) {
      const outcome = await subject().result(id, user);
      if (outcome.finished) return outcome;
      await sleep(systemClock, STEP_MS);
    }
    throw new Error('the task did not end');
  }

  describe(`tasks of ${name}`, () => {
    const sums: ReadonlyArray<readonly [args: readonly string[], sum: string]> = [
      [['word'], '4'],
      [['a bc def'], '6'],
      [['äöü'], '3'],
    ];
    test.each(sums)('the result for %j is %s', async (args, sum) =>
      expect(await run(subject().lengths, args)).toBe(sum),
    );

    test('concurrent tasks have separate results', async () => {
      const words = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index + 1));
      const results = await Promise.all(words.map((word) => run(subject().lengths, [word])));
      expect(results).toEqual(words.map((word) => String(word.length)));
    });

    test('an unknown task and a failing task are rejected', async () => {
      expect(await errorOf(() => run('no.such.Task', []))).toBe('TASK_NOT_FOUND');
      // A task without jobs fails on both engines: there is nothing to reduce.
      expect(await errorOf(() => run(subject().lengths, []))).toBe('TASK_FAILED');
      expect(await errorOf(() => run(subject().lengths, ['two', 'arguments']))).toBe('TASK_FAILED');
      expect(await run(subject().lengths, ['fine'])).toBe('4');
    });

    test('a task is cancelled at its time limit', async () => {
      const startedMs = systemClock.monotonicMs();
      expect(await errorOf(() => run(subject().waits, [LONG_MS], 500))).toBe('TASK_TIMEOUT');
      expect(await errorOf(() => run(subject().waits, [LONG_MS], -1))).toBe('TASK_TIMEOUT');
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(CANCEL_LIMIT_MS);
    });

    test('a task is cancelled when its client disconnects', async () => {
      const gone = new AbortController();
      const startedMs = systemClock.monotonicMs();
      const outcome = errorOf(() => run(subject().waits, [LONG_MS], 0, gone.signal));
      await sleep(systemClock, 500);
      gone.abort();
      expect(await outcome).toBe('TASK_FAILED');
      expect(await errorOf(() => run(subject().waits, [LONG_MS], 0, AbortSignal.abort()))).toBe('TASK_FAILED');
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(CANCEL_LIMIT_MS);
      expect(await run(subject().lengths, ['next'])).toBe('4');
    });

    test('the result of an asynchronous task can be read repeatedly', async () => {
      const started = await subject().start(subject().waits, ['300'], 0, ann);
      expect([started.finished, started.result]).toEqual([false, { type: 'null' }]);
      expect((await subject().result(started.id, 'ann')).finished).toBe(false);
      const ended = await resultOf(started.id, 'ann');
      expect(await subject().result(started.id, 'ann')).toEqual(ended);
    });

    test('an asynchronous task that fails returns its error', async () => {
      const failed = await subject().start(subject().lengths, ['two', 'arguments'], 0, ann);
      const deferred = await subject().start(subject().waits, [LONG_MS], 300, ann);
      expect(await errorOf(() => resultOf(failed.id, 'ann'))).toBe('TASK_FAILED');
      expect(await errorOf(() => resultOf(deferred.id, 'ann'))).toBe('TASK_TIMEOUT');
    });

    test('a task of another user is unknown', async () => {
      const { id } = await subject().start(subject().lengths, ['mine'], 0, ann);
      for (const other of ['bob', '', 'Ann']) {
        expect(await errorOf(() => subject().result(id, other))).toBe('TASK_NOT_STARTED');
      }
      expect(formatText((await resultOf(id, 'ann')).result)).toBe('4');
    });

    test('unknown ids are rejected', async () => {
      const { id } = await subject().start(subject().lengths, ['word'], 0, ann);
      const node = id.split('~')[1] ?? '';
      const unknown = `1-${randomUuid()}`;
      const rejected: ReadonlyArray<readonly [id: string, code: string]> = [
        ['nonsense', 'TASK_ID_INVALID'],
        ['nonsense~nonsense', 'UUID_INVALID'],
        [`${unknown}~${node}`, 'TASK_NOT_STARTED'],
        [`${unknown}~${OTHER_NODE}`, 'TASK_HOLDER_LEFT'],
      ];
      for (const [wrong, code] of rejected) {
        expect({ wrong, code: await errorOf(() => subject().result(wrong, 'ann')) }).toEqual({ wrong, code });
      }
    });
  });
}
