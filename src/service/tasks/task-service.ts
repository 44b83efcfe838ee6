/** Runs tasks and stores the results of asynchronous ones (docs/spec/ignite-cluster.md 8). */
import { type Clock, randomUuid } from '../../base/clock.ts';
import { GridError, gridError } from '../../base/errors.ts';
import { SCALAR_CHARACTERS } from '../../base/limits.ts';
import { chain } from '../../base/maybe-promise.ts';
import type { TaskOutcome, TaskOwner, TaskReader, TaskService } from '../../commands/context.ts';
import type { Grid } from '../../grid/grid.ts';
import { isJavaClass } from '../../values/type-names.ts';
import { NULL, type Value } from '../../values/value.ts';
import { type ProcessPool, StepFailure } from './process-pool.ts';
import type { TaskArgument } from './task-declaration.ts';
import type { StepResult, TaskStep } from './task-messages.ts';

export interface TaskServiceOptions {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly pool: ProcessPool;
  /** Names of the tasks that the service's own processes run: declared and built-in ones. */
  readonly names: ReadonlySet<string>;
  /** Maximum number of stored results; the oldest is removed first. */
  readonly maxResults: number;
  /** Maximum duration of a task in ms, regardless of its own time limit. */
  readonly maxTimeoutMs: number;
}

/** This process's task service, with its metrics. */
export interface LocalTaskService extends TaskService {
  executedTasks(): number;
  /** Returns the running tasks, oldest first. */
  running(): readonly RunningTask[];
  /** Ends the running tasks of owners. */
  endOf(isOwner: (owner: string) => boolean): void;
  close(): Promise<void>;
}

/** A running task. */
export interface RunningTask {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The unfinished jobs; a task without jobs counts as one itself. */
  readonly jobs: ReadonlySet<RunningJob>;
}

/** A running task that can be ended by its id, or by the one under which its result is stored. */
interface CancellableTask extends RunningTask {
  readonly resultId: string | undefined;
  readonly abort: AbortController;
}

/** A job of a running task. Times in ms since the epoch. */
export interface RunningJob {
  readonly id: string;
  readonly createdAtMs: number;
  /** 0 while it waits for a process. */
  startedAtMs: number;
}

interface Started {
  readonly user: string;
  state:
    | { readonly status: 'running' }
    | { readonly status: 'done'; readonly value: Value }
    | { readonly status: 'failed'; readonly error: unknown };
}

/** The longest delay of a timer in the runtime. */
const MAX_TIMER_MS = 2_147_483_647;
const UUID = /^[0-9a-f]+(-[0-9a-f]+){4}$/i;
const GRID_UUID = /^[0-9a-f]+(-[0-9a-f]+){5}$/i;

