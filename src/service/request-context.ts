/**
 * The inputs of a request's parameters and handler. Both classes are views of the service's options: a request creates
 * two small objects instead of copying a dozen members.
 */

import { preferredType } from '../base/accept.ts';
import { gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type {
  BatchService,
  Caller,
  CallerKnowledge,
  CommandServices,
  ConsumerService,
  Context,
  DryRunService,
  EngineServices,
  StreamedBody,
} from '../commands/context.ts';
import type { Source } from '../commands/params.ts';
import type { CallContext, Port } from '../grid/calls.ts';
import { DEFAULT_CACHE, namedCacheOf } from '../grid/declarations.ts';
import type { QueryEntity, RowFormat } from '../grid/grid.ts';
import type { StatementGrant } from '../grid/statement-grant.ts';
import type { JsonTypes } from '../values/json-parameters.ts';
import { type Notation, notationConverter } from '../values/notation.ts';
import { declaredJson, declaredText, JSON_ARRAY_TYPE, JSON_OBJECT_TYPE, type TypedText } from '../values/typed-text.ts';
import type { ObjectSchema, TypeRegistry, Value } from '../values/value.ts';
import type { RawRequest } from './request.ts';
import type { PipelineOptions } from './service-options.ts';
import { tenantOf } from './tenants.ts';

/** The types of keys and values that the request does not declare. */
export interface ImpliedTypes {
  readonly json: JsonTypes;
  /** The cache's declaration, if all its entries have the same one. */
  readonly declared: Pick<QueryEntity, 'keyType' | 'valueType'> | undefined;
}

/** Returns a function that infers the types of a request's keys and values, or undefined if they are strings. */
export function impliedTypesOf(
  { json, grid, defaultCache }: PipelineOptions,
  { reading }: RegisteredCommand,
  { jsonTypes, params }: Pick<RawRequest, 'jsonTypes' | 'params'>,
): MaybePromise<ImpliedTypes | undefined> {
  if (jsonTypes === undefined || reading !== 'entry' || !json.types) return undefined;
  const cache = namedCacheOf(params.get('cacheName') || DEFAULT_CACHE, defaultCache);
  return chain(grid.caches.find(cache), (definition) => ({
    json: jsonTypes,
    declared: definition?.entities.length === 1 ? definition.entities[0] : undefined,
  }));
}

function impliedText(
  { json, declared }: ImpliedTypes,
  typedBy: 'keyType' | 'valueType',
  name: string,
  text: string,
): TypedText {
  const type = json.get(name);
  const isStructured = type === JSON_OBJECT_TYPE || type === JSON_ARRAY_TYPE;
  const declaredType = declared?.[typedBy];
  if (declaredType !== undefined)
    return isStructured ? declaredJson(declaredType, text) : declaredText(declaredType, text);
  if (typedBy === 'valueType') return { text, type };
  if (!isStructured) return { text, type: undefined };
  throw gridError('REQUEST_MALFORMED', `${name} is an object or array: name its type in keyType, such as map or list`);
}

/** The parameters of a request and the rules by which they are decoded. */
export class RequestSource implements Source, TypeRegistry {
  readonly implied: Source['implied'];
  readonly params: ReadonlyMap<string, string>;
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions, params: ReadonlyMap<string, string>, types?: ImpliedTypes) {
    this.params = params;
    this.#options = options;
    this.implied = types && ((typedBy, name, text) => impliedText(types, typedBy, name, text));
  }

  get registry(): TypeRegistry {
    return this;
  }

  /** The types of a statement's arguments: it may use tables of caches other than the request's. */
  get argumentTypes(): TypeRegistry {
    const { types } = this.#options.grid;
    return {
      find: (typeName) => this.find(typeName) ?? types.find(typeName, undefined),
      isPartial: this.isPartial,
    };
  }

  /** Returns the schema of a type in the request's cache. */
  find(typeName: string): ObjectSchema | undefined {
    const { grid, defaultCache } = this.#options;
    const named = this.params.get('cacheName');
    return grid.types.find(typeName, namedCacheOf(named || 'default', defaultCache));
  }

  get isPartial(): boolean {
    return this.#options.grid.types.isPartial === true;
  }

  get serviceName() {
    return this.#options.serviceName;
  }

  get defaultCache() {
    return this.#options.defaultCache;
  }

  get compatibility() {
    return this.#options.compatibility;
  }

  get limits() {
    return this.#options.limits;
  }

  get strictParameters() {
    return this.#options.strictParameters;
  }

  get defaultPageSize() {
    return this.#options.defaultPageSize;
  }

  get onReceive() {
    return this.#options.onReceive;
  }

  ignored(command: string, name: string): void {
    this.#options.observer.ignored(command, name);
  }
}

