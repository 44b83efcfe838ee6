import { describe, expect, test } from 'bun:test';
import type { Compatibility } from '../../base/compatibility.ts';
import type { Caller, CallerKey } from '../../commands/context.ts';
import { COMMANDS, findCommand } from '../../commands/registry.ts';
import type { CacheDefinition } from '../../grid/grid.ts';
import { analyze, isAdministrative } from '../../sql/analysis/analysis.ts';
import { createPermissions, type PermissionDeclaration, type PermissionOptions } from './permissions.ts';
import { rightsOfStatement } from './statement-access.ts';

const DECLARATION: PermissionDeclaration = {
  roles: {
    reader: { commands: ['@entry', '@bulk', 'size', '@query'], caches: { 'shop.*': 'read', exact: 'read' } },
    clerk: { caches: { 'shop.*': 'write' }, counters: ['shop.*'], tasks: ['report.*'] },
    analyst: { commands: ['@query', 'metadata'], caches: { '*': 'read' } },
    operator: { commands: ['@cluster', 'log'], administration: ['state', 'log'] },
    people: { commands: ['@user'], administration: ['users'] },
    nothing: {},
    tester: { caches: { 'shop.*': 'read' }, tasks: ['svc.*'] },
    writer: { commands: ['@entry'], caches: { 'shop.*': ['put', 'remove'] } },
  },
  users: {
    rita: ['reader'],
    carl: ['clerk'],
    rico: ['reader', 'clerk'],
    wim: ['writer'],
    rosa: ['reader', 'writer'],
    anna: ['analyst'],
    otto: ['operator'],
    paul: ['people'],
    nora: ['nothing'],
    tess: ['tester'],
    root: ['admin'],
  },
};

const ORDERS_MISSING = 'read on table ORDERS or cache * in the scope of the API key 17';

/** Caches by schema and name of their tables. */
const TABLES: Readonly<Record<string, string>> = {
  'PUBLIC.ORDERS': 'shop.orders',
  'PUBLIC.ITEMS': 'shop.items',
  'PUBLIC.SALARIES': 'staff.salaries',
  'staff.PEOPLE': 'staff',
};

function optionsOf(declaration: PermissionDeclaration, compatibility: Compatibility = 'contract'): PermissionOptions {
  return {
    declaration,
    defaultUser: 'svc',
    defaultCache: 'default',
    compatibility: compatibility,
    cacheOfTable: ({ schema, name }, cache) => TABLES[`${schema ?? (cache === 'staff' ? 'staff' : 'PUBLIC')}.${name}`],
    commands: COMMANDS,
    storedRoles: { find: () => undefined, atHand: () => undefined },
  };
}

const create = (declaration: PermissionDeclaration = DECLARATION, compatibility: Compatibility = 'contract') =>
  createPermissions(optionsOf(declaration, compatibility));
const permissions = create();
const caller = (user: string): Caller => ({ user, token: null, subjectId: null });

function missing(user: string, name: string, args: Record<string, unknown>, by = permissions, key?: CallerKey): string {
  const command = findCommand(name);
  if (command === undefined) throw new Error(`no command ${name}`);
  try {
    by.check({ ...caller(user), key }, command, args);
    return '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED' });
    const text = error instanceof Error ? error.message : '';
    return /missing=(.*)\]$/.exec(text)?.[1] ?? text;
  }
}

