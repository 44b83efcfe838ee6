/**
 * `@svc-grid/svc/testing` in Bun and in Node, installed in another project: the examples of
 * docs/testing.md, and the tests of the tutorial.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../../documentation/shell.ts';
import { outputOf } from '../../ended-program.ts';
import { allowedMs } from '../machine.ts';
import { newFolder } from '../service-process.ts';

setDefaultTimeout(180_000);
const root = join(import.meta.dir, '../../..');
const project = newFolder();

beforeAll(() => {
  const installed = join(project, 'node_modules/@svc-grid/svc');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'scripts/runtime.cjs'), join(installed, 'scripts/runtime.cjs'));
  symlinkSync(join(root, 'node_modules/bun'), join(project, 'node_modules/bun'));
  for (const part of ['service', 'client']) {
    const script = join(root, `scripts/build-${part}.ts`);
    const built = Bun.spawnSync([process.execPath, script, join(installed, 'dist', part)]);
    expect([built.exitCode, String(built.stderr)]).toEqual([0, '']);
  }
  writeFileSync(join(project, 'package.json'), '{"name":"another-project","type":"module"}');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs a program of the project, which must end by itself. */
function run(command: readonly string[], name: string, source: string): Promise<string> {
  writeFileSync(join(project, name), source);
  const env = { ...process.env, SVC_ADMIN_PASSWORD: 'admin-password' };
  return outputOf([...command, `./${name}`], { cwd: project, env });
}

const PROGRAM = `
import { startTestService } from '@svc-grid/svc/testing';
import { SvcClient } from '@svc-grid/svc/client';
const service = await startTestService({
  args: ['--name', 'own', '--authentication'],
  client: { user: 'own', password: 'admin-password' },
  fixtures: [
    { entries: { text: 'a', number: 5, flag: true, map: { a: [1] }, list: [{ b: 2 }] } },
    { cacheName: 'towns', entries: { Oslo: 'Norway' } },
    { sql: "CREATE TABLE Person(id BIGINT PRIMARY KEY, name VARCHAR); INSERT INTO Person VALUES (1, 'a;b')" },
    { table: 'city', csv: 'id,name\\n1,Oslo\\n2,Rome\\n' },
    { table: 'street', ndjson: '{"id":1,"name":"Main"}\\n' },
  ],
});
const { client, url } = service;
const rows = async (sql) => {
  const read = [];
  for await (const row of client.query(sql)) read.push(row);
  return read;
};
const contents = async () => [
  await client.getall({ keys: ['text', 'number', 'flag', 'map', 'list', 'new'] }),
  await client.get({ cacheName: 'towns', key: 'Oslo' }),
  await rows('SELECT * FROM Person ORDER BY id'),
  await rows('SELECT name FROM City ORDER BY id'),
  await rows('SELECT name FROM Street'),
];
const first = await contents();
const lost = [];
const times = [];
for (let round = 0; round < 10; round++) {
  await client.put({ key: 'new', val: 'b' });
  await client.rmv({ key: 'text' });
  await client.qryfldexe({ qry: "INSERT INTO Person VALUES (2, 'c')" });
  await client.qryfldexe({ qry: 'DELETE FROM City' });
  lost.push(JSON.stringify(await contents()) !== JSON.stringify(first));
  const start = performance.now();
  await service.reset();
  times.push(performance.now() - start);
  if (JSON.stringify(await contents()) !== JSON.stringify(first)) throw new Error('it was not restored');
}
await client.qryfldexe({ qry: 'CREATE TABLE Added(id INT PRIMARY KEY, a INT)' });
await client.qryfldexe({ qry: 'DROP TABLE Street' });
await service.reset();
const restored = JSON.stringify(await contents()) === JSON.stringify(first);
const added = await rows("SELECT 1 FROM SYS.TABLES WHERE TABLE_NAME = 'ADDED'");

const login = await fetch(url + '?cmd=authenticate&own.login=own&own.password=admin-password', { method: 'POST' });
const { sessionToken } = await login.json();
const valid = async () =>
  (await (await fetch(url + '?cmd=size&sessionToken=' + sessionToken)).json()).successStatus === 0;
await client.put({ key: 'short', val: 'c', ttlMs: 60000 });
const [[before]] = await rows('SELECT CURRENT_TIMESTAMP');
const beforeAdvance = [await client.get({ key: 'short' }), await valid()];
await service.advance(30 * 24 * 3600000);
const afterAdvance = [await client.get({ key: 'short' }), await valid()];
const [[after]] = await rows('SELECT CURRENT_TIMESTAMP');

await service.load({ entries: { loaded: 'd' } });
await service.snapshot();
await client.rmv({ key: 'loaded' });
await service.reset();
const loaded = await client.get({ key: 'loaded' });
const failed = await startTestService({ fixtures: [{ sql: 'SELEC 1' }] }).catch(({ message }) => message);
await service.stop();
times.sort((left, right) => left - right);
const days = Math.round((new Date(after) - new Date(before)) / (24 * 3600000));
const result = { first, lost, restored, added, beforeAdvance, afterAdvance, days, loaded, failed, ms: times[2] };
console.log(JSON.stringify(result));
`;
const MAX_RESET_MS = 5;

