/** The outcome of a failed request: text, status and session, as Ignite or the sender expects them. */
import { type ErrorEntry, type GridError, shortened } from '../base/errors.ts';
import { QUOTED_CHARACTERS } from '../base/limits.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import { contractText } from './error-texts.ts';
import { IDEMPOTENCY_KEY } from './idempotency-keys.ts';
import { failedOutcome, failureFormOf, httpOf, type Outcome, type RawRequest } from './request.ts';
import { bodyHint } from './request-hints.ts';
import type { PipelineOptions } from './service-options.ts';

/** Ignite's response to a wrong signature: no body (docs/differences.md, row 24). */
const SIGNATURE_REJECTED: Outcome = Object.freeze({
  successStatus: 3,
  http: 401,
  error: null,
  response: '',
  affinityNodeId: undefined,
  sessionToken: null,
  securitySubjectId: null,
  contentType: 'application/json;charset=utf-8',
});

/** The failed request and its sender. */
interface FailedRequest {
  readonly command: RegisteredCommand;
  readonly request: RawRequest;
  readonly options: PipelineOptions;
  readonly caller: Caller;
}

/** Returns the outcome of a request that ends with an error. */
export function failureOutcome(failure: GridError, { command, request, options, caller }: FailedRequest): Outcome {
  const { compatibility } = options;
  const { entry, code } = failure;
  // Row 24 of docs/differences.md.
  if (code === 'SIGNATURE_WRONG' && compatibility === 'reference') {
    return { ...SIGNATURE_REJECTED, failure };
  }
  const wrapped = entry.wrap === 'always' || (entry.wrap === 'command' && command.failures !== 'bare');
  const hint = code === 'PARAMETER_MISSING' ? bodyHint(request) : undefined;
  // Row 42 of docs/differences.md.
  const plain = compatibility === 'reference' ? failure.message : contractText(failure);
  const message = hint === undefined ? plain : `${plain}. ${hint}`;
  // A failed command keeps its session; a failed login or token has none (docs/differences.md, row 25).
  const keepsSession = entry.status !== 2 && code !== 'TOKEN_UNKNOWN';
  // Ignite omits the token, except if a query command itself fails (docs/spec/ignite-cluster.md 7).
  const isOfQuery = command.group === 'query' && !wrapped;
  const { httpStatus, errorObjects } = failureFormOf(request, options);
  const showsToken = keepsSession && (isOfQuery || compatibility !== 'reference');
  return {
    ...failedOutcome(failure, errorObjects, httpOf(entry, httpStatus || isKeyed(request, entry)), message),
    // Row 22 of docs/differences.md.
    successStatus: (compatibility === 'reference' ? entry.igniteStatus : undefined) ?? failure.successStatus,
    error: wrapped ? `Failed to handle request: [${requestText(command, request)}, err=${message}]` : message,
    response: failure.response ?? 'null',
    sessionToken: showsToken ? caller.token : null,
    securitySubjectId: keepsSession ? caller.subjectId : null,
  };
}

/** Reports whether the sender of an idempotency key expects the HTTP status of such an error. */
function isKeyed(request: RawRequest, { httpWithKey }: ErrorEntry): boolean {
  return httpWithKey === true && request.header(IDEMPOTENCY_KEY) !== null;
}

/** Returns the text with which Ignite names the request; for a task request it has more parts. */
function requestText(command: RegisteredCommand, { params }: RawRequest): string {
  if (command.failures !== 'wrappedAsTask') return `req=${command.request}`;
  const name = command.subject === undefined ? null : (params.get(command.subject) ?? null);
  const texts: string[] = [];
  let characters = 0;
  for (
    let p = params.get('p1');
    p !== undefined && characters <= QUOTED_CHARACTERS;
    p = params.get(`p${texts.length + 1}`)
  ) {
    texts.push(p);
    characters += p.length;
  }
  return `req=${command.request}, taskName=${name && shortened(name)}, params=[${shortened(texts.join(', '))}]`;
}
