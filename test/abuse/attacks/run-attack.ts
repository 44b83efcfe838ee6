/** Runs attacks on a service while a victim uses it, and reports the harm that they did. */
import { availableParallelism, loadavg } from 'node:os';
import { allowedMs, slowness } from '../../system/machine.ts';
import { memoryBytes } from '../../system/resident-memory.ts';
import { type ServiceOptions, type ServiceProcess, startService } from '../../system/service-process.ts';
import { DEFINITIONS } from '../fuzz/sql-grammar.ts';
import { type Attack, FORM, post } from './attack.ts';
import { type Exchange, send } from './http-client.ts';
import { type LaneReport, startBareServer, startVictim, type Victim, type VictimReport } from './victim.ts';

/** A service with a victim, a bare server alongside it, and the tables that attacks name. */
export interface Battlefield extends AsyncDisposable {
  readonly service: ServiceProcess;
  readonly victim: Victim;
  readonly hasTables: boolean;
  /** Memory of all processes before the first attack, in bytes. */
  readonly idleBytes: number;
}

/** One run of an attack. */
export interface AttackReport {
  readonly title: string;
  /** The bounds that the attack exceeded; empty if it did no harm. */
  readonly harms: readonly string[];
  /** Whether a busy machine cannot be the cause: a wrong response, or too much memory. */
  readonly isCertain: boolean;
  /** Whether the machine was too busy to judge times. */
  readonly isBusy: boolean;
  readonly elapsedMs: number;
  readonly peakGrowthBytes: number;
  readonly victim: VictimReport;
}

/** Bounds of the harm that an attack may do: what a user would notice. */
export const BOUNDS = {
  /** 99th percentile of the victim's requests, in milliseconds, on a machine of usual speed. */
  p99Ms: 200,
  /** Memory of all processes that an attack may add, in bytes. */
  growthBytes: 1024 ** 3,
  /** Time beyond its limit after which a request must have been answered, in milliseconds. */
  beyondLimitMs: 2_000,
  /** Time after which everything must be back to normal, in milliseconds. */
  normalMs: 60_000,
  /** Time from SIGTERM to the end of the process, in milliseconds. */
  stopMs: 5_000,
} as const;

/** The time bounds apply up to this load average for each processor. */
const MOST_LOAD = 4;
/** Runs of an attack that did harm at first: most of them must do so. */
const RUNS = 3;
/** Minimum time that the victim is watched, in milliseconds: a percentile needs a hundred requests. */
const LEAST_WINDOW_MS = 1_000;
const SAMPLE_MS = 100;
const ANSWER_MS = 1_000;

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
    idleBytes: memoryBytes(service.pid),
    hasTables: options.tables !== false,
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

/** Runs an attack, and again if it did harm; returns the last run, or the worst one if the attack is harmful. */
export async function runAttack(field: Battlefield, attack: Attack): Promise<AttackReport & { isHarmful: boolean }> {
  const runs: AttackReport[] = [];
  for (let run = 1; ; run++) {
    const report = await attackOnce(field, attack);
    runs.push(report);
    const isOver = report.isCertain || run === RUNS || (run === 1 && report.harms.length === 0);
    if (!isOver) continue;
    return isHarmful(runs) ? { ...worstOf(runs, report), isHarmful: true } : { ...report, isHarmful: false };
  }
}

/** Returns the run in which the victim waited longest among those that did harm. */
function worstOf(runs: readonly AttackReport[], last: AttackReport): AttackReport {
  if (last.isCertain) return last;
  const harmful = runs.filter(({ harms }) => harms.length > 0);
  return harmful.sort((one, other) => other.victim.gets.p99Ms - one.victim.gets.p99Ms)[0] ?? last;
}

/**
 * Returns whether an attack is harmful: in one run with certainty, or in most runs on a machine that was not too busy.
 */
export function isHarmful(runs: ReadonlyArray<Pick<AttackReport, 'harms' | 'isCertain' | 'isBusy'>>): boolean {
  const harmful = runs.filter(({ harms, isBusy }) => harms.length > 0 && !isBusy);
  return runs.some(({ isCertain }) => isCertain) || harmful.length > runs.length / 2;
}

async function attackOnce(field: Battlefield, attack: Attack): Promise<AttackReport> {
  const { service, victim } = field;
  await victim.report();
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, measured(service.pid));
  }, SAMPLE_MS);
  const startMs = performance.now();
  const most = attack.limitMs * attack.rounds + BOUNDS.normalMs;
  const exchanges = await Promise.race([attack.run({ port: service.port }), Bun.sleep(most).then(() => undefined)]);
  const elapsedMs = performance.now() - startMs;
  await Bun.sleep(Math.max(0, LEAST_WINDOW_MS - elapsedMs));
  const seen = await victim.report();
  clearInterval(sampler);
  const peakGrowthBytes = Math.max(0, peakBytes - field.idleBytes);
  const certain = [
    ...invalidAnswers(exchanges ?? []),
    ...(peakGrowthBytes > BOUNDS.growthBytes ? [`memory grew by ${mib(peakGrowthBytes)} MiB`] : []),
    ...(await harmsAfterwards(field)),
  ];
  const boundMs = BOUNDS.p99Ms * slowness();
  const slow = [
    ...(exchanges === undefined ? [`not over after ${most} ms`] : delayedAnswers(exchanges, attack)),
    ...delaysOf('get', seen.gets, boundMs),
    ...delaysOf('/health/live', seen.live, boundMs),
  ];
  return {
    title: attack.title,
    harms: [...certain, ...slow],
    isCertain: certain.length > 0,
    isBusy: (loadavg()[0] ?? 0) > MOST_LOAD * availableParallelism() || seen.bare.p99Ms > BOUNDS.p99Ms / 2,
    elapsedMs,
    peakGrowthBytes,
    victim: seen,
  };
}