for (const [runtime, command] of [
  ['Bun', [process.execPath]],
  ['Node', ['node']],
] as const) {
  test(`in ${runtime}: fixtures, snapshot, reset in less than 5 ms, and time`, async () => {
    const result = JSON.parse(await run(command, `${runtime}.mjs`, PROGRAM));
    const values = { text: 'a', number: 5, flag: true, map: { a: [1] }, list: [{ b: 2 }] };
    const first = [values, 'Norway', [[1, 'a;b']], [['Oslo'], ['Rome']], [['Main']]];
    expect(result).toEqual({
      first,
      lost: new Array(10).fill(true),
      restored: true,
      added: [],
      beforeAdvance: ['c', true],
      afterAdvance: [null, false],
      days: 30,
      loaded: 'd',
      failed: expect.stringContaining('SELEC'),
      ms: expect.any(Number),
    });
    expect(result.ms).toBeLessThan(allowedMs(MAX_RESET_MS));
  });
}

const RUNNERS: Readonly<Record<string, readonly string[]>> = { ts: [process.execPath, 'test'], js: ['node', '--test'] };
// test/clients/test-services.long.test.ts runs those in Python and Go.
const examples = blocksOf(readFileSync(join(root, 'docs/testing.md'), 'utf8')).filter(
  ({ language }) => language in RUNNERS,
);
test('docs/testing.md has an example for each runner', () =>
  expect(examples.map(({ language }) => language)).toEqual(Object.keys(RUNNERS)));
for (const { language, line, text } of examples) {
  test(`the example in line ${line} of docs/testing.md passes`, async () => {
    await run(RUNNERS[language] ?? [], `example.test.${language === 'ts' ? 'ts' : 'mjs'}`, text);
  });
}

test('the tests of examples/bookings pass in Bun and in Node', () => {
  cpSync(join(root, 'examples/bookings'), project, { recursive: true });
  const run = (...command: readonly string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: project });
    expect([exitCode, exitCode === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
    return `${stdout}${stderr}`;
  };
  expect(run(process.execPath, 'test', './bookings.test.ts')).toContain(' 4 pass\n 0 fail');
  // Node before 22.18 does not execute TypeScript.
  const built = './bookings.test.mjs';
  run(process.execPath, 'build', './bookings.test.ts', '--target=node', '--external=@svc-grid/*', `--outfile=${built}`);
  expect(run('node', '--test', '--test-reporter=tap', built)).toContain('# pass 4\n# fail 0');
});

test('in Node, a test whose hook takes too long ends although nobody stops the service', async () => {
  writeFileSync(
    join(project, 'late.test.mjs'),
    `import { before, test } from 'node:test';
    import { startTestService } from '@svc-grid/svc/testing';
    before(() => startTestService(), { timeout: 1 });
    test('never runs', () => {});`,
  );
  const child = Bun.spawn(['node', '--test', './late.test.mjs'], { cwd: project, stdout: 'pipe', timeout: 60_000 });
  expect(await child.stdout.text()).toContain('hookFailed');
  expect([await child.exited, child.signalCode]).toEqual([1, null]);
});

const MISTAKES = `
import { startTestService } from '@svc-grid/svc/testing';
const service = await startTestService();
const mistakes = [
  () => service.load({ file: 'a' }),
  () => service.load('rows.csv'),
  () => service.advance('1h'),
  () => service.advance(-1),
];
const report = ({ message }) => console.log(message);
for (const mistake of mistakes) await mistake().then(() => console.log('accepted'), report);
await service.stop();
`;

test('a mistake of a program without types is rejected with what is expected', async () => {
  expect((await run([process.execPath], 'mistakes.mjs', MISTAKES)).trimEnd().split('\n')).toEqual([
    'a fixture is { entries }, { sql }, { table, csv } or { table, ndjson }, got { file }',
    'a fixture is { entries }, { sql }, { table, csv } or { table, ndjson }, got rows.csv',
    'advance needs a number of milliseconds, got 1h',
    'advance needs a number of milliseconds, got -1',
  ]);
});
