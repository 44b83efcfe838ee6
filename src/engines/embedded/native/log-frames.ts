/** Makes SQLite write a commit's frames to the write-ahead log immediately, and bounds the log (log-frames.c). */
import type { Database } from 'bun:sqlite';
import { GUARD_ENTRY } from './guard-library.ts';

/**
 * Collects the frames of a connection's commits. Its log must be open: the connection has read from its file. Returns a
 * function that bounds the log.
 */
export function collectFrames(database: Database, library: string): LimitLog {
  database.loadExtension(library, GUARD_ENTRY);
  if (!collects(database)) throw new Error('the connection has no write-ahead log');
  return (bytes) => limit(database, bytes);
}

/**
 * Returns a function that bounds the log of a connection that has the extension but is not open yet. The first call
 * must be in a transaction; the connection's frames are collected from then on.
 */
export function logLimiter(database: Database): LimitLog {
  let isCollecting = false;
  return (bytes) => {
    if (!isCollecting) isCollecting = collects(database);
    return limit(database, bytes);
  };
}

/** Loads the extension, and returns the same. */
export function loadLogLimiter(database: Database, library: string): LimitLog {
  database.loadExtension(library, GUARD_ENTRY);
  return logLimiter(database);
}

type LimitLog = (bytes: number) => boolean;

function collects(database: Database): boolean {
  using statement = database.prepare<{ collects: bigint | number }, []>('SELECT statement_guard_log() AS collects');
  return Number(statement.get()?.collects) === 1;
}

function limit(database: Database, bytes: number): boolean {
  const statement = database.query<{ rejected: bigint | number }, [number]>(
    'SELECT statement_guard_log_limit(?) AS rejected',
  );
  return Number(statement.get(Math.floor(bytes))?.rejected) === 1;
}
