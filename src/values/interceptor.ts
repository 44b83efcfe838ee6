import type { Value } from './value.ts';

/**
 * Converts every key and value that a client sends or gets (docs/spec/contract.md 8, message interceptor). The service
 * applies it: `onReceive` after the parameter has been read, `onSend` before the value is written.
 */
export interface MessageInterceptor {
  onReceive?(value: Value): Value;
  onSend?(value: Value): Value;
}
