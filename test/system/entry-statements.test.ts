/** Changes of `"people".ENTRIES` have the effects of put and remove: events, batches, deadlines, statistics. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { newFolder, queryOf, type ServiceProcess, startService } from './service-process.ts';

const folder = newFolder();
let service: ServiceProcess;
const call = (params: Readonly<Record<string, string>>) => service.send(queryOf(params));
const sql = (cacheName: string, qry: string) => call({ cmd: 'qryfldexe', cacheName, pageSize: '100', qry });

beforeAll(async () => {
  service = await startService({ dataDir: folder });
  for (const cacheName of ['byPut', 'bySql']) {
    const { error } = await call({ cmd: 'getorcreate', cacheName, changeFeed: 'true' });
    expect(error).toBeNull();
  }
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A command on an entry, and the statement that has the same effect. */
const STEPS: ReadonlyArray<readonly [command: Readonly<Record<string, string>>, statement: string]> = [
  [{ cmd: 'put', key: 'a', val: 'x' }, "INSERT INTO ENTRIES (_key, _val) VALUES ('a', 'x')"],
  [
    { cmd: 'put', key: '1', keyType: 'long', val: '{"n":1.10,"t":[1]}', valueType: 'Thing' },
    "INSERT INTO ENTRIES (_key, key_type, _val, value_type) VALUES (1, 'long', '{\"n\":1.10,\"t\":[1]}', 'Thing')",
  ],
  [{ cmd: 'put', key: 'a', val: 'y' }, "MERGE INTO ENTRIES (_key, _val) VALUES ('a', 'y')"],
  [{ cmd: 'rep', key: 'a', val: 'z' }, "UPDATE ENTRIES SET _val = 'z' WHERE _key = 'a'"],
  [
    { cmd: 'put', key: '1', keyType: 'long', val: '{"n":2}', valueType: 'Thing' },
    "UPDATE ENTRIES SET _val = '{\"n\":2}', value_type = value_type WHERE _val ->> 'n' = '1.1'",
  ],
  [{ cmd: 'put', key: 'b', val: '1' }, "INSERT INTO ENTRIES (_key, _val) SELECT 'b', '1'"],
  [{ cmd: 'persist', key: 'b' }, "UPDATE ENTRIES SET expires = NULL WHERE _key = 'b'"],
  [{ cmd: 'rmv', key: 'a' }, "DELETE FROM ENTRIES WHERE _key = 'a'"],
];

/** Returns the events of a cache without the parts that differ by time and position. */
async function events(cacheName: string): Promise<readonly unknown[]> {
  const path = `/svc?${queryOf({ cmd: 'watch', cacheName, from: 'start', follow: 'false', oldValue: 'true' })}`;
  const response = await fetch(new URL(path, service.url), { headers: { accept: 'application/x-ndjson' } });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => {
    const { position: _, time: __, cache: ___, ...event } = JSON.parse(line);
    return event;
  });
}

test('the same events, entries and sizes', async () => {
  for (const [command, statement] of STEPS) {
    expect([command, (await call({ ...command, cacheName: 'byPut' })).error]).toEqual([command, null]);
    const written = statement.replace('ENTRIES', '"bySql".ENTRIES');
    expect([written, (await sql('bySql', written)).error]).toEqual([written, null]);
  }
  const byPut = await events('byPut');
  expect(byPut.length).toBeGreaterThan(STEPS.length);
  expect(await events('bySql')).toEqual(byPut);
  for (const cmd of ['size', 'cache']) {
    const [put, statement] = await Promise.all(['byPut', 'bySql'].map((cacheName) => call({ cmd, cacheName })));
    expect([cmd, put?.error]).toEqual([cmd, null]);
    if (cmd === 'size') expect(statement?.response).toEqual(put?.response);
  }
});

test('an atomic batch stores all of them or none, beside commands', async () => {
  const batch = (commands: readonly unknown[]) =>
    call({ cmd: 'batch', atomic: 'true', timeout: '10000', commands: JSON.stringify(commands) });
  const insert = (key: string, value: string, type = 'string') => ({
    cmd: 'qryfldexe',
    cacheName: 'bySql',
    pageSize: '10',
    qry: `INSERT INTO "bySql".ENTRIES (_key, _val, value_type) VALUES ('${key}', '${value}', '${type}')`,
  });
  const put = { cmd: 'put', cacheName: 'bySql', key: 'p', val: '1' };
  expect((await batch([put, insert('q', '{}', 'FirstType'), insert('p', 'again')])).error).toContain(
    'already in cache',
  );
  expect((await sql('bySql', `SELECT _key FROM "bySql".ENTRIES WHERE _key IN ('p', 'q')`)).response).toMatchObject({
    items: [],
  });
  expect((await batch([put, insert('q', '{}', 'FirstType')])).error).toBeNull();
  const read = await sql(
    'bySql',
    `SELECT _key, value_type FROM "bySql".ENTRIES WHERE _key IN ('p', 'q') ORDER BY _key`,
  );
  expect(read.response).toMatchObject({
    items: [
      ['p', 'string'],
      ['q', 'FirstType'],
    ],
  });
});

test('names of types are those of what was stored, also after a part was rolled back', async () => {
  const insert = (rows: string) => sql('bySql', `INSERT INTO "bySql".ENTRIES (_key, _val, value_type) VALUES ${rows}`);
  const both = insert("('n1', '{}', 'Lost'), ('n2', 'no object', 'Lost')");
  const after = call({ cmd: 'put', cacheName: 'bySql', key: 'n3', val: '{}', valueType: 'Lost' });
  expect((await both).error).toContain('type=Lost');
  expect((await after).error).toBeNull();
  expect((await call({ cmd: 'get', cacheName: 'bySql', key: 'n3' })).response).toEqual({});
  const types = await sql('bySql', `SELECT value_type FROM "bySql".ENTRIES WHERE _key LIKE 'n%'`);
  expect(types.response).toMatchObject({ items: [['Lost']] });
});
