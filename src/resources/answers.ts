/** Responses of resources: outcomes with a status, a representation and headers instead of an envelope. */

import { preferredType } from '../base/accept.ts';
import { entityTag, listsTag } from '../base/entity-tag.ts';
import { errorObject } from '../base/error-object.ts';
import { type GridError, gridError } from '../base/errors.ts';
import { failedOutcome, type Outcome, type RawRequest, type TextOptions } from '../service/request.ts';
import type { ResourceCall } from './call.ts';
import { JSON_MEDIA } from './declarations.ts';

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = `${JSON_MEDIA};charset=utf-8`;

/**
 * Returns a command's response with a different status and body. The command's headers, such as its position, remain.
 */
export function answered(
  outcome: Outcome,
  http: number,
  response: Outcome['response'],
  headers?: Headers,
  mediaType?: string,
  parts?: TextOptions,
): Outcome {
  const contentType = mediaType === undefined || mediaType === JSON_MEDIA ? JSON_TYPE : `${mediaType};charset=utf-8`;
  return withBody(outcome, http, response, contentType, headers, parts);
}

/** The same without a body. */
export function answeredWithoutBody(outcome: Outcome, http: number, headers?: Headers): Outcome {
  return withBody(outcome, http, '', '', headers);
}

/** Returns a success with a different body. Its members are named, because copying all of an object costs more. */
function withBody(
  { successStatus, error, affinityNodeId, sessionToken, securitySubjectId, replayed, headers: own }: Outcome,
  http: number,
  response: Outcome['response'],
  contentType: string,
  headers: Headers | undefined,
  parts?: TextOptions,
): Outcome {
  const answer: Outcome = {
    successStatus,
    http,
    error,
    response,
    parts,
    affinityNodeId,
    sessionToken,
    securitySubjectId,
    contentType,
    headers: joined(own, headers),
  };
  return replayed === undefined ? answer : { ...answer, replayed };
}

/** Returns the response for an error, replacing a command's if there is one. */
export function rejected(failure: GridError, headers?: Headers, outcome?: Outcome): Outcome {
  return failureAnswer({ ...failedOutcome(failure, true), headers: joined(outcome?.headers, headers) });
}

/** Returns the response for a failed command. */
export function failureAnswer(outcome: Outcome): Outcome {
  const { failure, http } = outcome;
  const known = failure ?? gridError('INTERNAL', outcome.error ?? '');
  return {
    ...outcome,
    failure: known,
    http: http < 400 ? known.entry.http : http,
    response: JSON.stringify(outcome.errorObject ?? errorObject(known)),
    contentType: JSON_TYPE,
  };
}

/** Returns the response for a representation, with its tag. */
export function representation(outcome: Outcome, http: number, body: string, more?: Headers): Outcome {
  return answered(outcome, http, body, { ETag: entityTag(body), ...more });
}

/**
 * The same if the request's conditions are met: a client that already has it gets no body. `mediaType` is for a
 * resource with several; `link` leads to the next page. Only the first part of a body in parts is tagged.
 */
export function requestedRepresentation(
  outcome: Outcome,
  body: string | TextOptions,
  head: RawRequest,
  mediaType?: string,
  link?: string,
): Outcome {
  const expected = head.header('if-match');
  const known = head.header('if-none-match');
  const parts = typeof body === 'string' ? undefined : body;
  const text = typeof body === 'string' ? body : `${body[0]}${body[1]}`;
  const tag = entityTag(parts?.[0] ?? text);
  if (expected !== null && !isAny(expected) && !listsTag(expected, tag, false)) {
    return rejected(gridError('PRECONDITION_FAILED', 'If-Match'), undefined, outcome);
  }
  const isKnown = known !== null && (isAny(known) || listsTag(known, tag, true));
  const headers = mediaType === undefined ? { ETag: tag } : taggedHeaders(tag, link);
  return isKnown ? answeredWithoutBody(outcome, 304, headers) : answered(outcome, 200, text, headers, mediaType, parts);
}

/**
 * Returns the tags, or the asterisk, in the If-Match header of a change; `absent` for `If-None-Match: *`, which only
 * PUT supports, and undefined without a condition. Throws RESOURCE_INVALID.
 */
export function conditionOf({ request, method }: ResourceCall): string | undefined {
  const excluded = request.header('if-none-match');
  const expected = request.header('if-match');
  if (expected !== null && !isAny(expected) && !expected.includes('"')) {
    // A shell may have removed them.
    throw gridError(
      'RESOURCE_INVALID',
      'header If-Match',
      `a tag is in quotes, as the header ETag has it: "${expected}"`,
    );
  }
  if (excluded === null) return expected ?? undefined;
  if (method === 'PUT' && isAny(excluded) && expected === null) return 'absent';
  throw gridError('RESOURCE_INVALID', 'header If-None-Match', 'only PUT has it, with *, and without If-Match');
}

/** Reports whether any value meets a condition. */
export function isAny(tags: string): boolean {
  return tags.trim() === '*';
}

/** Returns the response to a change whose condition is not met. */
export function unmet(header: 'If-Match' | 'If-None-Match'): Outcome {
  return rejected(gridError('PRECONDITION_FAILED', header));
}

export const RETURNED = { 'Preference-Applied': 'return=representation' };
export const DRY_RUN_APPLIED = { 'Preference-Applied': 'dry-run' };

/** Each of these has one shape, because copying members costs more. */
function taggedHeaders(tag: string, link: string | undefined): Headers {
  return link === undefined ? { ETag: tag, Vary: 'Accept' } : { ETag: tag, Vary: 'Accept', Link: link };
}

function joined(first: Headers | undefined, second: Headers | undefined): Headers | undefined {
  return first === undefined || second === undefined ? (first ?? second) : { ...first, ...second };
}

/** The preferences for a resource in the Prefer header (RFC 7240). */
export interface Preferences {
  /** Whether to return what was stored or removed. */
  readonly representation: boolean;
  readonly dryRun: boolean;
}

const NONE: Preferences = { representation: false, dryRun: false };
const REPRESENTATION = /(?:^|[,;])\s*return\s*=\s*"?representation"?\s*(?:$|[,;])/i;
const DRY_RUN = /(?:^|[,;])\s*dry-run\s*(?:$|[,;])/i;

export function preferencesOf(head: RawRequest): Preferences {
  const prefer = head.header('prefer');
  if (prefer === null) return NONE;
  return { representation: REPRESENTATION.test(prefer), dryRun: DRY_RUN.test(prefer) };
}

/** Returns the resource's media type that an Accept header prefers. Throws NOT_ACCEPTABLE. */
export function acceptedType(accept: string | null, types: readonly string[]): string {
  const [first = JSON_MEDIA] = types;
  if (accept === null || accept.trim() === '' || accept === '*/*') return first;
  if (types.includes(accept)) return accept;
  const best = preferredType(accept, types);
  if (best === undefined) throw gridError('NOT_ACCEPTABLE', types.join(', '));
  return best;
}
