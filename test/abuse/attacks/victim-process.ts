/**
 * Runs the client that must not notice an attack. It reads an entry and the health of the service, and a fixed answer
 * of a bare server of the same runtime, all at the same fixed rate. It responds to each message of its parent with the
 * latencies measured since the last one.
 */
import { openConnection } from '../../system/http-connection.ts';
import type { LaneReport, VictimReport } from './victim.ts';

const [servicePort = 0, barePort = 0] = process.argv.slice(2).map(Number);
/** Interval between requests of a connection, in milliseconds. */
const INTERVAL_MS = 40;
const CONNECTIONS = 4;

class Lane {
  readonly #port: number;
  readonly #target: string;
  #latenciesMs: number[] = [];
  #failures: string[] = [];
  #sinceMs = 0;
  /** Due times of the requests that have not been answered, by connection. */
  readonly #pendingMs = new Map<number, number>();

  constructor(port: number, target: string) {
    this.#port = port;
    this.#target = target;
    for (let number = 0; number < CONNECTIONS; number++) void this.#run(number);
  }

  /** Sends at fixed times. The latency of a request that waits for a slow answer counts from the time it was due. */
  async #run(number: number): Promise<void> {
    let connection = await openConnection(this.#port);
    for (let dueMs = performance.now() + (number * INTERVAL_MS) / CONNECTIONS; ; dueMs += INTERVAL_MS) {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      // The last report has counted what was due before it.
      dueMs = Math.max(dueMs, this.#sinceMs);
      const startMs = waitMs > 0 ? performance.now() : dueMs;
      this.#pendingMs.set(number, startMs);
      try {
        const { status } = await connection.send(`GET ${this.#target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        if (status !== 200) this.#failures.push(`status ${status}`);
      } catch (error) {
        this.#failures.push(String(error));
        connection.close();
        connection = await openConnection(this.#port);
      }
      this.#pendingMs.delete(number);
      // The last report has counted what was due before it.
      if (startMs >= this.#sinceMs) this.#latenciesMs.push(performance.now() - startMs);
    }
  }

  report(): LaneReport {
    const nowMs = performance.now();
    for (const startMs of this.#pendingMs.values()) {
      for (let dueMs = Math.max(startMs, this.#sinceMs); dueMs < nowMs; dueMs += INTERVAL_MS) {
        this.#latenciesMs.push(nowMs - dueMs);
      }
    }
    const sorted = this.#latenciesMs.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const times = { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
    const report = { requests: sorted.length, ...times, failures: this.#failures.slice(0, 3) };
    this.#latenciesMs = [];
    this.#failures = [];
    this.#sinceMs = nowMs;
    return report;
  }
}

const gets = new Lane(servicePort, '/svc?cmd=get&cacheName=victims&key=a');
const live = new Lane(servicePort, '/health/live');
const bare = new Lane(barePort, '/svc');

process.on('message', () => {
  process.send?.({ gets: gets.report(), live: live.report(), bare: bare.report() } satisfies VictimReport);
});
