/**
 * The long forms: `npm run proof -- NAME [--option value ...]`, with the names of `PROOFS` below; without one all of
 * them. Each prints its results and its seed; the exit code is 1 if any check fails.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missingForNodes } from '../cluster/ignite-node.ts';
import { runCrashes } from './crash/crash-run.ts';
import { runFeedCrashes } from './crash/feed-run.ts';
import { shimMissing } from './crash/shim.ts';
import { runDeclarationKills } from './declarations/declaration-kills.ts';
import { proveFailover } from './failover/failover-proof.ts';
import { CLUSTER_FAULTS, FaultedCluster, runClusterFault } from './faults/cluster-faults.ts';
import { FAULTS, runFault } from './faults/faults.ts';
import { runIoErrors } from './faults/io-errors.ts';
import { buildChecker, checkHistories, findGo } from './history/checker.ts';
import { checkFeed, parseFeed, parseHistory } from './history/feed-check.ts';
import { reportOn } from './history/feed-report.ts';
import { recordClusterHistory, recordHistory } from './history/record.ts';
import { runInterruptedImport } from './import/interrupted-import.ts';
import { runInstants } from './shipping/instants-run.ts';
import { runOutage } from './shipping/outage-run.ts';
import { runShipping } from './shipping/shipping-run.ts';
import { runSimulation } from './simulation/run.ts';
import { runSoak } from './soak/soak-run.ts';

const MIN_SHARE_INSIDE_COMMIT = 0.3;
/** The permitted lag of a continuous backup's destination after a kill, at the 99.9th percentile and at most. */
const SHIPPED_MS = 1_500;
const LONGEST_SHIPPED_MS = 5_000;
/** From this many crashes on, their share inside a commit and the startup times are also checked. */
const FULL_CRASHES = 100;
/** From this many rows on, interruptions have to hit the import. */
const FULL_ROWS = 1_000_000;
/** Kills while objects are declared, and their number. */
const DECLARATION_KILLS = 50;
const DECLARED_OBJECTS = 10_000;
/** Events of one seed of the simulation. */
const SIMULATION_STEPS = 100_000;

const OPTIONS = {
  seed: { type: 'string' },
  crashes: { type: 'string', default: '200' },
  entries: { type: 'string', default: '1000000' },
  operations: { type: 'string', default: '1000000' },
  kills: { type: 'string', default: '20' },
  /** Whether a consumer follows the change feed during histories; false if the feed is off. */
  feed: { type: 'string', default: 'true' },
  rows: { type: 'string', default: '1000000' },
  clients: { type: 'string', default: '32' },
  /** Time between kills or pauses of nodes, and duration of a fault of a cluster, in seconds. */
  'fault-interval': { type: 'string', default: '12' },
  /** Events of the simulation. */
  steps: { type: 'string', default: '1000000' },
  /** The share of operations below SQLite that fail once: every n-th. */
  every: { type: 'string', default: '1' },
  /** The only error below SQLite that is tested, EIO or ENOSPC; both if absent. */
  error: { type: 'string' },
  /** Faults of pairs of services, of all pairs together, and the options of the services. */
  faults: { type: 'string', default: '500' },
  pairs: { type: 'string', default: '3' },
  lease: { type: 'string', default: '3000' },
  mode: { type: 'string', default: 'remote' },
  reads: { type: 'string', default: 'remote' },
  'max-loss': { type: 'string', default: '1000' },
  /** Pause of each client of a pair after a response, in ms: less load leaves room for more pairs. */
  think: { type: 'string', default: '0' },
  /** Kinds of faults, separated by commas; absent for all. */
  kinds: { type: 'string' },
  /** Duration; by default, 10 for an outage, else 60. */
  minutes: { type: 'string' },
  /** Instants of a mixed load that are restored. */
  instants: { type: 'string', default: '1000' },
  /** File with the result of each kill of a shipping service, so a run can continue an earlier one. */
  results: { type: 'string' },
  /** Requests per second; by default, 200 for the long run, 5,000 for an outage. */
  rate: { type: 'string' },
  'max-log-bytes': { type: 'string', default: String(4 * 1024 ** 3) },
  /** File that pauses the long run while it exists, on a machine where others measure. */
  'pause-file': { type: 'string' },
  /** HTTP threads; by default, 2 for crashes, one run with 1 and one with 2 for histories. */
  workers: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const { values, positionals } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, options: OPTIONS });

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const failures: string[] = [];

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function check(passed: boolean, violation: string): void {
  if (!passed) failures.push(violation);
}

