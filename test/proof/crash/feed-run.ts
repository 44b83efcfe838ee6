/**
 * Kills a service under a load of writes (puts, removals, atomic batches, entries that expire, definitions and rows of
 * a table) to caches with a change feed, again and again, while a consumer follows the feed and resumes at its last
 * position. Every commit must be in the feed once, in order: the positions have no gap and no repetition, each
 * acknowledged write was delivered, each client's writes are in the order in which it sent them, each change has the
 * previous value as its old value, and the changes lead to the contents of the cache.
 */
import { rmSync } from 'node:fs';
import { Random } from '../../simulation/random.ts';
import { changeEvents, eventsUpToNow, type StreamEvent } from '../../system/change-feed/change-stream.fixture.ts';
import { type HttpConnection, openConnection } from '../../system/http-connection.ts';
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

/** The table that is created, altered and dropped again and again. */
const TABLE_CACHE = 'SQL_PUBLIC_D';
const DEFINITIONS = [
  'CREATE TABLE IF NOT EXISTS d (id INT PRIMARY KEY, v VARCHAR) WITH "CHANGE_FEED=true"',
  "MERGE INTO d (id, v) VALUES (1, 'a'), (2, 'b')",
  'CREATE INDEX IF NOT EXISTS d_v ON d (v)',
  'DELETE FROM d WHERE id = 1',
  'DROP TABLE d',
];
/** Time to live of some entries, and time until the last of them is removed, on a busy machine. */
const TTL_MS = 20;
const EXPIRED_LIMIT_MS = 30_000;
/** Time until a service under load acknowledges a write. */
const LOAD_LIMIT_MS = 20_000;

/** Sends requests until the connection ends. `next` sends one. */
async function untilClosed(port: number, next: (connection: HttpConnection) => Promise<void>): Promise<void> {
  const connection = await openConnection(port);
  try {
    for (;;) await next(connection);
  } catch (error) {
    if (!/closed/.test(String(error))) throw error;
  } finally {
    connection.close();
  }
}

async function send(connection: HttpConnection, params: Readonly<Record<string, string>>): Promise<void> {
  const { successStatus, error } = await connection.sendCommand(queryOf(params));
  if (successStatus !== 0) throw new Error(`${params.cmd} fails: ${error}`);
}

