/** Failures that the service reports: in envelopes, and in the last line of rows. */
import { certificateAdvice } from '../base/certificate-errors.ts';
import { rowsUntilFailure } from '../base/row-failures.ts';
import { withoutUrlSecrets } from '../base/url-secrets.ts';
import type { ErrorCode } from './commands.ts';
import { Decimal, type Json, parseExact } from './exact-json.ts';

/** A service's details of a failure besides its text. */
export interface ErrorDetails {
  /** The code of the error, or undefined if no service reported it. */
  readonly code?: ErrorCode | undefined;
  /** The parameter that the error is about. */
  readonly parameter?: string | undefined;
  /** The character of the statement, from 1. */
  readonly position?: number | undefined;
  /** The remedy. */
  readonly remedy?: string | undefined;
  /** Path of the service's page that explains the error. */
  readonly documentation?: string | undefined;
}

/** A failure that the service reports, or no response from it. */
export class SvcError extends Error implements ErrorDetails {
  override readonly name = 'SvcError';
  readonly code: ErrorCode | undefined;
  readonly parameter: string | undefined;
  readonly position: number | undefined;
  readonly remedy: string | undefined;
  readonly documentation: string | undefined;
  /** 1 failure; 2 authorization failure; 3 security check failure. */
  readonly successStatus: number;
  /** The HTTP status, or 0 if no service responded, in which case `cause` is the network's error. */
  readonly http: number;
  readonly command: string;
  /** The work done before the failure, if the command reports it, as `import` does; otherwise null. */
  readonly response: Json;

  constructor(
    message: string,
    command: string,
    successStatus: number,
    http: number,
    response: Json = null,
    details: ErrorDetails & ErrorOptions = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.command = command;
    this.successStatus = successStatus;
    this.http = http;
    this.response = response;
    this.code = details.code;
    this.parameter = details.parameter;
    this.position = details.position;
    this.remedy = details.remedy;
    this.documentation = details.documentation;
  }
}

/** Converts a request's failure to the failure of one of its commands. */
export function failureFor(command: string, failure: SvcError): SvcError {
  const { message, successStatus, http, response } = failure;
  return new SvcError(message, command, successStatus, http, response, failure);
}

const OK = 200;
/** SvcError's code in place of an HTTP status if no service responded. */
export const NO_ANSWER = 0;

/** Returns the failure of a request that the service at `url` did not answer, or not within `timeoutMs`. */
export function unanswered(error: unknown, command: string, url: string, timeoutMs?: number): SvcError {
  // Node's own fetch error only says that it failed.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { name, code, message = String(cause) } = Object(cause);
  const reason = typeof code === 'string' ? code : message;
  const shown = withoutUrlSecrets(url);
  const failure = (text: string, remedy: string) => new SvcError(text, command, 1, NO_ANSWER, null, { remedy, cause });
  if (name === 'TimeoutError') {
    return failure(
      `No answer from ${shown} within ${timeoutMs} ms`,
      'Find out what takes so long, or raise timeoutMs.',
    );
  }
  const advice = certificateAdvice(reason, 'have its authority trusted: NODE_EXTRA_CA_CERTS names the file');
  if (advice !== undefined) {
    const text = `The certificate of ${shown} cannot be verified: ${message} (${reason})`;
    return failure(text, `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`);
  }
  return failure(`No answer from ${shown} (${reason})`, 'Start the service, or correct the address in url.');
}

/** The members of an envelope, with the error in parts. */
export interface Envelope {
  readonly successStatus: number;
  readonly sessionToken: string | null;
  readonly error: string;
  readonly details: ErrorDetails;
  readonly response: Json;
}

/** Returns the envelope of a response. Throws SvcError if it has none. */
export async function readEnvelope(response: Response, command: string, parse = parseExact): Promise<Envelope> {
  const envelope = await envelopeOf(response, command, parse);
  if (envelope instanceof SvcError) throw envelope;
  return envelope;
}

/** Returns the envelope of a response, or the failure of one that has none. */
export async function envelopeOf(
  response: Response,
  command: string,
  parse = parseExact,
): Promise<Envelope | SvcError> {
  const text = await response.text();
  try {
    const envelope = envelopeIn(parse(text), response.headers.get('Error-Code') ?? undefined);
    if (envelope !== undefined) return envelope;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // A proxy responded, for example.
  const { status } = response;
  return new SvcError(`The service answered with ${status}: ${text.slice(0, 200)}`, command, 1, status);
}

/** Returns the envelope in a JSON value, or undefined if it is not one. */
export function envelopeIn(value: Json | undefined, errorCode?: string): Envelope | undefined {
  const { successStatus, sessionToken, error, response } = Object(value);
  if (typeof successStatus !== 'number') return undefined;
  const isObjectForm = isObject(error);
  return {
    successStatus,
    sessionToken,
    error: String((isObjectForm ? error.message : error) ?? ''),
    details: detailsOf(isObjectForm ? error : { ...(errorCode !== undefined && { code: errorCode }) }),
    response,
  };
}

/** Returns an error's details besides its text. */
export function detailsOf(error: { readonly [name: string]: Json }): ErrorDetails {
  const { code, parameter, position, remedy, documentation } = error;
  return {
    code: typeof code === 'string' ? code : undefined,
    parameter: typeof parameter === 'string' ? parameter : undefined,
    position: typeof position === 'number' ? position : undefined,
    remedy: typeof remedy === 'string' ? remedy : undefined,
    documentation: typeof documentation === 'string' ? documentation : undefined,
  };
}

export function failureOf(
  { error, details, successStatus, response }: Envelope,
  command: string,
  http: number,
): SvcError {
  return new SvcError(error, command, successStatus, http, response, details);
}

/**
 * Returns a stream that, if it is cut, fails with the error that the service reports in its last line, or else with the
 * result of `lost` for the network's error.
 */
export function withFailures(
  stream: ReadableStream<Uint8Array>,
  command: string,
  lost: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const read = () =>
    reader.read().catch((error: unknown) => {
      throw lost(error);
    });
  const chunks = async function* () {
    for (let next = await read(); !next.done; next = await read()) yield next.value;
  };
  const rows = rowsUntilFailure(chunks(), (json) => {
    const error: Json = parseExact(json);
    const members = isObject(error) ? error : {};
    return new SvcError(String(members.message ?? json), command, 1, OK, null, detailsOf(members));
  });
  return new ReadableStream({
    async pull(controller) {
      const next = await rows.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}
