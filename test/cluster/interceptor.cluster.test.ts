/** The message interceptor in front of a cluster. */
import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test';
import { runInterceptorSuite } from '../system/interceptor.suite.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

setDefaultTimeout(60_000);

describe.skipIf(missingForNodes() !== undefined)('with a cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster(1, { empty: true });
  }, 300_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  runInterceptorSuite(() => ({ SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') }), {
    hasPredicates: false,
    limitMs: 60_000,
  });
});
