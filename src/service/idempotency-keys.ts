/** Interprets a request's Idempotency-Key header: its key, and the request that it identifies. */

import { type ErrorCode, GridError, gridError } from '../base/errors.ts';
import { IDEMPOTENCY_KEY_CHARACTERS } from '../base/limits.ts';
import { networkOf } from '../base/networks.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import type { DecodedArguments } from '../commands/decode.ts';
import { FINGERPRINT_SEPARATOR, type IdempotencyKey, type IdempotencyTarget } from '../grid/idempotency.ts';
import { analysisAtHand } from '../sql/analysis/analysis.ts';
import { credentialNames } from './batch-request.ts';
import type { RawRequest } from './request.ts';
import { ownerOf } from './request-context.ts';
import { RequestFingerprint } from './request-fingerprint.ts';
import type { PipelineOptions } from './service-options.ts';

/** The header, as requests have it. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** How a command is executed at most once. */
export type IdempotencyKeyUse =
  /** It changes nothing, or handles its keys itself. */
  | 'plain'
  /** Its result is stored in the commit of its change. */
  | 'committed'
  /** A record precedes it, because its change commits separately. */
  | 'recorded';

/** Returns how a command is executed at most once. Throws IDEMPOTENCY_UNSUPPORTED. */
export function keyUseOf(command: RegisteredCommand, request: RawRequest): IdempotencyKeyUse {
  const { name, batch, access, rightsOn, subject = '', returnsSecret, notAtomicWith = '' } = command;
  if (batch === 'isBatch') return 'plain';
  if (batch === 'streams') {
    throw gridError('IDEMPOTENCY_UNSUPPORTED', name, 'its body is a stream; importId and offset make its retries safe');
  }
  if (rightsOn === 'statement') {
    const kind = analysisAtHand(request.params.get(subject) ?? '')?.kind ?? 'unknown';
    return STATEMENTS[kind] ?? 'recorded';
  }
  if (access === 'read') return 'plain';
  if (returnsSecret === true) {
    throw gridError('IDEMPOTENCY_UNSUPPORTED', name, 'its answer contains a secret, which is never stored');
  }
  if (batch === 'returnsBytes') {
    throw gridError('IDEMPOTENCY_UNSUPPORTED', name, 'it can return bytes; give it a name, which is used only once');
  }
  return batch === 'atomic' && !request.params.has(notAtomicWith) ? 'committed' : 'recorded';
}

/** Returns the object of a command's change. The command's result may be stored in the commit of that change. */
export function idempotencyTargetOf({ group, rightsOn }: RegisteredCommand, args: DecodedArguments): IdempotencyTarget {
  if (rightsOn === 'statement') return { kind: 'statement' };
  return group === 'counter' ? { kind: 'counter' } : { kind: 'cache', name: String(args.cacheName) };
}

/** Kinds of statements that are not recorded. */
const STATEMENTS: Readonly<Record<string, IdempotencyKeyUse>> = {
  query: 'plain',
  explain: 'plain',
  empty: 'plain',
  insert: 'committed',
  update: 'committed',
  delete: 'committed',
  merge: 'committed',
};

type KeyOptions = Pick<PipelineOptions, 'clock' | 'idempotencyKeepMs' | 'serviceName' | 'json'>;

/** Returns the key of a request with the header. Throws IDEMPOTENCY_KEY_INVALID. */
export function keyOf(
  request: RawRequest,
  command: string,
  caller: Caller,
  { clock, idempotencyKeepMs: keepMs, serviceName, json }: KeyOptions,
): IdempotencyKey {
  const sent = checkedKey(request.header(IDEMPOTENCY_KEY) ?? '');
  const expiresAtMs = Math.floor(clock.nowMs()) + keepMs;
  const owner = ownerOf(caller);
  const tenant = tenantOf(caller, request);
  // One part of the hash is the id. The other part is never stored and begins the fingerprint, so that reading the file
  // does not help to guess a password in the request.
  Bun.SHA256.hash(`${owner.length}:${owner}${sent}`, hash);
  const id = textOf(0, ID_BYTES);
  const fingerprint = new RequestFingerprint(hashWords[SECRET_WORD] ?? 0, hashWords[SECRET_WORD + 1] ?? 0);
  fingerprint.add(command);
  for (const name of sortedNames(request.params, serviceName)) {
    fingerprint.add(name);
    fingerprint.add(request.params.get(name) ?? '');
  }
  const ofParameters = `${fingerprintText(fingerprint)}${FINGERPRINT_SEPARATOR}`;
  const types = json.types ? request.jsonTypes : undefined;
  // The parameters are the same for 5 and "5" in JSON, and for either in a query string.
  const whole = types === undefined ? ofParameters : `${ofParameters}${typesText(fingerprint, types)}`;
  return { id, fingerprint: whole, tenant, expiresAtMs };
}

