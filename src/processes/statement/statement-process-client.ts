/** A process's channels to the statement processes. */
import type { Clock } from '../../base/clock.ts';
import { GridError } from '../../base/errors.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { ProcessEnded } from '../../engines/embedded/dispatch/statement-router.ts';
import type { StatementChannel, StatementProcesses } from '../../engines/embedded/shared/statement-protocol.ts';
import { connectSocket } from './socket-port.ts';

/** The reason why a statement process has ended. */
export interface ProcessEnd {
  readonly index: number;
  readonly reason: string;
  /** The statement for which the process was ended, or undefined if it ended by itself. */
  readonly ticket?: number;
  /** The statement that it was running. */
  readonly running?: number;
}

/** The error of one that could not start. */
export const STARTING = 'its process cannot start';

/** Time after which a connection counts as lost if the owner has not reported its end. */
const LOST_MS = 1_000;

/** A client's channels to the statement processes. */
export class StatementProcessClient implements StatementProcesses {
  readonly #clock: Clock;
  readonly #address: (index: number) => Promise<string>;
  readonly #channels = new Map<number, Promise<StatementChannel>>();

  /** `address` returns the path of a process's socket. */
  constructor(clock: Clock, address: (index: number) => Promise<string>) {
    this.#clock = clock;
    this.#address = address;
  }

  channel(index: number): Promise<StatementChannel> {
    let channel = this.#channels.get(index);
    if (channel === undefined) {
      const opening = this.#open(index, () => {
        this.#clock.after(LOST_MS, () => {
          if (this.#channels.get(index) === opening) this.ended({ index: index, reason: 'its process ended' });
        });
      });
      channel = opening;
      this.#channels.set(index, opening);
      opening.catch(() => {
        if (this.#channels.get(index) === opening) this.#channels.delete(index);
      });
    }
    return channel;
  }

  /** Fails pending requests to the process; the next request restarts it. */
  ended({ index, reason, ticket, running }: ProcessEnd): void {
    const channel = this.#channels.get(index);
    this.#channels.delete(index);
    channel?.then(
      (each) => each.close(new ProcessEnded(reason, ticket, running)),
      () => {},
    );
  }

  async #open(index: number, onClose: () => void): Promise<StatementChannel> {
    try {
      return new RpcChannel(await connectSocket(await this.#address(index), onClose), this.#clock);
    } catch (error) {
      // It has ended in the meantime, or cannot start.
      throw error instanceof GridError && error.code === 'STOPPING' ? error : new ProcessEnded(STARTING);
    }
  }
}
