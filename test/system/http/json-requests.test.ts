/**
 * Requests whose command is in a JSON body, or in the path next to one: types of JSON, HTTP statuses, objects as errors
 * and a page size by default. Requests of Ignite, whose command is in the query string or a form, stay as they are.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../service-process.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Reply {
  readonly http: number;
  readonly type: string | null;
  readonly body: Record<string, unknown>;
}

async function post(service: ServiceProcess, path: string, body: string, headers = {}): Promise<Reply> {
  const { origin } = service;
  const response = await fetch(`${origin}${path}`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
  const type = response.headers.get('content-type');
  return { http: response.status, type, body: JSON.parse(await response.text()) };
}

describe.each(['contract', 'reference'])('JSON requests in compatibility mode %s', (compatibility) => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_COMPATIBILITY: compatibility } });
    const table = 'CREATE TABLE IF NOT EXISTS PERSON(ID INT PRIMARY KEY, NAME VARCHAR) WITH "CACHE_NAME=people"';
    await post(service, '/svc/qryfldexe', JSON.stringify({ qry: table }));
    const days = 'CREATE TABLE IF NOT EXISTS DAYS(D DATE PRIMARY KEY, N INT) WITH "CACHE_NAME=days,WRAP_VALUE=false"';
    await post(service, '/svc/qryfldexe', JSON.stringify({ qry: days }));
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const response = async (path: string, body: string): Promise<unknown> => {
    const { http, body: envelope } = await post(service, path, body);
    expect([http, envelope.error]).toEqual([200, null]);
    return envelope.response;
  };

  const VALUES: ReadonlyArray<readonly [json: string, stored: unknown]> = [
    ['5', 5],
    ['-2147483649', -2147483649],
    ['1.5', 1.5],
    ['true', true],
    ['"5"', '5'],
    ['{"a":[1,2.5,true,null,"x"]}', { a: [1, 2.5, true, null, 'x'] }],
    ['[]', []],
  ];
  test.each(VALUES)('put of %s stores its own type [17.2]', async (json, stored) => {
    for (const [path, command] of [
      ['/svc', '"cmd":"put",'],
      ['/svc/put', ''],
    ]) {
      expect(await response(path ?? '', `{${command}"key":"own","val":${json}}`)).toBe(true);
      expect(await response('/svc', '{"cmd":"get","key":"own"}')).toEqual(stored);
      expect(await response('/svc', `{"cmd":"cas","key":"own","val":"next","val2":${json}}`)).toBe(true);
    }
  });

  test('numbers keep their digits', async () => {
    for (const digits of ['12345678901234567890123', '0.1234567890123456789', '9007199254740993', '1e400']) {
      await response('/svc/put', `{"key":"digits","val":${digits}}`);
      const sent = await fetch(`${service.origin}/svc?cmd=get&key=digits&cacheName=default`);
      const [, stored = ''] = /"response":(.*)\}$/.exec(await sent.text()) ?? [];
      const equal = await response(
        '/svc/qryfldexe',
        `{"qry":"SELECT CAST(? AS DECIMAL) = CAST(? AS DECIMAL)","args":[${digits},${stored}]}`,
      );
      expect([digits, stored, (equal as { items: unknown }).items]).toEqual([digits, stored, [[true]]]);
    }
  });

  test('each element of putall has its own type', async () => {
    await response('/svc/putall', '{"keys":["k1","k2",3],"values":[1,"1",{"a":1}]}');
    expect(await response('/svc/getall', '{"keys":["k1","k2","3"]}')).toEqual({ k1: 1, k2: '1', 3: { a: 1 } });
  });

  test('a query without pageSize has pages of 1,000 rows [17.5]', async () => {
    const page = await response('/svc/qryfldexe', '{"qry":"SELECT X FROM SYSTEM_RANGE(1, 1500)"}');
    expect(page).toMatchObject({ items: { length: 1_000 }, last: false });
  });

  test('a type that is named counts', async () => {
    await response('/svc/put', '{"key":"named","val":5,"valueType":"string"}');
    expect(await response('/svc/get', '{"key":"named"}')).toBe('5');
    await response('/svc/put', '{"key":7,"keyType":"int","val":5,"valueType":"long"}');
    expect(await response('/svc/get', '{"key":"7"}')).toBe(null);
    expect(await response('/svc/get', '{"key":"7","keyType":"int"}')).toBe(5);
  });

  test('keys and values have the types that their cache declares', async () => {
    await response('/svc/put', '{"cacheName":"people","key":1,"val":{"NAME":"Ann"}}');
    await response('/svc/put', '{"cacheName":"people","key":"2","val":{"NAME":"Ben"}}');
    await response('/svc/put', '{"cacheName":"days","key":"2026-02-03","val":"4"}');
    const rows = await response('/svc/qryfldexe', '{"qry":"SELECT ID, NAME FROM PERSON ORDER BY ID"}');
    expect(rows).toMatchObject({
      items: [
        [1, 'Ann'],
        [2, 'Ben'],
      ],
      last: true,
    });
    const days = await response('/svc/qryfldexe', '{"qry":"SELECT N FROM DAYS WHERE D = DATE \'2026-02-03\'"}');
    expect(days).toMatchObject({ items: [[4]] });
    const failed = await post(service, '/svc/get', '{"cacheName":"people","key":"x"}');
    expect([failed.http, failed.body.error]).toEqual([400, expect.objectContaining({ code: 'CONVERSION' })]);
  });

  const FAILURES: ReadonlyArray<readonly [path: string, body: string, http: number, code: string]> = [
    ['/svc/get', '{"key":1,"cacheName":"none"}', 404, 'CACHE_NOT_FOUND'],
    ['/svc', '{"key":1}', 400, 'COMMAND_MISSING'],
    ['/svc/nothing', '{"key":1}', 400, 'COMMAND_UNKNOWN'],
    ['/svc', '{"cmd":"get"', 400, 'REQUEST_MALFORMED'],
    ['/svc/get', '{"key":{"a":1}}', 400, 'REQUEST_MALFORMED'],
    ['/svc/qryfldexe', '{"qry":"SELECT * FROM NOTHING"}', 404, 'SQL_OBJECT_NOT_FOUND'],
  ];
  test.each(FAILURES)('%s %s fails with %i %s [17.4]', async (path, body, http, code) => {
    const failed = await post(service, path, body);
    expect([failed.http, failed.body.error, failed.body.response]).toEqual([
      http,
      expect.objectContaining({ code }),
      null,
    ]);
    const asText = await post(service, `${path}?errors=text`, body);
    expect([asText.http, asText.body.error]).toEqual([http, expect.any(String)]);
    const problem = await post(service, path, body, { accept: 'application/json, application/problem+json' });
    expect(problem).toEqual({
      http,
      type: 'application/problem+json',
      body: expect.objectContaining({ type: `/docs/errors/${code}`, title: expect.any(String), status: http, code }),
    });
    expect(problem.body.detail).toBe((failed.body.error as { message: string }).message);
  });

  test('commands of a batch follow their request [17.3]', async () => {
    const commands = '[{"cmd":"put","key":"batched","val":1},{"cmd":"get","key":"batched"}]';
    const responses = async (path: string, body: string) =>
      ((await response(path, body)) as ReadonlyArray<{ response: unknown }>).map((each) => each.response);
    expect(await responses('/svc/batch', commands)).toEqual([true, 1]);
    expect(await responses('/svc', `{"cmd":"batch","atomic":true,"commands":${commands}}`)).toEqual([true, 1]);
    expect(await responses('/svc?cmd=batch', commands)).toEqual([true, '1']);
    expect(await response('/svc/dryrun', '{"of":"put","key":"k","val":1}')).toMatchObject({
      types: { val: 'integer' },
    });
  });

  test('a command in the query string is a request of Ignite [17.1, 17.6]', async () => {
    const { http, body } = await post(service, '/svc?cmd=put&cacheName=default', '{"key":"ignite","val":5}');
    expect([http, body.response]).toEqual([200, true]);
    expect(await response('/svc?cmd=get&cacheName=default', '{"key":"ignite"}')).toBe('5');
    const failed = await post(service, '/svc?cmd=get', '{"key":"a","cacheName":"none"}');
    expect([failed.http, failed.body.error]).toEqual([200, expect.any(String)]);
    const form = new URLSearchParams({ cmd: 'qryfldexe', qry: 'SELECT 1', cacheName: 'default' });
    const answer = await fetch(`${service.origin}/svc`, { method: 'POST', body: form });
    expect(((await answer.json()) as { error: string }).error).toContain('pageSize');
    const problem = await post(service, '/svc?cmd=get&cacheName=none&key=a', '{}', {
      accept: 'application/problem+json',
    });
    expect([problem.http, problem.type]).toEqual([404, 'application/problem+json']);
  });
});

test('resources answer with problem documents, too [17.8]', async () => {
  await using service = await startService();
  const accept = 'application/problem+json';
  const response = await fetch(`${service.origin}/svc/caches/default/entries/none`, { headers: { accept } });
  expect([response.status, response.headers.get('content-type')]).toEqual([404, accept]);
  expect(await response.json()).toMatchObject({
    type: '/docs/errors/ENTRY_NOT_FOUND',
    status: 404,
    code: 'ENTRY_NOT_FOUND',
  });
});

test('options switch each part back [17.7]', async () => {
  const env = {
    SVC_JSON_TYPES: 'false',
    SVC_JSON_HTTP_STATUS: 'false',
    SVC_JSON_ERRORS: 'text',
    SVC_JSON_DEFAULT_PAGE_SIZE: '0',
  };
  await using service = await startService({ env });
  await post(service, '/svc/put', '{"key":"a","val":5}');
  expect((await post(service, '/svc/get', '{"key":"a"}')).body.response).toBe('5');
  expect((await post(service, '/svc/put', '{"key":"a","val":[5]}')).body.error).toEqual(
    expect.stringContaining('name its type in valueType'),
  );
  const failed = await post(service, '/svc/qryfldexe', '{"qry":"SELECT 1"}');
  expect([failed.http, failed.body.error]).toEqual([200, expect.stringContaining('pageSize')]);
});

test('what a cache declares is told to those who may read it', async () => {
  const env = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw' };
  await using service = await startService({ env });
  const as = (user: string) => ({ authorization: `Basic ${btoa(`${user}:pw`)}` });
  const qry = 'CREATE TABLE SECRET(ID INT PRIMARY KEY, NAME VARCHAR) WITH "CACHE_NAME=secret"';
  await post(service, '/svc/qryfldexe', JSON.stringify({ qry }), as('svc'));
  await post(service, '/svc/adduser', '{"user":"eve","password":"pw","roles":"none"}', as('svc'));
  const body = '{"cacheName":"secret","key":"x"}';
  const told = await post(service, '/svc/get', body, as('svc'));
  expect([told.http, told.body.error]).toEqual([400, expect.objectContaining({ code: 'CONVERSION' })]);
});
