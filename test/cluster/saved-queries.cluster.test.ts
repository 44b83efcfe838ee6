/** Saved queries in front of a cluster: all services share them, whether the cluster has users or not. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);

type Parameters = Readonly<Record<string, string>>;
interface Saved {
  readonly id: string;
}

const SETTINGS = [
  {
    title: 'without authentication',
    authentication: false,
    admin: { 'svc.login': 'svc', 'svc.password': 'pw' },
    env: { SVC_ADMIN_PASSWORD: 'pw' },
  },
  {
    title: 'with authentication',
    authentication: true,
    admin: { 'svc.login': 'ignite', 'svc.password': 'ignite' },
    env: { SVC_ENGINE_CLUSTER_USER: 'ignite', SVC_ENGINE_CLUSTER_PASSWORD: 'ignite' },
  },
] as const;

if (missing !== undefined) {
  describe('saved queries in front of a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  for (const { title, authentication, admin, env } of SETTINGS) {
    describe(`saved queries in front of a cluster ${title}`, () => {
      let cluster: TestCluster | undefined;
      const services: ServiceProcess[] = [];
      const start = () =>
        startService({
          env: {
            SVC_ENGINE: 'cluster',
            SVC_ENDPOINTS: cluster?.endpoints.join(',') ?? '',
            SVC_AUTHENTICATION: 'true',
            ...env,
          },
        });
      beforeAll(async () => {
        cluster = await startCluster(1, { authentication });
        for (const _ of [1, 2]) services.push(await start());
      }, 300_000);
      afterAll(async () => {
        for (const service of services) await service.stop();
        await cluster?.[Symbol.asyncDispose]();
      });
      const ANN = { 'svc.login': 'ann', 'svc.password': 'secret' };
      const send = async (index: number, login: Parameters, params: Parameters) => {
        const service = services[index];
        if (service === undefined) throw new Error('the service has not started');
        return service.send(queryOf({ ...params, ...login }));
      };

      test('every service has them, and a restart', async () => {
        await send(0, admin, { cmd: 'adduser', user: 'ann', password: 'secret', roles: 'user' });
        const add = { cmd: 'savedqueryadd', name: 'a', qry: 'SELECT 1' };
        const { id } = (await send(0, ANN, add)).response as Saved;
        const shared = (await send(1, ANN, { ...add, name: 'b', shared: 'true' })).response as Saved;
        const listed = (index: number, login: Parameters) => send(index, login, { cmd: 'savedquerylist' });
        for (const index of [0, 1]) {
          expect((await listed(index, ANN)).response).toMatchObject([{ id }, { id: shared.id }]);
          expect((await listed(index, admin)).response).toMatchObject([{ id: shared.id, user: 'ann' }]);
        }
        const change = { cmd: 'savedqueryupdate', id, qry: 'SELECT 2', revision: '1' };
        expect((await send(1, ANN, change)).response).toMatchObject({ revision: 2 });
        expect((await send(0, ANN, change)).error).toContain('has been changed since');
        await services[0]?.stop();
        services[0] = await start();
        expect((await send(0, ANN, { cmd: 'savedqueryget', id })).response).toMatchObject({ qry: 'SELECT 2' });
      });

      test('those of a removed user go, unless they are shared', async () => {
        const before = await send(1, admin, { cmd: 'savedquerylist', user: 'ann' });
        expect(before.response).toMatchObject([{ name: 'a' }, { name: 'b' }]);
        await send(0, admin, { cmd: 'removeuser', user: 'ann' });
        const after = await send(1, admin, { cmd: 'savedquerylist', user: 'ann' });
        expect(after.response).toMatchObject([{ name: 'b', shared: true, user: 'ann' }]);
      });

      test('an inactive cluster has none at hand', async () => {
        await send(0, admin, { cmd: 'setstate', state: 'INACTIVE', force: 'true' });
        expect((await send(0, admin, { cmd: 'savedquerylist' })).error).toContain('inactive');
        await send(0, admin, { cmd: 'setstate', state: 'ACTIVE' });
      });
    });
  }
}
