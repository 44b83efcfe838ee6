/**
 * The order in which a query thread writes pages: those of one owner as they were requested, those of several owners in
 * turn. Each page has a tick of its own, after which its response is sent and the requests of all ports are received.
 * Otherwise the runtime passes on all messages of a port before those of the next one, and a port whose clients fetch
 * at once what they receive would keep those of another port waiting.
 */
import type { Clock } from '../../../base/clock.ts';
import { FairQueue } from '../../../base/fair-queue.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';

export class PageQueue {
  readonly #clock: Clock;
  readonly #idle: () => boolean;
  /** Bounded by the requests that may be in work. */
  readonly #waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  #isBusy = false;

  /** `idle` does one part of the work for which no page should wait; it returns false when there is none. */
  constructor(clock: Clock, idle: () => boolean) {
    this.#clock = clock;
    this.#idle = idle;
  }

  /** Writes a page at once if the thread has written none in this tick, otherwise after those before it. */
  write<T>(owner: string, page: () => T): MaybePromise<T> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#clock.nextTick(this.#next);
      return page();
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ key: owner, isAdministrator: false }, () => {
      try {
        resolve(page());
      } catch (error) {
        reject(error);
      }
    });
    return promise;
  }

  readonly #next = (): void => {
    const write = this.#waiting.shift();
    if (write !== undefined) write();
    else {
      this.#isBusy = false;
      if (!this.#idle()) return;
      this.#isBusy = true;
    }
    this.#clock.nextTick(this.#next);
  };
}
