/** Batches over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

const CONFIG = join(import.meta.dir, '../../fixtures/queries.config.ts');

type Command = Readonly<Record<string, unknown>>;

/** The envelope of one command. */
interface Result {
  readonly successStatus: number;
  readonly error: string | null;
  readonly response: unknown;
  readonly sessionToken: unknown;
}

function json(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Returns what each command returned: its response, or its error. */
function outcomes({ response, error }: Answer): unknown[] {
  if (error !== null) throw new Error(error);
  return (response as readonly Result[]).map((each) => each.error ?? each.response);
}

describe.each(WORKERS)('batches with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({ env: { SVC_WORKERS: String(workers) } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const run = (commands: readonly Command[], query = '') => service.send(`cmd=batch${query}`, json(commands));

  const COMMANDS: readonly Command[] = [
    { cmd: 'put', key: 'form', val: 1 },
    { cmd: 'get', key: 'form' },
  ];

  test('an array is the body, a member of an object, a field of a form or a parameter [10.1]', async () => {
    const text = JSON.stringify(COMMANDS);
    const forms = [
      await service.send('cmd=batch', json(COMMANDS)),
      await service.send('', json({ cmd: 'batch', commands: COMMANDS })),
      await service.send('', { method: 'POST', body: new URLSearchParams({ cmd: 'batch', commands: text }) }),
      await service.send(new URLSearchParams({ cmd: 'batch', commands: text }).toString()),
    ];
    // A JSON number is a number if the request is not one of Ignite's.
    expect(forms.map(outcomes)).toEqual([
      [true, '1'],
      [true, 1],
      [true, '1'],
      [true, '1'],
    ]);
  });

  test('an array is the body of a dry run of a batch, or a member of it', async () => {
    for (const answer of [
      await service.send('cmd=dryrun&of=batch', json(COMMANDS)),
      await service.send('', json({ cmd: 'dryrun', of: 'BATCH', commands: COMMANDS })),
    ])
      expect(answer).toMatchObject({ error: null, response: { of: 'batch' } });
  });

  test('an array is no body of other commands', async () => {
    const answer = await service.send('cmd=put', json(COMMANDS));
    expect(answer).toMatchObject({ http: 400, successStatus: 1, response: null });
    expect(answer.error).toContain('the JSON body must be an object');
  });

  test('entries, counters and statements see the changes of the commands before them', async () => {
    const answer = await run([
      { cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE IF NOT EXISTS city (id INT PRIMARY KEY, name VARCHAR)' },
      { cmd: 'qryfldexe', pageSize: 1, qry: 'MERGE INTO city VALUES (?, ?)', args: [1, 'Oslo'] },
      { cmd: 'qryfldexe', pageSize: 10, qry: 'SELECT id, name FROM city ORDER BY name' },
      { cmd: 'incr', key: 'batches', delta: '2' },
      { cmd: 'decr', key: 'batches', delta: '1' },
      { cmd: 'put', key: 'a', val: 'b', cacheName: 'none' },
    ]);
    expect(outcomes(answer)).toEqual([
      expect.objectContaining({ items: [[0]] }),
      expect.objectContaining({ items: [[1]] }),
      expect.objectContaining({ items: [[1, 'Oslo']], last: true }),
      2,
      1,
      expect.stringContaining('Failed to find cache for given cache name: none'),
    ]);
  });

  test('a batch of the largest size is parsed in slices and keeps its order', async () => {
    const value = 'x'.repeat(3_000);
    const commands = Array.from({ length: 1_000 }, (_, index) => ({
      cmd: 'put',
      key: 'last',
      val: `${index}${value}`,
    }));
    expect(outcomes(await run(commands))).toEqual(commands.map(() => true));
    expect(await service.command('cmd=get&key=last')).toBe(`999${value}`);
    const more = [...commands, { cmd: 'get', key: 'last' }];
    expect((await run(more)).error).toContain('what=batch commands, limit=1000');
  });

  test('a page that is sent in chunks is one result, and the batch ends when it is too long', async () => {
    const rows = { cmd: 'qryfldexe', pageSize: 1_000_000, qry: 'SELECT x FROM SYSTEM_RANGE(1, 100000)' };
    const [page] = outcomes(await run([rows])) as Array<{ items: unknown[][]; last: boolean }>;
    expect(page?.items.length).toBe(100_000);
    const tooLong = { ...rows, qry: "SELECT x, REPEAT('x', 1000) FROM SYSTEM_RANGE(1, 100000)" };
    const answer = await run([tooLong, { cmd: 'put', key: 'not', val: 'stored' }]);
    expect(outcomes(answer)).toEqual([expect.stringContaining('what=batch response characters')]);
    expect(await service.command('cmd=get&key=not')).toBeNull();
  });
});

describe.each(WORKERS)('atomic batches with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({
      env: { SVC_WORKERS: String(workers), SVC_QUERY_MAX_WRITE_LOCK_MS: '2000' },
      args: ['--config', CONFIG],
    });
    await statement('CREATE TABLE account (id INT PRIMARY KEY, balance INT)');
    await statement('CREATE TABLE fast (id INT PRIMARY KEY, n INT) WITH "DATA_REGION=temporary1,cache_name=fast"');
    await statement('INSERT INTO account VALUES (1, 100), (2, 100)');
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const sql = (qry: string, more: Command = {}): Command => ({ cmd: 'qryfldexe', pageSize: 10, qry, ...more });
  const run = (commands: readonly Command[], query = '') =>
    service.send(`cmd=batch&atomic=true&httpStatus=true${query}`, json(commands));

  async function statement(qry: string): Promise<unknown> {
    const { response, error } = await service.send(
      new URLSearchParams({ cmd: 'qryfldexe', pageSize: '10', qry }).toString(),
    );
    if (error !== null) throw new Error(error);
    return (response as { items: unknown }).items;
  }

  test('change entries, counters and rows together', async () => {
    const answer = await run([
      { cmd: 'cas', key: 'none', val: 'x', val2: 'y', abortOnFalse: false },
      sql('UPDATE account SET balance = balance - ? WHERE id = 1 AND balance >= 10', { args: [10], expectedRows: 1 }),
      sql('UPDATE account SET balance = balance + 10 WHERE id = 2', { expectedRows: 1 }),
      { cmd: 'putifabs', key: 'transfer', val: 'done' },
      { cmd: 'incr', key: 'transfers', delta: 1 },
      sql('SELECT id, balance FROM account ORDER BY id', { expectedRows: 2 }),
      { cmd: 'get', key: 'transfer' },
    ]);
    expect(outcomes(answer)).toEqual([
      false,
      expect.objectContaining({ items: [[1]] }),
      expect.objectContaining({ items: [[1]] }),
      true,
      1,
      expect.objectContaining({
        items: [
          [1, 90],
          [2, 110],
        ],
        last: true,
        fieldsMetadata: [
          expect.objectContaining({ fieldName: 'ID' }),
          expect.objectContaining({ fieldName: 'BALANCE' }),
        ],
      }),
      'done',
    ]);
    expect(await service.command('cmd=get&key=transfer')).toBe('done');
  });

  test('change nothing when a condition is not met or a command fails, and name the command [10.10]', async () => {
    const before = await statement('SELECT id, balance FROM account ORDER BY id');
    const first = [
      { cmd: 'put', key: 'half', val: 'changed' },
      sql('UPDATE account SET balance = 0'),
      { cmd: 'incr', key: 'half', delta: 1 },
    ];
    const failing: ReadonlyArray<readonly [command: Command, http: number, text: string]> = [
      [
        { cmd: 'rep', key: 'none', val: 1 },
        409,
        "Command 4 of the batch (rep) failed, and nothing was changed: The command's condition",
      ],
      [
        sql('DELETE FROM account WHERE id = 9', { expectedRows: 1 }),
        409,
        "(qryfldexe) failed, and nothing was changed: The command's condition was not met [rows=0, expectedRows=1]",
      ],
      [sql('INSERT INTO account VALUES (1, 1)'), 409, 'they are already in cache [keys=[1]]'],
      [sql('DROP TABLE account'), 400, 'an atomic batch has only queries and changes of rows'],
      [sql('SELECT * FROM SYS.CACHES'), 400, 'system views are not part of the transaction'],
      [sql('SELECT x FROM SYSTEM_RANGE(1, 11)'), 400, 'The result exceeds one page'],
      [sql('INSERT INTO fast VALUES (1, 1)'), 400, '[regions=default, temporary1]'],
      [{ cmd: 'put', key: 'a', val: 'b', cacheName: 'none' }, 404, 'Failed to find cache for given cache name: none'],
      [{ cmd: 'put', key: 'a' }, 400, 'mandatory parameter in request: val'],
      [{ cmd: 'getorcreate', cacheName: 'c' }, 400, 'an atomic batch has commands on entries and counters'],
    ];
    for (const [command, http, text] of failing) {
      const answer = await run([...first, command]);
      const response = { command: 4, cmd: command.cmd };
      expect([answer.http, answer.error, answer.response]).toEqual([http, expect.stringContaining(text), response]);
    }
    expect(await service.command('cmd=get&key=half')).toBeNull();
    expect(await service.command('cmd=incr&key=half&delta=0')).toBe(0);
    expect(await statement('SELECT id, balance FROM account ORDER BY id')).toEqual(before);
  });

  test('of a region that does not persist read others', async () => {
    const answer = await run([
      sql('INSERT INTO fast SELECT id, id FROM account'),
      { cmd: 'size', cacheName: 'fast' },
      { cmd: 'get', key: 'transfer' },
    ]);
    expect(outcomes(answer)).toEqual([expect.objectContaining({ items: [[2]] }), 2, 'done']);
  });

  test('let the service answer reads while one runs, and make changes wait until it ends [10.13]', async () => {
    const slow = run([
      { cmd: 'put', key: 'lock', val: 'slow' },
      sql('SELECT sum(mod(x, 7)) FROM SYSTEM_RANGE(1, 1000000000)'),
    ]);
    await Bun.sleep(150);
    const put = service.command('cmd=put&key=lock&val=later');
    let slowest = 0;
    for (let count = 0; count < 50; count++) {
      const startMs = performance.now();
      expect(await service.command('cmd=get&key=lock')).toBeNull();
      slowest = Math.max(slowest, performance.now() - startMs);
    }
    // The batch is rolled back when it has held the write lock for too long.
    expect(await slow).toMatchObject({ http: 504, error: expect.stringContaining('limitMs=2000') });
    expect(await put).toBe(true);
    expect(await service.command('cmd=get&key=lock')).toBe('later');
    expect(slowest).toBeLessThan(allowedMs(500));
  });

  test('end at their own time limit', async () => {
    const answer = await run(
      [{ cmd: 'put', key: 'limit', val: 1 }, sql('SELECT sum(x) FROM SYSTEM_RANGE(1, 1000000000)')],
      '&timeout=200',
    );
    expect(answer).toMatchObject({ http: 504, error: expect.stringContaining('the time limit is over') });
    expect(await service.command('cmd=get&key=limit')).toBeNull();
  });

  test('are rolled back when the client leaves', async () => {
    const leaving = new AbortController();
    const request = service.send('cmd=batch&atomic=true', {
      ...json([{ cmd: 'put', key: 'left', val: 1 }, sql('SELECT sum(x) FROM SYSTEM_RANGE(1, 1000000000)')]),
      signal: leaving.signal,
    });
    await Bun.sleep(200);
    const startMs = performance.now();
    leaving.abort();
    await request.catch(() => {});
    expect(await service.command('cmd=put&key=next&val=1')).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(allowedMs(1_000));
    expect(await service.command('cmd=get&key=left')).toBeNull();
  });

  test('of many clients are serializable [10.8]', async () => {
    await service.command('cmd=putall&k1=x&v1=0&k2=y&v2=0');
    const client = async () => {
      for (let done = 0; done < 10; ) {
        const [x, y] = outcomes(
          await run([
            { cmd: 'get', key: 'x' },
            { cmd: 'get', key: 'y' },
          ]),
        ).map(Number);
        // Every snapshot shows both or none of the changes of a batch.
        expect(x).toBe(y);
        const answer = await run([
          { cmd: 'cas', key: 'x', val: Number(x) + 1, val2: x },
          { cmd: 'put', key: 'y', val: Number(y) + 1 },
        ]);
        if (answer.error === null) done++;
        else expect(answer.error).toContain('Command 1 of the batch (cas)');
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    expect(await service.command('cmd=getall&k1=x&k2=y')).toEqual({ x: '60', y: '60' });
  });

  test('remove entries that expire', async () => {
    await run([{ cmd: 'put', key: 'short', val: 1, exp: 300, cacheName: 'default' }]);
    expect(await service.command('cmd=get&key=short')).toBe('1');
    await Bun.sleep(400);
    expect(await service.command('cmd=get&key=short')).toBeNull();
  });
});

describe('batches with authentication', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  test('each command needs its own permission, and no result has a token [10.4]', async () => {
    await service.command('cmd=adduser&roles=user&user=ann&password=secret&svc.login=svc&svc.password=admin-password');
    const answer = await service.send(
      'cmd=batch&svc.login=ann&svc.password=secret',
      json([
        { cmd: 'put', key: 'a', val: 'b' },
        { cmd: 'setstate', state: 'ACTIVE' },
        { cmd: 'authenticate', 'svc.login': 'svc', 'svc.password': 'admin-password' },
      ]),
    );
    expect(answer.sessionToken).toMatch(/^[0-9A-F]{32}$/);
    const results = answer.response as readonly Result[];
    expect(results.map(({ successStatus, error, sessionToken }) => [successStatus, error, sessionToken])).toEqual([
      [0, null, null],
      [3, expect.stringContaining('missing=administration state'), null],
      [1, expect.stringContaining('log in before'), null],
    ]);
    const anonymous = await service.send('cmd=batch', json([{ cmd: 'get', key: 'a' }]));
    expect(anonymous).toMatchObject({ successStatus: 2, response: null });
  });
});
