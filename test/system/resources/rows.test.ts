/** Rows of tables by their addresses over real sockets. */
import { describe, expect, test } from 'bun:test';
import { queryOf, startService } from '../service-process.ts';
import { send } from './resource-client.ts';
import { runRowsSuite } from './rows.suite.ts';

runRowsSuite({ environment: () => ({}), isCluster: false, limitMs: 60_000 });

test('rows over tables whose key is no column', async () => {
  await using service = await startService({ env: { SVC_CONFIG: 'test/fixtures/reference.config.ts' } });
  const rows = await send(service, 'GET /tables/person.Person/rows?name=eq.Ann');
  expect(rows.json).toMatchObject([{ _KEY: 1, ID: 1, NAME: 'Ann', SALARY: 1000 }]);
  expect((await send(service, 'GET /tables/person.Person/rows/2?select=name')).json).toEqual({ name: 'Bob' });
});

describe('the OpenAPI document', () => {
  test('has the tables of the service if it is asked for them', async () => {
    await using service = await startService();
    const create = 'CREATE TABLE "My city" (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, rate DECIMAL(10, 2))';
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: create }));
    const read = async (query: string) => (await fetch(`${service.origin}/openapi.json${query}`)).json();
    const plain = (await read('')) as { paths: Record<string, unknown> };
    expect(Object.keys(plain.paths)).toContain('/svc/tables/{table}/rows/{key}');
    const { paths, components } = (await read('?tables=true')) as {
      paths: Record<string, Record<string, { operationId: string; parameters: ReadonlyArray<{ name: string }> }>>;
      components: { schemas: Record<string, unknown> };
    };
    const { get } = paths['/svc/tables/My%20city/rows'] ?? {};
    expect(get?.operationId).toBe('getRowsOfMy_city');
    expect(get?.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['select', 'order', 'limit', 'cursor', 'ID', 'NAME', 'RATE']),
    );
    expect(paths['/svc/tables/My%20city/rows/{key}']).toHaveProperty('patch');
    expect(components.schemas.My_cityRow).toEqual({
      type: 'object',
      properties: {
        ID: { type: 'integer', format: 'int64' },
        NAME: { type: 'string' },
        RATE: { type: ['number', 'null'] },
      },
    });
  });

  test('tells tables only to those who may know all of them', async () => {
    await using service = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'svc' } });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${service.origin}/openapi.json?tables=true`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Basic ${btoa('svc:svc')}` })).toBe(200);
    expect((await fetch(`${service.origin}/openapi.json`)).status).toBe(200);
  });
});