/** Creates the service. The process has one, which stores the results of the tasks it started. */
export function createTaskService(options: TaskServiceOptions): LocalTaskService {
  const { grid, pool } = options;
  const nodeId = grid.cluster.localNodeId;
  const results = new StartedTasks(options.maxResults, nodeId);
  const running = new Set<CancellableTask>();
  const visibleTo = ({ user, readsAll }: TaskReader): CancellableTask[] =>
    [...running].filter((task) => readsAll || task.user === user);
  let executed = 0;

  async function execute(
    name: string,
    args: readonly string[],
    timeoutMs: number,
    owner: TaskOwner,
    signal: AbortSignal | undefined,
    resultId?: string,
  ): Promise<Value> {
    const jobs = new RunningJobs(options.clock);
    const { user } = owner;
    const abort = new AbortController();
    const startedAtMs = options.clock.nowMs();
    const task = { id: randomUuid(), resultId, name, user, startedAtMs, jobs: jobs.set, abort };
    running.add(task);
    try {
      return await runLimited(options, name, args, timeoutMs, owner, jobs, signal, abort);
    } catch (error) {
      throw errorOf(name, error);
    } finally {
      executed++;
      running.delete(task);
    }
  }

  return {
    async run(name, args, timeoutMs, signal, owner) {
      const result = await execute(name, args, timeoutMs, owner, signal);
      return { id: `~${nodeId}`, finished: true, result };
    },

    start: (name, args, timeoutMs, owner) =>
      results.add(owner.user, (id) => execute(name, args, timeoutMs, owner, undefined, id)),

    list: (reader) =>
      visibleTo(reader).map(({ id, resultId, name, user, startedAtMs }) => ({
        id: resultId ?? id,
        name,
        user,
        startedAt: new Date(startedAtMs).toISOString(),
      })),

    cancel(id, reader) {
      const sought = id.toLowerCase();
      const task = visibleTo(reader).find((each) => each.id === sought || each.resultId === sought);
      if (task === undefined) throw gridError('TASK_NOT_RUNNING', id);
      task.abort.abort(gridError('TASK_CANCELLED', task.name));
    },

    result(id, user) {
      if (id.length > SCALAR_CHARACTERS) throw gridError('TASK_ID_INVALID', id);
      const [taskId = '', holder, ...further] = id.split('~').filter((part) => part !== '');
      if (holder === undefined || further.length > 0) throw gridError('TASK_ID_INVALID', id);
      if (!GRID_UUID.test(taskId)) {
        // Ignite reads the counter first, and shows the rest.
        const uuid = taskId.slice(taskId.indexOf('-') + 1);
        throw gridError('UUID_INVALID', UUID.test(uuid) ? taskId : uuid);
      }
      if (!UUID.test(holder)) throw gridError('UUID_INVALID', holder);
      const found = results.find(id.toLowerCase(), user);
      if (found !== undefined) return outcomeOf(id, found);
      if (holder.toLowerCase() === nodeId) throw gridError('TASK_NOT_STARTED', taskId, holder);
      return chain(grid.cluster.hasNode(holder.toLowerCase()), (known) => {
        throw known ? gridError('TASK_NOT_STARTED', taskId, holder) : gridError('TASK_HOLDER_LEFT', holder);
      });
    },

    executedTasks: () => executed,
    running: () => [...running],
    endOf(isOwner) {
      for (const task of running) if (isOwner(task.user)) task.abort.abort(gridError('TASK_CANCELLED', task.name));
    },
    close: () => pool.close(),
  };
}

/** The unfinished jobs of a task. */
class RunningJobs {
  readonly set = new Set<RunningJob>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a job that waits for a process. */
  add(): RunningJob {
    const job: RunningJob = { id: randomUuid(), createdAtMs: this.#clock.nowMs(), startedAtMs: 0 };
    this.set.add(job);
    return job;
  }

  /** Runs a job. `work` calls its argument when a process begins the job. */
  async run<T>(job: RunningJob, work: (onStart: () => void) => Promise<T>): Promise<T> {
    try {
      return await work(() => {
        job.startedAtMs = this.#clock.nowMs();
      });
    } finally {
      this.set.delete(job);
    }
  }
}

/** Asynchronous tasks by their whole id, oldest first. */
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

  add(user: string, work: (id: string) => Promise<Value>): TaskOutcome {
    this.#evict();
    const id = `${(++this.#count).toString(16)}-${this.#suffix}~${this.#nodeId}`;
    const task: Started = { user, state: { status: 'running' } };
    this.#tasks.set(id, task);
    work(id).then(
      (value) => {
        task.state = { status: 'done', value };
      },
      (error: unknown) => {
        task.state = { status: 'failed', error };
      },
    );
    return { id, finished: false, result: NULL };
  }

  /** Returns a user's task, or undefined for an unknown one or another user's. */
  find(id: string, user: string): Started | undefined {
    const task = this.#tasks.get(id);
    return task?.user === user ? task : undefined;
  }

