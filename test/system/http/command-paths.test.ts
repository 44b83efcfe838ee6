/** A path for each command: `/svc/get?key=a` is `/svc?cmd=get&key=a`, for every command and in both modes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { COMMANDS } from '../../../src/commands/registry.ts';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

const MODES = ['contract', 'reference'] as const;
const LOGIN = 'svc.login=svc&svc.password=secret';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Services without and with authentication. */
const open = new Map<string, ServiceProcess>();
let closed: ServiceProcess;

beforeAll(async () => {
  for (const mode of MODES) open.set(mode, await startService({ env: { SVC_COMPATIBILITY: mode } }));
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'secret', SVC_WORKERS: '2' } });
}, 60_000);
afterAll(() => Promise.all([...open.values(), closed].map((service) => service[Symbol.asyncDispose]())));

async function fetchAnswer(url: string, init?: RequestInit): Promise<Pick<Answer, 'http' | 'error' | 'response'>> {
  const answer = await fetch(url, init);
  const { error, response } = JSON.parse(await answer.text());
  return { http: answer.status, error, response };
}

/** Returns the URL of a query string `cmd=NAME&...` as the path of that command. */
function pathOf(service: ServiceProcess, query: string): string {
  const params = new URLSearchParams(query);
  const name = params.get('cmd') ?? '';
  params.delete('cmd');
  return `${service.url}/${name}?${params}`;
}

for (const mode of MODES) {
  describe(`compatibility mode ${mode}`, () => {
    for (const { name, needs, batch } of COMMANDS) {
      // Without parameters, every command fails or only reports, so both requests find the same state. A stream of
      // changes has no end, and no envelope.
      if (needs === 'adminState' || batch === 'returnsChanges') continue;
      const example = `cmd=${name}`;
      test(`answers ${example} as the endpoint does [14.1]`, async () => {
        const service = open.get(mode) ?? closed;
        const viaPath = await fetchAnswer(pathOf(service, example));
        const viaEndpoint = await fetchAnswer(`${service.url}?${example}`);
        expect([viaPath.http, viaPath.error, typeof viaPath.response]).toEqual([
          viaEndpoint.http,
          viaEndpoint.error,
          typeof viaEndpoint.response,
        ]);
        expect(viaPath.error ?? '').not.toContain('cmd');
      });
    }

    test('answers an unknown name in the path as an unknown cmd', async () => {
      const service = open.get(mode) ?? closed;
      const viaPath = await fetch(`${service.url}/gett?key=a`);
      const viaEndpoint = await fetch(`${service.url}?cmd=gett&key=a`);
      expect([viaPath.status, await viaPath.text()]).toEqual([400, await viaEndpoint.text()]);
    });

    test('rejects a cmd that names another command, and executes neither', async () => {
      const { url } = open.get(mode) ?? closed;
      const rejected = 'The path names the command put, but cmd names get';
      const big = JSON.stringify({ key: 'other', val: 'x'.repeat(100_000), cmd: 'get' });
      const small = JSON.stringify({ key: 'other', val: '1', cmd: 'get' });
      const answers = await Promise.all([
        fetchAnswer(`${url}/put?cmd=get&key=other&val=1`),
        fetchAnswer(`${url}/put`, { method: 'POST', headers: FORM, body: 'key=other&val=1&cmd=get' }),
        fetchAnswer(`${url}/put?errors=text`, { method: 'POST', headers: JSON_TYPE, body: small }),
        fetchAnswer(`${url}/put?errors=text`, { method: 'POST', headers: JSON_TYPE, body: big }),
        fetchAnswer(`${url}/put`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded;charset=utf-16le' },
          body: Buffer.from('key=other&val=1&cmd=get', 'utf16le'),
        }),
      ]);
      for (const answer of answers) expect(answer).toEqual({ http: 400, error: rejected, response: null });
      expect((await fetchAnswer(`${url}/conkey?key=other&cacheName=default`)).response).toBe(false);
    });
  });
}

test('queries, forms, JSON and arrays set parameters', async () => {
  const { url } = open.get('contract') ?? closed;
  const post = (name: string, headers: Record<string, string>, body: string) =>
    fetchAnswer(`${url}/${name}`, { method: 'POST', headers, body });
  expect((await fetchAnswer(`${url}/put?key=a&val=1`)).response).toBe(true);
  expect((await post('PUT', FORM, 'cmd=put&key=b&val=2')).response).toBe(true);
  expect((await post('put', JSON_TYPE, '{"key":"c","val":"3","cmd":"put"}')).response).toBe(true);
  expect((await post('getall', JSON_TYPE, '{"keys":["a","b","c"]}')).response).toEqual({ a: '1', b: '2', c: '3' });
  const value = 'x'.repeat(300_000);
  expect((await post('put', JSON_TYPE, JSON.stringify({ key: 'd', val: value }))).response).toBe(true);
  expect((await fetchAnswer(`${url}/get?key=d`)).response).toBe(value);
  const batch = await post('batch', JSON_TYPE, '[{"cmd":"get","key":"a"},{"cmd":"get","key":"b"}]');
  expect(batch.response).toMatchObject([{ response: '1' }, { response: '2' }]);
});

test('a path executes a command that reads its body while it arrives', async () => {
  const service = open.get('contract') ?? closed;
  await service.command('cmd=qryfldexe&pageSize=1&qry=CREATE TABLE Paths(id INT PRIMARY KEY, name VARCHAR)');
  const answer = await fetchAnswer(`${service.url}/import?table=Paths`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: 'id,name\n1,Oslo\n2,Rome\n',
  });
  expect(answer).toMatchObject({ http: 200, error: null, response: { rows: 2, state: 'done' } });
});

test('an idempotency key belongs to the command, whether the path or cmd names it', async () => {
  const { url } = open.get('contract') ?? closed;
  const headers = { 'Idempotency-Key': 'paths-1' };
  const first = await fetch(`${url}/incr?key=paths&delta=5`, { method: 'POST', headers });
  const retry = await fetch(`${url}?cmd=incr&key=paths&delta=5`, { method: 'POST', headers });
  expect([first.status, retry.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await retry.text()).toBe(await first.text());
});

test('metrics count the command that the path names', async () => {
  const service = open.get('contract') ?? closed;
  const counted = async () => {
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    return Number(/^svc_requests_total\{[^}]*command="size"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await counted();
  await fetchAnswer(`${service.url}/size`);
  await fetchAnswer(`${service.url}/SIZE`);
  expect(await counted()).toBe(before + 2);
});

test('a path needs the same credentials and permission', async () => {
  const { url } = closed;
  const large = JSON.stringify({ key: 'a', val: 'x'.repeat(200_000) });
  const send = (headers: Record<string, string>) =>
    fetch(`${url}/put?httpStatus=true`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: large });
  expect((await fetch(`${url}/get?key=a&httpStatus=true`)).status).toBe(401);
  expect((await send({})).status).toBe(401);
  expect((await send({ Authorization: `Basic ${btoa('svc:wrong')}` })).status).toBe(401);
  expect((await send({ Authorization: `Basic ${btoa('svc:secret')}` })).status).toBe(200);
  const answer = await fetch(`${url}/authenticate`, { method: 'POST', headers: FORM, body: LOGIN });
  const login = JSON.parse(await answer.text());
  expect(login.sessionToken).toMatch(/^\w{32}$/);
  expect((await fetchAnswer(`${url}/size?sessionToken=${login.sessionToken}`)).response).toBe(1);
});
