/**
 * The changes that the writer runs, as plain data that is sent between threads. The operations on entries derive from
 * the port itself: `entry-operations.ts` has one function for each, from which messages, execution and the port's
 * methods follow.
 */
import type { Counters, Entries, Entry, EntryResult, RecordKind, SingleCall } from '../../../grid/grid.ts';
import type { IdempotencyKey, IdempotentResult } from '../../../grid/idempotency.ts';
import type { Knowledge } from '../../../grid/knowledge.ts';
import type { Value } from '../../../values/value.ts';
import type { Change, StructureChanges } from '../ddl/structure-changes.ts';

/** An operation of the port that changes entries. */
export type EntryOperation = Exclude<keyof Entries, 'get' | 'has' | 'getAll' | 'hasAll' | 'timeToLive' | 'size'>;

/** An argument of an operation, besides the name of the cache or counter. */
export type Argument = Value | readonly Value[] | readonly Entry[] | bigint | null | undefined;

type WithoutName<Arguments> = Arguments extends [string, ...infer Rest extends Argument[]] ? Rest : never;

/** The arguments of an operation on entries after the cache. */
export type ArgumentsOf<N extends EntryOperation> = WithoutName<Parameters<Entries[N]>>;
export type ResultOf<N extends EntryOperation> = Awaited<ReturnType<Entries[N]>>;

/** A call of an operation of the port. */
export interface OperationRequest<Arguments extends readonly Argument[]> {
  /** The name of the cache or counter. */
  readonly name: string;
  readonly args: Arguments;
}

/** Changes of entries: any number of them share a transaction. */
export type EntryChanges = {
  readonly [N in EntryOperation]: Change<OperationRequest<ArgumentsOf<N>>, ResultOf<N>>;
};

/** A change by key in SQL. */
export interface SentStatement {
  readonly sql: string;
  readonly schema: string;
  readonly args: readonly Value[];
  readonly user: string;
  /** What system views show; absent: everything. */
  readonly knows?: Knowledge;
}

/** Changes that share transactions with {@link EntryChanges}. */
export type FurtherChanges = {
  /** Runs a change by key in SQL and returns the number of rows it changed. */
  readonly runStatement: Change<SentStatement, bigint>;
  /** Removes up to `rows` expired entries and returns the time of the next expiry; undefined when there is none. */
  readonly sweep: Change<{ readonly cache: string; readonly rows: number }, number | undefined>;
  /** Moves the deadlines of entries that were read in a cache with sliding expiry. */
  readonly slide: Change<{ readonly cache: string; readonly keys: readonly Value[] }, undefined>;
  /** Returns the content of a session that waits to be stored; null when the stored records decide. */
  readonly findPendingSession: Change<{ readonly id: string }, string | undefined | null>;
  readonly addToCounter: Change<OperationRequest<WithoutName<Parameters<Counters['add']>>>, bigint>;
  readonly persistCounter: Change<OperationRequest<readonly []>, boolean>;
  /** Removes up to `rows` changes of the feed up to the position `end`. Returns whether there may be more. */
  readonly trimFeed: Change<{ readonly database: number; readonly end: number; readonly rows: number }, boolean>;
  /** Removes up to `rows` expired counters and returns whether there may be more. */
  readonly sweepCounters: Change<{ readonly rows: number }, boolean>;
};

/** The last known positions of keys, by the number of the database. */
export interface KeptSince {
  readonly since: Readonly<Record<number, number>>;
}

/** Changes that keep the results of requests by their idempotency keys (src/grid/idempotency.ts). */
export type IdempotentChanges = {
  /** Makes a change, or returns the kept result of an earlier one. */
  readonly callOnce: Change<{ readonly call: SingleCall; readonly key: IdempotencyKey }, IdempotentResult<EntryResult>>;
  readonly beginOnce: Change<{ readonly key: IdempotencyKey; readonly answer: string | null }, string | undefined>;
  readonly completeOnce: Change<{ readonly key: IdempotencyKey; readonly answer: string | undefined }, undefined>;
  readonly discardOnce: Change<{ readonly key: IdempotencyKey }, undefined>;
  /**
   * Notes that a transaction with a key runs, and that it has ended. Nothing is stored. The response is the kept
   * answer, or the positions after which the transaction has to look for one when it has the write lock.
   */
  readonly claimKey: Change<{ readonly key: IdempotencyKey }, { readonly answer: string } | KeptSince>;
  readonly releaseKey: Change<{ readonly key: IdempotencyKey }, undefined>;
  /** Removes about `keys` expired keys of a database file. Returns whether there may be more. */
  readonly sweepKeys: Change<{ readonly database: number; readonly keys: number }, boolean>;
};

interface RecordContent {
  readonly kind: RecordKind;
  readonly id: string;
  readonly content: string;
  readonly expiresAtMs: number | undefined;
}

/** Changes of system records. */
export type RecordChanges = {
  readonly putRecord: Change<RecordContent, undefined>;
  readonly addRecord: Change<RecordContent, boolean>;
  readonly replaceRecord: Change<RecordContent, boolean>;
  readonly removeRecord: Change<{ readonly kind: RecordKind; readonly id: string }, string | undefined>;
  /** Removes the expired records. */
  readonly sweepRecords: Change<Record<string, never>, undefined>;
  /** Makes all earlier commits durable. */
  readonly syncLog: Change<Record<string, never>, undefined>;
};

export type Changes = EntryChanges & FurtherChanges & IdempotentChanges & RecordChanges & StructureChanges;
export type ChangeName = keyof Changes;

/** Accepts changes and responds when they are durable and visible. */
export interface ChangeChannel {
  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']>;
}