async function crashes(kind: 'kill' | 'power'): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return check(false, `${kind}: ${missing}`);
  const options = { kind, seed, crashes: Number(values.crashes), workers: Number(values.workers ?? 2) };
  // Power cuts copy the disk, so only kills run with 10^6 entries.
  const result = await runCrashes({
    ...options,
    entries: kind === 'kill' ? Number(values.entries) : 0,
    onCrash: print,
    onViolation: (violation) => print(`(fail) ${violation}`),
  });
  const { wrong, ...rest } = result;
  print(JSON.stringify({ kind, seed, ...rest, wrong: wrong.length }, undefined, 2));
  for (const violation of wrong) failures.push(violation);
  check(result.crashes === options.crashes, `${kind}: ${result.crashes} of ${options.crashes} crashes`);
  // Fewer crashes say little about the share, and CI runs them on a machine that may be busy.
  if (options.crashes < FULL_CRASHES) return;
  const share = result.insideCommit / result.crashes;
  check(share >= MIN_SHARE_INSIDE_COMMIT, `${kind}: only ${(share * 100).toFixed(0)} % hit a commit`);
  for (const slow of result.slowStarts) failures.push(`${kind}: ${slow}`);
}

async function feed(): Promise<void> {
  const kills = Number(values.crashes);
  const { wrong, ...rest } = await runFeedCrashes({ seed, kills, workers: Number(values.workers ?? 2), onKill: print });
  print(JSON.stringify({ seed, ...rest, wrong: wrong.length }, undefined, 2));
  for (const violation of wrong) failures.push(`feed: ${violation}`);
}

async function imports(): Promise<void> {
  const rows = Number(values.rows);
  const options = { rows, seed, interruptions: Number(values.kills) / 2, longestMs: rows / 3_000 };
  const { wrong, ...rest } = await runInterruptedImport({ ...options, onInterruption: print });
  print(JSON.stringify({ seed, rows, ...rest, wrong: wrong.length }, undefined, 2));
  for (const violation of wrong) failures.push(`import: ${violation}`);
  // A shorter import may be over before it is interrupted.
  if (rows < FULL_ROWS) return;
  check(rest.inside >= rest.kills, `import: only ${rest.inside} interruptions hit the import`);
}

async function declarations(): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return check(false, `declarations: ${missing}`);
  const options = { seed, kills: DECLARATION_KILLS, objects: DECLARED_OBJECTS };
  const { wrong, ...rest } = await runDeclarationKills({ ...options, onKill: print });
  print(JSON.stringify({ ...options, ...rest, wrong: wrong.length }, undefined, 2));
  for (const violation of wrong) failures.push(`declarations: ${violation}`);
}

/** A kill of a run, or a violation after one, as stored in the file of `--results`. */
interface ShippingLine {
  readonly seed: number;
  readonly missingMs?: number;
  readonly loadMs?: number;
  readonly wrong?: string;
}

