/** Dry runs over real sockets (docs/spec/extensions.md 11). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../service-process.ts';

const ROWS = [
  [1, 10],
  [2, 20],
];

describe.each([1, 2])('dry runs with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  const sql = (qry: string, of = '') =>
    service.send(`cmd=${of === '' ? 'qryfldexe' : 'dryrun&of=qryfldexe'}&pageSize=10&qry=${encodeURIComponent(qry)}`);

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
    ['DROP TABLE item', 'There is no dry run of qryfldexe'],
    ['CREATE INDEX item_n ON item (n)', 'There is no dry run of qryfldexe'],
  ];

  test.each(STATEMENTS)('%s', async (statement, expected) => {
    const { error, response } = await sql(statement, 'dryrun');
    if (typeof expected === 'string') expect(error).toContain(expected);
    else expect({ error, response }).toMatchObject({ error: null, response: { response: { items: expected } } });
    expect((await sql('SELECT id, n FROM item ORDER BY id')).response).toMatchObject({ items: ROWS });
  });

  test('leave entries, counters and the number of entries as they are, also later', async () => {
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

test('a dry run needs the rights for its command', async () => {
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
