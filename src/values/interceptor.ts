import type { Value } from './value.ts';

/**
 * Converts all keys and values that clients send or receive (docs/spec/contract.md 8, message interceptor). The service
 * calls `onReceive` after it has decoded a parameter and `onSend` before it writes a value.
 */
export interface MessageInterceptor {
  onReceive?(value: Value): Value;
  onSend?(value: Value): Value;
}
