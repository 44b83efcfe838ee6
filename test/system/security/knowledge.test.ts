/** Who may know what (SECURITY.md): each row is a command, a system view or a page, what it shows, and to whom. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const USERS = ['svc', 'ann', 'mona', 'audi', 'rita'] as const;
type User = (typeof USERS)[number];

const CONFIGURATION = {
  authentication: true,
  adminPassword: 'pw-svc',
  users: USERS.slice(1).map((name) => ({ name, password: `pw-${name}` })),
  permissions: {
    roles: {
      monitor: { administration: ['metrics'] },
      auditor: { caches: { '*': 'read' } },
      reader: { caches: { 'shop.*': ['read', 'create'] }, tasks: ['svc.*'] },
    },
    users: { mona: ['monitor'], audi: ['auditor'], rita: ['reader'] },
  },
};

let service: ServiceProcess;
const tokens = new Map<string, string>();

const as = (user: User, params: Readonly<Record<string, string | number>>) =>
  service.send(queryOf({ ...params, sessionToken: tokens.get(user) ?? '' }));
const statement = (qry: string) => ({ cmd: 'qryfldexe', pageSize: 1_000, qry });

async function run(params: Readonly<Record<string, string | number>>): Promise<void> {
  expect(await as('svc', params)).toMatchObject({ error: null });
}

beforeAll(async () => {
  const config = join(newFolder(), 'svc.config.ts');
  writeFileSync(config, `export default ${JSON.stringify(CONFIGURATION)};`);
  service = await startService({ args: ['--config', config], env: { SVC_WORKERS: '2' } });
  for (const user of USERS) {
    const { sessionToken } = await service.send(
      queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': `pw-${user}` }),
    );
    tokens.set(user, String(sessionToken));
  }
  for (const cacheName of ['shop.orders', 'staff.salaries']) {
    await run({ cmd: 'getorcreate', cacheName, cacheGroup: `group of ${cacheName}` });
    for (const key of [1, 2, 3]) await run({ cmd: 'put', cacheName, key, val: 'x' });
  }
  await run({ cmd: 'incr', key: 'counter-of-svc', delta: 1 });
  await run(statement('CREATE TABLE SECRET(ID INT PRIMARY KEY, V VARCHAR)'));
  await run(statement('CREATE TABLE COPY(ID VARCHAR PRIMARY KEY, V VARCHAR)'));
  await run(statement('CREATE VIEW HISTORY AS SELECT SQL FROM SYS.SQL_QUERIES_HISTORY'));
  await run(statement("SELECT 'literal-of-svc'"));
  // Their cursors stay open.
  await run({ ...statement("SELECT X, 'cursor-of-svc' FROM SYSTEM_RANGE(1, 1000)"), pageSize: 1 });
  await run({ cmd: 'qryscanexe', cacheName: 'staff.salaries', pageSize: 1 });
  await run({ cmd: 'exe', name: 'svc.sleep', p1: 600_000, async: 'true' });
}, 120_000);
afterAll(() => service[Symbol.asyncDispose]());

const OPERATORS: readonly User[] = ['svc', 'ann', 'mona'];
/** Those of the operators who may read system views. */
const VIEWING: readonly User[] = ['svc', 'ann'];
const ADMINISTRATOR: readonly User[] = ['svc'];

