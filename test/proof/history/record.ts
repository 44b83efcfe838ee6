/**
 * Records what clients of a running service see: for each operation on a key, the times of its call and its return, and
 * its result. The lines are those that `checker/main.go` reads.
 */
import { rmSync } from 'node:fs';
import { Random } from '../../simulation/random.ts';
import { openConnection } from '../../system/http-connection.ts';
import { freePort, newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { BUSY } from '../busy.ts';
import { KEYS_PER_KIND, type KeyOperation, nextRequest, type Request } from './operations.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Operations on a key that are recorded, at least. */
  readonly operations: number;
  readonly clients: number;
  /** HTTP threads. */
  readonly workers: number;
  /** Number of times that the service is killed and restarted. */
  readonly kills: number;
  /** File that the history is written to. */
  readonly path: string;
}

export interface HistoryResult {
  readonly operations: number;
  /** Operations that were not answered because of a kill. */
  readonly unanswered: number;
  /** Requests that were rejected because the machine was too slow for them; they have no effect. */
  readonly busy: number;
  /** Requests with an idempotency key that were sent again, after a kill or at once. */
  readonly sentAgain: number;
  readonly seconds: number;
}

/** Part of the requests that have an idempotency key, and of those that are sent again at once. */
const KEYED = 0.3;
const SENT_AGAIN = 0.1;

/** A request with an idempotency key that a kill has left without an answer. */
interface Unanswered {
  readonly request: Request;
  readonly idempotencyKey: string;
  /** When it was first sent. */
  readonly call: number;
}

/** Operations on each key before new keys take over: the search for one key stays short. */
const OPERATIONS_PER_KEY = 250;
const KINDS = 3;

export async function recordHistory(options: HistoryOptions): Promise<HistoryResult> {
  const dataDir = newFolder();
  try {
    return await new Recording(options, dataDir).run();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Recording {
  readonly #options: HistoryOptions;
  readonly #dataDir: string;
  readonly #port = freePort();
  readonly #file: Bun.FileSink;
  readonly #seen = new Map<string, string>();
  #recorded = 0;
  #unanswered = 0;
  #busy = 0;
  #sentAgain = 0;
  /** By client. */
  readonly #retries = new Map<number, Unanswered>();
  #sent = 0;
  #epoch = 1;
  #leftInEpoch = KINDS * KEYS_PER_KIND * OPERATIONS_PER_KEY;

  constructor(options: HistoryOptions, dataDir: string) {
    this.#options = options;
    this.#dataDir = dataDir;
    // The writer does not truncate the file of a longer earlier run.
    rmSync(options.path, { force: true });
    this.#file = Bun.file(options.path).writer({ highWaterMark: 1 << 20 });
  }

  async run(): Promise<HistoryResult> {
    const { clients, kills, operations } = this.#options;
    const begunMs = performance.now();
    let service = await this.#start();
    try {
      const qry = 'CREATE TABLE R (k INT PRIMARY KEY, v VARCHAR) WITH "CACHE_NAME=r,WRAP_VALUE=false"';
      await service.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(qry)}`);
      for (let part = 1; part <= kills + 1; part++) {
        const goal = (operations * part) / (kills + 1);
        const isLast = part > kills;
        const load = Promise.all(Array.from({ length: clients }, (_, client) => this.#client(client, goal, isLast)));
        if (isLast) {
          await load;
          break;
        }
        while (this.#recorded < goal) await Bun.sleep(5);
        await service.kill();
        await load;
        service = await this.#start();
      }
    } finally {
      await service.kill();
      await this.#file.end();
    }
    const seconds = (performance.now() - begunMs) / 1000;
    return {
      operations: this.#recorded,
      unanswered: this.#unanswered,
      busy: this.#busy,
      sentAgain: this.#sentAgain,
      seconds,
    };
  }

  #start(): Promise<ServiceProcess> {
    const env = { SVC_WORKERS: String(this.#options.workers) };
    return startService({ dataDir: this.#dataDir, port: this.#port, env });
  }

  /** Sends requests until the goal is reached (`stops`) or the connection ends. */
  async #client(client: number, goal: number, stops: boolean): Promise<void> {
    const random = new Random(this.#options.seed * 7919 + this.#sent + client);
    const connection = await openConnection(this.#port);
    try {
      while (!stops || this.#recorded < goal) {
        const retry = this.#retries.get(client);
        const request = retry?.request ?? this.#next(random);
        const isKeyed = request.keys.some(({ operation }) => operation !== 'read') && random.fraction() < KEYED;
        const idempotencyKey = retry?.idempotencyKey ?? (isKeyed ? `history-${this.#sent}` : undefined);
        const query = new URLSearchParams(request.params).toString();
        const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
        // A request that is sent again is one operation, from the first call on.
        const call = retry?.call ?? Bun.nanoseconds();
        const reply = await connection.sendCommand(query, headers).catch(() => undefined);
        const end = Bun.nanoseconds();
        if (reply === undefined) {
          if (stops) throw new Error('the service closed a connection');
          if (idempotencyKey === undefined) this.#recordUnanswered(request, client, call);
          else this.#retries.set(client, { request, idempotencyKey, call });
          return;
        }
        if (BUSY.test(reply.error ?? '')) {
          this.#busy += 1;
          continue;
        }
        if (this.#retries.delete(client)) this.#sentAgain += 1;
        const results = request.results(reply);
        request.keys.forEach((key, index) => {
          this.#write(key, client, call, end, results[index] ?? null);
        });
        if (idempotencyKey === undefined || reply.successStatus !== 0 || random.fraction() >= SENT_AGAIN) continue;
        const again = await connection.sendCommand(query, headers).catch(() => undefined);
        if (again === undefined) {
          if (stops) throw new Error('the service closed a connection');
          return;
        }
        this.#sentAgain += 1;
        if (!again.replayed || request.results(again).join() !== results.join()) {
          throw new Error(`${query} was answered otherwise when it was sent again: ${JSON.stringify(again)}`);
        }
      }
    } finally {
      connection.close();
    }
  }

  #next(random: Random): Request {
    this.#sent += 1;
    const request = nextRequest({
      random,
      epoch: this.#epoch,
      fresh: this.#sent.toString(36),
      seen: (key) => this.#seen.get(key) ?? '?',
    });
    this.#leftInEpoch -= request.keys.length;
    if (this.#leftInEpoch <= 0) {
      this.#epoch += 1;
      this.#leftInEpoch = KINDS * KEYS_PER_KIND * OPERATIONS_PER_KEY;
      this.#seen.clear();
    }
    return request;
  }

  /** A change without an answer may have happened or not; a read without one has no effect. */
  #recordUnanswered(request: Request, client: number, call: number): void {
    for (const key of request.keys) {
      if (key.operation === 'read') continue;
      this.#unanswered += 1;
      this.#write(key, client, call, -1, null);
    }
  }

  #write(of: KeyOperation, client: number, call: number, end: number, result: string | null): void {
    const { key, operation, argument = null, expected = null } = of;
    this.#recorded += 1;
    if (operation === 'read' && result !== null) this.#seen.set(key, result);
    else if (argument !== null) this.#seen.set(key, argument);
    const texts = [argument, expected, result].map((text) => JSON.stringify(text));
    this.#file.write(`${[key, client, call, end, operation, ...texts].join('\t')}\n`);
  }
}
