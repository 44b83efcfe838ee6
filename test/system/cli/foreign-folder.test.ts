/**
 * Subcommands in a folder that someone else has prepared, such as an unpacked archive: they run nothing of it, and
 * send nothing to the addresses that it names.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

// Each case starts a process or several, which a busy machine delays.
setDefaultTimeout(60_000);
const root = join(import.meta.dir, '../../..');
const LAUNCHERS = {
  'scripts/svc': [join(root, 'scripts/svc')],
  'scripts/svc.cjs': ['node', join(root, 'scripts/svc.cjs')],
} as const;
const SECRETS = { SVC_API_KEY: 'key-of-the-user', SVC_SECRET_KEY: 'secret-of-the-user' };

const received: string[] = [];
const foreign = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    received.push(request.url);
    return new Response('{"successStatus":0,"response":null}', { headers: { 'content-type': 'application/json' } });
  },
});
const foreignUrl = `http://127.0.0.1:${foreign.port}/svc`;
const folders: string[] = [];
afterAll(async () => {
  await foreign.stop(true);
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const EVIL = "require('node:fs').writeFileSync(__dirname + '/ran', ''); module.exports = { default: {} };";
const PATHS = JSON.stringify({ compilerOptions: { paths: { '*': ['./evil.cjs'] } } });

function owner(changes: object = {}): string {
  const own = { processId: process.pid, startedAtMs: 1, version: '1.1.0', locked: true, url: foreignUrl };
  return JSON.stringify({ ...own, ...changes });
}

/** The files that someone else may have placed there, by the name of the case. */
const PLANTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bunfig.toml': { 'bunfig.toml': 'preload = ["./evil.cjs"]\n' },
  'tsconfig.json': { 'tsconfig.json': PATHS },
  'jsconfig.json': { 'jsconfig.json': PATHS },
  'package.json': {
    'package.json': '{"name":"commander","main":"evil.cjs","exports":"./evil.cjs","imports":{"#*":"./evil.cjs"}}',
    'node_modules/commander/package.json': '{"name":"commander","main":"../../evil.cjs"}',
  },
  '.env': {
    '.env': `SVC_URL=${foreignUrl}\nHTTP_PROXY=${foreignUrl}\nhttp_proxy=${foreignUrl}\nSVC_CONFIG=evil.cjs\n`,
    '.env.local': 'BUN_OPTIONS=--preload=./evil.cjs\nNODE_OPTIONS=--require=./evil.cjs\nPAGER=./evil.cjs\n',
    '.env.development': `SVC_URL=${foreignUrl}\n`,
  },
  'svc.config.ts': { 'svc.config.ts': "import './evil.cjs';\nexport default { dataDir: 'other' };\n" },
  'owner.json of a lock': { 'data/owner.json': owner(), 'data/lock.db': '', 'data/owner.db': '' },
  'owner.json without a lock': { 'data/owner.json': owner({ locked: false }), 'data/owner.db': '' },
};

function folderWith(...planted: ReadonlyArray<Readonly<Record<string, string>> | undefined>): string {
  const cwd = newFolder();
  folders.push(cwd);
  for (const [name, text] of Object.entries(Object.assign({ 'evil.cjs': EVIL }, ...planted))) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), String(text), { mode: 0o700 });
  }
  return cwd;
}

const WORDS: ReadonlyArray<readonly string[]> = [
  ['version'],
  ['--version'],
  ['help', 'get'],
  ['get', 'a'],
  ['status'],
  ['stop'],
  ['tables'],
  ['sql', '-c', 'SELECT 1'],
  ['import', 'rows.csv', '--table', 't'],
  ['export', '-', '--table', 't'],
  ['watch', '--cache', 'a'],
  ['verify'],
  ['mcp'],
  ['completion', 'bash'],
];

