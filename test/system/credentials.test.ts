/**
 * Credentials over sockets: they are checked before parameters, and identify the caller whatever the command is about.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificate } from '../certificates/certificates.ts';
import { freePort } from '../free-port.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';

const PASSWORD = 'pw-svc';
const authority = createCertificate('Test authority');
const server = createCertificate('server', { issuer: authority, hosts: ['localhost', '127.0.0.1'] });
const client = createCertificate('root', { issuer: authority });

let service: ServiceProcess;
let reference: ServiceProcess;
let secureUrl = '';

beforeAll(async () => {
  const folder = newFolder();
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const port = freePort();
  secureUrl = `https://localhost:${port}/svc`;
  const configuration = {
    authentication: true,
    adminPassword: PASSWORD,
    certificateUsers: { 'CN=root': 'svc' },
    // A single counted failure would delay or reject the next login.
    login: { maxFailures: 1, maxNetworkFailures: 1 },
    http: {
      plain: true,
      tls: {
        cert: file('server.crt', server.cert),
        key: file('server.key', server.key),
        ca: file('authority.crt', authority.cert),
        port,
        clientCertificates: 'optional',
      },
    },
  };
  const config = file('svc.config.ts', `export default ${JSON.stringify(configuration)};`);
  service = await startService({ args: ['--config', config] });
  reference = await startService({
    env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD, SVC_COMPATIBILITY: 'reference' },
  });
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await reference[Symbol.asyncDispose]();
});

const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;

async function login(user: string, password: string): Promise<Answer> {
  return service.send(queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': password }));
}

async function tokenOf(user: string, password: string): Promise<string> {
  return (await login(user, password)).sessionToken ?? '';
}

type Params = Readonly<Record<string, string>>;

/** The ways to authenticate as the default user. */
const WAYS: Readonly<Record<string, (params: Params) => Promise<Answer>>> = {
  'a session token': async (params) =>
    service.send(queryOf({ ...params, sessionToken: await tokenOf('svc', PASSWORD) })),
  'svc.login and svc.password': (params) =>
    service.send(queryOf({ ...params, 'svc.login': 'svc', 'svc.password': PASSWORD })),
  'the header Basic': (params) => service.send(queryOf(params), { headers: { authorization: basic('svc', PASSWORD) } }),
  'the header Bearer': async (params) =>
    service.send(queryOf(params), { headers: { authorization: `Bearer ${await tokenOf('svc', PASSWORD)}` } }),
  'a client certificate': async (params) => {
    const response = await fetch(`${secureUrl}?${queryOf(params)}`, {
      tls: { ca: authority.cert, cert: client.cert, key: client.key },
    });
    return (await response.json()) as Answer;
  },
};

describe('users are managed with [5.4]', () => {
  for (const [title, send] of Object.entries(WAYS)) {
    test(title, async () => {
      const user = `u${Object.keys(WAYS).indexOf(title)}`;
      expect(await send({ cmd: 'adduser', user, password: 'first' })).toMatchObject({ error: null, response: true });
      expect((await login(user, 'first')).error).toBeNull();
      expect(await send({ cmd: 'updateuser', user, password: 'second' })).toMatchObject({ error: null });
      expect((await login(user, 'second')).error).toBeNull();
      expect(await send({ cmd: 'removeuser', user })).toMatchObject({ error: null });
      // No failed login has been counted: the next one is neither delayed nor rejected.
      expect((await login('svc', PASSWORD)).error).toBeNull();
    });
  }

  test('no other credentials than those of the user itself, which are wrong', async () => {
    const answer = await reference.send('cmd=adduser&user=nobody&password=x');
    expect(answer.error).toBe('The user name or password is incorrect [userName=nobody]');
    expect(answer.successStatus).toBe(2);
  });
});

test('authenticate judges the credentials beside a token, and other commands the token', async () => {
  const sessionToken = await tokenOf('svc', PASSWORD);
  const wrong = { sessionToken, 'svc.login': 'svc', 'svc.password': 'wrong' };
  const right = { sessionToken, 'svc.login': 'svc', 'svc.password': PASSWORD };
  expect(await service.send(queryOf({ cmd: 'authenticate', ...wrong }))).toMatchObject({
    successStatus: 2,
    response: null,
    sessionToken: null,
  });
  const { response, sessionToken: opened } = await service.send(queryOf({ cmd: 'authenticate', ...right }));
  expect([response, typeof opened, opened === sessionToken]).toEqual([true, 'string', false]);
  const expired = { ...right, sessionToken: '0'.repeat(32) };
  expect((await service.send(queryOf({ cmd: 'authenticate', ...expired }))).response).toBe(true);
  expect(await service.send(queryOf({ cmd: 'state', ...wrong }))).toMatchObject({ response: 'ACTIVE', sessionToken });
  expect((await service.send(queryOf({ cmd: 'authenticate', sessionToken }))).sessionToken).toBe(sessionToken);
});

/** Requests with invalid parameters, about which a caller without credentials must learn nothing. */
const PROBES = [
  'cmd=put&key=1&valueType=Employee&val={"id":',
  'cmd=put&key=x&keyType=int&val=1',
  'cmd=node&id=zzz',
  'cmd=top&id=zzz',
  'cmd=qryfldexe&pageSize=x&qry=select%201',
  'cmd=qryfetch&pageSize=1&qryId=x',
  'cmd=setstate&state=foo',
  'cmd=log&from=x',
  'cmd=getorcreate&backups=x',
  'cmd=getorcreate&writeSynchronizationMode=x',
  'cmd=exe&name=t&timeout=y',
  'cmd=incr&key=a&delta=x',
  'cmd=getall&k1=a&k3=b',
  'cmd=putall&k1=a&v1=1&v2=2',
  'cmd=get&kye=a',
  'cmd=top&mtr=1',
  'cmd=state&httpStatus=maybe',
  'cmd=get',
];

describe('without credentials', () => {
  for (const query of PROBES) {
    test(`${query} says nothing about its parameters`, async () => {
      for (const init of [undefined, form()]) {
        const answer = await (init === undefined ? service.send(query) : service.send('', { ...init, body: query }));
        expect(answer.error).toBe('Failed to handle request - session token not found or invalid');
        expect([answer.successStatus, answer.sessionToken, answer.response]).toEqual([2, null, null]);
      }
    });
  }

  test('in compatibility mode reference, parameters are decoded first', async () => {
    const answer = await reference.send('cmd=node&id=zzz');
    expect([answer.error, answer.successStatus]).toEqual(['Invalid UUID string: zzz', 1]);
  });
});

test('with credentials, a wrong parameter is reported with the token of the session', async () => {
  const token = await tokenOf('svc', PASSWORD);
  for (const query of PROBES.filter((each) => each !== 'cmd=get')) {
    const answer = await service.send(`${query}&sessionToken=${token}`);
    expect([query, answer.successStatus, answer.sessionToken]).toEqual([query, 1, token]);
  }
});

function form(): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
}
