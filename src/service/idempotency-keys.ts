/** What the header Idempotency-Key of a request means: its key, and the request that it identifies. */
import { fail } from '../base/errors.ts';
import { IDEMPOTENCY_KEY_CHARACTERS } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { networkOf } from '../base/networks.ts';
import { GeneratorWork } from '../base/slices.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { type Caller, ownerOf } from '../commands/context.ts';
import type { DecodedArguments } from '../commands/decode.ts';
import type { IdempotencyKey, OnceTarget } from '../grid/idempotency.ts';
import { analysisAtHand } from '../sql/analysis/analysis.ts';
import { credentialNames } from './batch-request.ts';
import type { RawRequest } from './request.ts';
import type { PipelineOptions } from './service-options.ts';

/** The header, as requests have it. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** How a command is executed at most once. */
export type OnceUse =
  /** It changes nothing, or sees to its keys itself. */
  | 'plain'
  /** Its result is kept in the commit of its change. */
  | 'committed'
  /** A record precedes it, because its change commits separately. */
  | 'recorded';

/** Returns how a command is executed at most once. Throws IDEMPOTENCY_UNSUPPORTED. */
export function onceUseOf(command: RegisteredCommand, request: RawRequest): OnceUse {
  const { name, batch, access, rightsOn, subject = '', returnsSecret } = command;
  if (batch === 'isBatch') return 'plain';
  if (batch === 'streams') {
    throw fail('IDEMPOTENCY_UNSUPPORTED', name, 'its body is a stream; importId and offset make its retries safe');
  }
  if (rightsOn === 'statement') {
    const kind = analysisAtHand(request.params.get(subject) ?? '')?.kind ?? 'unknown';
    return STATEMENTS[kind] ?? 'recorded';
  }
  if (access === 'read') return 'plain';
  if (returnsSecret === true) {
    throw fail('IDEMPOTENCY_UNSUPPORTED', name, 'its answer contains a secret, which is never stored');
  }
  if (batch === 'returnsBytes') {
    throw fail('IDEMPOTENCY_UNSUPPORTED', name, 'it can return bytes; give it a name, which is used only once');
  }
  return batch === 'atomic' ? 'committed' : 'recorded';
}

/** Returns what a command changes whose result may be kept in the commit of its change. */
export function onceTargetOf({ group, rightsOn }: RegisteredCommand, args: DecodedArguments): OnceTarget {
  if (rightsOn === 'statement') return { kind: 'statement' };
  return group === 'counter' ? { kind: 'counter' } : { kind: 'cache', name: String(args.cacheName) };
}

/** Kinds of statements that are not recorded. */
const STATEMENTS: Readonly<Record<string, OnceUse>> = {
  query: 'plain',
  explain: 'plain',
  empty: 'plain',
  insert: 'committed',
  update: 'committed',
  delete: 'committed',
  merge: 'committed',
};

/** Longer requests are digested in slices. */
const AT_ONCE_CHARACTERS = 64 * 1_024;
const STEP_CHARACTERS = 256 * 1_024;

type KeyOptions = Pick<PipelineOptions, 'clock' | 'idempotencyKeepMs' | 'serviceName' | 'digests'>;

/** Returns the key of a request with the header. Throws IDEMPOTENCY_KEY_INVALID. */
export function keyOf(
  request: RawRequest,
  command: string,
  caller: Caller,
  { clock, idempotencyKeepMs: keepMs, serviceName, digests }: KeyOptions,
): MaybePromise<IdempotencyKey> {
  const sent = checkedKey(request.header(IDEMPOTENCY_KEY) ?? '');
  const expiresAtMs = Math.floor(clock.nowMs()) + keepMs;
  const owner = ownerOf(caller);
  const claimant = caller.user === '' ? `network ${networkOf(request.peerAddress())}` : `user ${caller.user}`;
  const scope = `${owner.length}:${owner}${sent}`;
  const id = digest(scope);
  const names = sortedNames(request.params, serviceName);
  // The key itself is part of the digest, so that nobody who reads the file can guess a password in the request.
  let text = `${scope.length}:${scope}${command.length}:${command}`;
  for (const name of names) text += partOf(name, request.params);
  // The parts of a long text are joined only when it is read.
  if (text.length <= AT_ONCE_CHARACTERS) return { id, fingerprint: digest(text), claimant, expiresAtMs };
  const work = new GeneratorWork(digestInSteps([scope, command], names, request.params));
  return digests
    .enqueue(request.signal(), (run) => run(work))
    .then(() => ({ id, fingerprint: work.result ?? '', claimant, expiresAtMs }));
}

/** Returns what the digest of a request has of a parameter. */
function partOf(name: string, params: ReadonlyMap<string, string>): string {
  const value = params.get(name) ?? '';
  return `${name.length}:${name}${value.length}:${value}`;
}

/** Reports whether a name is that of the command or of credentials, which do not distinguish requests. */
function isNoParameter(name: string, serviceName: string): boolean {
  if (name === 'cmd' || name === 'sessionToken') return true;
  return name.startsWith(serviceName) && credentialNames(serviceName).includes(name);
}

/** Returns the key of a command of a batch, which stands for its part of that request. */
export function keyOfCommand(key: IdempotencyKey, index: number): IdempotencyKey {
  return { ...key, id: `${key.id}/${index}` };
}

const QUOTE = 0x22;

/** Returns the key in a header, which may be quoted (RFC 9651 3.3.3). */
function checkedKey(header: string): string {
  const quoted = header.charCodeAt(0) !== QUOTE ? undefined : /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(.)/g, '$1');
  if (key.length > 0 && key.length <= IDEMPOTENCY_KEY_CHARACTERS && /^[\x20-\x7e]+$/.test(key)) return key;
  throw fail('IDEMPOTENCY_KEY_INVALID', IDEMPOTENCY_KEY_CHARACTERS);
}

/** More names are sorted by the runtime, which takes longer for a few. */
const FEW_NAMES = 16;

/** Returns the names of the parameters that distinguish requests, in an order that does not depend on theirs. */
function sortedNames(params: ReadonlyMap<string, string>, serviceName: string): readonly string[] {
  const names: string[] = [];
  for (const name of params.keys()) {
    if (isNoParameter(name, serviceName)) continue;
    let at = names.length;
    names.push(name);
    if (params.size > FEW_NAMES) continue;
    for (let former = names[at - 1]; former !== undefined && former > name; former = names[at - 1]) {
      names[at--] = former;
    }
    names[at] = name;
  }
  return params.size > FEW_NAMES ? names.sort() : names;
}

/** 128 bits: enough that nobody finds two requests with the same digest. */
const DIGEST_BYTES = 16;
const hash = new Uint8Array(Bun.SHA256.byteLength);
const hashBytes = Buffer.from(hash.buffer);

/** Returns 128 bits of SHA-256. `Bun.CryptoHasher.hash` returns the same, but takes three times as long. */
function digest(text: string): string {
  Bun.SHA256.hash(text, hash);
  return hashBytes.toString('base64url', 0, DIGEST_BYTES);
}

function* digestInSteps(
  first: readonly string[],
  names: readonly string[],
  params: ReadonlyMap<string, string>,
): Generator<undefined, string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const part of first) hasher.update(`${part.length}:${part}`);
  for (const name of names) {
    const value = params.get(name) ?? '';
    hasher.update(`${name.length}:${name}${value.length}:`);
    for (let at = 0; at < value.length; at += STEP_CHARACTERS) {
      hasher.update(value.slice(at, at + STEP_CHARACTERS));
      yield;
    }
  }
  return hasher.digest().toString('base64url', 0, DIGEST_BYTES);
}
