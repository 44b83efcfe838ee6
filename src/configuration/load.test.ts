import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import type { Configuration } from './configuration.ts';
import { loadConfiguration, loadTasks } from './load.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-configuration-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;

interface Given {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the working folder by name. */
  readonly files?: Readonly<Record<string, string>>;
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function load({ argv = [], env = {}, files = {} }: Given): Promise<Configuration & { readonly folder: string }> {
  const folder = folderWith(files);
  const installationFolder = join(folder, 'installed');
  const loaded = await loadConfiguration({ argv, environment: env, cwd: folder, installationFolder });
  if (loaded.kind !== 'run') throw new Error(`printed: ${loaded.what}`);
  return { ...loaded.configuration, folder };
}

const config = (content: string) => ({
  'svc.config.ts': `import { defineConfig } from 'svc';\nexport default defineConfig(${content});\n`,
});

test('the defaults of host, port, engine and data folder [1.6, 5.7, 5.13, 8.1, 8.2, 8.4]', async () => {
  const { folder, ...configuration } = await load({});
  expect(configuration).toMatchObject({
    serviceName: 'svc',
    dataDir: join(folder, 'data'),
    compatibility: 'contract',
    defaultCache: 'default',
    httpStatus: false,
    defaultPageSize: undefined,
    engine: { kind: 'embedded' },
    http: { host: 'localhost', port: 8080, portRange: 100, idleTimeoutSeconds: 30, tls: undefined },
    authentication: false,
    shutdownDelayMs: 0,
    login: { maxFailures: 10, maxNetworkFailures: 30, maxBackoffMs: 60_000 },
    needsOldPassword: true,
    minimumPasswordLength: 1,
    sessionTimeoutMs: 30_000,
    consoleSessionTimeoutMs: 28_800_000,
    getallAsArray: false,
    queryIdleTimeoutMs: 600_000,
    log: { dir: join(folder, 'data', 'log'), level: 'info', stdout: 'none', slowMs: 1_000 },
    limits: DEFAULT_LIMITS,
    file: undefined,
  });
  expect(configuration.workers).toBeGreaterThanOrEqual(1);
});

const PORTS: ReadonlyArray<readonly [title: string, given: Given, port: number]> = [
  ['the file', { files: config('{ http: { port: 1 } }') }, 1],
  ['the environment before the file', { files: config('{ http: { port: 1 } }'), env: { SVC_HTTP_PORT: '2' } }, 2],
  [
    'a flag beats both',
    { files: config('{ http: { port: 1 } }'), env: { SVC_HTTP_PORT: '2' }, argv: ['--http-port', '3'] },
    3,
  ],
  ['a flag with =', { argv: ['--http-port=4'] }, 4],
  ['the last of repeated flags', { argv: ['--http-port=4', '--http-port', '5'] }, 5],
  ['an empty variable is absent', { files: config('{ http: { port: 1 } }'), env: { SVC_HTTP_PORT: '' } }, 1],
  [
    'a file that a flag names',
    { files: { 'a/b.ts': 'export default { http: { port: 6 } };' }, argv: ['--config', 'a/b.ts'] },
    6,
  ],
  [
    'a file that the environment names',
    { files: { 'c.json': '{"http": {"port": 7}}' }, env: { SVC_CONFIG: 'c.json' } },
    7,
  ],
  [
    'the HTTP file beats the file',
    { files: { ...config('{ http: { port: 1, config: "h.json" } }'), 'installed/h.json': '{"port": 8}' } },
    8,
  ],
  [
    'the environment beats the HTTP file',
    { files: { 'installed/h.json': '{"port": 8}' }, env: { SVC_HTTP_CONFIG: 'h.json', SVC_HTTP_PORT: '9' } },
    9,
  ],
];

for (const [title, given, port] of PORTS) {
  test(`precedence: ${title}`, async () => expect((await load(given)).http.port).toBe(port));
}

const FORMER: ReadonlyArray<readonly [title: string, given: Given, warning: string]> = [
  ['a flag', { argv: ['--query-threads', '3'] }, '--query-threads: is called --query-processes now'],
  ['a flag with =', { argv: ['--query-threads=3'] }, '--query-threads: is called --query-processes now'],
  ['a variable', { env: { SVC_QUERY_THREADS: '3' } }, 'SVC_QUERY_THREADS: is called SVC_QUERY_PROCESSES now'],
  [
    'a member of the file',
    { files: config('{ query: { threads: 3 } } as object') },
    'svc.config.ts: query.threads: is called query.processes now',
  ],
];

for (const [title, given, warning] of FORMER) {
  test(`a former name of an option is read with a warning: ${title}`, async () => {
    const { query, warnings } = await load(given);
    expect(query.processes).toBe(3);
    expect(warnings).toEqual([expect.stringContaining(`${warning}; the former name is read until 2.0`)]);
  });
}

const RENAMED: ReadonlyArray<readonly [former: string, present: string, value: string, path: string]> = [
  ['SVC_ALLOW_OPEN', 'SVC_ALLOW_UNAUTHENTICATED', 'true', 'allowUnauthenticated'],
  ['SVC_HTTP_WRITE_HEADER', 'SVC_HTTP_CSRF_HEADER', 'X-A', 'http.csrfHeader'],
  ['SVC_TASK_PROCESSES_LONGEST_MS', 'SVC_TASK_PROCESSES_MAX_TIMEOUT_MS', '5', 'taskProcesses.maxTimeoutMs'],
  ['SVC_IDEMPOTENCY_KEEP_SECONDS', 'SVC_IDEMPOTENCY_RETENTION_SECONDS', '60', 'idempotency.retentionSeconds'],
  ['SVC_CHANGE_FEED_KEEP_SECONDS', 'SVC_CHANGE_FEED_RETENTION_SECONDS', '60', 'changeFeed.retentionSeconds'],
  ['SVC_CHANGE_FEED_KEEP_BYTES', 'SVC_CHANGE_FEED_RETENTION_BYTES', '4096', 'changeFeed.retentionBytes'],
  ['SVC_LIMITS_REQUESTS_IN_WORK', 'SVC_LIMITS_REQUESTS_IN_FLIGHT', '5', 'limits.requestsInFlight'],
  ['SVC_BACKUP_SECONDS_FOR', 'SVC_BACKUP_PITR_WINDOW', '36h', 'backup.pitrWindow'],
  [
    'SVC_BACKUP_CONTINUOUS_GUARDED',
    'SVC_BACKUP_CONTINUOUS_ASSUME_SOLE_WRITER',
    'true',
    'backup.continuous.assumeSoleWriter',
  ],
];

for (const [former, present, value, path] of RENAMED) {
  test(`${former} means ${present}`, async () => {
    const { explain, warnings } = await load({ env: { [former]: value } });
    const found = explain().find((row) => row.path === path);
    expect([found?.source, String(found?.value)]).toEqual([former, value]);
    expect(warnings).toEqual([`${former}: is called ${present} now; the former name is read until 2.0`]);
  });
}

test('the present name of an option warns of nothing', async () => {
  const { query, warnings } = await load({ argv: ['--query-processes', '3'] });
  expect([query.processes, warnings]).toEqual([3, []]);
});

const READ: ReadonlyArray<readonly [title: string, given: Given, expected: object]> = [
  ['a flag alone is true', { argv: ['--authentication'] }, { authentication: true }],
  ['a flag with false', { argv: ['--authentication', 'false', '--workers', '1'] }, { authentication: false }],
  ['letter case of true', { env: { SVC_AUTHENTICATION: 'TRUE' } }, { authentication: true }],
  [
    'lists',
    { env: { SVC_HTTP_ORIGINS: 'https://a.example, https://b.example' } },
    { http: { origins: ['https://a.example', 'https://b.example'] } },
  ],
  [
    'seconds become milliseconds',
    { env: { SVC_REST_SESSION_TIMEOUT: '2', SVC_SIGNATURE_MAX_AGE: '60' } },
    { sessionTimeoutMs: 2_000, signatureMaxAgeMs: 60_000 },
  ],
  [
    'limits',
    { env: { SVC_LIMITS_KEYS_PER_COMMAND: '7' }, argv: ['--limits-caches', '9'] },
    { limits: { keysPerCommand: 7, caches: 9 } },
  ],
  ['a secret of the environment', { env: { SVC_SECRET_KEY: 's3cr3t' } }, { secretKey: 's3cr3t' }],
  [
    'the cluster',
    {
      env: {
        SVC_ENGINE: 'cluster',
        SVC_ENDPOINTS: 'a:1,[::1]:2,c',
        SVC_ENGINE_CLUSTER_USER: 'u',
        SVC_ENGINE_CLUSTER_PASSWORD: 'p',
      },
    },
    {
      engine: {
        kind: 'cluster',
        endpoints: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
          { host: 'c', port: 10_800 },
        ],
        credentials: { user: 'u', password: 'p' },
        tls: undefined,
      },
    },
  ],
  [
    'the cluster in the file',
    { files: config('{ engine: { cluster: { endpoints: ["n:1"], tls: { enabled: true } } } }') },
    { engine: { kind: 'cluster', endpoints: [{ host: 'n', port: 1 }], tls: { trustAll: false } } },
  ],
  [
    'HTTPS alone',
    { env: { SVC_HTTP_TLS_CERT: 'c', SVC_HTTP_TLS_KEY: 'k' } },
    { http: { port: undefined, tls: { port: 8443, minimumVersion: 'TLSv1.2', clientCertificates: 'none' } } },
  ],
  [
    'HTTPS alone on a port',
    { env: { SVC_HTTP_TLS_CERT: 'c', SVC_HTTP_TLS_KEY: 'k', SVC_HTTP_PORT: '9' } },
    { http: { port: undefined, tls: { port: 9 } } },
  ],
  [
    'HTTP and HTTPS',
    { env: { SVC_HTTP_TLS_CERT: 'c', SVC_HTTP_TLS_KEY: 'k', SVC_HTTP_PLAIN: 'true' } },
    { http: { port: 8080, tls: { port: 8443 } } },
  ],
  [
    'others may connect with authentication',
    { env: { SVC_HTTP_HOST: '0.0.0.0', SVC_AUTHENTICATION: 'true' } },
    { http: { host: '0.0.0.0' } },
  ],
  [
    'others may connect when it is allowed',
    { env: { SVC_HTTP_HOST: '0.0.0.0', SVC_ALLOW_UNAUTHENTICATED: 'true' } },
    { http: { host: '0.0.0.0' } },
  ],
  [
    'variables that are not ours',
    {
      env: {
        SVC_TEST_X: '1',
        SVC_SERVICE_HOST: '10.0.0.1',
        SVC_PORT: 'tcp://10.0.0.1:80',
        SVC_PORT_80_TCP_ADDR: '10.0.0.1',
        PATH: '/bin',
      },
    },
    { serviceName: 'svc' },
  ],
  [
    'host and port of an HTTP file [1.7, 8.7]',
    {
      files: {
        'installed/h.json':
          '{"host":"127.0.0.1","port":1,"idleTimeoutMs":45000,"minThreads":20,"maxThreads":200,"limits":{"requestBodyBytes":5},"tls":{"cert":"c.crt","key":"c.key"},"plain":true}',
      },
      env: { SVC_HTTP_CONFIG: 'h.json' },
    },
    {
      http: {
        host: '127.0.0.1',
        port: 1,
        idleTimeoutSeconds: 45,
        tls: { port: 8443, certFile: expect.stringMatching(/\/installed\/c\.crt$/) },
      },
      limits: { requestsInFlight: 200, requestBodyBytes: 5 },
    },
  ],
];

