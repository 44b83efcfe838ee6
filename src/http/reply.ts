/**
 * Replies before they are sent, and the conversion of outcomes to replies: the envelope of docs/spec/contract.md 2.1.
 */
import { weightedMembers } from '../base/accept.ts';
import { errorObject } from '../base/error-object.ts';
import { ERRORS, type ErrorCode, GridError } from '../base/errors.ts';
import { envelopeHead, failedOutcome, type Outcome, type TextOptions } from '../service/request.ts';

/**
 * Additional headers, for allowed origins, rejections and resources. Values are printable ASCII: code that takes one
 * from a request must ensure that, or it could end its line.
 */
export type ExtraHeaders = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  /** Media type of the body, or undefined if there is no body. */
  readonly type: string | undefined;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** The parts of a body that is a string and has not been concatenated yet. */
  readonly parts?: TextOptions | undefined;
  /**
   * Whether the body may be compressed: it contains no credential, which its compressed length could reveal (BREACH).
   */
  readonly compressible: boolean;
  readonly extra: ExtraHeaders | undefined;
  /** Bytes that the source of the chunks holds until the client has read them. Few, if undefined. */
  readonly heldBytes?: number;
  /** Whether to close the connection afterwards, because bytes of the request may still be on their way. */
  readonly close: boolean;
  /** Whether a service with failover sends it even without a valid lease: it reveals nothing about the data. */
  readonly isUnfenced?: boolean;
  /** Whether the rest of a streamed body only gives the reason for its end. */
  readonly hasFailed?: () => boolean;
}

/** Returns whether a body is complete. */
export function isWhole(body: Reply['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

export const JSON_TYPE = 'application/json;charset=utf-8';

const UNAVAILABLE = 503;

/** Returns the response for an outcome whose `response` is complete. */
export function answer(outcome: Outcome, response: string, extra: ExtraHeaders | undefined): Reply {
  const { http: status, contentType, parts } = outcome;
  const body = contentType === undefined ? `${headOf(outcome)}${response}}` : response;
  const compressible = hasNoCredential(outcome);
  const headers = headersOf(outcome, outcome.replayed === undefined ? extra : { ...extra, ...REPLAYED });
  const type = contentType === '' ? undefined : (contentType ?? JSON_TYPE);
  return { status, type, body, parts, compressible, extra: headers, close: false };
}

/** The head of the last success without a session. Most responses on one node have the same. */
let usualHead: { readonly affinityNodeId: Outcome['affinityNodeId']; readonly text: string } | undefined;

function headOf(outcome: Outcome): string {
  const { successStatus, sessionToken, securitySubjectId, error, affinityNodeId } = outcome;
  const isUsual = successStatus === 0 && sessionToken === null && securitySubjectId === null && error === null;
  if (!isUsual) return envelopeHead(outcome);
  if (usualHead === undefined || usualHead.affinityNodeId !== affinityNodeId) {
    usualHead = { affinityNodeId, text: envelopeHead(outcome) };
  }
  return usualHead.text;
}

/** The header of a response that an earlier request with the same idempotency key has received. */
const REPLAYED: ExtraHeaders = { 'Idempotent-Replayed': 'true' };

/** Returns the response for an outcome whose `response` is produced in chunks. */
export function streamedAnswer(
  outcome: Outcome,
  chunks: AsyncIterable<string>,
  extra: ExtraHeaders | undefined,
): Reply {
  const { http: status, contentType } = outcome;
  const body = contentType === undefined ? enclosed(outcome, chunks) : chunks;
  const compressible = hasNoCredential(outcome);
  const headers = headersOf(outcome, extra);
  return { status, type: contentType ?? JSON_TYPE, body, compressible, extra: headers, close: false };
}

/** Returns the response for an outcome that consists of bytes, which a browser saves as `fileName`. */
export function byteAnswer(
  { http: status, contentType, headers }: Outcome,
  body: AsyncIterable<Uint8Array>,
  fileName: string,
  extra: ExtraHeaders | undefined,
): Reply {
  const named = { ...extra, ...headers, 'Content-Disposition': `attachment; filename="${fileName}"` };
  // A backup is already compressed.
  return { status, type: contentType, body, compressible: false, extra: named, close: false };
}

async function* enclosed(outcome: Outcome, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield envelopeHead(outcome);
  yield* chunks;
  yield '}';
}

/** Reports whether the body contains neither the session token nor the user's id, which are in every envelope. */
function hasNoCredential({ contentType, sessionToken, securitySubjectId }: Outcome): boolean {
  return contentType !== undefined || (sessionToken === null && securitySubjectId === null);
}

/** The header with an error's code. */
export const ERROR_CODE = 'Error-Code';

function headersOf({ http, headers, failure }: Outcome, extra: ExtraHeaders | undefined): ExtraHeaders | undefined {
  let all = headers === undefined || extra === undefined ? (headers ?? extra) : { ...extra, ...headers };
  if (failure !== undefined) all = { ...all, [ERROR_CODE]: failure.code };
  return http === UNAVAILABLE ? { ...all, 'Retry-After': '1' } : all;
}

/** Errors after which the connection closes, because bytes of the request may still arrive. */
const CLOSING: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'BUFFERS_FULL',
  'HEAD_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'STOPPING',
]);

/** Returns the response to a request that failed before a command ran. Its HTTP status is the error's. */
export function rejection(
  failure: GridError,
  errorObjects: boolean,
  extra?: ExtraHeaders,
  accept: string | null = null,
): Reply {
  const outcome = inAcceptedForm(failedOutcome(failure, errorObjects), accept);
  return { ...answer(outcome, String(outcome.response), extra), close: CLOSING.has(failure.code) };
}

/** Returns a response without an envelope. */
export function plainAnswer(
  status: number,
  type: string | undefined,
  body: Reply['body'],
  extra?: ExtraHeaders,
): Reply {
  return { status, type, body, compressible: true, extra, close: false };
}

export function isGridError(error: unknown): error is GridError {
  return error instanceof GridError && Object.hasOwn(ERRORS, error.code);
}

const PROBLEM_TYPE = 'application/problem+json';

/** Returns a failure as a problem document if its request's Accept header names them. */
export function inAcceptedForm(outcome: Outcome, accept: string | null): Outcome {
  const { failure } = outcome;
  return failure !== undefined && acceptsProblem(accept) ? problemOf(outcome, failure) : outcome;
}

/** Reports whether an Accept header names problem documents. Ranges such as `*` do not ask for them. */
function acceptsProblem(accept: string | null): boolean {
  if (accept === null || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  return weightedMembers(accept).some(({ name, weight }) => name === PROBLEM_TYPE && weight > 0);
}

/** Returns a failure's outcome as a problem document (RFC 9457), with its error's HTTP status. */
function problemOf(outcome: Outcome, failure: GridError): Outcome {
  const { contentType, response } = outcome;
  const { documentation, message, ...members } = outcome.errorObject ?? errorObject(failure);
  const http = outcome.http < 400 ? failure.entry.http : outcome.http;
  const document = JSON.stringify({
    type: documentation,
    title: titleOf(failure),
    status: http,
    detail: message,
    ...members,
  });
  // The result that a failed batch reports about its commands.
  const hasResponse = contentType === undefined && typeof response === 'string' && response !== 'null';
  const body = hasResponse ? `${document.slice(0, -1)},"response":${response}}` : document;
  return { ...outcome, http, response: body, contentType: PROBLEM_TYPE };
}

/** Returns an error code in words. */
function titleOf({ code }: GridError): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
