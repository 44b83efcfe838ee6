/**
 * Starts statement processes and the process for changes on demand, and replaces those that die. The main thread and
 * the HTTP threads are their clients: each connects to one when it first needs it.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { ContinuousBackup } from '../../engines/embedded/backup/continuous/continuous-backup.ts';
import type { MeasuredProcess } from '../../engines/embedded/dispatch/memory-budget.ts';
import { MEMORY_OVER, ProcessEnded } from '../../engines/embedded/dispatch/statement-router.ts';
import { StuckProcesses } from '../../engines/embedded/dispatch/stuck-processes.ts';
import type { EmbeddedGrid } from '../../engines/embedded/embedded-grid.ts';
import type { GuardLibrary } from '../../engines/embedded/native/guard-library.ts';
import { residentBytesOf } from '../../engines/embedded/shared/resident-memory.ts';
import {
  type SharedQueryState,
  type StatementRun,
  WRITING_PROCESS,
} from '../../engines/embedded/shared/shared-query-state.ts';
import type { OwnedMethods, OwnerMethods } from '../../engines/embedded/statement-process/statement-process.ts';
import type { ProcessFolder } from '../../engines/embedded/storage/temporary-folders.ts';
import type { ServiceInfo } from '../../engines/embedded/system-views/service-info.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { Checkpointer } from '../checkpoint/checkpointer.ts';
import { watchBudgets } from './statement-budgets.ts';
import { type ProcessEnd, STARTING } from './statement-process-client.ts';
import {
  type HostEnd,
  type StatementProcessHost,
  type StatementProcessSetup,
  startProcess,
} from './statement-process-host.ts';

/** Called when a statement process has ended and its ports are closed. */
export type OnProcessEnd = (end: ProcessEnd) => void;

/** How long a shutdown waits for a statement that cannot be cancelled. */
const STOP_MS = 1_500;
/** How often processes are measured whose memory the kernel does not limit. */
const MEMORY_CHECK_MS = 20;
/** How often processes are checked for statements that do not end. */
const STUCK_CHECK_MS = 250;
/** All but one end after this much idle time, because each holds separate memory. */
const SPARE_MS = 5_000;
/** If one ended before it was ready, it is not replaced sooner than this. */
const RESTART_MS = 1_000;

interface Running {
  readonly host: StatementProcessHost;
  /** Path of the socket to which clients connect. */
  socket: string;
  /** The number under which it holds the write lock. */
  readonly writer: number;
  readonly channel: RpcChannel<OwnedMethods, OwnerMethods>;
  /** Resolves when clients can connect; rejects if it ends before. */
  readonly ready: PromiseWithResolvers<void>;
  isReady: boolean;
  /** Since when a message to it has been waiting while it runs nothing, or undefined if no message waits. */
  silentSinceMs: number | undefined;
  /** Its memory when it became ready, in bytes. */
  begunBytes: number;
  /** Whether its memory is limited from here, because the kernel does not do it. */
  isMeasured: boolean;
}

export interface StatementProcessOwnerOptions {
  readonly grid: EmbeddedGrid;
  readonly configuration: Configuration;
  readonly argv: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly queryState: SharedQueryState;
  /** The SQLite extension that interrupts statements, if it can be loaded. */
  readonly library: GuardLibrary;
  /** The folder of the processes' sockets. */
  readonly processFolder: ProcessFolder;
  /** The continuous backup, which keeps the data file's log. */
  readonly continuous: ContinuousBackup | undefined;
  /** Called when a process is ended because its statement does not end. */
  readonly onStuck: () => void;
}

/** Owns the statement processes. Runs in the main thread. */
export class StatementProcessOwner {
  readonly #grid: EmbeddedGrid;
  readonly #configuration: Configuration;
  readonly #argv: readonly string[];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #queryState: SharedQueryState;
  readonly #library: string | undefined;
  readonly #processFolder: ProcessFolder;
  readonly #onStuck: () => void;
  readonly #stuck: StuckProcesses;
  readonly #checkpointer: Checkpointer;
  /** Processes that were ended because their statements did not end, until they have exited. */
  readonly #ends = new Map<number, ProcessEnd>();
  /** Since when processes have been spare, and those being ended for that reason. */
  readonly #spareSinceMs = new Map<number, number>();
  readonly #retired = new Set<number>();
  #isWatching = false;
  #isWatchingMemory = false;
  readonly #running = new Map<number, Running>();
  /** Until when a process that cannot start is not restarted. */
  readonly #notBeforeMs = new Map<number, number>();
  readonly #clients = new Set<OnProcessEnd>();
  #stopping = false;
  /** Source of the service's system views; empty until the service sets it. */
  serviceInfo: () => MaybePromise<ServiceInfo> = () => ({});

