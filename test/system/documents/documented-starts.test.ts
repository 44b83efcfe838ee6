/**
 * Starts the service as the documents do, with their variables and flags, loads the configuration files that they show,
 * and sends every request that they name within their sentences.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificate } from '../../certificates/certificates.ts';
import { blocksOf, shellCommands } from '../../documentation/shell.ts';
import { freePort } from '../../free-port.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';

const root = join(import.meta.dir, '../../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const folder = newFolder();
// Each case starts a service, which a busy machine delays.
setDefaultTimeout(120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A variable in front of a command. */
const ASSIGNMENT = /^([A-Z_]+)=(.*)$/s;

/** Names in documents that exist only elsewhere, with their replacements here. */
const REPLACEMENTS: ReadonlyArray<readonly [documented: string, here: string]> = [
  ['/etc/svc/admin-password', join(folder, 'admin-password')],
  ['/etc/svc/certificate.pem', join(folder, 'server.crt')],
  ['/etc/svc/key.pem', join(folder, 'server.key')],
  // No test sends requests to other machines.
  ['https://login.example/.well-known/jwks.json', join(folder, 'jwks.json')],
  ['svc.config.ts', join(folder, 'roles.config.ts')],
];

function withReplacements(text: string): string {
  return REPLACEMENTS.reduce((result, [documented, here]) => result.replaceAll(documented, here), text);
}

interface Start {
  readonly line: number;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Returns the commands of a document that start the service. */
function startsOf(path: string): Start[] {
  return blocksOf(textOf(path)).flatMap(({ language, text, line }) => {
    if (language !== 'sh') return [];
    return shellCommands(text).flatMap((words) => {
      const start = words.findIndex((word) => !ASSIGNMENT.test(word));
      if (words[start] !== 'npm' || words[start + 1] !== 'start') return [];
      const env = Object.fromEntries(
        words.slice(0, start).map((word) => withReplacements(word).split(/=(.*)/s).slice(0, 2)),
      );
      return [{ line, env, args: words.slice(start + 3).map(withReplacements) }];
    });
  });
}

beforeAll(() => {
  const { cert, key } = createCertificate('svc.example', { hosts: ['localhost', '127.0.0.1'] });
  writeFileSync(join(folder, 'server.crt'), cert);
  writeFileSync(join(folder, 'server.key'), key, { mode: 0o600 });
  mkdirSync(join(folder, 'backups'));
  writeFileSync(join(folder, 'admin-password'), 'admin-secret', { mode: 0o600 });
  writeFileSync(join(folder, 'jwks.json'), '{"keys":[]}');
  writeFileSync(
    join(folder, 'roles.config.ts'),
    'export default { permissions: { roles: { reader: { caches: { "*": "read" } } } } };',
  );
});

describe.each(['README.md', 'docs/operating.md', 'docs/proxies.md', 'docs/json-web-tokens.md'])('%s', (path) => {
  // Those in front of a cluster need its nodes: test/cluster starts them.
  const starts = startsOf(path).filter(({ env }) => env.SVC_ENGINE !== 'cluster');
  test('starts the service', () => expect(starts.length).toBeGreaterThan(0));
  test.each(starts)('line $line', async ({ env, args }) => {
    const tlsPort = freePort();
    await using service = await startService({
      env: { ...env, SVC_HTTP_TLS_PORT: String(tlsPort), SVC_HTTP_PLAIN: 'true' },
      args: ['serve', ...args],
    });
    const answer = fetch(`http://127.0.0.1:${service.port}/health/ready`);
    // This client is not a proxy, which would begin with the header.
    if (env.SVC_HTTP_PROXY_PROTOCOL === 'true') await expect(answer).rejects.toThrow();
    else expect((await answer).status).toBe(200);
  });
});

describe('configuration files in documents', () => {
  const files = ['docs/configuration.md', 'docs/operating.md', 'docs/cluster.md'].flatMap((path) =>
    blocksOf(textOf(path))
      .filter(({ language, text }) => language === 'ts' && text.includes('defineConfig('))
      .map(({ text, line }) => ({ place: `${path}:${line}`, text })),
  );
  test('there are some', () => expect(files.length).toBeGreaterThan(0));
  test.each(files)('$place is valid', async ({ text }) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'svc.config.ts'), text);
    const { exitCode, output, errors } = await runSvcProcess(['config', 'check'], { cwd });
    expect([exitCode, errors]).toEqual([0, '']);
    expect(output).toEndWith(': OK\n');
    rmSync(cwd, { recursive: true });
  });
});

describe('requests within sentences', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_BACKUP_FOLDER: join(folder, 'backups') } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  // docs/spec quotes requests of the contract with placeholders.
  const documents = ['*.md', 'docs/*.md', 'docs/guides/*.md']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .sort();
  const requests = documents.flatMap((path) =>
    [
      ...textOf(path)
        .replaceAll(/^( *)```.*?^\1```$/gms, '')
        .matchAll(/`(?:[^`\s]*\?)?((?:[\w.]+=[^`&\s]*&)*cmd=[^`\s]+)`/g),
    ].map(([, query = '']) => ({ path, query })),
  );
  test('there are some', () => expect(requests.length).toBeGreaterThan(10));
  test.each(requests)('$path: $query', async ({ query }) => {
    const response = await fetch(`${service.url}?${query}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    // A stream, such as that of a backup, has no envelope.
    if (!response.headers.get('content-type')?.startsWith('application/json')) return;
    const { error }: { error: string | null } = JSON.parse(text);
    expect(error ?? '').not.toMatch(/^Unknown (?:command|parameter)|Internal error|mandatory parameter/);
  });
});
