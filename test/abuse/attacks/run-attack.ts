/** Runs attacks on a service while a victim uses it, and reports the harm that they did. */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { DEFAULT_LIMITS } from '../../../src/base/limits.ts';
import { slowdown } from '../../system/machine.ts';
import { type ServiceOptions, type ServiceProcess, startService } from '../../system/service-process.ts';
import { DEFINITIONS } from '../fuzz/sql-grammar.ts';
import { type Attack, FORM, post } from './attack.ts';
import { type Exchange, send } from './http-client.ts';
import { type LaneReport, startBareServer, startVictim, type Victim, type VictimReport } from './victim.ts';

/** A service with a victim, a bare server beside it, and the tables that attacks name. */
export interface Battlefield extends AsyncDisposable {
  readonly service: ServiceProcess;
  readonly victim: Victim;
  /** Resident memory before the first attack, in bytes. */
  readonly idleBytes: number;
}

/** How much the machine itself delayed what happened while an attack ran. */
export interface Machine {
  /** The longest delay of a timer of this process or of a response of the bare server, in milliseconds. */
  readonly delayMs: number;
  /** By how much more threads wait for a processor than on a machine that counts as busy; at least 1. */
  readonly slowdown: number;
}

export interface AttackReport {
  readonly title: string;
  /** The bounds that the attack broke; empty: it did no harm. */
  readonly harms: readonly string[];
  /** Whether it did no harm but to make the victim wait, which a busy machine does too. */
  readonly isOnlySlow: boolean;
  readonly elapsedMs: number;
  readonly peakGrowthBytes: number;
  readonly victim: VictimReport;
  readonly machine: Machine;
}

/** Bounds of the harm that an attack may do. */
export const BOUNDS = {
  /** 99th percentile of the victim's requests, in milliseconds. */
  p99Ms: 200,
  /** The same as a multiple of the bare server's, which counts as at least {@link QUIET_MS}. */
  p99Ratio: 5,
  /** Resident memory that an attack may add: four times the largest body, and 128 MiB. */
  growthBytes: 4 * DEFAULT_LIMITS.requestBodyBytes + 128 * 1024 * 1024,
  /** Time beyond its limit after which a request must have been answered, in milliseconds. */
  beyondLimitMs: 500,
  /** Time from SIGTERM to the end of the process, in milliseconds. */
  stopMs: 5_000,
} as const;

/** A window in which the bare server itself is slower than this, in milliseconds, proves nothing and is repeated. */
const BUSY_MACHINE_MS = 20;
const ATTEMPTS = 5;
/** A window with more runnable threads for each processor than this is repeated, too. */
const BUSY_LOAD = 2;
/** Delays of the machine that a request may meet: one in the service, one in this client. */
const DELAYS = 2;
/** Beyond this, in milliseconds, a delay of the machine excuses nothing more. */
const LONGEST_DELAY_MS = 2_000;
/** Least time that the victim is watched, in milliseconds: a percentile needs a hundred requests. */
const LEAST_WINDOW_MS = 1_000;
const SAMPLE_MS = 25;

/** Starts a service with tables, a bare server and a victim. */
export async function openBattlefield(options: ServiceOptions & { tables?: boolean } = {}): Promise<Battlefield> {
  const service = await startService(options);
  const bare = await startBareServer();
  if (options.tables !== false) await createTables(service);
  const victim = startVictim(service.port, bare.port);
  await Bun.sleep(500);
  await victim.report();
  return {
    service,
    victim,
    idleBytes: residentBytes(service.pid),
    async [Symbol.asyncDispose]() {
      victim[Symbol.dispose]();
      bare[Symbol.dispose]();
      await service.kill();
    },
  };
}

