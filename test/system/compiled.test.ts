/** The single-file executable: built, put into an empty folder with a configuration file, started there. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, startService } from './service-process.ts';

const root = join(import.meta.dir, '../..');
const folder = newFolder();
const executable = join(folder, 'bin', 'svc');

const FILES: Readonly<Record<string, string>> = {
  'svc.config.ts': `
    import { defineConfig, type SvcConfiguration } from 'svc';
    import { Point } from './point.ts';
    const caches: SvcConfiguration['caches'] = [{ name: 'points', backups: 1 }];
    export default defineConfig({ dataDir: './own-data', classes: { Point }, caches, tasks: { count: './count-task.ts' } });
  `,
  'point.ts': "export class Point { static readonly fields = { x: 'int', y: 'int' } as const; }",
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
  const build = Bun.spawnSync({
    cmd: [join(root, 'node_modules/.bin/bun'), join(root, 'scripts/build.ts'), '--outfile', executable],
    stdout: 'pipe',
    stderr: 'pipe',
  });
  if (build.exitCode !== 0) throw new Error(`${build.stdout}${build.stderr}`);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function emptyFolder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  cpSync(executable, join(path, 'svc'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), content);
  }
  return path;
}

for (const workers of ['1', '2']) {
  test(`starts in a folder with a configuration file and answers, workers=${workers}`, async () => {
    const cwd = emptyFolder(`configured-${workers}`, FILES);
    await using service = await startService({
      program: [join(cwd, 'svc')],
      cwd,
      env: { SVC_WORKERS: workers, SVC_DATA_DIR: '' },
    });
    expect(await service.command('cmd=version')).toMatch(/^\d+\.\d+\.\d+/);
    expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
    expect(await service.command('cmd=get&key=a')).toBe('1');
    const point = encodeURIComponent('{"x":"7","extra":1}');
    await service.command(`cmd=put&cacheName=points&key=p&val=${point}&valueType=Point`);
    expect(await service.command('cmd=get&cacheName=points&key=p')).toEqual({ x: 7, y: 0 });
    expect(await service.command('cmd=exe&name=count&p1=one+two+three')).toMatchObject({ result: 3 });
    expect(readdirSync(cwd)).toContain('own-data');
  }, 30_000);
}

test('starts in an empty folder', async () => {
  const cwd = emptyFolder('empty', {});
  await using service = await startService({ program: [join(cwd, 'svc')], cwd, env: { SVC_DATA_DIR: '' } });
  expect(await service.command('cmd=size')).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(['data', 'svc']);
}, 30_000);

const TEXTS: ReadonlyArray<readonly [flag: string, code: number, text: RegExp]> = [
  ['--version', 0, /^\d+\.\d+\.\d+\n$/],
  ['--help', 0, /--http-port, SVC_HTTP_PORT/],
  ['--http-prt', 1, /--http-prt: unknown, did you mean --http-port/],
];

for (const [flag, code, text] of TEXTS) {
  test(`${flag} prints and ends with ${code}`, () => {
    const run = Bun.spawnSync({ cmd: [executable, flag], cwd: folder, stdout: 'pipe', stderr: 'pipe' });
    expect([run.exitCode, `${run.stdout}${run.stderr}`]).toEqual([code, expect.stringMatching(text)]);
  });
}
