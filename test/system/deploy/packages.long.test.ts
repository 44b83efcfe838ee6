/** The npm package as users get it: packed, installed in an empty folder, checked, started. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { bundledPackages } from '../../../scripts/bundled-packages.ts';
import { blocksOf } from '../../documentation/shell.ts';
import { endOf, outputOf } from '../../ended-program.ts';
import { newFolder, startService } from '../service-process.ts';
import { until } from '../until.ts';

setDefaultTimeout(300_000);

const root = join(import.meta.dir, '../../..');
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packed package. */
function tarball(): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

async function install(project: string, ...packages: readonly string[]): Promise<void> {
  await outputOf(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
    cwd: project,
  });
}

describe('the npm package, installed in an empty folder', () => {
  const project = join(folder, 'project');

  beforeAll(async () => {
    mkdirSync(project);
    await outputOf(['npm', 'pack', '--silent', '--pack-destination', folder], { cwd: root });
    writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
    await install(project, tarball());
  }, 300_000);

  test('has the command svc', async () => {
    expect(await outputOf(['npx', '--no-install', 'svc', 'version'], { cwd: project })).toBe(`${product.version}\n`);
    expect(await outputOf(['npx', '--no-install', 'svc-node', 'version'], { cwd: project })).toBe(
      `${product.version}\n`,
    );
  });

  test('runs where install scripts are blocked, as a command and inside programs on Node', async () => {
    const blocked = join(folder, 'install scripts blocked');
    mkdirSync(blocked);
    writeFileSync(join(blocked, 'package.json'), '{"name":"blocked","private":true,"type":"module"}');
    await install(blocked, '--ignore-scripts', tarball());
    expect(await outputOf(['npx', '--no-install', 'svc', 'version'], { cwd: blocked })).toBe(`${product.version}\n`);
    writeFileSync(
      join(blocked, 'start.mjs'),
      `import { start, SvcClient } from '${product.name}';
      const service = await start();
      console.log(await new SvcClient({ url: service.url }).version());
      await service.stop();\n`,
    );
    expect(await outputOf(['node', 'start.mjs'], { cwd: blocked })).toBe(`${product.version}\n`);
  });

  test('contains neither tests nor what is not needed at run time', () => {
    const installed = readdirSync(join(project, 'node_modules', product.name), { recursive: true }).map(String);
    expect(installed.filter((path) => /\.test\.ts$/.test(path))).toEqual([]);
    const top = readdirSync(join(project, 'node_modules', product.name)).sort();
    expect(top).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'scripts', 'types']);
  });

  test('contains parts of no other packages than the SBOM lists', async () => {
    const listed = new Set((await bundledPackages()).map(({ name }) => name));
    const dist = join(project, 'node_modules', product.name, 'dist/service');
    const maps = readdirSync(dist).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name): string[] => JSON.parse(readFileSync(join(dist, name), 'utf8')).sources);
    const bundled = new Set(sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    expect([...bundled].filter((name) => !listed.has(name))).toEqual([]);
    expect([...bundled]).toContain('@modelcontextprotocol/sdk');
  });

  test('names no file of the machine that built it', () => {
    const dist = join(project, 'node_modules', product.name, 'dist/service');
    const programs = readdirSync(dist).filter((name) => name.endsWith('.js'));
    expect(programs.filter((name) => readFileSync(join(dist, name), 'utf8').includes(root))).toEqual([]);
    expect(programs).toContain('statement-process.js');
  });

  test('installs the runtime and nothing else', () => {
    const installed = readdirSync(join(project, 'node_modules'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    expect(installed.sort()).toEqual(['@oven', '@svc-grid', 'bun']);
  });

  test('starts a service, which its configuration file configures', async () => {
    writeFileSync(
      join(project, 'svc.config.ts'),
      `import { defineConfig } from '${product.name}';\nexport default defineConfig({ name: 'grid' });\n`,
    );
    const program = [join(project, 'node_modules/.bin/svc')];
    await using service = await startService({ program, cwd: project, env: { SVC_WORKERS: '2' } });
    const answer = await fetch(`${service.origin}/grid?cmd=put&key=a&val=1`);
    expect(await answer.json()).toMatchObject({ successStatus: 0, response: true });
    // On a separate thread.
    const scan = await fetch(`${service.origin}/grid?cmd=qryscanexe&pageSize=10`);
    expect(await scan.json()).toMatchObject({ response: { items: [{ key: 'a', value: '1' }] } });
    // Files next to the bundle.
    const console = await (await fetch(`${service.origin}/docs`)).text();
    const [script = ''] = /console\/page-\w+\.js/.exec(console) ?? [];
    expect((await (await fetch(`${service.origin}/${script}`)).bytes()).length).toBeGreaterThan(50);
    expect(readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8')).not.toContain('interrupted by polling');
    expect(await service.stop()).toBe(0);
  });

  test('its client runs in Node, and its root starts services inside programs on Bun', async () => {
    const client = `import { SvcClient } from '${product.name}/client';`;
    writeFileSync(
      join(project, 'node.mjs'),
      `${client}\nconsole.log(await new SvcClient({ url: process.argv[2] }).version());\n`,
    );
    writeFileSync(
      join(project, 'embedding.ts'),
      `${client}\nimport { start } from '${product.name}';\nawait using service = await start({ args: ['--name', 'own'] });\n` +
        'const scan = await (await fetch(service.url + "?cmd=qryscanexe&pageSize=1")).json();\n' +
        'const version = await new SvcClient({ url: service.url }).version();\n' +
        'console.log(new URL(service.url).pathname, version, scan.response.last);\n',
    );
    await using service = await startService();
    expect(await outputOf(['node', 'node.mjs', service.url], { cwd: project })).toBe(`${product.version}\n`);
    expect(await outputOf([process.execPath, 'embedding.ts'], { cwd: project })).toBe(`/own ${product.version} true\n`);
  });

  test('its root in Node has the client and defineConfig, and starts services in processes on Bun', async () => {
    writeFileSync(
      join(project, 'root.mjs'),
      `import { Decimal, defineConfig, start, SvcClient } from '${product.name}';
      import * as client from '${product.name}/client';
      const service = await start({ args: ['--name', defineConfig({ name: 'own' }).name] });
      const svc = new SvcClient({ url: service.url });
      await svc.put({ key: 'a', val: new Decimal('1.25') });
      const same = SvcClient === client.SvcClient;
      console.log(new URL(service.url).pathname, String(await svc.get({ key: 'a' })), await svc.version(), same);
      await service.stop();
      await service.stop();
      console.log(await fetch(service.url).then(() => 'still running', () => 'stopped'));
      await start({ args: ['--nosuch'] }).catch(({ message }) => console.log(message));\n`,
    );
    const { output, errors } = await endOf(['node', 'root.mjs'], { cwd: project });
    expect(errors).toBe('');
    expect(output).toBe(`/own 1.25 ${product.version} true\nstopped\n--nosuch: unknown, see svc help serve\n`);
  });

  test('a service that a program on Node has started ends with the program and leaves no data', async () => {
    writeFileSync(
      join(project, 'killed.mjs'),
      `import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
      import { start } from '${product.name}';
      const service = await start();
      const child = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
      const files = readdirSync('/proc/' + child + '/fd').map((fd) => readlinkSync('/proc/' + child + '/fd/' + fd));
      console.log(service.url, files.find((path) => path.endsWith('/svc.db')));
      process.kill(process.pid, 'SIGKILL');\n`,
    );
    const [url = '', database = ''] = (await endOf(['node', 'killed.mjs'], { cwd: project })).output.trim().split(' ');
    await until('no service and no data', async () => {
      const isServing = await fetch(url).then(
        () => true,
        () => false,
      );
      return !isServing && !existsSync(dirname(database));
    });
    expect(database).toContain('/svc.db');
  });

  test('the example of docs/client.md for vitest passes on Node', async () => {
    const tests = join(folder, 'vitest');
    mkdirSync(tests);
    writeFileSync(join(tests, 'package.json'), '{"name":"tests","private":true,"type":"module"}');
    await install(tests, tarball(), 'vitest@3.2.7');
    const example = blocksOf(readFileSync(join(root, 'docs/client.md'), 'utf8')).find(({ text }) =>
      /'vitest'/.test(text),
    );
    writeFileSync(join(tests, 'example.test.ts'), example?.text ?? '');
    for (const pool of ['forks', 'threads']) {
      const output = await outputOf(['npx', '--no-install', 'vitest', 'run', '--pool', pool], { cwd: tests });
      expect(Bun.stripANSI(output)).toMatch(/Tests +1 passed \(1\)/);
    }
  });

  test('the example of docs/testing.md passes with vitest and Jest on Node', async () => {
    const tests = join(folder, 'runners');
    mkdirSync(tests);
    writeFileSync(join(tests, 'package.json'), '{"name":"tests","private":true,"type":"module"}');
    await install(tests, tarball(), 'vitest@3.2.7', 'jest@30.5.2');
    const example = blocksOf(readFileSync(join(root, 'docs/testing.md'), 'utf8')).find(({ text }) =>
      /'bun:test'/.test(text),
    );
    const text = example?.text ?? '';
    writeFileSync(join(tests, 'vitest.test.ts'), text.replace("'bun:test'", "'vitest'"));
    const untyped = text.replace(', type TestService', '').replace(': TestService', '');
    writeFileSync(join(tests, 'jest.test.mjs'), untyped.replace("'bun:test'", "'@jest/globals'"));
    const vitest = await outputOf(['npx', '--no-install', 'vitest', 'run', 'vitest.test.ts'], { cwd: tests });
    expect(Bun.stripANSI(vitest)).toMatch(/Tests +2 passed \(2\)/);
    const jest = await endOf(['npx', '--no-install', 'jest', '--testMatch', '**/jest.test.mjs'], {
      cwd: tests,
      env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' },
    });
    expect([jest.exitCode, Bun.stripANSI(jest.errors)]).toEqual([0, expect.stringMatching(/Tests: +2 passed/)]);
  });

  /** Programs, and the errors that the compiler must report, by line. */
  const programs: ReadonlyArray<readonly [title: string, lines: readonly string[], errors: readonly string[]]> = [
    [
      'accepts a configuration',
      [
        `import { defineConfig, type SvcConfiguration, type TaskFunction } from '${product.name}';`,
        "const caches: SvcConfiguration['caches'] = [{ name: 'orders', backups: 1 }];",
        'export const length: TaskFunction = (argument) => String(argument).length;',
        "export default defineConfig({ name: 'grid', caches, tasks: { length } });",
      ],
      [],
    ],
    [
      'accepts a program with the client',
      [
        `import { type Json, SvcClient } from '${product.name}/client';`,
        "const svc = new SvcClient({ url: 'http://localhost:8080/svc' });",
        'export const size = async (): Promise<bigint> => svc.size();',
        "export const get = async (): Promise<Json> => svc.get({ key: 'a' });",
      ],
      [],
    ],
    [
      'rejects a wrong one',
      [
        `import { defineConfig } from '${product.name}';`,
        "export default defineConfig({ workers: 'many' });",
        'export const other = defineConfig({ nosuch: 1 });',
      ],
      ['program.ts(2', 'program.ts(3'],
    ],
  ];
  for (const [title, lines, errors] of programs) {
    for (const module of ['nodenext', 'preserve']) {
      test(`its types: tsc --module ${module} ${title}`, async () => {
        writeFileSync(join(project, 'program.ts'), `${lines.join('\n')}\n`);
        const tsc = join(root, 'node_modules/.bin/tsc');
        // Without skipLibCheck: the declarations themselves have no errors, even for an older target.
        const args = ['--noEmit', '--strict', '--target', 'es2022', '--module', module, '--types', '', 'program.ts'];
        const { output } = await endOf([tsc, ...args], { cwd: project });
        const found = output.split('\n').filter((line) => line.includes('error TS'));
        expect(found.map((line) => line.slice(0, line.indexOf(',')))).toEqual([...errors]);
      });
    }
  }
});

describe('npm start', () => {
  const program = join(root, 'scripts/program.mjs');

  test('runs a bundle of the sources, which it builds once', async () => {
    const path = await outputOf(['node', program], { cwd: root });
    expect(path).toBe(join(root, 'dist/program/main.js'));
    const { output, errors } = await endOf(['node', program], { cwd: root });
    expect([output, errors]).toEqual([path, '']);
    await using service = await startService({ program: [process.execPath, path], env: { SVC_WORKERS: '2' } });
    expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
    const scan = await service.command('cmd=qryscanexe&pageSize=10');
    expect(scan).toMatchObject({ items: [{ key: 'a', value: '1' }] });
    expect(readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8')).not.toContain('interrupted by polling');
  });

  test('runs the sources where nothing can be built', async () => {
    const copy = join(folder, 'copy');
    mkdirSync(join(copy, 'scripts'), { recursive: true });
    copyFileSync(program, join(copy, 'scripts/program.mjs'));
    const { output, errors } = await endOf(['node', join(copy, 'scripts/program.mjs')], { cwd: copy });
    expect(output).toBe(join(copy, 'src/main.ts'));
    expect(errors).toContain('running the sources: the program could not be built');
  });
});
