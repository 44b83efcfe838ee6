/** Imports and exports of a real cluster, over sockets: round trips of tables and caches, errors, continued imports. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
const LIMIT_MS = 300_000;
const COLUMNS = `(id BIGINT, c INT, b BOOLEAN, r REAL, d DOUBLE, de DECIMAL(20, 4), s VARCHAR, da DATE, t TIME,
  ts TIMESTAMP, u UUID, bi BINARY, PRIMARY KEY (id, c)) WITH "affinity_key=c"`;

describe.skipIf(missing !== undefined)('bulk', () => {
  let cluster: TestCluster;
  let service: ServiceProcess;
  beforeAll(async () => {
    cluster = await startCluster(1);
    service = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
  }, LIMIT_MS);
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  async function sql(qry: string): Promise<unknown[]> {
    return ((await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1_000, qry }))) as { items: unknown[] }).items;
  }

  function send(parameters: Readonly<Record<string, string>>, body: string) {
    return service.send(queryOf({ cmd: 'import', ...parameters }), { method: 'POST', body });
  }

  async function exported(parameters: Readonly<Record<string, string>>): Promise<string[]> {
    const answer = await fetch(`${service.url}?${queryOf({ cmd: 'export', ...parameters })}`);
    // A cluster returns rows in no order.
    return (await answer.text()).split(/\r?\n/).sort();
  }

  for (const format of ['csv', 'ndjson']) {
    test(`a table as ${format}`, async () => {
      const [from, to] = [`FROM_${format}`, `TO_${format}`];
      for (const name of [from, to]) await sql(`CREATE TABLE ${name}${COLUMNS}`);
      await sql(`INSERT INTO ${from} VALUES
        (1, 1, true, '-0.0', -0.5, 1.10, '', '2001-01-01', '23:59:59', '9999-12-31 23:59:59.123456789',
          RANDOM_UUID(), X'0102'),
        (2, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (3, 3, false, 'NaN', 'Infinity', -5, 'x,"y', '2024-02-29', '00:00:00', '1999-10-10 00:00:00',
          RANDOM_UUID(), X'')`);
      const answer = await fetch(`${service.url}?${queryOf({ cmd: 'export', table: from, format })}`);
      const { response } = await send({ table: to, format, onDuplicate: 'replace' }, await answer.text());
      expect(response).toMatchObject({ state: 'done', rows: 3 });
      expect(await exported({ table: to, format })).toEqual(await exported({ table: from, format }));
      expect(await sql(`SELECT * FROM ${to} ORDER BY id`)).toEqual(await sql(`SELECT * FROM ${from} ORDER BY id`));
    });
  }

  test('a cache, continued in the middle', async () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, id) => `{"key":${id},"keyType":"long","value":{"a":${id}},"valueType":"P"}\n`,
    );
    const source = lines.join('');
    const parameters = { cacheName: 'default', format: 'ndjson', importId: 'i' };
    const half = await send({ ...parameters, last: 'false' }, source.slice(0, source.length / 2));
    const { offset, state } = half.response as { offset: number; state: string };
    expect(state).toBe('open');
    const rest = await send({ ...parameters, offset: String(offset) }, source.slice(offset));
    expect(rest.response).toMatchObject({ state: 'done', rows: 3_000, line: 3_000 });
    expect(await service.command('cmd=importstate&importId=i')).toEqual(rest.response);
    expect(await service.command('cmd=size')).toBe(3_000);
    expect((await exported({ cacheName: 'default' })).length).toBe(3_001);
  });

  test('keys that exist, and wrong values', async () => {
    await sql(`CREATE TABLE Keys${COLUMNS}`);
    expect((await send({ table: 'keys', format: 'csv' }, 'id,c,s\n1,1,a\n2,2,b\n')).response).toMatchObject({
      rows: 2,
    });
    const failed = await send({ table: 'keys', format: 'csv' }, 'id,c,s\n3,3,c\n1,1,x\n');
    expect(failed.error).toContain('Line 3 was rejected: Failed to INSERT some keys');
    const skipped = await send({ table: 'keys', format: 'csv', onDuplicate: 'skip' }, 'id,c,s\n1,1,x\n4,4,d\n');
    expect(skipped.response).toMatchObject({ rows: 1, skipped: 1 });
    const options = { table: 'keys', format: 'csv', onDuplicate: 'replace', onError: 'skip' };
    const mixed = await send(options, 'id,c,de\n5,5,x\n6,6,1.123456\n7,7,1.5\n');
    expect(mixed.response).toMatchObject({ rows: 1, rejected: 2, errors: [{ line: 2 }, { line: 3 }] });
    expect(await sql('SELECT id, s FROM Keys WHERE id < 5 ORDER BY id')).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ]);
    expect((await send({ table: 'keys', format: 'csv', atomic: 'true' }, 'id\n')).error).toContain('Not supported');
  });
});
