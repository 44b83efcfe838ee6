/** Commands in each state of a cluster, and caches that other clients created. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

setDefaultTimeout(180_000);

describe.skipIf(missingForNodes() !== undefined)('states of a cluster', () => {
  let cluster: TestCluster;
  let service: ServiceProcess;
  let asReference: ServiceProcess;
  beforeAll(async () => {
    cluster = await startCluster(1);
    const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') };
    service = await startService({ env });
    asReference = await startService({ env: { ...env, SVC_COMPATIBILITY: 'reference' } });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await asReference?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  test('a cache of another client has the time at which a service saw it first', async () => {
    const beforeMs = Date.now();
    await cluster.rest({ cmd: 'getorcreate', cacheName: 'foreign' });
    const timeOf = async (asked: ServiceProcess) =>
      ((await asked.command('cmd=cache&cacheName=foreign')) as { createTime: number }).createTime;
    // In this mode the service stores nothing of its own, and remembers the time.
    const remembered = await timeOf(asReference);
    expect(remembered).toBeGreaterThanOrEqual(beforeMs);
    expect(await timeOf(asReference)).toBe(remembered);
    const stored = await timeOf(service);
    expect(stored).toBeGreaterThanOrEqual(beforeMs);
    expect(await timeOf(service)).toBe(stored);
    expect(await timeOf(asReference)).toBe(stored);
  });

  test('INACTIVE: top and node work, metadata does not, in both modes', async () => {
    expect(await service.command('cmd=put&key=a&val=b')).toBe(true);
    await asReference.command('cmd=top');
    await service.command('cmd=setstate&state=INACTIVE&force=true');
    try {
      for (const asked of [service, asReference]) {
        const [node] = (await asked.command('cmd=top&attr=true&mtr=true')) as [{ nodeId: string }];
        expect(await asked.command(`cmd=node&id=${node.nodeId}`)).toMatchObject({ nodeId: node.nodeId });
        for (const request of ['cmd=metadata', 'cmd=metadata&cacheName=*', 'cmd=metadata&cacheName=foreign']) {
          const { error } = await asked.send(request);
          // Ignite asks the second node about a named cache, and there is none.
          if (asked === service || !request.endsWith('foreign')) expect(error).toContain('the cluster is inactive');
          else expect(error).not.toBeNull();
        }
      }
    } finally {
      await service.command('cmd=setstate&state=ACTIVE');
    }
  });
});
