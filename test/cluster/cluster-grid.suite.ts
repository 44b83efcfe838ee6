/** The conformance suite of the port, with queries and tasks, over a cluster. */
import { describe, setDefaultTimeout, test } from 'bun:test';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import type { CacheDefinition, Grid } from '../../src/grid/grid.ts';
import { createLog } from '../../src/service/monitoring/log.ts';
import { ProcessPool } from '../../src/service/tasks/process-pool.ts';
import { createTaskService, type LocalTaskService } from '../../src/service/tasks/task-service.ts';
import { GRID_PARTS, runGridSuite } from '../grid/grid.suite.ts';
import { runQueriesSuite } from '../grid/queries.suite.ts';
import type { EngineTraits, SuiteContext, SuiteSubject } from '../grid/suite-context.ts';
import { runTasksSuite } from '../grid/tasks.suite.ts';
import { runTransactionsSuite } from '../grid/transactions.suite.ts';
import { missingForNodes, startCluster } from './ignite-node.ts';

const TEMPLATE: CacheDefinition = {
  name: '',
  mode: 'PARTITIONED',
  backups: 0,
  region: 'default',
  group: undefined,
  writeMode: 'FULL_SYNC',
  atomicity: 'TRANSACTIONAL',
  schema: undefined,
  entities: [],
  persistent: true,
};
let transactional = 0;

const TRAITS: EngineTraits = {
  // A field's type never changes once it is registered (docs/spec/ignite-wire.md 6).
  freeFields: false,
  // Where the region persists, names of caches are file names.
  anyCacheName: false,
  // Nodes also count backup copies, and append is a read and a conditional replacement.
  exactMetrics: false,
  // Java's Date equals a Timestamp of the same instant, and nodes keep entries in use in a Java map.
  distinctTimeKeys: false,
  // Java writes a lone surrogate as a question mark, so two keys would become one.
  loneSurrogates: false,
  onlyEntriesInTransactions: true,
};

async function openSubject(nodes: number, backups: number): Promise<SuiteSubject> {
  const cluster = await startCluster(nodes, { persistent: true, backups });
  const grid = await openClusterGrid({ clock: systemClock, endpoints: cluster.addresses });
  return {
    grid,
    traits: TRAITS,
    pass: (ms) => Bun.sleep(ms),
    timeFactor: 4,
    async newTransactionalCache() {
      const name = `transactional${++transactional}`;
      await grid.transfer.define({ ...TEMPLATE, name, backups });
      return name;
    },
    exclusive: true,
    async close() {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** Runs the suite over tasks of the nodes. */
function runNodeTasks(context: SuiteContext): void {
  let tasks: LocalTaskService | undefined;
  runTasksSuite('its nodes', () => {
    tasks ??= tasksOf(context.subject().grid);
    return { lengths: 'RefNode$LenTask', waits: 'RefNode$SleepTask', ...tasks };
  });
}

function tasksOf(grid: Grid): LocalTaskService {
  const pool = new ProcessPool({
    grid,
    clock: systemClock,
    log: createLog({ append() {} }, 'error', systemClock),
    // No name belongs to a task of the service, so no task process starts.
    command: [],
    environment: {},
    configuration: undefined,
    count: 1,
    memoryBytes: 0,
    maxWaiting: 1,
    targetMs: 100,
  });
  return createTaskService({ grid, clock: systemClock, pool, names: new Set(), maxResults: 100, maxTimeoutMs: 60_000 });
}

/** Runs the suite over a cluster of this many nodes. */
export function runClusterGridSuite(title: string, nodes: number, backups: number): void {
  // Starting nodes takes time.
  setDefaultTimeout(180_000);
  const missing = missingForNodes();
  if (missing === undefined) {
    const parts = [...GRID_PARTS, runQueriesSuite, runTransactionsSuite, runNodeTasks];
    runGridSuite(title, () => openSubject(nodes, backups), parts);
  } else {
    describe(title, () => {
      test.skip(missing, () => {});
    });
  }
}
