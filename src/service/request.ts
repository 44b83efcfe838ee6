/** Requests, outcomes and envelopes: the data that the transport exchanges with the request pipeline. */
import type { ByteSource } from '../base/byte-source.ts';
import { type ErrorObject, errorObject } from '../base/error-object.ts';
import { type ErrorEntry, type GridError, gridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { CommandDeclaration } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import type { ByteResponse } from '../commands/reply.ts';
import type { QueryPage, RowFormat } from '../grid/grid.ts';
import type { IdempotencyKey } from '../grid/idempotency.ts';

/** The network of a client. */
export interface PeerNetwork {
  readonly name: string;
  /** Whether it is a single connection, because many clients may share its address. */
  readonly isConnection: boolean;
}

/** Returns the tenant of a network. */
export function networkTenant({ name, isConnection }: PeerNetwork): Tenant {
  return { key: `network ${name}`, isAdministrator: false, isConnection };
}

/** A request as read from the wire; nothing has been validated yet. */
export interface RawRequest {
  readonly method: 'GET' | 'POST';
  /** The value of the parameter `cmd` as sent, or undefined if absent. */
  readonly cmd: string | undefined;
  /** The first value of every parameter, query string before body. */
  readonly params: ReadonlyMap<string, string>;
  /** Returns a header by its lower-case name, or null if absent. */
  header(name: string): string | null;
  /** Returns the address of the client, without port. */
  peerAddress(): string;
  /** Returns the address's network, or the connection if many clients may share its address. */
  peerNetwork(): PeerNetwork;
  /** The subject of a verified client certificate. */
  readonly certificateSubject?: string | undefined;
  /** The pre-authentication of the head, if it was done before the body arrived. Never rejects. */
  readonly preAuthentication?: MaybePromise<PreAuthentication> | undefined;
  /** The body, for a command that reads it while it arrives, or undefined for every other request. */
  readonly body?: ByteSource | undefined;
  /** The idempotency key of a command in a batch; if undefined, the header decides. */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The format of rows, which overrides the Accept header. */
  readonly rowFormat?: RowFormat | undefined;
  /** How failures are reported, which overrides parameters and options. */
  readonly failureForm?: FailureForm | undefined;
  /**
   * The types of keys and values by parameter name, as the request's JSON implies them. Undefined for one of Ignite's
   * requests, whose command is in the query string or a form.
   */
  readonly jsonTypes?: ReadonlyMap<string, string> | undefined;
  /** Whether the request follows the contract regardless of `compatibility`, because Ignite has no such requests. */
  readonly followsContract?: boolean | undefined;
  /** Returns a signal that aborts when the client disconnects; created on demand, because it is expensive. */
  signal(): AbortSignal;
  /** Ends the request: aborts its signal, and fails the rest of a body that its command reads. */
  end(failure: GridError): void;
}

/** The part of a command's declaration that determines whether credentials are needed. */
export type RequiredAccess = Pick<CommandDeclaration, 'needs' | 'openedBy' | 'params' | 'acceptsOthers'>;

/** Checks the signature of a request; throws SIGNATURE_WRONG. */
export interface SignatureCheck {
  check(request: Pick<RawRequest, 'header'>): void;
}

/**
 * Authenticates the sender; throws TOKEN_MISSING, TOKEN_UNKNOWN, CREDENTIALS_WRONG, API_KEY_UNKNOWN and
 * TOO_MANY_ATTEMPTS.
 */
export interface AuthenticationCheck {
  authenticate(request: RawRequest, command: RequiredAccess): MaybePromise<Caller>;
  /** Returns the caller marked as having sent a password, if it is the user's. Throws OLD_PASSWORD_WRONG. */
  confirmPassword(caller: Caller, password: string, request: RawRequest): MaybePromise<Caller>;
  /**
   * Authenticates the sender by a request's head: by the first of token, `Authorization` header and certificate.
   * Verifies the password of a Basic header. `command` is undefined if the body names it. Never rejects.
   */
  preAuthenticate(request: RawRequest, command: RequiredAccess | undefined): MaybePromise<PreAuthentication>;
  /**
   * Returns the user of a client certificate, or of a session or API key in this thread's cache; otherwise undefined.
   */
  callerWithoutWaiting(request: RawRequest): Pick<Caller, 'user' | 'key'> | undefined;
}

/** Observes every request that names a command. */
export interface RequestObserver {
  begin(command: CommandDeclaration): void;
  /** Records that the command waits for something, so the thread does other work. */
  waits(): void;
  end(command: CommandDeclaration, outcome: Outcome, durationMs: number, caller: Caller, request: RawRequest): void;
  /** Records that a request had a parameter that its command does not declare. */
  ignored(command: string, name: string): void;
  /** Records a request that was rejected before its body, which names the command, arrived. */
  rejected(outcome: Outcome, request: RawRequest, caller?: Pick<Caller, 'user'>): void;
  /** Records an error that is not in the error table; returns the id for the error text. */
  unexpected(command: CommandDeclaration, error: unknown): string;
}

/** The result of a request, before it becomes an envelope. */
export interface Outcome {
  readonly successStatus: 0 | 1 | 2 | 3 | 4;
  /** HTTP status: 200 for every outcome of a command unless `httpStatus` is on. */
  readonly http: number;
  readonly error: string | null;
  /** The error of the request pipeline or the handler, or undefined for a success. */
  readonly failure?: GridError | undefined;
  /** The member `error`, if the request asks for an object instead of a string. */
  readonly errorObject?: ErrorObject | undefined;
  /** JSON text of the member `response`, or its chunks in order. */
  readonly response: string | AsyncIterable<string>;
  /** The parts of a text that has not been joined yet, which would copy it. */
  readonly parts?: TextOptions | undefined;
  /** Returns the outcome for an error at the end of the `response` chunks, before any has been sent. */
  readonly failWith?: (error: unknown) => Outcome;
  /** Whether the response comes from an earlier request with the same idempotency key. */
  readonly replayed?: true;
  /** undefined if the member is absent. */
  readonly affinityNodeId: string | null | undefined;
  readonly sessionToken: string | null;
  readonly securitySubjectId: string | null;
  /**
   * Set for rows as NDJSON or CSV and for resources: `response` is then the whole body instead of a member of the
   * envelope. The empty string means no body.
   */
  readonly contentType?: string | undefined;
  /** Set if the parts of `response` arrive as things happen and are sent immediately. Ends them early. */
  readonly stop?: () => void;
  /** Set with `stop`. Returns the last part for an error that ends them on their way to the client. */
  readonly ended?: (error: unknown) => string;
  /** The page whose rows are `response`, if that is all it contains. */
  readonly page?: Pick<QueryPage, 'end'> | undefined;
  /** The body if it consists of bytes; `response` is then empty. */
  readonly bytes?: ByteResponse | undefined;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A string as a long part and its last character, which is ASCII. */
export type TextOptions = readonly [text: string, end: string];

/** The limits that a request is counted against. */
export interface RateUsage {
  /** Throws RATE_LIMITED if the address has sent too many requests. */
  check(): void;
  /** Counts the request against the rates of its sender. Throws RATE_LIMITED. */
  add(caller: Caller): void;
  /** Returns the headers that tell the client its rates, or undefined if there are none. */
  headers(): Readonly<Record<string, string>> | undefined;
}

/** A request that runs several commands; the one that makes the change also has the key. */
export interface KeptRequest {
  /** Its name, and everything that distinguishes it from others, as parameters. */
  readonly request: RawRequest;
  answer(): MaybePromise<Outcome>;
  /**
   * Returns the response with the reason why the sender must not have an earlier request's response, or
   * undefined if it may.
   */
  rejection(): MaybePromise<Outcome | undefined>;
}

/** The request pipeline, as the transport sees it. */
export interface CommandService {
  /** Executes a request; for a command of a batch on behalf of its `caller`, who has been authenticated and counted. */
  execute(request: RawRequest, caller?: Caller): MaybePromise<Outcome>;
  /** Returns the declaration of a request's command, or undefined if the request names none. */
  readonly findStructured?:
    | ((params: ReadonlyMap<string, string>) => Pick<CommandDeclaration, 'json' | 'lists'> | undefined)
    | undefined;
  /** Answers a request that runs several commands, at most once. Undefined if the engine stores no responses. */
  readonly answerOnce?: ((request: KeptRequest) => Promise<Outcome>) | undefined;
  /** Returns whether a command reads its request's body while it arrives. Undefined if none does. */
  readonly streamsBody?: ((cmd: string) => boolean) | undefined;
  /** Returns whose share a waiting request uses, as far as it can be determined without waiting. */
  tenantOf(request: RawRequest): Tenant;
  /**
   * Authenticates the sender by the head, before the body has arrived. Never rejects. Undefined if the service checks
   * neither signatures nor credentials.
   */
  readonly preAuthenticate?: ((request: RawRequest) => MaybePromise<PreAuthentication>) | undefined;
  /** Returns the outcome of a request whose head was rejected. Undefined if `preAuthenticate` is. */
  readonly reject?: ((request: RawRequest, error: GridError) => Outcome) | undefined;
  /**
   * Returns the outcome of a request whose parameters cannot be read, because of `error`; `request` has those that were
   * read. Undefined if the error is the response regardless of the sender.
   */
  readonly unread?: ((request: RawRequest, error: GridError) => MaybePromise<Outcome>) | undefined;
}

/** A request for a resource: a path below the endpoint that names no command, with its own parameters. */
export interface ResourceRequest extends RawRequest {
  /** The method as sent. */
  readonly httpMethod: string;
  /** As sent, with percent-encoding. */
  readonly path: string;
  readonly address: ResourceAddress;
  /** The query string without the question mark, as sent. */
  readonly query: string;
  /** Returns the bytes of the body; empty if there is none, and if it is read while it arrives. */
  bodyBytes(): Uint8Array;
  /** Returns a command of the same sender whose failures are reported as for resources. `types` are its `jsonTypes`. */
  translated(
    cmd: string,
    params: ReadonlyMap<string, string>,
    rowFormat: RowFormat,
    types?: RawRequest['jsonTypes'],
  ): RawRequest;
}

/** The target of a path below the resources. */
export interface ResourceAddress {
  /** undefined if it matches nothing. */
  readonly resource: 'entries' | 'entry' | 'rows' | 'row' | undefined;
  /** The values of the path's parameters in order, as sent, with percent-encoding. */
  readonly segments: readonly string[];
}

/** Entries and rows by their addresses, as the transport sees them. */
export interface ResourceService {
  /** Reports whether a target is below the collections of resources, where request bodies are read. */
  contains(target: string): boolean;
  /** Returns the target of a path, as sent, or undefined if it is not below the resources. */
  addressOf(path: string): ResourceAddress | undefined;
  /** Returns the methods of an address in the form of the Allow header, or the empty string if there is no resource. */
  methodsOf(address: ResourceAddress): string;
  /** Reports whether the body of a POST request is read while it arrives. */
  streamsBody(path: string, contentType: string | undefined): boolean;
  /** Returns the response to a request whose head was rejected. */
  reject(head: RawRequest, error: GridError): Outcome;
  /** Executes the commands that a request translates to. Never rejects. */
  execute(request: ResourceRequest): MaybePromise<Outcome>;
}

/**
 * The sender, as far as a request's head reveals it: `known`; the error if its signature or credentials are wrong;
 * `unknown` if the body has to identify the sender.
 */
export type PreAuthentication = 'known' | 'unknown' | GridError;

/** The differences for requests whose command is in a JSON body, or in the path next to one. */
export interface JsonOptions extends FailureForm {
  /**
   * Keys and values without a type get the one that their cache declares, and values without one the type
   * implied by JSON.
   */
  readonly types: boolean;
  /** The page size for queries without one; if undefined, it is required. */
  readonly defaultPageSize: number | undefined;
}

/** The form of failures, and the form of requests whose command is in a JSON body, or in the path next to one. */
export interface FailureForms extends FailureForm {
  readonly json: FailureForm;
}

/** How failures are reported: as a request asks, or as the service's options say. */
export interface FailureForm {
  /** Whether a failed command has its error's HTTP status instead of 200. */
  readonly httpStatus: boolean;
  /** Whether the member `error` is an object instead of a string. */
  readonly errorObjects: boolean;
}

const IN_PREFER = /(?:^|[,;])\s*errors\s*=\s*"?(object|text)"?\s*(?:$|[,;])/i;

/** Returns how a request wants failures reported: by its parameters, else by its Prefer header, else by the options. */
export function failureFormOf(
  request: Pick<RawRequest, 'params' | 'header' | 'failureForm' | 'jsonTypes'>,
  options: FailureForms,
): FailureForm {
  if (request.failureForm !== undefined) return request.failureForm;
  const usual = request.jsonTypes === undefined ? options : options.json;
  const status = request.params.get('httpStatus');
  const errors = request.params.get('errors') || IN_PREFER.exec(request.header('prefer') ?? '')?.[1];
  if (status === undefined && errors === undefined) return usual;
  return {
    httpStatus: status === undefined ? usual.httpStatus : status.toLowerCase() === 'true',
    errorObjects: errors === undefined ? usual.errorObjects : errors.toLowerCase() === 'object',
  };
}

const BEARER = /^\s*bearer\s+\S/i;
const KEY_WITHOUT_BEARER = /^\s*(?:\S+\s+)?svck_/;

/** Returns the error for a request whose Authorization header identifies no user. */
export function withoutCredentials(request: Pick<RawRequest, 'header'>): GridError {
  const header = request.header('authorization') ?? '';
  if (BEARER.test(header)) return gridError('BEARER_UNKNOWN');
  return gridError(KEY_WITHOUT_BEARER.test(header) ? 'BEARER_ABSENT' : 'TOKEN_MISSING');
}

const CONTRACT_PREFERRED = /(?:^|[,;])\s*compatibility\s*=\s*"?contract"?\s*(?:$|[,;])/i;

/** Reports whether a request is of a kind that Ignite does not have, or prefers the contract as our own clients do. */
export function followsContract(request: Pick<RawRequest, 'header' | 'followsContract'>): boolean {
  return request.followsContract === true || CONTRACT_PREFERRED.test(request.header('prefer') ?? '');
}

/** Returns the HTTP status of a failed command: its error's, if requested or if it always has it. */
export function httpOf({ http, httpAlways }: ErrorEntry, asked: boolean): number {
  return asked || httpAlways === true ? http : 200;
}

/** Returns the outcome of an error. As an object it has `message`, if that differs from its text. */
export function failedOutcome(
  error: GridError,
  asObject: boolean,
  http: number = error.entry.http,
  message?: string,
): Outcome {
  return {
    successStatus: error.successStatus,
    http,
    error: error.message,
    failure: error,
    errorObject: asObject ? errorObject(error, message) : undefined,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}

/** The members of an envelope besides `response`. */
type EnvelopeMembers = Pick<
  Outcome,
  'successStatus' | 'sessionToken' | 'securitySubjectId' | 'error' | 'errorObject' | 'affinityNodeId'
>;

/** Returns an outcome's envelope (docs/spec/contract.md 2.1) up to the value of `response`, its last member. */
export function envelopeHead(outcome: EnvelopeMembers): string {
  const { successStatus, sessionToken, securitySubjectId, affinityNodeId } = outcome;
  const error = outcome.errorObject ?? outcome.error;
  const affinity = affinityNodeId === undefined ? '' : `"affinityNodeId":${jsonText(affinityNodeId)},`;
  return (
    `{"successStatus":${successStatus},${affinity}"sessionToken":${jsonText(sessionToken)},` +
    `"securitySubjectId":${jsonText(securitySubjectId)},"error":${jsonText(error)},"response":`
  );
}

function jsonText(value: string | ErrorObject | null): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** Returns the outcome of a page. */
export function textOutcome(text: string, contentType: string): Outcome {
  return {
    successStatus: 0,
    http: 200,
    error: null,
    response: text,
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
    contentType,
  };
}
