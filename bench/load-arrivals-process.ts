/**
 * Load generator that sends operations at a fixed rate over connections that stay open. An operation is due whether or
 * not the server has answered earlier ones; its latency counts from then, so the wait for a free connection is part of
 * it (no coordinated omission). Without a rate, each connection sends the next operation as soon as it may. Its
 * argument is the file of its plan (`list`: the operations). Writes its counts as one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { createHistogram, encode, percentileMs, record } from './histogram.ts';
import type { ArrivalsResult, LoadPlan } from './load.ts';
import { endWithParent } from './parent.ts';
import { cpuMs } from './process-usage.ts';
import { answerLength, bytesOf } from './raw-http.ts';
import type { BenchRequest } from './requests.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LoadPlan & { list: BenchRequest[] };
const { perSecond } = plan;
/** Requests that are still waiting this long after the last operation was due are abandoned. */
const ANSWER_LIMIT_MS = 10_000;
/** How long the thread may sleep before it looks for answers again. */
const SLEEP_MS = 0.05;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** A request of an operation, and the requests after it. */
interface Sending {
  readonly bytes: Buffer;
  readonly success: Buffer;
  readonly next: Sending | undefined;
}

function prepare(request: BenchRequest): Sending {
  const success = Buffer.from(request.success ?? plan.success ?? '"successStatus":0');
  return { bytes: bytesOf(plan.port, request), success, next: request.next && prepare(request.next) };
}

const operations = plan.list.map(prepare);
/** The times of the operation that a connection executes. */
interface Connection {
  dueMs: number;
  sending: Sending | undefined;
  rest: Buffer | undefined;
}
type Socket = Bun.Socket<Connection>;

const latencies = createHistogram();
const delays = createHistogram();
const idle: Socket[] = [];
const all: Socket[] = [];
/** Sockets and the bytes that they have not accepted yet. */
const unwritten = new Map<Socket, Buffer>();
let answered = 0;
/** Operations whose answers arrived during the measurement, whenever they were due. */
let completed = 0;
let failed = 0;
let firstFailure = '';
let next = 0;
let countsFromMs = Number.POSITIVE_INFINITY;
let countsUntilMs = Number.POSITIVE_INFINITY;
endWithParent();

function fail(text: string): void {
  failed++;
  firstFailure ||= text;
}

function write(socket: Socket, bytes: Buffer): void {
  const written = Math.max(0, socket.write(bytes));
  if (written < bytes.length) unwritten.set(socket, bytes.subarray(written));
  else unwritten.delete(socket);
}

function start(socket: Socket, dueMs: number): void {
  const operation = operations[next++ % operations.length];
  if (operation === undefined) return;
  socket.data.dueMs = dueMs;
  socket.data.sending = operation;
  write(socket, operation.bytes);
}

function receive(socket: Socket, chunk: Buffer): void {
  const { data } = socket;
  const bytes = data.rest === undefined ? chunk : Buffer.concat([data.rest, chunk]);
  if (answerLength(bytes) === undefined) {
    data.rest = Buffer.from(bytes);
    return;
  }
  data.rest = undefined;
  const { sending } = data;
  if (sending === undefined) {
    fail('an answer without a request');
    return;
  }
  if (bytes.indexOf(sending.success) < 0) fail(bytes.toString('utf8', 0, 400));
  if (sending.next !== undefined) {
    data.sending = sending.next;
    write(socket, sending.next.bytes);
    return;
  }
  data.sending = undefined;
  note(data.dueMs, performance.now());
  if (perSecond === undefined && performance.now() < countsUntilMs) start(socket, performance.now());
  else idle.push(socket);
}

/** Counts an operation: in a closed loop if it was answered in time, at a rate if it was due in time. */
function note(dueMs: number, nowMs: number): void {
  const timeMs = perSecond === undefined ? nowMs : dueMs;
  if (nowMs >= countsFromMs && nowMs < countsUntilMs) completed++;
  if (timeMs < countsFromMs || timeMs >= countsUntilMs) return;
  answered++;
  record(latencies, nowMs - dueMs);
}

