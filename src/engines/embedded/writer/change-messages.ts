/**
 * The commonest changes as flat lists, which cross from one thread to another in a third of the time that objects take
 * (see `src/base/rpc-channel.ts`). All others cross as they are.
 */
import type { Value } from '../../../values/value.ts';
import type { ChangeName, Changes, OfEntry, OfEntryWithTtl, OfKey } from './changes.ts';

/** A change as it crosses. */
type Sent<Req> = Req | FlatChange;
type FlatChange = readonly (string | number | bigint | boolean | undefined)[];

/** {@link Changes} as threads send them. */
export type SentChanges = {
  readonly [N in ChangeName]: {
    readonly request: Sent<Changes[N]['request']>;
    readonly response: Changes[N]['response'];
  };
};

interface FlatForm<Req> {
  /** Undefined: the change holds values that are no single datum. */
  encode(request: Req): FlatChange | undefined;
  decode(flat: FlatChange): Req;
}

type Simple = Extract<Value, { readonly data: string | number | bigint | boolean }>;

const KEY: FlatForm<OfKey> = {
  encode: ({ cache, key }) => (isSimple(key) ? [cache, key.type, key.data] : undefined),
  decode: ([cache, type, data]) => ({ cache: String(cache), key: simpleValue(type, data) }),
};

const ENTRY: FlatForm<OfEntry> = {
  encode: ({ cache, key, value }) =>
    isSimple(key) && isSimple(value) ? [cache, key.type, key.data, value.type, value.data] : undefined,
  decode: ([cache, keyType, key, type, data]) => ({
    cache: String(cache),
    key: simpleValue(keyType, key),
    value: simpleValue(type, data),
  }),
};

const ENTRY_WITH_TTL: FlatForm<OfEntryWithTtl> = {
  encode: ({ cache, key, value, ttlMs }) =>
    isSimple(key) && isSimple(value) ? [cache, key.type, key.data, value.type, value.data, ttlMs] : undefined,
  decode: ([cache, keyType, key, type, data, ttlMs]) => ({
    cache: String(cache),
    key: simpleValue(keyType, key),
    value: simpleValue(type, data),
    ttlMs: typeof ttlMs === 'bigint' ? ttlMs : undefined,
  }),
};

const COUNTER: FlatForm<Changes['addToCounter']['request']> = {
  encode: ({ name, delta, initial }) => [name, delta, initial],
  decode: ([name, delta, initial]) => ({
    name: String(name),
    delta: BigInt(delta ?? 0),
    initial: BigInt(initial ?? 0),
  }),
};

const FLAT_FORMS: { readonly [N in ChangeName]?: FlatForm<Changes[N]['request']> } = {
  put: ENTRY_WITH_TTL,
  putIfAbsent: ENTRY_WITH_TTL,
  replace: ENTRY_WITH_TTL,
  getAndPut: ENTRY,
  getAndPutIfAbsent: ENTRY,
  getAndReplace: ENTRY,
  append: ENTRY,
  prepend: ENTRY,
  remove: KEY,
  getAndRemove: KEY,
  addToCounter: COUNTER,
};

/** The change as it is to be sent. */
export function encodeChange<N extends ChangeName>(name: N, request: Changes[N]['request']): SentChanges[N]['request'] {
  return FLAT_FORMS[name]?.encode(request) ?? request;
}

/** The change that was sent. */
export function decodeChange<N extends ChangeName>(name: N, sent: Sent<Changes[N]['request']>): Changes[N]['request'] {
  if (!isFlat(sent)) return sent;
  const form: FlatForm<Changes[N]['request']> | undefined = FLAT_FORMS[name];
  if (form === undefined) throw new TypeError(`${name} has no flat form`);
  return form.decode(sent);
}

function isFlat<Req extends object>(sent: Sent<Req>): sent is FlatChange {
  return Array.isArray(sent);
}

function isSimple(value: Value): value is Simple {
  return 'data' in value && typeof value.data !== 'object';
}

/** A simple value from its type and datum. */
function simpleValue(type: FlatChange[number], data: FlatChange[number]): Value {
  if (typeof data === 'string') {
    if (type === 'string' || type === 'char' || type === 'uuid' || type === 'gridUuid') return { type, data };
  } else if (typeof data === 'bigint') {
    if (type === 'long' || type === 'timestamp' || type === 'bigInteger') return { type, data };
  } else if (typeof data === 'boolean') {
    if (type === 'boolean') return { type, data };
  } else if (typeof data === 'number') {
    if (type === 'integer' || type === 'short' || type === 'byte') return { type, data };
    if (type === 'double' || type === 'float') return { type, data };
    if (type === 'date' || type === 'time' || type === 'instant') return { type, data };
  }
  throw new TypeError(`a ${typeof data} is no ${String(type)}`);
}
