/**
 * The pool of task processes: starts them on demand, ends idle ones, kills those that hang and replaces those that
 * crash. The service itself never runs the code of a task.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { type Tenant, TenantUsage, yieldsTo } from '../../base/shares.ts';
import { WaitingEntries, type WaitingEntry } from '../../base/waiting-entries.ts';
import type { Grid } from '../../grid/grid.ts';
import type { Log } from '../monitoring/log.ts';
import type { JobMetrics } from '../monitoring/node-metrics.ts';
import { GridReader } from './grid-reader.ts';
import type { FailedPhase, FromProcess, StepResult, TaskStep, ToProcess } from './task-messages.ts';

export interface ProcessPoolOptions {
  readonly grid: Grid;
  readonly clock: Clock;
  readonly log: Log;
  /** Program and arguments of a task process. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the configuration file; undefined: only built-in tasks. */
  readonly configuration: string | undefined;
  /**
   * Maximum number of processes, not counting those that have been busy with one step for long, so that long steps do
   * not block short ones of other tenants: up to as many of these, and up to {@link LONG_FOR_NEW} times as many for
   * tenants without a running step. Administrators have one more.
   */
  readonly count: number;
  /** Maximum address space of a process in bytes; 0 means no limit. Requires a shell with `ulimit -v`. */
  readonly memoryBytes: number;
  /** Maximum number of waiting steps. */
  readonly maxWaiting: number;
  /** Longest expected wait of a step that a client waits for, in ms. */
  readonly targetMs: number;
}

/** For whom a step runs. */
export interface StepOwner {
  readonly tenant: Tenant;
  readonly signal: AbortSignal;
  /** A client waits, and nothing of its task has run: the step is rejected when it would wait for too long. */
  readonly isAwaited: boolean;
}

/** An error thrown by the code of a task, or the unexpected end of its process. */
export class StepFailure extends Error {
  readonly phase: FailedPhase | 'process';

  constructor(phase: FailedPhase | 'process', message: string) {
    super(message);
    this.phase = phase;
  }
}

interface Job {
  readonly step: TaskStep;
  /** Key of the tenant. */
  readonly key: string;
  readonly isAdministrator: boolean;
  readonly reader: GridReader;
  readonly queuedAtMs: number;
  startedAtMs: number;
  readonly signal: AbortSignal;
  readonly onStart: (() => void) | undefined;
  /** Undefined for a step that may wait for any time. */
  readonly entry: WaitingEntry | undefined;
  readonly resolve: (result: StepResult) => void;
  readonly reject: (error: Error) => void;
  settled: boolean;
}

interface TaskProcess {
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  listening: boolean;
  job: Job | undefined;
  /** Kills the process when it has been idle, or when a cancelled step has not ended. */
  timer: Timer | undefined;
  /** Dispatches waiting steps when the current one has become a long one. */
  longTimer: Timer | undefined;
}

