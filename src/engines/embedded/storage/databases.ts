/**
 * The database files and a thread's connections to them. Number 0 is the data file. Each non-persistent region has a
 * separate file, which exists until the cluster becomes INACTIVE or the process ends.
 */
import { Database, type Statement } from 'bun:sqlite';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import { DATA_FILE } from './data-folder.ts';
import type { SharedState } from './shared-state.ts';
import { storageFailure } from './storage-failures.ts';
import type { Binding } from './value-storage.ts';

/** A connection whose transaction changes a database file. */
export interface WritableDatabase {
  readonly database: Database;
  /** Prefix of table names that several attached files have: empty, or the attached name and a dot. */
  readonly prefix: string;
}

export const DATA_DATABASE = 0;
/** SQLite's default, and the block size of common file systems. */
export const PAGE_BYTES = 4096;
/** A write-ahead log of at least this size is truncated. */
export const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
/**
 * A log kept by a continuous backup is not truncated unless it is longer, because that takes time proportional
 * to its length.
 */
export const KEPT_LOG_BYTES = 256 * 1024 * 1024;
/** How long a writing connection waits for another, in ms. */
export const WRITERS_WAIT_MS = 5_000;
/** SQLite's page cache per connection. */
const CACHE_KIB = 32 * 1024;

/** The locations of the files. Other threads receive them as a message. */
export interface DatabaseFiles {
  readonly dataDir: string;
  readonly temporaryDir: string;
  /** In order of their numbers, from 1. */
  readonly temporaryRegions: readonly Region[];
  /** The space reserved on the data file's disk, as in `EmbeddedSettings`. */
  readonly minFreeBytes: number | undefined;
  /** Whether a continuous backup decides when the data file's log is emptied. */
  readonly keepsLog: boolean;
}

/** An open database file. */
export interface DatabaseFile {
  readonly path: string;
  /** The non-persistent region that it stores, or null for the data file, with all persistent regions. */
  readonly region: string | null;
}

/** Returns the number of the database that stores a region. */
export function databaseOf(files: DatabaseFiles, region: string): number {
  return files.temporaryRegions.findIndex((each) => each.name === region) + 1;
}

/** Returns the path of a database file. `epoch` is the non-persistent regions' epoch. */
export function databasePath(files: DatabaseFiles, database: number, epoch: number): string {
  if (database === DATA_DATABASE) return join(files.dataDir, DATA_FILE);
  return join(files.temporaryDir, `region-${database}-${epoch}.db`);
}

/** Returns the paths of the non-persistent regions' files, including SQLite's companion files. */
export function regionFiles(files: DatabaseFiles, epoch: number): readonly string[] {
  return files.temporaryRegions.flatMap((_region, index) => {
    const path = databasePath(files, index + 1, epoch);
    return [path, `${path}-wal`, `${path}-shm`];
  });
}

/** Returns the name under which a connection to the data file attaches a non-persistent region's file. */
export function attachedName(database: number): string {
  return `r${database}`;
}

/** Returns the prefix of a file's tables in the statements of such a connection. */
export function attachedPrefix(database: number): string {
  return database === DATA_DATABASE ? '' : `${attachedName(database)}.`;
}

/** Opens a read-write connection. */
export function openForWriting(path: string, durable: boolean): Database {
  return open(path, true, [
    `page_size = ${PAGE_BYTES}`,
    `synchronous = ${durable ? 'FULL' : 'OFF'}`,
    'journal_mode = WAL',
    // A long statement of another connection may hold the write lock for a moment.
    `busy_timeout = ${WRITERS_WAIT_MS}`,
    // A log that starts over becomes this short; without a limit, the file would keep its largest size.
    `journal_size_limit = ${LOG_LIMIT_BYTES}`,
  ]);
}

