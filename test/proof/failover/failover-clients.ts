/** Clients of two services, which find the primary and record its responses. */
import { writeFileSync } from 'node:fs';
import { NAMES, type Name, otherOf, type Pair } from './failover-pair.ts';

/**
 * The check of the clients. `shared`: they write the same keys, and their history is written for the checker of
 * linearizability. `owned`: each writes its own keys, and missing acknowledged changes are counted; reads may then
 * have seen what is undone later.
 */
export type LoadKind = 'shared' | 'owned';

export interface ClientsOptions {
  readonly pair: Pair;
  readonly kind: LoadKind;
  readonly clients: number;
  readonly keys: number;
  /** Whether each service is read all the time, so that two that answer are noticed. */
  readonly probes?: boolean;
  /** Pause after each answer. */
  readonly thinkMs?: number;
  /** How long to wait for a response. */
  readonly requestMs?: number;
}

/** A change that was acknowledged and is gone. */
export interface Loss {
  readonly key: string;
  readonly acknowledgedMs: number;
}

type Line = readonly [
  key: string,
  client: number,
  call: number,
  end: number,
  name: string,
  ...args: Array<string | null>,
];

interface Answer {
  readonly successStatus: number;
  readonly response: unknown;
  readonly code: string;
}

/** A key of one client: its values count up. */
interface OwnedKey {
  readonly key: string;
  sent: number;
  /** The values that were acknowledged, and when, after the last one that was read. */
  acknowledged: Array<readonly [value: number, atMs: number]>;
  /** Values that may or may not have been written, at any time. */
  readonly unknown: Set<number>;
  /** Acknowledged values that were gone once. */
  readonly lost: Set<number>;
}

const REQUEST_MS = 5_000;
const PAUSE_MS = 20;
const PROBE_MS = 40;
const PROBE_LIMIT_MS = 500;
/**
 * Operations on a key, and those without a response, before another key takes its place: the search would take too
 * long.
 */
const MAX_OPERATIONS = 300;
const MAX_UNKNOWN = 4;

