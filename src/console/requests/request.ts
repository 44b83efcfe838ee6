/** Sends commands to the service that the page comes from, with the rights of the signed-in user. */
import type { CommandResponses } from '../../client/commands.ts';
import { type Json, parseAsSent, parseExact, writeExact } from '../../client/exact-json.ts';
import { noteSent } from './sent-requests.ts';
import { needsLogin, serviceName, signedIn, signOut } from './session.ts';
import { keepSecretKey, needsSignature, secretKey, signatureHeaders } from './signature.ts';

export type { Json };

export type Parameters = Readonly<Record<string, unknown>>;

/** A failure that the service reports, or that no answer arrived. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** HTTP status; 0 if no answer arrived. */
  readonly http: number;
  /** The code of the error; undefined if the service did not report it. */
  readonly code: string | undefined;
  /** What the service says beside the text. */
  readonly details: ErrorDetails;

  constructor(message: string, http: number, code?: string | null, details: ErrorDetails = {}) {
    super(message);
    this.http = http;
    this.code = code ?? undefined;
    this.details = details;
  }
}

export interface ErrorDetails {
  /** The character of the statement that is wrong, from 1. */
  readonly position?: number;
  readonly remedy?: string;
  /** The path of a page of the service. */
  readonly documentation?: string;
}

/** An error as the service reports it with `errors=object`. */
export interface ReportedError extends ErrorDetails {
  readonly message: string;
}

interface Envelope {
  readonly successStatus: number;
  readonly sessionToken: string | null;
  readonly error: string | ReportedError | null;
  readonly response: Json;
}

/** The header with the code of an error. */
export const ERROR_CODE = 'Error-Code';
const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
/** The command that the login sends, and that therefore ends nothing when it is rejected. */
export const LOGIN_COMMAND = needsLogin ? 'authenticate' : 'noop';

/** Returns the address of the interface, for programs. */
export function endpointUrl(): string {
  return new URL(serviceName, location.href).href.replace(/#.*$/, '');
}

/** Sends a command and returns its envelope. Throws RequestError. */
export async function callEnvelope(
  cmd: string,
  params: Parameters = {},
  signal?: AbortSignal,
  parse = parseExact,
): Promise<Envelope> {
  const response = await send(cmd, params, signal);
  const text = await response.text();
  const envelope = envelopeIn(text, parse);
  if (envelope?.successStatus !== 0) throw failureOf(response, text);
  return envelope;
}

function envelopeIn(text: string, parse = parseExact): Envelope | undefined {
  try {
    return parse(text) as unknown as Envelope;
  } catch {
    return undefined;
  }
}

/** Returns the error that a response reports. What is in front of a cluster, or no command, may answer with a text. */
function failureOf({ status, headers }: Response, text: string): RequestError {
  const code = headers.get(ERROR_CODE);
  const error = envelopeIn(text)?.error ?? `The service answered with ${status}: ${text.slice(0, 200)}`;
  const details = typeof error === 'object' ? error : { message: error };
  return new RequestError(details.message, status, code, details);
}

/** The commands whose responses are objects or lists: the client returns some numbers as bigint, as `Json` does not. */
type Described = {
  [C in keyof CommandResponses]: CommandResponses[C] extends object ? C : never;
}[keyof CommandResponses];

/** Sends a command and returns its response, with the type that its declaration has. Throws RequestError. */
export function call<C extends Described>(
  cmd: C,
  params?: Parameters,
  signal?: AbortSignal,
): Promise<CommandResponses[C]>;
export function call(cmd: string, params?: Parameters, signal?: AbortSignal): Promise<Json>;
export async function call(cmd: string, params: Parameters = {}, signal?: AbortSignal): Promise<unknown> {
  return (await callEnvelope(cmd, params, signal)).response;
}

/** Sends a command and returns its envelope, with numbers to show as they were sent. Throws RequestError. */
export function callToShow(cmd: string, params: Parameters): Promise<Envelope> {
  return callEnvelope(cmd, params, undefined, parseAsSent);
}

/**
 * Sends a command and returns the HTTP response, whose body the caller reads. Throws RequestError, also for a response
 * that is not a success. Shows the login if the session has ended, but not for a late response to a request of an
 * earlier session.
 */
export async function send(
  cmd: string,
  params: Parameters,
  signal?: AbortSignal,
  accept = 'application/json',
): Promise<Response> {
  noteSent({ cmd, params }, signal);
  const session = signedIn.value;
  const signature = await signatureHeaders();
  const body = writeExact({ errors: 'object', ...params, httpStatus: true });
  let response: Response;
  try {
    response = await fetch(`${serviceName}/${cmd}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: accept,
        ...(session !== undefined && { Authorization: `Bearer ${session.token}` }),
        ...signature,
      },
      body,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new RequestError('No answer: the service does not run, or the network is interrupted.', 0);
  }
  if (response.ok) return response;
  if (response.status === UNAUTHORIZED && cmd !== LOGIN_COMMAND && session === signedIn.value) {
    keepSecretKey('');
    signOut('Your session has ended. Log in again.');
  }
  throw failureOf(response, await response.text());
}

/** Returns whether commands can be sent: somebody is signed in, and the key is known, where that is needed. */
export function isReady(): boolean {
  return (!needsLogin || signedIn.value !== undefined) && (!needsSignature || secretKey.value !== '');
}

/** Returns whether an error says that the engine of the service lacks what was asked for: NOT_SUPPORTED. */
export function isNotSupported(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'NOT_SUPPORTED';
}

/** Returns whether an error says that the signed-in user lacks a right. */
export function isForbidden(error: unknown): boolean {
  return error instanceof RequestError && error.http === FORBIDDEN;
}

/** Returns the text of an error to show. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the right that is missing from the text of an error that says so: `missing=command top`. */
export function missingRight(message: string): string {
  const [missing = message] = /missing=[^\]]+/.exec(message) ?? [];
  return missing;
}
