/**
 * The changes that the writer carries out: plain data, so that they can cross threads. Names and meaning are those of
 * the port; `answer` is what the port gives.
 */
import type { CacheDefinition, CacheRequest, ClusterState, Entry, RecordKind } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import type { PlannedIndex, StructureStatement } from '../ddl/tables.ts';
import type { SentStatement } from '../queries/writer-statements.ts';

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
type Change<Req, Res> = { readonly request: Req; readonly response: Res };

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

/** Changes of definitions and of the state: each has a commit of its own, and nothing runs beside it. */
export type StructureChanges = {
  readonly createCache: Change<{ readonly name: string; readonly request: CacheRequest }, undefined>;
  /** Creates the cache exactly so when there is none of that name; true when it was created. */
  readonly defineCache: Change<{ readonly definition: CacheDefinition }, boolean>;
  readonly destroyCache: Change<{ readonly name: string }, undefined>;
  /** DDL; `schema` stands for names without one, `builtIndex` is what {@link planIndex} gave a name to. */
  readonly runDdl: Change<
    { readonly statement: StructureStatement; readonly schema: string; readonly builtIndex?: string },
    undefined
  >;
  /** What CREATE INDEX is going to make; undefined when there is nothing to do. */
  readonly planIndex: Change<
    { readonly statement: Extract<StructureStatement, { kind: 'createIndex' }>; readonly schema: string },
    PlannedIndex | undefined
  >;
  readonly setState: Change<{ readonly state: ClusterState; readonly force: boolean }, undefined>;
};

export type Changes = EntryChanges & StatementChanges & SystemChanges & StructureChanges;
export type ChangeName = keyof Changes;

/** Takes changes and answers when they are durable and visible. */
export interface ChangeChannel {
  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']>;
}
