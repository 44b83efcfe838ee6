/**
 * One user may use all of a resource while no one else needs it; another user then gets a share within a second. Each
 * test requests the share three times, and allows one of them to take longer, because machines that run tests are busy.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type RawSocket, rawSocket } from '../raw-socket.ts';
import { type Answer, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 90_000;
const SHARE_MS = 1_000;
const ROUNDS = 3;
const GREEDY_CURSORS = 32;
const MODEST_PAGES = 30;
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b, SYSTEM_RANGE(1, 100000) c';

async function tokenOf(service: ServiceProcess, user: string): Promise<string> {
  const answer = await service.send(
    queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': user === 'svc' ? 'pass' : user }),
  );
  if (answer.sessionToken === null) throw new Error(answer.text);
  return answer.sessionToken;
}

/** Starts a service with the users greedy, modest and `others`, and returns the tokens of the first two. */
async function startShared(env: Readonly<Record<string, string>>, others: readonly string[] = []) {
  const service = await startService({
    env: {
      SVC_AUTHENTICATION: 'true',
      SVC_ADMIN_PASSWORD: 'pass',
      SVC_REST_SESSION_TIMEOUT: '600',
      SVC_HTTP_STATUS: 'true',
      ...env,
    },
  });
  const administrator = await tokenOf(service, 'svc');
  for (const user of ['greedy', 'modest', ...others]) {
    await service.command(
      queryOf({ cmd: 'adduser', user, password: user, roles: 'user', sessionToken: administrator }),
    );
  }
  const greedy = await tokenOf(service, 'greedy');
  const modest = await tokenOf(service, 'modest');
  return { service, administrator, greedy, modest, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Opens a cursor; returns the HTTP status, the error and the id of the query. */
async function openCursor(service: ServiceProcess, token: string) {
  const qry = 'SELECT x FROM SYSTEM_RANGE(1, 100)';
  const answer = await service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: token }));
  return { ...answer, id: (answer.response as { readonly queryId: number } | null)?.queryId };
}

/** Opens cursors, and returns the ids of their queries. */
async function openCursors(service: ServiceProcess, token: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const { http, error, id } = await openCursor(service, token);
    expect([http, error]).toEqual([200, null]);
    ids.push(id ?? 0);
  }
  return ids;
}

type Parameters = Readonly<Record<string, string | number>>;

/** Sends requests that last, without waiting for their answers; each has a separate connection. */
function occupy(service: ServiceProcess, count: number, parameters: Parameters, init?: RequestInit): void {
  for (let n = 0; n < count; n++) void service.send(queryOf({ ...parameters, n }), init).catch(() => undefined);
}

/** Calls `prepare` and then `take` in several rounds, and expects most to take less than a second. */
async function expectWithinSecond(
  title: string,
  take: (round: number) => Promise<unknown>,
  prepare?: () => Promise<unknown>,
): Promise<void> {
  const timesMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await prepare?.();
    const begunMs = performance.now();
    await take(round);
    timesMs.push(performance.now() - begunMs);
  }
  if (process.env.SVC_TEST_SHOW !== undefined) process.stderr.write(`${title}: ${timesMs.map(Math.round)} ms\n`);
  expect(timesMs.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(allowedMs(SHARE_MS));
}

/** Expects a command to succeed within a second. */
async function expectSoon(service: ServiceProcess, parameters: Parameters, init?: RequestInit) {
  await expectWithinSecond(String(parameters.cmd), async () => {
    const answer = await service.send(queryOf(parameters), init);
    expect([answer.http, answer.error]).toEqual([200, null]);
  });
}

const MIB = 1024 * 1024;
const SMALL_BUFFERS = {
  SVC_LIMITS_REQUEST_BUFFER_BYTES: String(8 * MIB),
  SVC_LIMITS_REQUEST_BODY_BYTES: String(4 * MIB),
};

