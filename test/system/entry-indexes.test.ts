/** Indexes on paths survive imports, declared tables, backups and restores. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvcProcess } from './cli/cli-process.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';

const folder = newFolder();
const dataDir = join(folder, 'data');
const config = join(folder, 'svc.config.ts');
let service: ServiceProcess;
const call = (params: Readonly<Record<string, string>>, init?: RequestInit) => service.send(queryOf(params), init);
const sql = (qry: string) => call({ cmd: 'qryfldexe', pageSize: '100', qry });

const BORN = "JSON_VALUE(_val, '$.born' RETURNING INT)";

async function start(configuration: string): Promise<void> {
  writeFileSync(config, configuration);
  service = await startService({ dataDir, env: { SVC_CONFIG: config } });
}

const REGIONS = `regions: [{ name: 'default' }, { name: 'memory', persistent: false }]`;
beforeAll(() => start(`export default { ${REGIONS} };`), 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the keys found by the index. Checks that it is used, and that reading all values finds the same keys. */
async function search(cacheName: string): Promise<unknown> {
  const found = await sql(`SELECT _key FROM "${cacheName}".ENTRIES WHERE ${BORN} > 0 ORDER BY _key`);
  expect(found.error).toBeNull();
  const read = `JSON_VALUE(_val, '$.born' RETURNING INT DEFAULT 0 ON EMPTY) > 0`;
  const all = await sql(`SELECT _key FROM "${cacheName}".ENTRIES WHERE ${read} ORDER BY _key`);
  expect(found.response).toMatchObject({ items: (all.response as { items: unknown }).items });
  const plan = await sql(`EXPLAIN SELECT _key FROM "${cacheName}".ENTRIES WHERE ${BORN} = 1`);
  expect(JSON.stringify(plan.response)).toContain('by index BORN');
  return (found.response as { items: unknown }).items;
}

const ROWS = '{"id":"a","born":1990}\n{"id":"b","born":null}\n{"id":"c","born":2}';

test('imports fill the columns of paths, of entries and of rows, also at once', async () => {
  await call({ cmd: 'getorcreate', cacheName: 'people' });
  expect((await sql(`CREATE INDEX born ON "people".ENTRIES (${BORN})`)).error).toBeNull();
  const body = '{"key":"x","value":{"born":5}}\n{"key":"y","value":{"name":"Y"}}';
  const init = (text: string) => ({ method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: text });
  const entries = { cmd: 'import', cacheName: 'people', valueType: 'Person' };
  expect((await call(entries, init(body))).error).toBeNull();
  expect(await search('people')).toEqual([['x']]);
  expect((await call({ ...entries, atomic: 'true', onDuplicate: 'replace' }, init(body))).error).toBeNull();
  expect(await search('people')).toEqual([['x']]);
  for (const atomic of ['false', 'true']) {
    const cacheName = `rows-${atomic}`;
    const table = `Row_${atomic}`;
    const create = `CREATE TABLE ${table} (id VARCHAR PRIMARY KEY, "born" INT) WITH "CACHE_NAME=${cacheName}"`;
    expect((await sql(create)).error).toBeNull();
    expect((await sql(`CREATE INDEX born ON "${cacheName}".ENTRIES (${BORN})`)).error).toBeNull();
    const imported = await call({ cmd: 'import', table, atomic }, init(ROWS));
    expect(imported.error).toBeNull();
    expect(await search(cacheName)).toEqual([['a'], ['c']]);
    const more = '{"id":"c","born":-1}\n{"id":"d","born":7}';
    const again = await call({ cmd: 'import', table, atomic, onDuplicate: 'replace' }, init(more));
    expect(again.error).toBeNull();
    expect(await search(cacheName)).toEqual([['a'], ['d']]);
  }
});

test.each([['default'], ['memory']])('a region: %s', async (dataRegion) => {
  const cacheName = `in-${dataRegion}`;
  await call({ cmd: 'getorcreate', cacheName, dataRegion });
  expect((await sql(`CREATE INDEX born ON "${cacheName}".ENTRIES (${BORN})`)).error).toBeNull();
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: '{"key":"x","value":{"born":5}}',
  };
  for (const atomic of ['true', 'false']) {
    await call({ cmd: 'clear', cacheName });
    expect((await call({ cmd: 'import', cacheName, valueType: 'Person', atomic }, init)).error).toBeNull();
    expect(await search(cacheName)).toEqual([['x']]);
  }
  const found = await fetch(`${service.origin}/svc/caches/${cacheName}/entries?born=gt.1`);
  expect(await found.json()).toMatchObject([{ key: 'x' }]);
});

test('an entity of the configuration leaves them', async () => {
  await call({ cmd: 'put', cacheName: 'people', key: 'z', val: '{"born":"7"}', valueType: 'Person' });
  expect(await search('people')).toEqual([['x'], ['z']]);
  await service[Symbol.asyncDispose]();
  const entity = `{ keyType: 'string', valueType: 'Person', keyFields: ['id'], fields: { id: 'string', born: 'int' } }`;
  await start(`export default { ${REGIONS}, caches: [{ name: 'people', entities: [${entity}] }] };`);
  expect((await sql('SELECT born FROM "people".Person WHERE born > 0 ORDER BY id')).response).toMatchObject({
    items: [[5], [7]],
  });
  expect(await search('people')).toEqual([['x'], ['z']]);
  // A region that does not persist is empty after a restart, and its indexes are declared.
  expect(await search('in-memory')).toEqual([]);
  await call({ cmd: 'put', cacheName: 'in-memory', key: 'x', val: '{"born":5}' });
  expect((await sql(`UPDATE "people".Person SET born = 9 WHERE id = 'y'`)).error).toBeNull();
  expect(await search('people')).toEqual([['x'], ['y'], ['z']]);
});

test('a restored backup has them', async () => {
  const backup = join(folder, 'stored.svcbackup');
  const made = await runSvcProcess(['backup', '--url', service.url, '--to', backup, '--json'], { cwd: folder });
  expect([made.output, made.exitCode]).toEqual([expect.any(String), 0]);
  await service[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
  const restored = await runSvcProcess(['restore', backup, '--to', dataDir], { cwd: folder });
  expect([restored.output, restored.exitCode]).toEqual([expect.any(String), 0]);
  service = await startService({ dataDir, env: { SVC_CONFIG: config } });
  expect(await search('people')).toEqual([['x'], ['y'], ['z']]);
  expect(await search('in-memory')).toEqual([['x']]);
  expect((await sql('DROP INDEX "people".BORN')).error).toBeNull();
  const plan = await sql(`EXPLAIN SELECT _key FROM "people".ENTRIES WHERE ${BORN} = 1`);
  expect(JSON.stringify(plan.response)).toContain('reads all rows');
});
