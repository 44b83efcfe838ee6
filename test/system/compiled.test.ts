/** Builds the single-file executable and starts it in folders without any other file of the project. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runSvcProcess } from './cli/cli-process.ts';
import { WORKERS } from './modes.ts';
import { newFolder, type ServiceOptions, type ServiceProcess, startService } from './service-process.ts';

const root = join(import.meta.dir, '../..');
const build = join(root, 'scripts/build.ts');
const folder = newFolder();
const executable = join(folder, 'bin', 'svc');

const FILES: Readonly<Record<string, string>> = {
  'svc.config.ts': `
    import { defineConfig, type SvcConfiguration } from 'svc';
    import { Point } from './point.ts';
    const caches: SvcConfiguration['caches'] = [{ name: 'points', backups: 1 }];
    export default defineConfig({
      name: 'grid',
      dataDir: './own-data',
      classes: { Point },
      caches,
      tasks: { count: './count-task.ts', greet: (argument) => 'good morning ' + argument },
    });
  `,
  'point.ts': "export class Point { static readonly fields = { x: 'long', y: 'int' } as const; }",
  'count-task.ts': `
    import type { TaskFunction } from 'svc';
    import { words } from 'words';
    const count: TaskFunction = (argument) => words(String(argument)).length;
    export default count;
  `,
  'node_modules/words/package.json': '{"name":"words","version":"1.0.0","type":"module","exports":"./index.js"}',
  'node_modules/words/index.js': "export const words = (text) => text.split(' ');",
};

beforeAll(() => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, build, '--outfile', executable], { cwd: root });
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a folder with the given files. */
function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  }
  return path;
}

/** Starts the executable in a folder, with the configured or default data folder. */
function startIn(cwd: string, options: ServiceOptions = {}): Promise<ServiceProcess> {
  return startService({ ...options, program: [executable], cwd, env: { SVC_DATA_DIR: '', ...options.env } });
}

test('the executable contains the entry points of all threads and needs no other file', () => {
  const listed = readFileSync(join(root, 'scripts/entry-points.ts'), 'utf8');
  const paths = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })].filter((path) => !/\.test\.ts$/.test(path));
  const started = paths.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [...text.matchAll(/\bnew Worker\((.*)/g)].map(([, file = '']) => file);
  });
  expect(started.length).toBeGreaterThan(1);
  // Any other way of naming the file fails in the executable.
  const named = started.map((file) => /^threadUrl\('([^']+)'\)/.exec(file)?.[1] ?? `not by threadUrl: ${file}`);
  expect(named.filter((file) => !listed.includes(`'${file}'`))).toEqual([]);
  expect(readdirSync(dirname(executable))).toEqual(['svc']);
});

test('an empty folder: runs with the defaults and keeps data across restarts', async () => {
  const cwd = folderWith('empty', {});
  {
    await using service = await startIn(cwd);
    expect(service.url).toEndWith('/svc');
    expect(await service.command('cmd=size')).toBe(0);
    expect(await service.command('cmd=put&key=a&val=kept')).toBe(true);
    expect(await service.stop()).toBe(0);
    expect(readdirSync(cwd)).toEqual(['data']);
  }
  await using again = await startIn(cwd);
  expect(await again.command('cmd=get&key=a')).toBe('kept');
});

for (const workers of WORKERS.map(String)) {
  describe(`with a configuration file, workers=${workers}`, () => {
    const cwd = () => folderWith(crypto.randomUUID(), FILES);
    const env = { SVC_WORKERS: workers };

    test('imports defineConfig and modules next to the file', async () => {
      const own = cwd();
      await using service = await startIn(own, { env });
      expect(service.url).toEndWith('/grid');
      expect(await service.command('cmd=version')).toMatch(/^\d+\.\d+\.\d+/);
      const point = encodeURIComponent('{"x":"9007199254740993","extra":1}');
      await service.command(`cmd=put&cacheName=points&key=p&val=${point}&valueType=Point`);
      expect((await service.send('cmd=get&cacheName=points&key=p')).text).toContain('{"x":9007199254740993,"y":0}');
      expect(readdirSync(own)).toContain('own-data');
    });

    test("threads read each other's writes", async () => {
      await using service = await startIn(cwd(), { env });
      await service.command('cmd=put&key=a&val=1');
      const close = { headers: { connection: 'close' } };
      const seen = await Promise.all(Array.from({ length: 20 }, () => service.send('cmd=get&key=a', close)));
      expect(new Set(seen.map(({ response }) => response))).toEqual(new Set(['1']));
    });

    test('runs tasks in processes of the executable, with packages next to the file', async () => {
      await using service = await startIn(cwd(), { env });
      expect(await service.command('cmd=exe&name=greet&p1=Ann')).toMatchObject({ result: 'good morning Ann' });
      expect(await service.command('cmd=exe&name=count&p1=one+two+three')).toMatchObject({ result: 3 });
    });

    test('executes statements and scans', async () => {
      await using service = await startIn(cwd(), { env });
      const query = (qry: string) => service.command(`cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent(qry)}`);
      await query('CREATE TABLE city (id INT PRIMARY KEY, name VARCHAR)');
      await query("INSERT INTO city VALUES (1, 'Oslo'), (2, 'Bern')");
      expect(await query('SELECT name FROM city ORDER BY name')).toMatchObject({ items: [['Bern'], ['Oslo']] });
      await service.command('cmd=put&key=a&val=1');
      expect(await service.command('cmd=qryscanexe&pageSize=10')).toMatchObject({ items: [{ key: 'a', value: '1' }] });
    });
  });
}

