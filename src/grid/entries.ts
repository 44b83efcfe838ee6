/** Entries as methods, each of which builds a call (calls.ts has their contracts). */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Value } from '../values/value.ts';
import type { CallContext, Entry, Port, TimeToLive } from './calls.ts';

const PLAIN: CallContext = {};

export class Entries {
  readonly #port: Port;
  readonly #context: CallContext;

  /** `context` is that of every call. */
  constructor(port: Port, context = PLAIN) {
    this.#port = port;
    this.#context = context;
  }

  get(cache: string, key: Value): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'get', cache, key }, this.#context);
  }

  has(cache: string, key: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'has', cache, key }, this.#context);
  }

  getAll(cache: string, keys: readonly Value[]): MaybePromise<readonly Entry[]> {
    return this.#port.call({ kind: 'getAll', cache, keys }, this.#context);
  }

  getAllAsText(cache: string, keys: readonly Value[]): MaybePromise<string | readonly Entry[]> {
    return this.#port.call({ kind: 'getAllAsText', cache, keys }, this.#context);
  }

  hasAll(cache: string, keys: readonly Value[]): MaybePromise<boolean> {
    return this.#port.call({ kind: 'hasAll', cache, keys }, this.#context);
  }

  timeToLive(cache: string, key: Value): MaybePromise<bigint | null | undefined> {
    return this.#port.call({ kind: 'timeToLive', cache, key }, this.#context);
  }

  size(cache: string): MaybePromise<number> {
    return this.#port.call({ kind: 'size', cache }, this.#context);
  }

  put(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<void> {
    return this.#port.call({ kind: 'put', cache, key, value, ttlMs }, this.#context);
  }

  putAll(cache: string, entries: readonly Entry[], ttlMs?: TimeToLive): MaybePromise<void> {
    return this.#port.call({ kind: 'putAll', cache, entries, ttlMs }, this.#context);
  }

  putIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'putIfAbsent', cache, key, value, ttlMs }, this.#context);
  }

  getAndPut(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndPut', cache, key, value, ttlMs }, this.#context);
  }

  getAndPutIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndPutIfAbsent', cache, key, value, ttlMs }, this.#context);
  }

  replace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'replace', cache, key, value, ttlMs }, this.#context);
  }

  getAndReplace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndReplace', cache, key, value, ttlMs }, this.#context);
  }

  replaceIfEquals(cache: string, key: Value, expected: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'replaceIfEquals', cache, key, expected, value, ttlMs }, this.#context);
  }

  remove(cache: string, key: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'remove', cache, key }, this.#context);
  }

  getAndRemove(cache: string, key: Value): MaybePromise<Value | undefined> {
    return this.#port.call({ kind: 'getAndRemove', cache, key }, this.#context);
  }

  removeIfEquals(cache: string, key: Value, expected: Value): MaybePromise<boolean> {
    return this.#port.call({ kind: 'removeIfEquals', cache, key, expected }, this.#context);
  }

  removeAll(cache: string, keys: readonly Value[]): MaybePromise<void> {
    return this.#port.call({ kind: 'removeAll', cache, keys }, this.#context);
  }

  clear(cache: string): MaybePromise<void> {
    return this.#port.call({ kind: 'clear', cache }, this.#context);
  }

  append(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'append', cache, key, value, ttlMs }, this.#context);
  }

  prepend(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean> {
    return this.#port.call({ kind: 'prepend', cache, key, value, ttlMs }, this.#context);
  }

  updateTtl(cache: string, key: Value, ttlMs: bigint | null): MaybePromise<boolean> {
    return this.#port.call({ kind: 'updateTtl', cache, key, ttlMs }, this.#context);
  }
}
