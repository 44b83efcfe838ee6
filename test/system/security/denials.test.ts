/** A denial is the same for missing and for forbidden objects, for every way to access a table, view or cache. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const CONFIGURATION = {
  authentication: true,
  adminPassword: 'pw-svc',
  users: [{ name: 'ann', password: 'pw-ann' }],
  permissions: {
    roles: { owner: { caches: { own: ['read', 'put', 'remove', 'create', 'destroy'] } } },
    users: { ann: ['owner'] },
  },
};

/** An existing and a missing name. Neither resembles the name of a type. */
const NAMES = { forbidden: 'HELD', absent: 'VEXY' } as const;
let service: ServiceProcess;
const tokens = new Map<string, string>();

async function send(user: string, method: string, path: string, init: Partial<BunFetchRequestInit> = {}) {
  const answer = await fetch(new URL(`/svc${path}`, service.url), {
    method,
    ...init,
    headers: { authorization: `Bearer ${tokens.get(user)}`, ...init.headers },
  });
  return { status: answer.status, text: await answer.text() };
}

beforeAll(async () => {
  const config = join(newFolder(), 'svc.config.ts');
  writeFileSync(config, `export default ${JSON.stringify(CONFIGURATION)};`);
  service = await startService({ args: ['--config', config], env: { SVC_WORKERS: '2' } });
  for (const user of ['svc', 'ann']) {
    const login = queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': `pw-${user}` });
    tokens.set(user, String((await service.send(login)).sessionToken));
  }
  for (const qry of [
    'CREATE TABLE own(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=own"',
    // The table and its cache have the same name.
    'CREATE TABLE held(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=HELD"',
    'CREATE TABLE "held"(id INT PRIMARY KEY, v INT)',
    'CREATE TABLE "Held"("Id" VARCHAR PRIMARY KEY, v INT)',
    'CREATE INDEX held_i ON held(v)',
    'INSERT INTO held VALUES (1, 1)',
    'CREATE VIEW held_view AS SELECT * FROM held',
  ]) {
    const made = await service.send(
      queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: tokens.get('svc') ?? '' }),
    );
    expect([qry, made.error]).toEqual([qry, null]);
  }
}, 120_000);
afterAll(() => service[Symbol.asyncDispose]());

/** Sends a request of ann about a thing of each kind, and returns the answers with its name replaced. */
async function both(method: string, pathOf: (name: string) => string, init?: Partial<BunFetchRequestInit>) {
  const answerOf = async (kind: keyof typeof NAMES) => {
    const name = NAMES[kind];
    const { status, text } = await send('ann', method, pathOf(name), init);
    const plain = text.replaceAll(name, 'NAME').replaceAll(name.toLowerCase(), 'name');
    return `${status} ${plain.replaceAll(/Held|Vexy/g, 'Name').replaceAll(/"id":"[^"]+"/g, '')}`;
  };
  return { forbidden: await answerOf('forbidden'), absent: await answerOf('absent') };
}