/** Creates the caches and tables that attacks and fuzzers name. */
export async function createTables(service: ServiceProcess): Promise<void> {
  const sql = (qry: string) =>
    service.command(new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', qry }).toString());
  await service.command('cmd=getorcreate&cacheName=victims');
  await service.command('cmd=getorcreate&cacheName=decimals');
  await service.command('cmd=getorcreate&cacheName=fuzz');
  await service.command('cmd=put&cacheName=victims&key=a&val=1');
  for (const definition of DEFINITIONS) await sql(definition);
  await sql("insert into T (id, v, n) select x, repeat('a', 200), x from system_range(1, 1000)");
}

/** Returns the resident memory of a process, in bytes. */
function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Runs one attack, and repeats it when the machine was too busy for a verdict. */
export async function runAttack(field: Battlefield, attack: Attack, judgeRatio: boolean): Promise<AttackReport> {
  let report = await attackOnce(field, attack, judgeRatio);
  for (let attempt = 1; attempt < ATTEMPTS && report.harms.length > 0; attempt++) {
    const load = loadavg()[0] ?? 0;
    if (report.victim.bare.p99Ms < BUSY_MACHINE_MS && load < BUSY_LOAD * availableParallelism()) break;
    report = await attackOnce(field, attack, judgeRatio);
  }
  return report;
}

async function attackOnce(field: Battlefield, attack: Attack, judgeRatio: boolean): Promise<AttackReport> {
  const { service, victim } = field;
  await victim.report();
  let peakBytes = 0;
  let delayMs = 0;
  let sampledMs = performance.now();
  const sampler = setInterval(() => {
    const nowMs = performance.now();
    delayMs = Math.max(delayMs, nowMs - sampledMs - SAMPLE_MS);
    sampledMs = nowMs;
    peakBytes = Math.max(peakBytes, residentBytes(service.pid));
  }, SAMPLE_MS);
  const startMs = performance.now();
  const most = (attack.limitMs * attack.rounds + 10_000) * slowdown();
  const exchanges = await Promise.race([attack.run({ port: service.port }), Bun.sleep(most).then(() => undefined)]);
  const elapsedMs = performance.now() - startMs;
  await Bun.sleep(Math.max(0, LEAST_WINDOW_MS - elapsedMs));
  const seen = await victim.report();
  clearInterval(sampler);
  const peakGrowthBytes = Math.max(0, peakBytes - field.idleBytes);
  const machine = { delayMs: Math.max(delayMs, seen.bare.maxMs), slowdown: slowdown() };
  const slow = [
    ...delaysOf('get', seen.gets, seen.bare, machine, judgeRatio),
    ...delaysOf('/health/live', seen.epoch, seen.bare, machine, judgeRatio),
  ];
  const others = [
    ...(exchanges === undefined ? [`not over after ${most} ms`] : harmsOfExchanges(exchanges, attack, machine)),
    ...failuresOf('get', seen.gets),
    ...failuresOf('/health/live', seen.epoch),
    ...(peakGrowthBytes > BOUNDS.growthBytes ? [`memory grew by ${mib(peakGrowthBytes)} MiB`] : []),
    ...(await harmsAfterwards(service, machine)),
  ];
  const harms = [...others, ...slow];
  const isOnlySlow = slow.length > 0 && others.length === 0;
  return { title: attack.title, harms, isOnlySlow, elapsedMs, peakGrowthBytes, victim: seen, machine };
}

/** Returns what is wrong with the responses, allowing for the delays of the machine. */
export function harmsOfExchanges(
  exchanges: readonly Exchange[],
  attack: Pick<Attack, 'limitMs' | 'leaves'>,
  { delayMs, slowdown }: Machine,
): string[] {
  const harms: string[] = [];
  const beyondMs = BOUNDS.beyondLimitMs * slowdown + DELAYS * Math.min(delayMs, LONGEST_DELAY_MS);
  for (const { invalid, unanswered, elapsedMs } of exchanges) {
    if (invalid !== undefined) harms.push(invalid);
    if (unanswered && !attack.leaves) harms.push('a request was not answered');
    if (elapsedMs <= attack.limitMs + beyondMs) continue;
    harms.push(
      `answered after ${elapsedMs.toFixed(0)} ms, limit ${attack.limitMs} ms and ${beyondMs.toFixed(0)} ms more`,
    );
  }
  return [...new Set(harms)].slice(0, 4);
}

function failuresOf(what: string, { failures, requests }: LaneReport): string[] {
  const harms = failures.map((failure) => `${what} failed: ${failure}`);
  return requests === 0 ? [...harms, `${what} was not answered at all`] : harms;
}

/** Returns how the victim was delayed more than the bare server, allowing for the delays of the machine. */
export function delaysOf(
  what: string,
  { p99Ms }: Pick<LaneReport, 'p99Ms'>,
  bare: Pick<LaneReport, 'p99Ms'>,
  { slowdown }: Machine,
  judgeRatio: boolean,
): string[] {
  const mostMs = Math.max(BOUNDS.p99Ms, BOUNDS.p99Ratio * bare.p99Ms) * slowdown;
  if (p99Ms > mostMs) return [`p99 of ${what} ${p99Ms.toFixed(0)} ms of at most ${mostMs.toFixed(0)} ms`];
  if (!judgeRatio || p99Ms <= BOUNDS.p99Ratio * Math.max(QUIET_MS, bare.p99Ms)) return [];
  return [`p99 of ${what} ${p99Ms.toFixed(1)} ms, of the bare server ${bare.p99Ms.toFixed(1)} ms`];
}

/** Below this, in milliseconds, the bare server's percentile is noise of timers. */
const QUIET_MS = 4;

/** Checks that the service answers a change, a statement and a command after the attack. */
async function harmsAfterwards(service: ServiceProcess, { slowdown }: Machine): Promise<string[]> {
  const exchanges = await Promise.all(
    ['cmd=put&cacheName=victims&key=b&val=1', 'cmd=qryfldexe&pageSize=1&qry=select+1', 'cmd=version'].map((params) =>
      send(service.port, post(FORM, params), { leaveAfterMs: 2_000 * slowdown }),
    ),
  );
  return exchanges.some(({ unanswered }) => unanswered) ? ['afterwards a command is not answered in 2 s'] : [];
}

export interface StopReport {
  readonly stoppedMs: number;
  /** What is wrong, or undefined. */
  readonly harm: string | undefined;
}

/** Sends SIGTERM in the middle of an attack. */
export async function stopDuringAttack(attack: Attack, options: ServiceOptions = {}): Promise<StopReport> {
  const service = await startService(options);
  try {
    await createTables(service);
    void attack.run({ port: service.port });
    await Bun.sleep(400);
    const startMs = performance.now();
    const ended = await Promise.race([
      service.stop().then(() => true),
      Bun.sleep(BOUNDS.stopMs * slowdown()).then(() => false),
    ]);
    const stoppedMs = performance.now() - startMs;
    return { stoppedMs, harm: ended ? undefined : `still running ${stoppedMs.toFixed(0)} ms after SIGTERM` };
  } finally {
    await service.kill();
  }
}

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);

export function describeAttack({ title, harms, elapsedMs, peakGrowthBytes, victim, machine }: AttackReport): string {
  const [get, live, bare] = [victim.gets, victim.epoch, victim.bare].map(({ p99Ms }) => p99Ms.toFixed(1));
  const verdict = harms.length === 0 ? 'ok  ' : 'HARM';
  const cost = `${elapsedMs.toFixed(0)} ms, +${mib(peakGrowthBytes)} MiB`;
  const reasons = harms.map((harm) => `\n       ${harm}`).join('');
  return `${verdict} ${title} [${cost}, p99 get ${get} live ${live} bare ${bare} ms, machine delays ${machine.delayMs.toFixed(0)} ms, slowed ${machine.slowdown.toFixed(1)}x]${reasons}`;
}
