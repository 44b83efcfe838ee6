/** Has SQLite write the frames of a commit to the write-ahead log at once (log-frames.c). */
import type { Database } from 'bun:sqlite';
import { GUARD_ENTRY } from './guard-library.ts';

/** Collects the frames of a connection's commits. Its log must be open: the connection has read from its file. */
export function collectFrames(database: Database, library: string): void {
  database.loadExtension(library, GUARD_ENTRY);
  using statement = database.prepare<{ collects: bigint | number }, []>('SELECT statement_guard_log() AS collects');
  if (Number(statement.get()?.collects) !== 1) throw new Error('the connection has no write-ahead log');
}