/** A running request with its rights. */
export interface Authorized {
  /** The objects that its statement may read and change; undefined means everything. */
  readonly granted: StatementGrant | undefined;
  /** Checks credentials and permission again. Throws the error that they would now be rejected with. */
  reauthorize(): MaybePromise<void>;
}

/** How a request makes its calls. */
export interface RequestCalls {
  readonly port: Port;
  readonly context: CallContext;
}

/** The dependencies of a handler for one request. */
export class RequestContext implements Context {
  readonly grid: EngineServices;
  readonly caller: Caller;
  readonly rowFormat: RowFormat;
  readonly getallAsArray: boolean;
  readonly notation: Notation | undefined;
  readonly #calls: RequestCalls;
  readonly #options: PipelineOptions;
  readonly #request: RawRequest;
  readonly #execution: Authorized;
  #replayed = false;

  constructor(
    options: PipelineOptions,
    request: RawRequest,
    grid: EngineServices,
    calls: RequestCalls,
    caller: Caller,
    rowFormat: RowFormat,
    getallAsArray: boolean,
    notation: Notation | undefined,
    execution: Authorized,
  ) {
    this.#execution = execution;
    this.notation = notation;
    this.grid = grid;
    this.#calls = calls;
    this.caller = caller;
    this.rowFormat = rowFormat;
    this.getallAsArray = getallAsArray;
    this.#options = options;
    this.#request = request;
  }

  /** Returns a function that needs no receiver, like {@link signal}. */
  get call(): Context['call'] {
    const { port, context } = this.#calls;
    return (call) => port.call(call, context);
  }

  get owner(): string {
    return ownerOf(this.caller);
  }

  get clock() {
    return this.#options.clock;
  }

  get limits() {
    return this.#options.limits;
  }

  get compatibility() {
    return this.#options.compatibility;
  }

  get defaultCache() {
    return this.#options.defaultCache;
  }

  get body(): StreamedBody | undefined {
    const { body } = this.#request;
    return body && { source: body, type: this.#request.header('content-type') };
  }

  get services(): CommandServices {
    return this.#options;
  }

  confirmPassword(password: string): MaybePromise<Caller> {
    const { authentication } = this.#options;
    return authentication === undefined
      ? this.caller
      : authentication.confirmPassword(this.caller, password, this.#request);
  }

  get batches(): BatchService {
    return this.#options.batches(this.#options.base, this.#request, this.caller, () => {
      this.#replayed = true;
    });
  }

  get dryRuns(): DryRunService {
    return this.#options.dryRuns(this.#options.base, this.#request, this.caller);
  }

  /** Whether an earlier request with the same idempotency key began the batch. */
  get replayed(): boolean {
    return this.#replayed;
  }

  get consumer(): ConsumerService {
    const request = this.#request;
    return {
      lastEventId: () => request.header('last-event-id'),
      preferredType: (types) => preferredType(request.header('accept') ?? '', types),
      authorize: () => this.#execution.reauthorize(),
    };
  }

  get onSend(): ((value: Value) => Value) | undefined {
    const { onSend } = this.#options;
    if (this.notation === undefined) return onSend;
    const convert = notationConverter(this.notation);
    return onSend === undefined ? convert : (value) => convert(onSend(value));
  }

  /** Returns a function that needs no receiver, like {@link signal}. */
  get knowledge(): () => CallerKnowledge | undefined {
    const { caller } = this;
    const { permissions } = this.#options;
    return () => permissions?.knowledgeOf(caller);
  }

  /** Returns a function that needs no receiver, like {@link signal}. */
  get grant(): () => StatementGrant | undefined {
    return () => this.#execution.granted;
  }

  /** Returns a function that needs no receiver, like {@link signal}. */
  get tenant(): () => Tenant {
    const { caller } = this;
    const { isAdministrator } = this.#options;
    const request = this.#request;
    return () => tenantOf(caller, request, isAdministrator);
  }

  /** Returns a function that needs no receiver, because handlers destructure the context. */
  get signal(): () => AbortSignal {
    const request = this.#request;
    return () => request.signal();
  }
}

/** Returns {@link Context.owner} of a caller. */
export function ownerOf({ user, key }: Caller): string {
  return key === undefined ? user : `${user}#${key.id}`;
}