/** Changes definitions and rows of a table one after another. */
function define(port: number): Promise<void> {
  let step = 0;
  return untilClosed(port, async (connection) => {
    const qry = DEFINITIONS[step % DEFINITIONS.length] ?? '';
    // After a kill, the table may or may not exist already.
    const { error } = await connection.sendCommand(queryOf({ cmd: 'qryfldexe', pageSize: '1', qry }));
    if (error !== null && !/not found/i.test(error)) throw new Error(`${qry} fails: ${error}`);
    step++;
  });
}

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
  run(port: number): Promise<void> {
    return untilClosed(port, async (connection) => {
      const [cacheName, key] = [CACHE, this.#key()];
      const kind = this.#random.fraction();
      if (kind < 0.1) {
        await send(connection, { cmd: 'rmv', cacheName, key });
        // There may have been nothing to remove.
        return;
      }
      if (kind < 0.2) {
        const commands = [this.#put(key), this.#put(this.#key()), { cmd: 'rmv', cacheName, key: this.#key() }];
        await send(connection, { cmd: 'batch', atomic: 'true', commands: JSON.stringify(commands) });
      } else {
        const ttl = kind < 0.3 ? { ttlMs: String(TTL_MS) } : {};
        await send(connection, { ...this.#put(key), ...ttl });
      }
      this.lastAcknowledged = this.#sent;
      this.acknowledged++;
    });
  }

  #key(): string {
    return `${this.id}-${this.#random.below(KEYS)}`;
  }

  #put(key: string): Readonly<Record<string, string>> {
    return { cmd: 'put', cacheName: CACHE, key, val: `${this.id}:${++this.#sent}` };
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
  /** Whether the table exists. */
  #isDefined = false;

  async follow(url: string, follows: boolean): Promise<void> {
    const query = { cacheName: '*', from: this.#position, follow: String(follows), oldValue: 'true' };
    try {
      const events = follows ? changeEvents(url, query) : await eventsUpToNow(url, query);
      for await (const event of events) this.#receive(event, follows);
    } catch (error) {
      if (!follows || !/closed|ECONN|reset|terminated/i.test(String(error)))
        this.wrong.push(`the stream fails: ${error}`);
    }
  }

  #receive(change: StreamEvent, follows: boolean): void {
    const { event, position } = change;
    if (event === 'end' && !follows) return;
    const number = Number(position?.split('.')[1]);
    if (event !== 'change') {
      if (number !== this.#number) this.wrong.push(`${event} at ${number} after ${this.#number}`);
      return;
    }
    if (number !== this.#number + 1) this.wrong.push(`change ${number} after ${this.#number}`);
    this.#number = number;
    this.#position = position ?? '';
    this.delivered++;
    if (change.cache === TABLE_CACHE) this.#noteTable(change);
    else if (change.key !== undefined) this.#noteEntry(change);
  }

  /** The table exists exactly from its creation to its end. */
  #noteTable({ position, operation }: StreamEvent): void {
    const isCreated = operation === 'cacheCreated';
    if (isCreated === this.#isDefined) this.wrong.push(`${operation} at ${position}, defined: ${this.#isDefined}`);
    this.#isDefined = operation !== 'cacheDestroyed';
  }

  #noteEntry({ position, operation = '', key, value, oldValue }: StreamEvent): void {
    const name = String(key);
    const former = this.contents.get(name);
    if (oldValue !== former) this.wrong.push(`${position}: ${name} was ${former}, but ${oldValue} by the change`);
    const expected = former === undefined ? ['created'] : ['updated', 'removed', 'expired'];
    if (!expected.includes(operation)) this.wrong.push(`${position}: ${name} was ${operation} after ${former}`);
    if (value === undefined) {
      this.contents.delete(name);
      return;
    }
    this.contents.set(name, String(value));
    const [client = 0, number = 0] = String(value).split(':').map(Number);
    const before = this.last.get(client) ?? 0;
    if (number <= before) this.wrong.push(`client ${client}: write ${number} after ${before}`);
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
        const load = Promise.all([define(service.port), ...writers.map((writer) => writer.run(service.port))]);
        await Promise.race([load, underLoad(writers, 100 + random.below(400))]);
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

/** Waits until a write was acknowledged, which takes a while on a busy machine, and then for a time. */
async function underLoad(writers: readonly Writer[], ms: number): Promise<void> {
  const sum = (): number => writers.reduce((total, { acknowledged }) => total + acknowledged, 0);
  const before = sum();
  const endMs = performance.now() + LOAD_LIMIT_MS;
  while (sum() === before && performance.now() < endMs) await Bun.sleep(5);
  await Bun.sleep(ms);
}

/** Compares the result of the changes with the contents of the cache, after expired entries have been removed. */
async function compareContents(service: ServiceProcess, consumer: Consumer): Promise<void> {
  const endMs = performance.now() + EXPIRED_LIMIT_MS;
  for (;;) {
    const differences = differencesOf(await storedEntries(service), consumer.contents);
    if (differences.length === 0) return;
    if (performance.now() > endMs) {
      consumer.wrong.push(...differences);
      return;
    }
    await Bun.sleep(TTL_MS);
    await consumer.follow(service.url, false);
  }
}

async function storedEntries({ url }: ServiceProcess): Promise<ReadonlyMap<string, string>> {
  const response = await fetch(`${url}?${queryOf({ cmd: 'export', cacheName: CACHE })}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const { key, value } = JSON.parse(line) as { readonly key: string; readonly value: string };
      return [key, value];
    }),
  );
}

function differencesOf(stored: ReadonlyMap<string, string>, changed: ReadonlyMap<string, string>): string[] {
  return [...new Set([...stored.keys(), ...changed.keys()])]
    .filter((key) => stored.get(key) !== changed.get(key))
    .map((key) => `${key} is ${stored.get(key)}, but ${changed.get(key)} by the changes`);
}
