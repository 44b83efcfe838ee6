/**
 * Clients that read and write while the primary of two services is killed, stopped, or suspended, again and again.
 * Their history is written for the checker of linearizability: whoever takes over must have everything that was
 * acknowledged.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceProcess } from '../../system/service-process.ts';
import { type Pair, resume } from './failover-pair.ts';

export type Fault = 'kill' | 'hand over' | 'suspend';

export interface RunOptions {
  readonly pair: Pair;
  readonly faults: readonly Fault[];
  readonly clients: number;
  readonly keys: number;
  readonly leaseMs: number;
}

export interface RunResult {
  readonly path: string;
  readonly writes: number;
  readonly reads: number;
  /** Writes of which it is not known whether they were made. */
  readonly unknown: number;
  /** Time from each fault to the next write that was acknowledged, in ms. */
  readonly outagesMs: readonly number[];
}

type Line = readonly [
  key: string,
  client: number,
  call: number,
  end: number,
  name: string,
  ...args: Array<string | null>,
];

const REQUEST_MS = 10_000;
const PAUSE_MS = 20;

class Clients {
  readonly lines: Line[] = [];
  readonly #pair: Pair;
  readonly #options: RunOptions;
  writes = 0;
  reads = 0;
  unknown = 0;
  lastWriteMs = 0;
  #isStopped = false;
  #values = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#pair = options.pair;
  }

  async run(client: number): Promise<void> {
    for (let at = client; !this.#isStopped; at++) {
      const key = `k${at % this.#options.keys}`;
      if (at % 3 === 0) await this.#read(client, key);
      else await this.#write(client, key);
    }
  }

  /** Reads every key once more, so that what was lost at the end is found, too. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    for (let key = 0; key < this.#options.keys; key++) {
      while (!(await this.#read(this.#options.clients, `k${key}`))) await Bun.sleep(PAUSE_MS);
    }
  }

  async #read(client: number, key: string): Promise<boolean> {
    const call = nowNs();
    const answer = await this.#send(`cmd=get&key=${key}`);
    if (answer === undefined || answer.successStatus !== 0) {
      await Bun.sleep(PAUSE_MS);
      return false;
    }
    this.lines.push([key, client, call, nowNs(), 'read', null, null, textOf(answer.response)]);
    this.reads++;
    return true;
  }

  async #write(client: number, key: string): Promise<void> {
    const value = `v${++this.#values}`;
    const call = nowNs();
    const answer = await this.#send(`cmd=put&key=${key}&val=${value}`);
    if (answer?.successStatus === 0) {
      this.lines.push([key, client, call, nowNs(), 'put', value, null, 'true']);
      this.writes++;
      this.lastWriteMs = performance.now();
      return;
    }
    // A standby has not executed it.
    if (answer?.code !== 'STANDBY') {
      this.lines.push([key, client, call, -1, 'put', value, null, null]);
      this.unknown++;
    }
    await Bun.sleep(PAUSE_MS);
  }

  /** Sends a request to the primary, as far as it is known. Returns undefined without an answer. */
  async #send(query: string): Promise<{ successStatus: number; response: unknown; code: string } | undefined> {
    const service = this.#chosen();
    try {
      const answer = await fetch(`${service.url}?${query}`, { signal: AbortSignal.timeout(REQUEST_MS) });
      const body = (await answer.json()) as { successStatus: number; response: unknown };
      const code = answer.headers.get('Error-Code') ?? '';
      if (code !== '') this.#leave(service);
      return { ...body, code };
    } catch {
      this.#leave(service);
      return undefined;
    }
  }

  #at = 0;

  /** Has the clients go on with the other service, once for all of them that fail at the same time. */
  #leave(service: ServiceProcess): void {
    if (service === this.#chosen()) this.#at++;
  }

  #chosen(): ServiceProcess {
    const { services } = this.#pair;
    const service = services[this.#at % services.length];
    if (service === undefined) throw new Error('there is no service');
    return service;
  }
}

function nowNs(): number {
  return Math.round(performance.now() * 1_000_000);
}

function textOf(response: unknown): string | null {
  return response === null ? null : String(response);
}

/** Starts the services, and runs clients through the faults. */
export async function runFaults(options: RunOptions): Promise<RunResult> {
  const { pair, faults, leaseMs } = options;
  await pair.start('a');
  await pair.untilPrimary('a');
  await pair.start('b');
  await pair.untilFollowing('b');
  const clients = new Clients(options);
  const running = Array.from({ length: options.clients }, (_, client) => clients.run(client));
  const outagesMs: number[] = [];
  let primary: 'a' | 'b' = 'a';
  for (const [at, fault] of faults.entries()) {
    await Bun.sleep(500 + ((at * 137) % 400));
    const other: 'a' | 'b' = primary === 'a' ? 'b' : 'a';
    const service = pair.service(primary);
    const beganMs = performance.now();
    if (fault === 'kill') await service.kill();
    else if (fault === 'hand over') await service.stop();
    else process.kill(service.pid, 'SIGSTOP');
    await pair.untilPrimary(other);
    while (clients.lastWriteMs < beganMs) await Bun.sleep(PAUSE_MS);
    outagesMs.push(Math.round(clients.lastWriteMs - beganMs));
    if (fault === 'suspend') {
      await Bun.sleep(((at * 311) % 3) * leaseMs);
      resume(service.pid);
    } else await pair.start(primary);
    await pair.untilFollowing(primary);
    primary = other;
  }
  await clients.finish();
  await Promise.all(running);
  const path = join(pair.root, 'history.tsv');
  const texts = clients.lines.map(([key, client, call, end, name, ...rest]) =>
    [key, client, call, end, name, ...rest.map((text) => JSON.stringify(text))].join('\t'),
  );
  writeFileSync(path, `${texts.join('\n')}\n`);
  const { writes, reads, unknown } = clients;
  return { path, writes, reads, unknown, outagesMs };
}
