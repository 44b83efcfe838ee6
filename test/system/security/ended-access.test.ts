/** Whatever users run ends when they lose the access with which they run it, and continues for everyone else. */
import { expect, test } from 'bun:test';
import { WORKERS } from '../modes.ts';
import { type Answer, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 120_000;
/** A fraction of the time limit of the statements. */
const ENDED_MS = 20_000;
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b';
const ROWS = 'SELECT x FROM SYSTEM_RANGE(1, 100000000)';

type Parameters = Readonly<Record<string, string | number>>;

async function start(workers: number, sessionSeconds = 60): Promise<ServiceProcess> {
  return startService({
    env: {
      SVC_AUTHENTICATION: 'true',
      SVC_ADMIN_PASSWORD: 'svc',
      SVC_HTTP_STATUS: 'true',
      SVC_REST_SESSION_TIMEOUT: String(sessionSeconds),
      SVC_WORKERS: String(workers),
    },
  });
}

const LOGIN = { 'svc.login': 'svc', 'svc.password': 'svc' };

async function done(service: ServiceProcess, parameters: Parameters): Promise<Answer> {
  const answer = await service.send(queryOf({ ...LOGIN, ...parameters }));
  if (answer.error !== null) throw new Error(answer.error);
  return answer;
}

async function tokenOf(service: ServiceProcess, user: string): Promise<string> {
  const login = { cmd: 'authenticate', 'svc.login': user, 'svc.password': user };
  return (await service.send(queryOf(login))).sessionToken ?? '';
}

function within<T>(result: Promise<T>, limitMs: number): Promise<T | 'still runs'> {
  return Promise.race([result, Bun.sleep(limitMs).then(() => 'still runs' as const)]);
}

/** Sends an endless statement; resolves with the error with which it ends. */
async function statement(
  service: ServiceProcess,
  token: string,
  headers: Readonly<Record<string, string>> = {},
  qry = ENDLESS,
): Promise<string | null> {
  const parameters: Record<string, string | number> = { cmd: 'qryfldexe', pageSize: 1, qry, timeout: 100_000 };
  if (token !== '') parameters.sessionToken = token;
  return (await service.send(queryOf(parameters), { headers })).error;
}

/** Reads endless rows; resolves with the end of the response. */
async function rows(service: ServiceProcess, token: string): Promise<string | null> {
  const query = queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ROWS, sessionToken: token });
  const response = await fetch(`${service.url}?${query}`, { headers: { Accept: 'application/x-ndjson' } });
  try {
    for await (const _ of response.body ?? []);
  } catch {
    return 'cut';
  }
  return null;
}

