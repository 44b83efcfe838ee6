/** Short form of the faults of failover.long.test.ts, and a planted violation that the checker must reject. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ScriptedObjectStore } from '../../scripted-object-store.ts';
import { Random } from '../../simulation/random.ts';
import { shimMissing } from '../crash/shim.ts';
import { buildChecker, checkHistories, findGo } from '../history/checker.ts';
import { Pair } from './failover-pair.ts';
import { POWER_KINDS, runFaults } from './failover-run.ts';

const LEASE_MS = 2_000;
const LIMIT_MS = 300_000;
const go = findGo();
const inCi = process.env.SVC_TEST_CI === 'true' || process.env.CI === 'true';
const PLAN = { kind: 'shared', keys: 40, leaseMs: LEASE_MS, random: new Random(20_262) } as const;
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'svc-test', AWS_SECRET_ACCESS_KEY: 'svc-test-key' };

describe.skipIf(go === undefined && !inCi)('histories across takeovers', () => {
  let program = '';
  let store: ScriptedObjectStore;
  beforeAll(async () => {
    store = new ScriptedObjectStore();
    if (go !== undefined) program = await buildChecker(go);
  }, LIMIT_MS);
  afterAll(() => store[Symbol.dispose]());

  // Changes are answered long before they are shipped.
  test(
    'are rejected when what was acknowledged is lost',
    async () => {
      const url = store.bucketUrl('planted');
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '60000',
      };
      await using pair = new Pair({ url, env });
      const { path } = await runFaults({ ...PLAN, pair, faults: ['kill'], clients: 2 });
      const { rejected } = await checkHistories(program, [path]);
      expect(rejected.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    'are linearizable when changes are acknowledged in the destination, and reads wait for it',
    async () => {
      const url = store.bucketUrl('faults');
      const env = { ...CREDENTIALS, SVC_BACKUP_CONTINUOUS_READS: 'remote' };
      await using pair = new Pair({ url, env });
      const faults = ['kill', 'hand over', 'suspend'] as const;
      const { path, writes, outagesMs, violations } = await runFaults({ ...PLAN, pair, faults, clients: 4 });
      const { rejected, unknown, operations } = await checkHistories(program, [path]);
      expect({ rejected, unknown }).toEqual({ rejected: [], unknown: [] });
      expect(operations).toBeGreaterThan(100);
      expect(writes).toBeGreaterThan(50);
      expect(violations).toEqual([]);
      expect(Math.max(...Object.values(outagesMs).flat())).toBeLessThan(LEASE_MS + 15_000);
    },
    LIMIT_MS,
  );

  test(
    'lose no more than maxLossMs when changes are acknowledged on the disk, and the service that was replaced says so',
    async () => {
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '500',
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '1000',
      };
      await using pair = new Pair({ url: store.bucketUrl('local'), env });
      const plan = { ...PLAN, kind: 'owned', keys: 5, clients: 4, maxLossMs: 1_000 } as const;
      const { violations, writes } = await runFaults({ ...plan, pair, faults: ['kill', 'restart', 'suspend'] });
      expect(violations).toEqual([]);
      expect(writes).toBeGreaterThan(50);
    },
    LIMIT_MS,
  );

  test.skipIf(shimMissing() !== undefined)(
    'are linearizable when either service loses its power, and of its disk what was not synced',
    async () => {
      const env = { ...CREDENTIALS, SVC_BACKUP_CONTINUOUS_READS: 'remote' };
      await using pair = new Pair({ url: store.bucketUrl('power'), env, records: 'journal' });
      const faults = [...POWER_KINDS, 'hand over'] as const;
      const { path, violations, cut } = await runFaults({ ...PLAN, pair, faults, clients: 4 });
      const { rejected, unknown } = await checkHistories(program, [path]);
      expect({ rejected, unknown, violations }).toEqual({ rejected: [], unknown: [], violations: [] });
      expect(cut.unsynced).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test.skipIf(shimMissing() !== undefined)(
    'are rejected when changes are acknowledged before they are synced, and the power fails',
    async () => {
      const env = {
        ...CREDENTIALS,
        SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
        SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
        SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '60000',
      };
      await using pair = new Pair({ url: store.bucketUrl('unsynced'), env, records: 'ignoreLog' });
      const { path } = await runFaults({ ...PLAN, pair, faults: ['power restart', 'power restart'], clients: 2 });
      const { rejected } = await checkHistories(program, [path]);
      expect(rejected.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
