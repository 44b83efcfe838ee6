/** `svc mcp` with the client of the protocol's official SDK: a real process over stdio, and a real service. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { blocksOf } from '../../documentation/shell.ts';
import { connectTools, type Tools } from '../mcp-tools.ts';
import { MAIN } from '../program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

setDefaultTimeout(180_000);
const root = join(import.meta.dir, '../../..');
const PASSWORD = 'admin-password';
const PERSON =
  "CREATE TABLE IF NOT EXISTS Person(id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR DEFAULT 'Oslo')";
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

function startTools(...args: readonly string[]): Promise<Tools> {
  const command = join(root, 'node_modules/.bin/bun');
  return connectTools(
    new StdioClientTransport({
      command,
      args: [MAIN, 'mcp', ...args],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    }),
  );
}

test('tables, describe and query read tables with plain names', async () => {
  await open.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(PERSON)}`);
  for (let id = 1; id <= 150; id++) {
    await open.command(`cmd=qryfldexe&pageSize=1&qry=INSERT+INTO+Person(id,name)+VALUES(${id},'name-${id}')`);
  }
  await using tools = await startTools('--url', open.url);
  expect(JSON.parse(await tools.call('tables', {}))).toContainEqual({
    schema: 'PUBLIC',
    name: 'PERSON',
    kind: 'table',
    cacheName: 'SQL_PUBLIC_PERSON',
  });
  const definition = JSON.parse(await tools.call('describe', { table: 'person' }));
  expect(definition).toMatchObject({
    schema: 'PUBLIC',
    name: 'PERSON',
    columns: [
      { name: 'ID', type: 'BIGINT', nullable: false, primaryKey: true },
      { name: 'NAME', type: 'VARCHAR', nullable: false, primaryKey: false },
      { name: 'CITY', type: 'VARCHAR', nullable: true, default: 'Oslo', primaryKey: false },
    ],
  });
  expect(definition.indexes).toContainEqual(expect.objectContaining({ kind: 'primary key' }));
  expect(JSON.parse(await tools.call('describe', { table: 'SYS.TABLES' })).schema).toBe('SYS');
  expect(await tools.call('describe', { table: 'persn' })).toContain('did you mean PERSON?');
  expect(await tools.call('describe', {})).toStartWith('error: the argument table is missing');

  const first = JSON.parse(await tools.call('query', { sql: 'SELECT id, name FROM Person ORDER BY id' }));
  expect([first.items.length, first.items[0], first.last]).toEqual([100, [1, 'name-1'], false]);
  const second = JSON.parse(await tools.call('qryfetch', { qryId: first.queryId }));
  expect([second.items.length, second.last]).toEqual([50, true]);
  const some = { sql: 'SELECT name FROM Person WHERE id > ? AND id < ?', args: [10, 13], pageSize: 1 };
  expect(JSON.parse(await tools.call('query', some))).toMatchObject({ items: [['name-11']], last: false });
  expect(await tools.call('query', { sql: 'SELECT 9007199254740993' })).toContain('[[9007199254740993]]');
  expect(await tools.call('query', {})).toStartWith('error: the argument sql is missing');
  expect(await tools.call('query', { sql: 'DELETE FROM Person' })).toStartWith('error: only SELECT, WITH');
  expect(await tools.call('describe', { table: 'nothing' })).toMatch(
    /^error: there is no table or view nothing; the service has [A-Z]+/,
  );
  const wrong = JSON.parse((await tools.call('query', { sql: 'SELECT nme FROM Person' })).replace('error: ', ''));
  expect(wrong).toMatchObject({ code: expect.stringMatching(/^SQL/), remedy: expect.any(String) });
});

test('resources are the definitions of tables and the errors', async () => {
  await open.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(PERSON)}`);
  await open.command('cmd=qryfldexe&pageSize=1&qry=CREATE+TABLE+IF+NOT+EXISTS+"My+town"(id+INT+PRIMARY+KEY,a+INT)');
  await using tools = await startTools('--url', open.url);
  const { client } = tools;
  const { resources } = await client.listResources();
  const named = new Map(resources.map((each) => [each.name, each.uri]));
  expect(named.get('PUBLIC.PERSON')).toBe('svc://tables/PUBLIC.PERSON');
  for (const uri of ['svc://tables/person', named.get('PUBLIC."My town"') ?? 'none']) {
    const { contents } = await client.readResource({ uri });
    const [first] = contents as ReadonlyArray<{ readonly text: string; readonly mimeType: string }>;
    expect([first?.mimeType, JSON.parse(first?.text ?? '').columns[0].name]).toEqual(['application/json', 'ID']);
  }
  const { contents } = await client.readResource({ uri: 'svc://errors/PARAMETER_MISSING' });
  const [error] = contents as ReadonlyArray<{ readonly text: string }>;
  expect(JSON.parse(error?.text ?? '')).toMatchObject({ code: 'PARAMETER_MISSING', remedy: expect.any(String) });
  for (const uri of ['svc://tables/none', 'svc://errors/NONE', 'svc://other', 'svc://tables/%']) {
    expect(await client.readResource({ uri }).catch(({ code }) => code)).toBe(-32_002);
  }

  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(templates).toEqual(['svc://tables/{name}', 'svc://errors/{code}']);
  const complete = async (uri: string, name: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values;
  expect(await complete('svc://tables/{name}', 'name', 'pers')).toEqual(['PUBLIC.PERSON']);
  expect(await complete('svc://errors/{code}', 'code', 'PARAMETER_MIS')).toEqual(['PARAMETER_MISSING']);
});

/** Returns the blocks of code of a prompt. */
async function promptOf({ client }: Tools, name: string, given: Record<string, string>) {
  const { messages } = await client.getPrompt({ name, arguments: given });
  const [first, ...others] = messages.map(({ content }) => content);
  const text = first?.type === 'text' ? first.text : '';
  return { text, others, blocks: blocksOf(text).map((each) => each.text.trim()) };
}