/** Sends an endless import; resolves with the error with which it ends. */
async function upload(service: ServiceProcess, token: string): Promise<string | null> {
  let isOver = false;
  const body = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(20);
      if (!isOver) controller.enqueue(new TextEncoder().encode(`${crypto.randomUUID()},1\n`));
    },
    cancel() {
      isOver = true;
    },
  });
  const query = queryOf({
    cmd: 'import',
    cacheName: 'default',
    header: 'false',
    columns: 'key,value',
    sessionToken: token,
  });
  try {
    const response = await fetch(`${service.url}?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body,
    });
    const { error } = (await response.json()) as { readonly error: string | null };
    return error;
  } finally {
    isOver = true;
  }
}

/** Runs a task of an hour and waits for it. */
async function task(service: ServiceProcess, token: string): Promise<string | null> {
  return (await service.send(queryOf({ cmd: 'exe', name: 'svc.sleep', p1: 3_600_000, sessionToken: token }))).error;
}

for (const workers of WORKERS) {
  test(
    `what a removed user runs ends, and not what others run, with ${workers} HTTP threads`,
    async () => {
      await using service = await start(workers, 4);
      for (const user of ['ann', 'bob']) await done(service, { cmd: 'adduser', user, password: user, roles: 'user' });
      const [ann, bob] = [await tokenOf(service, 'ann'), await tokenOf(service, 'bob')];
      const others = statement(service, bob);
      others.catch(() => undefined);
      const kinds = { statement: () => statement(service, ann), rows, upload, task };
      const running = Object.entries(kinds).map(([name, run]) => [name, run(service, ann)] as const);
      // Longer than a session lasts unused: one that runs something is in use.
      await Bun.sleep(5_000);
      expect(await Promise.all(running.map(([, each]) => within(each, 0)))).toEqual(running.map(() => 'still runs'));
      await done(service, { cmd: 'removeuser', user: 'ann' });
      for (const [name, each] of running) {
        const ended = await within(each, ENDED_MS);
        expect([name, name === 'rows' ? ended : /token|cancelled/i.test(String(ended))]).toEqual([
          name,
          name === 'rows' ? 'cut' : true,
        ]);
      }
      expect(await within(others, 500)).toBe('still runs');
    },
    LIMIT_MS,
  );
}

const TABLE_ENDLESS = 'SELECT COUNT(*) FROM PUBLIC.T a, SYSTEM_RANGE(1, 100000) b, SYSTEM_RANGE(1, 100000) c';

test(
  'what runs ends with its session, its key, its password and its right',
  async () => {
    await using service = await start(2);
    await done(service, { cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE T (id INT PRIMARY KEY, n INT)' });
    await done(service, { cmd: 'qryfldexe', pageSize: 1, qry: 'INSERT INTO T VALUES (1, 1)' });
    // Waits for the statistics that follow the INSERT: test/system/limits/overload.test.ts has sessions that begin
    // while a statement holds the write lock.
    await done(service, { cmd: 'put', key: 'a', val: 'b' });
    const reads = JSON.stringify({ caches: { '*': 'read' } });
    await done(service, { cmd: 'roleadd', name: 'reads', rights: reads });
    await done(service, { cmd: 'roleadd', name: 'nothing', rights: '{}' });
    const users = ['ann', 'bob', 'cid', 'dan', 'eve'];
    for (const user of users) await done(service, { cmd: 'adduser', user, password: user, roles: 'user' });
    await done(service, { cmd: 'roleassign', user: 'dan', roles: 'reads' });
    const key = (await done(service, { cmd: 'apikeyadd', name: 'k', user: 'bob' })).response as Record<string, string>;
    const ways: ReadonlyArray<readonly [string, () => Promise<string | null>, Parameters, RegExp]> = [
      [
        'session',
        async () => statement(service, await tokenOf(service, 'ann')),
        { cmd: 'sessionrmv', user: 'ann' },
        /token/i,
      ],
      [
        'key',
        () => statement(service, '', { Authorization: `Bearer ${key.key}` }),
        { cmd: 'apikeyrmv', id: key.id ?? '' },
        /API key|cancelled/,
      ],
      [
        'password',
        async () => statement(service, await tokenOf(service, 'cid')),
        { cmd: 'updateuser', user: 'cid', password: 'other' },
        /token/i,
      ],
      [
        'right',
        async () => statement(service, await tokenOf(service, 'dan'), {}, TABLE_ENDLESS),
        { cmd: 'roleassign', user: 'dan', roles: 'nothing' },
        /Authorization failed/,
      ],
    ];
    const other = statement(service, await tokenOf(service, 'eve'));
    other.catch(() => undefined);
    // One after the other: more statements would have to share the statement processes.
    for (const [way, run, parameters, error] of ways) {
      const running = run();
      await Bun.sleep(1_000);
      expect([way, await within(running, 0)]).toEqual([way, 'still runs']);
      const { response } = await done(service, parameters);
      const ended = await within(running, ENDED_MS);
      expect([way, response, error.test(String(ended)) ? error : ended]).toEqual([
        way,
        way === 'session' ? 1 : true,
        error,
      ]);
    }
    expect(await within(other, 500)).toBe('still runs');
  },
  LIMIT_MS,
);

test(
  'idle cursors and started tasks end with their user and key',
  async () => {
    await using service = await start(2);
    for (const user of ['ann', 'bob']) await done(service, { cmd: 'adduser', user, password: user, roles: 'user' });
    const key = (await done(service, { cmd: 'apikeyadd', name: 'k', user: 'bob' })).response as Record<string, string>;
    const query = { cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT x FROM SYSTEM_RANGE(1, 1000)' };
    const task = { cmd: 'exe', name: 'svc.sleep', p1: 3_600_000, async: 'true' };
    const sessionToken = await tokenOf(service, 'ann');
    const headers = { Authorization: `Bearer ${key.key}` };
    for (const parameters of [query, task]) {
      expect((await service.send(queryOf({ ...parameters, sessionToken }))).error).toBeNull();
      expect((await service.send(queryOf(parameters), { headers })).error).toBeNull();
    }
    const left = async (): Promise<readonly [unknown, number]> => {
      const qry = "SELECT COUNT(*) FROM SYS.RUNNING_STATEMENTS WHERE STATE = 'IDLE'";
      const { response } = await done(service, { cmd: 'qryfldexe', pageSize: 1, qry });
      const tasks = (await done(service, { cmd: 'tasklist' })).response as readonly unknown[];
      return [(response as { readonly items: unknown }).items, tasks.length];
    };
    const isLeft = async (count: number): Promise<boolean> => Bun.deepEquals(await left(), [[[count]], count]);
    expect(await left()).toEqual([[[2]], 2]);
    await done(service, { cmd: 'removeuser', user: 'ann' });
    await until('what the removed user left has ended', () => isLeft(1));
    await done(service, { cmd: 'apikeyrmv', id: key.id ?? '' });
    await until('what the removed key left has ended', () => isLeft(0));
  },
  LIMIT_MS,
);