/** Opens a read-write connection that leaves the log to the service's process (`checkpoints.ts`). */
export function openWithoutCheckpoints(path: string, durable: boolean): Database {
  const database = openForWriting(path, durable);
  database.run('PRAGMA wal_autocheckpoint = 0');
  database.run(`PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}`);
  return database;
}

/** Opens a read-only connection. */
export function openForReading(path: string): Database {
  return open(path, false, ['query_only = ON', 'busy_timeout = 1000']);
}

function open(path: string, create: boolean, pragmas: readonly string[]): Database {
  const database = new Database(path, { readwrite: true, create, strict: true, safeIntegers: true });
  try {
    for (const pragma of [...pragmas, `cache_size = -${CACHE_KIB}`, 'temp_store = MEMORY']) {
      database.run(`PRAGMA ${pragma}`);
    }
    return database;
  } catch (error) {
    database.close(true);
    throw error;
  }
}

/** Prepares a statement whose rows have the shape `R`. */
export function prepare<R>(database: Database, sql: string): Statement<R, Binding[]> {
  return database.prepare<R, Binding[]>(sql);
}

/** Writes a page without changing its content, in a transaction whose durable commit then syncs the log. */
export function touch(database: Database): void {
  // SQLite does not write a page for a value that stays the same.
  for (const change of [1, -1]) {
    database
      .query('UPDATE entry_counts SET entries = entries + ? WHERE cache = (SELECT min(cache) FROM entry_counts)')
      .run(change);
  }
}

/** Reports whether a table exists in the snapshot of a connection. */
export function hasTable(database: Database, name: string): boolean {
  using statement = prepare<{ name: string }>(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?",
  );
  return statement.get(name) !== null;
}

/** Returns the statement for {@link readSchema} of a file; `prefix` is empty, or its attached name and a dot. */
export function schemaStatement(prefix = ''): string {
  return `SELECT 1 FROM ${prefix}sqlite_schema LIMIT 0`;
}

/**
 * Reads the schema at the beginning of a transaction, if another connection has changed it. Otherwise the first change
 * would do so. If the disk failed while SQLite was then reading statistics, it would roll the transaction back without
 * reporting an error, and every change would commit by itself. Throws storage errors, after the transaction has ended.
 */
export function readSchema(database: Database, statement: { get(): unknown }): void {
  try {
    statement.get();
    if (!database.inTransaction) throw gridError('STORAGE_FAILED', 'disk I/O error');
  } catch (error) {
    rollBack(database);
    throw storageFailure(error);
  }
}

/** Rolls a failed transaction back, unless SQLite has done so. Never throws: the caller reports the first error. */
export function rollBack(database: Database): void {
  try {
    if (database.inTransaction) database.run('ROLLBACK');
  } catch {
    // SQLite ends the transaction when the file works again.
  }
}

/**
 * A read connection. All reads of one tick of the event loop share a transaction until the next commit: every read sees
 * every write acknowledged before it, on any thread.
 */
export class ReadConnection {
  readonly database: Database;
  readonly #number: number;
  readonly #shared: SharedState;
  readonly #begin: Statement<unknown, Binding[]>;
  readonly #end: Statement<unknown, Binding[]>;
  readonly #batch: ReadBatch;
  #begun = false;
  #commits = 0;

  /** Number of the commit that {@link refresh} has seen. While it stays the same, snapshots have the same contents. */
  get commits(): number {
    return this.#commits;
  }

  constructor(path: string, number: number, shared: SharedState, batch: ReadBatch) {
    this.database = openForReading(path);
    this.#number = number;
    this.#shared = shared;
    this.#batch = batch;
    this.#begin = prepare(this.database, 'BEGIN');
    this.#end = prepare(this.database, 'COMMIT');
  }

