/**
 * The resources that a user holds are bounded, and the rest serves others: tasks, memory, temporary files, counters.
 */
import { expect, test } from 'bun:test';
import { openConnection } from '../http-connection.ts';
import { memoryBytes } from '../resident-memory.ts';
import { queryOf, startService } from '../service-process.ts';
import { ENDLESS, GREEDY, HOUR_MS, MEBIBYTE, sql, startShared, within } from './shared-service.ts';

const LIMIT_MS = 180_000;
const onLinux = process.platform === 'linux';

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

test.skipIf(!onLinux)(
  '300 clients that do not read their responses hold at most 3 MiB each',
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
    expect((mostBytes - idleBytes) / MEBIBYTE).toBeLessThan(300 * 3);
  },
  LIMIT_MS,
);

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
    // Counted rather than timed: the duration of a creation depends on other work on the machine.
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
