/** Statements end by polling where the SQLite extension that interrupts them cannot be loaded. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const root = join(import.meta.dir, '../../..');
const LIMIT_MS = 60_000;
const TIME_LIMIT_MS = 2_000;
/** An endless statement never ends, so this only has to be longer than a busy machine needs. */
const GONE_MS = 20_000;

let service: ServiceProcess;
const run = (qry: string, timeoutMs = 0) =>
  service.send(`cmd=qryfldexe&pageSize=10&timeout=${timeoutMs}`, {
    method: 'POST',
    body: new URLSearchParams({ qry }),
  });

beforeAll(async () => {
  const preload = join(import.meta.dir, 'without-extension-process.ts');
  service = await startService({
    program: [join(root, 'node_modules/.bin/bun'), '--preload', preload, join(root, 'src/main.ts')],
    env: { SVC_QUERY_MAX_WRITE_LOCK_MS: '1000' },
  });
  expect((await run('CREATE TABLE item(id INT PRIMARY KEY, n INT)')).error).toBeNull();
  expect((await run('INSERT INTO item SELECT x, x FROM SYSTEM_RANGE(1, 20000)')).error).toBeNull();
  // A thread that has yet to start would use the time of the first statement.
  expect((await run('SELECT count(*) FROM item a JOIN item b ON a.id = b.n')).error).toBeNull();
}, LIMIT_MS);
afterAll(() => service.stop());

test('the log says that statements poll', () => {
  const log = readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8');
  expect(log).toContain('Statements are interrupted by polling');
  expect(log).toContain('extensions cannot be loaded here');
});

test.each([
  [
    'an endless recursive query',
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  ],
  ['a change', 'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 100000000000))'],
])(
  '%s ends at its time limit',
  async (_title, sql) => {
    const begunMs = performance.now();
    expect((await run(sql, TIME_LIMIT_MS)).error).toMatch(/time limit is over|kept other changes waiting/);
    expect(performance.now() - begunMs).toBeLessThan(GONE_MS);
  },
  LIMIT_MS,
);

test(
  'a statement is killed',
  async () => {
    const running = run('SELECT sum(a.n * b.n) AS KILLED FROM item a, item b, item c');
    const shown = "SELECT QUERY_ID FROM SYS.RUNNING_STATEMENTS WHERE STATEMENT LIKE 'SELECT sum%AS KILLED%'";
    let id = '';
    await until('the statement runs', async () => {
      const { response } = await run(shown);
      id = String((response as { items: unknown[][] }).items[0]?.[0] ?? '');
      return id !== '';
    });
    expect((await run(`KILL QUERY '${id}'`)).error).toBeNull();
    expect((await running).error).toContain('cancelled');
    expect((await run('SELECT count(*) FROM item')).response).toMatchObject({ items: [[20_000]] });
  },
  LIMIT_MS,
);
