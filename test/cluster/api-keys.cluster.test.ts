/**
 * API keys, rates and JSON Web Tokens in front of a cluster: that services share them, and which users can have them.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
setDefaultTimeout(180_000);
/** Time for which a service caches what it knows about a key. */
const TRUST_MS = 1_100;

interface Issued {
  readonly id: string;
  readonly key: string;
}

type Parameters = Readonly<Record<string, string | number>>;

const bearer = (key: string): RequestInit => ({ headers: { Authorization: `Bearer ${key}` } });
const ask = (service: ServiceProcess, key: string, params: Parameters) => service.send(queryOf(params), bearer(key));

/** Two services in front of one cluster. */
function services(options: { readonly authentication: boolean }, env: Readonly<Record<string, string>>) {
  let cluster: TestCluster | undefined;
  const started: ServiceProcess[] = [];
  beforeAll(async () => {
    cluster = await startCluster(1, options);
    for (const _ of [1, 2]) started.push(await start({}));
  }, 300_000);
  afterAll(async () => {
    for (const service of started) await service.stop();
    await cluster?.[Symbol.asyncDispose]();
  });
  function start(more: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const endpoints = cluster?.endpoints.join(',') ?? '';
    return startService({
      env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: endpoints, SVC_AUTHENTICATION: 'true', ...env, ...more },
    });
  }
  const at = (index: number): ServiceProcess => {
    const service = started[index];
    if (service === undefined) throw new Error('the service has not started');
    return service;
  };
  return { at, start };
}

