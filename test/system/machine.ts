/** Measures how much the machine delays everything, so that no time limit in a test fails on a busy machine. */
import { availableParallelism, loadavg } from 'node:os';

/** More runnable threads for each processor than this slow others down. */
const BUSY_LOAD = 2;
const SAMPLE_MS = 25;
/** Delays count for this long, in milliseconds. */
const RECENT_MS = 30_000;
/** Delays that one measurement may meet: one in the service, one in the test. */
const DELAYS = 2;
/** Beyond this, in milliseconds, a delay is no longer an excuse. */
const LONGEST_DELAY_MS = 2_000;
const WORK_BYTES = 16 * 1024 ** 2;
/** Processor time, in milliseconds, of {@link medianWorkMs} on a machine that the bounds of tests are written for. */
const USUAL_WORK_MS = 30;
/** A machine that is slower than this many times excuses nothing more. */
const MOST_SLOWNESS = 4;
/** A measurement of the machine's speed counts for so long, in milliseconds. */
const SPEED_MS = 5_000;

interface Delay {
  readonly atMs: number;
  readonly delayMs: number;
}

/** The recent delays of a timer of this process that were longer than a sample. */
const delays: Delay[] = [];
let sampledMs = performance.now();
setInterval(() => {
  const nowMs = performance.now();
  const delayMs = nowMs - sampledMs - SAMPLE_MS;
  sampledMs = nowMs;
  while (delays[0] !== undefined && delays[0].atMs < nowMs - RECENT_MS) delays.shift();
  if (delayMs > SAMPLE_MS) delays.push({ atMs: nowMs, delayMs });
}, SAMPLE_MS).unref();

/** Returns how much longer threads wait for a processor than on a machine that counts as busy; at least 1. */
export function slowdown(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / (BUSY_LOAD * availableParallelism()));
}

let measured = { atMs: Number.NEGATIVE_INFINITY, slowness: 1 };

/**
 * Returns how many times as much processor time the same work takes as on a machine that bounds are written for; at
 * least 1. Virtual machines of one kind differ by a factor of two and more, above all where memory is touched first.
 */
export function slowness(): number {
  const nowMs = performance.now();
  if (nowMs - measured.atMs > SPEED_MS) {
    measured = { atMs: nowMs, slowness: Math.min(MOST_SLOWNESS, Math.max(1, medianWorkMs() / USUAL_WORK_MS)) };
  }
  return measured.slowness;
}

function medianWorkMs(): number {
  const [, median = USUAL_WORK_MS] = [workMs(), workMs(), workMs()].sort((one, other) => one - other);
  return median;
}

/** Returns the processor time, in milliseconds, of filling, decoding and encoding a long text. */
function workMs(): number {
  const before = process.cpuUsage();
  const text = Buffer.alloc(WORK_BYTES, 'abcdefgh').toString('latin1');
  if (Buffer.from(text).length !== WORK_BYTES) throw new Error('The text is not as long as it was.');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the time limit on this machine at present for something that may take `limitMs` on a quiet one. */
export function allowedMs(limitMs: number): number {
  const delayMs = Math.max(0, ...delays.map((each) => each.delayMs));
  return limitMs * slowdown() * slowness() + DELAYS * Math.min(delayMs, LONGEST_DELAY_MS);
}
