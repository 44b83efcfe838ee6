/**
 * Lets a command's handler describe its call instead of making it, so that the calls of several commands run as one
 * transaction. The handler then continues with the result.
 */
import { anyCall, type Call, type CallKind, type CallResult, type Port } from '../grid/calls.ts';
import type { TransactionCall, TransactionResult } from '../grid/grid.ts';
import { resultOf, transactionCall } from '../grid/transactions.ts';

export class RecordedCall implements Port {
  readonly #result = Promise.withResolvers<TransactionResult | undefined>();
  readonly #called = Promise.withResolvers<void>();
  #recorded: TransactionCall | undefined;

  /** The recorded call, or undefined until the handler makes it. */
  get recorded(): TransactionCall | undefined {
    return this.#recorded;
  }

  /** Resolves when the handler has made its call. */
  get called(): Promise<void> {
    return this.#called.promise;
  }

  resolve(result: TransactionResult | undefined): void {
    this.#result.resolve(result);
  }

  reject(error: unknown): void {
    if (this.#recorded !== undefined) this.#result.reject(error);
  }

  async call<K extends CallKind>(call: Call<K>): Promise<CallResult<K>> {
    if (this.#recorded !== undefined) throw new Error('a command of a batch makes one call');
    this.#recorded = transactionCall(anyCall<CallKind, K>(call));
    this.#called.resolve();
    return resultOf(call, await this.#result.promise);
  }
}