/** With `--results FILE`, a run includes the earlier results in the file, and ends after `--minutes`. */
async function shipping(kind: 'kill' | 'power'): Promise<void> {
  const kills = Number(values.crashes);
  const { results } = values;
  const lines: ShippingLine[] = [];
  if (results !== undefined && existsSync(results)) {
    const text = readFileSync(results, 'utf8').trim();
    if (text !== '') lines.push(...text.split('\n').map((line) => JSON.parse(line) as ShippingLine));
  }
  const keep = (line: ShippingLine): void => {
    lines.push(line);
    if (results !== undefined) appendFileSync(results, `${JSON.stringify(line)}\n`);
  };
  const missing = (): number[] => lines.flatMap(({ missingMs }) => (missingMs === undefined ? [] : [missingMs]));
  const { changes, cut } = await runShipping({
    kind,
    seed,
    kills: kills - missing().length,
    clients: Number(values.clients),
    longestMs: 2_500,
    ...(results !== undefined && { maxMs: Number(values.minutes ?? 60) * 60_000 }),
    onKill: (missingMs, loadMs) => keep({ seed, missingMs: Math.round(missingMs), loadMs }),
    onViolation: (wrong) => {
      print(`(fail) ${wrong}`);
      keep({ seed, wrong });
    },
  });
  const missingMs = missing().sort((x, y) => x - y);
  const at = (share: number): number => missingMs[Math.ceil(share * missingMs.length) - 1] ?? 0;
  const wrong = lines.flatMap((line) => (line.wrong === undefined ? [] : [`seed ${line.seed}: ${line.wrong}`]));
  print(
    JSON.stringify({
      kind,
      seeds: [...new Set(lines.map((line) => line.seed))],
      kills: missingMs.length,
      changes,
      ...(kind === 'power' && { cut }),
      medianMs: at(0.5),
      p999Ms: at(0.999),
      longestMs: at(1),
      wrong: wrong.length,
    }),
  );
  for (const violation of wrong) failures.push(`shipping, ${kind}: ${violation}`);
  if (kills >= FULL_CRASHES) check(at(0.999) <= SHIPPED_MS, `shipping: ${at(0.999)} ms missing (99.9th percentile)`);
  check(at(1) <= LONGEST_SHIPPED_MS, `shipping: ${at(1)} ms were missing`);
}

async function instants(): Promise<void> {
  const count = Number(values.instants);
  const { wrong, ...rest } = await runInstants({
    seed,
    instants: count,
    byLitestream: Math.ceil(count / 10),
    clients: Number(values.clients),
    meanMs: (Number(values.minutes ?? 60) * 60_000) / count,
    onViolation: (violation) => print(`(fail) ${violation}`),
  });
  print(JSON.stringify({ seed, instants: count, ...rest, wrong: wrong.length }));
  for (const violation of wrong) failures.push(`instants: ${violation}`);
  check(rest.equal === count, `instants: ${rest.equal} of ${count} are equal`);
  check(rest.equalByLitestream !== undefined, 'instants: the program of Litestream is missing');
}

async function outage(): Promise<void> {
  const maxLogBytes = Number(values['max-log-bytes']);
  const { wrong, ...rest } = await runOutage({
    seed,
    awayMs: Number(values.minutes ?? 10) * 60_000,
    rate: Number(values.rate ?? 5_000),
    clients: Number(values.clients),
    maxLogBytes,
    onPhase: print,
  });
  print(JSON.stringify({ seed, maxLogBytes, ...rest, wrong: wrong.length }));
  for (const violation of new Set(wrong)) failures.push(`outage: ${violation}`);
  check(rest.longestLogBytes <= maxLogBytes, `outage: the log had ${rest.longestLogBytes} bytes`);
}

