/** Changing one's own password over sockets: the old one is needed, in every form of the request. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Answer,
  newFolder,
  queryOf,
  type ServiceProcess,
  StartFailure,
  startService,
} from '../service-process.ts';

setDefaultTimeout(60_000);

const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw-svc' };
const AUTHENTICATION = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw-svc' };
const MISSING = 'To change your own password, send the old one';
const WRONG = 'The old password is wrong';

type Parameters = Readonly<Record<string, string>>;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({ env: { ...AUTHENTICATION, SVC_WORKERS: '2' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const send = (params: Parameters, of = service): Promise<Answer> => of.send(queryOf(params));

/** Adds a user and logs in. Returns the parameter with the token. */
async function newUser(user: string, of = service): Promise<Parameters> {
  expect((await send({ cmd: 'adduser', user, password: 'first', roles: 'user', ...ADMIN }, of)).error).toBeNull();
  return logIn(user, 'first', of);
}

async function logIn(user: string, password: string, of = service): Promise<Parameters> {
  const answer = await send({ cmd: 'authenticate', 'svc.login': user, 'svc.password': password }, of);
  return { sessionToken: String(answer.sessionToken) };
}

describe('a session alone changes no password of its own user', () => {
  const own = { user: 'ann', password: 'second' };
  /** Forms of the request, and the error. */
  const cases: ReadonlyArray<readonly [string, Parameters, string]> = [
    ['without the old one', { cmd: 'updateuser', ...own }, MISSING],
    ['with another one', { cmd: 'updateuser', ...own, oldPassword: 'guess' }, WRONG],
    ['with an empty one', { cmd: 'updateuser', ...own, oldPassword: '' }, WRONG],
    ['in a dry run', { cmd: 'dryrun', of: 'updateuser', ...own }, MISSING],
    ['in a dry run with another one', { cmd: 'dryrun', of: 'updateuser', ...own, oldPassword: 'guess' }, WRONG],
    ['in SQL', { cmd: 'qryfldexe', pageSize: '1', qry: `alter user "ann" with password 'second'` }, MISSING],
  ];
  let token: Parameters;
  beforeAll(async () => {
    token = await newUser('ann');
  });
  for (const [title, params, error] of cases) {
    test(title, async () => {
      const answer = await send({ ...params, ...token });
      expect([answer.successStatus, answer.error]).toEqual([1, expect.stringContaining(error)]);
      expect((await send({ cmd: 'noop', 'svc.login': 'ann', 'svc.password': 'first' })).error).toBeNull();
    });
  }

  test('in a batch', async () => {
    const commands = JSON.stringify([{ cmd: 'updateuser', ...own }]);
    const { response } = await send({ cmd: 'batch', commands, ...token });
    expect(JSON.stringify(response)).toContain(MISSING);
  });

  test('as the administrator', async () => {
    const admin = await logIn('svc', 'pw-svc');
    expect((await send({ cmd: 'updateuser', user: 'svc', password: 'x', ...admin })).error).toContain(MISSING);
  });
});

test('the old password changes it, and the session stays', async () => {
  const token = await newUser('bob');
  const change = { cmd: 'updateuser', user: 'bob', password: 'second', oldPassword: 'first', ...token };
  expect((await send({ ...change, cmd: 'dryrun', of: 'updateuser' })).response).toMatchObject({
    effects: [{ user: 'bob', change: 'changed' }],
  });
  expect(await send(change)).toMatchObject({ error: null, response: true });
  expect((await send({ cmd: 'noop', ...token })).error).toBeNull();
  expect((await send({ cmd: 'noop', 'svc.login': 'bob', 'svc.password': 'second' })).error).toBeNull();
  // The password from before the change is no longer the current one.
  expect((await send(change)).error).toContain(WRONG);
});

test('a request that logs in itself contains the old password, in SQL, too', async () => {
  await newUser('cleo');
  const login = { 'svc.login': 'cleo', 'svc.password': 'first' };
  const statement = `alter user "cleo" with password 'second'`;
  expect((await send({ cmd: 'qryfldexe', pageSize: '1', qry: statement, ...login })).error).toBeNull();
  const headers = { Authorization: `Basic ${btoa('cleo:second')}` };
  const params = { cmd: 'updateuser', user: 'cleo', password: 'third' };
  expect((await service.send(queryOf(params), { headers })).error).toBeNull();
  expect((await send({ cmd: 'noop', 'svc.login': 'cleo', 'svc.password': 'third' })).error).toBeNull();
});

test('managers change the passwords of others without it', async () => {
  await newUser('dora');
  expect((await send({ cmd: 'updateuser', user: 'dora', password: 'second', ...ADMIN })).error).toBeNull();
  const admin = await logIn('svc', 'pw-svc');
  expect((await send({ cmd: 'updateuser', user: 'dora', password: 'third', ...admin })).error).toBeNull();
});

test('guesses of the old password are slowed down like logins', async () => {
  const token = await newUser('eve');
  const errors: string[] = [];
  for (let guess = 0; guess < 12; guess++) {
    const params = { cmd: 'updateuser', user: 'eve', password: 'x', oldPassword: `guess ${guess}`, ...token };
    errors.push((await send(params)).error ?? '');
  }
  expect(errors[0]).toContain(WRONG);
  expect(errors.at(-1)).toContain('Too many failed attempts');
});

const WITHOUT: ReadonlyArray<readonly [string, Parameters]> = [
  ['the option login.oldPassword', { SVC_LOGIN_OLD_PASSWORD: 'false' }],
  ['compatibility mode reference', { SVC_COMPATIBILITY: 'reference' }],
];
for (const [title, env] of WITHOUT) {
  test(`${title} needs no old password`, async () => {
    await using other = await startService({ env: { ...AUTHENTICATION, ...env } });
    const token = await newUser('ann', other);
    expect((await send({ cmd: 'updateuser', user: 'ann', password: 'second', ...token }, other)).error).toBeNull();
    expect(
      (await send({ cmd: 'updateuser', user: 'ann', password: 'x', oldPassword: 'first', ...token }, other)).error,
    ).toContain(WRONG);
  });
}

describe('names that other senders have are rejected', () => {
  const admin = { ...ADMIN, password: 'x' };
  for (const name of ['jwt:ann', 'ann#0123456789abcdef', 'a\u0000b', 'a\r\nb']) {
    test(JSON.stringify(name), async () => {
      const qry = `create user "${name}" with password 'x'`;
      for (const params of [
        { cmd: 'adduser', user: name, roles: 'user', ...admin },
        { cmd: 'qryfldexe', pageSize: '1', qry, ...ADMIN },
        { cmd: 'dryrun', of: 'adduser', user: name, ...admin },
      ]) {
        const { error } = await send(params);
        expect(error).toContain('User name must not begin with jwt: or contain #, control characters');
      }
    });
  }

  test('in the configuration of a new data folder', async () => {
    const config = { authentication: true, adminPassword: 'x', users: [{ name: 'ann#1', password: 'x' }] };
    const file = join(newFolder(), 'svc.config.ts');
    writeFileSync(file, `export default ${JSON.stringify(config)};`);
    const failure = await startService({ args: ['--config', file] }).catch((error: unknown) => error);
    if (!(failure instanceof StartFailure)) throw new Error('the service has started');
    expect([failure.exitCode, failure.message]).toEqual([
      2,
      expect.stringContaining('users[0].name: User name must not'),
    ]);
  });
});
