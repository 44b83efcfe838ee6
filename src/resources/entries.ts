/** Entries by their addresses: translates each method to the commands on entries. */
import { gridError } from '../base/errors.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { namedCacheOf } from '../grid/declarations.ts';
import type { QueryEntity } from '../grid/grid.ts';
import type { Outcome } from '../service/request.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { EXACT_NUMBERS, readPlain } from '../values/custom.ts';
import { readJson } from '../values/json.ts';
import { declaredJson, declaredText, JSON_ARRAY_TYPE, JSON_OBJECT_TYPE, type TypedText } from '../values/typed-text.ts';
import type { Value } from '../values/value.ts';
import {
  answered,
  answeredWithoutBody,
  conditionOf,
  DRY_RUN_APPLIED,
  failureAnswer,
  isAny,
  preferencesOf,
  RETURNED,
  rejected,
  representation,
  requestedRepresentation,
  unmet,
} from './answers.ts';
import { bodyText, execute, type ResourceCall } from './call.ts';
import { RESOURCES, type ResourceMethod, TEXT_MEDIA } from './declarations.ts';

/** The response to a change that succeeded or whose condition was not met. */
interface Change {
  readonly cmd: string;
  readonly params: Map<string, string>;
  /** The status for the response `true`, and for `false` or the error. */
  readonly done: 201 | 204;
  readonly otherwise: 204 | (() => Outcome);
}

export function entryAnswer(call: ResourceCall): MaybePromise<Outcome> {
  return chain(entryOf(call), (entry) => METHODS[call.method](entry));
}

/** Reads the entry for a known response: any other outcome than success says why the sender may not have it. */
export function readEntry(call: ResourceCall): MaybePromise<Outcome> {
  return chain(entryOf(call), (entry) =>
    chain(entry.read(), (outcome) => (outcome.successStatus === 0 ? outcome : failureAnswer(outcome))),
  );
}

function entryOf(call: ResourceCall): MaybePromise<EntryCall> {
  const given = parametersOf(call);
  return chain(declaredTypes(call, given), (declared) => new EntryCall(call, given, declared));
}

