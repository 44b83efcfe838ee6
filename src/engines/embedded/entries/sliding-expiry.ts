/**
 * Moves the deadlines of entries that are read in caches with sliding expiry. Reads do not wait for it. All reads of a
 * tick, and those that arrive while a move is being committed, share one change per cache.
 */
import type { Clock } from '../../../base/clock.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { ChangeChannel } from '../writer/changes.ts';

/**
 * Keys of a cache that wait for a move. The rest are not moved, and so expire earlier unless they are read again: while
 * a long statement holds the write lock, reads must not queue up without limit.
 */
const MAX_WAITING = 10_000;

interface Waiting {
  readonly keys: Map<string, Value>;
  isSent: boolean;
}

export class SlidingExpiry {
  readonly #changes: ChangeChannel;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(changes: ChangeChannel, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  /** Moves the deadline of an entry soon. */
  noteRead(cache: string, key: Value): void {
    let waiting = this.#waiting.get(cache);
    if (waiting === undefined) {
      waiting = { keys: new Map(), isSent: false };
      this.#waiting.set(cache, waiting);
      this.#clock.endOfTick(() => this.#send(cache));
    }
    if (waiting.keys.size < MAX_WAITING) waiting.keys.set(keyOf(key), key);
  }

  #send(cache: string): void {
    const waiting = this.#waiting.get(cache);
    if (waiting === undefined || waiting.isSent) return;
    if (waiting.keys.size === 0) {
      this.#waiting.delete(cache);
      return;
    }
    const keys = [...waiting.keys.values()];
    waiting.keys.clear();
    waiting.isSent = true;
    const done = (): void => {
      waiting.isSent = false;
      this.#send(cache);
    };
    // The change fails if nothing may be written: the entry then keeps its deadline.
    this.#changes.submit('slide', { cache, keys }).then(done, done);
  }
}
