/**
 * Users, roles and sessions over sockets: who may see and end which, and that ending them takes effect on every thread.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw-svc' };
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'pw-svc',
  users: [
    { name: 'ann', password: 'pw-ann' },
    { name: 'rita', password: 'pw-rita' },
  ],
  permissions: {
    roles: { reader: { commands: ['@entry', '@user', 'noop'], caches: { 'a*': 'read' } } },
    users: { rita: ['reader'] },
  },
};

interface Listed {
  readonly id: string;
  readonly user: string;
  readonly current: boolean;
}

type Parameters = Readonly<Record<string, string | number>>;

let service: ServiceProcess;
beforeAll(async () => {
  const config = join(newFolder(), 'svc.config.ts');
  writeFileSync(config, `export default ${JSON.stringify(CONFIGURATION)};`);
  service = await startService({ args: ['--config', config], env: { SVC_WORKERS: '2' } });
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

/** Returns the token of a new session. */
async function logIn(user: string): Promise<string> {
  const answer = await service.send(queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': `pw-${user}` }));
  return String(answer.sessionToken);
}
const as = (token: string, params: Parameters) => service.send(queryOf({ ...params, sessionToken: token }));
/** Each request has a separate connection, so that all threads get some. */
const statusesOf = async (token: string) => {
  const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
  const answers = await Promise.all(Array.from({ length: 12 }, () => service.send('cmd=noop', { headers })));
  return [...new Set(answers.map(({ successStatus }) => successStatus))];
};
const listed = async (token: string, params: Parameters = {}) =>
  (await as(token, { cmd: 'sessionlist', ...params })).response as Listed[];

describe('users and roles', () => {
  test('an administrator sees all, another user only what concerns this user', async () => {
    const [admin, rita] = [await logIn('svc'), await logIn('rita')];
    const own = { name: 'rita', roles: ['reader'], rolesFrom: 'configuration', isDefault: false };
    expect((await as(admin, { cmd: 'userlist' })).response).toEqual([
      { name: 'ann', roles: ['user'], rolesFrom: 'others', isDefault: false },
      own,
      { name: 'svc', roles: ['admin'], rolesFrom: 'configuration', isDefault: true },
    ]);
    expect((await as(rita, { cmd: 'userlist' })).response).toEqual([own]);
    const reader = {
      name: 'reader',
      source: 'configuration',
      commands: ['@entry', '@user', 'noop'],
      caches: { 'a*': ['read'] },
      tables: {},
      counters: [],
      tasks: [],
      administration: [],
      users: ['rita'],
      others: false,
    };
    expect((await as(rita, { cmd: 'rolelist' })).response).toEqual([reader]);
    const roles = (await as(admin, { cmd: 'rolelist' })).response as Array<{ name: string; users: string[] }>;
    expect(roles.map(({ name, users }) => [name, users])).toEqual([
      ['admin', ['svc']],
      ['user', []],
      ['reader', ['rita']],
    ]);
    expect(roles[2]).toEqual(reader);
  });
});

describe('sessions', () => {
  test('an administrator sees and ends those of all; the end holds on every thread', async () => {
    const [admin, ann] = [await logIn('svc'), await logIn('ann')];
    expect(await statusesOf(ann)).toEqual([0]);
    const [session, ...more] = await listed(admin, { user: 'ann' });
    expect([session, more.length]).toMatchObject([
      { user: 'ann', address: '127.0.0.1', current: false, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      0,
    ]);
    expect(JSON.stringify(session).toUpperCase()).not.toContain(ann.toUpperCase());
    // The id is not a token.
    expect((await as(session?.id ?? '', { cmd: 'noop' })).successStatus).not.toBe(0);
    expect((await as(admin, { cmd: 'sessionrmv', id: session?.id ?? '' })).response).toBe(1);
    expect(await statusesOf(ann)).not.toContain(0);
    expect((await as(admin, { cmd: 'sessionrmv', id: session?.id ?? '' })).error).toContain('There is no session');
    expect(await statusesOf(admin)).toEqual([0]);
  });

  test('all sessions of a user end together', async () => {
    const admin = await logIn('svc');
    const tokens = [await logIn('ann'), await logIn('ann'), await logIn('ann')];
    expect((await as(admin, { cmd: 'sessionrmv', user: 'ann' })).response).toBe(3);
    for (const token of tokens) expect(await statusesOf(token)).not.toContain(0);
    expect(await listed(admin, { user: 'ann' })).toEqual([]);
  });

  test('a user sees and ends only the own ones', async () => {
    const [admin, ann, rita] = [await logIn('svc'), await logIn('ann'), await logIn('rita')];
    const own = await listed(ann);
    expect(own.map(({ user, current }) => [user, current])).toEqual([['ann', true]]);
    const id = (await listed(rita)).find(({ current }) => current)?.id ?? '';
    expect((await as(ann, { cmd: 'sessionrmv', id })).error).toContain('There is no session');
    for (const params of [
      { cmd: 'sessionlist', user: 'rita' },
      { cmd: 'sessionrmv', user: 'rita' },
    ]) {
      expect((await as(ann, params)).error).toContain('User management operations are not allowed');
    }
    expect(await statusesOf(rita)).toEqual([0]);
    expect((await as(rita, { cmd: 'sessionrmv', id })).response).toBe(1);
    expect(await statusesOf(rita)).not.toContain(0);
    expect(await statusesOf(admin)).toEqual([0]);
  });

  test('an API key sees and ends them only with the right to manage users', async () => {
    const issue = async (scope: object) => {
      const params = { cmd: 'apikeyadd', name: crypto.randomUUID(), scope: JSON.stringify(scope) };
      return String(Object(await service.command(queryOf({ ...params, ...ADMIN }))).key);
    };
    const ask = (key: string) =>
      service.send('cmd=sessionlist&limit=1', { headers: { Authorization: `Bearer ${key}` } });
    expect((await ask(await issue({ caches: { '*': 'all' } }))).successStatus).toBe(3);
    expect((await ask(await issue({ administration: ['users'] }))).response).toHaveLength(1);
  });
});
