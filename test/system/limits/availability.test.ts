/** Some users must not take SQL, tasks, memory or disk space from all others. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../../proof/processes/kills.ts';
import { openConnection } from '../http-connection.ts';
import { allowedMs } from '../machine.ts';
import { type Answer, newFolder, queryOf, startService } from '../service-process.ts';
import { until } from '../until.ts';
import { ENDLESS, GREEDY, HOUR_MS, MEBIBYTE, type SharedService, sql, startShared, within } from './shared-service.ts';

const LIMIT_MS = 180_000;
const STATEMENTS_OF_EACH = 8;
/** Others get their share, and administrators their reserve, within this time. */
const SHARE_MS = 2_000;
const ROUNDS = 5;
/** What a removed user runs ends within this time on a busy machine. */
const ENDED_MS = 5_000;

/** Makes each greedy user run as many endless statements as possible; returns the pending responses by user. */
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
      // A statement ends when it has used half of this, at which point its process is replaced.
      SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(256 * MEBIBYTE),
      // On a busy machine the clients wait for each other, which is not the matter here.
      SVC_LIMITS_QUEUE_MS: String(LIMIT_MS),
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
    // The first one is only kept for its cursor.
    const page = { cmd: 'qryfetch', qryId: queryId, pageSize: 1 };
    expect((await as('ann', page)).error).toBeNull();
    expect(processesOf(service.pid)).toEqual(expect.arrayContaining(first));
    expect((await as('ann', { cmd: 'qrycls', qryId: queryId })).error).toBeNull();
    await until('it has ended', () => !processesOf(service.pid).some((id) => first.includes(id)));
    isOver = true;
    await Promise.all(clients);
    expect([...errors]).toEqual([null]);
    expect(longestMs).toBeLessThan(allowedMs(10_000));
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
    const endMs = performance.now() + 4_000;
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
    /** Requests the value, and calls `read` for arriving data, and `ended` when the connection has been closed. */
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
    // Four responses fit, and part of another until the threads have agreed.
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
      // A margin for data written between checks of the disk.
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
