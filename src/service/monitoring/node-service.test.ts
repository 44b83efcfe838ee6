import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import type { GridNode } from '../../grid/grid.ts';
import { Metrics } from './metrics.ts';
import { createNodeService } from './node-service.ts';
import type { ProcessMetrics } from './process-metrics.ts';

const MACHINE: ProcessMetrics = {
  startedAtMs: 1_699_999_990_000,
  upTimeMs: () => 10_000,
  memory: () => ({ residentBytes: 50, heapUsedBytes: 10, heapCommittedBytes: 20, externalBytes: 5 }),
  processor: () => ({ count: 2, usedMs: 500, currentLoad: 0.5, averageLoad: 0.025 }),
  threads: () => ({ current: 2, maximum: 3, started: 4 }),
  openFiles: async () => 12,
  maxOpenFiles: 1_024,
  disk: () => ({ freeBytes: 100, totalBytes: 200, usableBytes: 90 }),
  properties: () => ({ 'os.name': 'Linux', 'runtime.name': 'bun', 'runtime.version': '1' }),
  processId: 7,
  userName: 'ann',
  totalMemoryBytes: 1_000,
  hardwareAddresses: () => ['02FC00000001'],
  networkAddresses: () => ['10.0.0.1', '127.0.0.1'],
};

async function start(ownCachesListed = false) {
  const clock = new ManualClock();
  const grid = openModelGrid({ clock });
  await grid.caches.getOrCreate('r', { template: 'REPLICATED' });
  const metrics = new Metrics(['get'], 1);
  metrics.publish({ httpRequests: 12, sentBytes: 1_000, receivedBytes: 500 });
  const service = createNodeService({
    failover: () => undefined,
    grid,
    clock,
    defaultCache: 'default',
    ownCachesListed,
    machine: MACHINE,
    metrics,
    jobs: () => ({
      active: 1,
      waiting: 2,
      maximumActive: 3,
      maximumWaiting: 4,
      executed: 10,
      rejected: 1,
      cancelled: 2,
      totalExecuteMs: 1_000,
      maximumExecuteMs: 300,
      totalWaitMs: 50,
      maximumWaitMs: 20,
      idleSinceMs: 0,
    }),
    executedTasks: () => 5,
    listening: () => ({ addresses: ['127.0.0.1'], hostNames: ['localhost'], port: 8080 }),
    portRange: 100,
    workers: 1,
  });
  return { clock, grid, service };
}

test('the service lists its own caches only when told to', async () => {
  for (const listed of [false, true]) {
    const { grid, service } = await start(listed);
    const sessions = await grid.caches.find('r');
    grid.caches.listOwn = () => (sessions ? [{ ...sessions, name: 'svc-sys-records' }] : []);
    const [node] = await service.describe({ metrics: false, attributes: false, caches: true });
    expect(node?.caches?.some(({ name }) => name === 'svc-sys-records')).toBe(listed);
  }
});

const NOTHING = { metrics: false, attributes: false, caches: false };

/** Returns the names of the metrics in the recorded case `node.mtr`. */
function recordedMetrics(): string[] {
  const file = path.join(import.meta.dir, '../../../test/reference/cluster.jsonl');
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((each) => each.includes('"id":"node.mtr"'));
  const metrics = /"metrics":(\{[^}]*\})/g.exec(line?.slice(line.indexOf('"mtr"')) ?? '')?.[1] ?? '{}';
  return Object.keys(JSON.parse(metrics) as object).sort();
}