describe('is shown to', () => {
  const tasks = (name: string, ...caches: readonly string[]) => ({
    cmd: 'exe',
    name,
    ...Object.fromEntries(caches.map((cache, at) => [`p${at + 1}`, cache])),
  });
  const cases: ReadonlyArray<readonly [Readonly<Record<string, string | number>>, string, readonly User[]]> = [
    [{ cmd: 'top' }, 'staff.salaries', ['svc', 'ann', 'audi']],
    [{ cmd: 'top' }, 'shop.orders', ['svc', 'ann', 'audi', 'rita']],
    [{ cmd: 'top' }, 'nodeId', USERS],
    [{ cmd: 'top' }, '127.0.0.1', OPERATORS],
    [{ cmd: 'top', mtr: 'true' }, 'totalCpus', OPERATORS],
    [{ cmd: 'top', attr: 'true' }, 'org.apache.ignite.ips', OPERATORS],
    [{ cmd: 'node', ip: '127.0.0.1' }, 'nodeId', OPERATORS],
    [{ cmd: 'node', ip: '127.0.0.1' }, 'staff.salaries', ['svc', 'ann']],
    [{ cmd: 'baseline' }, 'topologyVersion', OPERATORS],
    [{ cmd: 'dataregion' }, 'name', OPERATORS],
    [{ cmd: 'metricshistory' }, 'intervalMs', OPERATORS],
    [{ cmd: 'state' }, 'ACTIVE', USERS],
    [{ cmd: 'log', lines: 1_000 }, 'Listening', ['svc', 'ann']],
    [{ cmd: 'backups' }, 'folder', ADMINISTRATOR],
    [{ cmd: 'config' }, 'SVC_DATA_DIR', ADMINISTRATOR],
    [{ cmd: 'userlist' }, '"mona"', ['svc', 'mona']],
    [{ cmd: 'rolelist' }, '"auditor"', ['svc', 'audi']],
    [{ cmd: 'sessionlist' }, '"user":"mona"', ['svc', 'mona']],
    [{ cmd: 'metadata', cacheName: '*' }, 'SECRET', ['svc', 'ann', 'audi']],
    [{ cmd: 'cachelist' }, 'staff.salaries', ['svc', 'ann', 'audi']],
    [{ cmd: 'size', cacheName: 'staff.salaries' }, '"response":3', ['svc', 'ann', 'audi']],
    [{ cmd: 'size', cacheName: 'shop.orders' }, '"response":3', ['svc', 'ann', 'audi', 'rita']],
    [{ cmd: 'cache', cacheName: 'staff.salaries' }, 'hits', ['svc', 'ann', 'audi']],
    [tasks('svc.cacheSizes'), 'staff.salaries', ['svc', 'ann']],
    [tasks('svc.cacheSizes', 'staff.salaries'), '"result"', ['svc', 'ann']],
    [tasks('svc.entriesDigest', 'shop.orders', 'staff.salaries'), 'digest', ['svc', 'ann']],
    [tasks('svc.entriesDigest', 'shop.orders'), 'digest', ['svc', 'ann', 'rita']],
    [statement('SELECT CACHE_NAME FROM SYS.CACHES'), 'staff.salaries', ['svc', 'ann', 'audi']],
    [statement('SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES'), 'SECRET', ['svc', 'ann', 'audi']],
    [statement('SELECT NAME FROM SYS.DS_ATOMICLONGS'), 'counter-of-svc', VIEWING],
    [statement('SELECT ADDRESSES FROM SYS.NODES'), '127.0.0.1', VIEWING],
    [statement('SELECT * FROM SYS.NODE_ATTRIBUTES'), 'org.apache.ignite.ips', VIEWING],
    [statement('SELECT * FROM SYS.BASELINE_NODE_ATTRIBUTES'), 'org.apache.ignite.ips', VIEWING],
    [statement('SELECT COUNT(*) FROM SYS.NODE_METRICS'), '[[1]]', VIEWING],
    [statement('SELECT * FROM SYS.CONFIGURATION'), 'svc-system-', VIEWING],
    [statement('SELECT * FROM SYS.METRICS'), 'svc.sessions', VIEWING],
    [statement('SELECT * FROM INFORMATION_SCHEMA.SETTINGS'), 'svc.dataDir', VIEWING],
    [statement('SELECT * FROM INFORMATION_SCHEMA.SETTINGS'), 'DEFAULT_ESCAPE', ['svc', 'ann', 'audi']],
    [statement('SELECT * FROM SYS.CLIENT_CONNECTIONS'), '127.0.0.1', VIEWING],
    [statement('SELECT NAME FROM INFORMATION_SCHEMA.USERS'), '"mona"', ADMINISTRATOR],
    [statement('SELECT NAME FROM INFORMATION_SCHEMA.USERS'), '"audi"', ['svc', 'audi']],
    [statement('SELECT SQL FROM SYS.SQL_QUERIES_HISTORY'), 'literal-of-svc', ADMINISTRATOR],
    [statement('SELECT * FROM HISTORY'), 'literal-of-svc', ADMINISTRATOR],
    [statement('SELECT * FROM INFORMATION_SCHEMA.QUERY_STATISTICS'), 'literal-of-svc', ADMINISTRATOR],
    [statement('SELECT * FROM SYS.RUNNING_STATEMENTS'), 'cursor-of-svc', ADMINISTRATOR],
    [statement('SELECT * FROM SYS.RUNNING_STATEMENTS'), 'RUNNING_STATEMENTS', ['svc', 'ann', 'audi']],
    [statement('SELECT * FROM SYS.SQL_QUERIES'), 'cursor-of-svc', ADMINISTRATOR],
    [statement('SELECT * FROM INFORMATION_SCHEMA.SESSIONS'), 'cursor-of-svc', ADMINISTRATOR],
    [statement('SELECT CACHE_NAME FROM SYS.SCAN_QUERIES'), 'staff.salaries', ADMINISTRATOR],
    [statement('SELECT * FROM SYS.TASKS'), 'svc.sleep', ADMINISTRATOR],
    [statement('SELECT * FROM SYS.JOBS'), 'svc.sleep', ADMINISTRATOR],
  ];
  for (const [params, text, users] of cases) {
    test(`${users.join(', ')}: ${text} by ${Object.values(params).join(' ')}`, async () => {
      const shown: User[] = [];
      for (const user of USERS) {
        const answer = await as(user, params);
        if (answer.successStatus !== 3) expect([user, answer.error]).toEqual([user, null]);
        // An error text quotes the request.
        if (answer.error === null && answer.text.includes(text)) shown.push(user);
      }
      expect(shown).toEqual([...users]);
    }, 60_000);
  }

  test(`${OPERATORS.join(', ')}: the page of metrics`, async () => {
    const statuses = await Promise.all(
      USERS.map(async (user) => {
        const answer = await fetch(`${service.origin}/metrics?sessionToken=${tokens.get(user)}`);
        return [user, (await answer.text()).includes('svc_')];
      }),
    );
    expect(statuses).toEqual(USERS.map((user) => [user, OPERATORS.includes(user)]));
  });
});