describe('what is missing', () => {
  const shop = { cacheName: 'shop.orders' };
  /** User, command, arguments, what the error names (empty: allowed). */
  const cases: ReadonlyArray<readonly [string, string, Record<string, unknown>, string]> = [
    ['svc', 'adduser', {}, ''],
    ['svc', 'put', shop, ''],
    ['root', 'adduser', {}, ''],
    ['somebody', 'put', shop, ''],
    ['somebody', 'setstate', {}, 'administration state'],
    ['somebody', 'activate', {}, 'administration state'],
    ['svc', 'setstate', {}, ''],
    ['root', 'setstate', {}, ''],
    ['somebody', 'log', {}, ''],
    ['somebody', 'destcache', shop, ''],
    ['somebody', 'exe', { name: 'x' }, ''],
    ['somebody', 'qryfldexe', { qry: 'drop table t' }, ''],
    // The user service rejects it with Ignite's text.
    ['somebody', 'adduser', {}, ''],
    ['rita', 'get', shop, ''],
    ['rita', 'get', { cacheName: 'exact' }, ''],
    ['rita', 'get', { cacheName: 'exactly' }, 'read on cache exactly'],
    ['rita', 'get', { cacheName: 'SHOP.orders' }, 'read on cache SHOP.orders'],
    ['rita', 'get', { cacheName: 'my.shop.orders' }, 'read on cache my.shop.orders'],
    ['rita', 'get', { cacheName: 'shopXorders' }, 'read on cache shopXorders'],
    ['rita', 'get', { cacheName: 'shop.a\nb' }, ''],
    ['rita', 'get', {}, 'read on cache default'],
    ['rita', 'put', shop, 'put on cache shop.orders'],
    ...['put', 'putifabs', 'add', 'rep', 'append', 'rmv'].map((name) => ['wim', name, shop, ''] as const),
    ...['getput', 'getputifabs', 'getrep', 'getrmv', 'cas', 'repval', 'rmvval'].flatMap(
      (name) =>
        [
          ['wim', name, shop, 'read on cache shop.orders'],
          ['rosa', name, shop, ''],
        ] as const,
    ),
    ['rita', 'getput', shop, 'put on cache shop.orders'],
    ['rita', 'getrmv', shop, 'remove on cache shop.orders'],
    ['rita', 'rmvall', shop, 'remove on cache shop.orders'],
    ['rita', 'size', shop, ''],
    ['rita', 'clear', shop, 'command clear'],
    ['rita', 'incr', { key: 'a' }, 'command incr'],
    ['rita', 'qryscanexe', shop, ''],
    ['rita', 'qryexe', { ...shop, qry: '1=1' }, 'read on cache *'],
    ['rita', 'qryfetch', {}, ''],
    ['rita', 'authenticate', {}, ''],
    ['rita', 'probe', {}, ''],
    ['rita', 'version', {}, 'command version'],
    ['carl', 'put', shop, ''],
    ['carl', 'getorcreate', shop, 'create on cache shop.orders'],
    ['carl', 'destcache', shop, 'destroy on cache shop.orders'],
    ['carl', 'incr', { key: 'shop.visits' }, ''],
    ['carl', 'incr', { key: 'visits' }, 'counter visits'],
    ['carl', 'exe', { name: 'report.daily' }, ''],
    ['carl', 'exe', { name: 'svc.sleep' }, 'task svc.sleep'],
    ['carl', 'exe', {}, 'task '],
    ['carl', 'setstate', {}, 'administration state'],
    ['carl', 'log', {}, 'administration log'],
    ['carl', 'adduser', {}, 'administration users'],
    ['carl', 'updateuser', {}, ''],
    ['carl', 'metadata', shop, ''],
    ['carl', 'metadata', { cacheName: '*' }, 'read on cache *'],
    ['rico', 'put', shop, ''],
    ['rico', 'get', { cacheName: 'exact' }, ''],
    ['rico', 'put', { cacheName: 'exact' }, 'put on cache exact'],
    ['anna', 'qryfldexe', { qry: 'select * from t' }, ''],
    ['anna', 'qryfldexe', { qry: 'create index i on t(a)' }, 'read, put, remove, create, destroy on cache *'],
    ['anna', 'qryfldexe', { qry: "create user x with password 'y'" }, ''],
    ['anna', 'metadata', { cacheName: '*' }, ''],
    ['anna', 'get', shop, 'command get'],
    ['otto', 'setstate', {}, ''],
    ['otto', 'deactivate', {}, ''],
    ['otto', 'log', {}, ''],
    ['otto', 'top', {}, ''],
    ['otto', 'get', shop, 'command get'],
    ['paul', 'adduser', {}, ''],
    ['paul', 'setstate', {}, 'command setstate'],
    ['nora', 'state', {}, ''],
    ['nora', 'get', shop, 'read on cache shop.orders'],
    ['nora', 'top', {}, ''],
    ['nora', 'baseline', {}, 'administration metrics'],
    ['otto', 'baseline', {}, ''],
    ['carl', 'exe', { name: 'report.day', arguments: ['staff.salaries'] }, ''],
    ['somebody', 'exe', { name: 'svc.cacheSizes', arguments: [] }, ''],
    ['tess', 'exe', { name: 'svc.cacheSizes', arguments: [] }, 'read on cache *'],
    ['tess', 'exe', { name: 'svc.entriesDigest', arguments: ['shop.a', 'staff'] }, 'read on cache staff'],
    ['tess', 'exe', { name: 'svc.entriesDigest', arguments: ['shop.a'] }, ''],
    ['tess', 'exe', { name: 'svc.echo', arguments: ['staff'] }, ''],
  ];
  for (const [user, command, args, expected] of cases) {
    const judged = expected === '' ? 'is allowed' : `misses ${expected}`;
    const title = `${user}: ${command} ${JSON.stringify(args)} ${judged}`;
    test(title, () => expect(missing(user, command, args)).toBe(expected));
  }

  /** User, statement, cache of the request, what the error names (empty: allowed). */
  const statements: ReadonlyArray<readonly [string, string, string | undefined, string]> = [
    ['rita', 'select 1', undefined, ''],
    ['rita', 'select * from orders', undefined, ''],
    ['rita', 'select * from public.orders o join items i on i.id = o.item', undefined, ''],
    ['rita', 'explain select * from orders', undefined, ''],
    ['rita', 'select * from salaries', undefined, 'read on table SALARIES or cache *'],
    ['rita', 'select * from orders, salaries', undefined, 'read on table SALARIES or cache *'],
    [
      'rita',
      'select * from orders where id in (select id from salaries)',
      undefined,
      'read on table SALARIES or cache *',
    ],
    ['rita', 'select (select max(pay) from salaries) from orders', undefined, 'read on table SALARIES or cache *'],
    ['rita', 'select * from orders union all select * from salaries', undefined, 'read on table SALARIES or cache *'],
    ['rita', 'with o as (select * from salaries) select * from o', undefined, 'read on table SALARIES or cache *'],
    ['rita', 'with salaries as (select * from orders) select * from salaries', undefined, ''],
    [
      'rita',
      'select * from (with salaries as (select 1) select * from salaries) x, salaries',
      undefined,
      'read on table SALARIES or cache *',
    ],
    ['rita', 'explain select * from salaries', undefined, 'read on table SALARIES or cache *'],
    ['rita', 'select * from people', 'staff', 'read on table PEOPLE or cache *'],
    ['rita', 'select 1', 'staff', 'read on cache staff'],
    ['rita', 'select * from "shop".orders', 'staff', 'read on cache staff'],
    ['rita', 'select 1', 'shop.orders', ''],
    ['rita', 'select * from "staff".people', undefined, 'read on table staff.PEOPLE or cache *'],
    ['rita', 'select * from t', undefined, `read on table T or cache *`],
    ['rita', 'select * from sys.tables', undefined, 'read on table SYS.TABLES or cache *'],
    ['rita', 'delete from orders', undefined, 'read, put, remove on table ORDERS or cache *'],
    [
      'rita',
      'select * frm orders',
      undefined,
      'read, put, remove, create, destroy on cache * (the statement could not be analysed)',
    ],
    ['rico', 'insert into orders select * from items', undefined, ''],
    ['rico', 'update orders set v = (select max(pay) from salaries)', undefined, 'read on table SALARIES or cache *'],
    ['rico', 'merge into orders values(1)', undefined, ''],
    ['rico', 'insert into salaries select * from orders', undefined, 'read, put, remove on table SALARIES or cache *'],
    ['rico', 'drop table orders', undefined, 'read, put, remove, create, destroy on cache *'],
    [
      'rico',
      'delete from orders; delete from salaries',
      undefined,
      'read, put, remove, create, destroy on cache * (the statement could not be analysed)',
    ],
    ['anna', 'insert into t values(1)', undefined, `read, put, remove on table T or cache *`],
  ];
  for (const [user, qry, cacheName, expected] of statements) {
    test(`${user}: ${qry} ${expected === '' ? 'is allowed' : `misses ${expected}`}`, () => {
      const by = create({
        roles: {
          ...DECLARATION.roles,
          reader: { caches: { 'shop.*': 'read' } },
          clerk: { caches: { 'shop.*': 'write' } },
        },
        users: { ...DECLARATION.users },
      });
      expect(missing(user, 'qryfldexe', cacheName === undefined ? { qry } : { qry, cacheName }, by)).toBe(expected);
    });
  }

  test('every user may change the state in Ignite mode', () => {
    expect(missing('somebody', 'setstate', {}, create(DECLARATION, 'reference'))).toBe('');
  });

  test('metadata of all caches in Ignite mode', () => {
    expect(missing('carl', 'metadata', {}, create(DECLARATION, 'reference'))).toBe('read on cache *');
  });

  test('the roles of all others can be set', () => {
    expect(missing('somebody', 'put', shop, create({ ...DECLARATION, others: ['reader'] }))).toBe(
      'put on cache shop.orders',
    );
  });

  const managers: ReadonlyArray<readonly [string, boolean]> = [
    ['svc', true],
    ['root', true],
    ['paul', true],
    ['somebody', false],
    ['carl', false],
  ];
  for (const [user, manages] of managers) {
    test(`${user} ${manages ? 'manages' : 'does not manage'} users`, () =>
      expect([permissions.isAdministrator(user), permissions.manages(caller(user))]).toEqual([manages, manages]));
  }
});