/** A process that waits longer is ended. Starting one takes a fraction of a second. */
const IDLE_MS = 30_000;
/** So many tasks may wait for any time: a few clients with long tasks are no overload. */
const ALWAYS_ADMITTED = 64;
/** Duration after which a step counts as long. */
const LONG_STEP_MS = 1_000;
/** Processes with long steps that do not count for tenants without a running step, as a multiple of the count. */
const LONG_FOR_NEW = 4;
/** Time for a cancelled step to end before its process is killed. */
const GRACE_MS = 250;
/** Characters of a line of output in the log, so that a task cannot fill it. */
const OUTPUT_CHARACTERS = 2_000;

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  /** Waiting steps that clients wait for. */
  readonly #entries: WaitingEntries;
  readonly #processes = new Set<TaskProcess>();
  #waiting: Job[] = [];
  /** Waiting steps of each tenant. */
  readonly #usage = new TenantUsage();
  /** The number of the last step of each tenant, while steps wait. */
  readonly #served = new Map<string, number>();
  #steps = 0;
  #closed = false;
  #metrics = {
    maximumActive: 0,
    maximumWaiting: 0,
    executed: 0,
    rejected: 0,
    cancelled: 0,
    totalExecuteMs: 0,
    maximumExecuteMs: 0,
    totalWaitMs: 0,
    maximumWaitMs: 0,
    idleSinceMs: 0,
  };

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#entries = new WaitingEntries({ ...options, alwaysAdmitted: ALWAYS_ADMITTED });
    this.#metrics.idleSinceMs = options.clock.monotonicMs();
  }

  /** Maximum number of processes. */
  get count(): number {
    return this.#options.count;
  }

  metrics(): JobMetrics {
    return { ...this.#metrics, active: this.#active(), waiting: this.#waiting.length };
  }

  /**
   * Runs a step when a process is free. Rejects with StepFailure, with OVERLOADED or USER_SHARE if too many steps wait
   * or the step would wait for too long, and with the reason of `signal` as soon as it aborts. Calls `onStart` when a
   * process begins the step.
   */
  run(
    step: TaskStep,
    { tenant, signal, isAwaited }: StepOwner,
    onStart: (() => void) | undefined,
  ): Promise<StepResult> {
    const { maxWaiting, grid, clock } = this.#options;
    if (this.#closed) return Promise.reject(fail('STOPPING'));
    if (signal.aborted) return Promise.reject(reasonOf(signal));
    if (this.#waiting.length >= maxWaiting && !this.#dropFor(tenant)) {
      this.#metrics.rejected++;
      return Promise.reject(this.#rejectionOf(tenant.key));
    }
    const entry = isAwaited ? this.#entries.enter(tenant.key) : undefined;
    if (isAwaited && entry === undefined) {
      this.#metrics.rejected++;
      return Promise.reject(fail('OVERLOADED', this.#waiting.length));
    }
    return new Promise<StepResult>((resolve, reject) => {
      const job: Job = {
        step,
        key: tenant.key,
        isAdministrator: tenant.isAdministrator,
        signal,
        onStart,
        entry,
        resolve,
        reject,
        settled: false,
        reader: new GridReader(grid, step.user),
        queuedAtMs: clock.monotonicMs(),
        startedAtMs: 0,
      };
      signal.addEventListener('abort', () => this.#cancel(job), { once: true });
      this.#waiting.push(job);
      this.#usage.add(job.key);
      this.#dispatch();
      this.#metrics.maximumWaiting = Math.max(this.#metrics.maximumWaiting, this.#waiting.length);
    });
  }

  /** Kills all processes; running and waiting steps reject with STOPPING. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of [...this.#waiting]) {
      this.#leaveQueue(job);
      this.#settle(job, () => job.reject(fail('STOPPING')));
    }
    const processes = [...this.#processes];
    for (const each of processes) {
      const { job } = each;
      if (job !== undefined) this.#settle(job, () => job.reject(fail('STOPPING')));
      each.timer?.cancel();
      each.longTimer?.cancel();
      each.child.kill('SIGKILL');
    }
    await Promise.all(processes.map(({ child }) => child.exited));
  }

  #active(): number {
    return [...this.#processes].filter(({ job }) => job !== undefined).length;
  }

  /** Rejects the newest step of the tenant with the most waiting ones; false if that one does not give way. */
  #dropFor(tenant: Tenant): boolean {
    const most = this.#usage.most();
    if (most === undefined || !yieldsTo(most, tenant, this.#usage.of(tenant.key))) return false;
    const dropped = this.#waiting.findLast(({ key }) => key === most.key);
    if (dropped === undefined) return false;
    this.#leaveQueue(dropped);
    this.#metrics.rejected++;
    this.#settle(dropped, () => dropped.reject(this.#rejectionOf(most.key)));
    return true;
  }

  #rejectionOf(key: string): Error {
    const own = this.#usage.of(key);
    const used = this.#waiting.length;
    return own === used ? fail('OVERLOADED', used) : fail('USER_SHARE', 'waiting tasks', own, this.#options.maxWaiting);
  }

  #leaveQueue(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#usage.remove(job.key);
    if (job.entry !== undefined) this.#entries.remove(job.entry);
  }

  /**
   * Returns the step to run next: the oldest of the tenant with the fewest running steps, among those of the tenant
   * served least recently; administrators precede others. Undefined if none may run now.
   */
  #next(): Job | undefined {
    let best: Job | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    let earliest = Number.POSITIVE_INFINITY;
    for (const job of this.#waiting) {
      const own = this.#runningOf(job.key);
      // Extra processes are for other tenants.
      if (own >= this.#options.count) continue;
      if (best?.isAdministrator === true && !job.isAdministrator) continue;
      const precedes = job.isAdministrator && best?.isAdministrator === false;
      const served = this.#served.get(job.key) ?? 0;
      if (precedes || own < fewest || (own === fewest && served < earliest)) {
        [best, fewest, earliest] = [job, own, served];
      }
    }
    return best;
  }

  #runningOf(key: string): number {
    let running = 0;
    for (const { job } of this.#processes) if (job?.key === key) running++;
    return running;
  }

  /** Returns how many processes there may be when a step begins. */
  #limitFor({ key, isAdministrator }: Job): number {
    const { count, clock } = this.#options;
    const longSinceMs = clock.monotonicMs() - LONG_STEP_MS;
    const long = [...this.#processes].filter(({ job }) => job !== undefined && job.startedAtMs <= longSinceMs).length;
    const most = this.#runningOf(key) === 0 ? LONG_FOR_NEW * count : count;
    return count + Math.min(most, long) + (isAdministrator ? 1 : 0);
  }

  #dispatch(): void {
    for (const worker of this.#processes) {
      if (this.#waiting.length === 0) return;
      if (worker.listening && worker.job === undefined) this.#begin(worker);
    }
    const starting = [...this.#processes].filter(({ listening }) => !listening).length;
    for (let missing = this.#waiting.length - starting; missing > 0; missing--) {
      const next = this.#next();
      if (next === undefined || this.#processes.size >= this.#limitFor(next)) return;
      try {
        this.#start();
      } catch (error) {
        this.#failWaiting(String(error));
        return;
      }
    }
  }

  #begin(worker: TaskProcess): void {
    const job = this.#next();
    if (job === undefined) return;
    if (job.entry !== undefined) this.#entries.leave(job.entry);
    this.#leaveQueue(job);
    if (this.#waiting.length === 0) this.#served.clear();
    else this.#served.set(job.key, ++this.#steps);
    worker.longTimer = this.#options.clock.after(LONG_STEP_MS + 1, () => this.#dispatch());
    worker.timer?.cancel();
    worker.timer = undefined;
    worker.job = job;
    job.startedAtMs = this.#options.clock.monotonicMs();
    job.onStart?.();
    const waitedMs = job.startedAtMs - job.queuedAtMs;
    this.#metrics.totalWaitMs += waitedMs;
    this.#metrics.maximumWaitMs = Math.max(this.#metrics.maximumWaitMs, waitedMs);
    this.#metrics.maximumActive = Math.max(this.#metrics.maximumActive, this.#active());
    send(worker, { type: 'step', step: job.step });
  }

  #start(): void {
    const { command, environment, memoryBytes, log } = this.#options;
    const child = Bun.spawn({
      cmd: limited(command, memoryBytes),
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      serialization: 'advanced',
      ipc: (message) => this.#receive(worker, message as FromProcess),
      onExit: (_child, exitCode, signalCode) => this.#ended(worker, exitCode ?? signalCode),
    });
    const worker: TaskProcess = { child, listening: false, job: undefined, timer: undefined, longTimer: undefined };
    this.#processes.add(worker);
    void logOutput(child.stdout, log);
    void logOutput(child.stderr, log);
  }

  #receive(worker: TaskProcess, message: FromProcess): void {
    const { job } = worker;
    switch (message.type) {
      case 'listening':
        worker.listening = true;
        send(worker, { type: 'start', configuration: this.#options.configuration });
        this.#release(worker);
        return;
      case 'log':
        this.#options.log[message.level](message.text, { task: job?.step.task ?? '' });
        return;
      case 'request':
        if (job !== undefined) void respond(worker, job.reader, message.requestId, message.request);
        return;
      case 'done':
      case 'failed':
        if (job === undefined) return;
        worker.job = undefined;
        worker.longTimer?.cancel();
        if (message.type === 'done') this.#settle(job, () => job.resolve(message.result));
        else this.#settle(job, () => job.reject(new StepFailure(message.phase, message.text)));
        this.#release(worker);
    }
  }

  /** Dispatches the next step; the process ends if it stays idle. */
  #release(worker: TaskProcess): void {
    worker.timer?.cancel();
    worker.timer = this.#options.clock.after(IDLE_MS, () => worker.child.kill('SIGKILL'));
    this.#dispatch();
  }

  #cancel(job: Job): void {
    if (job.settled) return;
    this.#metrics.cancelled++;
    this.#leaveQueue(job);
    const worker = [...this.#processes].find((each) => each.job === job);
    this.#settle(job, () => job.reject(reasonOf(job.signal)));
    if (worker === undefined) return;
    send(worker, { type: 'cancel' });
    worker.timer?.cancel();
    worker.timer = this.#options.clock.after(GRACE_MS, () => worker.child.kill('SIGKILL'));
  }

  #ended(worker: TaskProcess, how: number | string | null): void {
    worker.timer?.cancel();
    worker.longTimer?.cancel();
    this.#processes.delete(worker);
    const { job } = worker;
    worker.job = undefined;
    if (job !== undefined && !job.settled) {
      const text = `The process of the task ended before the task did [task=${job.step.task}, exit=${how}]`;
      this.#options.log.warn(text);
      this.#settle(job, () => job.reject(new StepFailure('process', text)));
    } else if (!worker.listening && !this.#closed) this.#failWaiting(how);
    if (!this.#closed) this.#dispatch();
  }

  /** Rejects the waiting steps, because a process that cannot start would be restarted forever. */
  #failWaiting(how: number | string | null): void {
    const text = `The process of the task could not start [exit=${how}]`;
    this.#options.log.error(text);
    for (const job of [...this.#waiting]) {
      this.#leaveQueue(job);
      this.#settle(job, () => job.reject(new StepFailure('process', text)));
    }
  }

  #settle(job: Job, complete: () => void): void {
    if (job.settled) return;
    job.settled = true;
    const nowMs = this.#options.clock.monotonicMs();
    if (job.startedAtMs > 0) {
      const tookMs = nowMs - job.startedAtMs;
      this.#metrics.executed++;
      this.#metrics.totalExecuteMs += tookMs;
      this.#metrics.maximumExecuteMs = Math.max(this.#metrics.maximumExecuteMs, tookMs);
    }
    this.#metrics.idleSinceMs = nowMs;
    job.reader
      .close()
      .catch((error: unknown) => this.#options.log.warn('A cursor of a task was not closed', { error: String(error) }));
    complete();
  }
}

function send(worker: TaskProcess, message: ToProcess): void {
  // A process that has just ended cannot receive; onExit handles its end.
  if (worker.child.exitCode === null && worker.child.signalCode === null) worker.child.send(message);
}

async function respond(
  worker: TaskProcess,
  reader: GridReader,
  requestId: number,
  request: Parameters<GridReader['respond']>[0],
): Promise<void> {
  try {
    send(worker, { type: 'response', requestId, value: await reader.respond(request) });
  } catch (error) {
    send(worker, { type: 'error', requestId, text: error instanceof Error ? error.message : String(error) });
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The task was cancelled');
}

/** Returns the command with a limit of address space; without the limit where the shell does not support it. */
function limited(command: readonly string[], memoryBytes: number): string[] {
  if (memoryBytes === 0 || process.platform === 'win32') return [...command];
  return ['/bin/sh', '-c', `ulimit -v ${Math.ceil(memoryBytes / 1024)} 2>/dev/null; exec "$0" "$@"`, ...command];
}

async function logOutput(stream: ReadableStream<Uint8Array>, log: Log): Promise<void> {
  for await (const chunk of stream) {
    log.info('A task wrote', { text: new TextDecoder().decode(chunk).slice(0, OUTPUT_CHARACTERS).trimEnd() });
  }
}
