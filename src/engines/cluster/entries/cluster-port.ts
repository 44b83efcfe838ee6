/** The engine's port: entries and counters with the cluster's own operations, changes with a key as transactions. */

import type { MaybePromise } from '../../../base/maybe-promise.ts';
import {
  type Call,
  type CallContext,
  type CallKind,
  type CallResult,
  type CallTable,
  type EntryChangeKind,
  type EntryKind,
  type EntryReadKind,
  forEntryChanges,
  forEntryReads,
  type Port,
} from '../../../grid/calls.ts';
import type { Queries } from '../../../grid/queries.ts';
import { statementOnce } from '../../../grid/transactions.ts';
import type { ClusterCounters } from './cluster-counters.ts';
import type { ClusterEntries } from './cluster-entries.ts';
import type { ClusterTransactions } from './cluster-transactions.ts';

export interface ClusterPortOptions {
  readonly entries: ClusterEntries;
  readonly counters: ClusterCounters;
  readonly queries: Queries;
  readonly transactions: ClusterTransactions;
}

export function clusterPort({ entries, counters, queries, transactions }: ClusterPortOptions): Port {
  const onEntries: CallTable<EntryKind> = entries;
  const read = <K extends EntryReadKind>(call: Call<K>): MaybePromise<CallResult<K>> => onEntries[call.kind](call);
  const change = <K extends EntryChangeKind>(call: Call<K>, { once }: CallContext): MaybePromise<CallResult<K>> =>
    once === undefined ? onEntries[call.kind](call) : transactions.change(call, once);
  const reads = forEntryReads(read);
  const changes = forEntryChanges(change);
  const table: CallTable<CallKind, [CallContext]> = {
    ...reads,
    ...changes,
    addToCounter(call, { once }) {
      if (once !== undefined) throw new TypeError('a counter does not commit with the result of a request');
      return counters.addToCounter(call);
    },
    counterTimeToLive: () => counters.counterTimeToLive(),
    persistCounter: () => counters.persistCounter(),
    statement: (call, { once }) =>
      once === undefined ? queries.execute(call.query) : statementOnce(transactions, call, once),
  };
  return { call: (call, context) => table[call.kind](call, context) };
}
