/** Resources need the rights of the commands that they execute. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { codeOf, send } from './resource-client.ts';

// On a busy machine, the service takes seconds to start, and to hash the passwords of four users.
setDefaultTimeout(60_000);

const CONFIGURATION = `export default {
  users: ['ann', 'pam', 'rob'].map((name) => ({ name, password: name })),
  permissions: {
    roles: {
      all: { caches: { open: 'write', SQL_PUBLIC_CITY: 'write' } },
      puts: { caches: { open: ['put'] } },
      reads: { caches: { open: 'read', SQL_PUBLIC_CITY: 'read' } },
    },
    users: { ann: ['all'], pam: ['puts'], rob: ['reads'] },
  },
};
`;

const basic = (user: string, password = user) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });

describe('with authentication', () => {
  const folder = newFolder();
  let service: ServiceProcess;
  let token = '';
  beforeAll(async () => {
    const config = join(folder, 'svc.config.ts');
    writeFileSync(config, CONFIGURATION);
    service = await startService({
      dataDir: join(folder, 'data'),
      env: {
        SVC_CONFIG: config,
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: 'svc',
        SVC_REST_SESSION_TIMEOUT: '600',
      },
    });
    const login = queryOf({ cmd: 'authenticate', 'svc.login': 'svc', 'svc.password': 'svc' });
    token = (await service.send(login)).sessionToken ?? '';
    for (const name of ['open', 'closed']) {
      await service.command(queryOf({ cmd: 'getorcreate', cacheName: name, sessionToken: token }));
      await service.command(queryOf({ cmd: 'put', cacheName: name, key: 'k', val: 'v', sessionToken: token }));
    }
    const create = 'CREATE TABLE hidden (id BIGINT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=hidden"';
    for (const qry of [
      create,
      'CREATE TABLE city (id INT PRIMARY KEY, name VARCHAR)',
      "INSERT INTO city VALUES (1, 'Oslo')",
    ]) {
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: token }));
    }
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('credentials are those of commands, in headers only', async () => {
    const path = 'GET /caches/open/entries/k';
    expect(codeOf(await send(service, path))).toBe('401 TOKEN_MISSING');
    expect(codeOf(await send(service, `${path}?sessionToken=${token}`))).toBe('401 TOKEN_MISSING');
    expect(codeOf(await send(service, path, undefined, basic('ann', 'wrong')))).toBe('401 CREDENTIALS_WRONG');
    expect((await send(service, path, undefined, basic('ann'))).text).toBe('"v"');
    expect((await send(service, path, undefined, { authorization: `Bearer ${token}` })).text).toBe('"v"');
    const large = JSON.stringify('x'.repeat(100_000));
    expect(codeOf(await send(service, 'PUT /caches/open/entries/large', large))).toBe('401 TOKEN_MISSING');
    expect(codeOf(await send(service, 'PUT /caches/open/entries/large', large, basic('ann', 'no')))).toBe(
      '401 CREDENTIALS_WRONG',
    );
    expect((await send(service, 'PUT /caches/open/entries/large', large, basic('ann'))).status).toBe(201);
  });

  test.each([
    ['ann', 'GET', 'open', '200'],
    ['ann', 'PUT', 'open', '204'],
    ['ann', 'GET', 'closed', '403 PERMISSION_DENIED'],
    ['ann', 'PUT', 'closed', '403 PERMISSION_DENIED'],
    // Missing objects are denied like forbidden ones.
    ['ann', 'GET', 'none', '403 PERMISSION_DENIED'],
    // The table declares keys of a different type from the one in the address.
    ['ann', 'GET', 'hidden', '403 PERMISSION_DENIED'],
    ['ann', 'PUT', 'hidden', '403 PERMISSION_DENIED'],
    ['pam', 'GET', 'open', '403 PERMISSION_DENIED'],
    ['pam', 'PUT', 'open', '204'],
    ['pam', 'DELETE', 'open', '403 PERMISSION_DENIED'],
    ['rob', 'GET', 'open', '200'],
    ['rob', 'PUT', 'open', '403 PERMISSION_DENIED'],
    ['rob', 'POST', 'open', '403 PERMISSION_DENIED'],
    ['rob', 'PATCH', 'open', '403 PERMISSION_DENIED'],
  ])('%s: %s of an entry of the cache %s is answered with %s', async (user, method, cache, code) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : '"v"';
    const answer = await send(service, `${method} /caches/${cache}/entries/k`, body, basic(user));
    expect(codeOf(answer)).toBe(code);
  });

  test.each([
    ['ann', 'GET /tables/city/rows', undefined, '200'],
    ['ann', 'PATCH /tables/city/rows/1', '{"name":"Rome"}', '204'],
    ['rob', 'GET /tables/city/rows/1', undefined, '200'],
    ['rob', 'GET /tables/city/rows?nothing=eq.1', undefined, '400 RESOURCE_INVALID'],
    ['rob', 'PATCH /tables/city/rows/1', '{"name":"Rome"}', '403 PERMISSION_DENIED'],
    ['rob', 'PUT /tables/city/rows/1', '{"name":"Rome"}', '403 PERMISSION_DENIED'],
    ['rob', 'DELETE /tables/city/rows?id=eq.1', undefined, '403 PERMISSION_DENIED'],
    ['rob', 'POST /tables/city/rows', '{"id":2}', '403 PERMISSION_DENIED'],
    // Neither columns nor types nor the existence of a table are revealed.
    ['pam', 'GET /tables/city/rows', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'GET /tables/none/rows', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'GET /tables/citty/rows', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'GET /tables/city/rows?nothing=eq.1', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'GET /tables/city/rows/one', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'POST /tables/city/rows', '{"nothing":1}', '403 PERMISSION_DENIED'],
    ['pam', 'PUT /tables/none/rows/1', '{"nothing":1}', '403 PERMISSION_DENIED'],
    // The entries of a cache, whether it exists or not.
    ['ann', 'GET /caches/open/entries?born=is.null', undefined, '200'],
    ['ann', 'GET /caches/closed/entries', undefined, '403 PERMISSION_DENIED'],
    ['ann', 'GET /caches/none/entries', undefined, '403 PERMISSION_DENIED'],
    ['ann', 'GET /caches/none/entries?born=1', undefined, '403 PERMISSION_DENIED'],
    ['ann', 'GET /caches/hidden/entries?keyType=uuid', undefined, '403 PERMISSION_DENIED'],
    ['pam', 'GET /caches/open/entries', undefined, '403 PERMISSION_DENIED'],
    ['rob', 'GET /caches/SQL_PUBLIC_CITY/entries?NAME=eq.Oslo', undefined, '200'],
    ['', 'GET /caches/open/entries?born=1', undefined, '401 TOKEN_MISSING'],
    ['', 'GET /tables/city/rows?nothing=eq.1', undefined, '401 TOKEN_MISSING'],
    ['', 'GET /tables/none/rows', undefined, '401 TOKEN_MISSING'],
  ])('%s: %s %s is answered with %s', async (user, request, body, code) => {
    expect(codeOf(await send(service, request, body, user === '' ? {} : basic(user)))).toBe(code);
  });

  test('columns may be called like parameters of commands', async () => {
    const create = 'CREATE TABLE odd (id INT PRIMARY KEY, "sessionToken" VARCHAR, "cmd" VARCHAR, "user" VARCHAR)';
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: create, sessionToken: token }));
    const bearer = { authorization: `Bearer ${token}` };
    await send(service, 'POST /tables/odd/rows', '{"id":1,"sessionToken":"x","cmd":"put","user":"u"}', bearer);
    const rows = await send(service, 'GET /tables/odd/rows?sessionToken=eq.x&cmd=eq.put&user=eq.u', undefined, bearer);
    expect(rows.json).toEqual([{ ID: 1, sessionToken: 'x', cmd: 'put', user: 'u' }]);
    const streamed = { ...bearer, 'content-type': 'application/x-ndjson' };
    expect((await send(service, 'POST /tables/odd/rows', '{"id":2,"cmd":"a"}\n', streamed)).status).toBe(201);
    expect(codeOf(await send(service, 'POST /tables/odd/rows', '{"id":3}\n', { 'content-type': 'text/csv' }))).toBe(
      '401 TOKEN_MISSING',
    );
  });

  test('a condition on the value needs the right to read it', async () => {
    const condition = { ...basic('pam'), 'if-match': '"x"' };
    expect(codeOf(await send(service, 'PUT /caches/open/entries/k', '"v"', condition))).toBe('403 PERMISSION_DENIED');
  });
});