function connect(): Promise<Socket> {
  return Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port: plan.port,
    data: { dueMs: 0, sending: undefined, rest: undefined },
    socket: {
      data: receive,
      drain(socket) {
        const bytes = unwritten.get(socket);
        if (bytes !== undefined) write(socket, bytes);
      },
      close: () => fail('a connection was closed'),
    },
  });
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sends operations when they are due until a time. Those that find no free connection wait in order. */
async function sendAtRate(rate: number, startMs: number, endMs: number): Promise<number> {
  const intervalMs = 1_000 / rate;
  let sent = 0;
  const due = () => startMs + sent * intervalMs;
  for (let nowMs = performance.now(); due() < endMs; nowMs = performance.now()) {
    if (failed > 0 || nowMs > endMs + ANSWER_LIMIT_MS) break;
    const wasIdle = idle.length > 0;
    while (due() <= nowMs && due() < endMs) {
      const socket = idle.shift();
      if (socket === undefined) break;
      if (wasIdle && due() >= countsFromMs) record(delays, nowMs - due());
      start(socket, due());
      sent++;
    }
    const waitMs = idle.length === 0 ? SLEEP_MS : Math.min(SLEEP_MS, due() - performance.now());
    if (waitMs > 0) Atomics.wait(sleeper, 0, 0, waitMs);
    await tick();
  }
  // Requests that were never sent also count: they were due.
  let unsent = 0;
  for (; due() < endMs; sent++) {
    unsent++;
    note(due(), performance.now());
  }
  return unsent;
}

const cpu = () => cpuMs(plan.serverPid) + (plan.furtherPid === undefined ? 0 : cpuMs(plan.furtherPid));

/** Records the CPU times at the beginning and at the end of the measured phase. */
async function usage(): Promise<{ serverMs: number; generatorMs: number; lastedMs: number }> {
  await Bun.sleep(countsFromMs - performance.now());
  const [begunMs, serverMs, own] = [performance.now(), cpu(), process.cpuUsage()];
  await Bun.sleep(countsUntilMs - performance.now());
  const { user, system } = process.cpuUsage(own);
  return {
    serverMs: cpu() - serverMs,
    generatorMs: (user + system) / 1_000,
    lastedMs: performance.now() - begunMs,
  };
}

all.push(...(await Promise.all(Array.from({ length: plan.connections }, connect))));
const startMs = performance.now();
countsFromMs = startMs + plan.warmUpMs;
countsUntilMs = countsFromMs + plan.durationMs;
const used = usage();
let unanswered = 0;
if (perSecond === undefined) {
  for (const socket of all) start(socket, performance.now());
} else {
  idle.push(...all);
  unanswered = await sendAtRate(perSecond, startMs, countsUntilMs);
}
const { serverMs, generatorMs, lastedMs } = await used;
const busy = () => all.filter(({ data }) => data.sending !== undefined);
for (
  const endMs = performance.now() + ANSWER_LIMIT_MS;
  busy().length > 0 && failed === 0 && performance.now() < endMs;
) {
  await Bun.sleep(1);
}
for (const { data } of busy()) {
  unanswered++;
  if (perSecond !== undefined) note(data.dueMs, performance.now());
}
const result: ArrivalsResult = {
  requests: answered,
  failed,
  firstFailure,
  perSecond: (answered * 1_000) / lastedMs,
  cpuMicros: (serverMs * 1_000) / Math.max(1, completed),
  behindCpuMicros: 0,
  p50Ms: percentileMs(latencies, 50),
  p99Ms: percentileMs(latencies, 99),
  histogram: encode(latencies),
  unanswered,
  delayP99Micros: delays.getValueAtPercentile(99),
  generatorCores: generatorMs / lastedMs,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
