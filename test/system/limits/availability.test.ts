/** What some users do must not take SQL, tasks, memory or disk space from all others. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../../proof/processes/kills.ts';
import { openConnection } from '../http-connection.ts';
import { allowedMs } from '../machine.ts';
import { memoryBytes } from '../resident-memory.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 180_000;
const HOUR_MS = 3_600_000;
const MEBIBYTE = 1024 * 1024;
/** A statement of unknown length, as every user may run one: it reads no cache. */
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b';
const GREEDY = ['ann', 'bob', 'cid'] as const;
const STATEMENTS_OF_EACH = 8;
/** Others get their share, and administrators their reserve, within this time. */
const SHARE_MS = 2_000;
const ROUNDS = 5;
/** What a removed user runs ends within this time on a busy machine. */
const ENDED_MS = 5_000;

type Parameters = Readonly<Record<string, string | number>>;

interface SharedService extends AsyncDisposable {
  readonly service: ServiceProcess;
  /** Sends a command as a user; `svc` is the administrator. */
  as(user: string, parameters: Parameters): Promise<Answer>;
}

async function startShared(
  users: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SharedService> {
  const service = await startService({
    env: {
      SVC_AUTHENTICATION: 'true',
      SVC_ADMIN_PASSWORD: 'svc',
      SVC_REST_SESSION_TIMEOUT: '600',
      SVC_HTTP_STATUS: 'true',
      ...env,
    },
  });
  const tokens = new Map<string, string>();
  const logIn = async (user: string): Promise<void> => {
    const login = { cmd: 'authenticate', 'svc.login': user, 'svc.password': user };
    const { sessionToken, text } = await service.send(queryOf(login));
    if (sessionToken === null) throw new Error(text);
    tokens.set(user, sessionToken);
  };
  const as = (user: string, parameters: Parameters): Promise<Answer> =>
    service.send(queryOf({ ...parameters, sessionToken: tokens.get(user) ?? '' }));
  await logIn('svc');
  for (const user of users) {
    const { error } = await as('svc', { cmd: 'adduser', user, password: user, roles: 'user' });
    if (error !== null) throw new Error(error);
    await logIn(user);
  }
  return { service, as, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const sql = (qry: string, more: Parameters = {}): Parameters => ({ cmd: 'qryfldexe', pageSize: 1, qry, ...more });

/** Resolves with the answer, or with undefined after a time. */
function within<T>(answer: Promise<T>, limitMs: number): Promise<T | undefined> {
  return Promise.race([answer, Bun.sleep(limitMs).then(() => undefined)]);
}

/** Has each greedy user run as many endless statements as it can; returns the pending answers by user. */
async function occupyStatements({ as }: SharedService): Promise<ReadonlyMap<string, ReadonlyArray<Promise<Answer>>>> {
  const pending = new Map<string, ReadonlyArray<Promise<Answer>>>();
  for (const user of GREEDY) {
    const statements = Array.from({ length: STATEMENTS_OF_EACH }, (_, n) =>
      as(user, { ...sql(ENDLESS), timeout: HOUR_MS, n }),
    );
    for (const each of statements) each.catch(() => undefined);
    pending.set(user, statements);
  }
  await Bun.sleep(2_000);
  return pending;
}

test(
  'an administrator reads the running statements while three users run as many as they can',
  async () => {
    await using shared = await startShared(GREEDY);
    await occupyStatements(shared);
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await within(
        shared.as('svc', sql('SELECT COUNT(*) FROM SYS.RUNNING_STATEMENTS')),
        allowedMs(SHARE_MS),
      );
      expect([answer?.http, answer?.error]).toEqual([200, null]);
    }
  },
  LIMIT_MS,
);

test(
  'a user without statements gets a share while three users run as many as they can',
  async () => {
    await using shared = await startShared([...GREEDY, 'dan']);
    await occupyStatements(shared);
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await within(
        shared.as('dan', sql('SELECT SUM(x) FROM SYSTEM_RANGE(1, 1000)')),
        allowedMs(SHARE_MS),
      );
      expect([answer?.http, answer?.response]).toMatchObject([200, { items: [[500_500]] }]);
    }
  },
  LIMIT_MS,
);

test(
  'the only process is replaced while 80 clients never leave it idle, of whom none fails or waits for long',
  async () => {
    await using shared = await startShared(['ann'], {
      SVC_QUERY_PROCESSES: '1',
      SVC_QUERY_MAX_MEMORY_BYTES: String(128 * MEBIBYTE),
      // A statement ends when it has taken half of this, at which a process is replaced.
      SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(256 * MEBIBYTE),
    });
    const { service, as } = shared;
    const rows = "SELECT 1 n, 'a' s UNION ALL SELECT n + 1, s || s FROM r";
    const large = sql(`WITH RECURSIVE r(n, s) AS (${rows}) SELECT COUNT(*) FROM r`);
    const opened = await as('ann', sql('SELECT x FROM SYSTEM_RANGE(1, 1000)'));
    const { queryId } = opened.response as { readonly queryId: number };
    const first = processesOf(service.pid);
    const errors = new Set<string | null>();
    let longestMs = 0;
    let isOver = false;
    const clients = Array.from({ length: 80 }, async () => {
      while (!isOver) {
        const sinceMs = performance.now();
        errors.add((await as('ann', sql('SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)'))).error);
        longestMs = Math.max(longestMs, performance.now() - sinceMs);
      }
    });
    for (let round = 0; round < 3; round++) {
      expect((await as('ann', large)).error).toContain('too much memory');
      expect((await as('ann', sql("SELECT x, REPEAT('a', 1000000) FROM SYSTEM_RANGE(1, 9)"))).error).toBeNull();
    }
    // The first one is kept for its cursor alone.
    const page = { cmd: 'qryfetch', qryId: queryId, pageSize: 1 };
    expect((await as('ann', page)).error).toBeNull();
    expect(processesOf(service.pid)).toEqual(expect.arrayContaining(first));
    expect((await as('ann', { cmd: 'qrycls', qryId: queryId })).error).toBeNull();
    await until('it has ended', () => !processesOf(service.pid).some((id) => first.includes(id)));
    isOver = true;
    await Promise.all(clients);
    expect([...errors]).toEqual([null]);
    expect(longestMs).toBeLessThan(10_000);
  },
  LIMIT_MS,
);

test(
  'the statements of a removed user end',
  async () => {
    await using shared = await startShared(GREEDY);
    const pending = await occupyStatements(shared);
    expect((await shared.as('svc', { cmd: 'removeuser', user: 'ann' })).response).toBe(true);
    const ended = await within(Promise.all(pending.get('ann') ?? []), ENDED_MS);
    expect(ended?.map(({ http, error }) => [http < 400, error === null])).toEqual(
      Array.from({ length: STATEMENTS_OF_EACH }, () => [false, false]),
    );
  },
  LIMIT_MS,
);

test(
  'a response to a removed user ends in the middle',
  async () => {
    await using shared = await startShared(['ann']);
    const { service, as } = shared;
    const { sessionToken } = await service.send(
      queryOf({ cmd: 'authenticate', 'svc.login': 'ann', 'svc.password': 'ann' }),
    );
    const query = queryOf({ ...sql('SELECT x FROM SYSTEM_RANGE(1, 100000000)'), sessionToken: sessionToken ?? '' });
    const response = await fetch(`${service.url}?${query}`, { headers: { Accept: 'text/csv' } });
    const reader = response.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    await reader.read();
    expect((await as('svc', { cmd: 'removeuser', user: 'ann' })).response).toBe(true);
    let bytes = 0;
    const readToEnd = async (): Promise<'complete' | 'cut'> => {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return 'complete';
          bytes += value.length;
          if (bytes > 64 * MEBIBYTE) return 'complete';
        }
      } catch {
        return 'cut';
      }
    };
    expect(await within(readToEnd(), SHARE_MS)).toBe('cut');
  },
  LIMIT_MS,
);

