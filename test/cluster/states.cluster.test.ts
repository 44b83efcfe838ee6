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

  test('the time of creation is known of caches that a service created, and 0 for others', async () => {
    const beforeMs = Date.now();
    await cluster.rest({ cmd: 'getorcreate', cacheName: 'foreign' });
    await service.command('cmd=getorcreate&cacheName=own');
    const timeOf = async (asked: ServiceProcess, cache: string) =>
      ((await asked.command(`cmd=cache&cacheName=${cache}`)) as { createTime: number }).createTime;
    const own = await timeOf(service, 'own');
    expect(own).toBeGreaterThanOrEqual(beforeMs);
    expect(own).toBeLessThanOrEqual(Date.now());
    expect(await timeOf(asReference, 'own')).toBe(own);
    for (const asked of [service, asReference, service]) expect(await timeOf(asked, 'foreign')).toBe(0);
  });

  /** The commands that store data and remove it, and the cache for which INACTIVE without force is rejected. */
  const LOSSES: ReadonlyArray<readonly [stored: string, undo: string, rejectedFor: string | undefined]> = [
    ['cmd=getorcreate&cacheName=empty', 'cmd=state', undefined],
    ['cmd=put&cacheName=empty&key=a&val=b', 'cmd=rmv&cacheName=empty&key=a', 'empty'],
    ['cmd=cache&cacheName=empty', 'cmd=state', undefined],
    ['cmd=incr&key=lost&init=1&delta=1', 'cmd=state', 'ignite-sys-atomic-cache@default-ds-group'],
  ];
  test('INACTIVE needs force only where something would be lost, and so says a dry run', async () => {
    const empty = await startCluster(1, { empty: true });
    const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: empty.endpoints.join(',') };
    const asked = await startService({ env });
    const strict = await startService({ env: { ...env, SVC_COMPATIBILITY: 'reference' } });
    try {
      await asked.command('cmd=getorcreate&cacheName=first');
      const rejected = expect.stringContaining('Deactivation stopped');
      expect((await strict.send('cmd=setstate&state=INACTIVE')).error).toEqual(rejected);
      await asked.command('cmd=destcache&cacheName=first');
      for (const [stored, undo, rejectedFor] of LOSSES) {
        expect({ stored, error: (await asked.send(stored)).error }).toEqual({ stored, error: null });
        const expected =
          rejectedFor === undefined ? null : expect.stringContaining(`In memory caches: [${rejectedFor}] `);
        for (const request of ['cmd=dryrun&of=setstate&state=INACTIVE', 'cmd=setstate&state=INACTIVE']) {
          const { error } = await asked.send(request);
          expect({ stored, request, error }).toEqual({ stored, request, error: expected });
        }
        expect(await asked.command('cmd=state')).toBe(rejectedFor === undefined ? 'INACTIVE' : 'ACTIVE');
        await asked.command('cmd=setstate&state=ACTIVE');
        await asked.command(undo);
      }
    } finally {
      await asked[Symbol.asyncDispose]();
      await strict[Symbol.asyncDispose]();
      await empty[Symbol.asyncDispose]();
    }
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
