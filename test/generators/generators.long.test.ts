/**
 * Generators create clients from the OpenAPI document; these compile, and read and write entries and rows: README.md.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../src/commands/registry.ts';
import { outputOf } from '../ended-program.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';

// Installing a generator and compiling its client take minutes on a machine that is busy with other tests.
setDefaultTimeout(900_000);
const own = import.meta.dir;
const build = join(own, '../../build/generators');
const NODE_PACKAGES = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.0'];
const PYTHON_PACKAGES = ['openapi-python-client==0.29.1'];

let service: ServiceProcess;
let document: string;

beforeAll(async () => {
  mkdirSync(build, { recursive: true });
  service = await startService();
  document = join(build, 'openapi.json');
  const create = encodeURIComponent('CREATE TABLE city (id BIGINT PRIMARY KEY, name VARCHAR)');
  await service.command(`cmd=qryfldexe&pageSize=1&qry=${create}`);
  await Bun.write(document, await fetch(`${service.origin}/openapi.json?tables=true`));
});
afterAll(() => service.stop());

function run(cwd: string, ...command: readonly string[]): Promise<string> {
  return outputOf(command, { cwd });
}

/** Defines a test that is skipped, with a line that says why, where its program is missing. In CI it fails. */
function testWith(program: string, title: string, generate: () => Promise<void>): void {
  if (Bun.which(program) !== null || process.env.SVC_TEST_CI === 'true') test(title, generate);
  else test.skip(`${title} (skipped: ${program} is not on the PATH)`, () => {});
}

testWith('npm', 'openapi-typescript with openapi-fetch', async () => {
  const folder = join(build, 'typescript');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'node_modules/openapi-fetch'))) {
    await run(folder, 'npm', 'install', '--silent', '--no-save', '--prefix', '.', ...NODE_PACKAGES);
  }
  cpSync(join(own, 'client.mts'), join(folder, 'client.mts'));
  await run(folder, 'node', 'node_modules/openapi-typescript/bin/cli.js', document, '-o', 'svc.d.ts');
  const strict = [
    '--strict',
    '--skipLibCheck',
    '--types',
    'node',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
  ];
  const output = ['--outDir', 'out', '--rewriteRelativeImportExtensions'];
  await run(folder, 'node', 'node_modules/typescript/bin/tsc', ...strict, ...output, 'client.mts');
  expect(await run(folder, 'node', 'out/client.mjs', service.origin)).toBe('done\n');
});

testWith('python3', 'openapi-python-client', async () => {
  const folder = join(build, 'python');
  const python = join(folder, 'bin/python');
  const generator = join(folder, 'bin/openapi-python-client');
  if (!existsSync(generator)) {
    await run(build, 'python3', '-m', 'venv', folder);
    await run(build, python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON_PACKAGES);
  }
  const client = join(folder, 'client');
  rmSync(client, { recursive: true, force: true });
  mkdirSync(client);
  const output = ['--output-path', join(client, 'svc_client'), '--meta', 'none'];
  await run(client, generator, 'generate', '--path', document, ...output);
  const methods = [...new Bun.Glob('*/[a-z]*.py').scanSync(join(client, 'svc_client/api'))];
  const names = new Set(methods.map((path) => path.replace(/^.*\/|_?\.py$/g, '')));
  expect(COMMANDS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  cpSync(join(own, 'client.py'), join(client, 'client.py'));
  await run(client, python, '-m', 'compileall', '-q', 'svc_client');
  expect(await run(client, python, 'client.py', service.origin)).toBe('done\n');
});

testWith('mvn', 'openapi-generator for Java', async () => {
  const folder = join(build, 'java');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(own, 'java'), folder, { recursive: true });
  const main = ['-Dexec.mainClass=Main', `-Dexec.args=${service.origin}`];
  const goals = ['compile', 'org.codehaus.mojo:exec-maven-plugin:3.1.0:java'];
  const output = await run(folder, 'mvn', '-q', '-B', `-Dopenapi.document=${document}`, ...main, ...goals);
  expect(output).toContain('\ndone\n');
});