test('prompts name statements and commands that work', async () => {
  await open.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(PERSON)}`);
  await using tools = await startTools('--url', open.url);
  const { prompts } = await tools.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['explore-table', 'explain-statement', 'import-csv']);

  const explore = await promptOf(tools, 'explore-table', { table: 'person' });
  const statements = [...explore.text.matchAll(/: (SELECT .*)$/gm)].map(([, sql = '']) => sql);
  expect(statements).toHaveLength(2);
  for (const sql of statements) expect(await tools.call('query', { sql })).toContain('"items":[[');
  expect(explore.others).toEqual([
    { type: 'resource', resource: expect.objectContaining({ uri: 'svc://tables/PUBLIC.PERSON' }) },
  ]);
  const { completion } = await tools.client.complete({
    ref: { type: 'ref/prompt', name: 'explore-table' },
    argument: { name: 'table', value: 'pers' },
  });
  expect(completion.values).toEqual(['PUBLIC.PERSON']);

  const statement = 'SELECT * FROM Person WHERE city = 1';
  const explain = await promptOf(tools, 'explain-statement', { statement });
  expect(explain.blocks).toEqual([statement]);
  const slowest = /: (SELECT .*)$/m.exec(explain.text)?.[1] ?? '';
  expect(await tools.call('query', { sql: slowest })).toContain('"items":[[');
  expect(await tools.call('query', { sql: `EXPLAIN ${statement}` })).toContain('reads all rows of');
  expect(await tools.call('query', { sql: 'EXPLAIN SELECT * FROM Person WHERE id = 1' })).toContain('finds rows of');
  expect((await promptOf(tools, 'explain-statement', {})).blocks).toEqual([]);

  writeFileSync(join(folder, "Bob's towns.csv"), 'id,name\n1,Oslo\n2,Rome\n');
  const load = await promptOf(tools, 'import-csv', { file: "Bob's towns.csv", table: 'Csv_towns' });
  const [plan = '', execution = ''] = load.blocks.map((each) => each.replace(/^svc /, ''));
  const planned = await runShell(plan);
  expect([planned.exitCode, planned.output]).toEqual([0, expect.stringContaining('CREATE TABLE CSV_TOWNS')]);
  expect(await tools.call('describe', { table: 'csv_towns' })).toStartWith('error: ');
  expect(await runShell(execution)).toMatchObject({ exitCode: 0, output: expect.stringContaining('2 imported') });
  expect(await tools.call('query', { sql: 'SELECT name FROM Csv_towns ORDER BY id' })).toContain('[["Oslo"],["Rome"]]');
});

test('a line that is no message is answered with the error of JSON-RPC, and a byte order mark is skipped', async () => {
  const ping = (id: number): string => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
  const input = `\ufeff${ping(1)}not json\n{"jsonrpc":"2.0"}\n[]\n${ping(2)}`;
  const { output } = await runSvcProcess(['mcp', '--url', open.url], { cwd: folder, input });
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.filter(({ error }) => error !== undefined).map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
  ]);
  expect(answers.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual([1, 2]);
});

/** Runs the words of a command line as `svc` gets them from a shell. */
async function runShell(line: string) {
  const words = Bun.spawnSync(['sh', '-c', `printf '%s\\n' ${line}`])
    .stdout.toString()
    .trimEnd()
    .split('\n');
  return runSvcProcess(words, { cwd: folder });
}

test('without --allow-writes, tools read only, with all digits', async () => {
  await open.command('cmd=put&key=long&val=9007199254740993&valueType=long');
  await using tools = await startTools('--url', open.url, '--tools', 'all');
  expect(tools.client.getServerVersion()).toMatchObject({ name: 'svc' });
  expect(tools.client.getInstructions()).toContain(`at ${open.url}. \`tables\` lists tables`);
  expect(tools.client.getInstructions()).toContain('Nothing can be changed');
  const { tools: offered } = await tools.client.listTools();
  expect(offered.length).toBeGreaterThan(35);
  expect(offered.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(await tools.call('get', { key: 'long' })).toBe('9007199254740993');
  const select = { qry: 'SELECT X + ? FROM SYSTEM_RANGE(1, 2)', args: [40], pageSize: 10 };
  expect(JSON.parse(await tools.call('qryfldexe', select))).toMatchObject({ items: [[41], [42]], last: true });
  expect(JSON.parse(await tools.call('qryfldexe', { qry: 'SELECT X FROM SYSTEM_RANGE(1, 200)' }))).toMatchObject({
    items: expect.objectContaining({ length: 100 }),
    last: false,
  });
  expect(await tools.call('put', { key: 'a', val: 'b' })).toEndWith(
    'put is not among the tools that svc mcp offers without --allow-writes',
  );
  expect(await tools.call('querry', {})).toEndWith('that svc mcp offers, did you mean query?');
  await expect(tools.client.getPrompt({ name: 'explore-table', arguments: {} })).rejects.toThrow(
    'the argument table is missing: The table as a statement writes it.',
  );
  expect(await tools.client.getPrompt({ name: 'explore' }).catch(({ code, message }) => [code, message])).toEqual([
    -32_602,
    expect.stringMatching(/explore is not among the prompts that svc mcp offers, did you mean explore-table\?$/),
  ]);
  await expect(tools.client.getPrompt({ name: 'backup' })).rejects.toThrow('offers: explore-table, explain-statement');
  const create = { qry: 'CREATE TABLE Town (id INT PRIMARY KEY, name VARCHAR)', pageSize: 1 };
  expect(await tools.call('qryfldexe', create)).toStartWith('error: only SELECT, WITH');
  expect(await tools.call('get', { key: 2 ** 53, keyType: 'long' })).toContain('as strings');
  expect(await tools.call('get', { cacheName: 'none', key: 'a' })).toMatch(/^error: .*none/);
  const missing = JSON.parse((await tools.call('get', {})).replace('error: ', ''));
  expect(missing).toMatchObject({ code: 'PARAMETER_MISSING', parameter: 'key', remedy: expect.any(String) });
});