describe('mistakes in the declaration', () => {
  const cases: ReadonlyArray<readonly [PermissionDeclaration, string]> = [
    [{ roles: { admin: {} } }, 'permissions.roles.admin: this role is built in'],
    [{ roles: { r: { commands: ['gett'] } } }, 'permissions.roles.r.commands: there is no command gett'],
    [
      { roles: { r: { commands: ['@entries'] } } },
      'permissions.roles.r.commands: there is no group entries; there are',
    ],
    [{ users: { ann: ['readr'] } }, 'permissions.users.ann: there is no role readr; there are admin, user'],
    [{ others: ['none'] }, 'permissions.others: there is no role none'],
  ];
  for (const [declaration, text] of cases) test(text, () => expect(() => create(declaration)).toThrow(text));
});

describe('what a statement needs', () => {
  const cases: ReadonlyArray<readonly [string, number, string | undefined]> = [
    ['select 1', 1, undefined],
    ['  (select 1) union (select 2)', 1, undefined],
    ['/* drop */ -- update\nselect 1', 1, undefined],
    ['values(1)', 1, undefined],
    // Statements outside the grammar need every right.
    ['explain delete from t', 5, undefined],
    ['with a as (select 1) select * from a', 1, undefined],
    ['with a as (select \'delete\') select "update" from a', 1, undefined],
    ['with a as (select 1) insert into t select * from a', 3, undefined],
    ['INSERT into t values(1)', 3, undefined],
    ['merge into t values(1)', 3, undefined],
    ['create table t(id int primary key)', 5, 'CREATE TABLE'],
    ['alter table t add column c int', 5, 'ALTER TABLE'],
    ['call f()', 5, 'CALL F'],
    ['', 1, undefined],
    ['explain analyze delete from t', 5, undefined],
    ['select $$x$$; drop table t', 5, undefined],
    ['select `a` from t', 1, undefined],
    ['truncate table t', 5, 'TRUNCATE TABLE'],
    ['explain analyze select 1', 1, undefined],
    ['/* /* */ select 1 */ delete from t', 5, undefined],
    ['-- \r select 1 \n delete from t', 5, undefined],
    ['select 1\r\n', 1, undefined],
    ["create user ann with password 'x'", 0, 'CREATE USER'],
    ['drop user "ann"', 0, 'DROP USER'],
  ];
  for (const [sql, rights, administration] of cases) {
    test(JSON.stringify(sql), () => {
      const analysis = analyze(sql);
      expect(rightsOfStatement(analysis.kind)).toHaveLength(rights);
      expect(isAdministrative(analysis) ? analysis.verb : undefined).toBe(administration);
    });
  }
});

