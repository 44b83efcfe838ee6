/** The writer's connections: one to the data file and one to each non-persistent region's file. */
import type { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import type { Region } from '../../../grid/cache-rules.ts';
import {
  DATA_DATABASE,
  type DatabaseFiles,
  databasePath,
  openForWriting,
  PAGE_BYTES,
  type WritableDatabase,
} from './databases.ts';
import { type LimitLog, type ThreadReads, TransactionSpace } from './disk-space.ts';
import { createPrivateFile } from './private-files.ts';
import { openRestored, removeRestored, restoredRegions } from './restored-regions.ts';
import { migrateRegionFile } from './schema.ts';
import type { SharedState } from './shared-state.ts';
import { WriteTransactions } from './write-transactions.ts';

/** Readers of the log end their tick within milliseconds; requests wait while the writer waits for others. */
const READERS_WAIT_MS = 8;

/** Prepares a writing connection, whose log is open. Returns the limiter of its log, if it can be limited. */
export type PrepareWriting = (database: Database) => LimitLog | undefined;

/** Returns the connections to the database files by number. */
export interface WritableDatabases {
  get(number: number): WritableDatabase;
}

export class WriteConnection implements WritableDatabase {
  readonly prefix = '';
  readonly database: Database;
  readonly path: string;
  readonly #number: number;
  readonly #transactions: WriteTransactions;

  constructor(database: Database, number: number, path: string, shared: SharedState) {
    this.database = database;
    this.path = path;
    this.#number = number;
    this.#transactions = new WriteTransactions(database, number, shared);
  }

  /** Runs `action` in a transaction. Only a durable one waits for the disk, for itself and for all before it. */
  transact<T>(action: (database: Database) => T, isDurable = true): T {
    return this.#transactions.run(this.#number, () => action(this.database), { isDurable });
  }

  /** Begins a transaction, which {@link commit} or {@link rollBack} ends. The caller holds the write lock. */
  begin(isDurable: boolean): void {
    this.#transactions.begin([this.#number], isDurable);
  }

  commit(): void {
    this.#transactions.commit(this.#number);
  }

  rollBack(): void {
    this.#transactions.rollBack();
  }

  close(): void {
    this.database.close(true);
  }
}

export class WriteConnections {
  readonly files: DatabaseFiles;
  readonly data: WriteConnection;
  /** Bytes that batches may use on the data folder's disk. */
  readonly space: TransactionSpace;
  readonly #shared: SharedState;
  readonly #prepare: PrepareWriting;
  readonly #temporary = new Map<number, WriteConnection>();

  constructor(
    reads: ThreadReads,
    data: Database,
    shared: SharedState,
    prepareWriting: PrepareWriting = () => undefined,
  ) {
    this.#prepare = prepareWriting;
    const { files } = reads;
    this.files = files;
    const path = databasePath(files, DATA_DATABASE, 0);
    this.space = new TransactionSpace(data, reads, prepareWriting(data), READERS_WAIT_MS);
    this.data = new WriteConnection(data, DATA_DATABASE, path, shared);
    this.#shared = shared;
  }

  /** Returns the connection, or undefined while the region's file does not exist. */
  find(number: number): WriteConnection | undefined {
    return number === DATA_DATABASE ? this.data : this.#temporary.get(number);
  }

  get(number: number): WriteConnection {
    const connection = this.find(number);
    if (!connection) throw new Error(`database ${number} is not open`);
    return connection;
  }

  /** Returns all open connections with their numbers. */
  all(): Array<readonly [number, WriteConnection]> {
    return [[DATA_DATABASE, this.data], ...this.#temporary];
  }

  /** Returns a database's non-persistent region, or undefined for the data file. */
  region(number: number): Region | undefined {
    return this.files.temporaryRegions[number - 1];
  }

  /**
   * Creates the files of non-persistent regions, or copies restored ones. `createTables` creates the missing tables of
   * a file's caches.
   */
  openTemporary(createTables: (database: Database, number: number) => void): void {
    const { dataDir, temporaryRegions } = this.files;
    const restored = restoredRegions(this.data.database);
    temporaryRegions.forEach((region, index) => {
      const number = index + 1;
      const path = databasePath(this.files, number, this.#shared.epoch());
      if (!openRestored(dataDir, restored, region.name, path)) createPrivateFile(path);
      const database = openForWriting(path, false);
      if (region.maxSizeBytes !== undefined)
        database.run(`PRAGMA max_page_count = ${Math.ceil(region.maxSizeBytes / PAGE_BYTES)}`);
      migrateRegionFile(database);
      this.#prepare(database);
      const connection = new WriteConnection(database, number, path, this.#shared);
      connection.transact(() => createTables(database, number));
      this.#temporary.set(number, connection);
    });
    removeRestored(this.data.database, dataDir);
  }

  /** Removes the files of non-persistent regions with their entries. */
  closeTemporary(): void {
    for (const connection of this.#temporary.values()) {
      connection.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(connection.path + suffix, { force: true });
    }
    this.#temporary.clear();
  }

  close(): void {
    this.closeTemporary();
    this.data.close();
  }
}
