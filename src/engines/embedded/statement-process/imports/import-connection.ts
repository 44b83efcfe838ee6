/** The importing thread's connection to one database file. */
import type { Database } from 'bun:sqlite';
import { StatementCache } from '../../sql/statement-cache.ts';
import type { WriteLogBack } from '../../storage/checkpoints.ts';
import { DATA_DATABASE, databasePath, openWithoutCheckpoints, PAGE_BYTES } from '../../storage/databases.ts';
import { addEntries } from '../../storage/deadline-index.ts';
import { type SpaceUse, type ThreadReads, TransactionSpace } from '../../storage/disk-space.ts';
import type { SharedState } from '../../storage/shared-state.ts';
import type { PrepareWriting } from '../../storage/write-connections.ts';
import { WriteTransactions } from '../../storage/write-transactions.ts';

/** Number of frames at which a write-ahead log should be checkpointed. At 1,000, any commit would do so. */
const CHECKPOINT_FRAMES = 400;
/** Number of records between checkpoints until the number of frames per record is known. */
const FIRST_RECORDS = 2_000;
const MAX_GROWTH = 4;

/** Prepares the connection of an import. */
export type PrepareImporting = PrepareWriting;

export class ImportConnection {
  readonly database: Database;
  readonly number: number;
  readonly epoch: number;
  readonly statements: StatementCache;
  readonly #transactions: WriteTransactions;
  readonly #writeLogBack: WriteLogBack;
  /** Records since the last checkpoint, and after how many the next one is due. */
  #records = 0;
  #recordsToCheckpoint = FIRST_RECORDS;

  constructor(
    reads: ThreadReads,
    number: number,
    epoch: number,
    shared: SharedState,
    writeLogBack: WriteLogBack,
    prepareWriting?: PrepareImporting,
  ) {
    const { files } = reads;
    this.#writeLogBack = writeLogBack;
    this.number = number;
    this.epoch = epoch;
    this.database = openWithoutCheckpoints(databasePath(files, number, epoch), number === DATA_DATABASE);
    const { maxSizeBytes } = files.temporaryRegions[number - 1] ?? {};
    if (number !== DATA_DATABASE && maxSizeBytes !== undefined) {
      this.database.run(`PRAGMA max_page_count = ${Math.ceil(maxSizeBytes / PAGE_BYTES)}`);
    }
    this.statements = new StatementCache(this.database);
    const space = new TransactionSpace(this.database, reads, prepareWriting?.(this.database));
    this.#transactions = new WriteTransactions(this.database, number, shared, space);
  }

  /** Returns whether the file may have been removed, as INACTIVE removes the files of non-persistent regions. */
  isOutdated(shared: SharedState): boolean {
    return this.number !== DATA_DATABASE && (shared.isInactive() || shared.epoch() !== this.epoch);
  }

  /**
   * Runs `action` in a transaction. Only a durable one waits for the disk, for itself and for all before it. With
   * `adds`, throws STORAGE_LOW.
   */
  transact<T>(action: () => T, isDurable: boolean, space?: SpaceUse): T {
    return this.#transactions.run(this.number, action, { isDurable, space });
  }

  /** Adds to a cache's number of entries. */
  addEntries(cacheId: number, count: number): void {
    addEntries({ database: this.database, prefix: '' }, cacheId, count);
  }

  /**
   * Checkpoints the log after enough records to keep it short: other threads' commits then need not do it. Nothing
   * is imported in the meantime, because a log that grows cannot start over.
   */
  async checkpointAfter(records: number): Promise<void> {
    this.#records += records;
    if (this.#records < this.#recordsToCheckpoint) return;
    const stored = this.#records;
    this.#records = 0;
    try {
      const frames = Math.max(1, (await this.#writeLogBack(this.number)).frames);
      const wanted = Math.floor((stored * CHECKPOINT_FRAMES) / frames);
      this.#recordsToCheckpoint = Math.max(1, Math.min(wanted, this.#recordsToCheckpoint * MAX_GROWTH));
    } catch {
      // The changes are safe in the log. The writer retries, and reports failures.
    }
  }

  close(): void {
    this.statements.finalize();
    this.database.close(true);
  }
}