for (const [title, given, expected] of READ) {
  test(`reads ${title}`, async () => expect(await load(given)).toMatchObject(expected));
}

test('relative paths start at the folder of their source', async () => {
  const files = { 'a/c.ts': 'export default { dataDir: "d", log: { dir: "/var/log/svc" } };' };
  const fromFile = await load({ files, argv: ['--config', 'a/c.ts'] });
  expect([fromFile.dataDir, fromFile.log.dir]).toEqual([join(fromFile.folder, 'a/d'), '/var/log/svc']);
  const fromFlag = await load({ argv: ['--data-dir', 'd'] });
  expect(fromFlag.dataDir).toBe(join(fromFlag.folder, 'd'));
});

test('reads a secret from a file [8.8]', async () => {
  const files = { key: 's3cr3t\n' };
  expect((await load({ files, env: { SVC_SECRET_KEY_FILE: 'key' } })).secretKey).toBe('s3cr3t');
});

const TOKENS = {
  SVC_AUTHENTICATION: 'true',
  SVC_JWT_KEYS: 'https://login.example/keys',
  SVC_JWT_ISSUER: 'i',
  SVC_JWT_AUDIENCE: 'a,b',
};

test('reads JSON Web Tokens', async () => {
  const groups = { SVC_JWT_ROLES_CLAIM: 'groups', SVC_JWT_ROLES: 'x=admin,y=z=reader,x=user' };
  const files = config('{ permissions: { roles: { reader: {} } } }');
  expect((await load({ env: { ...TOKENS, ...groups }, files })).jwt).toEqual({
    keys: 'https://login.example/keys',
    issuer: 'i',
    audiences: ['a', 'b'],
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    clockToleranceSeconds: 30,
    userClaim: 'sub',
    users: 'separate',
    rolesClaim: 'groups',
    roles: new Map([
      ['x', ['admin', 'user']],
      ['y=z', ['reader']],
    ]),
  });
  expect((await load({ env: { ...TOKENS, SVC_JWT_KEYS: 'keys.json' } })).jwt?.keys).toMatch(/^\/.*\/keys\.json$/);
  for (const keys of ['http://localhost/k', 'http://127.0.0.1:1/k', 'http://[::1]/k']) {
    expect((await load({ env: { ...TOKENS, SVC_JWT_KEYS: keys } })).jwt?.keys).toBe(keys);
  }
  expect((await load({})).jwt).toBeUndefined();
});