describe('describe, for a single node,', () => {
  test('returns the members of docs/spec/contract.md 2.5', async () => {
    const { service, grid } = await start();
    const [node, ...others] = await service.describe({ ...NOTHING, caches: true });
    expect(others).toEqual([]);
    expect(node).toMatchObject({
      nodeId: grid.cluster.localNodeId,
      consistentId: expect.any(String),
      tcpAddresses: ['127.0.0.1'],
      tcpHostNames: ['localhost'],
      tcpPort: 8080,
      order: 1,
      replicaCount: 0,
      defaultCacheMode: 'PARTITIONED',
      metrics: null,
      attributes: null,
    });
    expect(node?.caches).toContainEqual({ name: '', mode: 'PARTITIONED', sqlSchema: 'PUBLIC' });
    expect(node?.caches).toContainEqual({ name: 'r', mode: 'REPLICATED', sqlSchema: null });
  });

  const optionalParts: ReadonlyArray<readonly ['metrics' | 'attributes' | 'caches']> = [
    ['metrics'],
    ['attributes'],
    ['caches'],
  ];
  for (const [part] of optionalParts) {
    test(`returns ${part} only on request`, async () => {
      const { service } = await start();
      const [without] = await service.describe(NOTHING);
      const [withPart] = await service.describe({ ...NOTHING, [part]: true });
      expect(without?.[part]).toBeNull();
      expect(withPart?.[part]).not.toBeNull();
    });
  }

  test('returns the metrics of Ignite as numbers', async () => {
    const { service } = await start();
    const [node] = await service.describe({ ...NOTHING, metrics: true });
    const metrics = node?.metrics ?? {};
    expect(recordedMetrics().length).toBeGreaterThan(50);
    expect(Object.keys(metrics).sort()).toEqual(recordedMetrics());
    expect(Object.entries(metrics).filter(([, value]) => !Number.isFinite(value))).toEqual([]);
    expect(metrics).toMatchObject({
      upTime: 10_000,
      startTime: 1_699_999_990_000,
      currentCpuLoad: 0.5,
      heapMemoryUsed: 10,
      totalCpus: 2,
      sentBytesCount: 1_000,
      receivedBytesCount: 500,
      receivedMessagesCount: 12,
      currentActiveJobs: 1,
      totalExecutedJobs: 10,
      averageJobExecuteTime: 100,
      busyTimePercentage: 0.1,
      idleTimePercentage: 0.9,
      fileSystemUsableSpace: 90,
    });
  });

  test('returns the attributes of Ignite that apply to this process', async () => {
    const { service } = await start();
    const [node] = await service.describe({ ...NOTHING, attributes: true });
    expect(node?.attributes).toMatchObject({
      'os.name': 'Linux',
      'org.apache.ignite.build.ver': expect.any(String),
      'org.apache.ignite.ips': '10.0.0.1, 127.0.0.1',
      'org.apache.ignite.jvm.pid': 7,
      'org.apache.ignite.rest.jetty.port': 8080,
      'org.apache.ignite.rest.tcp.addrs': ['127.0.0.1'],
      'org.apache.ignite.user.name': 'ann',
    });
    expect(Object.keys(node?.attributes ?? {}).filter((name) => name.startsWith('java.'))).toEqual([]);
  });

  test('works in every cluster state', async () => {
    const { service, grid } = await start();
    await grid.cluster.setState('INACTIVE', true);
    const [node] = await service.describe({ metrics: true, attributes: true, caches: true });
    expect(node?.caches?.length).toBeGreaterThan(0);
  });
});

test('describe returns the nodes of a cluster as the engine describes them', async () => {
  const { service, grid } = await start();
  const remote: GridNode = {
    id: '00000000-0000-0000-0000-000000000002',
    consistentId: 'second',
    order: 2,
    local: false,
    addresses: ['10.0.0.2'],
    hostNames: ['two'],
    port: 11_211,
    metrics: { totalCpus: 8 },
    attributes: { 'os.name': 'Other' },
  };
  const own = await grid.cluster.nodes(NOTHING);
  grid.cluster.nodes = () => [...own, remote];
  const described = await service.describe({ metrics: true, attributes: true, caches: false });
  expect(described[1]).toMatchObject({
    nodeId: remote.id,
    tcpAddresses: ['10.0.0.2'],
    tcpPort: 11_211,
    order: 2,
    metrics: { totalCpus: 8 },
    attributes: { 'os.name': 'Other' },
  });
});
