/**
 * A command for the engine as data: its target and, by its kind, the type of its result. Every engine runs calls in one
 * table (src/grid/DESIGN.md).
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Value } from '../values/value.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { FieldsQuery, QueryPage } from './queries.ts';

export interface Entry {
  readonly key: Value;
  readonly value: Value;
}

/** A counter with its value. */
export interface Counter {
  readonly name: string;
  readonly value: bigint;
  /** The remaining time to live in ms, or undefined if it has no deadline. */
  readonly ttlMs?: bigint | undefined;
}

/**
 * The effect of a write on its entry's expiry time: > 0 sets its time to live in ms, null removes the expiry time;
 * absent or <= 0 keeps a live entry's (docs/spec/ignite-data.md 4.7), or sets the cache's time to live.
 */
export type TimeToLive = bigint | null | undefined;

type OnCache = { readonly cache: string };
type OnKey = OnCache & { readonly key: Value };
type OnKeys = OnCache & { readonly keys: readonly Value[] };
type Write = OnKey & { readonly value: Value; readonly ttlMs?: TimeToLive };

/** The target and the result of a call. */
interface Signature<Fields, Result> {
  readonly fields: Fields;
  readonly result: Result;
}

/** Calls that read entries. They return undefined if there is no entry. */
interface EntryReads {
  readonly get: Signature<OnKey, Value | undefined>;
  readonly has: Signature<OnKey, boolean>;
  /** Returns the existing entries in no particular order; a repeated key counts once. */
  readonly getAll: Signature<OnKeys, readonly Entry[]>;
  /**
   * Like `getAll`, but returns a JSON object with the keys as names, built from the engine's bytes, if all keys and
   * values are strings. Otherwise returns the entries, as it may for strings that are long or need escapes.
   */
  readonly getAllAsText: Signature<OnKeys, string | readonly Entry[]>;
  /** Reports whether every key has an entry. */
  readonly hasAll: Signature<OnKeys, boolean>;
  /**
   * Returns the remaining time to live in ms, > 0, or null if the entry has no expiry time. Does not count as a read.
   * Throws KEY_NOT_FOUND and NOT_SUPPORTED.
   */
  readonly timeToLive: Signature<OnKey, bigint | null>;
  /** Returns the number of entries that have not expired. */
  readonly size: Signature<OnCache, number>;
}

/** Calls that change entries. */
interface EntryChanges {
  readonly put: Signature<Write, void>;
  readonly putAll: Signature<OnCache & { readonly entries: readonly Entry[]; readonly ttlMs?: TimeToLive }, void>;
  readonly putIfAbsent: Signature<Write, boolean>;
  readonly getAndPut: Signature<Write, Value | undefined>;
  readonly getAndPutIfAbsent: Signature<Write, Value | undefined>;
  readonly replace: Signature<Write, boolean>;
  readonly getAndReplace: Signature<Write, Value | undefined>;
  readonly replaceIfEquals: Signature<Write & { readonly expected: Value }, boolean>;
  readonly remove: Signature<OnKey, boolean>;
  readonly getAndRemove: Signature<OnKey, Value | undefined>;
  readonly removeIfEquals: Signature<OnKey & { readonly expected: Value }, boolean>;
  readonly removeAll: Signature<OnKeys, void>;
  /** Removes every entry of the cache. */
  readonly clear: Signature<OnCache, void>;
  /**
   * Appends `value` to a string, list or map by the rules of `append` in values/combine.ts; returns false if there is
   * no entry. Throws INCOMPATIBLE_TYPES for other combinations and changes nothing.
   */
  readonly append: Signature<Write, boolean>;
  /** Prepends `value` by the rules of `prepend` in values/combine.ts, otherwise like {@link append}. */
  readonly prepend: Signature<Write, boolean>;
  /**
   * Sets the time to live: > 0 in ms, < 0 expires the entry immediately, 0 changes nothing, null removes the expiry
   * time. Returns whether there was an entry.
   */
  readonly updateTtl: Signature<OnKey & { readonly ttlMs: bigint | null }, boolean>;
}

