/**
 * Load generator that writes requests to sockets as fast as one thread can. Its argument is the file of its plan
 * (`list`: the requests). Writes its counts as one line of JSON.
 */
import { readFileSync } from 'node:fs';
import type { LoadPlan } from './load.ts';
import { endWithParent } from './parent.ts';
import { cpuMs, writeResult } from './process-usage.ts';
import { answerLength, bytesOf } from './raw-http.ts';
import { type BenchRequest, NUMBER_MARK } from './requests.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LoadPlan & { list: BenchRequest[] };
/** Coprime with 2^32: consecutive numbers are far apart, and each occurs once. */
const STRIDE = 2_654_435_761;
const requests = plan.list.map((request) => bytesOf(plan.port, request));
/** Where the digits of a number are in each request; below 0: the request has none. */
const numberOffsets = requests.map((request) => request.indexOf(NUMBER_MARK));
/** More than are sent in a millisecond, so the next process begins with different ones. */
const MOST_IN_A_MS = 200;
const FIRST_NUMBER = (Date.now() * MOST_IN_A_MS) % 2 ** 32;
const latenciesMs: number[] = [];
let counting = plan.once === true;
let answered = 0;
let failed = 0;
let firstFailure = '';
let next = 0;
let ended = false;
/** Number of connections that wait for a response. */
let waiting = 0;
endWithParent();

/** Returns a number that this process has not returned yet. */
function numberText(sent: number): string {
  return String(Number((BigInt(FIRST_NUMBER + sent) * BigInt(STRIDE)) % 2n ** 32n)).padStart(NUMBER_MARK.length, '0');
}

interface Connection {
  sentMs: number;
  /** Bytes of an incomplete response. */
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
        waiting--;
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
  const index = next++ % requests.length;
  const request = requests[index];
  if (request === undefined || ended || (plan.once && next > plan.connections)) return;
  waiting++;
  const numberAt = numberOffsets[index] ?? -1;
  if (numberAt >= 0) request.write(numberText(next), numberAt, 'latin1');
  socket.data.sentMs = performance.now();
  socket.write(request);
}

const DRAIN_CHECK_MS = 10;
const DRAIN_CHECKS = 9_000;

const SUCCESS = Buffer.from(plan.success ?? '"successStatus":0');

/** Returns the CPU time of the server's processes. */
function serverCpuMs(): number {
  return cpuMs(plan.serverPid) + (plan.furtherPid === undefined ? 0 : cpuMs(plan.furtherPid));
}

/** Returns the CPU time of the process behind the server. */
function behindCpuMs(): number {
  return plan.behindPid === undefined ? 0 : cpuMs(plan.behindPid);
}

/** Resolves when no connection waits for a response, or a connection has failed. */
async function allAnswered(): Promise<void> {
  for (let checks = 0; waiting > 0 && failed === 0 && checks < DRAIN_CHECKS; checks++) await Bun.sleep(DRAIN_CHECK_MS);
}

function note(bytes: Buffer, latencyMs: number): void {
  if (!counting) return;
  answered += 1;
  if (plan.once || answered % 8 === 0) latenciesMs.push(latencyMs);
  if (bytes.indexOf(SUCCESS) < 0) {
    failed += 1;
    firstFailure ||= bytes.toString('utf8').slice(0, 300);
  }
}

const startedMs = { cpu: serverCpuMs(), behind: behindCpuMs(), wall: performance.now() };
await Promise.all(Array.from({ length: plan.connections }, connect));
if (!plan.once) await Bun.sleep(plan.warmUpMs);
const cpuBeforeMs = plan.once ? startedMs.cpu : serverCpuMs();
const behindBeforeMs = plan.once ? startedMs.behind : behindCpuMs();
const begunMs = plan.once ? startedMs.wall : performance.now();
counting = true;
if (plan.once) await allAnswered();
else await Bun.sleep(plan.durationMs);
counting = false;
const lastedMs = performance.now() - begunMs;
const usedMs = serverCpuMs() - cpuBeforeMs;
const behindMs = behindCpuMs() - behindBeforeMs;
ended = true;
// Pending requests are answered before the next measurement starts.
await allAnswered();
writeResult({ answered, failed, firstFailure, lastedMs, usedMs, behindMs, latenciesMs });
