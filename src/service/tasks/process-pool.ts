/**
 * The pool of task processes: starts them on demand, ends idle ones, kills those that hang and replaces those that
 * crash. The service itself never runs a task's code.
 */
import { Admission, type QueueStatistics, type Slot } from '../../base/admission.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { errorText, gridError } from '../../base/errors.ts';
import type { Tenant } from '../../base/shares.ts';
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
  /** Absolute path of the configuration file; if undefined, there are only built-in tasks. */
  readonly configuration: string | undefined;
  /**
   * Maximum number of processes, and of one tenant's concurrent steps. Processes that have been busy with a step for
   * long are not counted, up to {@link MAX_LONG} times this number, so that they do not block other steps.
   * Administrators have one more.
   */
  readonly count: number;
  /** Maximum address space of a process in bytes; 0 means no limit. Requires a shell with `ulimit -v`. */
  readonly memoryBytes: number;
  /** Maximum number of waiting steps. */
  readonly maxWaiting: number;
  /** While all steps wait longer than this, new ones of clients that already wait are rejected. */
  readonly targetMs: number;
}

/** For whom a step runs. */
export interface StepOwner {
  readonly tenant: Tenant;
  readonly signal: AbortSignal;
  /** Whether a client waits, and no part of its task has run: the step may be rejected. */
  readonly isAwaited: boolean;
}

/** An error thrown by a task's code, or the unexpected end of its process. */
export class StepFailure extends Error {
  readonly phase: FailedPhase | 'process';

  constructor(phase: FailedPhase | 'process', message: string) {
    super(message);
    this.phase = phase;
  }
}

interface Job {
  readonly step: TaskStep;
  readonly slot: Slot;
  readonly reader: GridReader;
  readonly queuedAtMs: number;
  /** 0 until its process has started. */
  startedAtMs: number;
  readonly signal: AbortSignal;
  readonly onStart: (() => void) | undefined;
  readonly resolve: (result: StepResult) => void;
  readonly reject: (error: Error) => void;
  settled: boolean;
}

interface TaskProcess {
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  listening: boolean;
  job: Job | undefined;
  /** Kills the process after it has been idle, or if a cancelled step has not ended. */
  timer: Timer | undefined;
  /** Admits waiting steps when the current one has become long. */
  longTimer: Timer | undefined;
}

