/** A thread's channels to the query threads and processes. */
import type { Clock } from '../../base/clock.ts';
import { GridError } from '../../base/errors.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { ThreadEnded } from '../../engines/embedded/dispatch/statement-router.ts';
import type { QueryChannel, QueryThreads } from '../../engines/embedded/shared/statement-protocol.ts';
import { connectSocket } from './socket-port.ts';

/** Why a query thread has ended. */
export interface ThreadEnd {
  readonly thread: number;
  readonly reason: string;
  /** The statement for which the thread was ended; undefined: it ended by itself. */
  readonly ticket?: number;
  /** The statement that it ran. */
  readonly running?: number;
}

/** The reason for the end of one that could not start. */
export const STARTING = 'its process cannot start';

/** Time after which a connection counts as lost whose end the owner has not reported. */
const LOST_MS = 1_000;

/** A client's channels to the query threads. */
export class QueryThreadsClient implements QueryThreads {
  readonly #clock: Clock;
  readonly #address: (index: number) => Promise<string>;
  readonly #channels = new Map<number, Promise<QueryChannel>>();

  /** `address` returns the path of a process's socket. */
  constructor(clock: Clock, address: (index: number) => Promise<string>) {
    this.#clock = clock;
    this.#address = address;
  }

  channel(index: number): Promise<QueryChannel> {
    let channel = this.#channels.get(index);
    if (channel === undefined) {
      const opening = this.#open(index, () => {
        this.#clock.after(LOST_MS, () => {
          if (this.#channels.get(index) === opening) this.ended({ thread: index, reason: 'its thread ended' });
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

  /** Fails pending requests to the thread; the next request restarts it. */
  ended({ thread, reason, ticket, running }: ThreadEnd): void {
    const channel = this.#channels.get(thread);
    this.#channels.delete(thread);
    channel?.then(
      (each) => each.close(new ThreadEnded(reason, ticket, running)),
      () => {},
    );
  }

  async #open(index: number, onClose: () => void): Promise<QueryChannel> {
    try {
      return new RpcChannel(await connectSocket(await this.#address(index), onClose), this.#clock);
    } catch (error) {
      // It has ended meanwhile, or cannot start.
      throw error instanceof GridError && error.code === 'STOPPING' ? error : new ThreadEnded(STARTING);
    }
  }
}