describe('a user learns nothing of the statements of others', () => {
  const where = "WHERE SQL LIKE '%literal-of-s%'";

  test('by copying a view into a table', async () => {
    const copy = statement(`INSERT INTO COPY SELECT SQL, SQL FROM SYS.SQL_QUERIES_HISTORY ${where} GROUP BY SQL`);
    expect((await as('ann', copy)).response).toMatchObject({ items: [[0]] });
  });

  test('in a statement by key', async () => {
    await run(statement("MERGE INTO SECRET(ID, V) VALUES(1, 'v')"));
    const query = `SELECT (SELECT COUNT(*) FROM SYS.SQL_QUERIES_HISTORY ${where}) FROM SECRET WHERE ID = 1`;
    expect((await as('ann', statement(query))).response).toMatchObject({ items: [[0]] });
  });
});

test('an API key knows what its user and its scope allow', async () => {
  const shown = async (scope: string | undefined) => {
    const added = await as('svc', { cmd: 'apikeyadd', name: `k${scope ?? ''}`, ...(scope !== undefined && { scope }) });
    const { key } = added.response as { key: string };
    const headers = { Authorization: `Bearer ${key}` };
    const top = await service.send('cmd=top', { headers });
    const users = await service.send(queryOf(statement('SELECT NAME FROM INFORMATION_SCHEMA.USERS')), { headers });
    return [
      top.text.includes('127.0.0.1'),
      top.text.includes('staff.salaries'),
      users.error === null && users.text.includes('"mona"'),
    ];
  };
  expect(await shown(undefined)).toEqual([true, true, false]);
  expect(await shown('{"caches":{"shop.*":"read"}}')).toEqual([false, false, false]);
  expect(await shown('{"caches":{"*":"read"},"administration":["users"]}')).toEqual([true, true, true]);
});

test.each([
  ['shop.orders', 'Backups mismatch .*existingCache=shop.orders, existingBackups=0, startingCache=shop.new'],
  ['staff.salaries', 'Mode, backups or data region differ .*groupName=group of staff.salaries, startingCache=shop.new'],
])('an error names the other cache of a group if the user may know it: %s', async (cacheName, text) => {
  const create = { cmd: 'getorcreate', cacheName: 'shop.new', cacheGroup: `group of ${cacheName}`, backups: 2 };
  for (const params of [create, { ...create, cmd: 'dryrun', of: 'getorcreate' }]) {
    const { error } = await as('rita', params);
    expect(error).toMatch(new RegExp(text));
    expect(error).not.toContain('existingCache=staff');
    expect((await as('svc', params)).error).toContain(`existingCache=${cacheName}`);
  }
});

describe('a denial is the same for what is absent and for what is forbidden', () => {
  const forms: ReadonlyArray<readonly [(name: string) => Record<string, string | number>, string, string]> = [
    [(name) => statement(`SELECT * FROM ${name}`), 'SECRET', 'ABSENT'],
    [(name) => statement(`DELETE FROM PUBLIC.${name}`), 'SECRET', 'ABSENT'],
    [(name) => ({ cmd: 'export', table: name }), 'SECRET', 'ABSENT'],
    [(name) => ({ cmd: 'import', table: name }), 'SECRET', 'ABSENT'],
    [(cacheName) => ({ cmd: 'get', cacheName, key: 1 }), 'staff.salaries', 'staff.absences'],
    [(cacheName) => ({ cmd: 'size', cacheName }), 'staff.salaries', 'staff.absences'],
    [(cacheName) => ({ cmd: 'metadata', cacheName }), 'staff.salaries', 'staff.absences'],
    [(cacheName) => ({ cmd: 'cache', cacheName }), 'staff.salaries', 'staff.absences'],
    [(cacheName) => ({ cmd: 'qryscanexe', cacheName, pageSize: 1 }), 'staff.salaries', 'staff.absences'],
    [(key) => ({ cmd: 'incr', key, delta: 1 }), 'counter-of-svc', 'counter-of-nobody'],
    [(name) => ({ cmd: 'exe', name: 'svc.cacheSizes', p1: name }), 'staff.salaries', 'staff.absences'],
  ];
  for (const [form, forbidden, absent] of forms) {
    test(Object.values(form(forbidden)).join(' '), async () => {
      const one = await as('rita', form(forbidden));
      const other = await as('rita', form(absent));
      expect([one.http, one.successStatus]).toEqual([other.http, 3]);
      expect(one.error).toBe(String(other.error).replaceAll(absent, forbidden));
    });
  }
});
