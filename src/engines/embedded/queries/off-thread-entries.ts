/** Operations on large entries, each of which runs as a transaction in a query thread. */
import { ENTRY_NAMES, type Entries, type EntryCall, isReadOfEntries, TransactionAborted } from '../../../grid/grid.ts';
import type { LargeEntryOptions } from '../../../grid/large-entries.ts';
import type { QueryPool } from './query-pool.ts';

/** Returns the operations. `resultCharacters` limits what one returns. */
export function offThreadEntries(
  pool: Pick<QueryPool, 'transact'>,
  options: LargeEntryOptions,
  resultCharacters: number,
): Entries {
  async function run(call: EntryCall): Promise<unknown> {
    const place = isReadOfEntries(call.name) ? 'reading' : 'writing';
    try {
      const { results } = await pool.transact([{ call }], { ...options, timeoutMs: 0, resultCharacters }, { place });
      return results[0];
    } catch (error) {
      throw error instanceof TransactionAborted ? error.reason : error;
    }
  }
  // The port declares the arguments of each operation, and a call has the same.
  const methods = ENTRY_NAMES.map((name) => [
    name,
    (...args: unknown[]) => run({ kind: 'entries', name, args } as EntryCall),
  ]);
  return Object.fromEntries(methods) as Entries;
}
