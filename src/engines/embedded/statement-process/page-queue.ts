/**
 * Limits a statement process to one page at a time: one tenant's pages in the order of their requests, several tenants'
 * in turn. Each page gets a separate tick, after which its response is sent and the requests on all ports are received.
 * Otherwise the runtime would deliver all of one port's messages before the next port's, and a port whose clients fetch
 * the next page immediately would block another port.
 */
import { Admission } from '../../../base/admission.ts';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';

export class PageQueue {
  readonly #clock: Clock;
  readonly #admission: Admission;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Bounded by the requests that may be in progress.
    this.#admission = new Admission({
      clock,
      slots: 1,
      reserved: 0,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitingBytes: Number.POSITIVE_INFINITY,
      targetMs: Number.POSITIVE_INFINITY,
      failure: (_reason, waiting) => gridError('OVERLOADED', waiting),
    });
  }

  /** Writes a page immediately if the thread has written none in this tick, otherwise after earlier ones. */
  write<T>(tenant: string, page: () => T): MaybePromise<T> {
    return chain(this.#admission.acquire({ key: tenant, isAdministrator: false }), (slot) => {
      this.#clock.nextTick(() => slot.release());
      return page();
    });
  }
}
