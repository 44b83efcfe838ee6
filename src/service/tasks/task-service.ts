/** Runs tasks and stores the results of asynchronous ones (docs/spec/ignite-cluster.md 8). */
import type { Clock } from '../../base/clock.ts';
import { randomUuid } from '../../base/clock.ts';
import { fail, GridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import type { TaskOutcome, TaskService } from '../../commands/context.ts';
import type { Grid } from '../../grid/grid.ts';
import { NULL, type Value } from '../../values/value.ts';
import { type ProcessPool, StepFailure } from './process-pool.ts';
import type { TaskArgument } from './task-declaration.ts';
import type { StepResult } from './task-messages.ts';

export interface TaskServiceOptions {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly pool: ProcessPool;
  /** Names of the tasks that the service's own processes run: declared and built-in ones. */
  readonly names: ReadonlySet<string>;
  /** Results kept: of so many tasks the newest. */
  readonly maxResults: number;
  /** A task that takes longer is ended, whatever its own time limit. */
  readonly longestMs: number;
}

/** The desk, and the figures that only it knows. */
export interface LocalTaskService extends TaskService {
  executedTasks(): number;
  /** Those that run now, the oldest first. */
  running(): readonly RunningTask[];
  close(): Promise<void>;
}

/** A task that runs. */
export interface RunningTask {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
}

interface Started {
  readonly user: string;
  state:
    | { readonly is: 'running' }
    | { readonly is: 'done'; readonly value: Value }
    | { readonly is: 'failed'; readonly error: unknown };
}

const MOST_TIMER_MS = 2_147_483_647;
const UUID = /^[0-9a-f]+(-[0-9a-f]+){4}$/i;
const GRID_UUID = /^[0-9a-f]+(-[0-9a-f]+){5}$/i;

/** One in the process: results are found where they were started. */
export function createTaskService(options: TaskServiceOptions): LocalTaskService {
  const { grid, pool } = options;
  const nodeId = grid.cluster.localNodeId;
  const results = new StartedTasks(options.maxResults, nodeId);
  const running = new Set<RunningTask>();
  let executed = 0;

  async function execute(
    name: string,
    args: readonly string[],
    timeoutMs: number,
    user: string,
    signal: AbortSignal | undefined,
  ): Promise<Value> {
    const task: RunningTask = { id: randomUuid(), name, user, startedAtMs: options.clock.nowMs() };
    running.add(task);
    try {
      return await runLimited(options, name, args, timeoutMs, user, signal);
    } catch (error) {
      throw failureOf(name, error);
    } finally {
      executed++;
      running.delete(task);
    }
  }

  return {
    async run(name, args, timeoutMs, signal, user) {
      const result = await execute(name, args, timeoutMs, user, signal);
      return { id: `~${nodeId}`, finished: true, result };
    },

    start: (name, args, timeoutMs, user) => results.add(user, () => execute(name, args, timeoutMs, user, undefined)),

    result(id, user) {
      const [taskId = '', holder = '', further] = id.split('~');
      if (!id.includes('~') || further !== undefined) throw fail('TASK_ID_INVALID', id);
      if (!GRID_UUID.test(taskId)) throw fail('UUID_INVALID', taskId);
      if (!UUID.test(holder)) throw fail('UUID_INVALID', holder);
      const found = results.find(id.toLowerCase(), user);
      if (found !== undefined) return outcomeOf(id, found);
      if (holder.toLowerCase() === nodeId) throw fail('TASK_NOT_STARTED', taskId, holder);
      return chain(grid.cluster.hasNode(holder.toLowerCase()), (known) => {
        throw known ? fail('TASK_NOT_STARTED', taskId, holder) : fail('TASK_HOLDER_LEFT', holder);
      });
    },

    executedTasks: () => executed,
    running: () => [...running],
    close: () => pool.close(),
  };
}

/** Tasks that were started to be asked for later, by their whole id, the oldest first. */
class StartedTasks {
  readonly #maxResults: number;
  readonly #nodeId: string;
  readonly #tasks = new Map<string, Started>();
  readonly #suffix = randomUuid();
  #count = 0;

  constructor(maxResults: number, nodeId: string) {
    this.#maxResults = maxResults;
    this.#nodeId = nodeId;
  }

  add(user: string, work: () => Promise<Value>): TaskOutcome {
    this.#evict();
    const id = `${(++this.#count).toString(16)}-${this.#suffix}~${this.#nodeId}`;
    const task: Started = { user, state: { is: 'running' } };
    this.#tasks.set(id, task);
    work().then(
      (value) => {
        task.state = { is: 'done', value };
      },
      (error: unknown) => {
        task.state = { is: 'failed', error };
      },
    );
    return { id, finished: false, result: NULL };
  }

  /** Another user's task is as unknown as none. */
  find(id: string, user: string): Started | undefined {
    const task = this.#tasks.get(id);
    return task?.user === user ? task : undefined;
  }

  /** Makes room for one more; the oldest that has ended goes first. Refuses OVERLOADED when all still run. */
  #evict(): void {
    if (this.#tasks.size < this.#maxResults) return;
    for (const [id, { state }] of this.#tasks) {
      if (state.is === 'running') continue;
      this.#tasks.delete(id);
      return;
    }
    throw fail('OVERLOADED', this.#tasks.size);
  }
}

/** Runs a task until its time is over, or its client is gone. */
async function runLimited(
  { grid, clock, pool, names, longestMs }: TaskServiceOptions,
  name: string,
  args: readonly string[],
  timeoutMs: number,
  user: string,
  signal: AbortSignal | undefined,
): Promise<Value> {
  const own = names.has(name);
  if (!own && grid.tasks === undefined) throw fail('TASK_NOT_FOUND', name);
  if (timeoutMs < 0) throw fail('TASK_TIMEOUT', name, timeoutMs);
  const abort = new AbortController();
  const limitMs = timeoutMs === 0 ? longestMs : Math.min(timeoutMs, longestMs);
  const timer = clock.after(Math.min(limitMs, MOST_TIMER_MS), () => abort.abort(fail('TASK_TIMEOUT', name, limitMs)));
  const onGone = () => abort.abort(fail('TASK_FAILED', `The task was cancelled [taskName=${name}]`));
  if (signal?.aborted) onGone();
  signal?.addEventListener('abort', onGone, { once: true });
  try {
    if (!own && grid.tasks !== undefined) return await grid.tasks.run(name, args, timeoutMs, abort.signal);
    return await runSteps(pool, name, argumentOf(args), user, abort);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onGone);
  }
}

function outcomeOf(id: string, { state }: Started): TaskOutcome {
  switch (state.is) {
    case 'running':
      return { id, finished: false, result: NULL };
    case 'done':
      return { id, finished: true, result: state.value };
    case 'failed':
      throw state.error;
  }
}

/** The function, or the map, its jobs side by side, and the reduce. */
async function runSteps(
  pool: ProcessPool,
  task: string,
  argument: TaskArgument,
  user: string,
  abort: AbortController,
): Promise<Value> {
  const first = await pool.run({ phase: 'begin', task, user, input: argument }, abort.signal);
  if (first.kind === 'result') return first.value;
  const jobs = first.kind === 'jobs' ? first.jobs : [];
  if (!Array.isArray(jobs) || jobs.length === 0) throw fail('TASK_FAILED', 'Split returned no jobs.');
  const results: unknown[] = new Array(jobs.length);
  let next = 0;
  // Only so many at once as there are processes, so that tasks of many jobs and of one take turns.
  const lane = async () => {
    while (next < jobs.length) {
      const index = next++;
      const done = await pool.run({ phase: 'job', task, user, input: jobs[index] }, abort.signal);
      results[index] = done.kind === 'job' ? done.value : undefined;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(pool.count, jobs.length) }, lane));
  } catch (error) {
    abort.abort(error);
    throw error;
  }
  return resultOf(await pool.run({ phase: 'reduce', task, user, input: results }, abort.signal));
}

function resultOf(step: StepResult): Value {
  return step.kind === 'result' ? step.value : NULL;
}

function argumentOf(args: readonly string[]): TaskArgument {
  return args.length > 1 ? args : (args[0] ?? null);
}

/** The texts are Ignite's. */
function failureOf(name: string, error: unknown): unknown {
  if (error instanceof GridError || !(error instanceof StepFailure)) return error;
  switch (error.phase) {
    case 'map':
      return fail(
        'TASK_FAILED',
        `Failed to map task jobs to nodes due to undeclared user exception [cause=${error.message}]`,
      );
    case 'reduce':
      return fail(
        'TASK_FAILED',
        `Failed to reduce job results due to undeclared user exception [task=${name}, err=${error.message}]`,
      );
    case 'job':
      return fail(
        'TASK_FAILED',
        'Remote job threw user exception (override or implement ComputeTask.result(..) method if you would like to ' +
          `have automatic failover for this exception): ${error.message}`,
      );
    case 'load':
    case 'process':
      return fail('TASK_FAILED', error.message);
  }
}
