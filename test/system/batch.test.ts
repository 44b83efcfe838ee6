/** Batches over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Answer, type ServiceProcess, startService } from './service-process.ts';

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

describe.each([1, 2])('batches with %i HTTP threads', (workers) => {
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

  test('an array is the body, a member of an object, a field of a form or a parameter', async () => {
    const text = JSON.stringify(COMMANDS);
    const forms = [
      await service.send('cmd=batch', json(COMMANDS)),
      await service.send('', json({ cmd: 'batch', commands: COMMANDS })),
      await service.send('', { method: 'POST', body: new URLSearchParams({ cmd: 'batch', commands: text }) }),
      await service.send(new URLSearchParams({ cmd: 'batch', commands: text }).toString()),
    ];
    for (const answer of forms) expect(outcomes(answer)).toEqual([true, '1']);
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

describe('batches with authentication', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  test('each command needs its own permission, and no result has a token', async () => {
    await service.command('cmd=adduser&user=ann&password=secret&svc.login=svc&svc.password=admin-password');
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
