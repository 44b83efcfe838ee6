/** The service's own users in front of a cluster that is inactive, loses its contents, or both. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { newFolder, queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

setDefaultTimeout(240_000);

/** A service compares its copy of the users with the cluster once a second. */
const REFRESHED_MS = 2_500;
const ADMIN = { 'svc.login': 'svc', 'svc.password': 'first' };
const as = (name: string, password: string) => ({ 'svc.login': name, 'svc.password': password });

type Parameters = Readonly<Record<string, string>>;

function start(cluster: TestCluster, dataDir?: string): Promise<ServiceProcess> {
  const env = {
    SVC_ENGINE: 'cluster',
    SVC_ENDPOINTS: cluster.endpoints.join(','),
    SVC_AUTHENTICATION: 'true',
    SVC_ADMIN_PASSWORD: 'first',
  };
  return startService({ env, ...(dataDir !== undefined && { dataDir }) });
}

const send = (service: ServiceProcess, cmd: string, parameters: Parameters) =>
  service.send(queryOf({ cmd, ...parameters }));

async function statusOf(service: ServiceProcess, name: string, password: string): Promise<number> {
  return (await send(service, 'authenticate', as(name, password))).successStatus;
}

async function activate(service: ServiceProcess, admin: Parameters): Promise<void> {
  expect(await send(service, 'setstate', { state: 'ACTIVE', ...admin })).toMatchObject({ error: null });
  await Bun.sleep(REFRESHED_MS);
}

async function deactivate(service: ServiceProcess, admin: Parameters): Promise<void> {
  expect(await send(service, 'setstate', { state: 'INACTIVE', force: 'true', ...admin })).toMatchObject({
    error: null,
  });
}

describe.skipIf(missingForNodes() !== undefined)('own users of an inactive cluster', () => {
  test('log in with their last known credentials, for commands on the state; an in-memory cluster gets them back', async () => {
    await using cluster = await startCluster(1);
    await using one = await start(cluster);
    await using two = await start(cluster);
    for (const [user, password] of [
      ['ann', 'ann-1'],
      ['bob', 'bob-1'],
    ] as const) {
      expect(await send(one, 'adduser', { user, password, roles: 'user', ...ADMIN })).toMatchObject({ response: true });
      expect(await statusOf(two, user, password)).toBe(0);
    }
    // The other service changes a password and removes a user.
    expect(await send(two, 'updateuser', { user: 'ann', password: 'ann-2', ...as('ann', 'ann-1') })).toMatchObject({
      response: true,
    });
    expect(await send(two, 'removeuser', { user: 'bob', ...ADMIN })).toMatchObject({ response: true });
    expect(
      await send(one, 'updateuser', { user: 'svc', password: 'second', oldPassword: 'first', ...ADMIN }),
    ).toMatchObject({ response: true });
    const admin = as('svc', 'second');
    const { sessionToken } = await send(one, 'authenticate', admin);
    await Bun.sleep(REFRESHED_MS);
    await deactivate(two, admin);
    for (const service of [one, two]) {
      expect(await statusOf(service, 'ann', 'ann-2')).toBe(0);
      expect(await statusOf(service, 'ann', 'ann-1')).toBe(2);
      expect(await statusOf(service, 'bob', 'bob-1')).toBe(2);
      expect(await statusOf(service, 'svc', 'first')).toBe(2);
      expect(await send(service, 'state', as('ann', 'ann-2'))).toMatchObject({ response: 'INACTIVE' });
      for (const cmd of ['version', 'name', 'top', 'noop', 'log']) {
        expect({ cmd, error: (await send(service, cmd, admin)).error }).toEqual({ cmd, error: null });
      }
      const [node] = (await send(service, 'top', as('ann', 'ann-2'))).response as [{ nodeId: string }];
      expect(await send(service, 'node', { id: node.nodeId, ...as('ann', 'ann-2') })).toMatchObject({ error: null });
      for (const cmd of ['userlist', 'size', 'metadata']) {
        expect((await send(service, cmd, admin)).error).toContain('the cluster is inactive');
      }
      expect((await send(service, 'setstate', { state: 'ACTIVE', ...as('ann', 'ann-2') })).successStatus).not.toBe(0);
      const metrics = (password: string) =>
        fetch(`${service.origin}/metrics`, { headers: { Authorization: `Basic ${btoa(`svc:${password}`)}` } });
      expect((await metrics('first')).status).toBe(401);
      expect(await (await metrics('second')).text()).toContain('\nsvc_ready 0\n');
    }
    // A session that began before continues.
    expect(await send(one, 'state', { sessionToken: sessionToken ?? '' })).toMatchObject({ response: 'INACTIVE' });
    await activate(one, admin);
    for (const service of [one, two]) {
      expect(await statusOf(service, 'ann', 'ann-2')).toBe(0);
      expect(await statusOf(service, 'ann', 'ann-1')).toBe(2);
      expect(await statusOf(service, 'bob', 'bob-1')).toBe(2);
      expect(await statusOf(service, 'svc', 'first')).toBe(2);
      expect(await send(service, 'version', admin)).toMatchObject({ error: null });
    }
    expect(await send(one, 'version', { sessionToken: sessionToken ?? '' })).toMatchObject({ error: null });
  });

  test('a service that starts before an inactive cluster lets the administrator activate it', async () => {
    const dataDir = newFolder();
    try {
      await using cluster = await startCluster(1);
      expect(await cluster.rest({ cmd: 'setstate', state: 'INACTIVE', force: 'true' })).toMatchObject({
        successStatus: 0,
      });
      {
        await using service = await start(cluster, dataDir);
        const { sessionToken, error } = await send(service, 'authenticate', ADMIN);
        expect(error).toBeNull();
        expect(await statusOf(service, 'svc', 'wrong')).toBe(2);
        expect((await send(service, 'size', ADMIN)).error).toContain('the cluster is inactive');
        await activate(service, { sessionToken: sessionToken ?? '' });
        // The account is the same, so the session continues.
        expect(await send(service, 'put', { key: 'a', val: 'b', sessionToken: sessionToken ?? '' })).toMatchObject({
          response: true,
        });
        const changed = { user: 'svc', password: 'second', oldPassword: 'first', ...ADMIN };
        expect(await send(service, 'updateuser', changed)).toMatchObject({ response: true });
        await deactivate(service, as('svc', 'second'));
      }
      await using again = await start(cluster, dataDir);
      expect(await statusOf(again, 'svc', 'first')).toBe(2);
      await activate(again, as('svc', 'second'));
      expect(await statusOf(again, 'svc', 'first')).toBe(2);
      expect(await statusOf(again, 'svc', 'second')).toBe(0);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
