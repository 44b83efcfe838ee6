/** Takeovers under load, many times: kills, hand-overs, and suspensions of up to two leases. */
import { describe, expect, test } from 'bun:test';
import { ScriptedObjectStore } from '../../scripted-object-store.ts';
import { Random } from '../../simulation/random.ts';
import { buildChecker, checkHistories, findGo } from '../history/checker.ts';
import { Pair } from './failover-pair.ts';
import { type Fault, runFaults } from './failover-run.ts';

const LEASE_MS = 2_000;
const FAULTS = Number(process.env.SVC_FAILOVER_FAULTS ?? 40);
const SEED = Number(process.env.PROOF_SEED ?? 20_262);
const LIMIT_MS = 120_000 + FAULTS * 30_000;
const KINDS: readonly Fault[] = ['kill', 'hand over', 'suspend'];
const go = findGo();

describe.skipIf(go === undefined)('histories across many takeovers', () => {
  test(
    'are linearizable',
    async () => {
      using store = new ScriptedObjectStore();
      const program = await buildChecker(go ?? '');
      const url = `s3://bucket/faults?endpoint=${encodeURIComponent(store.origin)}`;
      const env = {
        AWS_ACCESS_KEY_ID: 'svc-test',
        AWS_SECRET_ACCESS_KEY: 'svc-test-key',
        SVC_BACKUP_CONTINUOUS_READS: 'remote',
        SVC_WORKERS: '2',
      };
      await using pair = new Pair({ url, env });
      const random = new Random(SEED);
      const faults = Array.from({ length: FAULTS }, () => KINDS[random.below(KINDS.length)] ?? 'kill');
      const { path, ...counts } = await runFaults({ pair, faults, clients: 6, keys: 60, leaseMs: LEASE_MS });
      process.stdout.write(`${JSON.stringify({ seed: SEED, faults: FAULTS, ...counts })}\n`);
      const { rejected, unknown } = await checkHistories(program, [path]);
      expect({ rejected, unknown }).toEqual({ rejected: [], unknown: [] });
    },
    LIMIT_MS,
  );
});
