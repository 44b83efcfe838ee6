/** The rule of `test/system/written-back` in front of a cluster: what is read can be written back. */
import { afterAll, beforeAll, describe } from 'bun:test';
import { runEntriesSuite } from '../system/written-back/entries.suite.ts';
import type { Exception } from '../system/written-back/law.ts';
import { runRowsSuite } from '../system/written-back/rows.suite.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const START_LIMIT_MS = 300_000;

const COLUMNS: readonly Exception[] = [
  {
    write: ['POST of rows as ndjson', 'POST of rows as csv'],
    reason: 'a cluster stores the records of an import in batches, not in one transaction',
  },
  {
    types: ['TIMESTAMP'],
    values: ['"-0001-05-05 00:00:00.0"'],
    write: ['insert of literals', 'insert of arguments', 'insert of arguments as texts', 'a batch of inserts'],
    reason: 'nodes convert texts without a type themselves, and read no timestamp before the year 1',
  },
];

describe.skipIf(missingForNodes() !== undefined)('in front of a cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster(1);
  }, START_LIMIT_MS);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const engine = {
    isCluster: true,
    limitMs: 180_000,
    environment: () => ({ SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') }),
  };
  runRowsSuite(engine, COLUMNS);
  runEntriesSuite(engine);
});
