/** Two services of one cluster with authentication: they use its users, and share sessions and cursors. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);

const login = (user: string, password: string): string => `svc.login=${user}&svc.password=${password}`;
/** Time for which a service caches what it knows about a user. */
const TRUST_MS = 1_100;

if (missing !== undefined) {
  describe('several services', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('several services', () => {
    let cluster: TestCluster;
    let one: ServiceProcess;
    let two: ServiceProcess;
    const start = (
      further: Readonly<Record<string, string>> = { SVC_AUTHENTICATION: 'true' },
    ): Promise<ServiceProcess> =>
      startService({
        env: {
          SVC_ENGINE: 'cluster',
          SVC_ENDPOINTS: cluster.endpoints.join(','),
          SVC_ENGINE_CLUSTER_USER: 'ignite',
          SVC_ENGINE_CLUSTER_PASSWORD: 'ignite',
          ...further,
        },
      });
    beforeAll(async () => {
      cluster = await startCluster(1, { authentication: true });
      one = await start();
      two = await start();
    }, 300_000);
    afterAll(async () => {
      await one.stop();
      await two.stop();
      await cluster[Symbol.asyncDispose]();
    });

    async function tokenOf(service: ServiceProcess, user: string, password: string): Promise<string> {
      const { sessionToken, error } = await service.send(`cmd=authenticate&${login(user, password)}`);
      if (sessionToken === null) throw new Error(error ?? 'no token');
      return sessionToken;
    }
    const admin = login('ignite', 'ignite');

    /** The service's responses by default, and with the option that lends its own account to everyone. */
    const OPEN: ReadonlyArray<readonly [request: string, status: number, shared: number]> = [
      ['cmd=put&cacheName=open&key=a&val=b', 2, 0],
      ['cmd=get&cacheName=open&key=a', 2, 0],
      ['cmd=version', 2, 0],
      ['cmd=qryfldexe&cacheName=open&pageSize=1&qry=select+1', 2, 0],
      ['cmd=setstate&state=ACTIVE', 2, 0],
      [`cmd=authenticate&${login('ignite', 'wrong')}`, 2, 0],
      [`cmd=get&cacheName=open&key=a&${login('ignite', 'wrong')}`, 2, 0],
      [`cmd=authenticate&${login('ignite', 'ignite')}`, 0, 0],
      [`cmd=get&cacheName=open&key=a&${login('ignite', 'ignite')}`, 0, 0],
    ];
    for (const [option, column] of [
      [{}, 1],
      [{ SVC_AUTHENTICATION: 'false', SVC_ALLOW_UNAUTHENTICATED: 'true' }, 1],
      [{ SVC_ENGINE_CLUSTER_SHARE_ACCOUNT: 'true' }, 2],
    ] as const) {
      test(`require credentials because the cluster does: ${JSON.stringify(option)}`, async () => {
        await one.command(`cmd=getorcreate&cacheName=open&${login('ignite', 'ignite')}`);
        await using service = await start(option);
        for (const row of OPEN) {
          expect([row[0], (await service.send(row[0])).successStatus]).toEqual([row[0], row[column]]);
        }
        const log = readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8');
        const warning = 'Every request acts as a user of the cluster, without credentials';
        expect(log.includes(warning)).toBe(column === 2);
      });
    }

    test('use the users of the cluster', async () => {
      expect((await one.send(`cmd=authenticate&${login('svc', 'svc')}`)).successStatus).toBe(2);
      expect((await one.send(`cmd=authenticate&${login('ignite', 'wrong')}`)).successStatus).toBe(2);
      const answer = JSON.parse((await one.send(`cmd=authenticate&${admin}`)).text) as { securitySubjectId: string };
      const there = await cluster.rest({ cmd: 'authenticate', 'ignite.login': 'ignite', 'ignite.password': 'ignite' });
      expect(there).toMatchObject({ securitySubjectId: answer.securitySubjectId });
    });

    test('add, change and remove users of the cluster', async () => {
      expect(await one.command(`cmd=adduser&roles=user&user=ann&password=first&${admin}`)).toBe(true);
      const there = (password: string) =>
        cluster.rest({ cmd: 'authenticate', 'ignite.login': 'ann', 'ignite.password': password });
      expect((await there('first')).successStatus).toBe(0);
      expect((await one.send(`cmd=adduser&roles=user&user=ann&password=x&${admin}`)).error).toContain('already exists');
      expect(await one.command(`cmd=updateuser&user=ann&password=second&${admin}`)).toBe(true);
      expect((await there('first')).successStatus).toBe(2);
      expect((await there('second')).successStatus).toBe(0);
      expect((await one.send(`cmd=authenticate&${login('ann', 'first')}`)).successStatus).toBe(2);
      expect(await one.command(`cmd=removeuser&user=ann&${admin}`)).toBe(true);
      expect((await there('second')).successStatus).toBe(2);
      expect((await one.send(`cmd=removeuser&user=ann&${admin}`)).error).toContain("doesn't exist");
    });

    test("accept each other's tokens, over connections of the user", async () => {
      await one.command(`cmd=adduser&roles=user&user=bob&password=secret&${admin}`);
      const token = await tokenOf(one, 'bob', 'secret');
      await one.command(`cmd=getorcreate&cacheName=shared&sessionToken=${token}`);
      await one.command(`cmd=put&cacheName=shared&key=k&val=v&sessionToken=${token}`);
      expect(await two.command(`cmd=get&cacheName=shared&key=k&sessionToken=${token}`)).toBe('v');
      const sql = encodeURIComponent('select distinct "USER" from SYS.CLIENT_CONNECTIONS order by 1');
      const seen = await two.command(`cmd=qryfldexe&cacheName=shared&pageSize=9&qry=${sql}&${admin}`);
      expect(seen).toMatchObject({ items: [['bob'], ['ignite']] });
      // Only the cluster's first user may change others.
      expect((await two.send(`cmd=adduser&roles=user&user=eve&password=x&sessionToken=${token}`)).error).toContain(
        'not allowed',
      );
    });

    test('end the sessions of a changed user on both', async () => {
      const kept = await tokenOf(one, 'bob', 'secret');
      const other = await tokenOf(two, 'bob', 'secret');
      expect(await two.command(`cmd=get&cacheName=shared&key=k&sessionToken=${other}`)).toBe('v');
      expect(
        await one.command(`cmd=updateuser&user=bob&password=changed&oldPassword=secret&sessionToken=${kept}`),
      ).toBe(true);
      await Bun.sleep(TRUST_MS);
      expect((await two.send(`cmd=get&cacheName=shared&key=k&sessionToken=${other}`)).error).toContain(
        'unknown session',
      );
      expect(await two.command(`cmd=get&cacheName=shared&key=k&sessionToken=${kept}`)).toBe('v');
      await one.command(`cmd=removeuser&user=bob&${admin}`);
      await Bun.sleep(TRUST_MS);
      expect((await two.send(`cmd=get&cacheName=shared&key=k&sessionToken=${kept}`)).error).toContain(
        'unknown session',
      );
    });

    test("return pages of each other's cursors", async () => {
      const token = await tokenOf(one, 'ignite', 'ignite');
      const keys = ['a', 'b', 'c', 'd'];
      for (const key of keys) await one.command(`cmd=put&cacheName=shared&key=${key}&val=9&sessionToken=${token}`);
      const first = (await one.command(`cmd=qryscanexe&cacheName=shared&pageSize=2&sessionToken=${token}`)) as {
        queryId: number;
        items: unknown[];
        last: boolean;
      };
      expect(first).toMatchObject({ last: false });
      const second = await two.command(`cmd=qryfetch&qryId=${first.queryId}&pageSize=2&sessionToken=${token}`);
      expect(second).toMatchObject({ queryId: first.queryId, last: false });
      // The cursor belongs to its user, and also requires a token here.
      expect((await two.send(`cmd=qryfetch&qryId=${first.queryId}&pageSize=2`)).successStatus).toBe(2);
      expect(await two.command(`cmd=qrycls&qryId=${first.queryId}&sessionToken=${token}`)).toBe(true);
      const closed = await one.send(`cmd=qryfetch&qryId=${first.queryId}&pageSize=2&sessionToken=${token}`);
      expect(closed.error).toContain('Failed to find query');
    });

    test('report the service of a cursor when it does not respond', async () => {
      const three = await start();
      const token = await tokenOf(three, 'ignite', 'ignite');
      const { queryId } = (await three.command(`cmd=qryscanexe&cacheName=shared&pageSize=1&sessionToken=${token}`)) as {
        queryId: number;
      };
      await three.kill();
      const { error } = await two.send(`cmd=qryfetch&qryId=${queryId}&pageSize=1&sessionToken=${token}`);
      expect(error).toContain(`127.0.0.1:${three.port}`);
    });
  });
}