if (missing !== undefined) {
  describe('API keys in front of a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('in front of a cluster without authentication', () => {
    const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw' };
    const { at, start } = services({ authentication: false }, { SVC_ADMIN_PASSWORD: 'pw' });
    const command = (index: number, params: Parameters) => at(index).command(queryOf({ ...params, ...ADMIN }));

    test('keys of all users are accepted by every service, within their scopes', async () => {
      await command(0, { cmd: 'adduser', user: 'ann', password: 'secret', roles: 'user' });
      for (const cacheName of ['orders', 'staff']) {
        await command(0, { cmd: 'getorcreate', cacheName });
        await command(0, { cmd: 'put', cacheName, key: 1, val: 'a' });
      }
      const scope = JSON.stringify({ caches: { orders: 'read' } });
      const { key, id } = (await command(0, {
        cmd: 'apikeyadd',
        name: 'k',
        user: 'ann',
        scope,
        rate: '20/h',
      })) as Issued;
      for (const index of [0, 1]) {
        expect((await ask(at(index), key, { cmd: 'get', cacheName: 'orders', key: 1 })).response).toBe('a');
        expect((await ask(at(index), key, { cmd: 'get', cacheName: 'staff', key: 1 })).successStatus).toBe(3);
        expect((await ask(at(index), key, { cmd: 'put', cacheName: 'orders', key: 1, val: 'b' })).successStatus).toBe(
          3,
        );
      }
      const limited = await fetch(`${at(0).url}?${queryOf({ cmd: 'noop' })}`, bearer(key));
      expect(limited.headers.get('RateLimit')).toMatch(/^"key";r=16;/);
      expect(await command(1, { cmd: 'apikeylist', user: 'ann' })).toMatchObject([
        { id, name: 'k', lastUsedAt: expect.stringMatching(/^\d{4}-/) },
      ]);
      const rotated = (await command(1, { cmd: 'apikeyrotate', id, overlapMs: 0 })) as Issued;
      await Bun.sleep(TRUST_MS);
      for (const index of [0, 1]) {
        expect((await ask(at(index), key, { cmd: 'noop' })).successStatus).toBe(2);
        expect((await ask(at(index), rotated.key, { cmd: 'noop' })).successStatus).toBe(0);
      }
      await command(0, { cmd: 'apikeyrmv', id });
      expect((await ask(at(0), rotated.key, { cmd: 'noop' })).successStatus).toBe(2);
      await Bun.sleep(TRUST_MS);
      expect((await ask(at(1), rotated.key, { cmd: 'noop' })).successStatus).toBe(2);
    });

    test('keys end with their user on every service', async () => {
      const { key } = (await command(0, { cmd: 'apikeyadd', name: 'k', user: 'ann' })) as Issued;
      expect((await ask(at(1), key, { cmd: 'noop' })).successStatus).toBe(0);
      await command(0, { cmd: 'removeuser', user: 'ann' });
      await Bun.sleep(TRUST_MS);
      expect((await ask(at(1), key, { cmd: 'noop' })).successStatus).toBe(2);
      expect(await command(1, { cmd: 'apikeylist', user: 'ann' })).toEqual([]);
    });

    test('a scope cannot name tables', async () => {
      const scope = JSON.stringify({ tables: { T: 'read' } });
      const { error } = await at(0).send(queryOf({ cmd: 'apikeyadd', name: 't', scope, ...ADMIN }));
      expect(error).toContain('does not know which cache of the cluster a table belongs to');
    });

    test('JSON Web Tokens are accepted', async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const file = join(newFolder(), 'keys.json');
      writeFileSync(file, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
      const jwt = { SVC_JWT_KEYS: file, SVC_JWT_ISSUER: 'i', SVC_JWT_AUDIENCE: 'a' };
      await using service = await start(jwt);
      const claims = { iss: 'i', aud: 'a', sub: 'ann', exp: 9_999_999_999 };
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      expect((await ask(service, token, { cmd: 'get', cacheName: 'orders', key: 1 })).response).toBe('a');
    });
  });

  describe('in front of a cluster with authentication', () => {
    const ADMIN = { 'svc.login': 'ignite', 'svc.password': 'ignite' };
    const account = { SVC_ENGINE_CLUSTER_USER: 'ignite', SVC_ENGINE_CLUSTER_PASSWORD: 'ignite' };
    const { at, start } = services({ authentication: true }, account);
    const send = (index: number, params: Parameters) => at(index).send(queryOf({ ...params, ...ADMIN }));

    test("only the service's own account has keys, which every service accepts", async () => {
      await send(0, { cmd: 'adduser', user: 'bob', password: 'secret', roles: 'user' });
      const BOB = { 'svc.login': 'bob', 'svc.password': 'secret' };
      const reason = "only ignite, the service's own account, can have keys";
      expect((await at(0).send(queryOf({ cmd: 'apikeyadd', name: 'k', ...BOB }))).error).toContain(reason);
      expect((await send(0, { cmd: 'apikeyadd', name: 'k', user: 'bob' })).error).toContain(reason);
      await send(0, { cmd: 'getorcreate', cacheName: 'orders' });
      const scope = JSON.stringify({ caches: { orders: 'write' } });
      const { key, id } = (await send(0, { cmd: 'apikeyadd', name: 'k', scope })).response as Issued;
      for (const index of [0, 1]) {
        expect((await ask(at(index), key, { cmd: 'put', cacheName: 'orders', key: 1, val: 'b' })).response).toBe(true);
        expect(
          (await ask(at(index), key, { cmd: 'adduser', user: 'eve', password: 'x', roles: 'user' })).successStatus,
        ).toBe(3);
        expect((await ask(at(index), key, { cmd: 'destcache', cacheName: 'orders' })).successStatus).toBe(3);
      }
      await send(1, { cmd: 'apikeyrmv', id });
      expect((await ask(at(1), key, { cmd: 'noop' })).successStatus).toBe(2);
      await send(0, { cmd: 'removeuser', user: 'bob' });
    });

    test('JSON Web Tokens are rejected at the start', async () => {
      const file = join(newFolder(), 'keys.json');
      writeFileSync(file, '{"keys":[]}');
      const jwt = { SVC_JWT_KEYS: file, SVC_JWT_ISSUER: 'i', SVC_JWT_AUDIENCE: 'a' };
      const failure = await start(jwt).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StartFailure);
      expect(String(failure)).toContain('jwt.keys: the cluster checks the password of a user on each connection');
    });
  });
}