export class Clients {
  readonly #pair: Pair;
  readonly #options: ClientsOptions;
  readonly #lines: Line[] = [];
  /** The current name of each key, and its previous names. */
  readonly #slots: Array<{ generation: number; operations: number; unknown: number }>;
  readonly #touched = new Set<string>();
  readonly #owned = new Map<string, OwnedKey>();
  readonly #losses: Loss[] = [];
  /** Which service answered when: its name, and the times of call and end. */
  readonly #answers: Array<readonly [name: Name, call: number, end: number]> = [];
  readonly #running: Array<Promise<void>> = [];
  readonly violations: string[] = [];
  writes = 0;
  reads = 0;
  unknown = 0;
  lastWriteMs = performance.now();
  /** The longest time between acknowledged writes since {@link watch}. */
  longestGapMs = 0;
  #isStopped = false;
  #values = 0;
  #current: Name = 'a';

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#pair = options.pair;
    this.#slots = Array.from({ length: options.keys }, () => ({ generation: 0, operations: 0, unknown: 0 }));
  }

  start(): void {
    const { clients, kind, probes = false } = this.#options;
    for (let client = 0; client < clients; client++) {
      this.#running.push(kind === 'shared' ? this.#share(client) : this.#own(client));
    }
    if (probes) for (const [at, name] of NAMES.entries()) this.#running.push(this.#probe(clients + 1 + at, name));
  }

  /** Reads every key that was written since the last time, to find losses. */
  async sweep(): Promise<void> {
    const { clients, kind } = this.#options;
    if (kind === 'shared') {
      const keys = [...this.#touched];
      this.#touched.clear();
      await this.#each(keys, (key) => this.#read(clients, key));
      return;
    }
    await this.#each([...this.#owned.values()].filter(isRetired), async (owned) => {
      if (!(await this.#check(owned))) return false;
      this.#owned.delete(owned.key);
      return true;
    });
  }

  /** Reads the current keys from one service, which has time to answer. */
  async readFrom(name: Name, limitMs: number): Promise<void> {
    const client = this.#options.clients + NAMES.length + 1;
    const keys = this.#slots.map((_, slot) => this.#keyOf(slot));
    await Promise.all(keys.map((key, at) => this.#read(client + at, key, name, limitMs)));
  }

  /** Measures again for how long no write is acknowledged. */
  watch(): void {
    this.longestGapMs = 0;
  }

  /** Returns the losses that were found since the last call. */
  takeLosses(): readonly Loss[] {
    return this.#losses.splice(0);
  }

  /** Ends the clients, whatever they have found. */
  stop(): void {
    this.#isStopped = true;
  }

  async finish(): Promise<void> {
    await this.sweep();
    this.stop();
    await Promise.all(this.#running);
    await this.sweep();
  }

  /** How often the answering service changed, in order of time. */
  alternations(): number {
    const answers = this.#answers.toSorted(([, , a], [, , b]) => a - b);
    let current: Name | undefined;
    let firstEnd = Number.POSITIVE_INFINITY;
    let count = -1;
    for (const [name, call, end] of answers) {
      if (current === name || (current !== undefined && call < firstEnd)) continue;
      current = name;
      firstEnd = end;
      count++;
    }
    return Math.max(0, count);
  }

  /** Writes the history for the checker. */
  write(path: string): void {
    const texts = this.#lines.map(([key, client, call, end, name, ...rest]) =>
      [key, client, call, end, name, ...rest.map((text) => JSON.stringify(text))].join('\t'),
    );
    writeFileSync(path, `${texts.join('\n')}\n`);
  }

  async #each<T>(items: readonly T[], action: (item: T) => Promise<boolean>): Promise<void> {
    for (const item of items) while (!(await action(item))) await Bun.sleep(PAUSE_MS);
  }

  async #share(client: number): Promise<void> {
    const { keys, thinkMs = 0 } = this.#options;
    for (let at = client; !this.#isStopped; at++) {
      const slot = at % keys;
      if (at % 3 === 0) await this.#read(client, this.#keyOf(slot));
      else await this.#write(client, slot);
      if (thinkMs > 0) await Bun.sleep(thinkMs);
    }
  }

  #keyOf(slot: number): string {
    const state = this.#slots[slot];
    if (state === undefined) return `k${slot}`;
    if (state.operations++ > MAX_OPERATIONS || state.unknown >= MAX_UNKNOWN) {
      state.generation++;
      state.operations = 0;
      state.unknown = 0;
    }
    return `k${slot}-${state.generation}`;
  }

  async #read(client: number, key: string, name?: Name, limitMs?: number): Promise<boolean> {
    const call = nowNs();
    const answer = await this.#send(`cmd=get&key=${key}`, name, limitMs);
    if (answer?.successStatus !== 0) {
      if (name === undefined) await Bun.sleep(PAUSE_MS);
      return false;
    }
    if (this.#options.kind === 'shared') {
      this.#lines.push([key, client, call, nowNs(), 'read', null, null, textOf(answer.response)]);
    }
    this.reads++;
    return true;
  }

  async #write(client: number, slot: number): Promise<void> {
    const key = this.#keyOf(slot);
    this.#touched.add(key);
    const value = `v${++this.#values}`;
    const call = nowNs();
    const answer = await this.#send(`cmd=put&key=${key}&val=${value}`);
    if (answer?.successStatus === 0) {
      this.#lines.push([key, client, call, nowNs(), 'put', value, null, 'true']);
      this.#wrote();
      return;
    }
    // A standby has not executed it.
    if (answer?.code !== 'STANDBY') {
      this.#lines.push([key, client, call, -1, 'put', value, null, null]);
      const state = this.#slots[slot];
      if (state !== undefined) state.unknown++;
      this.unknown++;
    }
    await Bun.sleep(PAUSE_MS);
  }

  #wrote(): void {
    this.writes++;
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.lastWriteMs);
    this.lastWriteMs = nowMs;
  }

  async #own(client: number): Promise<void> {
    const { keys, thinkMs = 0 } = this.#options;
    const own: OwnedKey[] = [];
    for (let at = 0; !this.#isStopped; at++) {
      const slot = at % keys;
      let owned = own[slot];
      if (owned === undefined || isRetired(owned)) {
        const key = `o${client}-${slot}-${++this.#values}`;
        owned = { key, sent: 0, acknowledged: [], unknown: new Set(), lost: new Set() };
        own[slot] = owned;
        this.#owned.set(key, owned);
      }
      if (Math.floor(at / keys) % 3 === 2) await this.#check(owned);
      else await this.#writeOwn(owned);
      if (thinkMs > 0) await Bun.sleep(thinkMs);
    }
    // The last sweep checks the rest.
    for (const each of own) each.unknown.add(0);
  }

  async #writeOwn(owned: OwnedKey): Promise<void> {
    const value = ++owned.sent;
    const answer = await this.#send(`cmd=put&key=${owned.key}&val=${value}`);
    if (answer?.successStatus === 0) {
      owned.acknowledged.push([value, performance.now()]);
      this.#wrote();
      return;
    }
    if (answer?.code !== 'STANDBY') {
      owned.unknown.add(value);
      this.unknown++;
    }
    await Bun.sleep(PAUSE_MS);
  }

  /** Reads a key of one client. Returns false without an answer. */
  async #check(owned: OwnedKey): Promise<boolean> {
    const expected = owned.acknowledged;
    owned.acknowledged = [];
    const answer = await this.#send(`cmd=get&key=${owned.key}`);
    if (answer?.successStatus !== 0) {
      owned.acknowledged = expected;
      await Bun.sleep(PAUSE_MS);
      return false;
    }
    this.reads++;
    const value = Number(answer.response ?? 0);
    if (owned.lost.has(value)) this.violations.push(`${owned.key}: ${value} was lost, and came back`);
    if (value > 0 && owned.unknown.has(value)) return true;
    const gone = expected.filter(([each]) => each > value);
    for (const [each, acknowledgedMs] of gone) {
      owned.lost.add(each);
      this.#losses.push({ key: owned.key, acknowledgedMs });
    }
    return true;
  }

  async #probe(client: number, name: Name): Promise<void> {
    for (let at = 0; !this.#isStopped; at++) {
      await this.#read(client, this.#keyOf(at % this.#options.keys), name);
      await Bun.sleep(PROBE_MS);
    }
  }

  /** Sends a request to a service, by default to the presumed primary. Undefined if there is no answer. */
  async #send(query: string, to?: Name, timeMs?: number): Promise<Answer | undefined> {
    const name = to ?? this.#current;
    const call = performance.now();
    try {
      // A request on a reused connection may be sent twice.
      const limitMs = timeMs ?? (to === undefined ? (this.#options.requestMs ?? REQUEST_MS) : PROBE_LIMIT_MS);
      const options = { signal: AbortSignal.timeout(limitMs), keepalive: false };
      const answer = await fetch(`${this.#pair.service(name).url}?${query}`, options);
      const body = (await answer.json()) as { successStatus: number; response: unknown };
      const code = answer.headers.get('Error-Code') ?? '';
      if (body.successStatus === 0) this.#answers.push([name, call, performance.now()]);
      else if (to === undefined) this.#leave(name);
      return { ...body, code };
    } catch {
      if (to === undefined) this.#leave(name);
      return undefined;
    }
  }

  /** Moves the clients to the other service, once for all of them that fail at the same time. */
  #leave(name: Name): void {
    if (name === this.#current) this.#current = otherOf(name);
  }
}

/** Whether nothing more is written under a key. */
function isRetired({ unknown }: OwnedKey): boolean {
  return unknown.size > 0;
}

function nowNs(): number {
  return Math.round(performance.now() * 1_000_000);
}

function textOf(response: unknown): string | null {
  return response === null ? null : String(response);
}
