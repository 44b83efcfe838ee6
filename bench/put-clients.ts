/** Clients that put entries while a program measures something else, and the latencies that they see. */
import { medianOf } from './load.ts';
import { percentile } from './process-usage.ts';
import type { MeasuredServer } from './servers.ts';
import { keysOf, valueText, type Workload } from './workload.ts';

/** Pause before and after the measured period; not measured. */
const SETTLE_MS = 300;

/** Clients that each send a put after the response to the previous one, from the start to the end of the program. */
export class PutClients {
  #latenciesMs: number[] = [];
  #next = 0;
  readonly #sockets: Bun.Socket[] = [];
  readonly #workload: Workload;
  readonly #key: () => number;

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#key = keysOf(workload);
  }

  async start(server: MeasuredServer, connections: number): Promise<void> {
    for (let at = 0; at < connections; at++) await this.#connect(server);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Returns the latencies since the previous call. */
  take(): number[] {
    const taken = this.#latenciesMs;
    this.#latenciesMs = [];
    return taken;
  }

  async #connect({ port, path }: MeasuredServer): Promise<void> {
    let sentMs = 0;
    const send = (socket: Bun.Socket): void => {
      const value = valueText(this.#next++, this.#workload);
      const query = `cmd=put&cacheName=durable&key=${this.#key()}&val=${value}`;
      sentMs = performance.now();
      socket.write(`GET ${path}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    };
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: send,
        data: (socket, bytes) => {
          if (!bytes.includes('"successStatus":0')) throw new Error(bytes.toString());
          this.#latenciesMs.push(performance.now() - sentMs);
          send(socket);
        },
      },
    });
    this.#sockets.push(socket);
  }
}

/** The puts of one turn. */
export interface PutPhase {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measures the puts of a period, after they have settled. */
export async function measurePuts(puts: PutClients, phaseMs: number): Promise<PutPhase> {
  await Bun.sleep(SETTLE_MS);
  puts.take();
  const startMs = performance.now();
  await Bun.sleep(phaseMs);
  const seconds = (performance.now() - startMs) / 1000;
  const latencies = puts.take().sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** Returns the medians of several turns as one line. */
export function shownPuts(title: string, phases: readonly PutPhase[]): string {
  const median = (value: (phase: PutPhase) => number) => medianOf(phases.map(value));
  return (
    `${title} ${median((phase) => phase.perSecond).toFixed(0)} puts/s, ` +
    `p50 ${median((phase) => phase.p50Ms).toFixed(2)} ms, p99 ${median((phase) => phase.p99Ms).toFixed(2)} ms`
  );
}
