/**
 * The script that npm links as `svc`, in the layouts of package managers, with a program that reports how it was run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dir, '../../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc launcher-')));
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM = `
const [word, ...rest] = process.argv.slice(2);
if (word === 'wait') setInterval(() => {}, 1_000);
console.log(JSON.stringify({ pid: process.pid, rest, root: process.env.root, file: import.meta.path }));
if (word === 'fail') process.exit(7);
`;
/** The placeholder for the runtime in Bun's package until its install script has run. */
const PLACEHOLDER = `echo "Error: Bun's postinstall script was not run." >&2\nexit 1\n`;

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(relative(dirname(path), target), path);
}

/** Lays out the package in a folder `node_modules`. */
function writePackage(packages: string): string {
  const own = join(packages, '@svc-grid/svc');
  write(join(own, 'dist/service/main.js'), PROGRAM);
  mkdirSync(join(own, 'scripts'), { recursive: true });
  for (const name of ['svc', 'svc.cjs', 'runtime.cjs'])
    copyFileSync(join(root, 'scripts', name), join(own, 'scripts', name));
  return own;
}

/** Lays out the runtime in a folder `node_modules`: in the state after its install script, or before. */
function writeRuntime(packages: string, isInstalled: boolean): void {
  write(join(packages, 'bun/package.json'), '{"name":"bun"}');
  const runtime = isInstalled ? join(packages, 'bun/bin/bun.exe') : join(packages, '@oven/bun-this/bin/bun');
  mkdirSync(dirname(runtime), { recursive: true });
  symlinkSync(process.execPath, runtime);
  if (isInstalled) return;
  write(join(packages, 'bun/bin/bun.exe'), PLACEHOLDER, 0o755);
  write(join(packages, '@oven/bun-other/bin/bun'), '\u007fELF of another C library', 0o755);
}

/** How the command is called, and the program that it must run, in a project of each package manager. */
interface Layout {
  readonly command: string;
  readonly program: string;
}

function npmLayout(name: string, isInstalled: boolean): Layout {
  const packages = join(folder, name, 'node_modules');
  const own = writePackage(packages);
  writeRuntime(packages, isInstalled);
  const command = join(packages, '.bin/svc');
  link(command, join(own, 'scripts/svc'));
  return { command, program: join(own, 'dist/service/main.js') };
}

/** pnpm calls the script by a path that leads through a link, and has the runtime in a separate folder. */
function pnpmLayout(): Layout {
  const packages = join(folder, 'pnpm/node_modules');
  const own = writePackage(join(packages, '.pnpm/svc@1/node_modules'));
  writeRuntime(join(packages, '.pnpm/bun@1/node_modules'), false);
  link(join(packages, '.pnpm/svc@1/node_modules/bun'), join(packages, '.pnpm/bun@1/node_modules/bun'));
  link(join(packages, '@svc-grid/svc'), own);
  const command = join(packages, '.bin/svc');
  write(
    command,
    '#!/bin/sh\nbasedir=$(dirname "$0")\nexec /bin/sh "$basedir/../@svc-grid/svc/scripts/svc" "$@"\n',
    0o755,
  );
  return { command, program: join(own, 'dist/service/main.js') };
}

async function run(command: readonly string[], cwd = folder, env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, pid: child.pid, output, errors };
}

describe('svc, as installed by', () => {
  const layouts: Record<string, Layout> = {};
  beforeAll(() => {
    layouts.npm = npmLayout('npm', true);
    layouts['npm without install scripts'] = npmLayout('npm blocked', false);
    layouts.pnpm = pnpmLayout();
    const global = npmLayout('global/lib', true);
    const command = join(folder, 'global/bin/svc');
    link(command, join(dirname(global.command), '../@svc-grid/svc/scripts/svc'));
    layouts['npm for all projects'] = { ...global, command };
    // As with `npm link`, the folder of the package is also a link.
    const linked = join(folder, 'linked/lib/node_modules/@svc-grid/svc');
    link(linked, join(dirname(layouts.npm.command), '../@svc-grid/svc'));
    link(join(folder, 'linked/bin/svc'), join(linked, 'scripts/svc'));
    layouts['npm link'] = { ...layouts.npm, command: join(folder, 'linked/bin/svc') };
  });

  for (const name of ['npm', 'npm without install scripts', 'pnpm', 'npm for all projects', 'npm link']) {
    test(`${name}: replaces itself by the program, with the arguments as they are`, async () => {
      const { command = '', program } = layouts[name] ?? {};
      const words = ['get', 'a b', '*', '', "it's", '--x=1'];
      const { exitCode, pid, output, errors } = await run([command, ...words], folder, { root: 'mine', CDPATH: '/' });
      expect([exitCode, errors]).toEqual([0, '']);
      expect(JSON.parse(output)).toEqual({ pid, rest: words.slice(1), root: 'mine', file: program });
    });
  }

  test('npm: found by PATH, by a relative path, and by a shell that reads it', async () => {
    const bin = dirname(layouts.npm?.command ?? '');
    const calls: ReadonlyArray<readonly [readonly string[], string]> = [
      [['/bin/sh', '-c', 'PATH=.:$PATH svc fail'], bin],
      [['/bin/sh', '-c', './svc fail'], bin],
      [['/bin/sh', 'svc', 'fail'], bin],
      [['/bin/sh', '-c', '.bin/svc fail'], dirname(bin)],
    ];
    for (const [command, cwd] of calls) expect((await run(command, cwd)).exitCode).toBe(7);
  });

  test('npm: a signal reaches the program, and the caller sees that it ended by it', async () => {
    const child = Bun.spawn([layouts.npm?.command ?? '', 'wait'], { stdout: 'pipe' });
    for await (const _ of child.stdout) break;
    child.kill('SIGTERM');
    await child.exited;
    expect(child.signalCode).toBe('SIGTERM');
  });

  for (const name of ['npm', 'npm without install scripts', 'pnpm', 'npm link']) {
    test(`${name}: through Node, as Windows starts it`, async () => {
      const { program = '' } = layouts[name] ?? {};
      const script = join(dirname(program), '../../scripts/svc.cjs');
      const { exitCode, output, errors } = await run(['node', script, 'fail', 'a b']);
      expect([exitCode, errors]).toEqual([7, '']);
      expect(JSON.parse(output)).toMatchObject({ rest: ['a b'], file: program });
    });
  }

  test('npm without the runtime: says what to do', async () => {
    const packages = join(folder, 'npm bare/node_modules');
    const scripts = join(writePackage(packages), 'scripts');
    const calls = [[join(scripts, 'svc')], ['node', join(scripts, 'svc.cjs')]];
    const message = 'svc: The Bun runtime is not installed: run npm install again, with optional dependencies\n';
    for (const call of calls) expect(await run(call)).toMatchObject({ exitCode: 1, output: '', errors: message });
    write(join(packages, 'bun/package.json'), '{"name":"bun"}');
    write(join(packages, 'bun/bin/bun.exe'), PLACEHOLDER, 0o755);
    for (const call of calls) expect(await run(call)).toMatchObject({ exitCode: 1, output: '', errors: message });
  });
});
