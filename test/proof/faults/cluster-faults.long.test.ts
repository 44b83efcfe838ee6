/** Short form of `npm run proof -- cluster-faults`. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { missingForNodes } from '../../cluster/ignite-node.ts';
import { CLUSTER_FAULTS, FaultedCluster, runClusterFault } from './cluster-faults.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_266);
const FAULT_MS = 3_000;
const CLIENTS = 8;

const missing = missingForNodes();
// Starting nodes takes time, as does waiting for a lost response.
setDefaultTimeout(300_000);

describe(`a service in front of a cluster survives, seed ${SEED}`, () => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }
  let faulted: FaultedCluster;
  beforeAll(async () => {
    faulted = await FaultedCluster.start(SEED);
  });
  afterAll(() => faulted[Symbol.asyncDispose]());

  for (const fault of CLUSTER_FAULTS.filter(({ isLong }) => isLong !== true)) {
    test(fault.title, async () => {
      const report = await runClusterFault(faulted, fault, { seed: SEED, faultMs: FAULT_MS, clients: CLIENTS });
      expect(report.wrong).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(40);
    });
  }
});
