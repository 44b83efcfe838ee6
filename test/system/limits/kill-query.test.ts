/** Ending statements, scans and cursors of others: KILL QUERY and the command qrykill, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type Answer, newFolder, type ServiceProcess, startService } from '../service-process.ts';

const USERS = ['svc', 'ann', 'bob'] as const;
type User = (typeof USERS)[number];
const password = (user: User): string => `pw-${user}`;
const CONFIGURATION = {
  authentication: true,
  adminPassword: password('svc'),
  rest: { sessionTimeout: 600 },
  users: ['ann', 'bob'].map((name) => ({ name, password: `pw-${name}` })),
};
const LIMIT_MS = 60_000;
/** A killed statement is gone within this time. */
const GONE_MS = 500;
const KILLED = 'The query was cancelled while executing: it was killed';
const ENDLESS = 'SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000000)';
const NODE = '6fa749ee-7cf8-4635-be10-36a1c75267a7';

/** Statements that run until they are killed, and their state at that time. */
const STATEMENTS: ReadonlyArray<readonly [title: string, sql: string]> = [
  ['an endless count', ENDLESS],
  ['a product of a table', 'SELECT sum(a.n + b.n) FROM item a, item b, item c'],
  ['a sort', "SELECT x, REPEAT('a', 1000) || x s FROM SYSTEM_RANGE(1, 100000000) ORDER BY 2"],
  ['a regular expression', "SELECT count(*) FROM item a, item b WHERE REGEXP_LIKE(a.name || b.name, '(n|m)*[0-9]+x')"],
  ['an update', 'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000))'],
  ['an index', 'CREATE INDEX slow ON many(name, n)'],
];