for (const [launcher, program] of Object.entries(LAUNCHERS)) {
  describe(launcher, () => {
    const run = (args: readonly string[], cwd: string, env = {}) =>
      runSvcProcess(args, { cwd, program, env: { ...SECRETS, ...env } });

    test.each(Object.keys(PLANTED))('%s in the folder, or above it, is not used', async (name) => {
      const cwd = folderWith(PLANTED[name], { 'sub/file': '' });
      for (const folder of [cwd, join(cwd, 'sub')]) {
        for (const args of [['version'], ['get', 'a'], ['status']]) {
          await run(args, folder);
          expect([args, received, existsSync(join(cwd, 'ran'))]).toEqual([args, [], false]);
        }
      }
    });

    test('no subcommand that talks to a service uses any of it', async () => {
      const cwd = folderWith(...Object.values(PLANTED), { 'rows.csv': 'id\n1\n' });
      for (const args of WORDS) {
        await run(args, cwd);
        expect([args, received, existsSync(join(cwd, 'ran'))]).toEqual([args, [], false]);
      }
    });

    test('a configuration file runs where it is named, and for what examines the configuration', async () => {
      const named: ReadonlyArray<readonly [readonly string[], Readonly<Record<string, string>>]> = [
        [['status', '--config', 'svc.config.ts'], {}],
        [['status'], { SVC_CONFIG: 'svc.config.ts' }],
        [['config', 'check'], {}],
      ];
      for (const [args, env] of named) {
        const cwd = folderWith(PLANTED['svc.config.ts']);
        await run(args, cwd, env);
        expect([args, existsSync(join(cwd, 'ran'))]).toEqual([args, true]);
      }
    });

    test('.env belongs to the configuration', async () => {
      const cwd = folderWith({ '.env': 'SVC_NAME=grid\n' });
      const shown = await run(['config', 'show', '--json', '--changed'], cwd);
      expect([shown.errors, shown.output]).toEqual(['', expect.stringContaining('"grid"')]);
    });
  });
}

test('stop and verify say that they have not run the configuration', async () => {
  const cwd = folderWith(PLANTED['svc.config.ts']);
  const advice =
    'svc.config.ts is not run unless it is named: if it names the data folder, add --config svc.config.ts\n';
  expect(await runSvcProcess(['stop'], { cwd })).toEqual({
    exitCode: 2,
    output: '',
    errors: `svc: no service runs on ${join(cwd, 'data')}\n${advice}`,
  });
  expect(await runSvcProcess(['verify'], { cwd })).toEqual({
    exitCode: 2,
    output: '',
    errors: `svc: verify: the data folder is not named\n${advice}`,
  });
  const named = await runSvcProcess(['stop', '--config', 'svc.config.ts'], { cwd });
  expect([named.exitCode, named.output]).toEqual([0, `no service runs on ${join(cwd, 'other')}\n`]);
});

describe('the service that a data folder describes', () => {
  const cwd = folderWith();
  const file = join(cwd, 'data/owner.json');
  let service: ServiceProcess;
  let written = '';
  beforeAll(async () => {
    service = await startService({ dataDir: join(cwd, 'data') });
    written = readFileSync(file, 'utf8');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test('is used if this user runs it', async () => {
    const put = await runSvcProcess(['put', 'a', 'b'], { cwd, env: { SVC_SECRET_KEY: 'secret-of-the-user' } });
    expect([put.errors, put.output]).toEqual(['', 'true\n']);
  });

  const other = (changes: object) => JSON.stringify({ ...(JSON.parse(written) as object), ...changes });
  const cases: ReadonlyArray<readonly [string, () => string, number]> = [
    ['others can change the description', () => other({ url: foreignUrl }), 0o666],
    ['its group can change the description', () => other({ url: foreignUrl }), 0o660],
    // Linux connects to this machine.
    ['the address is not a loopback address', () => other({ url: foreignUrl.replace('127.0.0.1', '0.0.0.0') }), 0o600],
    ['the process has ended', () => other({ url: foreignUrl, processId: 2 ** 22 + 1 }), 0o600],
    ['another lock is described', () => other({ url: foreignUrl, locked: false }), 0o600],
  ];
  test.each(cases)('is not used if %s', async (_title, text, mode) => {
    writeFileSync(file, text());
    chmodSync(file, mode);
    await runSvcProcess(['get', 'a'], { cwd, env: SECRETS });
    expect(received).toEqual([]);
    writeFileSync(file, written);
    chmodSync(file, 0o600);
  });

  test('is not stopped if others can change the description, unless the folder is named', async () => {
    chmodSync(file, 0o666);
    const stop = await runSvcProcess(['stop'], { cwd });
    expect([stop.exitCode, stop.errors]).toEqual([4, expect.stringContaining('name it with --data-dir to trust it')]);
    const named = await runSvcProcess(['stop', '--data-dir', 'data'], { cwd });
    expect([named.exitCode, named.output]).toEqual([0, `stopped process ${service.pid}\n`]);
  });
});
