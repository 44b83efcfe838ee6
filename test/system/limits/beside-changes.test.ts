/**
 * Statements that read continue while a change holds the write lock, even if the statistics of their table are stale.
 */
import { expect, test } from 'bun:test';
import { allowedMs } from '../machine.ts';
import { startService } from '../service-process.ts';

/** Statements while the change runs; each used to be sent to another thread after 250 ms. */
const STATEMENTS = 12;
const MAX_MEDIAN_MS = 200;

test('statements on a table without statistics do not wait for a change that holds the write lock', async () => {
  await using service = await startService({ env: { SVC_QUERY_MAX_WRITE_LOCK_MS: '20000' } });
  const run = async (qry: string, signal?: AbortSignal) => {
    const body = new URLSearchParams({ qry });
    const { error } = await service.send('cmd=qryfldexe&pageSize=10', {
      method: 'POST',
      body,
      ...(signal && { signal }),
    });
    expect(error).toBeNull();
  };
  for (const name of ['small', 'other']) {
    await run(`CREATE TABLE ${name}(id INT PRIMARY KEY, n INT)`);
    await run(`INSERT INTO ${name} SELECT x, x FROM SYSTEM_RANGE(1, 1000)`);
  }
  const leaving = new AbortController();
  const change = run('UPDATE other SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 10000000000))', leaving.signal);
  const ended = change.then(
    () => true,
    () => true,
  );
  try {
    const timesMs: number[] = [];
    for (let each = 0; each < STATEMENTS; each++) {
      const startMs = performance.now();
      await run(`SELECT count(*) FROM small WHERE n + 0 > ${each}`);
      timesMs.push(performance.now() - startMs);
    }
    expect(await Promise.race([ended, Bun.sleep(0).then(() => false)])).toBe(false);
    expect(timesMs.toSorted((a, b) => a - b)[STATEMENTS / 2]).toBeLessThan(allowedMs(MAX_MEDIAN_MS));
  } finally {
    leaving.abort();
    await ended;
  }
}, 30_000);
