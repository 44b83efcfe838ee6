/**
 * `npm run bench:backup [-- --pairs 30 --phase 1500 --entries 1000000 --rate BYTES --stream]`: measures puts while a
 * backup is made and while none is, in short turns, because other work on the machine changes slowly. Prints throughput
 * and latency of both and the medians of the ratios. Exits with 1 when the 99th percentile is more than twice as long.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from './process-usage.ts';
import { type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '30' },
    phase: { type: 'string', default: '1500' },
    entries: { type: 'string', default: '1000000' },
    connections: { type: 'string', default: '16' },
    rate: { type: 'string' },
    stream: { type: 'boolean', default: false },
  },
});
const entries = Number(values.entries);
const phaseMs = Number(values.phase);
const MAX_LATENCY = 2;
const BATCH = 5_000;
const VALUE_BYTES = 150;
/** Time for a backup to begin to copy, or to end; not measured. */
const SETTLE_MS = 300;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function post(server: MeasuredServer, params: Readonly<Record<string, string>>, signal?: AbortSignal) {
  const url = `http://127.0.0.1:${server.port}${server.path}`;
  return fetch(url, { method: 'POST', body: new URLSearchParams(params), ...(signal && { signal }) });
}

/** Stores entries whose values hardly compress. */
async function fill(server: MeasuredServer): Promise<void> {
  for (let start = 0; start < entries; start += BATCH) {
    const body: Record<string, string> = { cmd: 'putall', cacheName: 'durable' };
    for (let at = 1; at <= BATCH; at++) {
      body[`k${at}`] = String(start + at);
      body[`v${at}`] = Buffer.from(crypto.getRandomValues(new Uint8Array(VALUE_BYTES))).toString('base64');
    }
    const { error } = (await (await post(server, body)).json()) as { error: string | null };
    if (error !== null) throw new Error(error);
  }
}

/** Clients that each send a put after the answer to the one before, from the start to the end of the program. */
class Puts {
  #latenciesMs: number[] = [];
  #next = 0;
  readonly #sockets: Bun.Socket[] = [];

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
      const at = this.#next++;
      const query = `cmd=put&cacheName=durable&key=${(at * 7_919) % entries}&val=${'v'.repeat(VALUE_BYTES)}${at}`;
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

interface Phase {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(puts: Puts): Promise<Phase> {
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

/** Makes backups until the returned function is called. */
function repeatBackups(server: MeasuredServer, folder: string): () => Promise<void> {
  const leaving = new AbortController();
  const done = (async () => {
    while (!leaving.signal.aborted) {
      const answer = await post(server, { cmd: 'backup', stream: String(values.stream) }, leaving.signal);
      for await (const _ of answer.body ?? []);
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    }
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return async () => {
    leaving.abort();
    await done;
  };
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function shown(title: string, phases: readonly Phase[]): string {
  const median = (value: (phase: Phase) => number) => medianOf(phases.map(value));
  return (
    `${title} ${median((phase) => phase.perSecond).toFixed(0)} puts/s, ` +
    `p50 ${median((phase) => phase.p50Ms).toFixed(2)} ms, p99 ${median((phase) => phase.p99Ms).toFixed(2)} ms`
  );
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-backup-'));
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-data-'));
const pairs: Array<{ readonly idle: Phase; readonly busy: Phase }> = [];
let largestLog = 0;
try {
  await using server = await startSvc(1, '', {
    SVC_DATA_DIR: dataDir,
    SVC_BACKUP_FOLDER: folder,
    ...(values.rate !== undefined && { SVC_BACKUP_BYTES_PER_SECOND: values.rate }),
  });
  await fill(server);
  say(`${entries} entries, ${megabytes(statSync(join(dataDir, 'svc.db')).size)}, ${values.connections} connections`);
  const puts = new Puts();
  await puts.start(server, Number(values.connections));
  await measure(puts);
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const idle = await measure(puts);
    const stop = repeatBackups(server, folder);
    const busy = await measure(puts);
    largestLog = Math.max(largestLog, statSync(join(dataDir, 'svc.db-wal')).size);
    await stop();
    pairs.push({ idle, busy });
  }
  puts.stop();
} finally {
  for (const each of [folder, dataDir]) rmSync(each, { recursive: true, force: true });
}
const ratio = (value: (phase: Phase) => number) => medianOf(pairs.map(({ idle, busy }) => value(busy) / value(idle)));
const p99 = ratio((phase) => phase.p99Ms);
say(
  shown(
    'without a backup:',
    pairs.map(({ idle }) => idle),
  ),
);
say(
  shown(
    'with a backup:   ',
    pairs.map(({ busy }) => busy),
  ),
);
say(
  `medians of the ratios of ${pairs.length} pairs: throughput ${ratio((phase) => phase.perSecond).toFixed(2)}, ` +
    `p50 ${ratio((phase) => phase.p50Ms).toFixed(2)}, p99 ${p99.toFixed(2)}; the log grew to ${megabytes(largestLog)}`,
);
process.exit(p99 > MAX_LATENCY ? 1 : 0);
