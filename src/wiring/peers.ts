/**
 * Several services in front of one cluster: a cursor lives in the process that opened it, and its id carries that
 * process's tag. Each process leaves its address under its tag in the cluster; whoever is asked for a page of a cursor
 * of another asks there, with the client's own parameters and credentials, and passes the answer on.
 */
import { type Clock, randomBytes, type Timer } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { findCommand } from '../commands/registry.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Records } from '../grid/grid.ts';
import { addressesOf } from '../http/ports.ts';
import type { Log } from '../service/monitoring/log.ts';
import type { ProcessMetrics } from '../service/monitoring/process-metrics.ts';
import type { CommandService, Identity, Outcome, RawRequest } from '../service/request.ts';
import type { OpenEngine } from './engine.ts';

/** Ids of cursors: the tag above, a counter of 32 bits below. */
const COUNTER_SPAN = 2 ** 32;
const TAGS = 2 ** 21;
/** An address that is not renewed is forgotten. */
const ADDRESS_TTL_MS = 60_000;
const RENEWAL_MS = 15_000;
const ANSWER_LIMIT_MS = 60_000;
/** Marks what was passed on once: it goes no further. */
const PASSED_ON = 'x-svc-passed-on';
const HEADERS = ['authorization', 'accept', 'x-signature'];
/** Where the response begins in the envelope of a success; behind it comes only the closing brace. */
const RESPONSE = '"error":null,"response":';

/** A tag for the cursors of this process: chance keeps those of several apart. */
export function newCursorTag(): number {
  return new DataView(randomBytes(4).buffer).getUint32(0) % TAGS;
}

export interface PeerOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly tag: number;
  readonly onFailure: (error: unknown) => void;
}

export class Peers {
  readonly #options: PeerOptions;
  #timer: Timer | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Leaves this process's address in the cluster from now on; `url` is its endpoint as others reach it. */
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

  /** The service, which asks other processes for pages of their cursors. */
  inFrontOf(service: CommandService): CommandService {
    return {
      ...service,
      execute: (request, identity) => {
        const tag = this.#foreignTag(request);
        return tag === undefined ? service.execute(request, identity) : this.#ask(tag, request, service, identity);
      },
    };
  }

  /** The tag of another process whose cursor the request is about. */
  #foreignTag(request: RawRequest): number | undefined {
    const { cmd, params } = request;
    const parameter = cmd === undefined ? undefined : findCommand(cmd)?.cursor;
    if (parameter === undefined) return undefined;
    const id = Number(params.get(parameter));
    if (!Number.isSafeInteger(id) || id < 0) return undefined;
    const tag = Math.floor(id / COUNTER_SPAN);
    return tag === this.#options.tag || request.header(PASSED_ON) !== null ? undefined : tag;
  }

  async #ask(
    tag: number,
    request: RawRequest,
    service: CommandService,
    identity: Identity | undefined,
  ): Promise<Outcome> {
    let url: string | undefined;
    try {
      url = await this.#options.records.get('setting', idOf(tag));
    } catch {
      // The cluster is not reachable or inactive: the service says so in its own order.
    }
    if (url === undefined) return service.execute(request, identity);
    try {
      return await passOn(url, request);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refusal(request.params.get('qryId') ?? '', url, reason);
    }
  }
}

function idOf(tag: number): string {
  return `peer/${tag}`;
}

async function passOn(url: string, request: RawRequest): Promise<Outcome> {
  const headers = new Headers({ [PASSED_ON]: '1' });
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== null) headers.set(name, value);
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams([...request.params]),
    redirect: 'error',
    signal: AbortSignal.any([request.signal(), AbortSignal.timeout(ANSWER_LIMIT_MS)]),
  });
  const text = await answer.text();
  const contentType = answer.headers.get('content-type') ?? '';
  const plain = { http: answer.status, affinityNodeId: undefined, sessionToken: null, securitySubjectId: null };
  if (!contentType.startsWith('application/json')) {
    return { ...plain, successStatus: 0, error: null, response: text, contentType };
  }
  const { successStatus, error, sessionToken, securitySubjectId } = JSON.parse(text) as Outcome;
  // The text itself: a long must not pass through a double.
  const at = error === null ? text.indexOf(RESPONSE) : -1;
  const response = at < 0 ? 'null' : text.slice(at + RESPONSE.length, text.lastIndexOf('}'));
  return { ...plain, successStatus, error, response, sessionToken, securitySubjectId };
}

function refusal(queryId: string, url: string, reason: string): Outcome {
  const { message, entry } = fail('QUERY_ELSEWHERE', queryId, url, reason);
  return {
    successStatus: entry.status,
    http: 200,
    error: message,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}

/** Undefined where no other service can have cursors, and where nothing of ours may come into being in the cluster. */
export function peersOf(
  { compatibility, authentication }: Configuration,
  { grid, cursorTag }: OpenEngine,
  clock: Clock,
  log: Log,
): Peers | undefined {
  if (cursorTag === undefined || (compatibility === 'reference' && !authentication)) return undefined;
  const onFailure = (error: unknown): void =>
    log.warn('The address for other services could not be left in the cluster', { detail: String(error) });
  return new Peers({ records: grid.records, clock, tag: cursorTag, onFailure });
}

/** The endpoint as other machines reach it. */
export function reachableUrl(url: string, host: string, machine: ProcessMetrics): string {
  const reachable = new URL(url);
  const [address] = addressesOf(host).some((each) => each === '0.0.0.0' || each === '::')
    ? machine.networkAddresses().filter((each) => !each.startsWith('127.') && each !== '::1')
    : [];
  if (address !== undefined) reachable.hostname = address.includes(':') ? `[${address}]` : address;
  return reachable.href;
}
