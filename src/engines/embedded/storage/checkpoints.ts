/**
 * Keeps the write-ahead logs small. SQLite's own checkpoints never reset a log that always has a reader, so above a
 * mark the writer truncates it, waiting a moment for readers to end their turn.
 */
import { statSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import type { ReadBatch } from './databases.ts';
import type { Log } from './log.ts';
import type { WriteConnection, WriteConnections } from './write-connections.ts';

const MARK_BYTES = 16 * 1024 * 1024;
/** Readers end their turn within milliseconds; whoever does not keeps a snapshot, and everybody would wait in vain. */
const READERS_WAIT_MS = 8;
const WRITERS_WAIT_MS = 5000;
/** Commits between two looks at the size. */
const COMMITS_PER_LOOK = 8;
/** A reader that keeps its snapshot for long (a cursor) is not waited for at every look. */
const PAUSE_MS = 300;

export class Checkpoints {
  readonly #connections: WriteConnections;
  readonly #batch: ReadBatch;
  readonly #clock: Clock;
  readonly #log: Log;
  #commits = 0;
  #notBeforeMs = 0;

  constructor(connections: WriteConnections, batch: ReadBatch, clock: Clock, log: Log) {
    this.#log = log;
    this.#connections = connections;
    this.#batch = batch;
    this.#clock = clock;
  }

  afterCommit(): void {
    this.#commits++;
    if (this.#commits < COMMITS_PER_LOOK) return;
    this.#commits = 0;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#notBeforeMs) return;
    for (const [, connection] of this.#connections.all()) {
      if (logBytes(connection) > MARK_BYTES && !this.#truncate(connection)) this.#notBeforeMs = nowMs + PAUSE_MS;
    }
  }

  /** True when the log is empty now. */
  #truncate({ database }: WriteConnection): boolean {
    // This thread's own snapshot would be the one to wait for.
    this.#batch.end();
    database.run(`PRAGMA busy_timeout = ${READERS_WAIT_MS}`);
    try {
      const result = database.query<{ busy: bigint }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return result?.busy === 0n;
    } catch (error) {
      // The log stays, and the changes in it are safe.
      this.#log('warn', `The write-ahead log could not be written back: ${String(error)}`);
      return false;
    } finally {
      database.run(`PRAGMA busy_timeout = ${WRITERS_WAIT_MS}`);
    }
  }
}

/** Size of a connection's write-ahead log. */
export function logBytes(connection: WriteConnection): number {
  return statSync(`${connection.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