/** Returns the fingerprint of the types that a request's JSON implies. */
function typesText(fingerprint: RequestFingerprint, types: ReadonlyMap<string, string>): string {
  for (const name of [...types.keys()].sort()) {
    fingerprint.add(name);
    fingerprint.add(types.get(name) ?? '');
  }
  return fingerprintText(fingerprint);
}

/** Returns whose share of the stored keys a request uses. */
function tenantOf({ user }: Caller, request: RawRequest): string {
  return user === '' ? `network ${networkOf(request.peerAddress())}` : `user ${user}`;
}

/** Reports whether a parameter name is the command or a credential, which do not distinguish requests. */
function isNoParameter(name: string, serviceName: string): boolean {
  if (name === 'cmd' || name === 'sessionToken') return true;
  return name.startsWith(serviceName) && credentialNames(serviceName).includes(name);
}

/**
 * Returns the key of a command in a batch, which represents its part of that request. `hasBegun` is whether the batch's
 * key is known to be stored.
 */
export function keyOfCommand(key: IdempotencyKey, index: number, hasBegun: boolean): IdempotencyKey {
  const id = `${key.id}/${index}`;
  return hasBegun ? { ...key, id } : { ...key, id, batch: key.id };
}

const QUOTE = 0x22;

/** Returns the key in a header, which may be quoted (RFC 9651 3.3.3). */
function checkedKey(header: string): string {
  const quoted = header.charCodeAt(0) !== QUOTE ? undefined : /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(.)/g, '$1');
  if (key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARACTERS && /^[\x20-\x7e]+$/.test(key)) return key;
  throw gridError('IDEMPOTENCY_KEY_INVALID', IDEMPOTENCY_KEY_CHARACTERS);
}

/** Returns the names of the parameters that distinguish requests, in an order that does not depend on theirs. */
function sortedNames(params: ReadonlyMap<string, string>, serviceName: string): readonly string[] {
  return [...params.keys()].filter((name) => !isNoParameter(name, serviceName)).sort();
}

/** 128 bits: enough that two keys with the same id cannot be found. */
const ID_BYTES = 16;
const hash = new Uint8Array(Bun.SHA256.byteLength);
const hashBytes = Buffer.from(hash.buffer);
const hashWords = new Int32Array(hash.buffer);
/** Where the secret part begins, in words of four bytes. The fingerprint takes its place. */
const SECRET_WORD = 4;
const FINGERPRINT_BYTES = 8;

function textOf(from: number, bytes: number): string {
  return hashBytes.toString('base64url', from, from + bytes);
}

function fingerprintText(fingerprint: RequestFingerprint): string {
  fingerprint.writeTo(hashWords, SECRET_WORD);
  return textOf(ID_BYTES, FINGERPRINT_BYTES);
}

/** Reports whether a failed command may nevertheless have changed something. */
export function mayHaveChanged(error: unknown): boolean {
  return !(error instanceof GridError) || UNCLEAR.has(error.code);
}

const UNCLEAR: ReadonlySet<ErrorCode> = new Set([
  'OUTCOME_UNKNOWN',
  'CLUSTER_ANSWER_INVALID',
  'INTERNAL',
  'STOPPING',
  'TASK_FAILED',
  'TASK_TIMEOUT',
]);
