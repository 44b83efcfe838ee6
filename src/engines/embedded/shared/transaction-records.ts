/** The idempotency records of transactions, whose responses are the results of all steps. */
import { gridError } from '../../../base/errors.ts';
import { answerOf, checkedAnswer, type IdempotencyKey } from '../../../grid/idempotency.ts';
import { decodeTagged, encodeTagged } from '../../../values/tagged-json.ts';
import type { WritableDatabase } from '../storage/databases.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { findRecordAfter, insertRecords, recordOf } from '../storage/idempotency-records.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { RecordedResults, TicketedTransaction } from './statement-protocol.ts';

/**
 * Returns the results that an earlier run of the same request has recorded since this one was sent. Throws INACTIVE,
 * IDEMPOTENCY_KEY_REUSED and OUTCOME_UNKNOWN.
 */
export function findResults(
  { reads, shared }: EngineThread,
  { key, since }: NonNullable<TicketedTransaction['once']>,
): RecordedResults | undefined {
  if (shared.isInactive()) throw gridError('INACTIVE');
  for (let number = DATA_DATABASE; number <= reads.files.temporaryRegions.length; number++) {
    const connection = reads.get(number);
    connection.refresh();
    const row = findRecordAfter({ database: connection.database, prefix: '' }, since[number] ?? 0, key);
    if (row !== undefined) return decodeResults(answerOf(row, key, false));
  }
  return undefined;
}

/** Records the results in the transaction, of at most `maxCharacters`. Throws LIMIT_EXCEEDED. */
export function insertResults(
  target: WritableDatabase,
  key: IdempotencyKey,
  results: RecordedResults,
  maxCharacters: number,
): void {
  insertRecords(target, [recordOf(key, checkedAnswer(encodeTagged(results), maxCharacters))], key.expiresAtMs);
}

/** Returns the results in a record's response. */
export function decodeResults(answer: string): RecordedResults {
  return decodeTagged(answer) as RecordedResults;
}