describe.each(WORKERS)('with %i HTTP threads', (workers) => {
  let service: ServiceProcess;
  const tokens = new Map<User, string>();

  beforeAll(async () => {
    const file = join(newFolder(), 'svc.config.ts');
    writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
    service = await startService({ args: ['--config', file], env: { SVC_WORKERS: String(workers) } });
    for (const user of USERS) {
      const login = new URLSearchParams({ 'svc.login': user, 'svc.password': password(user) });
      const { sessionToken } = await service.send(`cmd=authenticate&${login}`);
      tokens.set(user, sessionToken ?? '');
    }
    await run('svc', 'CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=item"');
    await run('svc', "INSERT INTO item SELECT x, 'n' || x, x FROM SYSTEM_RANGE(1, 50000)");
    await run('svc', 'CREATE TABLE many(id INT PRIMARY KEY, name VARCHAR, n INT)');
    // In portions: on a slow machine, one statement would hold the write lock for too long.
    for (let first = 1; first <= 1_000_000; first += 100_000) {
      const range = `SYSTEM_RANGE(${first}, ${first + 99_999})`;
      const { error } = await run('svc', `INSERT INTO many SELECT x, 'n' || MOD(x * 7919, 1000003), x FROM ${range}`);
      expect(error).toBe(null);
    }
  }, 3 * LIMIT_MS);
  afterAll(() => service[Symbol.asyncDispose]());

  function ask(user: User, query: string, form: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${tokens.get(user)}` };
    return service.send(query, { method: 'POST', headers, body: new URLSearchParams(form) });
  }

  const run = (user: User, qry: string): Promise<Answer> => ask(user, 'cmd=qryfldexe&pageSize=10', { qry });

  async function rows(sql: string): Promise<unknown[][]> {
    const { response, error } = await run('svc', sql);
    if (error !== null) throw new Error(error);
    return (response as { items: unknown[][] }).items;
  }

  /** Returns the id of the running statement whose text begins like this, once it has reached the state. */
  async function idOf(sql: string, state: string): Promise<string> {
    const begin = sql.slice(0, 20).replaceAll("'", "''");
    for (let attempt = 0; attempt < 200; attempt++) {
      const found = await rows(
        `SELECT QUERY_ID FROM SYS.RUNNING_STATEMENTS WHERE STATEMENT LIKE '${begin}%' AND STATE LIKE '${state}'`,
      );
      if (found.length > 0) return String(found[0]?.[0]);
      await Bun.sleep(20);
    }
    throw new Error(`not ${state}: ${sql}`);
  }

  for (const [title, sql] of STATEMENTS) {
    test(
      `the owner ends ${title} with KILL QUERY`,
      async () => {
        const running = run('ann', sql);
        const id = await idOf(sql, 'RUNNING');
        const begunMs = performance.now();
        expect((await run('ann', `KILL QUERY '${id}'`)).response).toMatchObject({ items: [[0]] });
        expect((await running).error).toBe(KILLED);
        expect(performance.now() - begunMs).toBeLessThan(allowedMs(GONE_MS));
        expect(await rows(`SELECT STATE FROM SYS.RUNNING_STATEMENTS WHERE QUERY_ID = '${id}'`)).toEqual([]);
      },
      LIMIT_MS,
    );
  }

  test(
    'others cannot end it or learn of it, and an administrator ends it',
    async () => {
      const running = run('ann', ENDLESS);
      const id = await idOf(ENDLESS, 'RUNNING');
      const [node = '', number = ''] = id.split('_');
      const unknown = (await ask('bob', 'cmd=qrykill&qryId=12345')).error;
      for (const each of [id, number]) {
        expect((await ask('bob', `cmd=qrykill&qryId=${each}`)).error).toBe(unknown?.replace('12345', number) ?? null);
      }
      const query = `[nodeId=${node}, qryId=${number}`;
      expect((await run('bob', `KILL QUERY '${id}'`)).error).toContain(
        `Failed to cancel query ${query}, err=Query with provided ID doesn't exist ${query}]]`,
      );
      expect(await rows(`SELECT USER_NAME, KIND FROM SYS.RUNNING_STATEMENTS WHERE QUERY_ID = '${id}'`)).toEqual([
        ['ann', 'SQL'],
      ]);
      expect((await ask('svc', `cmd=qrykill&qryId=${id}`)).response).toBe(true);
      expect((await running).error).toBe(KILLED);
    },
    LIMIT_MS,
  );

  test('KILL QUERY rejects what is no query of this node with the texts of Ignite', async () => {
    expect((await run('svc', "KILL QUERY 'x'")).error).toContain('Expected the id of a query in the format');
    expect((await run('svc', `KILL QUERY '${NODE}_1'`)).error).toContain(
      `Failed to cancel query, node is not alive [nodeId=${NODE}, qryId=1]`,
    );
    const [[node] = []] = await rows('SELECT NODE_ID FROM SYS.NODES');
    expect((await run('svc', `KILL QUERY ASYNC '${node}_1'`)).error).toContain("Query with provided ID doesn't exist");
  });

  test('an idle cursor of a statement or of a scan ends', async () => {
    const opened = [
      await ask('ann', 'cmd=qryfldexe&pageSize=1', { qry: 'SELECT id FROM item' }),
      await ask('ann', 'cmd=qryscanexe&pageSize=1&cacheName=item'),
      await ask('ann', 'cmd=qryscanexe&pageSize=1&cacheName=item'),
    ];
    const ids = opened.map(({ response }) => (response as { queryId: number }).queryId);
    const states = await rows("SELECT KIND, ROWS_RETURNED FROM SYS.RUNNING_STATEMENTS WHERE STATE = 'IDLE' ORDER BY 1");
    expect(states).toEqual([
      ['SCAN', 1],
      ['SCAN', 1],
      ['SQL', 1],
    ]);
    const [[node] = []] = await rows('SELECT NODE_ID FROM SYS.NODES');
    await run('ann', `KILL QUERY '${node}_${ids[0]}'`);
    await ask('ann', `cmd=qrykill&qryId=${ids[1]}`);
    await run('ann', `KILL SCAN '${node}' 'item' ${ids[2]}`);
    expect(await rows("SELECT KIND FROM SYS.RUNNING_STATEMENTS WHERE STATE = 'IDLE'")).toEqual([]);
    for (const id of ids) {
      expect((await ask('ann', `cmd=qryfetch&pageSize=1&qryId=${id}`)).error).toContain('Failed to find query');
    }
  });

  test(
    'a change that waits for the write lock, and one that waits for its thread, end',
    async () => {
      const blocking = run('ann', 'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 3000000000))');
      const changes = [
        'DELETE FROM item WHERE n < 0 AND n > 5',
        'INSERT INTO item SELECT id + 100000, NULL, n FROM item',
        'CREATE TABLE another (id INT PRIMARY KEY, n INT)',
      ];
      const first = await idOf('UPDATE item SET n = ', 'RUNNING');
      for (const change of changes) {
        const waiting = run('ann', change);
        const id = await idOf(change, 'WAITING_FOR_%');
        const begunMs = performance.now();
        await ask('ann', `cmd=qrykill&qryId=${id}`);
        expect((await waiting).error).toBe(KILLED);
        expect(performance.now() - begunMs).toBeLessThan(allowedMs(GONE_MS));
      }
      const timedOut = await ask('ann', 'cmd=qryfldexe&pageSize=1&timeout=200', { qry: changes.at(-1) ?? '' });
      expect(timedOut.error).toContain('the time limit is over');
      await ask('ann', `cmd=qrykill&qryId=${first}`);
      expect((await blocking).error).toBe(KILLED);
    },
    LIMIT_MS,
  );

  test('metrics count statements by state and by what ended them', async () => {
    const headers = { Authorization: `Bearer ${tokens.get('svc')}` };
    const text = await (await fetch(`${service.origin}/metrics`, { headers })).text();
    for (const state of ['waiting_for_process', 'running', 'waiting_for_lock', 'idle']) {
      expect(text).toContain(`svc_statements{state="${state}"} 0`);
    }
    expect(Number(/svc_statements_ended_total\{reason="killed"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(8);
  });
});

test(
  'an idle cursor ends within half a second while its thread runs another statement',
  async () => {
    await using service = await startService({ env: { SVC_QUERY_PROCESSES: '1' } });
    const run = (qry: string) => service.send(`cmd=qryfldexe&pageSize=1&${new URLSearchParams({ qry })}`);
    const ids: number[] = [];
    for (let count = 0; count < 3; count++) {
      const { response } = await run('SELECT x FROM SYSTEM_RANGE(1, 100000)');
      ids.push((response as { queryId: number }).queryId);
    }
    const leaving = new AbortController();
    const endless = service
      .send(`cmd=qryfldexe&pageSize=1&${new URLSearchParams({ qry: ENDLESS })}`, { signal: leaving.signal })
      .catch(() => undefined);
    await Bun.sleep(500);
    const timesMs: number[] = [];
    for (const id of ids) {
      const begunMs = performance.now();
      expect(await service.command(`cmd=qrykill&qryId=${id}`)).toBe(true);
      timesMs.push(performance.now() - begunMs);
      expect((await service.send(`cmd=qrykill&qryId=${id}`)).error).toContain('Failed to find query');
    }
    expect(timesMs.toSorted((a, b) => a - b)[1]).toBeLessThan(allowedMs(GONE_MS));
    leaving.abort();
    await endless;
    for (const id of ids) {
      expect((await service.send(`cmd=qryfetch&pageSize=1&qryId=${id}`)).error).toContain('Failed to find query');
    }
    expect((await run('SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)')).error).toBe(null);
  },
  LIMIT_MS,
);
