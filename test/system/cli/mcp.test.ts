/** `svc mcp` with the client of the protocol's official SDK: a real process over stdio, and a real service. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { blocksOf } from '../../documentation/shell.ts';
import { MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

setDefaultTimeout(180_000);
const root = join(import.meta.dir, '../../..');
const PASSWORD = 'admin-password';
const folder = newFolder();
let open: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
});
afterAll(async () => {
  await Promise.all([open, closed].map((service) => service[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true, force: true });
});

interface Tools extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool and returns its text; an error has the prefix `error: `. */
  call(name: string, given: Record<string, unknown>): Promise<string>;
}

async function startTools(...args: readonly string[]): Promise<Tools> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const command = join(root, 'node_modules/.bin/bun');
  await client.connect(
    new StdioClientTransport({
      command,
      args: [MAIN, 'mcp', ...args],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    }),
  );
  return {
    client,
    async call(name, given) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as ReadonlyArray<{ readonly text: string }>;
      return `${isError === true ? 'error: ' : ''}${first?.text}`;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test('without --allow-writes, tools read only, with all digits', async () => {
  await open.command('cmd=put&key=long&val=9007199254740993&valueType=long');
  await using tools = await startTools('--url', open.url);
  expect(tools.client.getServerVersion()).toMatchObject({ name: 'svc' });
  expect(tools.client.getInstructions()).toContain('qryfldexe');
  const { tools: offered } = await tools.client.listTools();
  expect(offered.length).toBeGreaterThan(20);
  expect(offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(await tools.call('get', { key: 'long' })).toBe('9007199254740993');
  const select = { qry: 'SELECT X + ? FROM SYSTEM_RANGE(1, 2)', args: [40], pageSize: 10 };
  expect(JSON.parse(await tools.call('qryfldexe', select))).toMatchObject({ items: [[41], [42]], last: true });
  expect(JSON.parse(await tools.call('qryfldexe', { qry: 'SELECT X FROM SYSTEM_RANGE(1, 200)' }))).toMatchObject({
    items: expect.objectContaining({ length: 100 }),
    last: false,
  });
  expect(await tools.call('put', { key: 'a', val: 'b' })).toStartWith('error: put is not among the tools');
  const create = { qry: 'CREATE TABLE Town (id INT PRIMARY KEY, name VARCHAR)', pageSize: 1 };
  expect(await tools.call('qryfldexe', create)).toStartWith('error: only statements that read');
  expect(await tools.call('get', { key: 2 ** 53, keyType: 'long' })).toContain('as strings');
  expect(await tools.call('get', { cacheName: 'none', key: 'a' })).toMatch(/^error: .*none/);
  const missing = JSON.parse((await tools.call('get', {})).replace('error: ', ''));
  expect(missing).toMatchObject({ code: 'PARAMETER_MISSING', parameter: 'key', remedy: expect.any(String) });
});

test('with --allow-writes, tools change data', async () => {
  await using tools = await startTools('--url', open.url, '--allow-writes');
  expect(await tools.call('put', { key: '9007199254740993', keyType: 'long', val: 'b' })).toBe('true');
  expect(await open.command('cmd=get&key=9007199254740993&keyType=long')).toBe('b');
  expect(await tools.call('putall', { keys: ['x', 'y'], values: ['1', '2'] })).toBe('true');
  const create = { qry: 'CREATE TABLE Village (id INT PRIMARY KEY, name VARCHAR)', pageSize: 1 };
  expect(await tools.call('qryfldexe', create)).not.toStartWith('error');
});

test('--tools limits what is offered', async () => {
  await using tools = await startTools('--url', open.url, '--tools', 'get,size');
  const { tools: offered } = await tools.client.listTools();
  expect(offered.map(({ name }) => name)).toEqual(['get', 'size']);
  expect(await tools.call('version', {})).toStartWith('error: version is not among the tools');
  const wrong = await runSvcProcess(['mcp', '--url', open.url, '--tools', 'put'], { cwd: folder });
  expect([wrong.exitCode, wrong.errors]).toEqual([2, expect.stringContaining('--tools: put is not offered')]);
});

const examples = blocksOf(readFileSync(join(root, 'docs/mcp.md'), 'utf8')).filter(
  ({ language }) => language === 'json',
);
test('docs/mcp.md has configurations', () => expect(examples.length).toBeGreaterThan(1));
for (const { line, text } of examples) {
  test(`the configuration in line ${line} of docs/mcp.md works`, async () => {
    const { command, args } = JSON.parse(text).mcpServers.svc;
    expect([command, args[0]]).toEqual(['svc', 'mcp']);
    await using tools = await startTools(
      ...args.slice(1).map((each: string) => (each.includes(':') ? open.url : each)),
    );
    expect(await tools.call('metadata', {})).toContain('cacheName');
  });
}

test('stored logins are used, and a missing one is an error of the tool', async () => {
  await using without = await startTools('--url', closed.url);
  expect(await without.call('size', {})).toStartWith('error: ');
  const login = ['login', '--url', closed.url, '--user', 'svc', '--default'];
  expect(await runSvcProcess(login, { cwd: folder, env: { SVC_PASSWORD: PASSWORD } })).toMatchObject({ exitCode: 0 });
  await using tools = await startTools();
  expect(await tools.call('size', {})).toBe('0');
  expect(await tools.call('size', {})).toBe('0');
});

test('a service that is not there is an error of the tool; the program ends with its input', async () => {
  await using tools = await startTools('--url', 'http://127.0.0.1:1/svc');
  expect(await tools.call('size', {})).toContain('no service answers at http://127.0.0.1:1/svc');
  const run = await runSvcProcess(['mcp', '--url', open.url], { cwd: folder });
  expect(run).toEqual({ exitCode: 0, output: '', errors: '' });
});
