/**
 * Objects that are stored first and declared later, and kill -9 during their conversion: the result is the state before
 * or after.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { newFolder, type ServiceProcess, sendTo, startService } from '../service-process.ts';

type Parameters = Readonly<Record<string, string>>;

const query = (parameters: Parameters): string => new URLSearchParams(parameters).toString();
const statement = (qry: string): string => query({ cmd: 'qryfldexe', cacheName: 'default', pageSize: '1000', qry });

async function rows(service: ServiceProcess, sql: string): Promise<unknown> {
  const page = (await service.command(statement(sql))) as { readonly items: unknown };
  return page.items;
}

describe('objects', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const put = (cacheName: string, valueType: string, key: string, value: unknown) =>
    service.command(query({ cmd: 'put', cacheName, key, val: JSON.stringify(value), valueType }));
  const get = (cacheName: string, key: string) => service.command(query({ cmd: 'get', cacheName, key }));

  test('that are stored before their table are its rows, and stay as they are', async () => {
    await service.command(query({ cmd: 'getorcreate', cacheName: 'people' }));
    const ann = { name: 'Ann', born: 1990 };
    await put('people', 'Person', 'ann', ann);
    await rows(
      service,
      'CREATE TABLE Person2 (id VARCHAR PRIMARY KEY, name VARCHAR, born INT) WITH "CACHE_NAME=people,VALUE_TYPE=Person"',
    );
    expect(await rows(service, 'SELECT * FROM Person2')).toEqual([['ann', 'Ann', 1990]]);
    expect(await get('people', 'ann')).toEqual(ann);
    await put('people', 'Person', 'bob', { NAME: 'Bob', born: 1991 });
    expect(await get('people', 'bob')).toEqual({ name: 'Bob', born: 1991 });
    expect(await rows(service, 'SELECT id FROM Person2 WHERE born > 1990')).toEqual([['bob']]);
  });

  test('have the column that ALTER TABLE adds for their field', async () => {
    await rows(
      service,
      'CREATE TABLE Pet (id VARCHAR PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=pets,VALUE_TYPE=Pet"',
    );
    await put('pets', 'Pet', 'rex', { name: 'Rex', toy: 'ball' });
    await put('pets', 'Pet', 'tom', { name: 'Tom' });
    await rows(service, 'ALTER TABLE Pet ADD COLUMN toy VARCHAR');
    await rows(service, 'CREATE INDEX pet_toy ON Pet (toy)');
    expect(await rows(service, "SELECT id, toy FROM Pet WHERE toy = 'ball'")).toEqual([['rex', 'ball']]);
    expect(await get('pets', 'rex')).toEqual({ NAME: 'Rex', toy: 'ball' });
    expect(await get('pets', 'tom')).toEqual({ NAME: 'Tom' });
  });

  test('that do not fit end the statement, which names them', async () => {
    await service.command(query({ cmd: 'getorcreate', cacheName: 'odd' }));
    await put('odd', 'Odd', 'a', { n: 'x' });
    const { error } = await service.send(
      statement('CREATE TABLE Odd (id VARCHAR PRIMARY KEY, n INT) WITH "CACHE_NAME=odd,VALUE_TYPE=Odd"'),
    );
    expect(error).toContain('An entry of the cache odd does not fit the table: a (field n: not a whole number)');
    expect(await get('odd', 'a')).toEqual({ n: 'x' });
  });
});

const OBJECTS = 20_000;
const BATCH = 2_000;

/** Stores objects in a new cache. */
async function fill(service: ServiceProcess, cacheName: string): Promise<void> {
  await service.command(query({ cmd: 'getorcreate', cacheName }));
  for (let from = 0; from < OBJECTS; from += BATCH) {
    const body = new URLSearchParams({ cmd: 'putall', cacheName, valueType: 'O' });
    for (let index = 0; index < BATCH; index++) {
      const n = from + index;
      body.set(`k${index + 1}`, `k${n}`);
      body.set(`v${index + 1}`, JSON.stringify({ name: `name ${n}`, n, further: true }));
    }
    expect((await service.send('', { method: 'POST', body })).response).toBe(true);
  }
}

test('SYS.RUNNING_STATEMENTS shows how many objects a statement has converted', async () => {
  await using service = await startService();
  await fill(service, 'c');
  let isRunning = true;
  const create = 'CREATE TABLE T (id VARCHAR PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=c,VALUE_TYPE=O"';
  const created = service.command(statement(create)).finally(() => {
    isRunning = false;
  });
  let shown: unknown;
  while (isRunning && shown === undefined) {
    const found = await rows(
      service,
      'SELECT converted_rows, rows_to_convert FROM sys.running_statements WHERE converted_rows > 0',
    );
    [shown] = found as readonly unknown[];
  }
  await created;
  expect(shown).toEqual([expect.any(Number), OBJECTS]);
}, 60_000);

/** When the service is killed after the statement was sent, in ms. */
const PHASES = [50, 250, 450, 650, 900, 2_000];

test('kill -9 while a table is declared over objects: all are its rows, or there is no table', async () => {
  const dataDir = newFolder();
  try {
    for (const [at, afterMs] of PHASES.entries()) {
      const cacheName = `c${at}`;
      const create = `CREATE TABLE T${at} (id VARCHAR PRIMARY KEY, name VARCHAR, n INT) WITH "CACHE_NAME=${cacheName},VALUE_TYPE=O"`;
      {
        await using service = await startService({ dataDir });
        await fill(service, cacheName);
        const sent = sendTo(service.url, statement(create)).catch(() => undefined);
        await Bun.sleep(afterMs);
        await service.kill();
        await sent;
      }
      await using service = await startService({ dataDir });
      const found = await service.send(statement(`SELECT count(*), count(name), sum(n) FROM T${at}`));
      const all = [[OBJECTS, OBJECTS, (OBJECTS * (OBJECTS - 1)) / 2]];
      if (found.error === null) expect((found.response as { readonly items: unknown }).items).toEqual(all);
      else expect(found.error).toContain(`Table "T${at}" not found`);
      for (const n of [0, 1, OBJECTS - 1]) {
        const object = { name: `name ${n}`, n, further: true };
        expect(await service.command(query({ cmd: 'get', cacheName, key: `k${n}` }))).toEqual(object);
      }
      // The remains of a killed statement do not prevent running it again.
      if (found.error !== null) await service.command(statement(create));
      expect(await rows(service, `SELECT count(*), count(name), sum(n) FROM T${at}`)).toEqual(all);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 120_000);
