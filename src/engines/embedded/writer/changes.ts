/** The changes that the writer runs, as plain data sent between threads. */
import type { Call, CallResult, ChangeKind } from '../../../grid/calls.ts';
import type { RecordKind } from '../../../grid/grid.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import type { StatementGrant } from '../../../grid/statement-grant.ts';
import type { Value } from '../../../values/value.ts';
import type { Change, StructureChanges } from '../ddl/structure-changes.ts';
import type { FeedRetention } from '../storage/feed-tables.ts';

/** The calls of the port that change entries or counters: any number of them share a transaction. */
export type CallChanges = { readonly [K in ChangeKind]: Change<Call<K>, CallResult<K>> };

/** The result of a call with an idempotency key, and whether an earlier request made the change. */
export interface IdempotentResult {
  readonly result: CallResult<ChangeKind>;
  readonly replayed: boolean;
}

/** A change by key in SQL. */
export interface SentStatement {
  readonly sql: string;
  readonly schema: string;
  readonly args: readonly Value[];
  readonly user: string;
  readonly grant: StatementGrant | undefined;
}

/** Changes that share transactions with {@link CallChanges}. */
export type FurtherChanges = {
  /** Runs a change by key in SQL and returns the number of rows it changed. */
  readonly runStatement: Change<SentStatement, bigint>;
  /** Removes up to `rows` expired entries and returns the time of the next expiry, or undefined if there is none. */
  readonly sweep: Change<{ readonly cache: string; readonly rows: number }, number | undefined>;
  /** Moves the deadlines of entries that were read in a cache with sliding expiry. */
  readonly slide: Change<{ readonly cache: string; readonly keys: readonly Value[] }, undefined>;
  /** Returns the content of a session that waits to be stored, or null if the stored records decide. */
  readonly findPendingSession: Change<{ readonly id: string }, string | undefined | null>;
  /** Returns the sessions that wait to be stored or removed; those to be removed have no content. */
  readonly listPendingSessions: Change<Record<never, never>, readonly PendingRecord[]>;
  /** Removes up to `rows` changes that the feed no longer keeps. Returns whether there may be more. */
  readonly trimFeed: Change<
    { readonly database: number; readonly retention: FeedRetention; readonly nowMs: number; readonly rows: number },
    boolean
  >;
  /** Removes up to `rows` expired counters and returns whether there may be more. */
  readonly sweepCounters: Change<{ readonly rows: number }, boolean>;
};

/** The last known positions of idempotency records, by database number. */
export interface RecordPositions {
  readonly since: Readonly<Record<number, number>>;
}

/** Changes that record the results of requests by their idempotency keys (src/grid/idempotency.ts). */
export type IdempotentChanges = {
  /** Makes a change, or returns the stored result of an earlier one. */
  readonly callOnce: Change<{ readonly call: Call<ChangeKind>; readonly key: IdempotencyKey }, IdempotentResult>;
  readonly beginOnce: Change<{ readonly key: IdempotencyKey; readonly answer: string | null }, string | undefined>;
  readonly completeOnce: Change<{ readonly key: IdempotencyKey; readonly answer: string | undefined }, undefined>;
  readonly discardOnce: Change<{ readonly key: IdempotencyKey }, undefined>;
  /**
   * Records that a transaction with a key runs, and that it has ended. Nothing is stored. The response is the recorded
   * response of the request, or the positions after which the transaction must look for one once it has the write lock.
   */
  readonly claimKey: Change<{ readonly key: IdempotencyKey }, { readonly answer: string } | RecordPositions>;
  readonly releaseKey: Change<{ readonly key: IdempotencyKey }, undefined>;
  /** Removes about `keys` expired keys of a database file. Returns whether there may be more. */
  readonly sweepKeys: Change<{ readonly database: number; readonly keys: number }, boolean>;
};

/** A session that waits to be stored or, with `content` undefined, removed. */
export interface PendingRecord {
  readonly id: string;
  readonly content: string | undefined;
}

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

export type Changes = CallChanges & FurtherChanges & IdempotentChanges & RecordChanges & StructureChanges;
export type ChangeName = keyof Changes;

/** Accepts changes and responds when they are durable and visible. */
export interface ChangeChannel {
  submit<N extends ChangeName>(name: N, request: Changes[N]['request']): Promise<Changes[N]['response']>;
}
