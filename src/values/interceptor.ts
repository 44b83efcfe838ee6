import type { Value } from './value.ts';

/**
 * Converts all keys and values that clients send or receive (docs/spec/contract.md 8, message interceptor). The service
 * calls `onReceive` after decoding a parameter or an imported record, and `onSend` before writing the value of an
 * entry, a change, a task's result, or a column in a row that a query or an export reads. NULL columns, counters, the
 * counts and plans of statements, and literals in a statement's text are not converted.
 */
export interface MessageInterceptor {
  onReceive?(value: Value): Value;
  onSend?(value: Value): Value;
}
