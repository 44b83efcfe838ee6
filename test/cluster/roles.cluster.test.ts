/** Stored roles in front of a cluster: the cluster stores them, and every service of the cluster follows a change. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);
/** Time for which a service caches what it knows of users and roles. */
const TRUST_MS = 1_100;

type Parameters = Readonly<Record<string, string>>;

const KINDS: ReadonlyArray<
  readonly [
    title: string,
    authentication: boolean,
    env: Parameters,
    admin: { readonly name: string; readonly password: string },
  ]
> = [
  ['that svc authenticates users for', false, { SVC_ADMIN_PASSWORD: 'pw' }, { name: 'svc', password: 'pw' }],
  [
    'that authenticates users itself',
    true,
    { SVC_ENGINE_CLUSTER_USER: 'ignite', SVC_ENGINE_CLUSTER_PASSWORD: 'ignite' },
    { name: 'ignite', password: 'ignite' },
  ],
];

for (const [title, authentication, env, admin] of KINDS) {
  describe.skipIf(missing !== undefined)(
    `roles in front of a cluster ${title}${missing === undefined ? '' : ` (${missing})`}`,
    () => {
      let cluster: TestCluster;
      const services: ServiceProcess[] = [];
      beforeAll(async () => {
        cluster = await startCluster(1, { authentication });
        const endpoints = cluster.endpoints.join(',');
        for (const _ of [1, 2]) {
          services.push(
            await startService({
              env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: endpoints, SVC_AUTHENTICATION: 'true', ...env },
            }),
          );
        }
      });
      afterAll(async () => {
        for (const service of services) await service.stop();
        await cluster?.[Symbol.asyncDispose]();
      });
      const send = (index: number, user: string, password: string, params: Parameters) =>
        services[index]?.send(queryOf({ ...params, 'svc.login': user, 'svc.password': password }));
      const change = async (params: Parameters): Promise<void> => {
        expect(await send(0, admin.name, admin.password, params)).toMatchObject({ successStatus: 0 });
      };
      const statusesOf = async (params: Parameters): Promise<ReadonlyArray<number | undefined>> => [
        (await send(0, 'ann', 'secret', params))?.successStatus,
        (await send(1, 'ann', 'secret', params))?.successStatus,
      ];

      test('hold for every service, also after a new password', async () => {
        await change({ cmd: 'adduser', user: 'ann', password: 'first', roles: 'user' });
        await change({ cmd: 'getorcreate', cacheName: 'orders' });
        await change({ cmd: 'roleadd', name: 'reader', rights: '{"caches":{"orders":"read"}}' });
        await change({ cmd: 'roleassign', user: 'ann', roles: 'reader' });
        await change({ cmd: 'updateuser', user: 'ann', password: 'secret' });
        await Bun.sleep(TRUST_MS);
        const put = { cmd: 'put', cacheName: 'orders', key: 'a', val: '1' };
        expect(await statusesOf({ cmd: 'get', cacheName: 'orders', key: 'a' })).toEqual([0, 0]);
        expect(await statusesOf(put)).toEqual([3, 3]);
        await change({ cmd: 'roleupdate', name: 'reader', rights: '{"caches":{"orders":"write"}}' });
        await Bun.sleep(TRUST_MS);
        expect(await statusesOf(put)).toEqual([0, 0]);
        const listed = (await send(1, admin.name, admin.password, { cmd: 'rolelist' }))?.response;
        expect(listed).toContainEqual(
          expect.objectContaining({
            name: 'reader',
            source: 'stored',
            users: ['ann'],
            caches: { orders: ['read', 'put', 'remove'] },
          }),
        );
        await change({ cmd: 'removeuser', user: 'ann' });
        await change({ cmd: 'adduser', user: 'ann', password: 'secret', roles: 'user' });
        await change({ cmd: 'rolermv', name: 'reader' });
        await Bun.sleep(TRUST_MS);
        expect(await statusesOf(put)).toEqual([0, 0]);
      });

      test('grant no rights on tables, whose caches the service does not know', async () => {
        const rights = '{"tables":{"T":"read"}}';
        const answer = await send(0, admin.name, admin.password, { cmd: 'roleadd', name: 'r', rights });
        expect(answer?.error).toContain('does not know which cache of the cluster a table belongs to');
      });
    },
  );
}
