/** A suspended process of the service is replaced, and the requests that wait for it continue. */
import { expect, test } from 'bun:test';
import { processesOf, run } from '../../proof/processes/kills.ts';
import { type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 240_000;
/** Longer than any bound after which a process is replaced. */
const REPLACED_MS = 90_000;
const ROWS = 2_000_000;

const put = (service: ServiceProcess) => service.send('cmd=put&key=a&val=b');

async function answers(action: () => Promise<unknown>, withinMs: number): Promise<boolean> {
  return Promise.race([action().then(() => true), Bun.sleep(withinMs).then(() => false)]);
}

/** Suspends the process for changes while it holds the write lock, so a put gets no response. */
async function suspendWithLock(service: ServiceProcess): Promise<number> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const [id] = processesOf(service.pid, 'changes');
    if (id === undefined) continue;
    process.kill(id, 'SIGSTOP');
    if (!(await answers(() => put(service), 300))) return id;
    process.kill(id, 'SIGCONT');
    await Bun.sleep(Math.random() * 5);
  }
  throw new Error('the process never held the write lock');
}

test(
  'puts go on after the process for changes was suspended in a part of an import',
  async () => {
    await using service = await startService();
    await run(service, 'CREATE TABLE t(id INT PRIMARY KEY, v VARCHAR)');
    const records = Array.from({ length: ROWS }, (_, id) => `{"id":${id},"v":"value ${id}"}`).join('\n');
    const imported = service
      .send('cmd=import&table=T&importId=one', {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: records,
      })
      .catch(() => undefined);
    const id = await suspendWithLock(service);
    expect(await answers(() => put(service), REPLACED_MS)).toBe(true);
    await until('it is replaced', () => !processesOf(service.pid, 'changes').includes(id), REPLACED_MS);
    await imported;
    expect((await put(service)).error).toBeNull();
    expect((await run(service, 'SELECT COUNT(*) FROM t')).error).toBeNull();
  },
  LIMIT_MS,
);

test.each(['reads', 'changes'] as const)(
  'a suspended idle process for %s is replaced',
  async (role) => {
    await using service = await startService();
    await run(service, 'CREATE TABLE t(id INT PRIMARY KEY, n INT)');
    await run(service, 'INSERT INTO t SELECT x, x FROM SYSTEM_RANGE(1, 100)');
    const statement =
      role === 'reads' ? 'SELECT SUM(x) FROM SYSTEM_RANGE(1, 300000)' : 'UPDATE t SET n = n + 1 WHERE n > 0';
    expect((await run(service, statement)).error).toBeNull();
    const suspended = processesOf(service.pid, role);
    for (const id of suspended) process.kill(id, 'SIGSTOP');
    await until(
      'another one runs the statement',
      async () => (await run(service, statement)).error === null,
      REPLACED_MS,
    );
    expect((await put(service)).error).toBeNull();
  },
  LIMIT_MS,
);
