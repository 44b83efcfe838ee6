/** Codes, forms and HTTP statuses of failures, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { runSvcProcess } from '../cli/cli-process.ts';
import { rawSocket } from '../raw-socket.ts';
import { FIXTURE, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { FAILING_TABLE, STATEMENT_FAILURES } from './statement-failures.ts';

/** A failure as a client sees it. */
interface Failure {
  readonly http: number;
  readonly code: string | null;
  readonly error: unknown;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Sends a request to a path below the origin and returns what went wrong. */
async function failureOf(service: ServiceProcess, path: string, init: RequestInit = {}): Promise<Failure> {
  const response = await fetch(`${service.origin}${path}`, init);
  const { error } = (await response.json()) as { readonly error: unknown };
  return { http: response.status, code: response.headers.get('Error-Code'), error };
}

/** Sends bytes and returns the head and the body of the response. */
async function exchange(service: ServiceProcess, bytes: string) {
  const socket = await rawSocket(service.port);
  await socket.send(bytes);
  await socket.until((received) => received.includes('}'));
  socket.end();
  const [head = '', body = ''] = socket.received().split('\r\n\r\n');
  return { head, body };
}

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({
    env: { SVC_HTTP_ORIGINS: 'https://page.example', SVC_LIMITS_REQUEST_BODY_BYTES: '100000' },
  });
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: FAILING_TABLE }));
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

describe('a body with Content-Encoding is rejected by the name of the header', () => {
  const CASES: ReadonlyArray<readonly [path: string, type: string, method?: string]> = [
    ['/svc?cmd=put', 'application/json'],
    ['/svc/put', 'application/x-www-form-urlencoded'],
    ['/svc/batch', 'application/json'],
    ['/svc/import?cacheName=default', 'text/csv'],
    ['/svc/caches/default/entries/k', 'application/json', 'PUT'],
    ['/svc/caches/default/entries/k', 'application/json', 'PATCH'],
    ['/svc/tables/none/rows', 'application/x-ndjson'],
  ];
  for (const [path, type, method = 'POST'] of CASES) {
    test(`${method} ${path} ${type}`, async () => {
      const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' };
      const init = { method, headers, body: gzipSync('{"key":"a"}') };
      const response = await fetch(`${service.origin}${path}`, init);
      expect([response.status, response.headers.get('Error-Code')]).toEqual([415, 'MEDIA_TYPE_UNSUPPORTED']);
      expect(await response.text()).toContain('Content-Encoding: gzip');
    });
  }

  test('identity is none', async () => {
    const headers = { ...JSON_BODY, 'Content-Encoding': 'identity' };
    const response = await fetch(`${service.url}?cmd=put`, { method: 'POST', headers, body: '{"key":"a","val":"b"}' });
    expect(response.status).toBe(200);
  });
});

describe('a head with lines that end in LF alone is answered at once', () => {
  for (const head of [
    'GET /svc HTTP/1.1\nHost: a\n\n',
    'GET /svc HTTP/1.1\r\nHost: a\n\r\n',
    'GET /svc HTTP/1.1\nHo',
  ]) {
    test(JSON.stringify(head), async () => {
      const answer = await exchange(service, head);
      const said = [answer.head.slice(0, 12), answer.body];
      expect(said).toEqual(['HTTP/1.1 400', expect.stringContaining('ends in LF alone')]);
    });
  }
});

test('OPTIONS of a path that is none is answered with 404, as Ignite does: health checks have paths of their own', async () => {
  const socket = await rawSocket(service.port);
  await socket.send('OPTIONS / HTTP/1.0\r\n\r\n');
  await socket.until((received) => received.includes('\r\n\r\n'));
  expect(socket.received()).toStartWith('HTTP/1.1 404');
  socket.end();
  expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
});

