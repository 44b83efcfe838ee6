/**
 * Times to live in front of a cluster: what the cluster does itself, and what is rejected (docs/spec/extensions.md 1).
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { until } from '../system/until.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);

const sql = (statement: string, cache = 'default'): string =>
  `cmd=qryfldexe&cacheName=${cache}&pageSize=10&qry=${encodeURIComponent(statement)}`;

if (missing !== undefined) {
  describe('times to live in a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('times to live in a cluster', () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    beforeAll(async () => {
      cluster = await startCluster(1);
      service = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
    }, 300_000);
    afterAll(async () => {
      await service.stop();
      await cluster[Symbol.asyncDispose]();
    });

    test('every write sets them, and persist removes them', async () => {
      for (const key of ['a', 'b', 'c']) await service.command(`cmd=put&key=${key}&val=1`);
      await service.command('cmd=append&key=a&val=1&ttlMs=3000');
      await service.command('cmd=putall&k1=b&v1=1&k2=c&v2=1&ttlMs=3000');
      expect(await service.command('cmd=persist&key=c')).toBe(true);
      expect(await service.command('cmd=persist&key=none')).toBe(false);
      await until('the other two expire', async () => {
        return Bun.deepEquals(await service.command('cmd=getall&k1=a&k2=b&k3=c'), { c: '1' });
      });
    });

    test('the remaining time is rejected with the reason', async () => {
      await service.command('cmd=put&key=a&val=1&ttlMs=60000');
      expect((await service.send('cmd=ttl&key=a')).error).toContain(
        'Not supported by this engine: the remaining time to live of an entry (the protocol of clients does not return it)',
      );
    });

    test('a table gets one with its cache, not with an option', async () => {
      const rejected = await service.send(sql('CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH "ttlMs=400"'));
      expect(rejected.error).toContain('Not supported by this engine: a table option for the time to live');
      await service.command('cmd=getorcreate&cacheName=visits&ttlMs=3000');
      await service.command(sql('CREATE TABLE PUBLIC.T (id INT PRIMARY KEY, n INT) WITH "CACHE_NAME=visits"'));
      await service.command(sql('INSERT INTO PUBLIC.T (id, n) VALUES (1, 1)'));
      expect(await service.command(sql('SELECT n FROM PUBLIC.T'))).toMatchObject({ items: [[1]] });
      await until('the row expires', async () => {
        const page = await service.command(sql('SELECT n FROM PUBLIC.T'));
        return Bun.deepEquals((page as { readonly items: unknown }).items, []);
      });
    });

    test('values and rows of the nodes have the notation of the request', async () => {
      await service.command('cmd=put&key=n&val=9007199254740993&valueType=long');
      expect(await service.command('cmd=get&key=n&numbers=string')).toBe('9007199254740993');
      const statement = "SELECT CAST(9007199254740993 AS BIGINT), TIMESTAMP '2024-02-29 23:59:59.5'";
      const { response } = await service.send(sql(statement), { headers: { prefer: 'numbers=string, dates=iso' } });
      expect(response).toMatchObject({ items: [['9007199254740993', '2024-02-29T23:59:59.5']] });
    });

    test('cachelist shows the time to live of a cache', async () => {
      await service.command('cmd=getorcreate&cacheName=sliding&ttlMs=5000&sliding=true');
      expect(await service.command('cmd=cachelist&config=true&regex=sliding')).toMatchObject([
        { configuration: { ttlMs: 5_000, sliding: true } },
      ]);
    });
  });
}
