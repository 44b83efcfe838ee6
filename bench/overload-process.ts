/**
 * Open-loop load generator: requests are due at a constant rate, whether or not earlier ones have been answered, and
 * their latency counts from when they were due. Requests that could not be sent in one phase are not sent in the next,
 * because they would change its load. Its argument is the file of its plan. Writes its results as one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { endWithParent } from './parent.ts';
import { percentile } from './process-usage.ts';

/** The plan of the generator. */
export interface OverloadPlan {
  readonly port: number;
  /** Path of the request; `#` is replaced by the keys, one after another. */
  readonly path: string;
  readonly keys: readonly number[];
  readonly connections: number;
  readonly phases: readonly LoadPhase[];
}

export interface LoadPhase {
  /** Requests that are due per second; 0: every connection sends its next request after the answer. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** The counts of one phase. */
export interface PhaseResult {
  readonly due: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly failed: number;
  /** Requests for which no connection became free in time. */
  readonly unsent: number;
  readonly acceptedP50Ms: number;
  readonly acceptedP99Ms: number;
  readonly rejectedP99Ms: number;
  /** Time from the beginning of the phase until nothing is rejected, slow or unsent any more. */
  readonly settledMs: number;
  /** Requests of earlier phases that were unanswered when this one began. */
  readonly outstanding: number;
  /** Time from the beginning of the phase until those were answered. */
  readonly drainedMs: number;
  /** Time until the generator noticed that a request was due, because it was busy itself: no delay of the server. */
  readonly lagP99Ms: number;
}

interface Sent {
  /** When the request was due, or later if the generator noticed it later. */
  dueMs: number;
  phase: number;
}

const ACCEPTED = 200;
const REJECTED = 503;
/** A request that finds no free connection for this long is abandoned, as by clients with a connection pool. */
const LONGEST_WAIT_MS = 100;
/** In a phase that has settled, requests take less than this. */
const SLOW_MS = 100;
const DRAIN_MS = 3_000;
const BRACE = 125;
const OPENED_AT_ONCE = 100;
/** Requests that no phase counts. */
const NO_PHASE = -1;

endWithParent();
const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as OverloadPlan;
const countsOfPhases = plan.phases.map(() => ({
  due: 0,
  failed: 0,
  unsent: 0,
  accepted: [] as number[],
  rejected: [] as number[],
  lags: [] as number[],
  lastBadMs: 0,
  outstanding: 0,
  drainedMs: 0,
  startMs: 0,
}));
const free: Array<Bun.Socket<Sent>> = [];
/** Requests that are due and wait for a connection, from `first` on. */
let backlog: Sent[] = [];
let first = 0;
let number = 0;
/** A cheap request: connections that are idle for long are closed. */
const FIRST_PATH = `${plan.path.slice(0, plan.path.indexOf('?'))}?cmd=version`;
let closedLoop: number | undefined;
/** The phase that runs, and the requests of earlier ones that are unanswered. */
let current = 0;
let former = 0;

function send(socket: Bun.Socket<Sent>, { dueMs, phase }: Sent, path = plan.path): void {
  socket.data.dueMs = dueMs;
  socket.data.phase = phase;
  socket.write(
    `GET ${path.replaceAll('#', String(plan.keys[number++ % plan.keys.length]))} HTTP/1.1\r\nHost: 127.0.0.1:${plan.port}\r\n\r\n`,
  );
}

function receive(socket: Bun.Socket<Sent>, bytes: Buffer): void {
  // Envelopes are small: they arrive complete, or their closing brace arrives later.
  if (bytes[bytes.length - 1] !== BRACE) return;
  const nowMs = performance.now();
  const { dueMs, phase } = socket.data;
  const counts = countsOfPhases[phase];
  const latencyMs = nowMs - dueMs;
  const status = Number(bytes.toString('latin1', 9, 12));
  if (counts !== undefined) {
    if (status === ACCEPTED) counts.accepted.push(latencyMs);
    else if (status === REJECTED) counts.rejected.push(latencyMs);
    else counts.failed++;
    if (status !== ACCEPTED || latencyMs > SLOW_MS) noteBad(counts, dueMs);
  }
  noteAnswer(phase, nowMs);
  if (closedLoop !== undefined) {
    send(socket, { dueMs: nowMs, phase: closedLoop });
    return;
  }
  free.push(socket);
  sendBacklog(nowMs);
}

function noteBad(counts: (typeof countsOfPhases)[number], dueMs: number): void {
  counts.lastBadMs = Math.max(counts.lastBadMs, dueMs - counts.startMs);
}

/** Notes when the last request of an earlier phase was answered. */
function noteAnswer(phase: number, nowMs: number): void {
  if (phase === current || former === 0 || --former > 0) return;
  const counts = countsOfPhases[current];
  if (counts !== undefined) counts.drainedMs = nowMs - counts.startMs;
}

/** Abandons the requests that wait for a connection. */
function discardBacklog(): void {
  for (const { phase } of backlog.splice(0).slice(first)) {
    const counts = countsOfPhases[phase];
    if (counts !== undefined) counts.unsent++;
  }
  first = 0;
}

function sendBacklog(nowMs: number): void {
  while (first < backlog.length) {
    const next = backlog[first];
    if (next !== undefined && nowMs - next.dueMs > LONGEST_WAIT_MS) {
      const counts = countsOfPhases[next.phase];
      if (counts !== undefined) {
        counts.unsent++;
        noteBad(counts, next.dueMs);
      }
    } else {
      const socket = free.pop();
      if (socket === undefined || next === undefined) break;
      send(socket, next);
    }
    first++;
  }
  if (first * 2 > backlog.length) {
    backlog = backlog.slice(first);
    first = 0;
  }
}

/**
 * Opens the connections, a few at a time, and has each answer a request: the kernel drops what exceeds the server's
 * queue of new connections, and tries again seconds later.
 */
async function connect(): Promise<void> {
  const socket = { data: receive, close: () => process.exit(1) };
  const { port } = plan;
  for (let open = 0; open < plan.connections; ) {
    const count = Math.min(OPENED_AT_ONCE, plan.connections - open);
    const opened = Array.from({ length: count }, () =>
      Bun.connect<Sent>({ hostname: '127.0.0.1', port, data: { dueMs: 0, phase: NO_PHASE }, socket }),
    );
    for (const one of await Promise.all(opened)) send(one, { dueMs: 0, phase: NO_PHASE }, FIRST_PATH);
    open += count;
    while (free.length < open) await Bun.sleep(1);
  }
}

async function run(phase: number, { perSecond, seconds }: LoadPhase): Promise<void> {
  const counts = countsOfPhases[phase];
  if (counts === undefined) return;
  discardBacklog();
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  counts.startMs = startMs;
  current = phase;
  former = plan.connections - free.length;
  counts.outstanding = former;
  if (perSecond === 0) {
    closedLoop = phase;
    for (const socket of free.splice(0)) send(socket, { dueMs: startMs, phase });
    await Bun.sleep(seconds * 1_000);
    closedLoop = undefined;
    while (free.length < plan.connections) await Bun.sleep(1);
    return;
  }
  for (let nowMs = startMs; nowMs < endMs; nowMs = performance.now()) {
    for (let dueMs = startMs + (counts.due * 1_000) / perSecond; dueMs <= nowMs; ) {
      backlog.push({ dueMs: nowMs, phase });
      counts.lags.push(nowMs - dueMs);
      dueMs = startMs + (++counts.due * 1_000) / perSecond;
    }
    sendBacklog(nowMs);
    await new Promise(setImmediate);
  }
}

await connect();
for (const [index, phase] of plan.phases.entries()) await run(index, phase);
for (const endMs = performance.now() + DRAIN_MS; free.length < plan.connections && performance.now() < endMs; ) {
  await Bun.sleep(5);
  sendBacklog(performance.now());
}
const results = countsOfPhases.map((counts): PhaseResult => {
  const { due, failed, unsent, accepted, rejected, lags, lastBadMs, outstanding, drainedMs } = counts;
  lags.sort((a, b) => a - b);
  accepted.sort((a, b) => a - b);
  rejected.sort((a, b) => a - b);
  return {
    due,
    accepted: accepted.length,
    rejected: rejected.length,
    failed,
    unsent,
    acceptedP50Ms: percentile(accepted, 0.5),
    acceptedP99Ms: percentile(accepted, 0.99),
    rejectedP99Ms: percentile(rejected, 0.99),
    settledMs: lastBadMs,
    outstanding,
    drainedMs,
    lagP99Ms: percentile(lags, 0.99),
  };
});
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
