/** The tests of clients/python against running services, and its package. Part of `npm run test:long`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { outputOf } from '../ended-program.ts';
import { type ClientServices, startClientServices } from './own-clients.ts';

setDefaultTimeout(280_000);
const PACKAGES = ['httpx==0.28.1', 'pytest==9.2.0', 'mypy==2.4.1', 'hatchling==1.33.0', 'build==1.6.1'];
const folder = join(import.meta.dir, '../../clients/python');
const build = join(import.meta.dir, '../../build/clients/python-client');
const python = join(build, 'bin/python');
const missing = Bun.which('python3') === null && process.env.SVC_TEST_CI !== 'true';
let services: ClientServices | undefined;

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return outputOf(command, { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env } });
}

beforeAll(async () => {
  if (missing) return;
  if (!existsSync(join(build, 'bin/mypy'))) {
    mkdirSync(build, { recursive: true });
    await run(['python3', '-m', 'venv', build]);
    await run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  }
  services = await startClientServices();
});
afterAll(() => services?.[Symbol.asyncDispose]());

function testWithPython(title: string, body: () => Promise<void>): void {
  test.skipIf(missing)(`${title}${missing ? ' (skipped: python3 is not on the PATH)' : ''}`, body);
}

testWithPython('the Python client passes its tests', async () => {
  const env = { ...services?.env, PYTHONPATH: join(folder, 'src') };
  expect(await run([python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], env)).toContain(' passed');
});

testWithPython('its types are complete', async () => {
  await run([python, '-m', 'mypy', '--cache-dir', join(build, 'mypy')]);
});

testWithPython('its sdist and its wheel have the version of the service, and the wheel can be installed', async () => {
  const dist = join(build, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await run([python, '-m', 'build', '--no-isolation', '--outdir', dist]);
  const files = [...new Bun.Glob('*').scanSync(dist)].sort();
  expect(files).toEqual([`svc_grid-${version}-py3-none-any.whl`, `svc_grid-${version}.tar.gz`]);
  const target = join(build, 'installed');
  rmSync(target, { recursive: true, force: true });
  const wheel = join(dist, files[0] ?? '');
  await run([python, '-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', target, wheel]);
  expect(existsSync(join(target, 'svc_grid/py.typed'))).toBe(true);
  const program = 'import svc_grid; print(svc_grid.__version__, svc_grid.SvcClient.put.__name__)';
  expect(await run([python, '-c', program], { PYTHONPATH: target })).toBe(`${version} put\n`);
});
