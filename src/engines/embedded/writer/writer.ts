/**
 * The writer. Changes that arrive in one tick of the event loop share a transaction and a commit. Each one resolves
 * after the commit, and fails alone. After an error that ends the whole transaction (a full disk, for example), the
 * writer repeats the batch's changes one by one, so that only those that cannot be stored fail. A change of many keys
 * pauses between its steps, while its transaction and the write lock are held.
 */

import type { QueueStatistics } from '../../../base/admission.ts';
import type { Clock } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { Histogram } from '../../../base/histogram.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { completeAtOnce } from '../../../base/slices.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import type { StorageReport } from '../../../grid/storage-report.ts';
import type { Checkpoints } from '../storage/checkpoints.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { DiskSpace } from '../storage/disk-space.ts';
import { fileFailure } from '../storage/file-watch.ts';
import type { Log } from '../storage/log.ts';
import { isConstraint, storageFailure } from '../storage/storage-failures.ts';
import type { WriteTypeNames } from '../storage/type-names.ts';
import type { ChangeChannel, ChangeName, Changes } from './changes.ts';
import { EXECUTORS, type Executor, type ExecutorOptions } from './executors.ts';
import { RolledBack } from './idempotent-writer.ts';
import { LogSync } from './log-sync.ts';
import type { Steps } from './steps.ts';

/**
 * Time after which a long change pauses, and queued changes that have not begun wait for the next tick, in ms: reads
 * are answered in between.
 */
const BATCH_MS = 10;

/** From a commit in memory to one on an overloaded disk. */
const COMMIT_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];
const COMMIT_CHANGES_BOUNDS = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000];

/** A queued change, with any types of request and response. */
interface QueuedChange {
  /** When it began to wait for the write lock, by the monotonic clock, or undefined if it does not. */
  waitsSinceMs: number | undefined;
  /**
   * Called while another thread holds the lock for long. Sends the response that the change has before it runs, if any.
   * Returns false if it need not run.
   */
  beforeLock(options: ExecutorOptions): boolean;
  /** Returns the number of the database that it changes, or undefined if it commits separately. */
  database(options: ExecutorOptions): number | undefined;
  /** Returns how long it may be acknowledged without being on disk, in ms, or 0 for not at all. */
  unsyncedMs(options: ExecutorOptions): number;
  /** Runs the change and stores its response, or returns the steps that do so. */
  run(options: ExecutorOptions): Steps<void> | undefined;
  respond(): void;
  reject(error: unknown): void;
}

/** One object for each change, because closures would cost more. */
class TypedChange<N extends ChangeName> implements QueuedChange {
  waitsSinceMs: number | undefined;
  #isResponded = false;
  readonly #reject: (error: unknown) => void;
  readonly #executor: Executor<N>;
  readonly #log: Log;
  readonly #request: Changes[N]['request'];
  readonly #resolve: (response: Changes[N]['response']) => void;
  #response: Changes[N]['response'] | undefined;

  constructor(
    name: N,
    request: Changes[N]['request'],
    resolve: (response: Changes[N]['response']) => void,
    reject: (error: unknown) => void,
    log: Log,
  ) {
    this.#log = log;
    this.#executor = EXECUTORS[name];
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  beforeLock(options: ExecutorOptions): boolean {
    try {
      const early = this.#executor.beforeLock?.(options, this.#request);
      if (early === undefined) return true;
      this.#isResponded = true;
      this.#resolve(early.response);
      return early.isQueued;
    } catch (error) {
      this.reject(error);
      return false;
    }
  }

  reject(error: unknown): void {
    if (!this.#isResponded) this.#reject(error);
    else this.#log('error', `A session that was opened could not be stored: ${error}`);
  }

  database(options: ExecutorOptions): number | undefined {
    return this.#executor.database(options, this.#request);
  }

  unsyncedMs(options: ExecutorOptions): number {
    return this.#executor.unsyncedMs?.(options, this.#request) ?? 0;
  }

  run(options: ExecutorOptions): Steps<void> | undefined {
    const steps = this.#executor.steps?.(options, this.#request);
    if (steps !== undefined) return this.#runSteps(steps);
    this.#response = this.#executor.run(options, this.#request);
    return undefined;
  }

  *#runSteps(steps: Steps<Changes[N]['response']>): Steps<void> {
    this.#response = yield* steps;
  }

  respond(): void {
    // Called after `run`, so it is the response.
    this.#resolve(this.#response as Changes[N]['response']);
  }
}

export interface WriterOptions extends Omit<ExecutorOptions, 'logSync'> {
  readonly regions: ReadonlyMap<string, Region>;
  readonly clock: Clock;
  readonly log: Log;
  readonly names: WriteTypeNames;
  readonly checkpoints: Checkpoints;
  readonly diskSpace: DiskSpace;
  /** See `EmbeddedOptions`. */
  readonly isSyncedByShipping: boolean;
}

export class Writer implements ChangeChannel {
  readonly #options: WriterOptions & ExecutorOptions;
  /** Duration of batch commits, and the number of changes per batch. */
  readonly #commitMs = new Histogram(COMMIT_BOUNDS_MS);
  readonly #commitChanges = new Histogram(COMMIT_CHANGES_BOUNDS);
  #rollbacks = 0;
  /** The changes that have waited for a statement, and how long. */
  #waits = 0;
  #waitedMs = 0;
  #queue: QueuedChange[] = [];
  #scheduled = false;
  /** True while queued changes wait for another holder to release the lock. */
  #isWaiting = false;
  /** How often a statement had acquired the lock when the writer last did. */
  #statements = 0;
  #closed = false;

