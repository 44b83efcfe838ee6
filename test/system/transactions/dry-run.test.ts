/** Dry runs over real sockets (docs/spec/extensions.md 11). */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { WORKERS } from '../modes.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const ROWS = [
  [1, 10],
  [2, 20],
];

describe.each(WORKERS)('dry runs with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  const sql = (qry: string, of = '', timeout: number | string = 0) =>
    service.send(
      `cmd=${of === '' ? 'qryfldexe' : 'dryrun&of=qryfldexe'}&pageSize=10&timeout=${timeout}&qry=${encodeURIComponent(qry)}`,
    );

  beforeAll(async () => {
    service = await startService({ env: { SVC_WORKERS: String(workers) } });
    await sql('CREATE TABLE item (id INT PRIMARY KEY, n INT)');
    await sql('INSERT INTO item VALUES (1, 10), (2, 20)');
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const STATEMENTS: ReadonlyArray<readonly [statement: string, expected: unknown]> = [
    ['INSERT INTO item VALUES (3, 30), (4, 40)', [[2]]],
    ['UPDATE item SET n = n + 1 WHERE n >= 10', [[2]]],
    ['DELETE FROM item', [[2]]],
    ['MERGE INTO item VALUES (1, 11), (5, 50)', [[2]]],
    ['INSERT INTO item VALUES (1, 1)', 'already in cache [keys=[1]]'],
    ["UPDATE item SET n = 'x'", 'x'],
    ['DELETE FROM nothing', 'NOTHING'],
    ['ANALYZE item', 'There is no dry run of ANALYZE: it changes no data, only how later statements are planned'],
    [`KILL QUERY '${crypto.randomUUID()}_1'`, 'There is no dry run of KILL QUERY: the query may end before'],
    ['TRUNCATE TABLE item', 'Unsupported statement'],
  ];

  test.each(STATEMENTS)('%s', async (statement, expected) => {
    const { error, response } = await sql(statement, 'dryrun');
    if (typeof expected === 'string') expect(error).toContain(expected);
    else expect({ error, response }).toMatchObject({ error: null, response: { response: { items: expected } } });
    expect((await sql('SELECT id, n FROM item ORDER BY id')).response).toMatchObject({ items: ROWS });
  });

  test('of long statements: rows are changed and rolled back, definitions are rejected', async () => {
    const numbers = Array.from({ length: 400 }, (_, number) => number);
    const insert = `INSERT INTO item VALUES ${numbers.map((number) => `(${number + 3}, ${number})`).join()}`;
    expect((await sql(insert, 'dryrun')).response).toMatchObject({ response: { items: [[400]] } });
    const create = `CREATE TABLE wide (id INT PRIMARY KEY, ${numbers.map((number) => `column_${number} INT`).join()})`;
    const reason = 'There is no dry run of CREATE TABLE: the statement is too long to be previewed';
    expect((await sql(create, 'dryrun')).error).toBe(reason);
    const short = create.replaceAll('column_', 'c');
    expect((await sql(short, 'dryrun')).response).toMatchObject({ effects: [{ table: 'PUBLIC.WIDE' }] });
    const comment = `CREATE INDEX long_name ON item (n) ${'-'.repeat(10_000)}`;
    expect((await sql(comment, 'dryrun')).error).toBe(reason.replace('TABLE', 'INDEX'));
    expect((await sql('SELECT id, n FROM item ORDER BY id')).response).toMatchObject({ items: ROWS });
  });

  test('end at the time limit of the statement', async () => {
    const endless =
      'UPDATE item SET n = (SELECT count(*) FROM system_range(1, 100000000) a, system_range(1, 100000000) b)';
    expect((await sql(endless, 'dryrun', 300)).error).toContain('time limit');
    expect((await sql('DELETE FROM item', 'dryrun', 'x')).error).toContain('timeout');
  });

  test('of a batch are rejected where a command cannot be undone, with its number', async () => {
    const put = { cmd: 'put', key: 'a', val: '1' };
    const statement = (qry: string) => ({ cmd: 'qryfldexe', pageSize: '1', qry });
    const cases: ReadonlyArray<readonly [command: object, name: string]> = [
      [statement('DROP TABLE item'), 'qryfldexe'],
      [statement('ANALYZE item'), 'qryfldexe'],
      [statement('CREATE USER "ann" WITH PASSWORD \'secret\''), 'qryfldexe'],
      [{ cmd: 'destcache', cacheName: 'default' }, 'destcache'],
      [{ cmd: 'getorcreate', cacheName: 'new' }, 'getorcreate'],
    ];
    for (const [command, name] of cases) {
      const commands = encodeURIComponent(JSON.stringify([put, command]));
      const dry = await service.send(`cmd=dryrun&of=batch&commands=${commands}`);
      expect(dry.error).toBe(
        'There is no dry run of batch: it runs as an atomic one, which command 2 ' +
          `(${name}) cannot be part of; run that dry by itself`,
      );
      // An atomic batch is itself rejected, and its dry run says so.
      const { error } = await service.send(`cmd=batch&atomic=true&commands=${commands}`);
      expect((await service.send(`cmd=dryrun&of=batch&atomic=true&commands=${commands}`)).error).toBe(error);
      expect(error).toContain('Command 2 of the batch');
    }
    expect(await service.command('cmd=get&key=a')).toBeNull();
    expect((await sql('SELECT id, n FROM item ORDER BY id')).response).toMatchObject({ items: ROWS });
  });

  test('leave entries, counters and the number of entries as they are, also later [15.2]', async () => {
    await service.command('cmd=put&key=a&val=1');
    const before = await service.command('cmd=size');
    for (const query of ['put&key=b&val=2', 'rmv&key=a', 'incr&key=dry&delta=5', 'putall&k1=c&v1=1', 'getrmv&key=a']) {
      expect((await service.send(`cmd=dryrun&of=${query}`)).error).toBeNull();
    }
    expect(await service.command('cmd=size')).toBe(before);
    expect(await service.command('cmd=incr&key=dry&delta=1')).toBe(1);
    expect(await service.command('cmd=put&key=b&val=3')).toBe(true);
    expect(await service.command('cmd=getall&k1=a&k2=b')).toEqual({ a: '1', b: '3' });
    expect(await service.command('cmd=size')).toBe(Number(before) + 1);
  });
});

describe('dry runs of definitions', () => {
  let service: ServiceProcess;
  let before: unknown;

  const send = (qry: string, of = '') =>
    service.send(`cmd=${of === '' ? 'qryfldexe' : 'dryrun&of=qryfldexe'}&pageSize=10&qry=${encodeURIComponent(qry)}`);

  /** Returns the file's tables, the definitions with their versions, and the recorded changes. */
  function stored(): unknown {
    using database = new Database(join(service.dataDir, 'svc.db'), { readonly: true });
    // Spare tables of future caches, which are created in the background, belong to no cache.
    const caches = '(SELECT id FROM caches WHERE live = 1)';
    return [
      `SELECT name, sql FROM sqlite_schema WHERE tbl_name IN (SELECT 'e' || id FROM ${caches})`,
      'SELECT * FROM caches WHERE live = 1',
      'SELECT * FROM views',
      'SELECT * FROM feed_shapes',
      'SELECT * FROM feed',
      `SELECT * FROM entry_counts WHERE cache IN ${caches}`,
    ].map((sql) => [
      sql,
      database
        .query(sql)
        .values()
        .map((row) => Bun.inspect(row))
        .sort(),
    ]);
  }

  beforeAll(async () => {
    service = await startService();
    for (const statement of [
      'CREATE TABLE item (id INT PRIMARY KEY, n INT, m INT) WITH "CHANGE_FEED=true"',
      'INSERT INTO item VALUES (1, 10, 0), (2, 20, 0)',
      'CREATE INDEX item_n ON item (n)',
      'CREATE VIEW items AS SELECT id FROM item',
    ]) {
      expect((await send(statement)).error).toBeNull();
    }
    before = stored();
    expect(JSON.stringify(before)).toContain('CREATE INDEX');
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const TABLE = { table: 'PUBLIC.ITEM', cacheName: 'SQL_PUBLIC_ITEM' };
  const NEW = { table: 'PUBLIC.T', cacheName: 'SQL_PUBLIC_T', change: 'created', entries: 0 };
  const EFFECTS: ReadonlyArray<readonly [statement: string, effects: readonly unknown[]]> = [
    ['CREATE TABLE t (id INT PRIMARY KEY, n INT)', [NEW]],
    ['CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH "CACHE_NAME=other"', [{ ...NEW, cacheName: 'other' }]],
    ['CREATE TABLE IF NOT EXISTS item (id INT PRIMARY KEY, n INT)', []],
    [
      'DROP TABLE item',
      [
        { ...TABLE, change: 'destroyed', entries: 2 },
        { view: 'PUBLIC.ITEMS', change: 'removed' },
      ],
    ],
    ['DROP TABLE IF EXISTS nothing', []],
    ['ALTER TABLE item ADD COLUMN p INT', [{ column: 'P', ...TABLE, change: 'added', entries: 2 }]],
    ['ALTER TABLE item ADD COLUMN IF NOT EXISTS n INT', []],
    ['ALTER TABLE IF EXISTS nothing ADD COLUMN n INT', []],
    ['ALTER TABLE item DROP COLUMN m', [{ column: 'M', ...TABLE, change: 'removed', entries: 2 }]],
    ['CREATE INDEX item_m ON item (m)', [{ index: 'PUBLIC.ITEM_M', ...TABLE, change: 'added', entries: 2 }]],
    ['CREATE INDEX IF NOT EXISTS item_n ON item (n)', []],
    ['DROP INDEX item_n', [{ index: 'PUBLIC.ITEM_N', ...TABLE, change: 'removed', entries: 2 }]],
    ['DROP INDEX IF EXISTS nothing', []],
    ['CREATE VIEW v AS SELECT n FROM item', [{ view: 'PUBLIC.V', change: 'created' }]],
    ['CREATE OR REPLACE VIEW items AS SELECT n FROM item', [{ view: 'PUBLIC.ITEMS', change: 'changed' }]],
    ['DROP VIEW items', [{ view: 'PUBLIC.ITEMS', change: 'removed' }]],
    ['DROP VIEW IF EXISTS nothing', []],
    ['ALTER TABLE item NOLOGGING', []],
    ['ALTER TABLE IF EXISTS nothing LOGGING', []],
  ];
  test.each(EFFECTS)('%s', async (statement, effects) => {
    const { error, response } = await send(statement, 'dryrun');
    expect({ error, response }).toMatchObject({ error: null, response: { response: null, effects } });
    expect(stored()).toEqual(before);
  });

  test.each([
    'CREATE TABLE item (id INT PRIMARY KEY, n INT)',
    'CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH "TEMPLATE=none"',
    'CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH "DATA_REGION=none"',
    'CREATE TABLE t (id INT PRIMARY KEY',
    'CREATE TABLE none.t (id INT PRIMARY KEY, n INT)',
    'DROP TABLE nothing',
    'ALTER TABLE item ADD COLUMN n INT',
    'ALTER TABLE item DROP COLUMN n',
    'ALTER TABLE item DROP COLUMN id',
    'ALTER TABLE nothing DROP COLUMN n',
    'CREATE INDEX item_n ON item (n)',
    'CREATE INDEX item_x ON item (x)',
    'CREATE INDEX nothing_n ON nothing (n)',
    'DROP INDEX nothing',
    'CREATE VIEW items AS SELECT 1',
    'CREATE VIEW item AS SELECT 1',
    'DROP VIEW nothing',
    'ALTER TABLE nothing NOLOGGING',
  ])('%s fails as the statement does', async (statement) => {
    const { error } = await send(statement, 'dryrun');
    expect(error).not.toBeNull();
    expect(error).toBe((await send(statement)).error);
    expect(stored()).toEqual(before);
  });

  test('fails while the cluster is read-only', async () => {
    await service.command('cmd=setstate&state=ACTIVE_READ_ONLY');
    const statement = 'CREATE TABLE t (id INT PRIMARY KEY, n INT)';
    const { error } = await send(statement, 'dryrun');
    const failure = (await send(statement)).error;
    expect(failure).toContain('read-only');
    expect(error).toContain(failure ?? '');
    await service.command('cmd=setstate&state=ACTIVE');
  });
});

test('a dry run needs the rights for its command [15.6]', async () => {
  await using service = await startService({
    env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'a password of the test' },
  });
  const admin = `svc.login=svc&svc.password=${encodeURIComponent('a password of the test')}`;
  const scope = encodeURIComponent(JSON.stringify({ commands: ['get', 'put', 'dryrun'], caches: { default: 'read' } }));
  const { key } = (await service.command(`cmd=apikeyadd&name=reader&scope=${scope}&${admin}`)) as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  expect((await service.send('cmd=dryrun&of=put&key=1&val=2', { headers })).error).toContain('Authorization failed');
  expect((await service.send('cmd=dryrun&of=destcache&cacheName=default', { headers })).error).toContain(
    'Authorization failed',
  );
  for (const of of ['setstate&state=INACTIVE', 'getorcreate&cacheName=new', 'adduser&user=ann&password=secret']) {
    expect((await service.send(`cmd=dryrun&of=${of}`, { headers })).error).toContain('Authorization failed');
  }
  const define = encodeURIComponent('CREATE TABLE t (id INT PRIMARY KEY, n INT)');
  expect((await service.send(`cmd=dryrun&of=qryfldexe&pageSize=1&qry=${define}`, { headers })).error).toContain(
    'Authorization failed',
  );
  const drop = encodeURIComponent('DROP USER "svc"');
  expect((await service.send(`cmd=dryrun&of=qryfldexe&pageSize=1&qry=${drop}`, { headers })).error).not.toBeNull();
  const effectsOf = async (query: string): Promise<unknown> =>
    (await service.send(`cmd=dryrun&of=${query}&${admin}`)).response;
  const create = encodeURIComponent(`CREATE USER "bob" WITH PASSWORD 'secret'`);
  for (const query of ['adduser&user=bob&password=secret', `qryfldexe&pageSize=1&qry=${create}`]) {
    expect(await effectsOf(query)).toMatchObject({ effects: [{ user: 'bob', change: 'added' }] });
  }
  expect((await service.send(`cmd=dryrun&of=removeuser&user=bob&${admin}`)).error).toContain('bob');
  expect(await effectsOf('setstate&state=INACTIVE')).toMatchObject({
    effects: [{ state: 'INACTIVE', change: 'entered' }],
  });
  expect(await service.command(`cmd=currentstate&${admin}`)).toBe(true);
  expect((await service.send(`cmd=dryrun&of=put&key=1&val=2&${admin}`)).response).toMatchObject({ response: true });
  expect(await service.command(`cmd=get&key=1&${admin}`)).toBeNull();
}, 60_000);
