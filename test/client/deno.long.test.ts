/** The suite of the TypeScript client in Deno, which npm installs into `build/deno`. Part of `npm run test:long`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../ended-program.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';
import { bundle } from './bundle.ts';
import { CASES } from './suite.ts';

setDefaultTimeout(280_000);
const VERSION = '2.9.6';
const PASSWORD = 'client-password';
const folder = join(import.meta.dir, '../../build/deno');
const deno = join(folder, 'node_modules/deno/bin.cjs');
const missing = Bun.which('npm') === null && process.env.SVC_TEST_CI !== 'true';
const services: ServiceProcess[] = [];
const work = newFolder();

function run(cwd: string, ...command: string[]): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', DENO_DIR: join(work, 'cache'), DENO_NO_UPDATE_CHECK: '1' };
  return outputOf(command, { cwd, env });
}

beforeAll(async () => {
  if (missing) return;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(deno))
    await run(folder, 'npm', 'install', '--silent', '--no-save', '--prefix', '.', `deno@${VERSION}`);
  services.push(await startService());
  services.push(await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } }));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing)(`all cases pass in Deno${missing ? ' (skipped: npm is not on the PATH)' : ''}`, async () => {
  const [open, closed] = services.map(({ url }) => url);
  const given = JSON.stringify({ open, closed, password: PASSWORD });
  const file = join(work, 'suite.mjs');
  writeFileSync(file, `${await bundle()}\nconsole.log(JSON.stringify(await runSuite(${given})));`);
  // The client needs the network and nothing else.
  const output = await run(work, 'node', deno, 'run', '--no-prompt', '--allow-net=127.0.0.1', file);
  expect(JSON.parse(output)).toEqual(Object.fromEntries(Object.keys(CASES).map((title) => [title, 'passed'])));
});
