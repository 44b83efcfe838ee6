import type { Port } from '../../src/grid/calls.ts';
import { anyCall, type CallKind } from '../../src/grid/calls.ts';
import { Counters, Entries, type TransactionCall } from '../../src/grid/grid.ts';
import { transactionCall } from '../../src/grid/transactions.ts';

/** Returns the call that a method of entries or counters makes. */
export function callOf(action: (entries: Entries, counters: Counters) => unknown): TransactionCall {
  let found: TransactionCall | undefined;
  const port: Port = {
    call<K extends CallKind>(call: Parameters<typeof anyCall<CallKind, K>>[0]) {
      found = transactionCall(anyCall<CallKind, K>(call));
      return new Promise<never>(() => {});
    },
  };
  action(new Entries(port), new Counters(port));
  if (found === undefined) throw new Error('no call was made');
  return found;
}
