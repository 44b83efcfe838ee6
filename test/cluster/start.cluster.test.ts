/** A service that starts before its cluster and outlives it. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { freePort } from '../free-port.ts';
import { allowedMs } from '../system/machine.ts';
import { startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestNode } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);

async function statusOf(origin: string, path: string): Promise<number> {
  return (await fetch(`${origin}/health/${path}`)).status;
}

async function untilReady(origin: string, limitMs: number): Promise<number> {
  const begunMs = performance.now();
  while ((await statusOf(origin, 'ready')) !== 200) {
    if (performance.now() - begunMs > limitMs) throw new Error('the service is not ready in time');
    await Bun.sleep(50);
  }
  return performance.now() - begunMs;
}

describe('a service that starts before its cluster', () => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }

  test('becomes ready by itself, and again after an outage of the node', async () => {
    const ports = [freePort(), freePort(), freePort(), freePort(), freePort()] as const;
    await using service = await startService({
      env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: `127.0.0.1:${ports[2]}` },
    });
    expect([await statusOf(service.origin, 'live'), await statusOf(service.origin, 'ready')]).toEqual([200, 503]);
    expect((await service.send('cmd=put&key=a&val=b')).error).toStartWith('No node of the cluster can be reached');

    await using cluster = await startCluster(1, { ports: [ports], persistent: true });
    expect(await untilReady(service.origin, 30_000)).toBeLessThan(allowedMs(15_000));
    expect((await service.send('cmd=put&key=a&val=b')).response).toBe(true);
    expect((await service.send('cmd=get&key=a')).response).toBe('b');

    const [node] = cluster.nodes as readonly [TestNode];
    await node.kill();
    expect(await statusOf(service.origin, 'live')).toBe(200);
    const killedMs = performance.now();
    expect(await statusOf(service.origin, 'ready')).toBe(503);
    expect(performance.now() - killedMs).toBeLessThan(allowedMs(2_500));
    await node.start();
    await untilReady(service.origin, 60_000);
    expect((await service.send('cmd=get&key=a')).response).toBe('b');
    expect(service.output()).not.toMatch(/ {4}at /);
  });
});