describe('a failure', () => {
  const sql = (qry: string, more = {}) => `/svc?${queryOf({ cmd: 'qryfldexe', pageSize: 10, qry, ...more })}`;
  const cases: ReadonlyArray<
    readonly [title: string, path: string, code: string, plain: number, http: number, subject?: object]
  > = [
    ['of no command', '/svc', 'COMMAND_MISSING', 400, 400],
    ['of an unknown command', '/svc?cmd=nosuch', 'COMMAND_UNKNOWN', 400, 400],
    ['of a command in path and parameter', '/svc/get?cmd=put', 'COMMAND_CONFLICT', 400, 400],
    ['of a missing parameter', '/svc?cmd=get', 'PARAMETER_MISSING', 200, 400, { parameter: 'key' }],
    ['of a misspelt parameter', '/svc?cmd=get&Key=a', 'PARAMETER_UNKNOWN', 200, 400, { parameter: 'Key' }],
    ['of a conversion', '/svc/get?key=x&keyType=int', 'CONVERSION', 200, 400, { parameter: 'key' }],
    ['of a missing cache', '/svc/get?key=a&cacheName=none', 'CACHE_NOT_FOUND', 200, 404],
    ['of a path', '/nowhere?a=b', 'PATH_NOT_FOUND', 404, 404],
    ['of a cursor', '/svc/qryfetch?qryId=99&pageSize=1', 'QUERY_NOT_FOUND', 200, 404],
    ...STATEMENT_FAILURES.map(
      ({ title, qry, more, code, http, subject = {} }) => [title, sql(qry, more), code, 200, http, subject] as const,
    ),
    ['of a task', '/svc/exe?name=Nothing', 'TASK_NOT_FOUND', 200, 404],
    ['of a task that takes too long', '/svc/exe?name=svc.sleep&p1=2000&timeout=20', 'TASK_TIMEOUT', 200, 504],
    ['of users without authentication', '/svc/adduser?user=a&password=b', 'SECURITY_DISABLED', 200, 400],
  ];
  for (const [title, path, code, plain, http, subject = {}] of cases) {
    test(`${title} has a code, and an object on demand [16.1]`, async () => {
      const and = path.includes('?') ? '&' : '?';
      expect(await failureOf(service, path)).toEqual({ http: plain, code, error: expect.any(String) });
      const object = {
        code,
        message: expect.any(String),
        remedy: expect.any(String),
        documentation: `/docs/errors/${code}`,
        ...subject,
      };
      expect(await failureOf(service, `${path}${and}errors=object`)).toEqual({ http: plain, code, error: object });
      expect(await failureOf(service, path, { headers: { Prefer: 'errors=object' } })).toMatchObject({ error: object });
      expect(await failureOf(service, `${path}${and}httpStatus=true&errors=object`)).toEqual({
        http,
        code,
        error: object,
      });
    });
  }

  test('reads the form from bodies', async () => {
    const body = JSON.stringify({ errors: 'object', httpStatus: true });
    const failure = await failureOf(service, '/svc/get', { method: 'POST', headers: JSON_BODY, body });
    expect(failure).toMatchObject({ http: 400, error: { code: 'PARAMETER_MISSING', parameter: 'key' } });
    const form = { method: 'POST', body: new URLSearchParams({ errors: 'object' }) };
    expect(await failureOf(service, '/svc/get', form)).toMatchObject({ error: { code: 'PARAMETER_MISSING' } });
  });

  test('of a body that is no JSON has the form of the head', async () => {
    const init = { method: 'POST', headers: JSON_BODY, body: '{' };
    expect(await failureOf(service, '/svc/get?errors=object', init)).toMatchObject({
      http: 400,
      code: 'REQUEST_MALFORMED',
      error: { code: 'REQUEST_MALFORMED' },
    });
    expect(await failureOf(service, '/svc/get?errors=text', init)).toMatchObject({ error: expect.any(String) });
    expect(await failureOf(service, '/svc?cmd=get', init)).toMatchObject({ error: expect.any(String) });
  });

  test('of a method has a code', async () => {
    const failure = await failureOf(service, '/svc?errors=object', { method: 'DELETE' });
    expect(failure).toMatchObject({ http: 405, code: 'METHOD_NOT_ALLOWED', error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test('of a large body has a code', async () => {
    const body = 'x'.repeat(200_000);
    const failure = await failureOf(service, '/svc/put?errors=object', { method: 'POST', headers: JSON_BODY, body });
    expect(failure).toMatchObject({ http: 413, code: 'BODY_TOO_LARGE', error: { code: 'BODY_TOO_LARGE' } });
  });

  test('of bytes that are no request has a code', async () => {
    const { head, body } = await exchange(service, 'GET /svc\r\n\r\n');
    expect(head).toContain('HTTP/1.1 400');
    expect(head).toContain('\r\nError-Code: REQUEST_MALFORMED');
    expect(JSON.parse(body)).toMatchObject({ successStatus: 1, error: expect.any(String) });
  });

  test('of a head that is too large has a code', async () => {
    const { head } = await exchange(service, `GET /svc?cmd=get&key=${'a'.repeat(300_000)} HTTP/1.1\r\n\r\n`);
    expect(head).toContain('\r\nError-Code: HEAD_TOO_LARGE');
  });

  test('of another site has a code', async () => {
    const failure = await failureOf(service, '/svc?cmd=version', { headers: { Origin: 'https://other.example' } });
    expect(failure).toMatchObject({ http: 403, code: 'ORIGIN_FORBIDDEN' });
  });

  test('is readable for pages of allowed sites', async () => {
    const response = await fetch(`${service.url}?cmd=get`, { headers: { Origin: 'https://page.example' } });
    const exposed = response.headers.get('Access-Control-Expose-Headers') ?? '';
    expect([response.headers.get('Error-Code'), exposed.split(', ')]).toEqual([
      'PARAMETER_MISSING',
      expect.arrayContaining(['Error-Code']),
    ]);
  });

  test('before the first row of a stream is an envelope with a code', async () => {
    for (const Accept of ['application/x-ndjson', 'text/csv']) {
      for (const qry of ['SELECT nothing FROM T', 'SELECT 1/0 FROM system_range(1, 1)']) {
        const failure = await failureOf(service, `${sql(qry)}&errors=object&httpStatus=true`, { headers: { Accept } });
        expect([failure.code, failure.error]).toEqual([expect.stringMatching(/^SQL/), expect.objectContaining({})]);
      }
    }
    expect(await failureOf(service, '/svc/export?cacheName=none&format=csv')).toMatchObject({
      code: 'QUERY_CACHE_NOT_FOUND',
    });
    expect(await failureOf(service, '/svc/watch?cacheName=none&errors=object')).toMatchObject({
      http: 200,
      error: { code: 'CACHE_NOT_FOUND' },
    });
  });

  test('has no code in a success', async () => {
    const response = await fetch(`${service.url}?cmd=get&key=none`);
    expect([response.status, response.headers.get('Error-Code')]).toEqual([200, null]);
  });
});

test('every error has a page where objects say, with and without the other pages [16.9]', async () => {
  await using bare = await startService({ env: { SVC_HTTP_DOCS: 'false' } });
  for (const { origin } of [service, bare]) {
    const { error } = (await (await fetch(`${origin}/svc/get?errors=object`)).json()) as {
      readonly error: { readonly documentation: string };
    };
    const page = await fetch(`${origin}${error.documentation}`);
    expect(await page.json()).toMatchObject({ code: 'PARAMETER_MISSING', http: 400, commands: expect.anything() });
    const html = await fetch(`${origin}${error.documentation}`, { headers: { Accept: 'text/html' } });
    expect(await html.text()).toContain('<h1>PARAMETER_MISSING</h1>');
  }
  expect(await failureOf(service, '/docs/errors/NONE')).toMatchObject({
    http: 404,
    code: 'PATH_NOT_FOUND',
    error: expect.stringContaining('the list of errors is at /docs/errors'),
  });
  expect((await fetch(`${bare.origin}/docs`)).status).toBe(404);
});

test('a value that its cache does not accept is a mistake of the request', async () => {
  const table =
    'CREATE TABLE Strict(id INT PRIMARY KEY, v VARCHAR(2) NOT NULL, d DECIMAL(3,1)) WITH "CACHE_NAME=strict"';
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: table }));
  for (const [key, val] of [
    [1, { V: 'abc' }],
    [1, { V: null }],
    [1, { V: 'a', D: 123.4 }],
    [1, { V: 'a', D: 1.23 }],
    ['a', { V: 'a' }],
  ]) {
    const body = JSON.stringify({ cmd: 'put', cacheName: 'strict', key, val });
    const { status, headers } = await fetch(service.url, { method: 'POST', headers: JSON_BODY, body });
    expect({ body, status }).toEqual({ body, status: 400 });
    expect(['VALUE_REJECTED', 'CONVERSION']).toContain(headers.get('error-code') ?? '');
  }
});

test('the default envelope is the recorded one, byte for byte [16.3]', async () => {
  const { text } = await service.send('cmd=get&key=a&cacheName=none');
  expect(text).toBe(
    '{"successStatus":1,"sessionToken":null,"securitySubjectId":null,"error":"Failed to handle request: ' +
      '[req=CACHE_GET, err=Failed to find cache for given cache name: none]","response":null}',
  );
});

describe('with authentication', () => {
  let guarded: ServiceProcess;
  beforeAll(async () => {
    guarded = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'right-one-1' } });
  }, 60_000);
  afterAll(() => guarded[Symbol.asyncDispose]());

  const cases: ReadonlyArray<readonly [title: string, path: string, code: string, plain: number, http: number]> = [
    ['no login', '/svc?cmd=get&key=a', 'TOKEN_MISSING', 200, 401],
    ['an expired token', '/svc?cmd=get&key=a&sessionToken=0123456789ABCDEF0123456789ABCDEF', 'TOKEN_UNKNOWN', 200, 401],
    ['a wrong password', '/svc?cmd=authenticate&svc.login=svc&svc.password=wrong', 'CREDENTIALS_WRONG', 200, 401],
    [
      'a wrong password of another command',
      '/svc/get?key=a&svc.login=svc&svc.password=wrong',
      'CREDENTIALS_WRONG',
      200,
      401,
    ],
    ['no login and an unknown command', '/svc?cmd=nosuch', 'TOKEN_MISSING', 400, 401],
    ['a wrong password and no command', '/svc?svc.login=svc&svc.password=wrong', 'CREDENTIALS_WRONG', 400, 401],
    ['no login for metrics', '/metrics?format=text', 'TOKEN_MISSING', 401, 401],
    ['no login and an unknown parameter', '/svc?cmd=get&Key=a', 'TOKEN_MISSING', 200, 401],
  ];
  for (const [title, path, code, plain, http] of cases) {
    test(`${title} follows the rule`, async () => {
      expect(await failureOf(guarded, path)).toEqual({ http: plain, code, error: expect.any(String) });
      expect(await failureOf(guarded, `${path}&httpStatus=true&errors=object`)).toMatchObject({
        http,
        code,
        error: { code },
      });
    });
  }

  test('a large body with a wrong token follows the rule', async () => {
    const body = JSON.stringify({ key: 'a', val: 'x'.repeat(300_000) });
    const init = {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: 'Bearer 0123456789ABCDEF0123456789ABCDEF' },
      body,
    };
    for (const path of ['/svc/put', '/svc']) {
      const failure = await failureOf(guarded, `${path}?httpStatus=true&errors=object`, init);
      expect(failure).toMatchObject({ http: 401, code: 'TOKEN_UNKNOWN', error: { code: 'TOKEN_UNKNOWN' } });
    }
  });
});