  constructor(options: WriterOptions) {
    const logSync = new LogSync(options.regions, options.clock, () => this.#syncLog());
    this.#options = { ...options, logSync };
  }

  /** Whether commits may be acknowledged before they are on disk. */
  get syncsLater(): boolean {
    return this.#options.logSync.isUsed;
  }

  /** Returns the statistics of changes that waited for the write lock. */
  statistics(): QueueStatistics {
    return { rejected: 0, waits: this.#waits, waitedMs: this.#waitedMs };
  }

  commitStatistics(): Pick<StorageReport, 'commitMs' | 'commitChanges' | 'rollbacks'> {
    return { commitMs: this.#commitMs.read(), commitChanges: this.#commitChanges.read(), rollbacks: this.#rollbacks };
  }

  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']> {
    if (this.#closed) return Promise.reject(gridError('STOPPING'));
    if (this.#options.shared.isFileGone()) return Promise.reject(fileFailure());
    const ready = EXECUTORS[name].ready?.(this.#options);
    if (ready !== undefined) return ready.then(() => this.submit(name, request));
    return new Promise((resolve, reject) => {
      this.#queue.push(new TypedChange(name, request, resolve, reject, this.#options.log));
      this.#schedule();
    });
  }

  /**
   * Runs `action` while nothing else is written. Changes queue until it ends; reads continue. `action` returns the
   * numbers of the databases that it committed to.
   */
  async withWriteLock(action: () => Promise<readonly number[]>): Promise<void> {
    const { shared, clock } = this.#options;
    const { writeLock } = shared;
    this.#checkOpen();
    if (!writeLock.tryAcquire('pause')) await writeLock.acquire('pause', () => this.#checkOpen());
    try {
      this.#acquired();
      const untilMs = clock.monotonicMs() + BATCH_MS;
      await this.#complete(this.#runQueued(untilMs), untilMs);
      for (const database of await action()) shared.committed(database);
    } finally {
      writeLock.release();
    }
  }

  /** Throws STOPPING, or STORAGE_FAILED if the data file is gone. */
  #checkOpen(): void {
    if (this.#closed) throw gridError('STOPPING');
    if (this.#options.shared.isFileGone()) throw fileFailure();
  }

  /** Runs queued changes now, or as soon as the write lock is free; those beyond a time slice in the next tick. */
  flush(): void {
    const { writeLock } = this.#options.shared;
    if (!this.#isWaiting && writeLock.tryAcquire('changes')) {
      void this.#runSlice();
      return;
    }
    if (writeLock.isHeldLong()) this.#respondBeforeLock();
    if (!this.#isWaiting) void this.#flushWhenFree();
  }

  /** Runs queued changes for a time slice, and releases the lock. */
  #runSlice(): MaybePromise<void> {
    const untilMs = this.#options.clock.monotonicMs() + BATCH_MS;
    return this.#complete(this.#sliceUntil(untilMs), untilMs);
  }

  *#sliceUntil(untilMs: number): Steps<void> {
    try {
      this.#acquired();
      yield* this.#runQueued(untilMs);
      this.#options.checkpoints.afterCommit();
      this.#options.diskSpace.afterCommit();
    } finally {
      this.#options.shared.writeLock.release();
    }
    if (this.#queue.length > 0) this.#scheduleNext();
  }

  /** Runs all steps, with a pause after each time slice. The first one ends at `endMs`, by the monotonic clock. */
  #complete(steps: Steps<void>, endMs: number): MaybePromise<void> {
    const { clock } = this.#options;
    while (steps.next().done !== true) {
      if (clock.monotonicMs() < endMs) continue;
      return new Promise<void>((resolve) => clock.nextTick(resolve)).then(() =>
        this.#complete(steps, clock.monotonicMs() + BATCH_MS),
      );
    }
  }

  /** Called when the writer has acquired the lock. */
  #acquired(): void {
    this.#countWaits();
    const { shared, once, diskSpace } = this.#options;
    const statements = shared.writeLock.statements();
    if (statements !== this.#statements) {
      this.#statements = statements;
      // A batch may have stored results.
      once.refresh();
    } else if (!shared.isDiskLow()) return;
    diskSpace.check();
  }

  /** Sends the responses of changes that have one before they run. */
  #respondBeforeLock(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#queue = this.#queue.filter((change) => {
      if (change.waitsSinceMs !== undefined) return true;
      change.waitsSinceMs = nowMs;
      return change.beforeLock(this.#options);
    });
  }

  /** Runs the rest of the queue after the event loop has polled for new events. */
  #scheduleNext(): void {
    this.#scheduled = true;
    this.#options.clock.nextTick(() => this.#runScheduled());
  }

  /** Runs the queued changes when the lock is free. */
  async #flushWhenFree(): Promise<void> {
    this.#isWaiting = true;
    const poll = (): void => {
      if (this.#closed) throw gridError('STOPPING');
      if (this.#options.shared.writeLock.isHeldLong()) this.#respondBeforeLock();
    };
    try {
      await this.#options.shared.writeLock.acquire('changes', poll);
    } catch {
      // Closing has run what was queued.
      return;
    } finally {
      this.#isWaiting = false;
    }
    await this.#runSlice();
  }

  /** Runs the queued changes; those that have not begun at `untilMs`, by the monotonic clock, stay in the queue. */
  *#runQueued(untilMs: number): Steps<void> {
    let isOver = false;
    while (this.#queue.length > 0 && !isOver) {
      const changes = this.#queue;
      this.#queue = [];
      const left = yield* this.#runAll(changes, untilMs);
      // Changes that arrived in a pause do not keep other threads from the lock.
      if (left.length === 0 && this.#queue.length === 0) continue;
      this.#queue = [...left, ...this.#queue];
      isOver = left.length > 0 || this.#options.clock.monotonicMs() >= untilMs;
    }
    if (this.#queue.length === 0 && this.#options.shared.hasPendingSessions()) this.#options.pendingSessions.clear();
  }

  /** Runs the queued changes when the write lock is free. Later ones are rejected with STOPPING. */
  async close(): Promise<void> {
    const { writeLock } = this.#options.shared;
    await writeLock.acquire('changes');
    this.#acquired();
    completeAtOnce(this.#runQueued(Number.POSITIVE_INFINITY));
    writeLock.release();
    this.#closed = true;
    this.#options.logSync.stop();
  }

  #syncLog(): void {
    this.submit('syncLog', {}).catch((error: unknown) => {
      this.#options.log('error', `Acknowledged changes could not be synced: ${String(error)}`);
    });
  }

  /** Counts the changes that no longer wait for the write lock. */
  #countWaits(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const change of this.#queue) {
      if (change.waitsSinceMs === undefined) continue;
      this.#waits++;
      this.#waitedMs += nowMs - change.waitsSinceMs;
      change.waitsSinceMs = undefined;
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.clock.endOfTick(() => this.#runScheduled());
  }

  #runScheduled(): void {
    this.#scheduled = false;
    this.flush();
  }

  /** Runs changes; returns those that had not begun at `untilMs`, in an order that each database keeps. */
  *#runAll(changes: readonly QueuedChange[], untilMs: number): Steps<readonly QueuedChange[]> {
    const batches = new Map<number, QueuedChange[]>();
    for (const change of changes) {
      try {
        const database = change.database(this.#options);
        if (database === undefined) {
          const left = yield* this.#runBatches(batches, untilMs);
          const at = changes.indexOf(change);
          const isOver = at > 0 && this.#options.clock.monotonicMs() >= untilMs;
          if (left.length > 0 || isOver) return [...left, ...changes.slice(at)];
          const steps = change.run(this.#options);
          if (steps !== undefined) yield* steps;
          change.respond();
          continue;
        }
        const batch = batches.get(database);
        if (batch) batch.push(change);
        else batches.set(database, [change]);
      } catch (error) {
        change.reject(storageFailure(error));
      }
    }
    return yield* this.#runBatches(batches, untilMs);
  }

  /** Runs the changes of each database and removes them from `batches`. */
  *#runBatches(batches: Map<number, QueuedChange[]>, untilMs: number): Steps<readonly QueuedChange[]> {
    const left: QueuedChange[] = [];
    for (const [database, batch] of batches) left.push(...(yield* this.#runBatch(database, batch, untilMs)));
    batches.clear();
    return left;
  }

  /** Returns how long all changes of a batch may be acknowledged without being on disk, or 0 for not at all. */
  #unsyncedMs(batch: readonly QueuedChange[]): number {
    let leastMs = Number.POSITIVE_INFINITY;
    for (const change of batch) {
      leastMs = Math.min(leastMs, change.unsyncedMs(this.#options));
      if (leastMs === 0) return 0;
    }
    return leastMs;
  }

  /** Runs at least one of a database's changes in a transaction; returns those that had not begun at `untilMs`. */
  *#runBatch(number: number, changes: readonly QueuedChange[], untilMs: number): Steps<readonly QueuedChange[]> {
    let batch = changes;
    const { clock, connections, entries, names, once, shared, system, logSync, diskSpace, isSyncedByShipping } =
      this.#options;
    const done: QueuedChange[] = [];
    const rejected: Array<readonly [QueuedChange, unknown]> = [];
    const isSyncedLater = logSync.isUsed && number === DATA_DATABASE;
    let unsyncedMs = 0;
    shared.adds = false;
    const startMs = clock.monotonicMs();
    try {
      const connection = connections.get(number);
      if (isSyncedLater) unsyncedMs = this.#unsyncedMs(batch);
      connection.begin(unsyncedMs === 0 && !isSyncedByShipping);
      once.began(number);
      for (const change of changes) {
        const begun = done.length + rejected.length;
        if (begun > 0 && clock.monotonicMs() >= untilMs) {
          batch = changes.slice(0, begun);
          break;
        }
        try {
          const steps = change.run(this.#options);
          if (steps !== undefined) yield* steps;
          done.push(change);
        } catch (error) {
          if (!connection.database.inTransaction || !(error instanceof GridError || isConstraint(error))) throw error;
          rejected.push([change, error]);
        }
      }
      once.beforeCommit();
      entries.writeCounts(connection);
      // A change that leaves its row unchanged writes no page, so its commit would not sync the earlier ones.
      if (isSyncedLater && unsyncedMs === 0 && !isSyncedByShipping && logSync.isPending) system.syncLog();
      if (number === DATA_DATABASE && shared.adds) diskSpace.checkBatch(startMs);
      const beginMs = clock.monotonicMs();
      connection.commit();
      connections.space.committed();
      this.#commitMs.record(clock.monotonicMs() - beginMs);
      this.#commitChanges.record(done.length);
    } catch (failure) {
      connections.find(number)?.rollBack();
      const error = connections.space.failed(failure);
      this.#rollbacks++;
      entries.forget();
      names.rolledBack();
      once.rolledBack(number);
      const only = batch.length === 1 ? batch[0] : undefined;
      if (only) {
        only.reject(error instanceof RolledBack ? error.reason : storageFailure(error, connections.region(number)));
      } else {
        for (const change of batch) yield* this.#runBatch(number, [change], untilMs);
      }
      return changes.slice(batch.length);
    }
    once.committed();
    if (isSyncedLater) logSync.committed(unsyncedMs);
    entries.countCommitted();
    names.committed();
    for (const change of done) change.respond();
    for (const [change, error] of rejected) change.reject(storageFailure(error));
    return changes.slice(batch.length);
  }
}
