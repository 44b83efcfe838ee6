/** Conditions of the steps of a transaction, which every engine checks after each step. */
import { fail } from '../base/errors.ts';
import type { TransactionResult, TransactionStep } from './grid.ts';

/** Throws BATCH_CONDITION unless the result meets the condition. `rows` is the number of changed or returned rows. */
export function checkCondition(
  condition: TransactionStep['condition'],
  result: TransactionResult,
  rows: bigint | undefined,
): void {
  if (condition === undefined) return;
  if (condition.kind === 'notFalse') {
    if (result === false) throw fail('BATCH_CONDITION', 'its result is false');
  } else if (rows !== condition.count) {
    throw fail('BATCH_CONDITION', `rows=${rows ?? 'none'}, expectedRows=${condition.count}`);
  }
}
