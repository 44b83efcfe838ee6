/** The right to ship of a service with failover, whose lease the service's process keeps. */
import type { FailoverState } from '../../../../../base/failover-state.ts';
import type { Ownership } from '../destination.ts';
import type { ShippingFailover } from '../shipping-messages.ts';

export class SharedOwnership implements Ownership {
  readonly epoch: bigint;
  readonly takenFrom: string | undefined;
  readonly #state: FailoverState;

  constructor({ epoch, takenFrom }: Pick<ShippingFailover, 'epoch' | 'takenFrom'>, state: FailoverState) {
    this.epoch = BigInt(epoch);
    this.takenFrom = takenFrom;
    this.#state = state;
  }

  /** Throws an error while the lease is not valid, since it may be renewed. */
  check(): void {
    if (!this.#state.holds()) throw new Error('the lease of the primary could not be renewed');
  }

  /** The service releases its lease when it has ended. */
  release(): void {}
}