test(
  'no request is rejected while 512 connections send one short statement at a time',
  async () => {
    await using service = await startService({ env: { SVC_HTTP_STATUS: 'true' } });
    const statement = `GET /svc?${queryOf(sql('SELECT SUM(x) FROM SYSTEM_RANGE(1, 100)'))} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const statuses = new Map<number, number>();
    const endMs = performance.now() + 10_000;
    await Promise.all(
      Array.from({ length: 512 }, async () => {
        const connection = await openConnection(service.port);
        while (performance.now() < endMs) {
          const { status } = await connection.send(statement);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        connection.close();
      }),
    );
    expect([...statuses.keys()]).toEqual([200]);
  },
  LIMIT_MS,
);

test(
  'tasks of others run while four users have one task of an hour each',
  async () => {
    const greedy = [...GREEDY, 'dan'];
    await using shared = await startShared([...greedy, 'eve']);
    for (const user of greedy) {
      const task = { cmd: 'exe', name: 'svc.sleep', p1: HOUR_MS, async: 'true' };
      expect((await shared.as(user, task)).error).toBeNull();
    }
    await Bun.sleep(2_000);
    const answer = await within(shared.as('eve', { cmd: 'exe', name: 'svc.echo', p1: 'hello' }), 10_000);
    expect(answer?.response).toMatchObject({ result: 'hello' });
  },
  LIMIT_MS,
);

test(
  'an administrator runs tasks while users occupy all task processes',
  async () => {
    const greedy = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
    await using shared = await startShared(greedy, { SVC_TASK_PROCESSES_COUNT: '1' });
    for (const user of greedy) {
      const task = { cmd: 'exe', name: 'svc.sleep', p1: HOUR_MS, async: 'true' };
      expect((await shared.as(user, task)).error).toBeNull();
    }
    const running = async (): Promise<unknown> =>
      (await shared.as('svc', sql("SELECT COUNT(*) FROM SYS.JOBS WHERE STATE = 'ACTIVE'"))).response;
    while (!JSON.stringify(await running()).includes('[[5]]')) await Bun.sleep(200);
    const answer = await within(shared.as('svc', { cmd: 'exe', name: 'svc.echo', p1: 'hello' }), 10_000);
    expect(answer?.response).toMatchObject({ result: 'hello' });
  },
  LIMIT_MS,
);

test(
  'users list and end their own tasks, and administrators those of all',
  async () => {
    await using shared = await startShared(['ann', 'bob'], { SVC_WORKERS: '2' });
    const task = { cmd: 'exe', name: 'svc.sleep', p1: HOUR_MS, async: 'true' };
    const started = async (user: string): Promise<string> => {
      const { response } = await shared.as(user, task);
      return (response as { readonly id: string }).id;
    };
    const listed = async (user: string): Promise<readonly string[]> =>
      ((await shared.as(user, { cmd: 'tasklist' })).response as ReadonlyArray<{ readonly id: string }>).map(
        ({ id }) => id,
      );
    const [ofAnn, ofBob] = [await started('ann'), await started('bob')];
    expect(await listed('ann')).toEqual([ofAnn]);
    expect(await listed('svc')).toEqual([ofAnn, ofBob]);
    expect((await shared.as('ann', { cmd: 'taskkill', id: ofBob })).http).toBe(404);
    expect((await shared.as('ann', { cmd: 'taskkill', id: ofAnn })).response).toBe(true);
    expect((await shared.as('svc', { cmd: 'taskkill', id: ofBob })).response).toBe(true);
    expect((await shared.as('bob', { cmd: 'res', id: ofBob })).error).toMatch(/cancel/i);
    expect(await listed('svc')).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'the time limit of users has a maximum, whatever they ask for, and that of administrators has none',
  async () => {
    await using shared = await startShared(['ann'], { SVC_QUERY_MAX_TIMEOUT: '1' });
    for (const parameters of [sql(ENDLESS, { timeout: HOUR_MS }), sql(ENDLESS)]) {
      const answer = await within(shared.as('ann', parameters), 20_000);
      expect([answer?.http, answer?.error]).toEqual([504, expect.stringMatching(/time/)]);
    }
    const begunMs = performance.now();
    const answer = await shared.as('svc', sql(ENDLESS, { timeout: 4_000 }));
    expect(answer.http).toBe(504);
    expect(performance.now() - begunMs).toBeGreaterThan(3_900);
  },
  LIMIT_MS,
);

const onLinux = process.platform === 'linux';

test.skipIf(!onLinux)(
  '300 clients that do not read their responses hold at most 640 MiB',
  async () => {
    await using service = await startService({});
    await service.command(queryOf(sql('SELECT SUM(x) FROM SYSTEM_RANGE(1, 1000)')));
    const idleBytes = memoryBytes(service.pid);
    const qry = "SELECT x, REPEAT('a', 1000) FROM SYSTEM_RANGE(1, 10000000)";
    const request = `GET /svc?${queryOf(sql(qry))} HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\n\r\n`;
    const sockets = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const socket = await Bun.connect({
          hostname: '127.0.0.1',
          port: service.port,
          socket: { open: (each) => void each.pause(), data() {}, error() {} },
        });
        socket.write(request);
        return socket;
      }),
    );
    let mostBytes = 0;
    const endMs = performance.now() + 12_000;
    while (performance.now() < endMs) {
      mostBytes = Math.max(mostBytes, memoryBytes(service.pid));
      await Bun.sleep(100);
    }
    for (const socket of sockets) socket.terminate();
    expect((mostBytes - idleBytes) / MEBIBYTE).toBeLessThan(640);
  },
  LIMIT_MS,
);

test(
  'of many clients that do not read their responses, those that have stalled for the longest time are disconnected',
  async () => {
    await using service = await startService({
      env: {
        SVC_WORKERS: '2',
        SVC_LIMITS_RESPONSE_BUFFER_BYTES: String(64 * MEBIBYTE),
        SVC_LIMITS_VALUE_CHARACTERS: String(16 * MEBIBYTE),
      },
    });
    const send = (params: Readonly<Record<string, string>>) =>
      service.send('', { method: 'POST', body: new URLSearchParams(params) });
    const value = 'a'.repeat(16 * MEBIBYTE);
    expect((await send({ cmd: 'put', key: 'long', val: value })).error).toBeNull();
    /** Requests the value, and calls `read` for what arrives, and `ended` when the connection has been closed. */
    const openReader = (isPaused: boolean, read: (bytes: number) => void, ended: () => void = () => {}) =>
      Bun.connect({
        hostname: '127.0.0.1',
        port: service.port,
        socket: {
          open: (socket) => {
            socket.write('GET /svc?cmd=get&key=long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
            if (isPaused) socket.pause();
          },
          data: (_, bytes) => read(bytes.length),
          close: ended,
          error() {},
        },
      });
    const readers = Array.from({ length: 20 }, () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      let bytes = 0;
      const add = (more: number): void => {
        bytes += more;
      };
      return {
        opened: openReader(true, add, () => resolve(bytes)),
        ended: promise,
      };
    });
    const stalled = await Promise.all(readers.map(({ opened }) => opened));
    // Until all of them have been answered and have stalled.
    await Bun.sleep(2_000);
    // It reads now and then, so it keeps its response.
    let received = 0;
    const slow = await openReader(false, (bytes) => {
      received += bytes;
      slow.pause();
    });
    const reads = setInterval(() => slow.resume(), 10);
    try {
      // New requests are answered whatever the others hold.
      for (let at = 0; at < 8; at++) expect((await send({ cmd: 'get', key: 'long' })).response === value).toBe(true);
      const endMs = performance.now() + 30_000;
      while (received < value.length && performance.now() < endMs) await Bun.sleep(20);
      expect(received).toBeGreaterThan(value.length);
    } finally {
      clearInterval(reads);
    }
    for (const socket of stalled) socket.resume();
    const lengths = await Promise.all(readers.map(({ ended }) => ended));
    const whole = lengths.filter((length) => length > value.length).length;
    // Four responses fit, and a part of one more while the threads agree.
    expect(whole).toBeGreaterThan(0);
    expect(whole).toBeLessThanOrEqual(5);
    slow.terminate();
  },
  LIMIT_MS,
);

/** Mounts a disk of 512 MiB for temporary files; returns undefined where that is not possible. */
function mountSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const disk = join(newFolder(), 'disk');
  mkdirSync(disk);
  return Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=512m', 'tmpfs', disk]).success ? disk : undefined;
}

const smallDisk = mountSmallDisk();

test.skipIf(!onLinux)(
  'temporary files of all statements have a total, and the statement with the most ends',
  async () => {
    await using service = await startService({
      env: { SVC_QUERY_MAX_TOTAL_TEMPORARY_BYTES: String(128 * MEBIBYTE), SVC_HTTP_STATUS: 'true' },
    });
    const sort = (rows: number): string =>
      `SELECT x, REPEAT('a', 1000) || MOD(x * 7919, 1000003) s FROM SYSTEM_RANGE(1, ${rows}) ORDER BY 2`;
    const small = service.send(queryOf(sql(sort(20_000), { timeout: 60_000 })));
    const large = await service.send(queryOf(sql(sort(3_000_000), { timeout: 60_000 })));
    expect([large.http, large.error]).toEqual([503, expect.stringMatching(/space for temporary files/)]);
    expect((await small).error).toBeNull();
  },
  LIMIT_MS,
);

test.skipIf(smallDisk === undefined)(
  'temporary files of reads leave the free space that changes need',
  async () => {
    const disk = smallDisk ?? '';
    const minFreeBytes = 256 * MEBIBYTE;
    const service = await startService({
      dataDir: join(disk, 'data'),
      env: { SVC_STORAGE_MIN_FREE_BYTES: String(minFreeBytes), TMPDIR: disk, SQLITE_TMPDIR: disk },
    });
    let leastFreeBytes = Number.POSITIVE_INFINITY;
    const watch = setInterval(() => {
      const { bavail, bsize } = statfsSync(disk);
      leastFreeBytes = Math.min(leastFreeBytes, bavail * bsize);
    }, 20);
    try {
      const sort = "SELECT x, REPEAT('a', 1000) || MOD(x * 7919, 1000003) s FROM SYSTEM_RANGE(1, 3000000) ORDER BY 2";
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, n) => service.send(queryOf({ ...sql(sort), n, timeout: 60_000 }))),
      );
      expect(answers.map(({ error }) => error)).not.toContain(null);
      // A margin for what is written between two looks at the disk.
      expect(leastFreeBytes).toBeGreaterThan(minFreeBytes - 64 * MEBIBYTE);
    } finally {
      clearInterval(watch);
      await service[Symbol.asyncDispose]();
      Bun.spawnSync(['umount', disk]);
      rmSync(join(disk, '..'), { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);

test(
  'gets are answered between the caches that a batch creates',
  async () => {
    await using service = await startService({ env: { SVC_WORKERS: '1' } });
    await service.command('cmd=put&key=a&val=1');
    const gets = await openConnection(service.port);
    const answered: number[] = [];
    for (let first = 0; first < 1_000; first += 200) {
      const commands = Array.from({ length: 200 }, (_, n) => ({ cmd: 'getorcreate', cacheName: `c${first + n}` }));
      let isDone = false;
      const batch = service
        .send('cmd=batch', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ commands }),
        })
        .finally(() => {
          isDone = true;
        });
      let count = 0;
      for (; !isDone; count++) await gets.send('GET /svc?cmd=get&key=a HTTP/1.1\r\nHost: localhost\r\n\r\n');
      expect((await batch).error).toBeNull();
      answered.push(count);
    }
    gets.close();
    // Counted rather than timed: how long one creation takes depends on what else the machine does.
    expect(Math.min(...answered)).toBeGreaterThan(20);
  },
  LIMIT_MS,
);

test(
  'the number of counters is limited',
  async () => {
    await using service = await startService({ env: { SVC_LIMITS_COUNTERS: '10' } });
    for (let n = 0; n < 10; n++) await service.command(`cmd=incr&key=counter${n}&delta=1`);
    expect((await service.send('cmd=incr&key=counter10&delta=1')).error).toMatch(/counters/);
    expect((await service.send('cmd=incr&key=counter9&delta=1')).response).toBe(2);
  },
  LIMIT_MS,
);
