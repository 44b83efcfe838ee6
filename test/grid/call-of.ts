import { anyCall, type CallKind, type Port } from '../../src/grid/calls.ts';
import type { TransactionCall } from '../../src/grid/grid.ts';
import { transactionCall } from '../../src/grid/transactions.ts';

/** Returns the call that an action makes over a port. */
export function callOf(action: (port: Port) => unknown): TransactionCall {
  let found: TransactionCall | undefined;
  const port: Port = {
    call<K extends CallKind>(call: Parameters<typeof anyCall<CallKind, K>>[0]) {
      found = transactionCall(anyCall<CallKind, K>(call));
      return new Promise<never>(() => {});
    },
  };
  action(port);
  if (found === undefined) throw new Error('no call was made');
  return found;
}
