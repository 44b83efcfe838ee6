/** Requests that would wait too long are rejected at once, and logins never wait for statements that write. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { openConnection } from '../http-connection.ts';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const LIMIT_MS = 60_000;
/** A rejection takes a millisecond; machines that run tests are busy. */
const AT_ONCE_MS = 1_000;
const ENDLESS_CHANGE = 'UPDATE item SET n = (SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000000000000))';
/** Everything is rejected early enough for a short test. */
const QUEUE_MS = '100';
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000000000000)';

interface Outcome {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly error: string | null;
  readonly tookMs: number;
}

/** Sends a command on a separate connection; `headers` are lines. */
async function outcomeOf(
  { port }: ServiceProcess,
  parameters: Readonly<Record<string, string | number>>,
  headers = '',
): Promise<Outcome> {
  const connection = await openConnection(port);
  const begunMs = performance.now();
  const answer = await connection.send(`GET /svc?${queryOf(parameters)} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  const tookMs = performance.now() - begunMs;
  connection.close();
  const { error } = JSON.parse(answer.body) as { error: string | null };
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') ?? null, error, tookMs };
}

/** Sends requests one after another without waiting for their answers, `everyMs` apart. */
async function flood(
  count: number,
  everyMs: number,
  send: (at: number) => Promise<Outcome>,
): Promise<ReadonlyArray<Promise<Outcome>>> {
  const sent: Array<Promise<Outcome>> = [];
  for (let at = 0; at < count; at++) {
    sent.push(send(at));
    await Bun.sleep(everyMs);
  }
  return sent;
}

/** Expects some outcomes to be immediate rejections that say when to retry. */
function expectRejections(outcomes: readonly Outcome[]): void {
  const rejected = outcomes.filter(({ status }) => status === 503);
  expect(rejected.length).toBeGreaterThan(0);
  for (const { retryAfter, error } of rejected) {
    expect([retryAfter, error]).toEqual(['1', expect.stringContaining('Too many requests are waiting')]);
  }
  const times = rejected.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(allowedMs(AT_ONCE_MS));
}

async function createTable(service: ServiceProcess, more: Readonly<Record<string, string>> = {}): Promise<void> {
  for (const qry of ['CREATE TABLE item(id INT PRIMARY KEY, n INT)', 'INSERT INTO item VALUES (1, 1)']) {
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, ...more }));
  }
}

/** Waits until a statement holds the write lock: a change then waits. */
async function untilLocked(service: ServiceProcess, more: Readonly<Record<string, string>> = {}): Promise<void> {
  for (let isLocked = false; !isLocked; ) {
    await Bun.sleep(50);
    const put = service.send(queryOf({ cmd: 'put', key: 'probe', val: 'v', ...more })).then(() => true);
    isLocked = !(await Promise.race([put, Bun.sleep(300).then(() => false)]));
  }
}

/** Ends ann's two sessions, which wait to be stored: the one with the token by its id, the other by its user. */
async function expectEnded(service: ServiceProcess, administrator: string, token: string): Promise<void> {
  const listed = async () => {
    const answer = await service.command(queryOf({ cmd: 'sessionlist', user: 'ann', sessionToken: administrator }));
    return (answer as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id);
  };
  const ids = await listed();
  expect(ids).toHaveLength(2);
  const newest = new Bun.CryptoHasher('sha256').update(token).digest('hex');
  expect(ids).toContain(newest);
  expect(await service.command(queryOf({ cmd: 'sessionrmv', id: newest, sessionToken: administrator }))).toBe(1);
  expect(await listed()).toEqual(ids.filter((id) => id !== newest));
  const answer = await service.send(queryOf({ cmd: 'get', key: 'a', sessionToken: token }));
  expect(answer.error).toContain('unknown session token');
  expect(await service.command(queryOf({ cmd: 'sessionrmv', user: 'ann', sessionToken: administrator }))).toBe(1);
  expect(await listed()).toEqual([]);
}

for (const workers of WORKERS.map(String)) {
  test(
    `a login does not wait for a statement that holds the write lock, workers=${workers}`,
    async () => {
      const env = {
        SVC_WORKERS: workers,
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: 'pass',
        SVC_HTTP_STATUS: 'true',
        SVC_REST_SESSION_TIMEOUT: '600',
        SVC_QUERY_MAX_WRITE_LOCK_MS: '60000',
      };
      const dataDir = newFolder();
      const first = await startService({ env, dataDir });
      const logIn = async (user: string) => {
        const password = user === 'svc' ? 'pass' : user;
        const answer = await first.send(queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': password }));
        expect(answer.error).toBe(null);
        return answer.sessionToken ?? '';
      };
      const sessionToken = await logIn('svc');
      await first.command(queryOf({ cmd: 'adduser', user: 'ann', password: 'ann', roles: 'user', sessionToken }));
      await createTable(first, { sessionToken });
      const change = first.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS_CHANGE, sessionToken }));
      let isOver = false;
      void change.finally(() => {
        isOver = true;
      });
      await untilLocked(first, { sessionToken });
      const begunMs = performance.now();
      let ann = await logIn('ann');
      expect(performance.now() - begunMs).toBeLessThan(allowedMs(3_000));
      // Each request has a separate connection, so that all threads see the session.
      for (let n = 0; n < 8; n++) {
        const headers = { Connection: 'close' };
        const answer = await first.send(queryOf({ cmd: 'get', key: 'a', sessionToken: ann }), { headers });
        expect([answer.http, answer.error]).toEqual([200, null]);
      }
      const administrator = await logIn('svc');
      await expectEnded(first, administrator, await logIn('ann'));
      ann = await logIn('ann');
      const running = "SELECT QUERY_ID FROM SYS.SQL_QUERIES WHERE SQL LIKE 'UPDATE item%'";
      const found = await first.command(
        queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: running, sessionToken: administrator }),
      );
      const [[queryId = '']] = (found as { items: [[string]] }).items;
      expect(isOver).toBe(false);
      await first.command(queryOf({ cmd: 'qrykill', qryId: queryId, sessionToken: administrator }));
      expect((await change).error).toContain('it was killed');
      await first.command(queryOf({ cmd: 'put', key: 'a', val: 'b', sessionToken: ann }));
      await first.stop();
      {
        await using second = await startService({ env, dataDir });
        expect(await second.command(queryOf({ cmd: 'get', key: 'a', sessionToken: ann }))).toBe('b');
      }
      rmSync(dataDir, { recursive: true });
    },
    LIMIT_MS,
  );
}

test(
  'changes wait for the write lock, but not in any number',
  async () => {
    await using service = await startService({
      env: {
        SVC_QUERY_MAX_WRITE_LOCK_MS: '3000',
        SVC_LIMITS_REQUESTS_IN_FLIGHT: '200',
        SVC_LIMITS_REQUESTS_WAITING: '100',
      },
    });
    await createTable(service);
    const change = service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS_CHANGE }));
    await untilLocked(service);
    const statements = await flood(100, 1, () =>
      outcomeOf(service, { cmd: 'qryfldexe', pageSize: 1, qry: 'UPDATE item SET n = n + 1 WHERE n + 0 > 0' }),
    );
    const puts = await flood(400, 1, (at) => outcomeOf(service, { cmd: 'put', key: `k${at}`, val: 'v' }));
    expect((await change).error).toContain('it kept other changes waiting for too long');
    const outcomes = await Promise.all(puts);
    expectRejections(outcomes);
    expect(outcomes.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(150);
    expect((await Promise.all(statements)).map(({ status }) => status)).not.toContain(503);
    expect((await outcomeOf(service, { cmd: 'put', key: 'a', val: 'v' })).status).toBe(200);
  },
  LIMIT_MS,
);

test(
  'tasks beyond what can run soon are rejected',
  async () => {
    await using service = await startService({
      env: { SVC_TASK_PROCESSES_COUNT: '1', SVC_LIMITS_QUEUE_MS: QUEUE_MS, SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1' },
    });
    const run = (name: string) => outcomeOf(service, { cmd: 'exe', name, p1: 20 }, 'X-Forwarded-For: 192.0.2.1\r\n');
    await run('svc.echo');
    const tasks = await flood(300, 5, () => run('svc.sleep'));
    const outcomes = await Promise.all(tasks);
    expectRejections(outcomes);
    expect(outcomes.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(40);
    expect((await run('svc.echo')).status).toBe(200);
  },
  LIMIT_MS,
);

test(
  'requests beyond those that may be in progress are rejected',
  async () => {
    await using service = await startService({
      env: {
        SVC_LIMITS_REQUESTS_IN_FLIGHT: '2',
        SVC_LIMITS_REQUESTS_WAITING: '2',
        SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    const leaving = new AbortController();
    const endless = Array.from({ length: 6 }, () =>
      service
        .send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS }), { headers, signal: leaving.signal })
        .catch(() => undefined),
    );
    await Bun.sleep(500);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const gets = await flood(120, 1, () => outcomeOf(service, { cmd: 'get', key: 'a' }, lines.join('')));
    await Bun.sleep(200);
    leaving.abort();
    await Promise.all(endless);
    expectRejections(await Promise.all(gets));
  },
  LIMIT_MS,
);

test(
  'statements wait for a statement process alone, and changes by key for the write lock alone',
  async () => {
    await using service = await startService({
      env: { SVC_QUERY_PROCESSES: '1', SVC_QUERY_MAX_WRITE_LOCK_MS: '3000', SVC_LIMITS_REQUESTS_IN_FLIGHT: '16' },
    });
    await createTable(service);
    const waits = async (): Promise<ReadonlyMap<string, number>> => {
      const page = await (await fetch(new URL('/metrics', service.url))).text();
      const found = page.matchAll(/^svc_queue_waits_total\{queue="(\w+)"\} (\d+)$/gm);
      return new Map([...found].map(([, queue = '', count]) => [queue, Number(count)]));
    };
    const change = service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS_CHANGE }));
    await untilLocked(service);
    const long = service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS, timeout: 1_000 }));
    await Bun.sleep(100);
    const before = await waits();
    const read = { cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT SUM(x) FROM SYSTEM_RANGE(1, 100)' };
    const sent = Array.from({ length: 40 }, (_, at) =>
      outcomeOf(service, at % 2 === 0 ? read : { cmd: 'put', key: `k${at}`, val: 'v' }),
    );
    const outcomes = await Promise.all(sent);
    expect(outcomes.map(({ status }) => status)).not.toContain(503);
    await Promise.all([change, long]);
    // Threads publish their metrics every second.
    await Bun.sleep(2_500);
    const after = await waits();
    const waited = (queue: string) => (after.get(queue) ?? 0) - (before.get(queue) ?? 0);
    const ofEach = sent.length / 2;
    expect([waited('statements'), waited('tasks'), waited('passwords')]).toEqual([ofEach, 0, 0]);
    // The probe's change, and those of the service itself, also wait.
    expect(waited('changes')).toBeGreaterThanOrEqual(ofEach);
    expect(waited('changes')).toBeLessThan(2 * ofEach);
  },
  LIMIT_MS,
);
