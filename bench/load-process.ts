/**
 * The load generator, a process of its own so that its CPU time is not counted with the server's.
 * Started with a plan as JSON in its first argument; writes its counts as one line of JSON.
 */
import { readFileSync } from 'node:fs';
import type { LoadPlan, LoadResult } from './load.ts';

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
const requests = makeRequests(plan);
const latenciesMs: number[] = [];
let counting = false;
let answered = 0;
let failed = 0;
let firstFailure = '';
let next = 0;

/** Many requests made beforehand, so that the generator's own work per request stays small and the same for all. */
function makeRequests({ path, operation, entries, cache, host }: LoadPlan): Buffer[] {
  const random = seeded(12_345);
  const key = () => Math.floor(random() * entries);
  const head = (method: string, query: string, more = '') =>
    `${method} ${path}?${query} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  const bulk = (withValues: boolean) => {
    const parts: string[] = [];
    for (let i = 1; i <= 100; i++) parts.push(withValues ? `k${i}=${key()}&v${i}=value${i}` : `k${i}=${key()}`);
    return parts.join('&');
  };
  const form = (query: string, body: string) =>
    head('POST', query, `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`) + body;
  const make: Record<LoadPlan['operation'], () => string> = {
    bare: () => head('GET', `cmd=get&cacheName=${cache}&key=${key()}`),
    get: () => head('GET', `cmd=get&cacheName=${cache}&key=${key()}`),
    put: () => head('GET', `cmd=put&cacheName=${cache}&key=${key()}&val=value-${key()}`),
    getput: () => head('GET', `cmd=getput&cacheName=${cache}&key=${key()}&val=value-${key()}`),
    incr: () => head('GET', `cmd=incr&cacheName=${cache}&key=counter${key() % 100}&delta=1`),
    getall: () => form(`cmd=getall&cacheName=${cache}`, bulk(false)),
    putall: () => form(`cmd=putall&cacheName=${cache}`, bulk(true)),
  };
  return Array.from({ length: operation.endsWith('all') ? 500 : 20_000 }, () => Buffer.from(make[operation]()));
}

/** The same numbers in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface Connection {
  sentMs: number;
  /** Bytes of an answer that came in parts. */
  rest: Buffer | undefined;
}

async function connect(): Promise<void> {
  await Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port: plan.port,
    data: { sentMs: 0, rest: undefined },
    socket: {
      open: sendNext,
      data(socket, chunk) {
        const { data } = socket;
        const bytes = data.rest === undefined ? chunk : Buffer.concat([data.rest, chunk]);
        const length = answerLength(bytes);
        if (length === undefined) {
          data.rest = Buffer.from(bytes);
          return;
        }
        data.rest = undefined;
        note(bytes, performance.now() - data.sentMs);
        sendNext(socket);
      },
      close() {
        failed += 1;
        firstFailure ||= 'a connection was closed';
      },
    },
  });
}

function sendNext(socket: Bun.Socket<Connection>): void {
  const request = requests[next++ % requests.length];
  if (request === undefined) return;
  socket.data.sentMs = performance.now();
  socket.write(request);
}

const LENGTH = Buffer.from('ontent-Length: ');
const LOWER_LENGTH = Buffer.from('ontent-length: ');
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const SUCCESS = Buffer.from('"successStatus":0');

/** Bytes of the answer when all of it is there. */
function answerLength(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  let at = bytes.indexOf(LENGTH);
  if (at < 0) at = bytes.indexOf(LOWER_LENGTH);
  if (at < 0 || at > headEnd) return bytes.subarray(-5).equals(LAST_CHUNK) ? bytes.length : undefined;
  let length = 0;
  for (at += LENGTH.length; ; at++) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    length = length * 10 + digit;
  }
  const whole = headEnd + 4 + length;
  return bytes.length >= whole ? whole : undefined;
}

function note(bytes: Buffer, latencyMs: number): void {
  if (!counting) return;
  answered += 1;
  if (answered % 8 === 0) latenciesMs.push(latencyMs);
  if (bytes.indexOf(SUCCESS) < 0) {
    failed += 1;
    firstFailure ||= bytes.toString('utf8').slice(0, 300);
  }
}

/** CPU time of a process with all its threads, in ms (/proc/PID/stat, in ticks of 10 ms). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

await Promise.all(Array.from({ length: plan.connections }, connect));
await Bun.sleep(plan.warmUpMs);
const cpuBeforeMs = cpuMs(plan.serverPid);
const begunMs = performance.now();
counting = true;
await Bun.sleep(plan.durationMs);
counting = false;
const lastedMs = performance.now() - begunMs;
const usedMs = cpuMs(plan.serverPid) - cpuBeforeMs;
latenciesMs.sort((a, b) => a - b);
const result: LoadResult = {
  requests: answered,
  failed,
  firstFailure,
  perSecond: (answered * 1000) / lastedMs,
  cpuMicros: (usedMs * 1000) / Math.max(1, answered),
  p50Ms: percentile(latenciesMs, 0.5),
  p99Ms: percentile(latenciesMs, 0.99),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
