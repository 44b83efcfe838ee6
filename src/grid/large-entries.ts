/**
 * Operations on large entries, or on many, which an engine runs elsewhere: on a thread that answers requests, reading
 * or storing a text of 30 MB delays all other requests by tens of milliseconds, and 50,000 entries by a hundred.
 */
import type { Claimant } from '../base/shares.ts';
import type { Idempotency } from './idempotency.ts';

/** Thrown by {@link LargeEntries.bounded} before anything has been read, counted or changed. */
export class LargeEntry extends Error {
  constructor() {
    super('an operation on a large entry');
    this.name = 'LargeEntry';
  }
}

/** Who runs an operation on a large entry. */
export interface LargeEntryOptions {
  readonly owner: string;
  readonly claimant: Claimant;
  /** Rolls a change back when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The operations of the port on entries, by where they run. C is a change in one call, R its result. */
export interface LargeEntries<Entries, C, R> {
  /** The operations on this thread. Those on large entries throw {@link LargeEntry}. */
  readonly bounded: Entries;
  /** Returns the operations, which other threads run. They throw what transactions throw, too. */
  offThread(options: LargeEntryOptions): Entries;
  /**
   * Reports whether a change would store, return or replace a large value, or many entries. False for one that fails:
   * the result of an earlier request with its key may be kept all the same.
   */
  isLarge(change: C): boolean;
  /** Returns how other threads make changes with an idempotency key. Throws what transactions throw, too. */
  offThreadOnce(options: LargeEntryOptions): Idempotency<C, R>['call'];
}