  /** Ensures that the snapshot contains every acknowledged change. Call it before every read. */
  refresh(): void {
    const commits = this.#shared.commits(this.#number);
    if (this.#begun) {
      if (commits === this.#commits) return;
      this.endBatch();
    }
    this.#batch.add(this);
    // The number was read before the snapshot is taken, so the snapshot is at least as new.
    this.#commits = commits;
    this.#begun = true;
    this.#begin.run();
  }

  endBatch(): void {
    if (!this.#begun) return;
    this.#begun = false;
    try {
      this.#end.run();
    } catch {
      // A read of a damaged page has ended the transaction and thrown to its own caller.
      if (this.database.inTransaction) this.database.run('ROLLBACK');
    }
  }

  close(): void {
    this.endBatch();
    this.#begin.finalize();
    this.#end.finalize();
    this.database.close(true);
  }
}

/** The read transactions begun in this tick of the event loop. */
export class ReadBatch {
  readonly #clock: Clock;
  readonly #open = new Set<ReadConnection>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(connection: ReadConnection): void {
    if (this.#open.size === 0) this.#clock.endOfTick(() => this.end());
    this.#open.add(connection);
  }

  /** Ends the transactions now. The writer does so before a checkpoint. */
  end(): void {
    for (const connection of this.#open) connection.endBatch();
    this.#open.clear();
  }
}

/** All read connections of a thread, opened on first use. */
export class ReadConnections {
  readonly files: DatabaseFiles;
  readonly batch: ReadBatch;
  readonly #shared: SharedState;
  readonly #open = new Map<number, ReadConnection>();
  #planning: { readonly statistics: number; readonly connection: ReadConnection } | undefined;
  #writing: Database | undefined;
  #epoch = 0;

  constructor(files: DatabaseFiles, shared: SharedState, clock: Clock) {
    this.files = files;
    this.#shared = shared;
    this.batch = new ReadBatch(clock);
  }

  get(database: number): ReadConnection {
    if (this.#epoch !== this.#shared.epoch()) this.closeTemporary();
    let connection = this.#open.get(database);
    if (!connection) {
      const path = databasePath(this.files, database, this.#epoch);
      connection = new ReadConnection(path, database, this.#shared, this.batch);
      this.#open.set(database, connection);
    }
    return connection;
  }

  /** Makes {@link latest} return the writer's connection to the data file, which is closed after these. */
  readLatestOn(writing: Database): void {
    this.#writing = writing;
    // Reads continue after the file has been moved, if it is already open.
    this.get(DATA_DATABASE);
  }

  /**
   * Returns a connection to the data file that sees every acknowledged change, for reads that share no snapshot with
   * others, especially of definitions. On the writer's thread it is the writer's connection: it has changed SQLite's
   * schema itself, so it need not read the schema again, which with thousands of caches takes longer than everything
   * else. Statements must be read to their end.
   */
  latest(): Database {
    const writing = this.#writing;
    // An open transaction has changes that may be rolled back.
    if (writing !== undefined && !writing.inTransaction) return writing;
    const connection = this.get(DATA_DATABASE);
    connection.refresh();
    return connection.database;
  }

  /**
   * Returns a separate connection to the data file, for statements whose join order SQLite chooses. A connection plans
   * with the statistics that it read when it was opened, so new statistics need a new connection.
   */
  planning(statistics: number): ReadConnection {
    if (this.#planning?.statistics === statistics) return this.#planning.connection;
    this.#planning?.connection.close();
    const path = databasePath(this.files, DATA_DATABASE, this.#epoch);
    const connection = new ReadConnection(path, DATA_DATABASE, this.#shared, this.batch);
    this.#planning = { statistics, connection };
    return connection;
  }

  /** Closes the files of non-persistent regions, which are about to be removed. */
  closeTemporary(): void {
    this.#epoch = this.#shared.epoch();
    for (const [number, connection] of this.#open) {
      if (number === DATA_DATABASE) continue;
      connection.close();
      this.#open.delete(number);
    }
  }

  close(): void {
    this.#writing = undefined;
    this.#planning?.connection.close();
    this.#planning = undefined;
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }
}