/** Begins uploads that never end until the sender may have no more. */
async function fillBuffers({ port }: ServiceProcess, parameters: string, headers = ''): Promise<RawSocket[]> {
  const uploads: RawSocket[] = [];
  for (let isFull = false; !isFull; ) {
    const upload = await rawSocket(port);
    uploads.push(upload);
    await upload.send(
      `POST /svc?cmd=put&${parameters} HTTP/1.1\r\nHost: localhost\r\n${headers}` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${1.5 * MIB}\r\n\r\n`,
    );
    await upload.send(Buffer.alloc(MIB, 'a'));
    await Bun.sleep(10);
    isFull = uploads.some(({ received }) => received().startsWith('HTTP/1.1 429'));
    expect(uploads.length).toBeLessThan(20);
  }
  return uploads;
}

/** Stores a value of three eighths of the budget; tries again while the service is busy. */
async function putLarge(service: ServiceProcess, parameters: string, init?: RequestInit): Promise<void> {
  const body = new URLSearchParams({ val: 'a'.repeat(3 * MIB) });
  for (;;) {
    const answer = await service.send(`cmd=put&key=large&${parameters}`, { ...init, method: 'POST', body });
    if (answer.http !== 503) {
      expect([answer.http, answer.error]).toEqual([200, null]);
      return;
    }
    await Bun.sleep(50);
  }
}

/** Returns how many of a resource were taken from others, once it is at least `expected`: threads publish it later. */
async function evicted(
  service: ServiceProcess,
  administrator: string,
  resource: string,
  expected: number,
): Promise<number> {
  const pattern = new RegExp(`^svc_evicted_total\\{resource="${resource}"\\} (\\d+)$`, 'm');
  let count = 0;
  await until(`${expected} ${resource} were evicted`, async () => {
    const page = await (await fetch(`${service.origin}/metrics?sessionToken=${administrator}`)).text();
    count = Number(pattern.exec(page)?.[1]);
    return count >= expected;
  });
  return count;
}

for (const workers of WORKERS.map(String)) {
  test(
    `a user takes over half of the cursors of another, workers=${workers}`,
    async () => {
      await using shared = await startShared({ SVC_WORKERS: workers, SVC_LIMITS_OPEN_CURSORS: '40' });
      const { service, administrator, greedy, modest } = shared;
      await openCursors(service, greedy, 40);
      expect(await openCursor(service, greedy)).toMatchObject({ http: 503, error: 'Too many open cursors [limit=40]' });
      let ids: number[] = [];
      const take = async () => {
        ids = await openCursors(service, modest, 20);
      };
      const release = async () => {
        for (const qryId of ids) await service.command(queryOf({ cmd: 'qrycls', qryId, sessionToken: modest }));
        await openCursors(service, greedy, ids.length);
      };
      await expectWithinSecond('cursors', take, release);
      const { http, error } = await openCursor(service, modest);
      expect(http).toBe(429);
      expect(error).toContain('No more open cursors available: this user already holds its share');
      await openCursors(service, administrator, 1);
      const count = 20 * ROUNDS + 1;
      expect(await evicted(service, administrator, 'cursors', count)).toBe(count);
      const log = await Bun.file(join(service.dataDir, 'log', 'svc.log')).text();
      expect(log).toContain('A cursor was closed because another user needs its share');
    },
    LIMIT_MS,
  );

  test(
    `a user takes over half of the sessions of another, workers=${workers}`,
    async () => {
      const others = ['second', 'third'];
      await using shared = await startShared({ SVC_WORKERS: workers, SVC_LIMITS_SESSIONS: '24' }, others);
      const { service, administrator } = shared;
      const logIn = (user: string) =>
        service.send(queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': user }));
      const greedy: string[] = [];
      for (let answer = await logIn('greedy'); answer.sessionToken !== null; answer = await logIn('greedy')) {
        greedy.push(answer.sessionToken);
        expect(greedy.length).toBeLessThan(30);
      }
      const takers = ['modest', ...others];
      await expectWithinSecond('sessions', async (round) => {
        for (let count = 0; count < 5; count++) expect((await logIn(takers[round] ?? '')).error).toBe(null);
      });
      const valid = async (token: string) =>
        (await service.send(queryOf({ cmd: 'get', key: 'a', sessionToken: token }))).http === 200;
      const states = await Promise.all(greedy.map(valid));
      expect(states.filter((each) => each).length).toBeGreaterThanOrEqual(5);
      expect(states.at(-1)).toBe(true);
      expect(await valid(shared.modest)).toBe(true);
      expect(await evicted(service, administrator, 'sessions', 1)).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    `a statement runs beside endless ones of another user in all statement processes, workers=${workers}`,
    async () => {
      await using shared = await startShared({ SVC_WORKERS: workers, SVC_QUERY_PROCESSES: '2' });
      const { service, greedy, modest } = shared;
      occupy(service, 40, { cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS, sessionToken: greedy });
      await Bun.sleep(1_000);
      const qry = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000)';
      await expectSoon(service, { cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: modest });
    },
    LIMIT_MS,
  );

  test(
    `a body is buffered beside the uploads of another user who may have no more, workers=${workers}`,
    async () => {
      await using shared = await startShared({ ...SMALL_BUFFERS, SVC_WORKERS: workers });
      const { service, greedy, modest } = shared;
      const uploads: RawSocket[] = [];
      const upload = async () => void uploads.push(...(await fillBuffers(service, `sessionToken=${greedy}`)));
      const put = () => putLarge(service, `sessionToken=${modest}`);
      await expectWithinSecond('buffered bytes', put, upload);
      const rejected = uploads.find(({ received }) => received().includes('HTTP/1.1 429'));
      expect(rejected?.received()).toContain('No more buffered bytes available: this user already holds its share');
      for (const each of uploads) each.end();
    },
    LIMIT_MS,
  );

  test(
    `a change waits for a statement beside the waiting ones of another user, workers=${workers}`,
    async () => {
      await using shared = await startShared({
        SVC_WORKERS: workers,
        SVC_QUERY_MAX_WRITE_LOCK_MS: '60000',
        SVC_LIMITS_REQUESTS_IN_FLIGHT: '512',
        SVC_LIMITS_REQUESTS_WAITING: '256',
      });
      const { service, administrator, greedy, modest } = shared;
      const table = 'CREATE TABLE t(id INT PRIMARY KEY, n INT)';
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: table, sessionToken: administrator }));
      const row = 'INSERT INTO t VALUES (1, 1)';
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: row, sessionToken: administrator }));
      const leaving = new AbortController();
      const update = `UPDATE t SET n = (${ENDLESS})`;
      void service
        .send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: update, sessionToken: greedy }), leaving)
        .catch(() => undefined);
      const putsOf = async (token: string, count: number): Promise<RawSocket[]> => {
        const sockets = await Promise.all(Array.from({ length: count }, () => rawSocket(service.port)));
        const line = `GET /svc?${queryOf({ cmd: 'put', key: 'a', val: 'b', sessionToken: token })} HTTP/1.1`;
        await Promise.all(sockets.map((each) => each.send(`${line}\r\nHost: localhost\r\n\r\n`)));
        return sockets;
      };
      const isAnswered = ({ received }: RawSocket) => received() !== '';
      const isRejected = ({ received }: RawSocket) => received().startsWith('HTTP/1.1 503');
      // Puts wait for the statement until enough requests are in progress that every thread rejects more.
      const ofGreedy: RawSocket[] = [];
      for (let isFull = false; !isFull; ) {
        const puts = await putsOf(greedy, 100);
        ofGreedy.push(...puts);
        expect(ofGreedy.length).toBeLessThan(4_000);
        await Bun.sleep(allowedMs(100));
        isFull = puts.every(isRejected);
      }
      const ofModest = await putsOf(modest, 20);
      await Bun.sleep(200);
      expect(ofModest.filter(isAnswered)).toEqual([]);
      leaving.abort();
      while (!ofModest.every(isAnswered)) await Bun.sleep(20);
      expect(ofModest.filter(({ received }) => !received().startsWith('HTTP/1.1 200'))).toEqual([]);
      for (const each of [...ofGreedy, ...ofModest]) each.end();
    },
    LIMIT_MS,
  );

  test(
    `a request is served before the waiting ones of another user, workers=${workers}`,
    async () => {
      await using shared = await startShared({
        SVC_WORKERS: workers,
        SVC_QUERY_PROCESSES: '2',
        SVC_LIMITS_REQUESTS_IN_FLIGHT: '16',
        SVC_LIMITS_REQUESTS_WAITING: '100',
      });
      const { service, greedy, modest } = shared;
      occupy(service, 200, { cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS, sessionToken: greedy });
      await Bun.sleep(1_000);
      await expectSoon(service, { cmd: 'put', key: 'a', val: 'b', sessionToken: modest });
      await expectSoon(service, { cmd: 'get', key: 'a', sessionToken: modest });
    },
    LIMIT_MS,
  );
}

test(
  'a task runs beside long ones of another user in all task processes',
  async () => {
    await using shared = await startShared({ SVC_TASK_PROCESSES_COUNT: '2' });
    const { service, greedy, modest } = shared;
    occupy(service, 30, { cmd: 'exe', name: 'svc.sleep', p1: 60_000, sessionToken: greedy });
    await Bun.sleep(2_500);
    await expectSoon(service, { cmd: 'exe', name: 'svc.echo', p1: 'hello', sessionToken: modest });
  },
  LIMIT_MS,
);

/** The headers that a trusted proxy adds to a request of a client. */
function forwardedFor(address: string): RequestInit {
  return { headers: { 'X-Forwarded-For': address } };
}

test(
  'without users, a task runs beside long ones of another address in all task processes',
  async () => {
    await using service = await startService({
      env: { SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1', SVC_HTTP_STATUS: 'true', SVC_TASK_PROCESSES_COUNT: '2' },
    });
    occupy(service, 30, { cmd: 'exe', name: 'svc.sleep', p1: 60_000 }, forwardedFor('2001:db8::1'));
    await Bun.sleep(2_500);
    await expectSoon(service, { cmd: 'exe', name: 'svc.echo', p1: 'hello' }, forwardedFor('198.51.100.7'));
  },
  LIMIT_MS,
);

test(
  'without users, a body is buffered beside the uploads of another address that may have no more',
  async () => {
    await using service = await startService({
      env: { ...SMALL_BUFFERS, SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1', SVC_HTTP_STATUS: 'true' },
    });
    const uploads: RawSocket[] = [];
    const upload = async () => void uploads.push(...(await fillBuffers(service, '', 'X-Forwarded-For: 192.0.2.1\r\n')));
    await expectWithinSecond('buffered bytes', () => putLarge(service, '', forwardedFor('198.51.100.7')), upload);
    for (const each of uploads) each.end();
  },
  LIMIT_MS,
);

test(
  'without users, each address behind a trusted proxy has its share',
  async () => {
    await using service = await startService({
      env: {
        SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1',
        SVC_HTTP_STATUS: 'true',
        SVC_LIMITS_OPEN_CURSORS: '20',
      },
    });
    const open = async (address: string) => {
      const qry = 'SELECT x FROM SYSTEM_RANGE(1, 100)';
      return (await service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }), forwardedFor(address))).http;
    };
    for (let count = 0; count < 20; count++) expect(await open('2001:db8::1')).toBe(200);
    expect(await open('2001:db8::2')).toBe(503);
    for (let count = 0; count < 10; count++) expect(await open('198.51.100.7')).toBe(200);
    expect(await open('198.51.100.7')).toBe(429);
    expect(await open('203.0.113.1, 198.51.100.7')).toBe(429);
  },
  LIMIT_MS,
);

test(
  'pages of many cursors of one address do not keep those of another one waiting',
  async () => {
    await using service = await startService({
      env: { SVC_WORKERS: '1', SVC_QUERY_PROCESSES: '1', SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1' },
    });
    const idOf = (answer: Answer): number => (answer.response as { readonly queryId: number }).queryId;
    const send = (address: string, params: Readonly<Record<string, string | number>>): Promise<Answer> =>
      service.send(queryOf(params), { headers: { 'X-Forwarded-For': address } });
    const open = async (address: string): Promise<number> => {
      const qry = 'SELECT x FROM SYSTEM_RANGE(1, 100000000)';
      return idOf(await send(address, { cmd: 'qryfldexe', pageSize: 1, qry }));
    };
    const fetch = async (address: string, qryId: number, pageSize: number): Promise<void> => {
      expect((await send(address, { cmd: 'qryfetch', pageSize, qryId })).error).toBeNull();
    };
    const greedy: number[] = [];
    for (let cursor = 0; cursor < GREEDY_CURSORS; cursor++) greedy.push(await open('192.0.2.1'));
    const modest = await open('192.0.2.2');
    let pages = 0;
    let isOver = false;
    const clients = greedy.map(async (id) => {
      for (; !isOver; pages++) await fetch('192.0.2.1', id, 1_000);
    });
    for (let page = 0; page < MODEST_PAGES; page++) await fetch('192.0.2.2', modest, 1);
    const between = pages;
    isOver = true;
    await Promise.all(clients);
    // In order of arrival, a page of each other cursor would precede each one.
    expect(between / MODEST_PAGES).toBeLessThan(GREEDY_CURSORS / 3);
  },
  LIMIT_MS,
);
