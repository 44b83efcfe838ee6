/**
 * Encodes changes as messages between threads. A call of the port is sent as a flat list, which is copied in a third
 * of the time of an object (`src/base/rpc-channel.ts`): its kind, its cache or counter, then its other fields, with a
 * value of a simple type as two members, its type and its data. Entries of such values are a list of them. All other
 * changes are sent unchanged. bench/RESULTS-SCALE.md shows what that saves.
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

/** The fields of each call in the order in which they are sent, after its kind and the name of its cache or counter. */
const FIELDS: { readonly [K in ChangeKind]: readonly string[] } = {
  put: ['key', 'value', 'ttlMs'],
  putAll: ['entries', 'ttlMs'],
  putIfAbsent: ['key', 'value', 'ttlMs'],
  getAndPut: ['key', 'value', 'ttlMs'],
  getAndPutIfAbsent: ['key', 'value', 'ttlMs'],
  replace: ['key', 'value', 'ttlMs'],
  getAndReplace: ['key', 'value', 'ttlMs'],
  replaceIfEquals: ['key', 'expected', 'value', 'ttlMs'],
  remove: ['key'],
  getAndRemove: ['key'],
  removeIfEquals: ['key', 'expected'],
  removeAll: ['keys'],
  clear: [],
  append: ['key', 'value', 'ttlMs'],
  prepend: ['key', 'value', 'ttlMs'],
  updateTtl: ['key', 'ttlMs'],
  addToCounter: ['delta', 'initial', 'ttlMs'],
  persistCounter: [],
};

/** The members of a flat entry. */
const ENTRY_MEMBERS = 4;

/** Encodes a request for sending. */
export function encodeRequest<Req extends object>(request: Req): Sent<Req> {
  return isCall(request) ? flatten(request) : request;
}

/** Reverses {@link encodeRequest}. */
export function decodeRequest<Req extends object>(sent: Sent<Req>): Req {
  // Only `flatten` creates lists, from a request of the same change.
  return isFlat(sent) ? (unflatten(sent) as Req) : sent;
}

/** Reports whether a request is a call: `kind` of a record is none of theirs. */
function isCall(request: object): request is Call<ChangeKind> {
  return 'kind' in request && isKind(request.kind);
}

function isFlat<Req extends object>(sent: Sent<Req>): sent is FlatCall {
  return Array.isArray(sent);
}

function flatten(call: Call<ChangeKind>): FlatCall {
  const flat: Array<Field | SimpleData> = [call.kind, 'cache' in call ? call.cache : call.name];
  const fields: Readonly<Record<string, Field | string>> = call;
  for (const name of FIELDS[call.kind]) {
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
  for (const name of FIELDS[kind]) {
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

/** Returns entries as the types and data of their keys and values if all are simple, and any other list unchanged. */
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
  return typeof field === 'object' && field !== null && 'data' in field && typeof field.data !== 'object';
}

/** Returns the value of a simple type. Throws a TypeError when the data is of another type. */
function simpleValue(type: string, data: FlatCall[number] | Entry): Value {
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
  throw new TypeError(`expected ${type === 'integer' ? 'an' : 'a'} ${type}, got a ${typeof data}`);
}
