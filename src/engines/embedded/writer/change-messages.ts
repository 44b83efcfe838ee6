/**
 * Encodes changes as messages between threads. A call of the port is sent as a flat array, which is cloned in a third
 * of the time that an object takes (`src/base/rpc-channel.ts`): its kind, its cache or counter, then its other fields,
 * with a value of a simple type as two elements, its type and its data. Entries with such values are an array of them.
 * All other changes are sent unchanged. bench/RESULTS-SCALE.md shows what this saves.
 */
import type { Call, ChangeKind, Entry } from '../../../grid/calls.ts';
import type { Value } from '../../../values/value.ts';
import type { ChangeName, Changes } from './changes.ts';

type SimpleData = string | number | bigint | boolean;
type SimpleValue = Extract<Value, { readonly data: SimpleData }>;

/** A field of a call, besides its kind and the name of its cache or counter. */
type Field = Value | readonly Value[] | readonly Entry[] | readonly SimpleData[] | bigint | null | undefined;
type FlatCall = ReadonlyArray<Field | SimpleData>;

/** The encoded request of a change. */
type Sent<Req> = Req | FlatCall;

/** {@link Changes} as threads send them. */
export type SentChanges = {
  readonly [N in ChangeName]: {
    readonly request: Sent<Changes[N]['request']>;
    readonly response: Changes[N]['response'];
  };
};

type FieldName<K extends ChangeKind> = Exclude<keyof Call<K>, 'kind' | 'cache' | 'name'>;

/** The fields of each call in the order in which they are sent, after its kind and the name of its cache or counter. */
const FIELDS: { readonly [K in ChangeKind]: Readonly<Record<FieldName<K>, true>> } = {
  put: { key: true, value: true, ttlMs: true },
  putAll: { entries: true, ttlMs: true },
  putIfAbsent: { key: true, value: true, ttlMs: true },
  getAndPut: { key: true, value: true, ttlMs: true },
  getAndPutIfAbsent: { key: true, value: true, ttlMs: true },
  replace: { key: true, value: true, ttlMs: true },
  getAndReplace: { key: true, value: true, ttlMs: true },
  replaceIfEquals: { key: true, expected: true, value: true, ttlMs: true },
  remove: { key: true },
  getAndRemove: { key: true },
  removeIfEquals: { key: true, expected: true },
  removeAll: { keys: true },
  clear: {},
  append: { key: true, value: true, ttlMs: true },
  prepend: { key: true, value: true, ttlMs: true },
  updateTtl: { key: true, ttlMs: true },
  addToCounter: { delta: true, initial: true, ttlMs: true },
  persistCounter: {},
};
const FIELD_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.keys(fields)]),
);

type SimpleType = SimpleValue['type'];
type ReadSimple<T extends SimpleType> = (data: unknown) => Extract<SimpleValue, { readonly type: T }> | undefined;

/** Reads the data of each simple type. Returns undefined for data of any other type. */
const SIMPLE: { readonly [T in SimpleType]: ReadSimple<T> } = {
  boolean: (data) => (typeof data === 'boolean' ? { type: 'boolean', data } : undefined),
  byte: (data) => (typeof data === 'number' ? { type: 'byte', data } : undefined),
  short: (data) => (typeof data === 'number' ? { type: 'short', data } : undefined),
  integer: (data) => (typeof data === 'number' ? { type: 'integer', data } : undefined),
  long: (data) => (typeof data === 'bigint' ? { type: 'long', data } : undefined),
  float: (data) => (typeof data === 'number' ? { type: 'float', data } : undefined),
  double: (data) => (typeof data === 'number' ? { type: 'double', data } : undefined),
  char: (data) => (typeof data === 'string' ? { type: 'char', data } : undefined),
  string: (data) => (typeof data === 'string' ? { type: 'string', data } : undefined),
  date: (data) => (typeof data === 'number' ? { type: 'date', data } : undefined),
  time: (data) => (typeof data === 'number' ? { type: 'time', data } : undefined),
  timestamp: (data) => (typeof data === 'bigint' ? { type: 'timestamp', data } : undefined),
  instant: (data) => (typeof data === 'number' ? { type: 'instant', data } : undefined),
  uuid: (data) => (typeof data === 'string' ? { type: 'uuid', data } : undefined),
  gridUuid: (data) => (typeof data === 'string' ? { type: 'gridUuid', data } : undefined),
  bigInteger: (data) => (typeof data === 'bigint' ? { type: 'bigInteger', data } : undefined),
};