describe('what is missing to read the system views of a cluster', () => {
  const viewer: PermissionDeclaration = {
    roles: {
      auditor: { caches: { '*': 'all' } },
      monitor: { caches: { '*': 'all' }, administration: ['metrics'] },
      reader: { caches: { t: 'read' } },
    },
    users: { rita: ['reader'], audi: ['auditor'], mona: ['monitor'] },
  };
  const onCluster = createPermissions({ ...optionsOf(viewer), isCluster: true, cacheOfTable: () => undefined });
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['audi', 'select * from sys.caches', ''],
    ['audi', 'select * from sys.sql_queries_history', 'administration users to read SYS.SQL_QUERIES_HISTORY'],
    ['mona', 'select * from "SYS"."SQL_QUERIES"', 'administration users to read SYS.SQL_QUERIES'],
    ['somebody', 'select 1 from t, sys.sql_queries', 'administration users to read SYS.SQL_QUERIES'],
    ['somebody', 'create view v as select * from sys.tasks', 'administration users to read SYS.TASKS'],
    ['somebody', 'insert into t select * from sys.jobs', 'administration users to read SYS.JOBS'],
    ['somebody', 'explain select * from sys.jobs', 'administration users to read SYS.JOBS'],
    ['svc', 'select * from sys.sql_queries_history', ''],
    ['audi', 'select * from sys.nodes', 'administration metrics to read SYS.NODES'],
    ['mona', 'select * from sys.nodes', ''],
    ['mona', 'select * from sys.ds_atomiclongs', 'counter * to read SYS.DS_ATOMICLONGS'],
    ['somebody', 'select * from sys.ds_atomiclongs', ''],
    // Ignite reads a table instead of a common table of its name, and only the cluster knows its tables.
    ['rita', 'select 1', ''],
    ['rita', 'with t as (select 1 v) select 1', ''],
    ['rita', 'with t as (select 1 v) select * from t', 'read on table T or cache *'],
    ['audi', 'with t as (select 1 v) select * from t', ''],
  ];
  for (const [user, qry, expected] of cases) {
    test(`${user}: ${qry}`, () => expect(missing(user, 'qryfldexe', { qry }, onCluster)).toBe(expected));
  }
});