const WRONG_TOKENS = (
  [
    ['no keys', { SVC_JWT_KEYS: '' }, 'jwt.keys: is missing'],
    ['no authentication', { SVC_AUTHENTICATION: 'false' }, 'jwt.keys: needs authentication'],
    ['no issuer', { SVC_JWT_ISSUER: '' }, 'jwt.issuer: is required'],
    ['no audience', { SVC_JWT_AUDIENCE: '' }, 'jwt.audience: is required'],
    ['keys over plain HTTP', { SVC_JWT_KEYS: 'http://login.example/keys' }, 'must begin with https://'],
    ['a password in the URL', { SVC_JWT_KEYS: 'https://a:b@login.example/keys' }, 'must not contain credentials'],
    ['no URL', { SVC_JWT_KEYS: 'https://' }, 'is not a URL'],
    ['a shared key', { SVC_JWT_ALGORITHMS: 'RS256,HS256' }, 'jwt.algorithms: must be some of RS256,'],
    ['roles without a claim', { SVC_JWT_ROLES: 'a=admin' }, 'jwt.rolesClaim: is required'],
    ['a claim without roles', { SVC_JWT_ROLES_CLAIM: 'groups' }, 'jwt.roles: is required'],
    ['roles without values', { SVC_JWT_ROLES_CLAIM: 'g', SVC_JWT_ROLES: 'admin' }, 'must be VALUE=ROLE, not admin'],
  ] as const
).map(([title, env, message]) => [`tokens: ${title}`, { env: { ...TOKENS, ...env } }, message] as const);

