/** Counters as methods, each of which builds a call (calls.ts has their contracts). */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CallContext, Port } from './calls.ts';

const PLAIN: CallContext = {};

export class Counters {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  add(name: string, delta: bigint, initial: bigint, ttlMs?: bigint): MaybePromise<bigint> {
    return this.#port.call({ kind: 'addToCounter', name, delta, initial, ttlMs }, PLAIN);
  }

  timeToLive(name: string): MaybePromise<bigint | null | undefined> {
    return this.#port.call({ kind: 'counterTimeToLive', name }, PLAIN);
  }

  persist(name: string): MaybePromise<boolean> {
    return this.#port.call({ kind: 'persistCounter', name }, PLAIN);
  }
}

/** A counter with its value. */
export interface Counter {
  readonly name: string;
  readonly value: bigint;
  /** The remaining time to live in ms; undefined if it has no deadline. */
  readonly ttlMs?: bigint | undefined;
}
