/**
 * The one writer. Changes that arrive in one turn of the event loop share a transaction and a commit; each is answered
 * after the commit, and each fails alone. What ends a whole transaction (a full disk does) makes the changes of the
 * batch run again one by one, so that only those fail that cannot be carried out.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import type { Checkpoints } from '../storage/checkpoints.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { isConstraint, storageFailure } from '../storage/storage-failures.ts';
import type { WriteConnection } from '../storage/write-connections.ts';
import type { ChangeChannel, ChangeName, Changes } from './changes.ts';
import { EXECUTORS, type Executor, type ExecutorParts } from './executors.ts';
import type { WriteTypeNames } from './system-writer.ts';

/** A change that waits, with its types closed over. */
interface Waiting {
  /** Number of the database that it changes; undefined: a change of structure, which has a commit of its own. */
  database(): number | undefined;
  /** Runs it and keeps its answer. Throws what it throws. */
  run(): void;
  answer(): void;
  reject(error: unknown): void;
}

export interface WriterParts extends ExecutorParts {
  readonly clock: Clock;
  readonly shared: SharedState;
  readonly names: WriteTypeNames;
  readonly checkpoints: Checkpoints;
}

export class Writer implements ChangeChannel {
  readonly #parts: WriterParts;
  #queue: Waiting[] = [];
  #scheduled = false;
  /** Long statements on other connections, and those who wait for their turn. */
  #leased = false;
  readonly #writeLockWaiters: Array<() => void> = [];
  readonly #sources = new Set<() => void>();
  #closed = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']> {
    if (this.#closed) return Promise.reject(fail('STOPPING'));
    return new Promise((resolve, reject) => {
      this.#queue.push(this.#waiting(name, request, resolve, reject));
      this.#schedule();
    });
  }

  /** `bring` is called before each commit and submits what other threads have sent by then: it shares the commit. */
  addSource(drain: () => void): void {
    this.#sources.add(drain);
  }

  removeSource(drain: () => void): void {
    this.#sources.delete(drain);
  }

  /**
   * Runs a long writing statement on another connection: changes queue until `action` is done, reads go on.
   * `action` gives the numbers of the databases that it committed to.
   */
  async withWriteLock(action: () => Promise<readonly number[]>): Promise<void> {
    while (this.#leased) await this.#writeLockEnd();
    if (this.#closed) throw fail('STOPPING');
    this.flush();
    this.#leased = true;
    try {
      for (const database of await action()) this.#parts.shared.committed(database);
    } finally {
      this.#leased = false;
      for (const wake of this.#writeLockWaiters.splice(0)) wake();
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  /** Carries out everything that waits, now. */
  flush(): void {
    if (this.#leased) return;
    while (this.#queue.length > 0) {
      const changes = this.#queue;
      this.#queue = [];
      this.#runAll(changes);
    }
    this.#parts.checkpoints.afterCommit();
  }

  /** Carries out what waits, once a long statement has ended, and takes nothing more. */
  async close(): Promise<void> {
    while (this.#leased) await this.#writeLockEnd();
    this.flush();
    this.#closed = true;
  }

  #writeLockEnd(): Promise<void> {
    return new Promise((resolve) => this.#writeLockWaiters.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#leased) return;
    this.#scheduled = true;
    this.#parts.clock.endOfTick(() => {
      for (const drain of this.#sources) drain();
      this.#scheduled = false;
      this.flush();
    });
  }

  #waiting<N extends ChangeName>(
    name: N,
    request: Changes[N]['request'],
    resolve: (answer: Changes[N]['response']) => void,
    reject: (error: unknown) => void,
  ): Waiting {
    const executor: Executor<N> = EXECUTORS[name];
    let answer: Changes[N]['response'] | undefined;
    return {
      database: () => executor.database(this.#parts, request),
      run: () => {
        answer = executor.run(this.#parts, request);
      },
      answer: () => resolve(answer as Changes[N]['response']),
      reject,
    };
  }

  #runAll(changes: readonly Waiting[]): void {
    let batches = new Map<number, Waiting[]>();
    const runBatches = (): void => {
      for (const [database, batch] of batches) this.#runBatch(database, batch);
      batches = new Map();
    };
    for (const change of changes) {
      try {
        const database = change.database();
        if (database === undefined) {
          runBatches();
          change.run();
          change.answer();
          continue;
        }
        const batch = batches.get(database);
        if (batch) batch.push(change);
        else batches.set(database, [change]);
      } catch (error) {
        change.reject(storageFailure(error));
      }
    }
    runBatches();
  }

  #runBatch(number: number, batch: readonly Waiting[]): void {
    const { connections, shared, entries, names } = this.#parts;
    const done: Waiting[] = [];
    const refused: Array<readonly [Waiting, unknown]> = [];
    let connection: WriteConnection | undefined;
    try {
      connection = connections.get(number);
      connection.begin();
      for (const change of batch) {
        try {
          change.run();
          done.push(change);
        } catch (error) {
          if (!connection.database.inTransaction || !(error instanceof GridError || isConstraint(error))) throw error;
          refused.push([change, error]);
        }
      }
      entries.writeCounts(connection.database);
      connection.commit();
    } catch (error) {
      connection?.rollback();
      entries.forget();
      names.rolledBack();
      const only = batch.length === 1 ? batch[0] : undefined;
      if (only) only.reject(storageFailure(error, connections.region(number)));
      else for (const change of batch) this.#runBatch(number, [change]);
      return;
    }
    shared.committed(number);
    entries.countCommitted();
    names.committed();
    for (const change of done) change.answer();
    for (const [change, error] of refused) change.reject(storageFailure(error));
  }
}
