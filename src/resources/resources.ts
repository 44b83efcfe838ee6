/** The service for resources: finds what a request addresses, checks its form, and answers it with commands. */
import { checkContentEncoding } from '../base/content-encoding.ts';
import { GridError, gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import {
  failedOutcome,
  type Outcome,
  type ResourceAddress,
  type ResourceRequest,
  type ResourceService,
} from '../service/request.ts';
import { addressOf, COLLECTIONS, decodedSegments, methodsOfResource, pairsOf } from './address.ts';
import { acceptedType, failureAnswer, preferencesOf, rejected } from './answers.ts';
import { bodyText, type ResourceCall, type ResourceOptions } from './call.ts';
import {
  CSV_MEDIA,
  JSON_MEDIA,
  METHODS,
  NDJSON_MEDIA,
  RESOURCES,
  type ResourceDeclaration,
  type ResourceMethod,
  type ResourceName,
} from './declarations.ts';
import { entryAnswer, readEntry } from './entries.ts';
import { entriesAnswer } from './entry-list.ts';
import { rowAnswer } from './row.ts';
import { rowsAnswer } from './rows.ts';
import { sql } from './sql.ts';
import { runStatement, withTable } from './statements.ts';
import { allTables, type NamedTables, type Table } from './tables.ts';

const ANSWERS: Readonly<Record<ResourceName, (call: ResourceCall) => MaybePromise<Outcome>>> = {
  entries: entriesAnswer,
  entry: entryAnswer,
  rows: rowsAnswer,
  row: rowAnswer,
};

/** Creates the service for resources, which executes commands through another service. */
export function createResources(options: ResourceOptions): ResourceService {
  const prefix = `/${options.serviceName}/`;
  const collections = COLLECTIONS.map((collection) => `${prefix}${collection}`);
  // Also without a trailing slash: a client that asks for the tables is told what has an address.
  const find = (path: string) => (path.startsWith(prefix) ? addressOf(path, prefix.length) : undefined);
  return {
    contains(target) {
      for (const collection of collections) if (target.startsWith(collection)) return true;
      return false;
    },
    addressOf: find,
    methodsOf,
    streamsBody: (path, contentType) => isStreamed(contentType) && find(path)?.resource === 'rows',
    reject: (request, error) => failureAnswer(options.service.reject?.(request, error) ?? failedOutcome(error, true)),
    execute(request) {
      try {
        const answer = answerOf(options, request);
        if (!(answer instanceof Promise)) return answer;
        return answer.catch((error: unknown) => failed(options, request, error));
      } catch (error) {
        return failed(options, request, error);
      }
    },
  };
}

/**
 * Returns the service's tables by their names in addresses, or the reason why a request's sender may not know all of
 * them, which is the response of the command `cachelist`.
 */
export async function knownTables(options: ResourceOptions, request: ResourceRequest): Promise<NamedTables | Outcome> {
  const outcome = await options.service.execute(request.translated('cachelist', new Map(), 'json'));
  return outcome.successStatus === 0 ? allTables(options) : failureAnswer(outcome);
}

function methodsOf({ resource }: ResourceAddress): string {
  return resource === undefined ? '' : methodsOfResource(resource);
}

/** Responds to a request. */
function answerOf(options: ResourceOptions, request: ResourceRequest): MaybePromise<Outcome> {
  const { resource, segments } = request.address;
  if (resource === undefined) {
    const base = `/${options.serviceName}`;
    const places = `entries are at ${base}/caches/CACHE/entries and ${base}/caches/CACHE/entries/KEY, and rows at ${base}/tables/TABLE/rows`;
    const lists = 'The command cachelist lists caches, SELECT * FROM SYS.TABLES lists tables';
    throw gridError('PATH_NOT_FOUND', base, `${places}. ${lists}`);
  }
  const declared: ResourceDeclaration = RESOURCES[resource];
  const method = request.httpMethod === 'HEAD' ? 'GET' : request.httpMethod;
  const operation = isMethod(method) ? declared.methods[method] : undefined;
  if (!isMethod(method) || operation === undefined) throw gridError('METHOD_NOT_ALLOWED', methodsOf(request.address));
  const call: ResourceCall = {
    options,
    method,
    segments: decodedSegments(segments),
    pairs: pairsOf(request.query, options.limits.parametersPerRequest),
    request,
    accepted: acceptedType(request.header('accept'), declared.returns),
    mediaType: operation.reads && readType(request, operation.reads),
  };
  const { answerOnce } = options.service;
  if (answerOnce === undefined || !isKept(call)) return ANSWERS[resource](call);
  return answerOnce({
    request: request.translated(`${method} ${resource}`, distinguished(call), 'json'),
    answer: () => ANSWERS[resource](call),
    rejection: () => readRejection(call),
  });
}

/**
 * Reports whether the response to a request with an idempotency key must be stored: it contains what was stored
 * before or after the change, which a repeated request does not find. All other responses follow from the result
 * of the change.
 */
function isKept({ request, method, mediaType }: ResourceCall): boolean {
  if (method === 'GET' || request.header('idempotency-key') === null) return false;
  const { representation, dryRun } = preferencesOf(request);
  const { resource } = request.address;
  if (dryRun || (resource === 'rows' && mediaType !== undefined && mediaType !== JSON_MEDIA)) return false;
  return representation || (resource === 'row' && method === 'PUT');
}

/** Returns the parts that distinguish a request from others. */
function distinguished(call: ResourceCall): ReadonlyMap<string, string> {
  const { request, mediaType = '', accepted } = call;
  const sent = ['prefer', 'if-match', 'if-none-match'].map((name) => [name, request.header(name) ?? ''] as const);
  const { path, query } = request;
  return new Map([['path', path], ['query', query], ['body', bodyText(call)], ['type', mediaType], ...sent]).set(
    'accept',
    accepted,
  );
}

/** Returns the reason why a request's sender may no longer read what its response contains, or undefined if it may. */
function readRejection(call: ResourceCall): MaybePromise<Outcome | undefined> {
  const outcome = call.request.address.resource === 'entry' ? readEntry(call) : withTable(call, readNothing);
  return chain(outcome, (read) => (read.successStatus === 0 ? undefined : read));
}

function readNothing(call: ResourceCall, { quoted }: Table): MaybePromise<Outcome> {
  return runStatement(call, sql(`SELECT 1 FROM ${quoted} WHERE 1 = 0`));
}

const METHOD_NAMES: readonly string[] = METHODS;

function isMethod(name: string): name is ResourceMethod {
  return METHOD_NAMES.includes(name);
}

/** Reports whether bodies of a type are read while they arrive. */
function isStreamed(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === JSON_MEDIA) return false;
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  return type === NDJSON_MEDIA || type === CSV_MEDIA;
}

/** Returns the media type of a body. Throws MEDIA_TYPE_UNSUPPORTED and CONTENT_ENCODING. */
function readType(request: ResourceRequest, types: readonly string[]): string {
  const contentType = request.header('content-type');
  checkContentEncoding(request.header('content-encoding'));
  // Most clients send it without parameters.
  if (contentType !== null && types.includes(contentType)) return contentType;
  const given = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const type = types.find((each) => each === given);
  if (type === undefined) throw gridError('MEDIA_TYPE_UNSUPPORTED', given ?? '(none)', types.join(', '));
  return type;
}

/** Responds to a request that cannot be translated. Without valid credentials, the error is about these. */
function failed(options: ResourceOptions, request: ResourceRequest, error: unknown): MaybePromise<Outcome> {
  if (!(error instanceof GridError)) throw error;
  const headers = error.code === 'METHOD_NOT_ALLOWED' ? { Allow: methodsOf(request.address) } : undefined;
  const { unread } = options.service;
  if (unread === undefined) return rejected(error, headers);
  return chain(unread(request, error), (outcome) => rejected(outcome.failure ?? error, headers, outcome));
}
