/** Operations on large entries, each of which runs as a transaction in a query thread. */
import {
  ENTRY_NAMES,
  type Entries,
  type EntryCall,
  type EntryResult,
  isReadOfEntries,
  type SingleCall,
  TransactionAborted,
} from '../../../grid/grid.ts';
import type { IdempotencyKey, OnceResult } from '../../../grid/idempotency.ts';
import type { LargeEntryOptions } from '../../../grid/large-entries.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { decodeResult } from '../writer/once-writer.ts';
import { plainResult } from './embedded-transactions.ts';
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

/**
 * Returns the function that makes a change once for each key. What it keeps is what the writer keeps of changes: a
 * request may be repeated when its values are not large any more.
 */
export function offThreadOnce(
  pool: Pick<QueryPool, 'transact'>,
  changes: ChangeChannel,
  options: LargeEntryOptions,
  resultCharacters: number,
): (call: SingleCall, key: IdempotencyKey) => Promise<OnceResult<EntryResult>> {
  return async (call, key) => {
    const kept = await changes.submit('claimKey', { key });
    if ('answer' in kept) return { result: decodeResult(kept.answer), replayed: true };
    const once = { key, onReplay: () => {} };
    try {
      const transaction = { ...options, timeoutMs: 0, resultCharacters, once };
      const { results, replayed } = await pool.transact([{ call }], transaction, { kept, keeps: 'result' });
      const [result] = results;
      return { result: result === undefined ? undefined : plainResult(result), replayed };
    } catch (error) {
      throw error instanceof TransactionAborted ? error.reason : error;
    } finally {
      await changes.submit('releaseKey', { key });
    }
  };
}
