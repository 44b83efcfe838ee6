/** `/mcp` with the client of the protocol's official SDK: the streamable HTTP transport of a real service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { blocksOf } from '../documentation/shell.ts';
import { connectTools, type Tools } from './mcp-tools.ts';
import { type ServiceProcess, startService } from './service-process.ts';

setDefaultTimeout(120_000);
const PASSWORD = 'admin-password';
const ADMIN = `user=svc&password=${PASSWORD}`;
let open: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
});
afterAll(async () => {
  await Promise.all([open, closed].map((service) => service[Symbol.asyncDispose]()));
});

const connect = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Tools> =>
  connectTools(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

test('tools, resources and prompts are those of svc mcp', async () => {
  await open.command('cmd=put&key=long&val=9007199254740993&valueType=long');
  const create = 'CREATE TABLE IF NOT EXISTS Town(id INT PRIMARY KEY, name VARCHAR)';
  await open.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(create)}`);
  await using tools = await connect(`${open.origin}/mcp`);
  const { client, call } = tools;
  expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
  expect(client.getInstructions()).toContain(`this one is at ${open.url}.`);
  const { tools: offered } = await client.listTools();
  expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(['tables', 'describe', 'query', 'get']));
  expect([offered.length, offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)]).toEqual([12, []]);

  expect(await call('get', { key: 'long' })).toBe('9007199254740993');
  expect(JSON.parse(await call('tables', {}))).toContainEqual(expect.objectContaining({ name: 'TOWN' }));
  expect(JSON.parse(await call('describe', { table: 'town' })).columns[0].name).toBe('ID');
  const rows = { sql: 'SELECT X + ? FROM SYSTEM_RANGE(1, 200)', args: [40] };
  expect(JSON.parse(await call('query', rows))).toMatchObject({ items: expect.objectContaining({ length: 100 }) });
  expect(JSON.parse(await call('getall', { keys: ['long', 'none'] }))).toEqual({ long: 9007199254740992 });

  expect(await call('query', { sql: 'DELETE FROM Town' })).toBe(
    'error: only SELECT, WITH, VALUES and EXPLAIN of them are executed (/mcp ?allowWrites=true allows all statements)',
  );
  expect(await call('query', { sql: 'SELEC 1' })).toContain('"code":"SQL"');
  expect(await call('put', { key: 'a', val: 'b' })).toEndWith('that /mcp offers without ?allowWrites=true');
  expect(await call('top', {})).toEndWith('ask for it with ?tools=NAME,NAME');
  expect(await call('get', {})).toContain('"code":"PARAMETER_MISSING"');
  expect(await call('get', { key: ['a'] })).toContain('"code":"REQUEST_MALFORMED"');
  expect(await call('query', { sql: "SELECT RPAD('', 400000, 'x')" })).toContain('ask for fewer rows');

  const { contents } = await client.readResource({ uri: 'svc://tables/town' });
  expect(JSON.stringify(contents)).toContain('NAME');
  const { messages } = await client.getPrompt({ name: 'import-csv', arguments: { file: 'a.csv' } });
  expect(JSON.stringify(messages)).toContain(open.url);
});

test('the address says whether tools may write, and which there are', async () => {
  await using tools = await connect(`${open.origin}/mcp?allowWrites=true&tools=put,query`);
  expect((await tools.client.listTools()).tools.map(({ name }) => name)).toEqual(['put', 'query']);
  expect(await tools.call('put', { key: 'written', val: 'b' })).toBe('true');
  expect(await open.command('cmd=get&key=written')).toBe('b');
  await tools.call('put', { key: 'number', val: 5 });
  expect(await open.command('cmd=get&key=number')).toBe(5);
  await using all = await connect(`${open.origin}/mcp?tools=all`);
  expect((await all.client.listTools()).tools.length).toBeGreaterThan(35);
  await expect(connect(`${open.origin}/mcp?tools=puts`)).rejects.toThrow('is not offered');
});

describe('credentials', () => {
  test('nobody is told anything without them', async () => {
    await expect(connect(`${closed.origin}/mcp`)).rejects.toThrow();
    const wrong = await post(closed, PING, { authorization: 'Bearer nothing' });
    expect([(await post(closed, PING)).status, wrong.status]).toEqual([401, 401]);
    const text = await wrong.text();
    expect(text).not.toContain('jsonrpc');
    expect(text).toContain('has neither an API key');
  });

  test('an API key may do what its scope names', async () => {
    const scope = encodeURIComponent(JSON.stringify({ commands: ['get'], caches: { default: 'read' } }));
    const added = await closed.send(`cmd=apikeyadd&name=model&scope=${scope}&${ADMIN}`);
    const { key } = added.response as unknown as { readonly key: string };
    expect(typeof key).toBe('string');
    await using tools = await connect(`${closed.origin}/mcp?allowWrites=true`, { authorization: `Bearer ${key}` });
    expect(await tools.call('get', { key: 'a' })).toBe('null');
    for (const [name, given] of [
      ['put', { key: 'a', val: 'b' }],
      ['query', { sql: 'SELECT 1' }],
      ['tables', {}],
    ] as const) {
      expect([name, await tools.call(name, given)]).toEqual([name, expect.stringMatching(/^error: \{"code":"/)]);
    }
    expect(readFileSync(join(closed.dataDir, 'log/audit-failures.log'), 'utf8')).toContain('put');
  });
});

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

function post(service: ServiceProcess, body: string, headers: Readonly<Record<string, string>> = {}, method = 'POST') {
  return fetch(`${service.origin}/mcp`, {
    method,
    ...(method === 'POST' && { body }),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
}

describe('the header Accept', () => {
  // The protocol has clients name both types; answers are always JSON.
  const cases: ReadonlyArray<readonly [accept: string, status: number]> = [
    ['*/*', 200],
    ['application/json', 200],
    ['application/json, text/event-stream', 200],
    ['text/event-stream', 406],
    ['text/html', 406],
  ];
  test.each(cases)('%p', async (accept, status) => {
    const response = await post(open, PING, { accept });
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error?: { message: string } };
    if (status !== 200) expect(error?.message).toContain(`Accept must include application/json, not be ${accept}`);
  });
});