test('with --allow-writes, tools change data', async () => {
  await using tools = await startTools('--url', open.url, '--allow-writes', '--tools', 'all');
  expect(await tools.call('put', { key: '9007199254740993', keyType: 'long', val: 'b' })).toBe('true');
  expect(await open.command('cmd=get&key=9007199254740993&keyType=long')).toBe('b');
  expect(tools.client.getInstructions()).not.toContain('Nothing can be changed');
  expect(await tools.call('put', { key: 'number', val: 5 })).toBe('true');
  expect(await open.command('cmd=get&key=number')).toBe(5);
  expect(await tools.call('putall', { keys: ['x', 'y'], values: ['1', '2'] })).toBe('true');
  const create = { qry: 'CREATE TABLE Village (id INT PRIMARY KEY, name VARCHAR)', pageSize: 1 };
  expect(await tools.call('qryfldexe', create)).not.toStartWith('error');
  expect(await tools.call('query', { sql: "INSERT INTO Village VALUES (1, 'Aa')" })).not.toStartWith('error');
  expect(await tools.call('query', { sql: 'SELECT name FROM Village' })).toContain('[["Aa"]]');
});

test('a wrong statement is answered with its error, not with the advice to allow writes', async () => {
  await using tools = await startTools('--url', open.url);
  for (const [sql, position] of [
    ['SELEC 1', 1],
    ['SELECT 1 FORM Person', 15],
    ['SELECT (1', 10],
  ] as const) {
    const answer = await tools.call('query', { sql });
    expect(answer).toStartWith('error: {');
    const own = await open.send(`cmd=qryfldexe&pageSize=1&errors=object&qry=${encodeURIComponent(sql)}`);
    expect([sql, JSON.parse(answer.slice('error: '.length))]).toEqual([sql, own.error as unknown as object]);
    expect([sql, JSON.parse(answer.slice('error: '.length)).position]).toEqual([sql, position]);
  }
});

