/**
 * Encodes changes as messages between threads. An operation of the port is sent as a flat list, which is copied in a
 * third of the time of an object (`src/base/rpc-channel.ts`): the name, then the arguments, with a value of a simple
 * type as two members, its type and its data. All other changes are sent unchanged.
 */
import type { Value } from '../../../values/value.ts';
import type { Argument, ChangeName, Changes, OperationRequest } from './changes.ts';

type SimpleData = string | number | bigint | boolean;
type SimpleValue = Extract<Value, { readonly data: SimpleData }>;

type FlatRequest = ReadonlyArray<Argument | SimpleData>;

/** The encoded request of a change. */
type Sent<Req> = Req | FlatRequest;

/** {@link Changes} as threads send them. */
export type SentChanges = {
  readonly [N in ChangeName]: {
    readonly request: Sent<Changes[N]['request']>;
    readonly response: Changes[N]['response'];
  };
};

/** Encodes a request for sending. */
export function encodeRequest<Req extends object>(request: Req): Sent<Req> {
  return isOperation(request) ? flatten(request) : request;
}

/** Reverses {@link encodeRequest}. */
export function decodeRequest<Req extends object>(sent: Sent<Req>): Req {
  // Only `flatten` creates lists, from a request of the same change.
  return isFlat(sent) ? (unflatten(sent) as Req) : sent;
}

function isOperation(request: object): request is OperationRequest<readonly Argument[]> {
  return 'name' in request && 'args' in request;
}

function isFlat<Req extends object>(sent: Sent<Req>): sent is FlatRequest {
  return Array.isArray(sent);
}

function flatten({ name, args }: OperationRequest<readonly Argument[]>): FlatRequest {
  const flat: Array<Argument | SimpleData> = [name];
  for (const argument of args) {
    if (isSimple(argument)) flat.push(argument.type, argument.data);
    else flat.push(argument);
  }
  return flat;
}

/** Only the name and the type of a simple value are strings that no type precedes. */
function unflatten(flat: FlatRequest): OperationRequest<readonly Argument[]> {
  const [name] = flat;
  const args: Argument[] = [];
  for (let at = 1; at < flat.length; at++) {
    const member = flat[at];
    if (typeof member === 'string') args.push(simpleValue(member, flat[++at]));
    else if (typeof member === 'number' || typeof member === 'boolean') throw unexpectedMember(member);
    else args.push(member);
  }
  return { name: String(name), args };
}

function unexpectedMember(member: number | boolean): TypeError {
  return new TypeError(`expected an argument, got a ${typeof member}`);
}

function isSimple(argument: Argument): argument is SimpleValue {
  return typeof argument === 'object' && argument !== null && 'data' in argument && typeof argument.data !== 'object';
}

/** Returns the value of a simple type. Throws a TypeError when the data is of another type. */
function simpleValue(type: string, data: FlatRequest[number]): Value {
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
