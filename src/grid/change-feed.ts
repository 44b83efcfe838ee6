/**
 * The change feed: the changes of caches in commit order. An engine records them, for caches whose definition says so,
 * in the commit that makes the change.
 *
 * A position names a place in the feed. It has one element for each database file, `FILE.NUMBER`, separated by commas:
 * a commit changes one file, so the changes of each file are ordered. Clients treat it as opaque.
 */
import { type ErrorCode, GridError, gridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { Value } from '../values/value.ts';

/** Kinds of changes to entries and caches. The codes are stored: never change one; add new ones at the end. */
export const CHANGE_OPERATIONS = {
  created: 1,
  updated: 2,
  removed: 3,
  expired: 4,
  /** An entry's deadline was changed or removed by a command that does nothing else. */
  expiryChanged: 5,
  /** All entries of a cache were removed in one step. */
  cleared: 6,
  cacheCreated: 7,
  /** Columns or indexes of the cache's table changed. */
  cacheAltered: 8,
  cacheDestroyed: 9,
  feedStarted: 10,
  feedEnded: 11,
} as const;

export type ChangeOperation = keyof typeof CHANGE_OPERATIONS;
export const CHANGE_OPERATION_NAMES = Object.keys(CHANGE_OPERATIONS) as readonly ChangeOperation[];

/** A change. Times are in ms since the epoch. */
export interface Change {
  readonly operation: ChangeOperation;
  readonly cache: string;
  readonly atMs: number;
  /** Absent for a change of a whole cache. */
  readonly key?: Value;
  readonly value?: Value;
  /** The value before the change. */
  readonly oldValue?: Value;
  /** When the entry expires. */
  readonly expiresAtMs?: number;
  /** The table columns of a cache that was created or altered, by table name. */
  readonly tables?: ReadonlyArray<{ readonly name: string; readonly columns: readonly string[] }>;
}

/** Where a stream begins, besides a position: after all changes, or with the oldest one kept. */
export const FROM_NOW = 'now';
export const FROM_START = 'start';

/** Why the service ended a stream of changes; `complete`: the consumer did not want to wait for more. */
export type EndReason = 'complete' | 'lost' | 'denied' | 'failed' | 'stopping';

/** Errors for changes that are gone, and for a session that has ended, which has the status of other errors. */
const END_REASONS: Partial<Record<ErrorCode, EndReason>> = {
  CHANGE_POSITION_GONE: 'lost',
  CHANGE_CONSUMER_SLOW: 'lost',
  DEPOSED: 'stopping',
  STOPPING: 'stopping',
  TOKEN_UNKNOWN: 'denied',
};

/** Returns the reason why an error ends a stream. */
export function endReasonOf(error: unknown): EndReason {
  if (!(error instanceof GridError)) return 'failed';
  return END_REASONS[error.code] ?? (error.successStatus === 1 ? 'failed' : 'denied');
}

/**
 * Writes what a consumer receives, each part as a whole. `position` is after the change; undefined if the
 * stream cannot be resumed.
 */
export interface ChangeWriter {
  change(change: Change, position: string | undefined): string;
  /** The first part. Changes after the position follow. */
  opened(position: string | undefined): string;
  heartbeat(position: string | undefined): string;
  /** Changes may be missing here. Only streams that cannot be resumed have gaps. */
  gap(cache: string, reason: string): string;
  /** The last part of a stream that the service ended; `error` is null if it is complete. */
  ended(position: string | undefined, reason: EndReason, error: unknown): string;
}

/** The request of a consumer. */
export interface WatchRequest {
  /** Every cache whose changes are recorded, if undefined. */
  readonly caches: readonly string[] | undefined;
  /** Only changes to this entry, and to its cache as a whole. */
  readonly key: Value | undefined;
  /** All kinds, if undefined. */
  readonly operations: ReadonlySet<ChangeOperation> | undefined;
  readonly withOldValue: boolean;
  /** {@link FROM_NOW}, {@link FROM_START} or a position. */
  readonly from: string;
  /** Whether the stream waits for more changes; if false, it ends after the last one. */
  readonly follows: boolean;
  readonly heartbeatMs: number;
  readonly writer: ChangeWriter;
  /** Requests with the same string receive the same bytes for the same changes. If undefined, no other request does. */
  readonly sharing: string | undefined;
  readonly owner: string;
  readonly tenant: Tenant;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  /** Throws when the consumer may no longer read the caches. */
  readonly authorize: () => MaybePromise<void>;
  /** Called with the position up to which the consumer has taken the changes, if the stream can be resumed. */
  readonly taken?: (position: string) => void;
}

/** A consumer, as views show it. */
export interface ConsumerInfo {
  readonly id: number;
  readonly owner: string;
  /** The cache names; empty for every cache. */
  readonly caches: string;
  readonly startedAtMs: number;
  readonly changes: number;
  readonly bytes: number;
  /** When it last received changes or a heartbeat. */
  readonly lastAtMs: number;
  /** Changes not sent to it yet: in its first database file, ignoring its filter. */
  readonly behind: number;
}

/** Statistics since startup, and the retained changes. */
export interface FeedStatistics {
  readonly consumers: number;
  readonly delivered: number;
  /** Streams that ended because their consumers fell behind the retained changes. */
  readonly lost: number;
  /** undefined if the engine keeps no changes. */
  readonly keptBytes: number | undefined;
}

export interface ChangeFeed {
  /** Whether changes are recorded, so that streams have positions. If not, streams begin now and may have gaps. */
  readonly isResumable: boolean;
  /**
   * Streams changes. Throws CACHE_NOT_FOUND, CHANGE_FEED_OFF, CHANGE_POSITION_INVALID, CHANGE_POSITION_GONE,
   * CHANGE_CONSUMERS, INACTIVE, NOT_SUPPORTED. Later failures are the last part of the stream.
   */
  watch(request: WatchRequest): MaybePromise<AsyncIterable<string>>;
  /**
   * Returns a position after every acknowledged change of the caches, or undefined if their changes are not recorded.
   * `recorded` means all caches whose changes are recorded; `kept` adds those that are no longer recorded or no longer
   * exist, as far as their changes are kept.
   */
  position(caches: readonly string[] | 'recorded' | 'kept'): string | undefined;
  /**
   * Resolves when every change up to a position is visible. Throws CHANGE_POSITION_INVALID, CHANGE_POSITION_GONE,
   * CHANGE_POSITION_TIMEOUT.
   */
  waitFor(position: string, timeoutMs: number, signal: AbortSignal): MaybePromise<void>;
  /**
   * Starts or stops recording a cache's changes. Throws CACHE_NOT_FOUND, INACTIVE, READ_ONLY and CHANGE_FEED_COLUMNS.
   */
  setRecorded(cache: string, isRecorded: boolean): Promise<void>;
  consumers(): readonly ConsumerInfo[];
  statistics(): FeedStatistics;
}

/** A position's number in each database file, by the file's id. */
export type PositionVector = ReadonlyMap<string, number>;

const ELEMENT = /^([0-9a-f]{12})\.(\d{1,15})$/;

/** Formats a position. */
export function encodePosition(position: Iterable<readonly [file: string, number: number]>): string {
  return Array.from(position, ([file, number]) => `${file}.${number}`).join(',');
}

/** Parses a position. Throws CHANGE_POSITION_INVALID. */
export function decodePosition(text: string): PositionVector {
  const position = new Map<string, number>();
  for (const element of text.split(',')) {
    const [, file, number] = ELEMENT.exec(element) ?? [];
    if (file === undefined || number === undefined || position.has(file))
      throw gridError('CHANGE_POSITION_INVALID', text);
    position.set(file, Number(number));
  }
  return position;
}