test('.env: the service reads it, in all threads, and a subcommand does not', async () => {
  const cwd = folderWith('environment', { '.env.local': 'SVC_NAME=local\n', '.env': 'SVC_NAME=grid\nSVC_WORKERS=3\n' });
  await using service = await startIn(cwd);
  expect(service.url).toEndWith('/local');
  const close = { headers: { connection: 'close' } };
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.send('cmd=version', close)));
  expect(new Set(answers.map(({ http }) => http))).toEqual(new Set([200]));
  writeFileSync(join(cwd, '.env'), 'SVC_URL=http://127.0.0.1:1/svc\n');
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./missing.ts"]\n');
  const put = await runSvcProcess(['put', 'a', 'b'], { cwd, program: [executable] });
  expect([put.errors, put.output]).toEqual(['', 'true\n']);
});

describe('subcommands', () => {
  async function svc(cwd: string, args: readonly string[], input = ''): Promise<string> {
    const result = await runSvcProcess(args, { cwd, program: [executable], input });
    expect([args.join(' '), result.exitCode, result.errors]).toEqual([args.join(' '), 0, '']);
    return result.output;
  }

  test('config writes, checks and shows a configuration', async () => {
    const cwd = folderWith('config', {});
    expect(await svc(cwd, ['config', 'init'])).toContain('wrote ');
    expect(await svc(cwd, ['config', 'check'])).toEndWith('svc.config.ts: OK\n');
    expect(JSON.parse(await svc(cwd, ['config', 'show', '--json', '--changed'])).length).toBeGreaterThan(0);
    // The starter is a configuration that a service runs with.
    await using service = await startIn(cwd, { args: ['serve'] });
    expect(await service.command('cmd=size')).toBe(0);
  });

  test('talk to a service, import, export, back it up, verify, restore and stop it', async () => {
    const cwd = folderWith('subcommands', { 'rows.csv': 'id,name\n1,Oslo\n2,"Turku, Åbo"\n' });
    await using service = await startIn(cwd, { args: ['serve'] });
    expect(JSON.parse(await svc(cwd, ['status']))).toMatchObject({ state: 'ready', process: service.pid });
    expect(await svc(cwd, ['put', 'key=a', 'val=b'])).toBe('true\n');
    await svc(cwd, ['sql', '-c', 'CREATE TABLE city (id INT PRIMARY KEY, name VARCHAR)']);
    await svc(cwd, ['import', 'rows.csv', '--table', 'city']);
    const statement = 'SELECT id, name FROM city ORDER BY id;';
    expect(await svc(cwd, ['sql', '--csv'], statement)).toBe('ID,NAME\r\n1,Oslo\r\n2,"Turku, Åbo"\r\n');
    expect(await svc(cwd, ['export', '--table', 'city', 'out.ndjson'])).toBeString();
    expect(readFileSync(join(cwd, 'out.ndjson'), 'utf8')).toContain('"NAME":"Oslo"');
    // A process of the executable copies the pages.
    expect(JSON.parse(await svc(cwd, ['backup', '--to', 'a.svcbackup']))).toMatchObject({ regions: ['default'] });
    expect(JSON.parse(await svc(cwd, ['verify', 'a.svcbackup']))).toMatchObject({ sound: true });
    await svc(cwd, ['restore', 'a.svcbackup', '--to', 'restored']);
    expect(await svc(cwd, ['doctor'])).not.toContain('failed');
    expect(await svc(cwd, ['completion', 'bash'])).toContain('svc');
    // Ends with its input, which is empty.
    expect(await svc(cwd, ['mcp'])).toBe('');
    expect(await svc(cwd, ['stop'])).toContain(`stopped process ${service.pid}`);
    await using restored = await startIn(cwd, { args: ['serve', '--data-dir', 'restored'] });
    expect(await restored.command('cmd=get&key=a')).toBe('b');
  }, 60_000);

  test('serves the page at /, the OpenAPI document and the console', async () => {
    const cwd = folderWith('pages', {});
    await using service = await startIn(cwd);
    const page = await fetch(`${service.origin}/`, { headers: { Accept: 'text/html' } });
    expect(await page.text()).toContain('It is ready');
    expect(await (await fetch(`${service.origin}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' });
    // Leads to the console.
    const console = await (await fetch(`${service.origin}/docs`)).text();
    for (const [, path = ''] of console.matchAll(/(?:href|src)="(console\/[^"]+)"/g)) {
      const file = await fetch(`${service.origin}/${path}`);
      expect([file.status, (await file.bytes()).length > 50]).toEqual([200, true]);
    }
    expect(console).toMatch(/console\/page-\w+\.js/);
  });
});

const TEXTS: ReadonlyArray<readonly [flag: string, code: number, text: RegExp]> = [
  ['--version', 0, /^\d+\.\d+\.\d+\n$/],
  ['--help', 0, /svc help --all lists all commands and options/],
  ['--http-prt', 2, /--http-prt: unknown, did you mean --http-port/],
  ['--workers=many', 2, /--workers/],
];

for (const [flag, code, text] of TEXTS) {
  test(`${flag} prints a text and exits with ${code}`, () => {
    const run = Bun.spawnSync({ cmd: [executable, flag], cwd: folder, stdout: 'pipe', stderr: 'pipe' });
    expect([run.exitCode, `${run.stdout}${run.stderr}`]).toEqual([code, expect.stringMatching(text)]);
  });
}

test('the build rejects an unknown platform', () => {
  const run = Bun.spawnSync([process.execPath, build, '--target', 'bun-plan9'], { cwd: root });
  expect([run.exitCode, run.stderr.toString()]).toEqual([2, expect.stringContaining('bun-linux-arm64')]);
});
