/**
 * Keeps the write-ahead logs small. SQLite's own checkpoints never reset a log that always has a reader. The writer
 * therefore truncates a log that exceeds a size, after a short wait for readers to end their transactions. After long
 * changes a thread of the service writes the log back (`src/processes/checkpoint/checkpoint-thread.ts`): the process
 * that ran them never does, and the main thread must not wait for that many pages.
 */
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { type Clock, sleep } from '../../../base/clock.ts';
import { DATA_DATABASE, LOG_LIMIT_BYTES, type ReadBatch, WRITERS_WAIT_MS } from './databases.ts';
import type { Log } from './log.ts';
import type { WriteConnection, WriteConnections } from './write-connections.ts';

/** Readers end their tick within milliseconds. One that does not holds a snapshot, and waiting longer is futile. */
const READERS_WAIT_MS = 8;
/** Number of commits between checks of the size. */
const COMMITS_PER_CHECK = 8;
/** The pause after an attempt that failed because a reader, such as a cursor, holds its snapshot. */
const PAUSE_MS = 300;

export class Checkpoints {
  readonly #connections: WriteConnections;
  readonly #batch: ReadBatch;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Whether a continuous backup decides when the data file's log is emptied. */
  readonly #keepsLog: boolean;
  #commits = 0;
  #notBeforeMs = 0;
  /** Copies that hold a snapshot for long: truncating the log would wait for them in vain. */
  #pauses = 0;
  #completed = 0;
  #postponed = 0;

  constructor(connections: WriteConnections, batch: ReadBatch, clock: Clock, log: Log, keepsLog: boolean) {
    this.#log = log;
    this.#keepsLog = keepsLog;
    this.#connections = connections;
    this.#batch = batch;
    this.#clock = clock;
  }

  afterCommit(): void {
    this.#commits++;
    if (this.#commits < COMMITS_PER_CHECK || this.#pauses > 0) return;
    this.#commits = 0;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#notBeforeMs) return;
    for (const [number, connection] of this.#connections.all()) {
      if (this.#keepsLog && number === DATA_DATABASE) continue;
      // A log that has started over was cut to the limit; it is also emptied, because a full disk may need that.
      if (logBytes(connection) < LOG_LIMIT_BYTES) continue;
      if (this.#truncate(connection)) this.#completed++;
      else {
        this.#postponed++;
        this.#notBeforeMs = nowMs + PAUSE_MS;
      }
    }
  }

  /** Writes the data file's log back, and empties it unless it is being read. */
  checkpoint(): void {
    this.#truncate(this.#connections.data);
  }

  /** Returns how many attempts to truncate a log succeeded, and how many were prevented by a reader. */
  statistics(): { readonly completed: number; readonly postponed: number } {
    return { completed: this.#completed, postponed: this.#postponed };
  }

  /** Whether a copy holds a snapshot, so that no log can be truncated. */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /** Leaves the logs unchanged until the returned function is called. */
  pause(): () => void {
    this.#pauses++;
    let isPaused = true;
    return () => {
      if (isPaused) this.#pauses--;
      isPaused = false;
    };
  }

  /** Truncates the log. Returns false if a reader prevents it. */
  #truncate({ database }: WriteConnection): boolean {
    // Without this, this thread would wait for its own snapshot.
    this.#batch.end();
    database.run(`PRAGMA busy_timeout = ${READERS_WAIT_MS}`);
    try {
      const result = database.query<{ busy: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return result?.busy === 0n;
    } catch (error) {
      // The log remains, and the changes in it are safe.
      this.#log('warn', `The write-ahead log could not be written back: ${String(error)}`);
      return false;
    } finally {
      database.run(`PRAGMA busy_timeout = ${WRITERS_WAIT_MS}`);
    }
  }
}

/** A database file whose log is checkpointed. */
export interface LogRequest {
  readonly path: string;
  /** Whether the file survives the process, so that the pages must reach the disk. */
  readonly isDurable: boolean;
  /** How long to wait for readers of the log, after which it restarts; 0 checkpoints only as far as readers permit. */
  readonly waitMs: number;
  /** Whether the file keeps its length when the log starts over: truncating it would hold up changes. */
  readonly keepsLength: boolean;
}

/** A log after an attempt to write it back. */
export interface LogState {
  readonly frames: number;
  /** Whether all of it is in the file and, if the attempt waited, whether the log starts over. */
  readonly isWrittenBack: boolean;
}

/** Asks the service to checkpoint a database's log, or all logs if null. */
export type WriteLogBack = (database: number | null) => Promise<LogState>;

/**
 * Maximum number of attempts to checkpoint the logs, and the pause between them: a reader may hold its snapshot for a
 * moment.
 */
const REQUEST_TRIES = 10;
const REQUEST_PAUSE_MS = 20;

/**
 * Returns a function that writes the logs back after a change, as far as readers permit. Nothing waits for it; without
 * it the writer would have to write them back between clients' changes.
 */
export function checkpointRequests(writeLogBack: WriteLogBack, clock: Clock): () => void {
  let isUnderWay = false;
  const request = async (): Promise<void> => {
    isUnderWay = true;
    try {
      for (let tries = 0; tries < REQUEST_TRIES; tries++) {
        if ((await writeLogBack(null)).isWrittenBack) return;
        await sleep(clock, REQUEST_PAUSE_MS);
      }
    } catch {
      // The changes are safe in the log. The writer retries, and reports failures.
    } finally {
      isUnderWay = false;
    }
  };
  return () => {
    if (!isUnderWay) void request();
  };
}

/** The methods of the thread that writes logs back. */
export type CheckpointMethods = {
  readonly writeLogBack: { readonly request: LogRequest; readonly response: LogState };
};

/** Writes a database file's log back. Changes in it are safe, so the caller may retry later after an error. */
export function writeLogBack({ path, isDurable, waitMs, keepsLength }: LogRequest): LogState {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  try {
    database.run(`PRAGMA busy_timeout = ${waitMs}`);
    database.run(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'OFF'}`);
    const mode = waitMs === 0 ? 'PASSIVE' : keepsLength ? 'RESTART' : 'TRUNCATE';
    const row = database
      .query<{ busy: bigint; log: bigint; checkpointed: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`)
      .get();
    const isWrittenBack = row !== null && row.busy === 0n && row.log === row.checkpointed;
    return { frames: Number(row?.log ?? 0n), isWrittenBack };
  } finally {
    database.close(true);
  }
}

/** Returns the size of a connection's write-ahead log in bytes. */
export function logBytes(connection: WriteConnection): number {
  return statSync(`${connection.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
