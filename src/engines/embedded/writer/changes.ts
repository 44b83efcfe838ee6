/**
 * The changes that the writer carries out: plain data, so that they can cross threads. Names and meaning are those of
 * the port; `answer` is what the port gives.
 */
import type { Entry, RecordKind } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import type { Change, StructureChanges } from '../ddl/structure-changes.ts';

export interface OfKey {
  readonly cache: string;
  readonly key: Value;
}
export interface OfEntry extends OfKey {
  readonly value: Value;
}
export interface OfEntryWithTtl extends OfEntry {
  readonly ttlMs: bigint | undefined;
}

/** Changes of entries: any number of them share a transaction. */
export type EntryChanges = {
  readonly put: Change<OfEntryWithTtl, undefined>;
  readonly putAll: Change<{ readonly cache: string; readonly entries: readonly Entry[] }, undefined>;
  readonly putIfAbsent: Change<OfEntryWithTtl, boolean>;
  readonly getAndPut: Change<OfEntry, Value | undefined>;
  readonly getAndPutIfAbsent: Change<OfEntry, Value | undefined>;
  readonly replace: Change<OfEntryWithTtl, boolean>;
  readonly getAndReplace: Change<OfEntry, Value | undefined>;
  readonly replaceIfEquals: Change<OfEntry & { readonly expected: Value }, boolean>;
  readonly remove: Change<OfKey, boolean>;
  readonly getAndRemove: Change<OfKey, Value | undefined>;
  readonly removeIfEquals: Change<OfKey & { readonly expected: Value }, boolean>;
  readonly removeAll: Change<{ readonly cache: string; readonly keys: readonly Value[] }, undefined>;
  readonly clear: Change<{ readonly cache: string }, undefined>;
  readonly append: Change<OfEntry, boolean>;
  readonly prepend: Change<OfEntry, boolean>;
  readonly updateTtl: Change<OfKey & { readonly ttlMs: bigint }, boolean>;
  /** Removes some expired entries; the time of the next expiry, undefined when there is none. */
  readonly sweep: Change<{ readonly cache: string; readonly rows: number }, number | undefined>;
};

/** A change by key in SQL. */
export interface SentStatement {
  readonly sql: string;
  readonly schema: string;
  readonly args: readonly Value[];
  readonly user: string;
}

/** Changes by key in SQL. */
export type StatementChanges = {
  /** How many rows it has changed. */
  readonly runStatement: Change<SentStatement, bigint>;
};

/** Changes of what stands beside the caches. */
export type SystemChanges = {
  readonly addToCounter: Change<{ readonly name: string; readonly delta: bigint; readonly initial: bigint }, bigint>;
  readonly putRecord: Change<
    {
      readonly kind: RecordKind;
      readonly id: string;
      readonly content: string;
      readonly expiresAtMs: number | undefined;
    },
    undefined
  >;
  readonly addRecord: Change<
    {
      readonly kind: RecordKind;
      readonly id: string;
      readonly content: string;
      readonly expiresAtMs: number | undefined;
    },
    boolean
  >;
  readonly removeRecord: Change<{ readonly kind: RecordKind; readonly id: string }, string | undefined>;
  readonly sweepRecords: Change<Record<string, never>, undefined>;
};

export type Changes = EntryChanges & StatementChanges & SystemChanges & StructureChanges;
export type ChangeName = keyof Changes;

/** Takes changes and answers when they are durable and visible. */
export interface ChangeChannel {
  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']>;
}
