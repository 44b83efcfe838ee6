/** Sends commands to the service that the page comes from, with the rights of the signed-in user. */
import type { CommandResponses } from '../../client/commands.ts';
import { type Json, parseAsSent, parseExact, writeExact } from '../../client/exact-json.ts';
import { type Envelope, failureOf, NO_ANSWER, readEnvelope, SvcError } from '../../client/failures.ts';
import { isOut, markOutage, noteConnection } from './connection.ts';
import { checkConnection } from './connection-check.ts';
import { noteSent } from './sent-requests.ts';
import { needsLogin, noteEnd, serviceName, signedIn, untilSignedIn } from './session.ts';
import { needsSignature, secretKey, signatureHeaders } from './signature.ts';

export { type Json, SvcError };

export type Parameters = Readonly<Record<string, unknown>>;

const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
/** The command that the login sends; its rejection ends no session. */
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

/** Returns the envelope of a response. Throws SvcError if it reports a failure. */
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

/** The console knows only the contract's forms, whatever the service's option `compatibility`. */
export const PREFERENCES = { Prefer: 'compatibility=contract' };

/** The meaning of a response that does not come from the service but from a proxy. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);
/** Codes of errors that describe the state of the service rather than a problem with the command. */
const OUTAGE_CODES: ReadonlySet<string> = new Set(['STANDBY', 'DEPOSED', 'NOT_READY']);
const DISK_CODES: ReadonlySet<string> = new Set(['STORAGE_LOW', 'STORAGE_FULL']);

/**
 * Sends a command and returns the HTTP response, whose body the caller reads. Throws SvcError, also for a response
 * that is not a success. If the session has ended, the login opens over the page, and the command is sent again after
 * it: it was not executed.
 */
export async function send(
  cmd: string,
  params: Parameters,
  signal?: AbortSignal,
  accept = 'application/json',
): Promise<Response> {
  noteSent({ cmd, params }, signal);
  const response = await sendOnce(cmd, params, signal, accept);
  if (response.status !== UNAUTHORIZED || cmd === LOGIN_COMMAND) return succeeded(response, cmd);
  // A response whose body is not read keeps its connection.
  await response.arrayBuffer();
  return succeeded(await sendOnce(cmd, params, signal, accept), cmd);
}

async function sendOnce(
  cmd: string,
  params: Parameters,
  signal: AbortSignal | undefined,
  accept: string,
): Promise<Response> {
  if (cmd !== LOGIN_COMMAND) await untilSignedIn(signal);
  const session = signedIn.value;
  const signature = await signatureHeaders();
  const body = writeExact({ errors: 'object', ...params, httpStatus: true });
  try {
    const response = await fetch(`${serviceName}/${cmd}`, {
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
    // A late response to a request of an earlier session ends nothing.
    if (response.status === UNAUTHORIZED && cmd !== LOGIN_COMMAND && session === signedIn.value) noteEnd();
    return response;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    await checkConnection();
    throw noAnswer(cmd, 'No answer: it is not known whether this was executed.');
  }
}

/** Returns a successful response. Throws SvcError for any other. */
async function succeeded(response: Response, cmd: string): Promise<Response> {
  if (response.ok) return response;
  const failure = await readEnvelope(response, cmd).then(
    (envelope) => failureOf(envelope, cmd, response.status),
    (problem: unknown) => problem,
  );
  if (!(failure instanceof SvcError)) throw failure;
  const { code = '', http } = failure;
  if (DISK_CODES.has(code)) noteConnection('diskFull');
  if (!OUTAGE_CODES.has(code) && !DISK_CODES.has(code) && !(code === '' && GATEWAY.has(http))) throw failure;
  await checkConnection();
  throw isOut.peek() && !DISK_CODES.has(code) ? markOutage(failure) : failure;
}

/** Returns the failure of a request to which no answer has arrived. */
export function noAnswer(cmd: string, message: string): SvcError {
  const failure = new SvcError(message, cmd, 1, NO_ANSWER);
  return isOut.peek() ? markOutage(failure) : failure;
}

/** Returns whether commands can be sent: a user is signed in, and the key is known, if these are required. */
export function isReady(): boolean {
  return (!needsLogin || signedIn.value !== undefined) && (!needsSignature || secretKey.value !== '');
}

/** Returns whether an error says that the engine of the service does not support the request: NOT_SUPPORTED. */
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

/** Returns the right that is missing from the text of an error that says so, in words: `the right "metrics"`. */
export function missingRight(message: string): string {
  const [, missing] = /missing=([^\]]+)/.exec(message) ?? [];
  return missing === undefined ? message : rightInWords(missing);
}

/** Returns a right as the service names it, `administration metrics`, in words. */
export function rightInWords(missing: string): string {
  const [, kind = '', names = ''] = /^(administration|command|counter|task) (.+)$/.exec(missing) ?? [];
  if (kind === 'administration') return `the right "${names}"`;
  if (kind !== '') return `a right on the ${kind} "${names}"`;
  const [, rights, on = ''] = /^([\w, ]+) on (.+)$/.exec(missing) ?? [];
  if (rights === undefined) return missing;
  const noun = rights.includes(',') ? 'rights' : 'right';
  return `the ${noun} ${rights.replaceAll(/\w+/g, '"$&"')} on ${on.replace(' or cache *', '').replace('cache *', 'all caches')}`;
}
