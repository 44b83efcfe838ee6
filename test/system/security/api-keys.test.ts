/** API keys over sockets: rights, revocation on every thread, rotation, restarts, guesses, and what is stored. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw-svc' };
const ANN = { 'svc.login': 'ann', 'svc.password': 'pw-ann' };
const RITA = { 'svc.login': 'rita', 'svc.password': 'pw-rita' };
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'pw-svc',
  users: [
    { name: 'ann', password: 'pw-ann' },
    { name: 'rita', password: 'pw-rita' },
  ],
  caches: [{ name: 'orders', entries: [{ key: '1', value: 'a' }] }, { name: 'staff' }],
  permissions: { roles: { reader: { caches: { orders: 'read', staff: 'read' } } }, users: { rita: ['reader'] } },
  limits: { apiKeysPerUser: 5 },
};

interface Issued {
  readonly id: string;
  readonly key: string;
}

type Parameters = Readonly<Record<string, string | number>>;

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    let service: ServiceProcess;
    const config = join(newFolder(), 'svc.config.ts');
    const dataDir = newFolder();
    const start = () => startService({ args: ['--config', config], env: { SVC_WORKERS: workers }, dataDir });

    beforeAll(async () => {
      writeFileSync(config, `export default ${JSON.stringify(CONFIGURATION)};`);
      service = await start();
    }, 60_000);
    afterAll(() => service[Symbol.asyncDispose]());

    const add = async (login: Parameters, params: Parameters): Promise<Issued> =>
      (await service.command(queryOf({ cmd: 'apikeyadd', ...params, ...login }))) as Issued;
    const remove = (id: string) => service.command(queryOf({ cmd: 'apikeyrmv', id, ...ADMIN }));
    /** Each request has a separate connection, so that all threads get some. */
    const ask = (key: string, params: Parameters): Promise<Answer> =>
      service.send(queryOf(params), { headers: { Authorization: `Bearer ${key}`, Connection: 'close' } });
    const askAll = (key: string, params: Parameters) => Promise.all(Array.from({ length: 16 }, () => ask(key, params)));
    const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ successStatus }) => successStatus))];

    test('the user whom a request is about is not its sender, although its body cannot be read', async () => {
      const body = JSON.stringify({ cmd: 'adduser', user: 'new', password: 'new-password', roles: { user: true } });
      const headers = { 'content-type': 'application/json', authorization: `Basic ${btoa('svc:pw-svc')}` };
      const answer = await fetch(service.url, { method: 'POST', body, headers });
      expect(((await answer.json()) as { error: unknown }).error).toMatchObject({
        code: 'REQUEST_MALFORMED',
        parameter: 'roles',
        remedy: expect.stringContaining('["a", "b"]'),
      });
    });

    test('a scope may be an object, or its text, in a JSON body', async () => {
      const scope = { caches: { orders: 'read' } };
      const ofJson = async (given: unknown, name: string) => {
        const body = JSON.stringify({ cmd: 'apikeyadd', name, scope: given, ...ANN });
        const answer = await fetch(service.url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        });
        return (await answer.json()) as { response: Issued | null; error: unknown };
      };
      for (const given of [scope, JSON.stringify(scope)]) {
        const { response } = await ofJson(given, `json ${typeof given}`);
        const listed = (await service.command(queryOf({ cmd: 'apikeylist', ...ANN }))) as ReadonlyArray<object>;
        expect(listed).toContainEqual(expect.objectContaining({ id: response?.id, scope }));
        await remove(response?.id ?? '');
      }
      expect((await ofJson(['read'], 'list')).error).toMatchObject({ code: 'API_KEY_INVALID' });
    });

    test('a key may do what its user and its scope allow', async () => {
      const scope = JSON.stringify({ commands: ['@entry', '@query', '@counter'], caches: { orders: 'write' } });
      const { key, id } = await add(ANN, { name: 'scoped', scope });
      expect((await ask(key, { cmd: 'get', cacheName: 'orders', key: 1 })).response).toBe('a');
      expect((await ask(key, { cmd: 'put', cacheName: 'orders', key: 2, val: 'b' })).response).toBe(true);
      const denied: ReadonlyArray<readonly [Parameters, string]> = [
        [{ cmd: 'get', cacheName: 'staff', key: 1 }, 'read on cache staff'],
        [{ cmd: 'size', cacheName: 'orders' }, 'command size'],
        [{ cmd: 'incr', key: 'c', delta: 1 }, 'counter c'],
        [{ cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT * FROM sys.caches' }, 'read on table SYS.CACHES or cache *'],
        [{ cmd: 'apikeyadd', name: 'more' }, 'command apikeyadd'],
      ];
      for (const [params, missing] of denied) {
        const answer = await ask(key, params);
        expect([answer.successStatus, answer.error]).toEqual([3, expect.stringContaining(`missing=${missing}`)]);
      }
      const batch = JSON.stringify([
        { cmd: 'get', cacheName: 'orders', key: '1' },
        { cmd: 'get', cacheName: 'staff', key: '1' },
      ]);
      const whole = await add(ANN, { name: 'batch', scope: JSON.stringify({ caches: { orders: 'read' } }) });
      const results = (await ask(whole.key, { cmd: 'batch', commands: batch })).response as readonly Answer[];
      expect(results.map(({ successStatus }) => successStatus)).toEqual([0, 3]);
      await Promise.all([id, whole.id].map(remove));
    });

    test('a key never has more rights than its user', async () => {
      const { key, id } = await add(RITA, { name: 'all', scope: JSON.stringify({ caches: { '*': 'all' } }) });
      expect((await ask(key, { cmd: 'get', cacheName: 'orders', key: 1 })).successStatus).toBe(0);
      expect((await ask(key, { cmd: 'put', cacheName: 'orders', key: 1, val: 'x' })).error).toContain('missing=put');
      await remove(id);
      const admin = await add(ADMIN, { name: 'admin' });
      for (const params of [
        { cmd: 'adduser', user: 'eve', password: 'x', roles: 'user' },
        { cmd: 'updateuser', user: 'svc', password: 'x' },
        { cmd: 'setstate', state: 'INACTIVE' },
        { cmd: 'apikeyadd', name: 'other' },
        { cmd: 'apikeylist' },
        { cmd: 'qrykill', qryId: 1 },
        { cmd: 'qryfldexe', pageSize: 1, qry: 'ALTER USER "svc" WITH PASSWORD \'x\'' },
      ]) {
        const { successStatus, error } = await ask(admin.key, params);
        expect([params.cmd, successStatus === 0, error]).toEqual([params.cmd, false, expect.any(String)]);
      }
      expect((await service.send(queryOf({ cmd: 'state', ...ADMIN }))).response).toBe('ACTIVE');
      await remove(admin.id);
    });

    test('tables in a scope', async () => {
      const run = (qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: 9, qry, ...ADMIN }));
      await run('CREATE TABLE Invoice (id INT PRIMARY KEY, total INT)');
      await run('CREATE TABLE Salary (id INT PRIMARY KEY, total INT)');
      const { key, id } = await add(ANN, { name: 'sql', scope: JSON.stringify({ tables: { Invoice: 'write' } }) });
      const query = (qry: string) => ask(key, { cmd: 'qryfldexe', pageSize: 9, qry });
      expect((await query('INSERT INTO Invoice VALUES (1, 5)')).successStatus).toBe(0);
      expect((await query('SELECT total FROM Invoice')).text).toContain('[[5]]');
      expect((await query('SELECT total FROM Salary')).successStatus).toBe(3);
      expect((await query('SELECT i.total FROM Invoice i, Salary s')).successStatus).toBe(3);
      expect((await query('DROP TABLE Invoice')).successStatus).toBe(3);
      await remove(id);
    });

    test('cursors belong to the key, not to its user', async () => {
      const { key, id } = await add(ANN, { name: 'cursor', scope: JSON.stringify({ caches: { orders: 'read' } }) });
      await service.command(queryOf({ cmd: 'putall', cacheName: 'staff', k1: 1, v1: 'x', k2: 2, v2: 'y', ...ANN }));
      const own = await service.send(queryOf({ cmd: 'qryscanexe', cacheName: 'staff', pageSize: 1, ...ANN }));
      const { queryId } = own.response as { readonly queryId: number };
      const stolen = await ask(key, { cmd: 'qryfetch', qryId: queryId, pageSize: 1 });
      expect([stolen.successStatus === 0, stolen.response]).toEqual([false, null]);
      await remove(id);
    });

    test('a removed key is rejected on every thread at once', async () => {
      const { key, id } = await add(ANN, { name: 'once' });
      const get = { cmd: 'get', cacheName: 'orders', key: 1 };
      expect(statuses(await askAll(key, get))).toEqual([0]);
      await remove(id);
      expect(statuses(await askAll(key, get))).toEqual([2]);
    });

    test('a rotated key has two secrets until the overlap ends', async () => {
      const { key, id } = await add(ANN, { name: 'rotated' });
      const get = { cmd: 'get', cacheName: 'orders', key: 1 };
      const rotate = async (overlapMs: number) =>
        (await service.command(queryOf({ cmd: 'apikeyrotate', id, overlapMs, ...ANN }))) as Issued;
      const second = await rotate(60_000);
      expect(second.id).toBe(id);
      for (const each of [key, second.key]) expect(statuses(await askAll(each, get))).toEqual([0]);
      const third = await rotate(0);
      expect((await ask(second.key, get)).successStatus).toBe(2);
      expect(statuses(await askAll(third.key, get))).toEqual([0]);
      await remove(id);
    });

    test('a key ends with its user', async () => {
      await service.command(queryOf({ cmd: 'adduser', user: 'temp', password: 'x', roles: 'user', ...ADMIN }));
      const { key } = await add(ADMIN, { name: 'temp', user: 'temp' });
      const get = { cmd: 'get', cacheName: 'orders', key: 1 };
      expect(statuses(await askAll(key, get))).toEqual([0]);
      await service.command(queryOf({ cmd: 'removeuser', user: 'temp', ...ADMIN }));
      expect((await ask(key, get)).successStatus).toBe(2);
      await service.command(queryOf({ cmd: 'adduser', user: 'temp', password: 'x', roles: 'user', ...ADMIN }));
      expect((await ask(key, get)).successStatus).toBe(2);
      expect(await service.command(queryOf({ cmd: 'apikeylist', user: 'temp', ...ADMIN }))).toEqual([]);
    });

    test('a key expires', async () => {
      const { key, id } = await add(ANN, { name: 'short', ttlMs: 700 });
      const get = { cmd: 'get', cacheName: 'orders', key: 1 };
      expect((await ask(key, get)).successStatus).toBe(0);
      await Bun.sleep(800);
      expect((await ask(key, get)).successStatus).toBe(2);
      expect(await service.command(queryOf({ cmd: 'apikeylist', ...ANN }))).toMatchObject([{ id, expired: true }]);
      await remove(id);
    });

    test('a key that may be used from elsewhere only', async () => {
      const { key, id } = await add(ANN, { name: 'far', addresses: '10.0.0.0/8' });
      const { successStatus, error } = await ask(key, { cmd: 'state' });
      expect([successStatus, error]).toEqual([3, expect.stringContaining('missing=address 127.0.0.1 in the scope')]);
      await remove(id);
    });

    test('keys and last uses survive a restart, and no file contains a secret', async () => {
      const { key, id } = await add(ANN, { name: 'lasting' });
      await ask(key, { cmd: 'get', cacheName: 'orders', key: 1 });
      await ask(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, { cmd: 'get', cacheName: 'orders', key: 1 });
      await ask(key, { cmd: 'get', cacheName: 'none', key: 1 });
      await ask(key, { cmd: 'setstate', state: 'INACTIVE' });
      await service.stop();
      const secret = key.slice(-64, -1);
      let bytes = 0;
      for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:db|db-wal|log)$/.test(name)) continue;
        const content = readFileSync(join(dataDir, name), 'latin1');
        bytes += content.length;
        expect(content.includes(secret)).toBe(false);
        if (name.endsWith('audit-failures.log')) expect(content).toContain(`"apiKey":"${id}"`);
      }
      expect(bytes).toBeGreaterThan(10_000);
      service = await start();
      expect((await ask(key, { cmd: 'get', cacheName: 'orders', key: 1 })).response).toBe('a');
      const listed = await service.command(queryOf({ cmd: 'apikeylist', ...ANN }));
      expect(listed).toMatchObject([{ id, lastUsedAt: expect.stringMatching(/^\d{4}-/) }]);
      await remove(id);
    }, 30_000);

    test('guesses back off alike for ids that exist and for others, and delay nobody else', async () => {
      const { key, id } = await add(ANN, { name: 'guessed' });
      const get = { cmd: 'get', cacheName: 'orders', key: 1 };
      const flood = async (of: string) => {
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, at) => ask(of.slice(0, -2) + (at + 16).toString(16), get)),
        );
        const wrong = answers.filter(({ successStatus }) => successStatus !== 0);
        const unknown = wrong.filter(({ error }) => error?.includes('unknown, expired or revoked'));
        const later = wrong.filter(({ error }) => error?.startsWith('Too many failed attempts'));
        expect(unknown.length + later.length).toBe(wrong.length);
        return unknown.length;
      };
      const startMs = performance.now();
      const floods = [flood(key), flood(key.replace(id, 'abcdefabcdefabcd'))];
      for (let at = 0; at < 20; at++) expect((await ask(key, get)).successStatus).toBe(0);
      expect(await Promise.all(floods)).toEqual([10, 10]);
      expect(performance.now() - startMs).toBeLessThan(allowedMs(10_000));
      expect(statuses(await askAll(key, get))).toEqual([0]);
      await remove(id);
    }, 30_000);

    test('bounds the keys of a user', async () => {
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) ids.push((await add(ANN, { name: `k${at}` })).id);
      const { successStatus, error } = await service.send(queryOf({ cmd: 'apikeyadd', name: 'k5', ...ANN }));
      expect([successStatus, error]).toEqual([1, 'Too many API keys for this user [limit=5]']);
      await Promise.all(ids.map(remove));
    });
  });
}

test('without authentication there are no keys, and a key in a header is ignored', async () => {
  await using service = await startService();
  expect((await service.send('cmd=apikeyadd&name=k')).error).toContain('security disabled');
  const Authorization = `Bearer svck_${'0'.repeat(16)}_${'0'.repeat(64)}`;
  expect((await service.send('cmd=version', { headers: { Authorization } })).successStatus).toBe(0);
}, 30_000);