describe('requests that are no messages', () => {
  const cases: ReadonlyArray<readonly [body: string, status: number, code: number]> = [
    ['{"jsonrpc":', 400, -32_700],
    ['', 400, -32_700],
    [`[${PING}]`, 400, -32_600],
    ['{"id":1}', 400, -32_600],
    ['null', 400, -32_600],
    [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(300_000) } }), 413, -32_600],
  ];
  test.each(cases)('%p', async (body, status, code) => {
    const response = await post(open, body);
    const { error, id } = (await response.json()) as { id: null; error: { code: number } };
    expect([response.status, id, error.code]).toEqual([status, null, code]);
  });

  test('a method that is not there has an error, and a notification no answer', async () => {
    const unknown = (await (
      await post(open, JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'none' }))
    ).json()) as object;
    expect(unknown).toMatchObject({ id: 7, error: { code: -32_601 } });
    const sent = await post(open, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect([sent.status, await sent.text()]).toEqual([202, '']);
  });

  test('there are no streams and sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await post(open, '', {}, method);
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
      await response.body?.cancel();
    }
  });
});

test('web pages of other origins are rejected', async () => {
  expect((await post(open, PING, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(open, PING, { origin: open.origin })).status).toBe(200);
});

test('http.mcp=false has no such path', async () => {
  await using service = await startService({ env: { SVC_HTTP_MCP: 'false' } });
  expect((await post(service, PING)).status).toBe(404);
});

const examples = blocksOf(readFileSync(join(import.meta.dir, '../../docs/mcp.md'), 'utf8')).filter(
  ({ language, text }) => language === 'json' && text.includes('"url"'),
);
test('docs/mcp.md has the configuration of an assistant', async () => {
  expect(examples.length).toBe(1);
  const added = await closed.send(`cmd=apikeyadd&name=documented&${ADMIN}`);
  const { key } = added.response as unknown as { readonly key: string };
  const { url, headers } = JSON.parse((examples[0]?.text ?? '').replace('KEY', key)).mcpServers.svc;
  await using tools = await connect(url.replace('http://localhost:8080', closed.origin), headers);
  expect(JSON.parse(await tools.call('query', { sql: 'SELECT 40 + 2' }))).toMatchObject({ items: [[42]] });
});
