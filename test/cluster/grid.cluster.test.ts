/** The conformance suite of the port over clusters of one and of three nodes. */
import { describe, setDefaultTimeout, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import { runGridSuite, type SuiteSubject } from '../../src/grid/grid.suite.ts';
import { missingForNodes, startCluster } from './reference-node.ts';

const missing = missingForNodes();
// Nodes take their time to start and to agree.
setDefaultTimeout(180_000);

async function openSubject(nodes: number, backups: number): Promise<SuiteSubject> {
  const cluster = await startCluster(nodes, { persistent: true, backups });
  const grid = await openClusterGrid({ clock: systemClock, endpoints: cluster.endpoints });
  return {
    grid,
    pass: (ms) => Bun.sleep(ms),
    exclusive: true,
    async close() {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

if (missing === undefined) {
  runGridSuite('a cluster of one node', () => openSubject(1, 0));
  runGridSuite('a cluster of three nodes', () => openSubject(3, 1));
} else {
  describe('the grid of a cluster', () => {
    test.skip(missing, () => {});
  });
}
