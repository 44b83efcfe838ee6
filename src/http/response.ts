/** From an outcome to the text of an answer: the envelope of docs/spec/contract.md 2.1. */
import { ERRORS, type ErrorCode, GridError } from '../base/errors.ts';
import type { Outcome } from '../service/request.ts';
import { type ExtraHeaders, JSON_TYPE, type Reply } from './reply.ts';

const UNAVAILABLE = 503;

/** The answer of an outcome with the whole text of its `response`. */
export function answer(outcome: Outcome, response: string, extra: ExtraHeaders | undefined): Reply {
  const { http: status, contentType } = outcome;
  const body = contentType === undefined ? `${envelopeHead(outcome)}${response}}` : response;
  return { status, type: contentType ?? JSON_TYPE, body, extra: withRetry(status, extra), close: false };
}

/** The answer of an outcome whose `response` comes in pieces. */
export function streamedAnswer(
  outcome: Outcome,
  chunks: AsyncIterable<string>,
  extra: ExtraHeaders | undefined,
): Reply {
  const { http: status, contentType } = outcome;
  const body = contentType === undefined ? enclosed(outcome, chunks) : chunks;
  return { status, type: contentType ?? JSON_TYPE, body, extra: withRetry(status, extra), close: false };
}

async function* enclosed(outcome: Outcome, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield envelopeHead(outcome);
  yield* chunks;
  yield '}';
}

/** Everything of the envelope up to the value of `response`, which stands last. */
function envelopeHead({ successStatus, sessionToken, securitySubjectId, error, affinityNodeId }: Outcome): string {
  const affinity = affinityNodeId === undefined ? '' : `"affinityNodeId":${jsonText(affinityNodeId)},`;
  return (
    `{"successStatus":${successStatus},${affinity}"sessionToken":${jsonText(sessionToken)},` +
    `"securitySubjectId":${jsonText(securitySubjectId)},"error":${jsonText(error)},"response":`
  );
}

function jsonText(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}

function withRetry(status: number, extra: ExtraHeaders | undefined): ExtraHeaders | undefined {
  return status === UNAVAILABLE ? { ...extra, 'Retry-After': '1' } : extra;
}

/** Failures after which the connection is closed, because bytes of the request may still be on their way. */
const CLOSING: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'BUFFERS_FULL',
  'HEAD_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'STOPPING',
]);

/** The answer of a request that failed before a command could run. Its HTTP status is the catalogue's. */
export function refusal(failure: GridError, extra?: ExtraHeaders): Reply {
  const { status, http } = failure.entry;
  const outcome: Outcome = {
    successStatus: status,
    http,
    error: failure.message,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
  return { ...answer(outcome, 'null', extra), close: CLOSING.has(failure.code) };
}

/** An answer that is no envelope and names no command. */
export function plainAnswer(status: number, type: string | undefined, body: string, extra?: ExtraHeaders): Reply {
  return { status, type, body, extra, close: false };
}

export function isRefusal(error: unknown): error is GridError {
  return error instanceof GridError && Object.hasOwn(ERRORS, error.code);
}
