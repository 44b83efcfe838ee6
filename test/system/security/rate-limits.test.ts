/** Rate limits over sockets: by address, user and API key, over all threads, with their headers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from '../modes.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw-svc' };

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly error: string | null;
  readonly text: string;
}

async function ask(
  service: ServiceProcess,
  params: Record<string, string | number>,
  init?: RequestInit,
): Promise<Reply> {
  const response = await fetch(`${service.url}?${queryOf(params)}`, init);
  const text = await response.text();
  const { error } = JSON.parse(text) as { error: string | null };
  return { status: response.status, headers: response.headers, error, text };
}

const bearer = (key: string): RequestInit => ({ headers: { Authorization: `Bearer ${key}` } });
const limitsOf = ({ headers }: Reply) => [headers.get('RateLimit-Policy'), headers.get('RateLimit')];

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    let service: ServiceProcess;
    let sessions = new Map<string, string>();

    beforeAll(async () => {
      const config = join(newFolder(), 'svc.config.ts');
      const users = ['ann', 'bob'].map((name) => ({ name, password: `pw-${name}` }));
      const declared = {
        authentication: true,
        adminPassword: 'pw-svc',
        users,
        rateLimit: { user: '30/h', apiKey: '10/h' },
        rest: { sessionTimeout: 600 },
      };
      writeFileSync(config, `export default ${JSON.stringify(declared)};`);
      service = await startService({ args: ['--config', config], env: { SVC_WORKERS: workers } });
      sessions = new Map();
      for (const name of ['svc', 'ann', 'bob']) {
        const { sessionToken } = await service.send(
          queryOf({ cmd: 'authenticate', 'svc.login': name, 'svc.password': `pw-${name}` }),
        );
        sessions.set(name, sessionToken ?? '');
      }
    }, 60_000);
    afterAll(() => service[Symbol.asyncDispose]());

    const token = (name: string) => sessions.get(name) ?? '';
    const addKey = async (params: Record<string, string>): Promise<string> => {
      const added = await service.command(queryOf({ cmd: 'apikeyadd', user: 'bob', ...params, ...ADMIN }));
      return (added as { key: string }).key;
    };

    test('a key has its own rate or that of all keys, and counts against its user, over all threads', async () => {
      const own = await addKey({ name: 'own', rate: '5/h' });
      const first = await ask(service, { cmd: 'noop' }, bearer(own));
      expect(first.status).toBe(200);
      expect(limitsOf(first)).toEqual([
        '"key";q=5;w=3600, "user";q=30;w=3600',
        expect.stringMatching(/^"key";r=4;t=720, "user";r=28;t=\d+$/),
      ]);
      const more = await Promise.all(Array.from({ length: 12 }, () => ask(service, { cmd: 'noop' }, bearer(own))));
      const rejected = more.filter(({ status }) => status === 429);
      expect(rejected).toHaveLength(8);
      for (const reply of rejected) {
        expect(reply.error).toMatch(/^Too many requests of this key, try again in 7\d\d s \[limit=5 in 3600 s\]$/);
        expect(reply.headers.get('Retry-After')).toMatch(/^7\d\d$/);
        expect(reply.text).toContain('"successStatus":1');
      }
      const other = await addKey({ name: 'other' });
      const statuses = await Promise.all(
        Array.from({ length: 15 }, () => ask(service, { cmd: 'noop' }, bearer(other))),
      );
      expect(statuses.filter(({ status }) => status === 200)).toHaveLength(10);
    });

    test('a user has one rate for all sessions, and nobody else is affected', async () => {
      const replies = await Promise.all(
        Array.from({ length: 40 }, () => ask(service, { cmd: 'noop', sessionToken: token('ann') })),
      );
      // The login was the first request.
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(29);
      const body = 'a'.repeat(40_000);
      const large = await fetch(`${service.url}?${queryOf({ cmd: 'put', key: 1, sessionToken: token('ann') })}`, {
        method: 'POST',
        body: new URLSearchParams({ val: body }),
      });
      expect(large.status).toBe(429);
      expect((await ask(service, { cmd: 'noop', sessionToken: token('bob') })).status).toBe(200);
      const metrics = await fetch(`${service.origin}/metrics?${queryOf(ADMIN)}`);
      expect(await metrics.text()).toContain('svc_rate_limited_total');
    });

    test('administrators are exempt from the rate of users', async () => {
      for (let at = 0; at < 35; at++) {
        const reply = await ask(service, { cmd: 'noop', sessionToken: token('svc') });
        expect([reply.status, ...limitsOf(reply)]).toEqual([200, null, null]);
      }
    });
  });
}

describe('by address', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    const proxies = { SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1' };
    service = await startService({ env: { SVC_RATE_LIMIT_ADDRESS: '3/10s', SVC_WORKERS: '2', ...proxies } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());
  const from = (address: string, params: Record<string, string | number>, init: RequestInit = {}) =>
    ask(service, params, { ...init, headers: { 'X-Forwarded-For': address } });

  test('a batch is one request, and an IPv6 /64 is one address', async () => {
    const commands = JSON.stringify(Array.from({ length: 20 }, () => ({ cmd: 'noop' })));
    const batch = await from('2001:db8::1', { cmd: 'batch', commands });
    expect([batch.status, ...limitsOf(batch)]).toEqual([200, '"address";q=3;w=10', '"address";r=2;t=4']);
    expect((await from('2001:db8::2', { cmd: 'noop' })).status).toBe(200);
    expect((await from('2001:db8::3', { cmd: 'noop' })).status).toBe(200);
    const { status, error, headers } = await from('2001:db8::4', { cmd: 'noop' });
    expect([status, error]).toEqual([429, expect.stringContaining('Too many requests of this address')]);
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(4);
    expect((await from('2001:db8:0:1::1', { cmd: 'noop' })).status).toBe(200);
  });

  test('failed requests count, health checks and pages do not', async () => {
    for (const _ of [1, 2, 3]) expect((await from('10.0.0.1', { cmd: 'get' })).status).toBe(200);
    expect((await from('10.0.0.1', { cmd: 'noop' })).status).toBe(429);
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/metrics']) {
      const { status } = await fetch(`${service.origin}${path}`, { headers: { 'X-Forwarded-For': '10.0.0.1' } });
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test('requests are admitted again', async () => {
    for (const _ of [1, 2, 3]) await from('10.0.0.2', { cmd: 'noop' });
    const { headers } = await from('10.0.0.2', { cmd: 'noop' });
    await Bun.sleep(1_000 * Number(headers.get('Retry-After')));
    expect((await from('10.0.0.2', { cmd: 'noop' })).status).toBe(200);
  }, 20_000);
});

test('without rates, responses have no headers about them', async () => {
  await using service = await startService();
  const reply = await ask(service, { cmd: 'noop' });
  expect([...limitsOf(reply), reply.headers.get('Retry-After')]).toEqual([null, null, null]);
}, 30_000);
