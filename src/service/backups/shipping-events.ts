/** Records in the audit log when the continuous backup ships, waits, stops and ends. Runs in the main thread. */
import type { Clock, Timer } from '../../base/clock.ts';
import type { ContinuousStatus } from '../../grid/backup.ts';
import type { RecordEvent } from '../monitoring/audit.ts';

export interface ShippingEventsOptions {
  readonly continuous: () => ContinuousStatus | undefined;
  readonly clock: Clock;
  readonly recordEvent: RecordEvent;
}

/** A shorter change is not recorded. */
const LOOK_MS = 1_000;
const EVENT = 'shipping';

export class ShippingEvents {
  readonly #options: ShippingEventsOptions;
  /** The last recorded state. */
  #recorded = '';
  #isTakeoverRecorded = false;
  #timer: Timer | undefined;

  constructor(options: ShippingEventsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.every(LOOK_MS, () => this.#look());
  }

  close(): void {
    this.#timer?.cancel();
    this.#look();
    const { continuous, recordEvent } = this.#options;
    recordEvent('done', EVENT, { state: 'ended', position: continuous()?.position ?? '' });
  }

  #look(): void {
    const { continuous, recordEvent } = this.#options;
    const status = continuous();
    // `starting` always leads to another state.
    if (status === undefined || status.state === 'starting') return;
    const { state, reason, position, takenFrom } = status;
    const change = `${state} ${reason}`;
    if (change === this.#recorded) return;
    this.#recorded = change;
    const fields = { state, position: position ?? '' };
    if (state !== 'shipping') {
      recordEvent('failures', EVENT, { ...fields, error: reason ?? '' });
      return;
    }
    const isTakeover = takenFrom !== null && !this.#isTakeoverRecorded;
    this.#isTakeoverRecorded = true;
    recordEvent('done', EVENT, { ...fields, ...(isTakeover && { takenFrom }) });
  }
}
