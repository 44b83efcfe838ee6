/**
 * Stores the records of an import in short transactions, each with the position after its last record. Other changes
 * continue between transactions.
 */

import type { Clock } from '../../../../base/clock.ts';
import { gridError } from '../../../../base/errors.ts';
import type { ImportBatch, ImportSink, RecordResult, StoredBatch } from '../../../../bulk/import-sink.ts';
import type { Progress, StoredImport } from '../../../../bulk/progress.ts';
import type { QueuedRecord } from '../../../../bulk/queued-records.ts';
import type { ImportRequest } from '../../../../grid/bulk.ts';
import { touch } from '../../storage/databases.ts';
import type { SpaceUse } from '../../storage/disk-space.ts';
import { storageFailure } from '../../storage/storage-failures.ts';
import { whileLocked } from '../../storage/write-transactions.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ImportConnection } from './import-connection.ts';
import { forgetImports, writeImport } from './import-records.ts';
import type { Applied, Staging } from './staging.ts';
import { rejectionOf, type TransactionTarget } from './transaction-target.ts';

/** Time after which a transaction ends, because other changes wait for it. */
const TRANSACTION_MS = 0.4;
/** Time between measurements of the space on the disk: a transaction adds little. */
const MEASURE_MS = 5;
/** Number of records stored between readings of the clock. */
const RECORDS_PER_CHECK = 16;
/** Time that adding an atomic import's records to existing ones may take: at least, and per record. */
const MERGE_MS = 10_000;
const MERGED_ROWS_PER_MS = 10;
/** Time between commits that wait for the disk. */
const DURABLE_MS = 1_000;

/** Runs code that occupies the thread for long: its process is ended if it has not finished in that time. */
export type RunWork = <T>(limitMs: number, action: () => T) => T;

export interface TransactionSinkOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly request: ImportRequest;
  readonly connection: ImportConnection;
  readonly isStopping: () => boolean;
  readonly runWork: RunWork;
  /** Where an atomic import stages its records. */
  readonly staging: Staging | undefined;
}

export class TransactionSink<Prepared> implements ImportSink<Prepared> {
  readonly target: TransactionTarget<Prepared>;
  readonly rejectionOf = rejectionOf;
  readonly #options: TransactionSinkOptions;
  #durableMs: number;
  /** When the space is measured next, by the monotonic clock. */
  #measureMs = 0;

  constructor(options: TransactionSinkOptions, target: TransactionTarget<Prepared>) {
    this.#options = options;
    this.target = target;
    this.#durableMs = options.clock.monotonicMs();
  }

  /** Stores records for as long as a transaction may last. Throws STOPPING, IMPORT_ATOMIC_ROWS. */
  async store(queue: readonly QueuedRecord<Prepared>[], from: number, batch: ImportBatch): Promise<StoredBatch> {
    const { clock, connection, isStopping, staging } = this.#options;
    if (isStopping()) throw gridError('STOPPING');
    const isDurable = staging === undefined && clock.monotonicMs() - this.#durableMs >= DURABLE_MS;
    let next = from;
    await this.#locked(isDurable, true, () => {
      const endMs = clock.monotonicMs() + TRANSACTION_MS;
      for (let done = 0; next < queue.length; next++) {
        const queued = queue[next];
        if (queued === undefined || (++done % RECORDS_PER_CHECK === 0 && clock.monotonicMs() > endMs)) break;
        if (!batch.count(queued.record, this.#storeRecord(queued))) break;
      }
      this.target.end();
      this.#writePosition(batch.position());
    });
    if (isDurable) this.#durableMs = clock.monotonicMs();
    await connection.checkpointAfter(next - from);
    staging?.checkRows(batch.position().progress.rows);
    return { next, isDurable };
  }

  /** Syncs all stored records to the disk. An atomic import makes its staged records visible. */
  async complete(position: StoredImport): Promise<Progress> {
    const { staging } = this.#options;
    if (staging !== undefined) return this.#apply(staging, position.progress);
    await this.#writeToDisk(position, true);
    return position.progress;
  }

  async abort(position: StoredImport): Promise<Progress> {
    if (this.#options.staging === undefined) await this.#writeToDisk(position, false);
    return position.progress;
  }

  close(): void {
    this.target.close();
  }

  /** Removes the staged records. Nothing waits for it, and the next startup removes any that remain. */
  discard(): void {
    void this.#options.staging?.discard().catch(() => {});
  }

  #storeRecord({ prepared, reason }: QueuedRecord<Prepared>): RecordResult {
    if (prepared === undefined) return { reason: reason ?? '' };
    try {
      return this.target.store(prepared);
    } catch (error) {
      const rejected = rejectionOf(error);
      if (rejected === undefined) throw error;
      return { reason: rejected };
    }
  }

  async #apply(staging: Staging, progress: Progress): Promise<Progress> {
    const { rows, skipped } = progress;
    let applied: Applied = { rows, skipped: 0 };
    // The commit of a swap or merge waits for the disk.
    if (!(await staging.swap())) {
      this.#measureMs = 0;
      await this.#locked(true, true, () => {
        const limitMs = Math.max(MERGE_MS, rows / MERGED_ROWS_PER_MS);
        applied = this.#options.runWork(limitMs, () => staging.merge(rows));
      });
    }
    staging.applied();
    return { ...progress, state: 'done', rows: applied.rows, skipped: skipped + applied.skipped };
  }

  async #writeToDisk(position: StoredImport, stores: boolean): Promise<void> {
    const { connection, clock } = this.#options;
    await this.#locked(true, stores, () => {
      // Only a change makes a commit wait for the disk.
      touch(connection.database);
      this.#writePosition(position);
      forgetImports(connection, clock.nowMs());
    });
  }

  #writePosition(position: StoredImport): void {
    const { connection, request, clock } = this.#options;
    if (request.id === undefined) return;
    writeImport(connection, request.owner, request.id, position, clock.nowMs());
  }

  /**
   * Returns a transaction's effect on the space. Transactions of less than a millisecond are not measured every time.
   */
  #spaceOf(stores: boolean): SpaceUse | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    if (!stores || nowMs < this.#measureMs) return undefined;
    this.#measureMs = nowMs + MEASURE_MS;
    return 'adds';
  }

  /** Runs `action` in a transaction while no other thread writes. `stores`: it stores records. */
  async #locked(isDurable: boolean, stores: boolean, action: () => void): Promise<void> {
    const { thread, connection } = this.#options;
    const store = (): void => {
      // The files of non-persistent regions may be gone.
      if (connection.isOutdated(thread.shared))
        throw gridError(thread.shared.isInactive() ? 'INACTIVE' : 'REGION_LOST');
      if (stores) this.target.begin();
      connection.transact(action, isDurable, this.#spaceOf(stores));
      this.target.committed();
    };
    try {
      await whileLocked(thread.shared, 'rows', store);
    } catch (error) {
      this.target.rolledBack();
      throw storageFailure(error, thread.reads.files.temporaryRegions[connection.number - 1]);
    }
  }
}
