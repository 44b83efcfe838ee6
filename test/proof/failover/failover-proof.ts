/**
 * One piece of a long run: several pairs of services side by side, each with its own faults. Prints a line for each
 * fault, and a result for each pair.
 */
import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../simulation/random.ts';
import { shimMissing } from '../crash/shim.ts';
import { buildChecker, checkHistories } from '../history/checker.ts';
import { Pair } from './failover-pair.ts';
import { type FaultKind, LOCAL_KINDS, NETWORK_KINDS, POWER_KINDS, runFaults } from './failover-run.ts';
import { FaultyStore } from './faulty-store.ts';
import { namespacesMissing } from './network.ts';

export interface FailoverProofOptions {
  readonly seed: number;
  /** Sum over all pairs. */
  readonly faults: number;
  readonly pairs: number;
  /** For each pair. */
  readonly clients: number;
  readonly leaseMs: number;
  readonly mode: 'remote' | 'local';
  readonly reads: 'remote' | 'local';
  /** For the mode `local`. */
  readonly maxLossMs: number;
  /** Pause of each client after an answer. */
  readonly thinkMs: number;
  readonly maxMs: number;
  /** The only kinds of faults; undefined for all. */
  readonly kinds: readonly string[] | undefined;
  /** A file that results are appended to; undefined if none. */
  readonly results: string | undefined;
  readonly go: string;
  readonly print: (line: string) => void;
}

/** Returns the problems. */
export async function proveFailover(options: FailoverProofOptions): Promise<readonly string[]> {
  const { pairs, maxMs, kinds, go, print } = options;
  const [networks, records] = [namespacesMissing(), shimMissing()];
  if (networks !== undefined) print(`no partitions: ${networks}`);
  if (records !== undefined) print(`no power cuts: ${records}`);
  const known = [
    ...LOCAL_KINDS,
    ...(records === undefined ? POWER_KINDS : []),
    ...(networks === undefined ? NETWORK_KINDS : []),
  ];
  const run = {
    ...options,
    kinds: kinds === undefined ? known : known.filter((kind) => kinds.includes(kind)),
    hasNetworks: networks === undefined,
    untilMs: performance.now() + maxMs,
    program: await buildChecker(go),
  };
  const wrong = await Promise.all(Array.from({ length: pairs }, (_, number) => runPair(number, run)));
  return wrong.flat();
}

interface PairRun extends Omit<FailoverProofOptions, 'kinds'> {
  readonly kinds: readonly FaultKind[];
  readonly hasNetworks: boolean;
  readonly untilMs: number;
  /** The checker. */
  readonly program: string;
}

async function runPair(number: number, run: PairRun): Promise<readonly string[]> {
  const { seed, faults, pairs, clients, leaseMs, mode, reads, maxLossMs, thinkMs, untilMs, print, program } = run;
  const random = new Random(seed * 100 + number);
  using store = new FaultyStore(new Random(seed * 100 + number + 50));
  const { port } = new URL(store.origin);
  const isRemote = mode === 'remote';
  await using pair = new Pair({
    url: (host) => `s3://bucket/faults?endpoint=${encodeURIComponent(`http://${host}:${port}`)}`,
    ...(run.kinds.some((each) => POWER_KINDS.includes(each)) && { records: 'journal' }),
    hasNetworks: run.hasNetworks,
    env: {
      AWS_ACCESS_KEY_ID: 'svc-test',
      AWS_SECRET_ACCESS_KEY: 'svc-test-key',
      SVC_BACKUP_CONTINUOUS_LEASE_MS: String(leaseMs),
      SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: mode,
      SVC_BACKUP_CONTINUOUS_READS: reads,
      ...(!isRemote && {
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: String(maxLossMs),
        // Less than its bound, so changes do not wait while the store is healthy.
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: String(Math.max(100, Math.round(maxLossMs / 4))),
      }),
    },
  });
  const kind = isRemote && reads === 'remote' ? 'shared' : 'owned';
  try {
    const { path, ...result } = await runFaults({
      ...{ pair, clients, thinkMs, leaseMs, random, store, kind, untilMs },
      faults: shuffled(run.kinds, Math.ceil(faults / pairs), random),
      keys: kind === 'shared' ? 40 : 5,
      ...(!isRemote && { maxLossMs }),
      onFault: (line) => print(`${number} ${line}`),
    });
    const verdict = kind === 'shared' ? await checkHistories(program, [path], pair.root) : undefined;
    const { rejected = [], unknown: undecided = [], operations = 0 } = verdict ?? {};
    const terms = `${mode}, reads ${reads}, lease ${leaseMs} ms`;
    const line = { seed, pair: number, terms, ...result, operations, rejected, undecided };
    keep(run, { ...line, store: store.counts });
    const wrong = [...result.violations];
    if (rejected.length + undecided.length > 0)
      wrong.push(`not linearizable: ${[...rejected, ...undecided].join(', ')}`);
    if (wrong.length > 0) wrong.push(`kept in ${keepPair(pair, `${seed}-${number}`)}`);
    return wrong.map((text) => `pair ${number} of seed ${seed}: ${text}`);
  } catch (error) {
    keep(run, { seed, pair: number, failed: String(error).slice(0, 300) });
    return [`pair ${number} of seed ${seed}, kept in ${keepPair(pair, `${seed}-${number}`)}: ${String(error)}`];
  }
}

/** Every kind equally often. */
function shuffled(kinds: readonly FaultKind[], count: number, random: Random): readonly FaultKind[] {
  const faults = Array.from({ length: count }, (_, at) => kinds[at % kinds.length] ?? 'kill');
  const order = faults.map((kind) => [random.fraction(), kind] as const);
  return order.sort(([a], [b]) => a - b).map(([, kind]) => kind);
}

function keep({ print, results }: PairRun, line: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(line);
  print(text);
  if (results !== undefined) appendFileSync(results, `${text}\n`);
}

/** Keeps the files from which a violation can be found. */
function keepPair(pair: Pair, name: string): string {
  const kept = join(tmpdir(), `svc-failover-${name}`);
  cpSync(pair.root, kept, { recursive: true });
  for (const service of pair.services) writeFileSync(join(kept, `output-${service.pid}`), service.output());
  return kept;
}