/** The members of a flat entry. */
const ENTRY_MEMBERS = 4;

/** Encodes a request for sending. */
export function encodeRequest<Req extends object>(request: Req): Sent<Req> {
  return isCall(request) ? flatten(request) : request;
}

/** Reverses {@link encodeRequest}. */
export function decodeRequest<Req extends object>(sent: Sent<Req>): Req {
  // Only `flatten` creates arrays, from a request for the same change.
  return isFlat(sent) ? (unflatten(sent) as Req) : sent;
}

/** Reports whether a request is a call: a record's `kind` differs from all of theirs. */
function isCall(request: object): request is Call<ChangeKind> {
  return 'kind' in request && isKind(request.kind);
}

function isFlat<Req extends object>(sent: Sent<Req>): sent is FlatCall {
  return Array.isArray(sent);
}

function flatten(call: Call<ChangeKind>): FlatCall {
  const flat: Array<Field | SimpleData> = [call.kind, 'cache' in call ? call.cache : call.name];
  const fields: Readonly<Record<string, Field | string>> = call;
  for (const name of FIELD_NAMES.get(call.kind) ?? []) {
    const field = fields[name];
    if (isSimple(field)) flat.push(field.type, field.data);
    else flat.push(isList(field) ? flattenEntries(field) : field);
  }
  return flat;
}

/** Only the type of a simple value is a string that follows the first two. */
function unflatten([kind, target, ...flat]: FlatCall): Readonly<Record<string, Field | string>> {
  if (!isKind(kind) || typeof target !== 'string') throw new TypeError('expected a call');
  const isOnCounter = kind === 'addToCounter' || kind === 'persistCounter';
  const call: Record<string, Field | string> = { kind, [isOnCounter ? 'name' : 'cache']: target };
  let at = 0;
  for (const name of FIELD_NAMES.get(kind) ?? []) {
    const member = flat[at++];
    if (typeof member === 'string') call[name] = simpleValue(member, flat[at++]);
    else if (typeof member === 'number' || typeof member === 'boolean') throw unexpectedMember(member);
    else call[name] = isList(member) ? unflattenEntries(member) : member;
  }
  return call;
}

type List = readonly Value[] | readonly Entry[] | readonly SimpleData[];

function isList(field: Field | string): field is List {
  return Array.isArray(field);
}

/** Returns entries as the types and data of their keys and values if all are simple, and any other array unchanged. */
function flattenEntries(list: List): List {
  const flat: SimpleData[] = [];
  for (const item of list) {
    if (typeof item !== 'object' || !('key' in item) || !isSimple(item.key) || !isSimple(item.value)) return list;
    flat.push(item.key.type, item.key.data, item.value.type, item.value.data);
  }
  return flat;
}

/** Reverses {@link flattenEntries}. */
function unflattenEntries(list: List): List {
  const entries: Entry[] = [];
  for (let at = 0; at < list.length; at += ENTRY_MEMBERS) {
    const [keyType, key, valueType, value] = [list[at], list[at + 1], list[at + 2], list[at + 3]];
    if (typeof keyType !== 'string' || typeof valueType !== 'string') return list;
    entries.push({ key: simpleValue(keyType, key), value: simpleValue(valueType, value) });
  }
  return entries;
}

function isKind(kind: unknown): kind is ChangeKind {
  return typeof kind === 'string' && kind in FIELDS;
}

function unexpectedMember(member: number | boolean): TypeError {
  return new TypeError(`expected a field, got a ${typeof member}`);
}

function isSimple(field: Field | string): field is SimpleValue {
  return typeof field === 'object' && field !== null && 'type' in field && field.type in SIMPLE;
}

/** Returns a value of a simple type. Throws a TypeError if the data has another type. */
function simpleValue(type: string, data: FlatCall[number] | Entry): Value {
  const value = isSimpleType(type) ? SIMPLE[type](data) : undefined;
  if (value !== undefined) return value;
  throw new TypeError(`expected ${type === 'integer' ? 'an' : 'a'} ${type}, got a ${typeof data}`);
}

function isSimpleType(type: string): type is SimpleType {
  return type in SIMPLE;
}