describe('what a caller may know', () => {
  const cacheOf = (name: string, tableName?: string): CacheDefinition => ({
    name,
    mode: 'PARTITIONED',
    backups: 0,
    region: 'default',
    group: undefined,
    writeMode: 'FULL_SYNC',
    atomicity: 'ATOMIC',
    schema: tableName === undefined ? undefined : 'PUBLIC',
    entities: tableName === undefined ? [] : [{ keyType: 'int', valueType: 'row', tableName, fields: [] }],
    persistent: true,
  });
  const CACHES = [cacheOf('shop.orders', 'ORDERS'), cacheOf('staff.salaries', 'SALARIES'), cacheOf('default')];
  const tables: PermissionDeclaration = {
    roles: { tables: { tables: { SALARIES: 'read', 'OTHER.*': 'all' } }, none: { caches: { 'shop.*': [] } } },
    users: { tim: ['tables'], ned: ['none'] },
  };
  /** User, scope of the key, what is known: users, service, counters, and caches. */
  const cases: ReadonlyArray<readonly [string, string | undefined, readonly string[]]> = [
    ['svc', undefined, ['users', 'service', 'counters', 'shop.orders', 'staff.salaries', 'default']],
    ['root', undefined, ['users', 'service', 'counters', 'shop.orders', 'staff.salaries', 'default']],
    ['paul', undefined, ['users', 'service', 'counters', 'shop.orders', 'staff.salaries', 'default']],
    ['somebody', undefined, ['service', 'counters', 'shop.orders', 'staff.salaries', 'default']],
    ['otto', undefined, ['service']],
    ['anna', undefined, ['shop.orders', 'staff.salaries', 'default']],
    ['rita', undefined, ['shop.orders']],
    ['carl', undefined, ['shop.orders']],
    ['wim', undefined, ['shop.orders']],
    ['nora', undefined, []],
    ['tim', undefined, ['staff.salaries']],
    ['ned', undefined, []],
    ['svc', '', ['service', 'counters', 'shop.orders', 'staff.salaries', 'default']],
    ['svc', '{"caches":{"staff.*":"read"}}', ['staff.salaries']],
    ['rita', '{"caches":{"staff.*":"read"}}', []],
    ['svc', '{"administration":["metrics"]}', ['service']],
    ['somebody', '{"administration":["users"]}', ['service']],
  ];
  for (const [user, scope, expected] of cases) {
    test(`${user}${scope === undefined ? '' : ` with a key of scope ${scope || 'none'}`}`, () => {
      const key = scope === undefined ? undefined : { id: '17', scope: scope === '' ? undefined : scope };
      const by = user === 'tim' || user === 'ned' ? create(tables) : permissions;
      const { knows, cache } = by.knowledgeOf({ ...caller(user), key });
      const known = Object.entries(knows).flatMap(([name, isKnown]) => (isKnown ? [name] : []));
      expect([...known, ...CACHES.filter(cache).map(({ name }) => name)]).toEqual([...expected]);
    });
  }

  test.each([
    ['svc', true],
    ['somebody', true],
    ['otto', true],
    ['rita', false],
  ])('%s reads the page of metrics: %p', async (user, expected) => {
    const check = permissions.checkMonitoring(caller(user));
    if (expected) expect(await check).toBeUndefined();
    else await expect(check).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe('what is missing for an API key', () => {
  /** User, scope, command, arguments, what the error names (empty: allowed). */
  const cases: ReadonlyArray<readonly [string, string | undefined, string, Record<string, unknown>, string]> = [
    ['somebody', undefined, 'put', { cacheName: 'a' }, ''],
    ['somebody', undefined, 'incr', { key: 'a' }, ''],
    ['somebody', undefined, 'log', {}, 'administration log in the scope of the API key 17'],
    ['svc', undefined, 'adduser', {}, 'administration users in the scope of the API key 17'],
    ['svc', undefined, 'updateuser', {}, 'administration users in the scope of the API key 17'],
    ['svc', undefined, 'apikeyadd', {}, 'administration users in the scope of the API key 17'],
    ['svc', '{"administration":["users"]}', 'apikeyadd', {}, ''],
    ['svc', '{"administration":["users"]}', 'adduser', {}, ''],
    ['svc', '{"administration":["users"]}', 'setstate', {}, 'administration state in the scope of the API key 17'],
    // The user's own rights are checked first, so a scope grants nothing beyond them.
    ['somebody', '{"administration":["state"]}', 'setstate', {}, 'administration state'],
    ['rita', '{"caches":{"*":"all"}}', 'put', { cacheName: 'shop.a' }, 'put on cache shop.a'],
    ['rita', '{"caches":{"*":"all"}}', 'clear', { cacheName: 'shop.a' }, 'command clear'],
    ['rita', '{"caches":{"*":"all"}}', 'get', { cacheName: 'shop.a' }, ''],
    ['somebody', '{}', 'get', { cacheName: 'a' }, 'read on cache a in the scope of the API key 17'],
    ['somebody', '{"commands":["@entry"],"caches":{"a*":"read"}}', 'get', { cacheName: 'abc' }, ''],
    [
      'somebody',
      '{"commands":["@entry"],"caches":{"a*":"read"}}',
      'put',
      { cacheName: 'abc' },
      'put on cache abc in the scope of the API key 17',
    ],
    [
      'somebody',
      '{"commands":["@entry"],"caches":{"a*":"read"}}',
      'size',
      { cacheName: 'abc' },
      'command size in the scope of the API key 17',
    ],
    ['somebody', '{"counters":["c.*"]}', 'incr', { key: 'c.1' }, ''],
    ['somebody', '{"counters":["c.*"]}', 'incr', { key: 'd' }, 'counter d in the scope of the API key 17'],
    ['somebody', '{"tasks":["t"]}', 'exe', { name: 't' }, ''],
    ['somebody', '{"tables":{"Orders":"read"}}', 'qryfldexe', { qry: 'select * from orders' }, ''],
    ['somebody', '{"tables":{"PUBLIC.ORDERS":"read"}}', 'qryfldexe', { qry: 'select * from public.orders' }, ''],
    ['somebody', '{"tables":{"\\"Orders\\"":"read"}}', 'qryfldexe', { qry: 'select 1 from orders' }, ORDERS_MISSING],
    [
      'somebody',
      '{"tables":{"ORDERS":"read"}}',
      'qryfldexe',
      { qry: 'select * from orders, items' },
      'read on table ITEMS or cache * in the scope of the API key 17',
    ],
    [
      'somebody',
      '{"tables":{"ORDERS":"read"}}',
      'qryfldexe',
      { qry: 'delete from orders' },
      'read, put, remove on table ORDERS or cache * in the scope of the API key 17',
    ],
    ['somebody', '{"tables":{"ORDERS":"write"}}', 'qryfldexe', { qry: 'delete from orders' }, ''],
    // Rights on a table are not rights on the entries of its cache.
    [
      'somebody',
      '{"tables":{"ORDERS":"all"}}',
      'get',
      { cacheName: 'shop.orders' },
      'read on cache shop.orders in the scope of the API key 17',
    ],
    // In a statement over another cache, the name without a schema means another table.
    [
      'somebody',
      '{"tables":{"PEOPLE":"read"}}',
      'qryfldexe',
      { cacheName: 'staff', qry: 'select * from PEOPLE' },
      'read on table PEOPLE or cache * in the scope of the API key 17',
    ],
  ];
  for (const [user, scope, name, args, expected] of cases) {
    test(`${user} with ${scope ?? 'no scope'}: ${name} ${JSON.stringify(args)}`, () =>
      expect(missing(user, name, args, permissions, { id: '17', scope })).toBe(expected));
  }

  test('roles of a token replace those of the user', () => {
    const given = (roles: readonly string[]) => ({ ...caller('rita'), roles });
    expect(permissions.manages(given(['people']))).toBe(true);
    expect(permissions.manages(given(['reader']))).toBe(false);
    expect(permissions.manages(given([]))).toBe(false);
  });
});