async function histories(): Promise<void> {
  const go = findGo();
  if (go === undefined) return check(false, 'history: the checker needs Go, but `go` was not found');
  const program = await buildChecker(go);
  for (const workers of values.workers === undefined ? [1, 2] : [Number(values.workers)]) {
    // Kept, because the analysis of a rejected key needs it.
    const folder = join(tmpdir(), `svc-history-${seed}-${workers}`);
    mkdirSync(folder, { recursive: true });
    const [path, feedPath] = [join(folder, 'history.tsv'), join(folder, 'feed.tsv')];
    const { feed, ...result } = await recordHistory({
      seed,
      workers,
      path,
      ...(values.feed !== 'false' && { feedPath }),
      operations: Number(values.operations),
      clients: Number(values.clients),
      kills: Number(values.kills),
    });
    const startMs = performance.now();
    const verdict = await checkHistories(program, [path], folder);
    const checkedSeconds = (performance.now() - startMs) / 1000;
    const followed = feed && { feed: { changes: feed.changes, streams: feed.streams.length } };
    print(JSON.stringify({ workers, seed, ...result, ...followed, ...verdict, checkedSeconds, folder }, undefined, 2));
    if (feed !== undefined) {
      const [history, changes] = [parseHistory(readFileSync(path, 'utf8')), parseFeed(readFileSync(feedPath, 'utf8'))];
      const violations = checkFeed(history, changes, feed.contents);
      print(`${violations.length} violations of the change feed`);
      for (const line of reportOn(violations, { history, changes, streams: feed.streams })) print(line);
      for (const violation of [...feed.wrong, ...violations]) failures.push(`workers=${workers}: feed: ${violation}`);
    }
    check(verdict.rejected.length === 0, `workers=${workers}: not linearizable: ${verdict.rejected.join(', ')}`);
    check(verdict.unknown.length === 0, `workers=${workers}: not judged in time: ${verdict.unknown.join(', ')}`);
    check(verdict.operations === result.operations, `workers=${workers}: not every operation was judged`);
  }
}

/** Histories of clients in front of three nodes of a cluster, which are killed and paused. */
async function clusterHistories(): Promise<void> {
  const missing = missingForNodes();
  if (missing !== undefined) return check(false, `cluster-history: ${missing}`);
  const go = findGo();
  if (go === undefined) return check(false, 'cluster-history: the checker needs Go, but `go` was not found');
  const program = await buildChecker(go);
  const folder = join(tmpdir(), `svc-history-${seed}-cluster`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'history.tsv');
  const result = await recordClusterHistory({
    seed,
    path,
    operations: Number(values.operations),
    clients: Number(values.clients),
    maxSeconds: Number(values.minutes ?? 60) * 60,
    minFaults: 2,
    faultIntervalMs: Number(values['fault-interval']) * 1_000,
    onFault: print,
  });
  const verdict = await checkHistories(program, [path], folder);
  print(JSON.stringify({ seed, ...result, ...verdict, folder }, undefined, 2));
  check(verdict.rejected.length === 0, `cluster-history: not linearizable: ${verdict.rejected.join(', ')}`);
  check(verdict.unknown.length === 0, `cluster-history: not judged in time: ${verdict.unknown.join(', ')}`);
}

async function faults(): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return check(false, `faults: ${missing}`);
  for (const fault of FAULTS) {
    const { title, acknowledged, errors, wrong } = await runFault(fault);
    print(`${wrong.length === 0 ? '(pass)' : '(fail)'} ${title}: ${acknowledged} changes acknowledged`);
    for (const error of errors) print(`       ${error}`);
    for (const violation of wrong) failures.push(`faults, ${title}: ${violation}`);
  }
}

/** Faults between a service and the nodes of a cluster, and of the nodes. */
async function clusterFaults(): Promise<void> {
  const missing = missingForNodes();
  if (missing !== undefined) return check(false, `cluster-faults: ${missing}`);
  await using faulted = await FaultedCluster.start(seed);
  const options = { faultMs: Number(values['fault-interval']) * 1_000, clients: Number(values.clients) };
  for (const [index, fault] of CLUSTER_FAULTS.entries()) {
    const { title, errors, wrong, ...rest } = await runClusterFault(faulted, fault, { seed: seed + index, ...options });
    print(`${wrong.length === 0 ? '(pass)' : '(fail)'} ${title}: ${JSON.stringify(rest)}`);
    for (const [error, count] of errors) print(`       ${count} times ${error}`);
    for (const violation of wrong) {
      print(`       (fail) ${violation}`);
      failures.push(`cluster-faults, ${title}: ${violation}`);
    }
  }
}