test('requests beyond a rate have a code, whatever they ask for', async () => {
  await using limited = await startService({ env: { SVC_RATE_LIMIT_ADDRESS: '1/60s' } });
  await limited.command('cmd=version');
  for (const path of ['/svc/version?errors=object', '/svc/nosuch?errors=object']) {
    const failure = await failureOf(limited, path);
    expect(failure).toMatchObject({ http: 429, code: 'RATE_LIMITED', error: { code: 'RATE_LIMITED' } });
  }
});

test('connections beyond the limit get a code', async () => {
  await using full = await startService({ env: { SVC_LIMITS_CONNECTIONS: '1', SVC_ERRORS: 'object' } });
  const first = await rawSocket(full.port);
  // A request that has begun keeps its connection.
  await first.send('GET /svc HTTP/1.1\r\nHost: loc');
  await Bun.sleep(200);
  const { head, body } = await exchange(full, '');
  first.end();
  expect(head).toContain('HTTP/1.1 503');
  expect(head).toContain('\r\nError-Code: OVERLOADED');
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'OVERLOADED' } });
});

describe('the options', () => {
  const env = { SVC_HTTP_STATUS: 'true', SVC_ERRORS: 'object' };

  test('make HTTP statuses and objects the default', async () => {
    await using own = await startService({ env });
    expect(await failureOf(own, '/svc?cmd=get&key=a&cacheName=none')).toMatchObject({
      http: 404,
      error: { code: 'CACHE_NOT_FOUND' },
    });
    expect(await failureOf(own, '/nowhere')).toMatchObject({ http: 404, error: { code: 'PATH_NOT_FOUND' } });
    expect(await failureOf(own, '/svc?cmd=get&errors=text&httpStatus=false')).toEqual({
      http: 200,
      code: 'PARAMETER_MISSING',
      error: expect.any(String),
    });
    const { body } = await exchange(own, 'GET /svc\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'REQUEST_MALFORMED' } });
    const document: unknown = await (await fetch(`${own.origin}/openapi.json`)).json();
    const error = { type: ['object', 'null'], required: ['code', 'message', 'remedy', 'documentation'] };
    expect(document).toMatchObject({ components: { schemas: { Envelope: { properties: { error } } } } });
  });

  test('have no effect on compatibility mode reference [16.7]', async () => {
    await using own = await startService({ env: { ...env, SVC_COMPATIBILITY: 'reference', SVC_CONFIG: FIXTURE } });
    expect(await failureOf(own, '/svc?cmd=get')).toEqual({
      http: 200,
      code: 'PARAMETER_MISSING',
      error: expect.any(String),
    });
    expect(await failureOf(own, '/svc?cmd=get&cacheName=default&errors=object&httpStatus=true')).toMatchObject({
      http: 400,
      error: { code: 'PARAMETER_MISSING', parameter: 'key' },
    });
  });
});

describe('an error after the first rows', () => {
  // The first rows fill more than the part within which an error can still become an envelope.
  const qry = "SELECT X, RPAD('a', 100, 'a'), 1 / (30000 - X) FROM SYSTEM_RANGE(1, 60000)";
  const query = `/svc?${queryOf({ cmd: 'qryfldexe', pageSize: 1_000_000, qry })}`;

  for (const [Accept, start] of [
    ['application/x-ndjson', ''],
    ['text/csv', '# '],
  ] as const) {
    for (const encoding of ['identity', 'gzip']) {
      test(`is the last line of ${Accept}, ${encoding}, and cuts the response [16.8]`, async () => {
        const headers = { Accept, 'Accept-Encoding': encoding };
        const response = await fetch(`${service.origin}${query}`, { headers });
        expect(response.status).toBe(200);
        let text = '';
        const read = async () => {
          const decoder = new TextDecoder();
          for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
        };
        await expect(read()).rejects.toThrow();
        const lines = text.trimEnd().split('\n');
        expect(lines.length).toBeGreaterThan(1_000);
        const last = lines.at(-1) ?? '';
        expect(last).toStartWith(`${start}{"error":`);
        expect(JSON.parse(last.slice(start.length))).toMatchObject({ error: { code: 'SQL' } });
      });
    }
  }

  test('is what the command line reports', async () => {
    const args = ['export', '--query', qry, '--format', 'csv', '--url', service.url];
    const told: string[] = [];
    // Bun drops what a response has brought and nobody has read when its connection is cut, and the last line with it.
    for (let attempt = 0; attempt < 5 && !told.some((each) => each.includes('Division by zero')); attempt++) {
      const { exitCode, output, errors } = await runSvcProcess(args, { cwd: service.dataDir });
      expect([exitCode, errors]).toEqual([1, expect.stringContaining('the rows are incomplete: ')]);
      expect(output).not.toContain('"code"');
      told.push(errors);
    }
    expect(told.at(-1)).toContain('the rows are incomplete: Division by zero');
  });

  test('cuts a page, which has no lines', async () => {
    const text = fetch(`${service.origin}${query}`).then((response) => response.text());
    await expect(text).rejects.toThrow();
  });
});
