/** `svc config check` reports what `svc serve` rejects, in the same words. */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REJECTED: ReadonlyArray<readonly [title: string, file: string, options: readonly string[]]> = [
  ['an unknown region', `{ caches: [{ name: 'a', region: 'nowhere' }] }`, []],
  ['an unknown region of a template', `{ templates: [{ name: 't', region: 'nowhere' }] }`, []],
  ['a user with the name of another owner', `{ users: [{ name: 'ann#1', password: 'x' }] }`, []],
  ['a password that is too long', `{ users: [{ name: 'ann', password: 'x'.repeat(5000) }] }`, []],
  ['a password of the default user that is too long', `{ adminPassword: 'x'.repeat(5000) }`, []],
  ['a port for two purposes', '{ http: { metricsPort: 9000, consolePort: 9000 } }', []],
  ['an unknown template', `{ caches: [{ name: 'a', template: 'none' }] }`, []],
  [
    'caches of one group that differ',
    `{ caches: [{ name: 'a', group: 'g' }, { name: 'b', group: 'g', backups: 1 }] }`,
    [],
  ],
  ['a reserved name', `{ caches: [{ name: 'svc-sys-a' }] }`, []],
  ['an unknown role', `{ permissions: { users: { ann: ['reader'] } } }`, []],
  ['an unknown command of a role', `{ permissions: { roles: { reader: { commands: ['gett'] } } } }`, []],
  ['an entry of another type', `{ caches: [{ name: 'a', entries: [{ key: 'x', keyType: 'int', value: '1' }] }] }`, []],
  ['a certificate that is missing', '{}', ['--http-tls-cert', 'none.crt', '--http-tls-key', 'none.key']],
  ['an HTTP file that is missing', '{}', ['--http-config', 'none.xml']],
  ['a task that is missing', `{ tasks: { t: './none.ts' } }`, []],
  [
    'several mistakes',
    `{ http: { idleTimeoutSeconds: -1 }, caches: [{ name: 'a', region: 'r' }], permissions: { others: ['x'] } }`,
    [],
  ],
];

/** Options whose values are addresses, each with a password that nothing may print. */
const ADDRESSES: ReadonlyArray<readonly [variable: string, value: string, further?: Readonly<Record<string, string>>]> =
  [
    ['SVC_TELEMETRY_ENDPOINT', 'http://ann:PASS/W@localhost:4318'],
    ['SVC_SHADOW', 'http://ann:PASSW@localhost:8080/ignite'],
    ['SVC_JWT_KEYS', 'https://ann:PASSW@login.example/keys', { SVC_JWT_ISSUER: 'i', SVC_JWT_AUDIENCE: 'a' }],
    ['SVC_JWT_KEYS', 'https://ann:PASSW@', { SVC_JWT_ISSUER: 'i', SVC_JWT_AUDIENCE: 'a' }],
    ['SVC_ENDPOINTS', 'ann:PASSW@localhost', { SVC_ENGINE: 'cluster' }],
    ['SVC_ENDPOINTS', 'cluster://ann:PASSW@localhost:10800', { SVC_ENGINE: 'cluster' }],
    ['SVC_HTTP_TRUSTED_PROXIES', 'http://ann:PASSW@localhost'],
    ['SVC_HTTP_PORT', 'http://ann:PASSW@localhost'],
  ];

test.each(ADDRESSES)(
  'the password in %s=%s is not printed',
  async (variable, value, ...further) => {
    rmSync(join(folder, 'svc.config.ts'), { force: true });
    const env = { [variable]: value, SVC_AUTHENTICATION: 'true', ...further[0] };
    for (const args of [['serve', '--data-dir', 'data'], ['config', 'check'], ['doctor'], ['config', 'show']]) {
      const { exitCode, output, errors } = await runSvcProcess(args, { cwd: folder, env });
      expect([args[1], output + errors]).toEqual([args[1], expect.not.stringMatching(/PASS/)]);
      if (args[1] !== 'show') expect(exitCode).not.toBe(0);
    }
  },
  60_000,
);

test.each([
  [['get', 'key=a', '--url', 'ws://ann:PASSW@localhost:8080/svc']],
  [['get', 'key=a', '--url', 'http://ann:PASSW@localhost:8080/svc']],
  [['replay', '-', '--against', 'ws://ann:PASSW@localhost:8080/svc']],
  [['record', 'new.ndjson', '--url', 'ws://ann:PASSW@localhost:8080/svc']],
  [['migrate', '--from', 'http://ann:PASSW@localhost', '--to', 'data']],
  [['migrate', '--from', 'cluster://ann:PASSW@localhost:10800', '--to', 'data']],
  [['serve', '--telemetry-endpoint', 'http://ann:PASSW@localhost']],
  [['serve', 'http://ann:PASSW@localhost']],
  [['http://ann:PASSW@localhost']],
])('the password in the arguments %p is not printed', async (args) => {
  const { exitCode, output, errors } = await runSvcProcess(args, { cwd: folder });
  expect([exitCode, output + errors]).toEqual([2, expect.not.stringMatching(/PASS/)]);
});

test.each(REJECTED)(
  '%s',
  async (_, file, options) => {
    writeFileSync(join(folder, 'svc.config.ts'), `export default ${file};\n`);
    const check = await runSvcProcess(['config', 'check', '--data-dir', 'data', ...options], { cwd: folder });
    const serve = await runSvcProcess(['serve', '--data-dir', 'data', '--http-port', '0', ...options], { cwd: folder });
    expect([serve.exitCode, check.exitCode, check.output]).toEqual([2, 2, '']);
    expect(check.errors).toBe(serve.errors);
    expect(check.errors).toMatch(/^svc: .+\n/);
    expect(check.errors).not.toMatch(/^ {4}at /m);
  },
  60_000,
);

test.each([
  [['backup', '--data-dir', 's3://bucket/data', '--to', 'a.svcbackup']],
  [['restore', 'a.svcbackup', '--to', 's3://bucket/data']],
  [['verify', 'gs://bucket/a.svcbackup']],
  [['export', 's3://bucket/rows.csv', '--cache', 'c', '--url', 'http://127.0.0.1:1/svc']],
  [['import', 's3://bucket/rows.csv', '--cache', 'c', '--url', 'http://127.0.0.1:1/svc']],
  [['serve', '--data-dir', 's3://bucket/data']],
  [['stop', '--data-dir', 's3://bucket/data']],
  [['report', 'https://host/recording.ndjson']],
])('an address in place of a path is rejected: %p', async (args) => {
  const own = newFolder();
  try {
    const { exitCode, errors } = await runSvcProcess(args, { cwd: own });
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('object stores are not supported')]);
    expect(readdirSync(own).filter((name) => name !== '.bun')).toEqual([]);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

test('svc backup without a folder names its own option', async () => {
  await using service = await startService();
  const { exitCode, errors } = await runSvcProcess(['backup', '--url', service.url], { cwd: folder });
  expect([exitCode, errors]).toEqual([2, expect.stringContaining('name a file with --to')]);
  expect(errors).not.toContain('stream=true');
}, 60_000);
