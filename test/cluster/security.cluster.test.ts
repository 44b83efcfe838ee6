/** Clusters with authentication and with TLS. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openClusterGrid } from '../../src/engines/cluster/cluster-engine.ts';
import type { ClusterOptions } from '../../src/engines/cluster/cluster-options.ts';
import type { Grid, UserDirectory } from '../../src/grid/grid.ts';
import { text } from '../../src/values/value.ts';
import { freePort } from '../free-port.ts';
import { entriesOf } from '../grid/entry-methods.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);

async function codeOf(action: () => unknown): Promise<unknown> {
  try {
    return { answered: await action() };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

if (missing !== undefined) {
  describe('security of a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('a cluster with authentication', () => {
    let cluster: TestCluster;
    let grid: Grid;
    let users: UserDirectory;
    const options = (given: Partial<ClusterOptions>): ClusterOptions => ({
      clock: systemClock,
      endpoints: cluster.addresses,
      ...given,
    });
    beforeAll(async () => {
      cluster = await startCluster(1, { authentication: true });
      grid = await openClusterGrid(options({ user: 'ignite', password: 'ignite' }));
      if (!grid.users) throw new Error('no users');
      users = grid.users;
    }, 300_000);
    afterAll(async () => {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    });

    test('rejects an incorrect and a missing password', async () => {
      expect(await codeOf(() => openClusterGrid(options({ user: 'ignite', password: 'x' })))).toBe('CREDENTIALS_WRONG');
      expect(await codeOf(() => openClusterGrid(options({})))).toBe('CREDENTIALS_WRONG');
    });

    test('accepts the correct password, including queries of both dialects', async () => {
      await grid.caches.getOrCreate('secured', {});
      await entriesOf(grid).put('secured', text('a'), text('b'));
      expect(await entriesOf(grid).get('secured', text('a'))).toEqual(text('b'));
      const query = { cache: 'secured', owner: '', format: 'json', pageSize: 10, args: [] } as const;
      const selected = await grid.queries.execute({ ...query, kind: 'fields', sql: 'select 1' });
      expect(selected.rows).toBe('[1]');
      const scanned = await grid.queries.execute({ ...query, kind: 'scan', className: undefined });
      expect(scanned.rows).toBe('{"key":"a","value":"b"}');
    });

    test('adds, changes and removes users', async () => {
      expect(await users.verify('Ann', "it's")).toBe(false);
      await users.add('Ann', "it's");
      expect(await users.verify('Ann', "it's")).toBe(true);
      expect(await users.verify('ANN', "it's")).toBe(false);
      expect(await codeOf(() => users.add('Ann', 'other'))).toBe('USER_EXISTS');
      await users.update('Ann', 'changed');
      expect(await users.verify('Ann', "it's")).toBe(false);
      expect(await users.verify('Ann', 'changed')).toBe(true);
      await users.remove('Ann');
      expect(await users.verify('Ann', 'changed')).toBe(false);
      expect(await codeOf(() => users.remove('Ann'))).toBe('USER_NOT_FOUND');
      expect(await codeOf(() => users.update('Ann', 'x'))).toBe('USER_NOT_FOUND');
      expect(await codeOf(() => users.add('', 'x'))).toBe('USER_OPERATION');
      expect(await codeOf(() => users.add('a"b', 'x'))).toBe('USER_OPERATION');
      expect(await codeOf(() => users.add('Bob', ''))).toBe('USER_OPERATION');
      expect(await codeOf(() => users.remove('ignite'))).toBe('USER_OPERATION');
    });

    test('has the same users through its own HTTP interface', async () => {
      await users.add('Cy', 'secret');
      const { response } = await cluster.rest({
        cmd: 'authenticate',
        'ignite.login': 'Cy',
        'ignite.password': 'secret',
      });
      expect(response).toBe(true);
      await users.remove('Cy');
    });

    test('uses connections of their own for each user', async () => {
      await users.add('Di', 'secret');
      const own = await users.open('Di', 'secret');
      await entriesOf(own).put('secured', text('own'), text('x'));
      expect(await entriesOf(grid).get('secured', text('own'))).toEqual(text('x'));
      // Only the first user may change users.
      expect(await codeOf(() => own.users?.add('Eve', 'x'))).toBe('USER_OPERATION');
      await own.close();
      expect(await codeOf(() => users.open('Di', 'wrong'))).toBe('CREDENTIALS_WRONG');
      await users.remove('Di');
    });
  });

  test('an engine serves nobody when its cluster comes back with authentication', async () => {
    const ports = [freePort(), freePort(), freePort(), freePort(), freePort()] as const;
    let cluster = await startCluster(1, { ports: [ports], empty: true });
    const grid = await openClusterGrid({
      clock: systemClock,
      endpoints: cluster.addresses,
      user: 'ignite',
      password: 'ignite',
    });
    try {
      expect(grid.users).toBeUndefined();
      await cluster[Symbol.asyncDispose]();
      cluster = await startCluster(1, { ports: [ports], empty: true, authentication: true });
      const failure = await Promise.resolve(grid.cluster.state()).catch((error: unknown) => error);
      expect(String(failure)).toContain('authentication was switched on or off in the cluster; restart the service');
    } finally {
      await grid.close();
      await cluster[Symbol.asyncDispose]();
    }
  });

  describe('a cluster with TLS', () => {
    let cluster: TestCluster;
    let folder: string;
    let certificate: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
      const keystore = join(folder, 'node.p12');
      const keytool = [
        'keytool',
        '-keystore',
        keystore,
        '-storetype',
        'PKCS12',
        '-storepass',
        'password',
        '-alias',
        'n',
      ];
      const key = ['-genkeypair', '-keyalg', 'RSA', '-validity', '30', '-dname', 'CN=node', '-ext', 'san=ip:127.0.0.1'];
      Bun.spawnSync([...keytool, ...key]);
      Bun.spawnSync([...keytool, '-exportcert', '-rfc', '-file', join(folder, 'node.pem')]);
      certificate = readFileSync(join(folder, 'node.pem'), 'utf8');
      cluster = await startCluster(1, { keystore });
    }, 300_000);
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test('is reachable when its certificate is trusted', async () => {
      const tls = { ca: certificate };
      const grid = await openClusterGrid({ clock: systemClock, endpoints: cluster.addresses, tls });
      await grid.caches.getOrCreate('tls', {});
      const value = text('x'.repeat(300_000));
      await entriesOf(grid).put('tls', text('a'), value);
      expect(await entriesOf(grid).get('tls', text('a'))).toEqual(value);
      const page = await grid.queries.execute({
        cache: 'tls',
        owner: '',
        format: 'json',
        kind: 'fields',
        sql: 'select 1',
        args: [],
        pageSize: 1,
      });
      expect(page.rows).toBe('[1]');
      await grid.close();
    });

    test('is rejected when its certificate is not trusted or has another name', async () => {
      const open = (tls: ClusterOptions['tls']): Promise<Grid> =>
        openClusterGrid({
          clock: systemClock,
          endpoints: cluster.addresses,
          ...(tls ? { tls } : {}),
          connectTimeoutMs: 2_000,
        });
      expect(await codeOf(() => open({}))).toBe('CLUSTER_UNREACHABLE');
      expect(await codeOf(() => open({ ca: certificate, serverName: 'other.example' }))).toBe('CLUSTER_UNREACHABLE');
      expect(await codeOf(() => open(undefined))).toBe('CLUSTER_UNREACHABLE');
      const trusting = await open({ trustAll: true });
      expect(await trusting.cluster.state()).toBe('ACTIVE');
      await trusting.close();
    });
  });
}