const WRONG: ReadonlyArray<readonly [title: string, given: Given, message: string]> = [
  ['an unknown flag', { argv: ['--http-prt', '1'] }, '--http-prt: unknown, did you mean --http-port'],
  ['a variable like none', { env: { SVC_QQQQQQQ: '1' } }, 'SVC_QQQQQQQ: unknown, see svc help serve'],
  ['the end of a flag', { argv: ['--port', '1'] }, '--port: unknown, did you mean --http-port, '],
  ['a misspelt end', { argv: ['--prot', '1'] }, '--prot: unknown, did you mean --http-port, '],
  ['another end', { argv: ['--host', 'a'] }, '--host: unknown, did you mean --http-host?'],
  ['the beginning of a flag', { argv: ['--data', 'a'] }, '--data: unknown, did you mean --data-dir?'],
  [
    'an idle timeout of an HTTP file beyond the bound, in its own unit',
    { files: { 'installed/h.json': '{"idleTimeoutMs":300000}' }, env: { SVC_HTTP_CONFIG: 'h.json' } },
    'h.json: idleTimeoutMs: must be a whole number of milliseconds from 1 to 255000, not 300000',
  ],
  ['a flag without similar names', { argv: ['--zzzzzzzzzz'] }, '--zzzzzzzzzz: unknown, see svc help serve'],
  ['an argument that is not a flag', { argv: ['start'] }, 'start: unexpected argument, options begin with --'],
  ['a flag without its value', { argv: ['--http-port'] }, '--http-port: needs a value'],
  ['a secret as a flag', { argv: ['--secret-key', 'x'] }, '--secret-key: secrets have no flag'],
  [
    'the former name beside the present one',
    { env: { SVC_QUERY_THREADS: '3', SVC_QUERY_PROCESSES: '4' } },
    'SVC_QUERY_PROCESSES: is set twice, also by SVC_QUERY_THREADS',
  ],
  ['an unknown variable', { env: { SVC_HTTP_PRT: '1' } }, 'SVC_HTTP_PRT: unknown, did you mean SVC_HTTP_PORT'],
  [
    'an invalid number',
    { env: { SVC_HTTP_PORT: 'x' } },
    'SVC_HTTP_PORT: must be a whole number from 0 to 65535, not "x"',
  ],
  ['a number out of bounds', { argv: ['--http-port', '65536'] }, '--http-port: must be a whole number from 0 to 65535'],
  [
    'an empty value',
    { argv: ['--data-dir', ''] },
    '--data-dir: is empty; it must be a path on this machine; addresses and object stores are not supported',
  ],
  [
    'a word that is not one of the allowed',
    { env: { SVC_COMPATIBILITY: 'both' } },
    'SVC_COMPATIBILITY: must be contract or reference, not "both"',
  ],
  [
    'a flag that is neither',
    { env: { SVC_AUTHENTICATION: 'yes' } },
    'SVC_AUTHENTICATION: must be true or false, not "yes"',
  ],
  ['a rate without a time', { env: { SVC_RATE_LIMIT_USER: '100' } }, 'SVC_RATE_LIMIT_USER: must be requests in a time'],
  [
    'a rate that is a number',
    { files: config('{ rateLimit: { address: 5 } }') },
    'rateLimit.address: must be requests in a time',
  ],
  ...WRONG_TOKENS,
  ['the data folder as the folder of the log', { env: { SVC_LOG_DIR: './data' } }, 'log.dir: '],
  ['a log folder that contains the data folder', { env: { SVC_LOG_DIR: '.' } }, 'contains the data folder'],
  ['an invalid name', { env: { SVC_NAME: 'a/b' } }, 'SVC_NAME: must be a letter'],
  [
    'the account of a cluster for everybody, without an account',
    { env: { SVC_ENGINE: 'cluster', SVC_ENGINE_CLUSTER_SHARE_ACCOUNT: 'true' } },
    'engine.cluster.shareAccount: needs an account (engine.cluster.user)',
  ],
  [
    'the account of a cluster for everybody, with authentication',
    {
      env: {
        SVC_ENGINE: 'cluster',
        SVC_ENGINE_CLUSTER_USER: 'u',
        SVC_ENGINE_CLUSTER_SHARE_ACCOUNT: 'true',
        SVC_AUTHENTICATION: 'true',
      },
    },
    'engine.cluster.shareAccount: contradicts authentication, which requires credentials',
  ],
  [
    'a secret twice',
    { files: { k: 'x' }, env: { SVC_SECRET_KEY: 'x', SVC_SECRET_KEY_FILE: 'k' } },
    'SVC_SECRET_KEY: is set twice',
  ],
  ['a missing secret file', { env: { SVC_SECRET_KEY_FILE: 'none' } }, 'SVC_SECRET_KEY_FILE: cannot read'],
  ['a missing configuration file', { argv: ['--config', 'none.ts'] }, 'none.ts does not exist'],
  [
    'a configuration file that throws',
    { files: { 'svc.config.ts': 'throw new Error("broken");' } },
    'svc.config.ts: broken',
  ],
  [
    'a configuration file without an export',
    { files: { 'svc.config.ts': 'export const a = 1;' } },
    'must export a configuration',
  ],
  ['an unknown key', { files: config('{ htpp: {} } as object') }, 'svc.config.ts: htpp: unknown, did you mean http'],
  ['a key of a member', { files: config('{ port: 1 } as object') }, 'port: unknown, did you mean http.port, '],
  [
    'an unknown key below',
    { files: config('{ http: { prot: 1 } } as object') },
    'svc.config.ts: http.prot: unknown, did you mean http.port',
  ],
  [
    'a wrong value in the file',
    { files: config('{ http: { port: "1" } } as object') },
    'svc.config.ts: http.port: must be a whole number from 0 to 65535, not "1"',
  ],
  [
    'a part that is no object',
    { files: config('{ http: 1 } as object') },
    'svc.config.ts: http: must be an object, not 1',
  ],
  [
    'a wrong engine',
    { files: config('{ engine: "model" } as object') },
    'engine: must be embedded or cluster, not "model"',
  ],
  ['an unknown limit', { env: { SVC_LIMITS_KEYS: '1' } }, 'SVC_LIMITS_KEYS: unknown'],
  [
    'limits that contradict each other',
    { env: { SVC_LIMITS_REQUEST_HEAD_BYTES: '100' } },
    'limits.requestHeadBytes must be at least 1024',
  ],
  [
    'others without authentication',
    { env: { SVC_HTTP_HOST: '0.0.0.0' } },
    'http.host: 0.0.0.0 is reachable from other machines',
  ],
  ['a certificate without its key', { env: { SVC_HTTP_TLS_CERT: 'c' } }, 'http.tls.key: is required'],
  [
    'client certificates without an authority',
    { env: { SVC_HTTP_TLS_CERT: 'c', SVC_HTTP_TLS_KEY: 'k', SVC_HTTP_TLS_CLIENT_CERTIFICATES: 'required' } },
    'http.tls.ca: is missing',
  ],
  ['neither HTTP nor HTTPS', { env: { SVC_HTTP_PLAIN: 'false' } }, 'http.plain: false needs a certificate'],
  ['an invalid endpoint', { env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: 'a:b' } }, 'must be HOST:PORT, not "a:b"'],
  ['an HTTP file that is missing [8.9]', { env: { SVC_HTTP_CONFIG: 'none.json' } }, 'http.config: cannot read'],
  [
    'a Jetty file',
    { files: { 'installed/jetty.xml': '<?xml version="1.0"?><Configure/>' }, env: { SVC_HTTP_CONFIG: 'jetty.xml' } },
    'this service expects JSON',
  ],
  [
    'an HTTP file that is not JSON',
    { files: { 'installed/h': '{' }, env: { SVC_HTTP_CONFIG: 'h' } },
    'is not valid JSON',
  ],
  [
    'an unknown key of the HTTP file',
    { files: { 'installed/h': '{"prot": 1}' }, env: { SVC_HTTP_CONFIG: 'h' } },
    'h: prot: unknown, did you mean port',
  ],
  [
    'a wrong value of the HTTP file',
    { files: { 'installed/h': '{"port": "1"}' }, env: { SVC_HTTP_CONFIG: 'h' } },
    'h: port: must be a whole number',
  ],
  [
    'thread numbers that contradict each other',
    { files: { 'installed/h': '{"minThreads": 20, "maxThreads": 10}' }, env: { SVC_HTTP_CONFIG: 'h' } },
    'maxThreads: must be minThreads (20) or more, not 10',
  ],
];