  constructor(options: StatementProcessOwnerOptions) {
    const { grid, configuration, argv, clock, log, queryState, library, processFolder, continuous, onStuck } = options;
    this.#grid = grid;
    this.#queryState = queryState;
    this.#configuration = configuration;
    this.#argv = argv;
    this.#clock = clock;
    this.#log = log;
    this.#library = library.path;
    this.#processFolder = processFolder;
    this.#onStuck = onStuck;
    const { writeLock } = grid.thread.shared;
    const ticksOf = (index: number): string | undefined => this.#running.get(index)?.host.processorTicks();
    const { writeLockMs } = configuration.query;
    this.#stuck = new StuckProcesses({ queryState, clock, writeLock, writeLockMs, ticksOf });
    this.#checkpointer = new Checkpointer({ grid, clock, log, continuous, detachCursors: () => this.#detachCursors() });
  }

  /** Registers a client and returns the function that unregisters it. */
  addClient(onProcessEnd: OnProcessEnd): () => void {
    this.#clients.add(onProcessEnd);
    return () => this.#clients.delete(onProcessEnd);
  }

  /** Returns the path of the socket for a client, and starts the process if it is not running. */
  async address(index: number): Promise<string> {
    const notBeforeMs = this.#notBeforeMs.get(index) ?? 0;
    if (this.#clock.monotonicMs() < notBeforeMs) throw new ProcessEnded(STARTING);
    const running = this.#running.get(index) ?? this.#tryStart(index);
    await running.ready.promise;
    if (!this.#processFolder.has(running.socket)) {
      running.socket = this.#processFolder.newSocket();
      await running.channel.call('listen', { socket: running.socket });
    }
    return running.socket;
  }

  /** Writes a new store's log back. */
  writeNewBack(): void {
    this.#checkpointer.writeNewBack();
  }

  /** Cancels running statements and ends the processes. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#checkpointer.stop();
    this.#queryState.stop();
    const running = [...this.#running.values()];
    const stopped = Promise.allSettled(running.map(({ channel }) => channel.call('stop', null)));
    await Promise.race([stopped, sleep(this.#clock, STOP_MS)]);
    // The service writes the logs back if it is the last one to close the files.
    await Promise.all(
      running.map(async ({ host, channel }) => {
        await host.end();
        // Frees the write lock, which a process that did not stop may have held.
        this.#grid.disconnect(channel);
        channel.close();
      }),
    );
  }

  /** Starts checking the statements of all statement processes. */
  #watchStatements(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#clock.every(STUCK_CHECK_MS, () => {
      this.#endStuck();
      this.#endSilent();
      this.#endSpare();
    });
    if (this.#library === undefined) return;
    const promisedBytes = (): number => this.#grid.promisedBytes();
    watchBudgets(this.#queryState, this.#configuration, this.#clock, () => this.#measured(), promisedBytes);
  }

  /** Starts checking the processes whose memory the kernel does not limit. */
  #watchMemory(): void {
    if (this.#isWatchingMemory) return;
    this.#isWatchingMemory = true;
    this.#clock.every(MEMORY_CHECK_MS, () => {
      for (const [index, { host, isMeasured, begunBytes }] of this.#running) {
        if (!isMeasured || this.#ends.has(index)) continue;
        const grownBytes = residentBytesOf(host.processId) - begunBytes;
        if (grownBytes <= this.#configuration.query.processMemoryBytes) continue;
        this.#log.warn('A statement process has taken too much memory and is replaced', { process: index, grownBytes });
        this.#ends.set(index, endOf(index, true, this.#queryState.currentRun(index)));
        void host.end();
      }
    });
  }

  #measured(): MeasuredProcess[] {
    return [...this.#running].map(([index, { host, begunBytes }]) => ({
      index,
      processId: host.processId,
      begunBytes,
    }));
  }

  /** Ends processes that hang; their clients start new ones. */
  #endStuck(): void {
    const running = [...this.#running].filter(([index]) => !this.#ends.has(index));
    for (const stuck of this.#stuck.find(new Map(running.map(([index, { writer }]) => [index, writer])))) {
      this.#log.warn('A statement process does not end its work and is replaced', {
        process: stuck.index,
        reason: stuck.reason,
      });
      this.#ends.set(stuck.index, stuck);
      this.#onStuck();
      void this.#running.get(stuck.index)?.host.end();
    }
  }

  /** Ends processes that have requests, but run nothing and read no messages: suspended ones. */
  #endSilent(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [index, running] of this.#running) {
      if (this.#ends.has(index)) continue;
      if (this.#queryState.currentRun(index) !== undefined && running.silentSinceMs !== undefined) {
        running.silentSinceMs = nowMs;
      } else if (running.silentSinceMs === undefined) {
        if (!this.#queryState.hasRequests(index)) continue;
        running.silentSinceMs = nowMs;
        const answered = (): void => {
          running.silentSinceMs = undefined;
        };
        running.channel.call('ping', null).then(answered, answered);
      } else if (this.#stuck.isSilent(running.silentSinceMs)) {
        this.#log.warn('A statement process takes no messages and is replaced', { process: index });
        this.#ends.set(index, endOf(index, false, undefined));
        this.#onStuck();
        void running.host.end();
      }
    }
  }

  /** Ends processes that were started alongside long statements and have been idle since, and processes that drain. */
  #endSpare(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [index, running] of this.#running) {
      if (!this.#queryState.isSpare(index)) this.#spareSinceMs.delete(index);
      else if (!this.#spareSinceMs.has(index)) this.#spareSinceMs.set(index, nowMs);
      const isUnused = nowMs - (this.#spareSinceMs.get(index) ?? nowMs) >= SPARE_MS;
      if (!(isUnused || this.#queryState.isDraining(index)) || !this.#queryState.tryRetire(index)) continue;
      this.#retired.add(index);
      const stopped = running.channel.call('stop', null).catch(() => null);
      void Promise.race([stopped, sleep(this.#clock, STOP_MS)]).then(() => running.host.end());
    }
  }

  #tryStart(index: number): Running {
    try {
      return this.#start(index);
    } catch (error) {
      // The system allows no more processes, or the program no longer exists.
      this.#log.error('A statement process cannot start', { process: index, detail: String(error) });
      this.#notBeforeMs.set(index, this.#clock.monotonicMs() + RESTART_MS);
      throw error;
    }
  }

  #start(index: number): Running {
    this.#watchStatements();
    const socket = this.#processFolder.newSocket();
    const host = this.#startHost(index, socket);
    const channel = new RpcChannel<OwnedMethods, OwnerMethods>(host.port, this.#clock);
    const { limits, queryIdleTimeoutMs, query } = this.#configuration;
    const setup = this.#grid.connect(channel);
    const message: StatementProcessSetup = {
      type: 'start',
      argv: this.#argv,
      clockShift: this.#clock.shift,
      start: {
        setup,
        index,
        queryAreas: this.#queryState.areas,
        maxCursors: limits.openCursors,
        idleMs: queryIdleTimeoutMs,
        budget: query,
        guardLibrary: this.#library,
        slowMs: this.#configuration.log.slowMs,
      },
    };
    host.begin(message);
    this.#serve(index, channel);
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    const running: Running = {
      host,
      socket,
      writer: setup.thread,
      channel,
      ready,
      isReady: false,
      silentSinceMs: this.#clock.monotonicMs(),
      begunBytes: 0,
      isMeasured: false,
    };
    channel.serve('ready', ({ memoryIsBounded }) => {
      running.isReady = true;
      running.silentSinceMs = undefined;
      running.begunBytes = residentBytesOf(host.processId);
      running.isMeasured = query.processMemoryBytes > 0 && !memoryIsBounded;
      if (running.isMeasured) this.#watchMemory();
      ready.resolve();
      return null;
    });
    this.#running.set(index, running);
    this.#queryState.started(index);
    return running;
  }

  #startHost(index: number, socket: string): StatementProcessHost {
    const onEnd = (end: HostEnd): void => this.#ended(index, host, end);
    const options = {
      socket,
      memoryBytes: this.#configuration.query.processMemoryBytes,
      log: this.#log,
    };
    const host = startProcess(index, options, onEnd);
    return host;
  }

  #serve(index: number, channel: RpcChannel<OwnedMethods, OwnerMethods>): void {
    channel.serve('slowStatement', ({ text, user, timeMs, advice }) => {
      this.#log.warn('A statement was slow', {
        statement: text,
        timeMs: Math.round(timeMs),
        ...(user !== '' && { user }),
        ...(advice !== undefined && { advice }),
      });
      return null;
    });
    channel.serve('expectExpiry', ({ cache, atMs }) => {
      this.#grid.expectExpiry(cache, atMs);
      return null;
    });
    channel.serve('cursorEvicted', ({ user }) => {
      this.#log.info('A cursor was closed because another user needs its share', { user });
      return null;
    });
    channel.serve('evictCursor', async ({ holder }) => {
      await this.#evictCursor(holder, index);
      return null;
    });
    channel.serve('serviceInfo', () => this.serviceInfo());
    channel.serve('writeLogBack', ({ database }) => this.#checkpointer.checkpoint(database));
    channel.serve('analyze', (table) => this.#analyze(table));
  }

  /** Asks the process for changes to analyse a table; the next statement retries while that process is being ended. */
  async #analyze(table: OwnerMethods['analyze']['request']): Promise<null> {
    const { channel } = this.#running.get(WRITING_PROCESS) ?? this.#start(WRITING_PROCESS);
    if (!this.#queryState.requestSent(WRITING_PROCESS)) return null;
    try {
      return await channel.call('analyze', table);
    } finally {
      this.#queryState.requestEnded(WRITING_PROCESS);
    }
  }

  /** Asks the processes, one after another, to close a cursor of a holder; `asking` has none itself. */
  async #evictCursor(holder: string, asking: number): Promise<void> {
    for (const [index, { channel }] of [...this.#running]) {
      if (index !== asking && (await channel.call('evictCursor', { holder }).catch(() => false))) return;
    }
  }

  #ended(index: number, host: StatementProcessHost, { isOutOfMemory, detail }: HostEnd): void {
    const running = this.#running.get(index);
    if (running === undefined || running.host !== host || this.#stopping) return;
    const run = this.#queryState.currentRun(index);
    const end = { ...(this.#ends.get(index) ?? endOf(index, isOutOfMemory, run)), ...(run && { running: run.ticket }) };
    this.#ends.delete(index);
    this.#spareSinceMs.delete(index);
    const isRetired = this.#retired.delete(index);
    if (!isRetired) {
      this.#log.warn('A statement process ended; it is restarted when needed', { process: index, detail });
    }
    if (!running.isReady) this.#notBeforeMs.set(index, this.#clock.monotonicMs() + RESTART_MS);
    this.#running.delete(index);
    this.#queryState.ended(index, !isRetired);
    this.#grid.disconnect(running.channel);
    running.channel.close();
    running.ready.reject(new ProcessEnded(end.reason));
    for (const onProcessEnd of this.#clients) onProcessEnd(end);
    // Its staged rows no longer belong to any process.
    if (index === WRITING_PROCESS) void this.#grid.writer.submit('dropStaged', { id: null }).catch(() => {});
  }

  async #detachCursors(): Promise<void> {
    if (this.#queryState.openCursors() === 0) return;
    const running = [...this.#running.values()];
    await Promise.allSettled(running.map(({ channel }) => channel.call('detachCursors', null)));
  }
}

/** Returns the reason why a process has ended by itself. Its statement has failed if it used too much memory. */
function endOf(index: number, isOutOfMemory: boolean, run: StatementRun | undefined): ProcessEnd {
  if (!isOutOfMemory || run === undefined) return { index, reason: 'its process ended' };
  return { index, reason: MEMORY_OVER, ticket: run.ticket };
}
