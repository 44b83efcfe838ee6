/** Sends commands to the service that the page comes from, with the rights of the signed-in user. */
import type { CommandResponses } from '../../client/commands.ts';
import { type Json, parseAsSent, parseExact, writeExact } from '../../client/exact-json.ts';
import { type Envelope, failureOf, NO_ANSWER, readEnvelope, SvcError } from '../../client/failures.ts';
import { noteSent } from './sent-requests.ts';
import { needsLogin, serviceName, signedIn, signOut } from './session.ts';
import { keepSecretKey, needsSignature, secretKey, signatureHeaders } from './signature.ts';

export { type Json, SvcError };

export type Parameters = Readonly<Record<string, unknown>>;

const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
/** The command that the login sends, and that therefore ends nothing when it is rejected. */
export const LOGIN_COMMAND = needsLogin ? 'authenticate' : 'noop';

/** Returns the address of the interface, for programs. */
export function endpointUrl(): string {
  return new URL(serviceName, location.href).href.replace(/#.*$/, '');
}

/** Sends a command and returns its envelope. Throws SvcError. */
export async function callEnvelope(
  cmd: string,
  params: Parameters = {},
  signal?: AbortSignal,
  parse = parseExact,
): Promise<Envelope> {
  return successIn(await send(cmd, params, signal), cmd, parse);
}

/** Returns the envelope of a response. Throws SvcError if it is that of a failure. */
export async function successIn(response: Response, cmd: string, parse = parseExact): Promise<Envelope> {
  const envelope = await readEnvelope(response, cmd, parse);
  if (envelope.successStatus !== 0 || !response.ok) throw failureOf(envelope, cmd, response.status);
  return envelope;
}

/** The commands whose responses are objects or lists: the client returns some numbers as bigint, as `Json` does not. */
type Described = {
  [C in keyof CommandResponses]: CommandResponses[C] extends object ? C : never;
}[keyof CommandResponses];

/** Sends a command and returns its response, with the type that its declaration has. Throws SvcError. */
export function call<C extends Described>(
  cmd: C,
  params?: Parameters,
  signal?: AbortSignal,
): Promise<CommandResponses[C]>;
export function call(cmd: string, params?: Parameters, signal?: AbortSignal): Promise<Json>;
export async function call(cmd: string, params: Parameters = {}, signal?: AbortSignal): Promise<unknown> {
  return (await callEnvelope(cmd, params, signal)).response;
}

/** Sends a command and returns its envelope, with numbers to show as they were sent. Throws SvcError. */
export function callToShow(cmd: string, params: Parameters): Promise<Envelope> {
  return callEnvelope(cmd, params, undefined, parseAsSent);
}

/** The console knows the forms of the contract alone, whatever the service's option `compatibility` says. */
export const PREFERENCES = { Prefer: 'compatibility=contract' };

/**
 * Sends a command and returns the HTTP response, whose body the caller reads. Throws SvcError, also for a response
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
        ...PREFERENCES,
        ...(session !== undefined && { Authorization: `Bearer ${session.token}` }),
        ...signature,
      },
      body,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw noAnswer(cmd, 'No answer: the service does not run, or the network is interrupted.');
  }
  if (response.ok) return response;
  if (response.status === UNAUTHORIZED && cmd !== LOGIN_COMMAND && session === signedIn.value) {
    keepSecretKey('');
    signOut('Your session has ended. Log in again.');
  }
  throw failureOf(await readEnvelope(response, cmd), cmd, response.status);
}

/** Returns the failure of a request to which no answer has arrived. */
export function noAnswer(cmd: string, message: string): SvcError {
  return new SvcError(message, cmd, 1, NO_ANSWER);
}

/** Returns whether commands can be sent: somebody is signed in, and the key is known, where that is needed. */
export function isReady(): boolean {
  return (!needsLogin || signedIn.value !== undefined) && (!needsSignature || secretKey.value !== '');
}

/** Returns whether an error says that the engine of the service lacks what was asked for: NOT_SUPPORTED. */
export function isNotSupported(error: unknown): boolean {
  return error instanceof SvcError && error.code === 'NOT_SUPPORTED';
}

/** Returns whether an error says that the signed-in user lacks a right. */
export function isForbidden(error: unknown): boolean {
  return error instanceof SvcError && error.http === FORBIDDEN;
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
