/**
 * Requests that read or change large entries. One at a time of a thread reads its values; those whose responses clients
 * have not read share a budget. The others wait, and each claimant has its turn.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { fail, type GridError } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { garbageCollector } from '../base/garbage.ts';
import { LARGE_REQUEST_BOUNDS } from '../base/limits.ts';
import type { Claimant } from '../base/shares.ts';
import { inSlices } from '../base/slices.ts';

/** Characters of values after which their garbage is collected: the runtime sizes its heap by the machine's memory. */
const COLLECTED_CHARACTERS = 16 * 1024 * 1024;

interface Waiting {
  readonly begin: () => void;
  readonly reject: (error: GridError) => void;
}

/** The place of a request: first it reads its values, then its response is sent. */
export class LargePlace {
  readonly #requests: LargeRequests;
  readonly #sinceMs: number;
  #source: Iterator<string> | undefined;
  #sent = 0;
  /** Characters of the values; undefined: they are being read. */
  characters: number | undefined;
  #ended = false;

  constructor(requests: LargeRequests, sinceMs: number) {
    this.#requests = requests;
    this.#sinceMs = sinceMs;
  }

  /** Ends the place. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#source?.return?.();
    this.#source = undefined;
    this.#requests.ended(this);
  }

  /** Yields the parts of a response in slices of time, and ends the place. */
  async *send(parts: Iterable<string>, characters: number, clock: Clock): AsyncGenerator<string> {
    const source = parts[Symbol.iterator]();
    this.#source = source;
    this.characters = characters;
    this.#requests.advance();
    try {
      for await (const part of inSlices({ [Symbol.iterator]: () => source }, clock)) {
        this.#sent += part.length;
        yield part;
        if (this.#ended) break;
      }
      // The place can also end between two slices. Then the source ends early, and the response would look complete.
      if (this.#ended) throw fail('REQUEST_TIMEOUT');
    } finally {
      this.end();
    }
  }

  /** Reports whether the client reads too slowly for others to wait. */
  isSlow(nowMs: number): boolean {
    const sendingMs = nowMs - this.#sinceMs - LARGE_REQUEST_BOUNDS.patienceMs;
    return this.characters !== undefined && this.#sent < (sendingMs / 1_000) * LARGE_REQUEST_BOUNDS.charactersPerSecond;
  }
}

export class LargeRequests {
  readonly #clock: Clock;
  /** Characters of one value at most. */
  readonly #valueCharacters: number;
  readonly #waiting = new FairQueue<Waiting>(LARGE_REQUEST_BOUNDS.waiting);
  readonly #places = new Set<LargePlace>();
  #timer: Timer | undefined;
  readonly #collect: () => void;
  /** Characters of ended requests whose memory has not been collected. */
  #uncollected = 0;
  #entered = 0;

  /** `collect` collects the garbage of this thread. */
  constructor(clock: Clock, valueCharacters: number, collect: () => void = garbageCollector()) {
    this.#clock = clock;
    this.#valueCharacters = valueCharacters;
    this.#collect = collect;
  }

  /** The number of requests that have asked for a place. */
  get entered(): number {
    return this.#entered;
  }

  /** Resolves with a place when it is the turn of the claimant. Throws OVERLOADED, and REQUEST_TIMEOUT on `signal`. */
  async enter(claimant: Claimant, signal: AbortSignal): Promise<LargePlace> {
    this.#entered++;
    if (!this.#hasPlace() || this.#waiting.size > 0) await this.#wait(claimant, signal);
    if (signal.aborted) throw fail('REQUEST_TIMEOUT');
    const place = new LargePlace(this, this.#clock.monotonicMs());
    this.#places.add(place);
    return place;
  }

  #hasPlace(): boolean {
    let held = 0;
    for (const { characters } of this.#places) {
      if (characters === undefined) return false;
      held += characters;
    }
    return held === 0 || held + this.#valueCharacters <= LARGE_REQUEST_BOUNDS.unsentCharacters;
  }

  async #wait(claimant: Claimant, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { begin: resolve, reject };
    const removed = this.#waiting.push(claimant, entry);
    removed?.reject(fail('OVERLOADED', this.#waiting.size));
    const leave = (error: GridError) => () => {
      if (this.#waiting.remove(claimant.key, entry)) reject(error);
    };
    const abort = leave(fail('REQUEST_TIMEOUT'));
    const timer = this.#clock.after(LARGE_REQUEST_BOUNDS.waitMs, leave(fail('OVERLOADED', this.#waiting.size)));
    signal.addEventListener('abort', abort);
    this.#watch();
    try {
      await promise;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ends the places of slow clients while others wait. */
  #watch(): void {
    this.#timer ??= this.#clock.after(LARGE_REQUEST_BOUNDS.watchMs, () => {
      this.#timer = undefined;
      if (this.#waiting.size === 0) return;
      const nowMs = this.#clock.monotonicMs();
      for (const place of this.#places) if (place.isSlow(nowMs)) place.end();
      this.#watch();
    });
  }

  /** Called by a place that has ended. */
  ended(place: LargePlace): void {
    this.#places.delete(place);
    this.#uncollected += place.characters ?? 0;
    if (this.#uncollected < COLLECTED_CHARACTERS) {
      this.advance();
      return;
    }
    this.#uncollected = 0;
    // The values are garbage when their response has been sent, which is what the place waited for.
    this.#clock.after(0, () => {
      this.#collect();
      this.advance();
    });
  }

  /** Begins the next request if there is room. */
  advance(): void {
    if (this.#hasPlace()) this.#waiting.shift()?.begin();
  }
}
