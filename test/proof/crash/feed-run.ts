/**
 * Kills a service under a load of writes to a cache with a change feed, again and again, while a consumer follows the
 * feed and resumes at its last position. Every commit must be in the feed once, in order: the positions have no gap and
 * no repetition, each acknowledged write was delivered, the writes of each client in the order in which it sent them,
 * each change has the value of the one before as its old value, and the changes lead to the contents of the cache.
 */
import { rmSync } from 'node:fs';
import { Random } from '../../simulation/random.ts';
import { changeEvents, eventsUpToNow } from '../../system/change-feed/change-stream.fixture.ts';
import { openConnection } from '../../system/http-connection.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';

export interface FeedCrashOptions {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  readonly onKill?: (line: string) => void;
}

export interface FeedCrashResult {
  readonly kills: number;
  readonly acknowledged: number;
  /** Changes that the consumer has received. */
  readonly delivered: number;
  readonly wrong: readonly string[];
}

const CACHE = 'fed';
const CLIENTS = 16;
const KEYS = 8;

/** Sends writes one after another: values are numbered, so that their order is known. */
class Writer {
  readonly id: number;
  acknowledged = 0;
  /** The number of the last write that was acknowledged, and of the last one that was sent. */
  lastAcknowledged = 0;
  #sent = 0;
  readonly #random: Random;

  constructor(id: number, seed: number) {
    this.id = id;
    this.#random = new Random(seed * 1_009 + id);
  }

  /** Writes until the connection ends. */
  async run(port: number): Promise<void> {
    const connection = await openConnection(port);
    try {
      for (;;) {
        const number = ++this.#sent;
        const key = `${this.id}-${this.#random.below(KEYS)}`;
        const { successStatus, error } = await connection.sendCommand(
          queryOf({ cmd: 'put', cacheName: CACHE, key, val: `${this.id}:${number}` }),
        );
        if (successStatus !== 0) throw new Error(`put fails: ${error}`);
        this.lastAcknowledged = number;
        this.acknowledged++;
      }
    } catch (error) {
      if (!/closed/.test(String(error))) throw error;
    } finally {
      connection.close();
    }
  }
}

/** Follows the feed and checks what it receives. */
class Consumer {
  readonly wrong: string[] = [];
  readonly contents = new Map<string, string>();
  /** The number of the last write of each client. */
  readonly last = new Map<number, number>();
  delivered = 0;
  #position = 'start';
  #number = 0;

  async follow(url: string, follows: boolean): Promise<void> {
    const query = { cacheName: CACHE, from: this.#position, follow: String(follows), oldValue: 'true' };
    try {
      const events = follows ? changeEvents(url, query) : await eventsUpToNow(url, query);
      for await (const { event, position, operation, key, value, oldValue } of events) {
        if (event === 'end' && !follows) continue;
        const number = Number(position?.split('.')[1]);
        if (event !== 'change') {
          if (number !== this.#number) this.wrong.push(`${event} at ${number} after ${this.#number}`);
          continue;
        }
        if (number !== this.#number + 1) this.wrong.push(`change ${number} after ${this.#number}`);
        this.#number = number;
        this.#position = position ?? '';
        this.delivered++;
        if (operation !== 'created' && operation !== 'updated') continue;
        const former = this.contents.get(String(key));
        if (oldValue !== former)
          this.wrong.push(`change ${number}: ${key} was ${former}, but ${oldValue} by the change`);
        if (operation !== (former === undefined ? 'created' : 'updated'))
          this.wrong.push(`change ${number}: ${key} was ${operation} after ${former}`);
        this.#note(String(key), String(value));
      }
    } catch (error) {
      if (!follows || !/closed|ECONN|reset|terminated/i.test(String(error)))
        this.wrong.push(`the stream fails: ${error}`);
    }
  }

  #note(key: string, value: string): void {
    this.contents.set(key, value);
    const [client = 0, number = 0] = value.split(':').map(Number);
    const former = this.last.get(client) ?? 0;
    if (number <= former) this.wrong.push(`client ${client}: write ${number} after ${former}`);
    this.last.set(client, number);
  }
}

/** Runs the load and the kills. */
export async function runFeedCrashes(options: FeedCrashOptions): Promise<FeedCrashResult> {
  const { seed, kills, workers, onKill } = options;
  const random = new Random(seed);
  const dataDir = newFolder();
  const env = { SVC_WORKERS: String(workers) };
  const writers = Array.from({ length: CLIENTS }, (_, id) => new Writer(id, seed));
  const consumer = new Consumer();
  const checkWrites = (): void => {
    for (const { id, lastAcknowledged } of writers) {
      const last = consumer.last.get(id) ?? 0;
      if (last < lastAcknowledged)
        consumer.wrong.push(`client ${id}: write ${lastAcknowledged} is missing, ${last} is the last`);
    }
  };
  try {
    for (let kill = 0; kill < kills && consumer.wrong.length === 0; kill++) {
      const service = await startService({ dataDir, env });
      try {
        await service.command(queryOf({ cmd: 'getorcreate', cacheName: CACHE, changeFeed: 'true' }));
        const following = consumer.follow(service.url, true);
        const load = Promise.all(writers.map((writer) => writer.run(service.port)));
        await Promise.race([load, Bun.sleep(100 + random.below(400))]);
        await service.kill();
        await Promise.all([load, following]);
      } finally {
        await service.kill();
      }
      onKill?.(`kill ${kill + 1}: ${consumer.delivered} changes`);
    }
    await using service = await startService({ dataDir, env });
    await consumer.follow(service.url, false);
    checkWrites();
    await compareContents(service, consumer);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  return { kills, acknowledged, delivered: consumer.delivered, wrong: consumer.wrong };
}

/** Compares what the changes lead to with what the cache has. */
async function compareContents(service: ServiceProcess, { contents, wrong }: Consumer): Promise<void> {
  const response = await fetch(`${service.url}?${queryOf({ cmd: 'export', cacheName: CACHE })}`);
  const rows = (await response.text())
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '');
  const stored = new Map(rows.map((row) => [JSON.parse(row).key as string, JSON.parse(row).value as string]));
  if (stored.size !== contents.size) wrong.push(`the cache has ${stored.size} entries, the changes ${contents.size}`);
  for (const [key, value] of stored) {
    if (contents.get(key) !== value) wrong.push(`${key} is ${value}, but ${contents.get(key)} by the changes`);
  }
}