for (const [title, given, message] of WRONG) {
  test(`rejects ${title}`, () => {
    // Line and column in the file are tested with `svc config check`.
    const shown = load(given).catch((error: Error) => `${error.name}: ${error.message.replace(/:\d+:\d+(?=: )/, '')}`);
    expect(shown).resolves.toContain(message);
    expect(shown).resolves.toStartWith('ConfigurationError');
  });
}

test('errors do not contain secrets', () => {
  expect(load({ files: config('{ secretKey: 12345 } as object') })).rejects.toThrow(
    'must be a string, not the given value',
  );
});

test.each(['help', 'version'] as const)('--%s asks for a text', async (what) => {
  const loaded = await loadConfiguration({ argv: [`--${what}`], environment: {}, cwd: root, installationFolder: root });
  expect(loaded).toEqual({ kind: 'print', what });
});

test('loadTasks returns only the tasks of a file', async () => {
  const folder = folderWith({
    ...config(
      '{ tasks: { plain: () => 1, mapped: { map: () => [], job: () => 1, reduce: () => 1 }, module: "./t.ts" } }',
    ),
    't.ts': 'export default () => 1;',
  });
  const tasks = await loadTasks(join(folder, 'svc.config.ts'));
  expect([typeof tasks.plain, typeof tasks.mapped, tasks.module]).toEqual(['function', 'object', join(folder, 't.ts')]);
});