/** Calls on named counters, which belong to no cache. */
interface CounterCalls {
  /**
   * Adds `delta` to the counter and returns the new value. New counters start at `initial`; sums wrap at 64 bits. A new
   * counter expires after `ttlMs` > 0; an existing one keeps its deadline. Throws NOT_SUPPORTED if the engine's
   * counters have no time to live.
   */
  readonly addToCounter: Signature<
    {
      readonly name: string;
      readonly delta: bigint;
      readonly initial: bigint;
      readonly ttlMs?: bigint | undefined;
    },
    bigint
  >;
  /** Returns the remaining time in ms, or null if the counter has no deadline, undefined if it does not exist. */
  readonly counterTimeToLive: Signature<{ readonly name: string }, bigint | null | undefined>;
  /** Removes the deadline. Returns whether the counter exists. */
  readonly persistCounter: Signature<{ readonly name: string }, boolean>;
}

interface StatementCalls {
  /** Runs an SQL statement and returns its first page. */
  readonly statement: Signature<{ readonly query: FieldsQuery }, QueryPage>;
}

interface Calls extends EntryReads, EntryChanges, CounterCalls, StatementCalls {}

export type CallKind = keyof Calls;
export type EntryReadKind = keyof EntryReads;
export type EntryChangeKind = keyof EntryChanges;
export type EntryKind = EntryReadKind | EntryChangeKind;
export type CounterKind = keyof CounterCalls;
/** The kinds of calls by key that change something. */
export type ChangeKind = EntryChangeKind | 'addToCounter' | 'persistCounter';

export type Call<K extends CallKind = CallKind> = {
  readonly [N in K]: { readonly kind: N } & Calls[N]['fields'];
}[K];

export type CallResult<K extends CallKind = CallKind> = Calls[K]['result'];

/** Functions that run calls, by kind. */
export type CallTable<K extends CallKind, Rest extends readonly unknown[] = []> = {
  readonly [N in K]: (call: Call<N>, ...rest: Rest) => MaybePromise<CallResult<N>>;
};

/** Makes a change at most once. */
export interface IdempotentCall {
  readonly key: IdempotencyKey;
  /** Called if the result comes from an earlier run. */
  readonly onReplay: () => void;
}

/** How a call runs. */
export interface CallContext {
  /** A change of entries, counters or rows commits together with its result. Calls that only read ignore it. */
  readonly once?: IdempotentCall;
}

/** Runs calls: an engine, or a layer in front of one. */
export interface Port {
  call<K extends CallKind>(call: Call<K>, context: CallContext): MaybePromise<CallResult<K>>;
}

/** Returns a table with the same value for all calls that read entries. */
export function forEntryReads<T>(value: T): Readonly<Record<EntryReadKind, T>> {
  return {
    get: value,
    has: value,
    getAll: value,
    getAllAsText: value,
    hasAll: value,
    timeToLive: value,
    size: value,
  };
}

/** Returns a table with the same value for all calls that change entries. */
export function forEntryChanges<T>(value: T): Readonly<Record<EntryChangeKind, T>> {
  return {
    put: value,
    putAll: value,
    putIfAbsent: value,
    getAndPut: value,
    getAndPutIfAbsent: value,
    replace: value,
    getAndReplace: value,
    replaceIfEquals: value,
    remove: value,
    getAndRemove: value,
    removeIfEquals: value,
    removeAll: value,
    clear: value,
    append: value,
    prepend: value,
    updateTtl: value,
  };
}

const READS_OF_ENTRIES: Readonly<Record<EntryKind, boolean>> = { ...forEntryReads(true), ...forEntryChanges(false) };

/** Reports whether a call operates on entries. */
export function isOnEntries(call: Call): call is Call<EntryKind> {
  return call.kind in READS_OF_ENTRIES;
}

/** Reports whether calls of a kind only read entries. */
export function isReadOfEntries(kind: EntryKind): boolean {
  return READS_OF_ENTRIES[kind];
}

/** Narrows a call to one of several kinds, which the compiler does not infer for a type parameter. */
export function anyCall<All extends CallKind, K extends All>(call: Call<K>): Call<All> {
  return call as Call<K> & Call<All>;
}
