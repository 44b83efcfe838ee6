/** From an outcome to the bytes of an answer: the envelope of part 2.1 of the contract. */
import { ERRORS, type ErrorCode, GridError } from '../base/errors.ts';
import type { Outcome } from '../service/outcome.ts';

/** Headers that come on top: those of allowed origins, and of refusals. */
export type ExtraHeaders = Readonly<Record<string, string>>;

export const JSON_TYPE = 'application/json;charset=utf-8';
const SUCCESS: ResponseInit = { headers: { 'Content-Type': JSON_TYPE } };
const UNAVAILABLE = 503;

/** The answer of an outcome with the whole text of its `response`. */
export function answer(outcome: Outcome, response: string, extra: ExtraHeaders | undefined): Response {
  if (outcome.contentType !== undefined) return new Response(response, initOf(outcome, extra));
  const body = `${envelopeHead(outcome)}${response}}`;
  return outcome.http === 200 && extra === undefined
    ? new Response(body, SUCCESS)
    : new Response(body, initOf(outcome, extra));
}

/** The answer of an outcome whose `response` comes in pieces. */
export function streamedAnswer(
  outcome: Outcome,
  pieces: AsyncIterable<string>,
  extra: ExtraHeaders | undefined,
): Response {
  return new Response(outcome.contentType === undefined ? enclosed(outcome, pieces) : pieces, initOf(outcome, extra));
}

async function* enclosed(outcome: Outcome, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield envelopeHead(outcome);
  yield* pieces;
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

function initOf(outcome: Outcome, extra: ExtraHeaders | undefined): ResponseInit {
  const headers: Record<string, string> = { 'Content-Type': outcome.contentType ?? JSON_TYPE, ...extra };
  if (outcome.http === UNAVAILABLE) headers['Retry-After'] = '1';
  return { status: outcome.http, headers };
}

/** The outcome of a request that failed before a command could run. Its HTTP status is the catalogue's. */
export function refusalOutcome(failure: GridError): Outcome {
  const { status, http } = failure.entry;
  return {
    successStatus: status,
    http,
    error: failure.message,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}

/** Failures after which the connection is closed, because bytes of the request may still be on their way. */
const CLOSING: ReadonlySet<ErrorCode> = new Set(['BODY_TOO_LARGE', 'HEAD_TOO_LARGE', 'STOPPING']);

/** The answer of a request that failed before a command could run. */
export function refusal(failure: GridError, extra?: ExtraHeaders): Response {
  const headers = CLOSING.has(failure.code) ? { ...extra, Connection: 'close' } : extra;
  return answer(refusalOutcome(failure), 'null', headers);
}

/** An answer that is no envelope and names no command. */
export function plainAnswer(status: number, contentType: string, body: string, extra?: ExtraHeaders): Response {
  return new Response(body, { status, headers: { 'Content-Type': contentType, ...extra } });
}

export function isRefusal(error: unknown): error is GridError {
  return error instanceof GridError && Object.hasOwn(ERRORS, error.code);
}