/** Returns the memory of all processes, or 0 while one of them ends. */
function measured(pid: number): number {
  try {
    return memoryBytes(pid);
  } catch {
    return 0;
  }
}

function invalidAnswers(exchanges: readonly Exchange[]): string[] {
  return [...new Set(exchanges.flatMap(({ invalid }) => invalid ?? []))].slice(0, 4);
}

/** Returns which responses are missing or late. */
export function delayedAnswers(exchanges: readonly Exchange[], attack: Pick<Attack, 'limitMs' | 'leaves'>): string[] {
  const harms: string[] = [];
  for (const { unanswered, elapsedMs } of exchanges) {
    if (unanswered && !attack.leaves) harms.push('a request was not answered');
    if (elapsedMs > attack.limitMs + BOUNDS.beyondLimitMs) {
      harms.push(`answered after ${elapsedMs.toFixed(0)} ms, limit ${attack.limitMs} ms`);
    }
  }
  return [...new Set(harms)].slice(0, 4);
}

/** Returns how the victim was delayed by more than a bound, or was not answered. */
export function delaysOf(
  what: string,
  { p99Ms, requests, failures }: Omit<LaneReport, 'p50Ms' | 'maxMs'>,
  boundMs: number = BOUNDS.p99Ms,
): string[] {
  const harms = failures.map((failure) => `${what} failed: ${failure}`);
  if (requests === 0) harms.push(`${what} was not answered at all`);
  if (p99Ms > boundMs) harms.push(`p99 of ${what} ${p99Ms.toFixed(0)} ms, at most ${boundMs.toFixed(0)} ms`);
  return harms;
}

const AFTERWARDS = ['cmd=put&cacheName=victims&key=b&val=1', 'cmd=version'];
/** Unread cursors stay open for a while. */
const OTHERS = `select STATEMENT from SYS.RUNNING_STATEMENTS
  where STATE = 'RUNNING' and STATEMENT not like '%RUNNING_STATEMENTS%'`;
const RUNNING = `cmd=qryfldexe&pageSize=5&qry=${encodeURIComponent(OTHERS)}`;

/** Waits until the service answers changes, statements and commands, and runs no statement of the attack. */
async function harmsAfterwards({ service, hasTables }: Battlefield): Promise<string[]> {
  const endMs = performance.now() + BOUNDS.normalMs;
  for (;;) {
    const exchanges = await Promise.all(
      [...AFTERWARDS, ...(hasTables ? [RUNNING] : [])].map((params) =>
        send(service.port, post(FORM, params), { leaveAfterMs: ANSWER_MS }),
      ),
    );
    const isAnswered = exchanges.every(({ unanswered }) => !unanswered);
    const running = exchanges[AFTERWARDS.length]?.answers[0]?.body ?? '';
    if (isAnswered && (!hasTables || running.includes('"items":[]'))) return [];
    if (performance.now() > endMs) {
      return [`after a minute, ${isAnswered ? `statements run: ${running.slice(-300)}` : 'a command is not answered'}`];
    }
    await Bun.sleep(ANSWER_MS / 4);
  }
}

export interface StopReport {
  readonly stoppedMs: number;
  /** The problem, or undefined. */
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
      Bun.sleep(allowedMs(BOUNDS.stopMs)).then(() => false),
    ]);
    const stoppedMs = performance.now() - startMs;
    return { stoppedMs, harm: ended ? undefined : `still running ${stoppedMs.toFixed(0)} ms after SIGTERM` };
  } finally {
    await service.kill();
  }
}

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);

export function describeAttack({ title, harms, isBusy, elapsedMs, peakGrowthBytes, victim }: AttackReport): string {
  const [get, live, bare] = [victim.gets, victim.live, victim.bare].map(({ p99Ms }) => p99Ms.toFixed(1));
  const verdict = harms.length === 0 ? 'ok  ' : isBusy ? 'BUSY' : 'HARM';
  const cost = `${elapsedMs.toFixed(0)} ms, +${mib(peakGrowthBytes)} MiB`;
  const reasons = harms.map((harm) => `\n       ${harm}`).join('');
  return `${verdict} ${title} [${cost}, p99 get ${get} live ${live} bare ${bare} ms]${reasons}`;
}