/** Returns the query's parameters. Throws RESOURCE_INVALID for one that the method does not have. */
function parametersOf({ method, pairs }: ResourceCall): ReadonlyMap<string, string> {
  if (pairs.length === 0) return NO_PARAMETERS;
  const names = NAMES[method];
  for (const [name] of pairs) {
    if (!names.includes(name)) {
      throw gridError('RESOURCE_INVALID', `parameter ${name}`, `${method} of an entry has ${names.join(', ')}`);
    }
  }
  return new Map(pairs);
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

function namesOf(method: ResourceMethod): readonly string[] {
  return RESOURCES.entry.methods[method].parameters.filter((each) => each.in === 'query').map(({ name }) => name);
}

const NAMES: Readonly<Record<ResourceMethod, readonly string[]>> = {
  GET: namesOf('GET'),
  PUT: namesOf('PUT'),
  POST: namesOf('POST'),
  PATCH: namesOf('PATCH'),
  DELETE: namesOf('DELETE'),
};

/** A cache's declarations for its entries. */
type DeclaredTypes = Pick<QueryEntity, 'keyType' | 'valueType'>;

/** Returns the types that the cache declares, if all its entries have the same declaration and the request needs it. */
function declaredTypes(
  { options, segments }: ResourceCall,
  given: ReadonlyMap<string, string>,
): MaybePromise<DeclaredTypes | undefined> {
  if (given.has('keyType') && given.has('valueType')) return undefined;
  const [cache = ''] = segments;
  return chain(options.caches.find(namedCacheOf(cache, options.defaultCache)), (definition) =>
    definition?.entities.length === 1 ? definition.entities[0] : undefined,
  );
}

class EntryCall {
  readonly call: ResourceCall;
  readonly params = new Map<string, string>();
  readonly #given: ReadonlyMap<string, string>;
  readonly #declared: DeclaredTypes | undefined;

  constructor(call: ResourceCall, given: ReadonlyMap<string, string>, declared: DeclaredTypes | undefined) {
    this.call = call;
    this.#given = given;
    this.#declared = declared;
    const [cacheName = '', key = ''] = call.segments;
    this.params.set('cacheName', cacheName);
    const keyType = given.get('keyType');
    const sent = keyType === undefined ? declaredText(declared?.keyType, key) : { text: key, type: keyType };
    this.params.set('key', sent.text);
    if (sent.type !== undefined) this.params.set('keyType', sent.type);
  }

  /** Returns the parameters with the value in the body, and with the requested time to live. */
  withValue(): Map<string, string> {
    const { params, call } = this;
    const { text, type } = sentValue(call, this.#given.get('valueType'), this.#declared?.valueType);
    params.set('val', text);
    if (type !== undefined) params.set('valueType', type);
    const ttlMs = this.#given.get('ttlMs');
    if (ttlMs !== undefined) params.set('ttlMs', ttlMs);
    return params;
  }

  /** Returns the current value. */
  read(): MaybePromise<Outcome> {
    const { params } = this;
    const kept = ['cacheName', 'key', 'keyType'].flatMap((name) => {
      const value = params.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return execute(this.call, 'get', new Map(kept));
  }

  run(cmd: string, params = this.params): MaybePromise<Outcome> {
    return chain(execute(this.call, cmd, params), (outcome) => this.#checked(cmd, outcome));
  }

  #checked(cmd: string, outcome: Outcome): MaybePromise<Outcome> {
    if (outcome.successStatus === 0) return outcome;
    if (outcome.failure?.code !== 'CONVERSION') return failureAnswer(outcome);
    return this.#unlessForbidden(cmd, outcome);
  }

  /**
   * Responds that a string is not a value of the type that the request or the cache names, but only to callers who are
   * permitted to use the command: without its other parameters it also fails, after the permission has been checked.
   */
  #unlessForbidden(cmd: string, outcome: Outcome): MaybePromise<Outcome> {
    const params = new Map([['cacheName', this.params.get('cacheName') ?? '']]);
    const of = this.params.get('of');
    if (of !== undefined) params.set('of', of);
    return chain(execute(this.call, cmd, params), (bare) =>
      failureAnswer(bare.failure?.code === 'PERMISSION_DENIED' ? bare : outcome),
    );
  }

  change({ cmd, params, done, otherwise }: Change): MaybePromise<Outcome> {
    const { call } = this;
    const preferences = preferencesOf(call.request);
    if (preferences.dryRun) return this.#dryRun(cmd, params);
    return chain(this.run(cmd, params), (outcome) => {
      if (outcome.successStatus !== 0) return outcome;
      if (outcome.response !== 'true' && typeof otherwise === 'function') return otherwise();
      const http = outcome.response === 'true' ? done : 204;
      const location = http === 201 ? { Location: this.#address() } : undefined;
      if (!preferences.representation) return answeredWithoutBody(outcome, http, location);
      return chain(this.read(), (stored) => {
        if (stored.successStatus !== 0 || typeof stored.response !== 'string' || stored.response === 'null') {
          return answeredWithoutBody(outcome, http, location);
        }
        return representation(outcome, http === 201 ? 201 : 200, stored.response, { ...RETURNED, ...location });
      });
    });
  }

  /** Returns the entry's address, with its key type if the request names one. */
  #address(): string {
    const { request, pairs } = this.call;
    const { path } = request;
    const type = pairs.find(([name]) => name === 'keyType')?.[1];
    return type === undefined ? path : `${path}?keyType=${encodeURIComponent(type)}`;
  }

  #dryRun(cmd: string, params: Map<string, string>): MaybePromise<Outcome> {
    params.set('of', cmd);
    return chain(this.run('dryrun', params), (outcome) =>
      outcome.successStatus === 0 ? answered(outcome, 200, outcome.response, DRY_RUN_APPLIED) : outcome,
    );
  }
}

const METHODS: Readonly<Record<ResourceMethod, (entry: EntryCall) => MaybePromise<Outcome>>> = {
  GET: (entry) => chain(entry.run('get'), (outcome) => found(entry, outcome)),

  PUT(entry) {
    const condition = conditionOf(entry.call);
    const params = entry.withValue();
    const otherwise = () => unmet('If-Match');
    if (condition === undefined) {
      return entry.change({ cmd: 'put', params: params.set('created', 'true'), done: 201, otherwise: 204 });
    }
    if (condition === 'absent') {
      return entry.change({ cmd: 'putifabs', params, done: 201, otherwise: () => unmet('If-None-Match') });
    }
    if (isAny(condition)) return entry.change({ cmd: 'rep', params, done: 204, otherwise });
    return entry.change({ cmd: 'repval', params: params.set('etag', condition), done: 204, otherwise });
  },

  POST(entry) {
    rejectConditions(entry.call);
    const params = entry.withValue();
    return entry.change({ cmd: 'putifabs', params, done: 201, otherwise: () => rejected(gridError('ENTRY_EXISTS')) });
  },

  PATCH(entry) {
    rejectConditions(entry.call);
    const params = entry.withValue();
    return entry.change({ cmd: 'append', params, done: 204, otherwise: () => rejected(gridError('ENTRY_NOT_FOUND')) });
  },

  DELETE(entry) {
    const condition = conditionOf(entry.call);
    if (condition === undefined) return removal(entry, 'rmv', () => rejected(gridError('ENTRY_NOT_FOUND')));
    if (isAny(condition)) return removal(entry, 'rmv', () => unmet('If-Match'));
    entry.params.set('etag', condition);
    return removal(entry, 'rmvval', () => unmet('If-Match'));
  },
};

/** Responds with the value that has been read. */
function found({ call: { request } }: EntryCall, outcome: Outcome): Outcome {
  if (outcome.successStatus !== 0 || typeof outcome.response !== 'string') return outcome;
  if (outcome.response !== 'null') return requestedRepresentation(outcome, outcome.response, request);
  const expected = request.header('if-match') !== null;
  const failure = expected ? gridError('PRECONDITION_FAILED', 'If-Match') : gridError('ENTRY_NOT_FOUND');
  return rejected(failure, undefined, outcome);
}

/** Removes an entry, and returns its value if the request prefers that and no condition compares it. */
function removal(entry: EntryCall, cmd: 'rmv' | 'rmvval', otherwise: () => Outcome): MaybePromise<Outcome> {
  const { representation: returns, dryRun } = preferencesOf(entry.call.request);
  if (cmd === 'rmvval' || !returns || dryRun) return entry.change({ cmd, params: entry.params, done: 204, otherwise });
  return chain(entry.run('getrmv'), (outcome) => {
    if (outcome.successStatus !== 0) return outcome;
    if (outcome.response === 'null') return otherwise();
    return answered(outcome, 200, outcome.response, RETURNED);
  });
}

function rejectConditions({ request, method }: ResourceCall): void {
  const name = ['If-Match', 'If-None-Match'].find((each) => request.header(each.toLowerCase()) !== null);
  if (name === undefined) return;
  throw gridError('RESOURCE_INVALID', `header ${name}`, `${method} of an entry has no such condition`);
}

/**
 * Returns the value in the body, which has a given or declared type or else the one implied by JSON. Throws
 * RESOURCE_INVALID.
 */
function sentValue(call: ResourceCall, given: string | undefined, declared: string | undefined): TypedText {
  const typed = (text: string): TypedText =>
    given === undefined ? declaredText(declared, text) : { text, type: given };
  const text = bodyText(call);
  if (call.mediaType === TEXT_MEDIA) return typed(text);
  try {
    const node = readJson(text, JSON_BOUNDS.values);
    if (node.kind === 'null') throw gridError('RESOURCE_INVALID', 'body', 'null is no value; DELETE removes an entry');
    if (node.kind === 'string') return typed(node.value);
    const json = text.trim();
    const type = given ?? declared;
    if (type === undefined) return { text: json, type: PLAIN_TYPES[readPlain(node, EXACT_NUMBERS).type] };
    return node.kind === 'object' || node.kind === 'array' ? declaredJson(type, json) : typed(json);
  } catch (error) {
    if (error instanceof ConversionFailure) throw gridError('RESOURCE_INVALID', 'body', error.reason);
    throw error;
  }
}

/** The type names of plain JSON. */
const PLAIN_TYPES: Readonly<Partial<Record<Value['type'], string>>> = {
  boolean: 'boolean',
  integer: 'int',
  long: 'long',
  bigInteger: 'java.math.BigInteger',
  double: 'double',
  decimal: 'java.math.BigDecimal',
  list: JSON_ARRAY_TYPE,
  map: JSON_OBJECT_TYPE,
};
