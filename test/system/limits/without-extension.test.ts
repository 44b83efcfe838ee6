/** A statement ends with its process where the SQLite extension that interrupts it cannot be loaded. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const root = join(import.meta.dir, '../../..');
const LIMIT_MS = 60_000;
const TIME_LIMIT_MS = 2_000;
/** An endless statement never ends, so this only has to be longer than a busy machine needs. */
const GONE_MS = 20_000;

function start(env: Record<string, string>): Promise<ServiceProcess> {
  const preload = join(import.meta.dir, 'without-extension-process.ts');
  return startService({
    program: [join(root, 'node_modules/.bin/bun'), '--preload', preload, join(root, 'src/main.ts')],
    env,
  });
}

const folder = newFolder();
let service: ServiceProcess;
const run = (qry: string, timeoutMs = 0, at = service) =>
  at.send(`cmd=qryfldexe&pageSize=10&timeout=${timeoutMs}`, { method: 'POST', body: new URLSearchParams({ qry }) });

beforeAll(async () => {
  const config = join(folder, 'svc.config.mjs');
  writeFileSync(config, "export default { regions: [{ name: 'default' }, { name: 'memory', persistent: false }] };");
  service = await start({ SVC_QUERY_MAX_WRITE_LOCK_MS: '1000', SVC_CONFIG: config });
  expect((await run('CREATE TABLE item(id INT PRIMARY KEY, n INT)')).error).toBeNull();
  expect((await run('INSERT INTO item SELECT x, x FROM SYSTEM_RANGE(1, 20000)')).error).toBeNull();
  // A process that has yet to start would use the time of the first statement.
  expect((await run('SELECT count(*) FROM item a JOIN item b ON a.id = b.n')).error).toBeNull();
}, LIMIT_MS);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the log says what the extension is needed for', () => {
  const log = readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8');
  expect(log).toContain('A statement that does not end in time is ended with its process');
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

const PATH = "JSON_VALUE(_val, '$.n' RETURNING INT)";

test.each([['default'], ['memory']])(
  'declarations over data that exists in the region %s',
  async (dataRegion) => {
    const cacheName = `objects-${dataRegion}`;
    const entries = `"${cacheName}".ENTRIES`;
    const done = async (qry: string): Promise<void> => expect([qry, (await run(qry)).error]).toEqual([qry, null]);
    const rows = async (qry: string): Promise<unknown> => {
      const { error, response } = await run(qry);
      return error ?? (response as { items: unknown }).items;
    };
    const kept = async (expected: readonly unknown[]): Promise<void> => {
      expect(await rows(`SELECT _key FROM ${entries} WHERE ${PATH} > 1 ORDER BY _key`)).toEqual(expected);
      expect(JSON.stringify(await rows(`EXPLAIN SELECT _key FROM ${entries} WHERE ${PATH} > 1`))).toContain(
        'by index N',
      );
    };
    await service.command(queryOf({ cmd: 'getorcreate', cacheName, dataRegion }));
    for (const n of [1, 2, 3])
      await service.command(queryOf({ cmd: 'put', cacheName, key: `k${n}`, val: `{"n":${n}}`, valueType: 'Thing' }));
    await done(`CREATE INDEX n ON ${entries} (${PATH})`);
    await kept([['k2'], ['k3']]);
    await done(
      `CREATE TABLE ${dataRegion}T (id VARCHAR PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=${cacheName},VALUE_TYPE=Thing"`,
    );
    await done(`ALTER TABLE ${dataRegion}T ADD COLUMN n INT`);
    expect(await rows(`SELECT id, n FROM ${dataRegion}T ORDER BY id`)).toEqual([
      ['k1', 1],
      ['k2', 2],
      ['k3', 3],
    ]);
    await kept([['k2'], ['k3']]);
    await done(`UPDATE ${dataRegion}T SET n = n + 1`);
    await kept([['k1'], ['k2'], ['k3']]);
    await done(`INSERT INTO ${entries} (_key, _val) VALUES ('note', '{"n":7}')`);
    await kept([['k1'], ['k2'], ['k3'], ['note']]);
    await done(`DROP INDEX "${cacheName}".n`);
    expect(await rows(`SELECT COUNT(*) FROM ${entries} WHERE ${PATH} > 1`)).toEqual([[4]]);
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

test(
  'the cursors of others in a process that is ended are lost, and new ones work',
  async () => {
    await using single = await start({ SVC_QUERY_PROCESSES: '1' });
    const opened = await single.send(
      queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'SELECT x FROM SYSTEM_RANGE(1, 1000)' }),
    );
    const { queryId } = opened.response as { queryId: number };
    const fetchPage = () => single.send(queryOf({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 }));
    expect((await fetchPage()).error).toBeNull();
    const endless = 'SELECT count(*) FROM SYSTEM_RANGE(1, 1000000) a, SYSTEM_RANGE(1, 1000000) b';
    expect((await run(endless, TIME_LIMIT_MS, single)).error).toContain('time limit is over');
    await until('the cursor is lost', async () => (await fetchPage()).error?.includes('Repeat the query') === true);
    expect((await run('SELECT 1 + x FROM SYSTEM_RANGE(1, 1)', 0, single)).response).toMatchObject({ items: [[2]] });
  },
  LIMIT_MS,
);
