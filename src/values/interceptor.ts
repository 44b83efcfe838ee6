import type { Value } from './value.ts';

/**
 * Converts all keys and values that clients send or receive (docs/spec/contract.md 8, message interceptor). The service
 * calls `onReceive` after it has decoded a parameter or an imported record, and `onSend` before it writes a value: that
 * of an entry, of a change, of a task's result, or of a column of a row that a query or an export reads. NULL columns,
 * counters, the counts and plans of statements, and literals in the text of a statement are not converted.
 */
export interface MessageInterceptor {
  onReceive?(value: Value): Value;
  onSend?(value: Value): Value;
}