  /** Removes the oldest finished task to make room. Throws OVERLOADED if all are running. */
  #evict(): void {
    if (this.#tasks.size < this.#maxResults) return;
    for (const [id, { state }] of this.#tasks) {
      if (state.status === 'running') continue;
      this.#tasks.delete(id);
      return;
    }
    throw gridError('OVERLOADED', this.#tasks.size);
  }
}

/** Runs a task; cancels it when it times out or its client disconnects. */
async function runLimited(
  { grid, clock, pool, names, maxTimeoutMs }: TaskServiceOptions,
  name: string,
  args: readonly string[],
  timeoutMs: number,
  owner: TaskOwner,
  jobs: RunningJobs,
  signal: AbortSignal | undefined,
  abort: AbortController,
): Promise<Value> {
  const own = names.has(name);
  if (!own && grid.tasks === undefined)
    throw gridError(isJavaClass(name) ? 'CLASS_NOT_A_TASK' : 'TASK_NOT_FOUND', name);
  if (timeoutMs < 0) throw gridError('TASK_TIMEOUT', name, timeoutMs);
  const limitMs = timeoutMs === 0 ? maxTimeoutMs : Math.min(timeoutMs, maxTimeoutMs);
  const timer = clock.after(Math.min(limitMs, MAX_TIMER_MS), () =>
    abort.abort(gridError('TASK_TIMEOUT', name, limitMs)),
  );
  const onDisconnect = () => abort.abort(gridError('TASK_CANCELLED', name));
  if (signal?.aborted) onDisconnect();
  signal?.addEventListener('abort', onDisconnect, { once: true });
  try {
    if (!own && grid.tasks !== undefined) return await grid.tasks.run(name, args, timeoutMs, abort.signal);
    return await runSteps(pool, name, argumentOf(args), owner, jobs, abort, signal !== undefined);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onDisconnect);
  }
}

function outcomeOf(id: string, { state }: Started): TaskOutcome {
  switch (state.status) {
    case 'running':
      return { id, finished: false, result: NULL };
    case 'done':
      return { id, finished: true, result: state.value };
    case 'failed':
      throw state.error;
  }
}

/** Runs a task's function; or its map, then the jobs concurrently, then its reduce. */
async function runSteps(
  pool: ProcessPool,
  task: string,
  argument: TaskArgument,
  { user, tenant }: TaskOwner,
  running: RunningJobs,
  abort: AbortController,
  isAwaited: boolean,
): Promise<Value> {
  const { signal } = abort;
  const first = await running.run(running.add(), (onStart) =>
    pool.run({ phase: 'begin', task, user, input: argument }, { tenant, signal, isAwaited }, onStart),
  );
  // The work that the task has already done would be lost.
  const run = (step: TaskStep, onStart?: () => void) => pool.run(step, { tenant, signal, isAwaited: false }, onStart);
  if (first.kind === 'result') return first.value;
  const jobs = first.kind === 'jobs' ? first.jobs : [];
  if (!Array.isArray(jobs) || jobs.length === 0) throw gridError('TASK_WITHOUT_JOBS');
  const listed = jobs.map(() => running.add());
  const results: unknown[] = new Array(jobs.length);
  let next = 0;
  // At most one job per process at a time, so that tasks with many jobs and tasks with one alternate.
  const worker = async () => {
    while (next < jobs.length) {
      const index = next++;
      const job = listed[index] ?? running.add();
      const done = await running.run(job, (onStart) => run({ phase: 'job', task, user, input: jobs[index] }, onStart));
      results[index] = done.kind === 'job' ? done.value : undefined;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(pool.count, jobs.length) }, worker));
  } catch (error) {
    abort.abort(error);
    throw error;
  }
  return resultOf(await run({ phase: 'reduce', task, user, input: results }));
}

function resultOf(step: StepResult): Value {
  return step.kind === 'result' ? step.value : NULL;
}

function argumentOf(args: readonly string[]): TaskArgument {
  return args.length > 1 ? args : (args[0] ?? null);
}

/** Returns the error with Ignite's text (docs/spec/ignite-cluster.md 8). */
function errorOf(name: string, error: unknown): unknown {
  if (error instanceof GridError || !(error instanceof StepFailure)) return error;
  switch (error.phase) {
    case 'map':
      return gridError('TASK_MAP_FAILED', error.message);
    case 'reduce':
      return gridError('TASK_REDUCE_FAILED', name, error.message);
    case 'job':
      return gridError('TASK_JOB_FAILED', error.message);
    case 'load':
    case 'process':
      return gridError('TASK_FAILED', error.message);
  }
}
