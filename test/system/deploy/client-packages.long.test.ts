/** The packages of the clients as users get them: built, verified, installed in empty environments, and used. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { endOf, outputOf } from '../../ended-program.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(600_000);

const root = join(import.meta.dir, '../../..');
const folder = newFolder();
const dist = join(folder, 'dist');
const client = `svc-grid-client-${product.version}.tgz`;
const wheel = `svc_grid-${product.version}-py3-none-any.whl`;
const go = `svc-go-${product.version}.tgz`;
let service: ServiceProcess;

beforeAll(async () => {
  const parts = ['client', 'python', 'go'].flatMap((part) => ['--only', part]);
  await outputOf([process.execPath, join(root, 'scripts/build-release.ts'), '--folder', dist, ...parts], { cwd: root });
  service = await startService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates an empty folder with files. */
function emptyProject(name: string, files: Readonly<Record<string, string>>): string {
  const project = join(folder, name);
  mkdirSync(project);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  return project;
}

test('the TypeScript client is small, has no dependencies, and runs in Node', async () => {
  expect(statSync(join(dist, client)).size).toBeLessThan(300_000);
  const project = emptyProject('npm', {
    'package.json': '{"name":"project","private":true,"type":"module"}',
    'use.mjs': `import { SvcClient } from '@svc-grid/client';
      const svc = new SvcClient({ url: process.argv[2] });
      await svc.put({ key: 'npm', val: 'yes' });
      console.log(await svc.get({ key: 'npm' }));\n`,
    'check.ts': `import { SvcClient } from '@svc-grid/client';
      export const version: Promise<string> = new SvcClient({ url: 'http://localhost/svc' }).version();\n`,
  });
  const npm = ['npm', 'install', '--silent', '--offline', '--no-audit', '--no-fund'];
  await outputOf([...npm, join(dist, client)], { cwd: project });
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@svc-grid']);
  expect(await outputOf(['node', 'use.mjs', service.url], { cwd: project })).toBe('yes\n');
  const tsc = [
    join(root, 'node_modules/.bin/tsc'),
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ];
  await outputOf([...tsc, '--types', '', 'check.ts'], { cwd: project });
});

test('npm pack in clients/typescript packs the same, and leaves nothing behind', async () => {
  const source = join(root, 'clients/typescript');
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  await outputOf(['npm', 'pack', '--silent', '--pack-destination', packed], { cwd: source });
  expect(readdirSync(packed)).toEqual([client]);
  const contents = (at: string) => outputOf(['tar', '-tzf', join(at, client)], { cwd: folder });
  const names = (await contents(packed)).trim().split('\n');
  expect(await contents(dist)).toBe(await contents(packed));
  for (const name of ['LICENSE', 'README.md', 'client.js', 'package.json', 'types/client/client.d.ts'])
    expect(names).toContain(`package/${name}`);
  expect(readdirSync(source)).toEqual(['package.json']);
});

test('the wheel is installed in an empty environment', async () => {
  const project = emptyProject('pip', {
    'use.py': `import sys
from svc_grid import SvcClient
with SvcClient(sys.argv[1]) as svc:
    svc.put("pip", "yes")
    print(svc.get("pip"))\n`,
  });
  await outputOf(['python3', '-m', 'venv', 'empty'], { cwd: project });
  const python = join(project, 'empty/bin/python');
  await outputOf([python, '-m', 'pip', 'install', '--quiet', join(dist, wheel)], { cwd: project });
  expect(await outputOf([python, 'use.py', service.url], { cwd: project })).toBe('yes\n');
});

test('the path of the Go module resolves', async () => {
  const project = emptyProject('go', {
    'main.go': `package main

import (
	"context"
	"fmt"
	"os"

	svc "github.com/svc-grid/svc-go"
)

func main() {
	client := svc.New(svc.Options{URL: os.Args[1]})
	version, err := client.Version(context.Background(), svc.VersionParameters{})
	if err != nil {
		panic(err)
	}
	fmt.Println(version)
}\n`,
  });
  const proxy = emptyProject('proxy', {});
  await outputOf(['tar', '-xzf', join(dist, go), '-C', proxy], { cwd: folder });
  const env = {
    ...process.env,
    GOPROXY: `file://${proxy}/go`,
    GONOSUMDB: '*',
    GOFLAGS: '-modcacherw',
    GOMODCACHE: join(folder, 'modules'),
  };
  await outputOf(['go', 'mod', 'init', 'project'], { cwd: project, env });
  await outputOf(['go', 'get', `github.com/svc-grid/svc-go@v${product.version}`], { cwd: project, env });
  const tests = 'github.com/svc-grid/svc-go/svctest';
  expect(await outputOf(['go', 'list', tests], { cwd: project, env })).toBe(`${tests}\n`);
  expect(await outputOf(['go', 'run', '.', service.url], { cwd: project, env })).toBe(`${product.version}\n`);
});

describe('the statement of what was built', () => {
  const verify = (...args: readonly string[]) =>
    endOf([process.execPath, join(root, 'scripts/verify-release.ts'), dist, ...args], { cwd: root });

  test('names the files and the commit', async () => {
    const [name = ''] = readdirSync(dist).filter((each) => each.endsWith('.intoto.jsonl'));
    const { payload }: { payload: string } = JSON.parse(readFileSync(join(dist, name), 'utf8'));
    const statement = JSON.parse(Buffer.from(payload, 'base64').toString());
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: { buildDefinition: { externalParameters: { parts: ['client', 'python', 'go'] } } },
    });
    const subjects = statement.subject.map((each: { readonly name: string }) => each.name);
    expect(subjects.sort()).toEqual([client, wheel, go, `svc-${product.version}.cdx.json`].sort());
  });

  test('is verified with the key of the release, and with no other', async () => {
    expect(await verify()).toMatchObject({ exitCode: 0, errors: '' });
    const other = Bun.spawnSync(['openssl', 'genpkey', '-algorithm', 'ed25519'], { cwd: folder }).stdout;
    writeFileSync(join(folder, 'other.pem'), other);
    await outputOf(['openssl', 'pkey', '-in', 'other.pem', '-pubout', '-out', 'other.pub'], { cwd: folder });
    const wrongKey = await verify('--key', join(folder, 'other.pub'));
    expect([wrongKey.exitCode, wrongKey.errors]).toEqual([1, 'the statement is not signed with this key\n']);
    appendFileSync(join(dist, wheel), 'x');
    const changed = await verify();
    expect([changed.exitCode, changed.errors]).toEqual([1, `${wheel} is not the file that was built\n`]);
  });
});
