/** Counts signals in shared memory, so that a thread other than the main thread can see them (statement-guard.c). */
import { ptr } from 'bun:ffi';
import { Database } from 'bun:sqlite';
import { GUARD_ENTRY } from './guard-library.ts';

/**
 * Counts each of the signals in the first element of `count`, before the current handler is called. The memory must
 * never be freed. Returns false if the library cannot do that, or a signal has no handler yet.
 */
export function countSignals(library: string, signals: readonly number[], count: Int32Array): boolean {
  using database = new Database(':memory:');
  database.loadExtension(library, GUARD_ENTRY);
  using statement = database.prepare<{ failure: number }, [number, bigint]>(
    'SELECT statement_guard_count_signals(?, ?) AS failure',
  );
  const address = BigInt(ptr(count));
  return signals.every((signal) => statement.get(signal, address)?.failure === 0);
}
