/**
 * Stores the responses to requests with an idempotency key that run several commands, so that repeating one returns the
 * same bytes. The change in such a request stores its own result in its commit.
 */
import { GridError } from '../base/errors.ts';
import { keyOf, mayHaveChanged } from './idempotency-keys.ts';
import type { KeptRequest, Outcome } from './request.ts';
import type { PipelineOptions } from './service-options.ts';

/** The stored part of a response. */
type KeptAnswer = Pick<Outcome, 'http' | 'response' | 'contentType' | 'headers'>;

/** Headers that belong to the request being answered. */
const OF_THE_REQUEST = /^(?:ratelimit|retry-after)/i;
/** Stands in for the command when credentials are checked: each executed command is checked separately. */
const ANY_COMMAND = { needs: 'session', params: {} } as const;

/** Executes a request, or returns the stored response to an equal one. Rejects with the error for the key. */
export async function answerOnce(options: PipelineOptions, { request, ...kept }: KeptRequest): Promise<Outcome> {
  const { grid, gridOf, authentication } = options;
  const caller = authentication === undefined ? NOBODY : await authentication.authenticate(request, ANY_COMMAND);
  const { idempotency } = gridOf === undefined ? grid : await gridOf(caller);
  // The command that makes the change reports it.
  if (idempotency === undefined) return kept.answer();
  const own = keyOf(request, request.cmd ?? '', caller, options);
  // The key itself belongs to the change.
  const key = { ...own, id: `${own.id}/answer` };
  let text: string | undefined;
  try {
    text = await idempotency.begin(key, null);
  } catch (error) {
    if (!(error instanceof GridError) || error.code !== 'OUTCOME_UNKNOWN') throw error;
    // The service ended in between, but the change may have stored its result.
    const outcome = await kept.answer();
    if (outcome.failure?.entry.http === NOT_FOUND) throw error;
    return outcome;
  }
  if (text !== undefined) {
    return (await kept.rejection()) ?? { ...SUCCESS, securitySubjectId: caller.subjectId, ...readKept(text) };
  }
  const outcome = await kept.answer();
  if (outcome.failure !== undefined && !mayHaveChanged(outcome.failure)) await idempotency.discard(key);
  else await idempotency.complete(key, outcome.failure === undefined ? writeKept(outcome) : undefined);
  return outcome;
}

const NOT_FOUND = 404;
const NOBODY = Object.freeze({ user: '', token: null, subjectId: null });
const SUCCESS = {
  successStatus: 0,
  error: null,
  affinityNodeId: undefined,
  sessionToken: null,
  replayed: true,
} as const;

function writeKept({ http, response, contentType, headers = {} }: Outcome): string | undefined {
  if (typeof response !== 'string') return undefined;
  const own = Object.entries(headers).filter(([name]) => !OF_THE_REQUEST.test(name));
  const kept: KeptAnswer = { http, response, contentType, headers: Object.fromEntries(own) };
  return JSON.stringify(kept);
}

function readKept(text: string): KeptAnswer {
  // Only writeKept writes such texts.
  return JSON.parse(text) as KeptAnswer;
}