/** A process that is idle for longer is ended. Starting one takes a fraction of a second. */
const IDLE_MS = 30_000;
/** Duration after which a step counts as long. */
const LONG_STEP_MS = 1_000;
/** Maximum number of processes with long steps that are not counted, as a multiple of the count. */
const MAX_LONG = 4;
/** Time for a cancelled step to end before its process is killed. */
const GRACE_MS = 250;
/** Maximum number of characters of a line of output in the log, so that a task cannot fill it. */
const OUTPUT_CHARACTERS = 2_000;

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #admission: Admission;
  readonly #processes = new Set<TaskProcess>();
  readonly #closing = new AbortController();
  #metrics = {
    maximumActive: 0,
    maximumWaiting: 0,
    executed: 0,
    cancelled: 0,
    totalExecuteMs: 0,
    maximumExecuteMs: 0,
    totalWaitMs: 0,
    maximumWaitMs: 0,
    idleSinceMs: 0,
  };

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    const { clock, count, maxWaiting, targetMs } = options;
    this.#admission = new Admission({
      clock,
      slots: count,
      reserved: 1,
      maxPerTenant: count,
      maxWaiting,
      maxWaitingBytes: Number.POSITIVE_INFINITY,
      targetMs,
      failure: (reason, waiting) => (reason === 'cancelled' ? gridError('STOPPING') : gridError('OVERLOADED', waiting)),
    });
    this.#metrics.idleSinceMs = clock.monotonicMs();
  }

  /** Maximum number of processes. */
  get count(): number {
    return this.#options.count;
  }

  metrics(): JobMetrics {
    const { rejected } = this.#admission.statistics();
    return { ...this.#metrics, rejected, active: this.#active(), waiting: this.#admission.waiting };
  }

  /** Returns the statistics of steps that waited. */
  statistics(): QueueStatistics {
    return this.#admission.statistics();
  }

  /**
   * Runs a step when a process is free. Rejects with StepFailure, with OVERLOADED while too many steps wait, and with
   * the reason of `signal` as soon as it aborts. Calls `onStart` when a process begins the step.
   */
  async run(
    step: TaskStep,
    { tenant, signal, isAwaited }: StepOwner,
    onStart: (() => void) | undefined,
  ): Promise<StepResult> {
    const { grid, clock } = this.#options;
    if (signal.aborted) throw reasonOf(signal);
    const queuedAtMs = clock.monotonicMs();
    const slot = await this.#admit(tenant, signal, !isAwaited);
    if (signal.aborted || this.#closing.signal.aborted) {
      slot.release();
      throw signal.aborted ? reasonOf(signal) : gridError('STOPPING');
    }
    const { promise, resolve, reject } = Promise.withResolvers<StepResult>();
    const reader = new GridReader(grid, step.user);
    const job: Job = {
      step,
      slot,
      signal,
      onStart,
      resolve,
      reject,
      settled: false,
      reader,
      queuedAtMs,
      startedAtMs: 0,
    };
    const cancel = (): void => this.#cancel(job);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      this.#assign(job);
    } catch (error) {
      this.#failStart(job, String(error));
      slot.release();
    }
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** Kills all processes; running and waiting steps reject with STOPPING. */
  async close(): Promise<void> {
    this.#closing.abort();
    const processes = [...this.#processes];
    for (const each of processes) {
      const { job } = each;
      if (job !== undefined) this.#settle(job, () => job.reject(gridError('STOPPING')));
      each.timer?.cancel();
      each.longTimer?.cancel();
      each.child.kill('SIGKILL');
    }
    await Promise.all(processes.map(({ child }) => child.exited));
  }

  /** Resolves to a slot for a step. */
  async #admit(tenant: Tenant, signal: AbortSignal, isPatient: boolean): Promise<Slot> {
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    try {
      const slot = this.#admission.acquire(tenant, { signal: ending, isPatient });
      this.#metrics.maximumWaiting = Math.max(this.#metrics.maximumWaiting, this.#admission.waiting);
      return await slot;
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#metrics.cancelled++;
      throw reasonOf(signal);
    }
  }

  #active(): number {
    return [...this.#processes].filter(({ job }) => job !== undefined).length;
  }

  /** Assigns a step to an idle process, or to a new one. */
  #assign(job: Job): void {
    const idle = [...this.#processes].filter((each) => each.job === undefined);
    const worker = idle.find(({ listening }) => listening) ?? idle[0] ?? this.#start();
    worker.timer?.cancel();
    worker.timer = undefined;
    worker.job = job;
    if (worker.listening) this.#begin(worker, job);
  }

  #begin(worker: TaskProcess, job: Job): void {
    worker.longTimer = this.#options.clock.after(LONG_STEP_MS + 1, () => this.#resize());
    job.startedAtMs = this.#options.clock.monotonicMs();
    job.onStart?.();
    const waitedMs = job.startedAtMs - job.queuedAtMs;
    this.#metrics.totalWaitMs += waitedMs;
    this.#metrics.maximumWaitMs = Math.max(this.#metrics.maximumWaitMs, waitedMs);
    this.#metrics.maximumActive = Math.max(this.#metrics.maximumActive, this.#active());
    send(worker, { type: 'step', step: job.step });
  }

  /** Admits one more step for each long one. */
  #resize(): void {
    const { count, clock } = this.#options;
    const longSinceMs = clock.monotonicMs() - LONG_STEP_MS;
    let long = 0;
    for (const { job } of this.#processes) {
      if (job !== undefined && job.startedAtMs > 0 && job.startedAtMs <= longSinceMs) long++;
    }
    this.#admission.resize(count + Math.min(MAX_LONG * count, long));
  }

  #start(): TaskProcess {
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
    return worker;
  }

  #receive(worker: TaskProcess, message: FromProcess): void {
    const { job } = worker;
    switch (message.type) {
      case 'listening':
        worker.listening = true;
        send(worker, { type: 'start', configuration: this.#options.configuration });
        if (job === undefined) this.#idle(worker);
        else this.#begin(worker, job);
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
        if (message.type === 'done') this.#settle(job, () => job.resolve(message.result));
        else this.#settle(job, () => job.reject(new StepFailure(message.phase, message.text)));
        this.#idle(worker);
        this.#release(worker, job);
    }
  }

  /** Lets a process wait for a step; the process ends if none arrives. */
  #idle(worker: TaskProcess): void {
    worker.timer?.cancel();
    worker.timer = this.#options.clock.after(IDLE_MS, () => {
      this.#processes.delete(worker);
      worker.child.kill('SIGKILL');
    });
  }

  /** Hands the slot of a finished step to the next one. */
  #release(worker: TaskProcess, job: Job): void {
    worker.job = undefined;
    worker.longTimer?.cancel();
    this.#resize();
    job.slot.release();
  }

  #cancel(job: Job): void {
    if (job.settled) return;
    this.#metrics.cancelled++;
    const worker = [...this.#processes].find((each) => each.job === job);
    this.#settle(job, () => job.reject(reasonOf(job.signal)));
    if (worker === undefined) return;
    if (!worker.listening) {
      this.#release(worker, job);
      return;
    }
    send(worker, { type: 'cancel' });
    worker.timer?.cancel();
    worker.timer = this.#options.clock.after(GRACE_MS, () => worker.child.kill('SIGKILL'));
  }

  #ended(worker: TaskProcess, how: number | string | null): void {
    worker.timer?.cancel();
    worker.longTimer?.cancel();
    this.#processes.delete(worker);
    const { job } = worker;
    if (job === undefined) return;
    if (!worker.listening) this.#failStart(job, how);
    else if (!job.settled) {
      const text = `The process of the task ended before the task did [task=${job.step.task}, exit=${how}]`;
      this.#options.log.warn(text);
      this.#settle(job, () => job.reject(new StepFailure('process', text)));
    }
    this.#release(worker, job);
  }

  #failStart(job: Job, how: number | string | null): void {
    if (job.settled) return;
    const text = `The process of the task could not start [exit=${how}]`;
    this.#options.log.error(text);
    this.#settle(job, () => job.reject(new StepFailure('process', text)));
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
    send(worker, { type: 'error', requestId, text: errorText(error) });
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('The task was cancelled');
}

/** Returns the command with a limit on address space, or without one if the shell does not support it. */
function limited(command: readonly string[], memoryBytes: number): string[] {
  if (memoryBytes === 0 || process.platform === 'win32') return [...command];
  return ['/bin/sh', '-c', `ulimit -v ${Math.ceil(memoryBytes / 1024)} 2>/dev/null; exec "$0" "$@"`, ...command];
}

async function logOutput(stream: ReadableStream<Uint8Array>, log: Log): Promise<void> {
  for await (const chunk of stream) {
    log.info('A task wrote', { text: new TextDecoder().decode(chunk).slice(0, OUTPUT_CHARACTERS).trimEnd() });
  }
}
