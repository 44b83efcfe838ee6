/** Calls as methods, for tests that make many of them. src/grid/calls.ts has their contracts. */
import type { MaybePromise } from '../../src/base/maybe-promise.ts';
import type { CallContext, CallKind, CallTable, Entry, Port, TimeToLive } from '../../src/grid/calls.ts';
import type { Grid } from '../../src/grid/grid.ts';
import type { Value } from '../../src/values/value.ts';

const PLAIN: CallContext = {};

/** Returns the calls on the entries of a grid. */
export function entriesOf({ port }: Pick<Grid, 'port'>): Entries {
  return new Entries(port);
}

/** Returns the calls on the counters of a grid. */
export function countersOf({ port }: Pick<Grid, 'port'>): Counters {
  return new Counters(port);
}

/** Returns a grid that runs the calls of some kinds by other functions. */
export function withCalls(grid: Grid, changed: Partial<CallTable<CallKind>>): Grid {
  const { port: former } = grid;
  const port: Port = {
    call: (call, context) => {
      const own = changed[call.kind];
      return own === undefined ? former.call(call, context) : own(call);
    },
  };
  return { ...grid, port };
}

export class Entries {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  get(cache: string, key: Value): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'get', cache, key }, PLAIN);
  }

  has(cache: string, key: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'has', cache, key }, PLAIN);
  }

  getAll(cache: string, keys: readonly Value[]): MaybePromise<readonly Entry[]> {
    return this.#port.call({ kind: 'getAll', cache, keys }, PLAIN);
  }

  getAllAsText(cache: string, keys: readonly Value[]): MaybePromise<string | readonly Entry[]> {
    return this.#port.call({ kind: 'getAllAsText', cache, keys }, PLAIN);
  }

  hasAll(cache: string, keys: readonly Value[]): MaybePromise<boolean> {
    return this.#port.call({ kind: 'hasAll', cache, keys }, PLAIN);
  }

  timeToLive(cache: string, key: Value): MaybePromise<bigint | null> {
    return this.#port.call({ kind: 'timeToLive', cache, key }, PLAIN);
  }

  size(cache: string): MaybePromise<number> {
    return this.#port.call({ kind: 'size', cache }, PLAIN);
  }

  put(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<void> {
    return this.#port.call({ kind: 'put', cache, key, value, ttlMs }, PLAIN);
  }

  putAll(cache: string, entries: readonly Entry[], ttlMs?: TimeToLive): MaybePromise<void> {
    return this.#port.call({ kind: 'putAll', cache, entries, ttlMs }, PLAIN);
  }

  putIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'putIfAbsent', cache, key, value, ttlMs }, PLAIN);
  }

  getAndPut(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndPut', cache, key, value, ttlMs }, PLAIN);
  }

  getAndPutIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndPutIfAbsent', cache, key, value, ttlMs }, PLAIN);
  }

  replace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'replace', cache, key, value, ttlMs }, PLAIN);
  }

  getAndReplace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndReplace', cache, key, value, ttlMs }, PLAIN);
  }

  replaceIfEquals(cache: string, key: Value, expected: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'replaceIfEquals', cache, key, expected, value, ttlMs }, PLAIN);
  }

  remove(cache: string, key: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'remove', cache, key }, PLAIN);
  }

  getAndRemove(cache: string, key: Value): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndRemove', cache, key }, PLAIN);
  }

  removeIfEquals(cache: string, key: Value, expected: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'removeIfEquals', cache, key, expected }, PLAIN);
  }

  removeAll(cache: string, keys: readonly Value[]): MaybePromise<void> {
    return this.#port.call({ kind: 'removeAll', cache, keys }, PLAIN);
  }

  clear(cache: string): MaybePromise<void> {
    return this.#port.call({ kind: 'clear', cache }, PLAIN);
  }

  append(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'append', cache, key, value, ttlMs }, PLAIN);
  }

  prepend(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'prepend', cache, key, value, ttlMs }, PLAIN);
  }

  updateTtl(cache: string, key: Value, ttlMs: bigint | null): MaybePromise<boolean> {
    return this.#port.call({ kind: 'updateTtl', cache, key, ttlMs }, PLAIN);
  }
}

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