/** Pairs of services that take over from each other, under faults of every kind. */
async function failover(): Promise<void> {
  const go = findGo();
  if (go === undefined) return check(false, 'failover: the checker needs Go, but `go` was not found');
  const wrong = await proveFailover({
    ...{ seed, go, print, results: values.results, kinds: values.kinds?.split(',') },
    faults: Number(values.faults),
    pairs: Number(values.pairs),
    clients: Number(values.clients),
    leaseMs: Number(values.lease),
    mode: values.mode === 'local' ? 'local' : 'remote',
    reads: values.reads === 'local' ? 'local' : 'remote',
    maxLossMs: Number(values['max-loss']),
    thinkMs: Number(values.think),
    maxMs: Number(values.minutes ?? 60) * 60_000,
  });
  for (const violation of wrong) failures.push(`failover: ${violation}`);
}

/** Exactly one operation below SQLite fails, each of a workload and of a startup in turn. */
async function ioErrors(): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return check(false, `io-errors: ${missing}`);
  const step = Number(values.every);
  const first = 1 + (seed % step);
  for (const error of ['EIO', 'ENOSPC'] as const) {
    if (values.error !== undefined && values.error !== error) continue;
    const options = { error, first, step, startStep: step, waits: true, onFailure: print };
    const { wrong, ...rest } = await runIoErrors(options);
    print(JSON.stringify({ seed, error, ...rest, wrong: wrong.length }, undefined, 2));
    for (const violation of wrong) failures.push(`io-errors, ${error}: ${violation}`);
  }
}

async function soak(): Promise<void> {
  const ended = new AbortController();
  process.once('SIGTERM', () => ended.abort());
  const result = await runSoak({
    signal: ended.signal,
    seed,
    minutes: Number(values.minutes ?? 60),
    rate: Number(values.rate ?? 200),
    workers: Number(values.workers ?? 2),
    ...(values['pause-file'] !== undefined && { pauseFile: values['pause-file'] }),
    onSample: print,
  });
  const { wrong, ...rest } = result;
  print(JSON.stringify({ seed, ...rest, wrong: wrong.length }, undefined, 2));
  for (const violation of wrong) failures.push(`soak: ${violation}`);
  check('memoryBytes' in result.trends, 'soak: the run was too short for a trend');
}

/** Several seeds in a row. Each repeats exactly. */
async function simulations(): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return check(false, `simulation: ${missing}`);
  const steps = Number(values.steps);
  for (let done = 0, next = seed; done < steps; next++) {
    const { wrong, ...rest } = await runSimulation({ seed: next, steps: Math.min(SIMULATION_STEPS, steps - done) });
    done += rest.steps;
    print(JSON.stringify({ seed: next, ...rest, wrong: wrong.length }));
    for (const violation of wrong) failures.push(`simulation, seed ${next}: ${violation}`);
  }
}

const PROOFS: Readonly<Record<string, () => Promise<void>>> = {
  crash: () => crashes('kill'),
  power: () => crashes('power'),
  history: histories,
  feed,
  'cluster-history': clusterHistories,
  import: imports,
  declarations,
  shipping: () => shipping('kill'),
  'shipping-power': () => shipping('power'),
  instants,
  outage,
  failover,
  simulation: simulations,
  faults,
  'cluster-faults': clusterFaults,
  'io-errors': ioErrors,
  soak,
};

if (values.help) {
  print(
    `npm run proof -- NAME ... [--option value ...]\n\nNames: ${Object.keys(PROOFS).join(', ')}; all by default\nOptions:`,
  );
  for (const [name, option] of Object.entries(OPTIONS)) {
    print(`  --${name}${'default' in option && option.type === 'string' ? ` (${option.default})` : ''}`);
  }
  process.exit(0);
}
for (const name of positionals.length > 0 ? positionals : Object.keys(PROOFS)) {
  const proof = PROOFS[name];
  if (proof === undefined) throw new Error(`unknown proof ${name}; choose from ${Object.keys(PROOFS).join(', ')}`);
  print(`-- ${name}, seed ${seed}`);
  await proof();
}
for (const violation of failures) print(`(fail) ${violation}`);
process.exitCode = failures.length > 0 ? 1 : 0;