/** Host, authentication and the option, and whether the console is served. */
const CONSOLES: ReadonlyArray<readonly [host: string, authentication: boolean, option: string, served: boolean]> = [
  ['localhost', false, 'auto', true],
  ['127.0.0.1', false, 'auto', true],
  ['0.0.0.0', false, 'auto', false],
  ['0.0.0.0', true, 'auto', true],
  ['0.0.0.0', false, 'on', true],
  ['localhost', true, 'off', false],
];
for (const [host, authentication, option, served] of CONSOLES) {
  const login = authentication ? 'with' : 'without';
  test(`on ${host}, ${login} authentication, http.console=${option}: ${served ? 'served' : 'not served'}`, async () => {
    const open = { SVC_ALLOW_UNAUTHENTICATED: 'true', SVC_AUTHENTICATION: String(authentication) };
    const { http } = await load({ env: { SVC_HTTP_HOST: host, SVC_HTTP_CONSOLE: option, ...open } });
    expect(http.console).toBe(served);
  });
}

test('explains where each value comes from, as it was when the service started', async () => {
  const { explain } = await load({
    argv: ['--workers', '3'],
    env: { SVC_HTTP_PORT: '8090', SVC_SECRET_KEY: 'hush' },
    files: { 'svc.config.ts': "export default { defaultCache: 'shop' };" },
  });
  const found = new Map(explain().map((option) => [option.path, option]));
  expect(found.get('workers')).toMatchObject({ value: 3, source: '--workers', environment: 'SVC_WORKERS' });
  expect(found.get('http.port')).toMatchObject({ value: 8090, source: 'SVC_HTTP_PORT', flag: '--http-port' });
  expect(found.get('secretKey')).toMatchObject({ value: '***', source: 'SVC_SECRET_KEY', flag: null });
  expect(found.get('defaultCache')?.source).toContain('svc.config.ts: defaultCache');
  expect(found.get('defaultCache')?.value).toBe('shop');
  expect(found.get('httpStatus')).toMatchObject({ value: 'false', source: 'default', default: 'false' });
});
