/**
 * Forwards requests between services of one cluster. A cursor belongs to the process that opened it, and its id
 * contains the tag of that process. Each process stores its address under its tag in the cluster. A process that
 * receives a request for another process's cursor forwards it with the client's parameters and credentials, and
 * relays the response.
 */

import { type Clock, randomBytes, type Timer } from '../base/clock.ts';
import type { ErrorObject } from '../base/error-object.ts';
import { errorText, gridError, receivedError } from '../base/errors.ts';
import { CLUSTER_BOUNDS } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { findCommand } from '../commands/registry.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { CURSOR_IDS } from '../engines/cluster/queries/cursors.ts';
import type { Records } from '../grid/grid.ts';
import { addressesOf } from '../http/ports.ts';
import { ERROR_CODE } from '../http/reply.ts';
import type { Log } from '../service/monitoring/log.ts';
import type { ProcessMetrics } from '../service/monitoring/process-metrics.ts';
import {
  type FailureForm,
  type FailureForms,
  failedOutcome,
  failureFormOf,
  httpOf,
  type Outcome,
  type RawRequest,
} from '../service/request.ts';
import type { OpenEngine } from './open-engine.ts';

/** An address that is not renewed expires. */
const ADDRESS_TTL_MS = 60_000;
const RENEWAL_MS = 15_000;
/** Marks a forwarded request, which is not forwarded again. */
const FORWARDED = 'x-svc-passed-on';
const HEADERS = ['authorization', 'accept', 'x-signature'];
/** Start of the response in a success envelope; only the closing brace follows it. */
const RESPONSE = '"error":null,"response":';

/** Returns a random tag for this process's cursors. */
export function newCursorTag(): number {
  return new DataView(randomBytes(4).buffer).getUint32(0) % CURSOR_IDS.tags;
}

export interface PeerOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly tag: number;
  readonly onFailure: (error: unknown) => void;
  /** How failures are reported to clients that do not ask for a specific form. */
  readonly failures: FailureForms;
}

export class Peers {
  readonly #options: PeerOptions;
  #timer: Timer | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Keeps this process's address stored in the cluster; `url` is its endpoint as seen from other machines. */
  async announce(url: string): Promise<void> {
    const { records, clock, tag, onFailure } = this.#options;
    const write = (): Promise<void> => records.put('setting', idOf(tag), url, clock.nowMs() + ADDRESS_TTL_MS);
    this.#timer = clock.every(RENEWAL_MS, () => void write().catch(onFailure));
    await write().catch(onFailure);
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    if (this.#timer) await this.#options.records.remove('setting', idOf(this.#options.tag)).catch(() => {});
  }

  /** Forwards a request for a cursor of another process; `here` executes any other. */
  forward(request: RawRequest, here: () => MaybePromise<Outcome>): MaybePromise<Outcome> {
    const tag = this.#foreignTag(request);
    return tag === undefined ? here() : this.#forward(tag, request, here);
  }

  /** Returns the tag of the other process that owns the cursor. */
  #foreignTag(request: RawRequest): number | undefined {
    const { cmd, params } = request;
    const parameter = cmd === undefined ? undefined : findCommand(cmd)?.cursor;
    if (parameter === undefined) return undefined;
    const id = Number(params.get(parameter));
    if (!Number.isSafeInteger(id) || id < 0) return undefined;
    const tag = Math.floor(id / CURSOR_IDS.perTag);
    return tag === this.#options.tag || request.header(FORWARDED) !== null ? undefined : tag;
  }

  async #forward(tag: number, request: RawRequest, here: () => MaybePromise<Outcome>): Promise<Outcome> {
    let url: string | undefined;
    try {
      url = await this.#options.records.get('setting', idOf(tag));
    } catch {
      // The cluster is unreachable or inactive: the service reports it after its own checks.
    }
    if (url === undefined) return here();
    const form = failureFormOf(request, this.#options.failures);
    try {
      return await forward(url, request, form);
    } catch (error) {
      const reason = errorText(error);
      const failure = gridError('QUERY_ELSEWHERE', request.params.get('qryId') ?? '', url, reason);
      return failedOutcome(failure, form.errorObjects, httpOf(failure.entry, form.httpStatus));
    }
  }
}

function idOf(tag: number): string {
  return `peer/${tag}`;
}

/** The envelope of another service. */
interface ForwardedEnvelope extends Pick<Outcome, 'successStatus' | 'sessionToken' | 'securitySubjectId'> {
  readonly error: string | ErrorObject | null;
}

async function forward(url: string, request: RawRequest, { errorObjects }: FailureForm): Promise<Outcome> {
  const prefer = [`errors=${errorObjects ? 'object' : 'text'}`, request.header('prefer')];
  const headers = new Headers({ [FORWARDED]: '1', prefer: prefer.filter((each) => each !== null).join(', ') });
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== null) headers.set(name, value);
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams([...request.params]),
    redirect: 'error',
    signal: AbortSignal.any([request.signal(), AbortSignal.timeout(CLUSTER_BOUNDS.peerMs)]),
  });
  const text = await answer.text();
  const contentType = answer.headers.get('content-type') ?? '';
  const plain = { http: answer.status, affinityNodeId: undefined, sessionToken: null, securitySubjectId: null };
  if (!contentType.startsWith('application/json')) {
    return { ...plain, successStatus: 0, error: null, response: text, contentType };
  }
  const { error, ...members } = JSON.parse(text) as ForwardedEnvelope;
  // Sliced, not parsed: a long must not pass through a double.
  const at = error === null ? text.indexOf(RESPONSE) : -1;
  const response = at < 0 ? 'null' : text.slice(at + RESPONSE.length, text.lastIndexOf('}'));
  const { successStatus, sessionToken, securitySubjectId } = members;
  const known = { ...plain, successStatus, sessionToken, securitySubjectId, response };
  if (error === null) return { ...known, error };
  const object = typeof error === 'string' ? undefined : error;
  const message = object?.message ?? String(error);
  const failure = receivedError(answer.headers.get(ERROR_CODE) ?? '', message);
  return { ...known, error: message, failure, errorObject: object };
}

/** Returns undefined if no other service can own cursors, and if the service must not create caches. */
export function peersOf(
  { compatibility, authentication, httpStatus, http: { errorObjects, json } }: Configuration,
  { grid, cursorTag }: OpenEngine,
  clock: Clock,
  log: Log,
): Peers | undefined {
  if (cursorTag === undefined || (compatibility === 'reference' && !authentication)) return undefined;
  const onFailure = (error: unknown): void =>
    log.warn('The address for other services could not be stored in the cluster', { detail: String(error) });
  return new Peers({
    records: grid.records,
    clock,
    tag: cursorTag,
    onFailure,
    failures: { httpStatus, errorObjects, json },
  });
}

/** Returns the endpoint as seen from other machines. */
export function reachableUrl(url: string, host: string, machine: ProcessMetrics): string {
  const reachable = new URL(url);
  const [address] = addressesOf(host).some((each) => each === '0.0.0.0' || each === '::')
    ? machine.networkAddresses().filter((each) => !each.startsWith('127.') && each !== '::1')
    : [];
  if (address !== undefined) reachable.hostname = address.includes(':') ? `[${address}]` : address;
  return reachable.href;
}