test('a dozen tools are offered by default, and a few more that write', async () => {
  await using tools = await startTools('--url', open.url);
  expect((await tools.client.listTools()).tools.length).toBe(12);
  expect(await tools.call('top', {})).toEndWith('that svc mcp offers: ask for it with --tools');
  await using writing = await startTools('--url', open.url, '--allow-writes');
  expect((await writing.client.listTools()).tools.length).toBe(16);
});

test('--tools limits what is offered', async () => {
  await using tools = await startTools('--url', open.url, '--tools', 'get,size');
  const { tools: offered } = await tools.client.listTools();
  expect(offered.map(({ name }) => name)).toEqual(['get', 'size']);
  expect(await tools.call('version', {})).toStartWith('error: version is not among the tools');
  expect(tools.client.getInstructions()).not.toContain('`query`');
  expect((await tools.client.listPrompts()).prompts).toEqual([]);
  const wrong = await runSvcProcess(['mcp', '--url', open.url, '--tools', 'put'], { cwd: folder });
  expect([wrong.exitCode, wrong.errors]).toEqual([2, expect.stringContaining('--tools: put is not offered')]);
});

const examples = blocksOf(readFileSync(join(root, 'docs/mcp.md'), 'utf8')).filter(
  ({ language, text }) => language === 'json' && text.includes('"args"'),
);
test('docs/mcp.md has configurations', () => expect(examples.length).toBeGreaterThan(1));
for (const { line, text } of examples) {
  test(`the configuration in line ${line} of docs/mcp.md works`, async () => {
    const { command, args } = JSON.parse(text).mcpServers.svc;
    expect([command, args[0]]).toEqual(['svc', 'mcp']);
    await using tools = await startTools(
      ...args.slice(1).map((each: string) => (each.includes(':') ? open.url : each)),
    );
    expect(await tools.call('tables', {})).toContain('cacheName');
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

test('answers what was asked before the input ends', async () => {
  const { output } = await runSvcProcess(['mcp', '--url', open.url], {
    cwd: folder,
    input: [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},' +
        '"clientInfo":{"name":"script","version":"1"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT 41 + 1"}}}',
      '',
    ].join('\n'),
  });
  expect(output).toContain('\\"items\\":[[42]]');
});