// Comes first: a network has a share of the lines.
describe('whoever guesses at the page of metrics leaves a line in the audit log', () => {
  const cases: ReadonlyArray<readonly [string, string, Record<string, string>, string]> = [
    ['a password', '', { authorization: `Basic ${btoa('svc:guess-1')}` }, 'userName=svc'],
    ['a password in the query', '?user=ben&password=guess-2', {}, 'userName=ben'],
    ['an API key', '', { authorization: 'Bearer svc_0123456789abcdef_guess' }, 'rejected'],
    ['a session', '?sessionToken=00112233445566778899AABBCCDDEEFF', {}, 'rejected'],
    ['nothing', '', {}, 'rejected'],
  ];
  const lines = () =>
    readFileSync(join(service.dataDir, 'log', 'audit-failures.log'), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .filter((line) => line !== '');
  const lineAfter = async (request: () => Promise<Response>): Promise<string> => {
    const before = lines().length;
    expect((await request()).status).toBeGreaterThanOrEqual(400);
    await until('the line is written', () => lines().length > before);
    expect(lines()).toHaveLength(before + 1);
    return lines().at(-1) ?? '';
  };
  for (const [title, query, headers, text] of cases) {
    test(title, async () => {
      const line = await lineAfter(() => fetch(new URL(`/metrics${query}`, service.url), { headers }));
      expect(line).toContain(text);
      expect(line).not.toContain('guess');
    });
  }

  test('a user without the right', async () => {
    const url = new URL(`/metrics?sessionToken=${tokens.get('ann')}`, service.url);
    expect(await lineAfter(() => fetch(url))).toContain('"user":"ann"');
  });
});

const JSON_BODY = { 'content-type': 'application/json' };

describe('resources', () => {
  const rows: ReadonlyArray<readonly [string, string, (string | undefined)?, Record<string, string>?]> = [
    ['GET', '/rows'],
    ['GET', '/rows?nope=eq.1'],
    ['GET', '/rows?v=eq.1'],
    ['GET', '/rows?v=eq.x'],
    ['GET', '/rows?select=nope'],
    ['GET', '/rows?order=nope'],
    ['GET', '/rows?cursor=x'],
    ['GET', '/rows?limit=0'],
    ['GET', '/rows/1'],
    ['GET', '/rows/x'],
    ['GET', '/rows/1,2'],
    ['HEAD', '/rows/1'],
    ['POST', '/rows', '{"ID":1,"V":1}'],
    ['POST', '/rows', '{"NOPE":1}'],
    ['POST', '/rows', '[]'],
    ['POST', '/rows', 'no json'],
    ['PATCH', '/rows?v=eq.1', '{"V":2}'],
    ['PATCH', '/rows', '{"V":2}'],
    ['PATCH', '/rows?v=eq.1', '{"ID":2}'],
    ['DELETE', '/rows?v=eq.1'],
    ['DELETE', '/rows'],
    ['PUT', '/rows/1', '{"V":2}'],
    ['PUT', '/rows/1', '{"NOPE":2}'],
    ['PUT', '/rows/x', '{"V":2}'],
    ['PATCH', '/rows/1', '{"V":2}'],
    ['DELETE', '/rows/1'],
    ['DELETE', '/rows/1', undefined, { prefer: 'return=representation' }],
    ['DELETE', '/rows/1', undefined, { 'if-match': '"x"' }],
    ['PUT', '/rows/1', '{"V":2}', { prefer: 'dry-run' }],
    ['POST', '/rows', '{"ID":1,"V":1}', { 'idempotency-key': 'k', prefer: 'return=representation' }],
    ['POST', '/rows', '{"ID":1,"V":1}\n', { 'content-type': 'application/x-ndjson' }],
    ['POST', '/rows', 'ID,V\n1,1\n', { 'content-type': 'text/csv' }],
  ];
  const written = [
    (name: string) => name,
    (name: string) => name.toLowerCase(),
    (name: string) => `PUBLIC.${name}`,
    (name: string) => `public.${name.toLowerCase()}`,
    (name: string) => `%22${name.toLowerCase()}%22`,
    (name: string) => `${name}_VIEW`,
    (name: string) => `${name.slice(0, 1)}${name.slice(1).toLowerCase()}`,
    (name: string) => `%22${name.slice(0, 1)}${name.slice(1).toLowerCase()}%22`,
  ];
  for (const [method, path, body, headers] of rows) {
    test(`${method} ${path} ${body ?? ''} ${JSON.stringify(headers ?? {})}`, async () => {
      for (const [at, nameOf] of written.entries()) {
        const init = body === undefined ? { headers } : { body, headers: { ...JSON_BODY, ...headers } };
        const { forbidden, absent } = await both(method, (name) => `/tables/${nameOf(name)}${path}`, init);
        expect([at, forbidden]).toEqual([at, absent]);
        if (method !== 'HEAD') expect(forbidden).toContain('missing=');
      }
    });
  }

  const entries: ReadonlyArray<readonly [string, string, (string | undefined)?, Record<string, string>?]> = [
    ['GET', '1'],
    ['GET', 'x'],
    ['GET', 'x?keyType=int'],
    ['PUT', '1', '"v"'],
    ['PUT', '1', '{"ID":1}'],
    ['PUT', 'x', '"v"'],
    ['PUT', 'x', '"v"', { prefer: 'dry-run' }],
    ['PUT', 'x', '"v"', { 'if-match': '*' }],
    ['PUT', 'x', '"v"', { 'if-none-match': '*' }],
    ['PUT', 'x', '1', { 'if-match': '"e"' }],
    ['POST', 'x', '1'],
    ['PATCH', 'x', '"v"'],
    ['DELETE', 'x'],
    ['DELETE', 'x', undefined, { prefer: 'return=representation' }],
    ['DELETE', 'x', undefined, { 'if-match': '"e"' }],
  ];
  for (const [method, key, body, headers] of entries) {
    test(`${method} entries/${key} ${body ?? ''} ${JSON.stringify(headers ?? {})}`, async () => {
      const init = body === undefined ? { headers } : { body, headers: { ...JSON_BODY, ...headers } };
      const { forbidden, absent } = await both(method, (name) => `/caches/${name}/entries/${key}`, init);
      expect(forbidden).toEqual(absent);
      expect(forbidden).toContain('missing=');
    });
  }
});

describe('commands', () => {
  const statements = [
    'SELECT * FROM NAME',
    'SELECT NOPE FROM NAME',
    'SELECT * FROM "name"',
    'SELECT * FROM NAME_VIEW',
    'SELECT 1 FROM OWN WHERE EXISTS (SELECT 1 FROM PUBLIC.NAME)',
    'INSERT INTO NAME VALUES (1, 1)',
    'INSERT INTO NAME_VIEW VALUES (1, 1)',
    'UPDATE NAME SET V = NOPE',
    'DELETE FROM NAME',
    'MERGE INTO NAME(ID, V) VALUES (1, 1)',
    'MERGE INTO OWN USING NAME ON OWN.ID = NAME.ID WHEN MATCHED THEN DELETE',
    'INSERT INTO OWN SELECT * FROM NAME',
    'WITH NAME AS (SELECT * FROM NAME) SELECT * FROM NAME',
    'EXPLAIN SELECT * FROM NAME',
    'DROP TABLE NAME',
    'DROP TABLE IF EXISTS NAME',
    'DROP VIEW NAME_VIEW',
    'CREATE TABLE NAME(ID INT PRIMARY KEY, V INT)',
    'CREATE TABLE IF NOT EXISTS NAME(ID INT PRIMARY KEY, V INT)',
    'CREATE VIEW NAME_VIEW AS SELECT 1',
    'CREATE INDEX NAME_I ON NAME(V)',
    'DROP INDEX NAME_I',
    'ALTER TABLE NAME ADD COLUMN W INT',
    'ANALYZE NAME',
    'TRUNCATE TABLE NAME',
  ];
  const commands: ReadonlyArray<Readonly<Record<string, string>>> = [
    ...statements.map((qry) => ({ cmd: 'qryfldexe', pageSize: '1', qry })),
    ...statements.map((qry) => ({ cmd: 'dryrun', of: 'qryfldexe', pageSize: '1', qry })),
    ...[
      'get',
      'rmv',
      'conkey',
      'getrmv',
      'size',
      'cache',
      'metadata',
      'clear',
      'destcache',
      'getorcreate',
      'watch',
    ].map((cmd) => ({ cmd, cacheName: 'NAME', key: '1' })),
    ...['put', 'add', 'cas', 'rep', 'getput', 'append', 'repval'].map((cmd) => ({
      ...{ cmd, cacheName: 'NAME', key: 'x', val: 'y', val1: 'y', val2: 'z', keyType: 'NAME', valueType: 'int' },
    })),
    { cmd: 'getall', cacheName: 'NAME', k1: '1' },
    { cmd: 'putall', cacheName: 'NAME', k1: '1', v1: '1' },
    { cmd: 'qryexe', cacheName: 'NAME', pageSize: '1', type: 'NAME', qry: '1 = 1' },
    { cmd: 'qryscanexe', cacheName: 'NAME', pageSize: '1' },
    { cmd: 'export', table: 'NAME' },
    { cmd: 'export', table: 'NAME_VIEW' },
    { cmd: 'export', cacheName: 'NAME' },
    { cmd: 'import', table: 'NAME' },
    { cmd: 'import', table: 'NAME', create: 'true' },
    { cmd: 'import', cacheName: 'NAME' },
    { cmd: 'exe', name: 'svc.cacheSizes', p1: 'NAME' },
    ...['SELECT * FROM OTHER', 'SELECT * FROM OWN', 'SELECT * FROM PUBLIC.OWN', 'SELECT 1', 'VALUES (1)'].flatMap(
      (qry) => [
        { cmd: 'qryfldexe', cacheName: 'NAME', pageSize: '1', qry },
        { cmd: 'dryrun', of: 'qryfldexe', cacheName: 'NAME', pageSize: '1', qry },
      ],
    ),
    { cmd: 'export', cacheName: 'NAME', table: 'OWN' },
    { cmd: 'export', cacheName: 'NAME', table: 'PUBLIC.OWN' },
    { cmd: 'import', cacheName: 'NAME', table: 'OWN' },
    { cmd: 'get', cacheName: 'own', key: '1', keyType: 'NAME' },
  ];
  for (const params of commands) {
    test(JSON.stringify(params), async () => {
      const pathOf = (name: string) =>
        `?${new URLSearchParams(
          Object.fromEntries(
            Object.entries(params).map(([key, value]) => [
              key,
              value.replaceAll('NAME', name).replaceAll('name', name.toLowerCase()),
            ]),
          ),
        )}`;
      const init =
        params.cmd === 'import' ? { body: 'ID,V\n1,1\n', headers: { 'content-type': 'text/csv' } } : undefined;
      const { forbidden, absent } = await both(init === undefined ? 'GET' : 'POST', pathOf, init);
      expect(forbidden).toEqual(absent);
    });
  }

  test('a cache with any right can be the one that the names of a statement are in', async () => {
    for (const cacheName of ['own', 'default']) {
      for (const qry of ['SELECT 1', 'SELECT COUNT(*) FROM OWN']) {
        const { text } = await send('ann', 'GET', `?${queryOf({ cmd: 'qryfldexe', pageSize: 1, cacheName, qry })}`);
        expect(JSON.parse(text)).toMatchObject({ successStatus: 0 });
      }
    }
  });
});
