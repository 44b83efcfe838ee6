/** Exports over real sockets: round trips, one snapshot, disconnections, rights, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomText, seededRandom } from '../../fixtures/values/random-values.ts';
import { rawSocket } from '../raw-socket.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const COLUMNS = `id BIGINT PRIMARY KEY, b BOOLEAN, ti TINYINT, si SMALLINT, i INT, r REAL, d DOUBLE, de DECIMAL(60, 10),
  s VARCHAR, c CHAR(5), da DATE, t TIME, ts TIMESTAMP, u UUID, bi BINARY`;

async function run(service: ServiceProcess, qry: string, args: readonly unknown[] = []): Promise<unknown[]> {
  const numbered = Object.fromEntries(args.map((value, at) => [`arg${at + 1}`, value]));
  // The limit of the service is for exports, which it must not end.
  const body = JSON.stringify({ cmd: 'qryfldexe', pageSize: 100_000, timeout: 20_000, qry, ...numbered });
  const answer = await service.send('', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  if (answer.error !== null) throw new Error(answer.error);
  return (answer.response as { items: unknown[] }).items;
}

function exported(service: ServiceProcess, parameters: Readonly<Record<string, string>>, init: RequestInit = {}) {
  return fetch(`${service.url}?${queryOf({ cmd: 'export', ...parameters })}`, init);
}

async function imported(service: ServiceProcess, parameters: Readonly<Record<string, string>>, body: string) {
  const answer = await service.send(queryOf({ cmd: 'import', ...parameters }), { method: 'POST', body });
  if (answer.error !== null) throw new Error(answer.error);
  return answer.response as { rows: number };
}

describe('round trips', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    // Neither limit of queries ends an export.
    service = await startService({ env: { SVC_QUERY_MAX_RESULT_BYTES: '100000', SVC_QUERY_TIMEOUT: '1' } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const seed = Date.now() >>> 0;
  const random = seededRandom(seed);
  const digits = (count: number) => Array.from({ length: 1 + random.below(count) }, () => random.below(10)).join('');
  const two = (bound: number) => String(random.below(bound)).padStart(2, '0');
  const year = () => String(1 + random.below(9_999)).padStart(4, '0');
  const day = () =>
    `${year()}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;
  const nullable = (value: unknown) => (random.below(6) === 0 ? null : value);
  const row = (id: number): unknown[] => [
    id,
    ...[
      random.below(2) === 0,
      random.below(256) - 128,
      random.below(65_536) - 32_768,
      random.below(2 ** 32) - 2 ** 31,
      ['NaN', 'Infinity', '-0.0', '1.4E-45', `${random.below(1_000_000) / 7}`][random.below(5)],
      ['NaN', '-Infinity', '-0.0', '4.9E-324', `${random.below(1_000_000) / 7}`][random.below(5)],
      `${random.below(2) === 0 ? '-' : ''}${digits(40)}.${digits(10)}`,
      randomText(random, 20),
      ['', 'a', ' b', 'c  ', '"', ',', '\r\n'][random.below(7)],
      day(),
      `${two(24)}:${two(60)}:${two(60)}`,
      `${day()} ${two(24)}:${two(60)}:${two(60)}.${digits(9)}`,
      crypto.randomUUID(),
    ].map(nullable),
  ];

  test.each(['ndjson', 'csv'])(
    'keeps entries without a deadline in a cache with a time to live (%s)',
    async (format) => {
      const names = { cacheName: `kept_${format}`, copy: `copy_${format}` };
      const command = async (cmd: string, parameters: Readonly<Record<string, string>> = {}) =>
        (await service.send(queryOf({ cmd, cacheName: names.cacheName, ...parameters }))).response;
      await command('getorcreate', { ttlMs: '3600000' });
      await command('getorcreate', { ttlMs: '60000', cacheName: names.copy });
      await command('put', { key: 'never', val: '1', ttlMs: '0' });
      await command('put', { key: 'hour', val: '1' });
      const rows = await (await exported(service, { cacheName: names.cacheName, format })).text();
      expect((await imported(service, { cacheName: names.copy, format }, rows)).rows).toBe(2);
      expect(await command('ttl', { key: 'never', cacheName: names.copy })).toBeNull();
      expect(Number(await command('ttl', { key: 'hour', cacheName: names.copy }))).toBeGreaterThan(60_000);
    },
  );

  test.each(['ndjson', 'csv'])('keeps moments, times and dates of any year (%s)', async (format) => {
    const cache = `moments_${format}`;
    const edges = ['-99999999999999', '-62135596800001', '-1', '1517994300001', '1517994300002', '8640000000000000'];
    const command = async (parameters: Readonly<Record<string, string>>) => {
      const { error, response } = await service.send(queryOf({ cacheName: cache, ...parameters }));
      if (error !== null) throw new Error(error);
      return response;
    };
    await command({ cmd: 'getorcreate' });
    for (const key of edges) {
      await command({ cmd: 'put', keyType: 'java.util.Date', key, valueType: 'java.util.Date', val: key });
    }
    await run(service, `CREATE TABLE times_${format} (id TIME PRIMARY KEY, t TIME, da DATE, ts TIMESTAMP)`);
    await run(
      service,
      `INSERT INTO times_${format} VALUES (TIME '23:59:59.999', TIME '01:02:03.001', DATE '-0001-05-05', TIMESTAMP '-0001-05-05 01:02:03.5'),
      (TIME '00:00:00', TIME '23:59:59.99', DATE '10000-01-01', TIMESTAMP '292277-01-01 00:00:00')`,
    );
    for (const target of [{ cacheName: cache }, { table: `times_${format}` }]) {
      const file = await (await exported(service, { ...target, format })).text();
      if ('table' in target) await run(service, `DELETE FROM times_${format}`);
      else await command({ cmd: 'clear' });
      await imported(service, { ...target, format }, file);
      expect(await (await exported(service, { ...target, format })).text()).toBe(file);
    }
    for (const key of edges) {
      expect(
        await command({ cmd: 'rmvval', keyType: 'java.util.Date', key, valueType: 'java.util.Date', val: key }),
      ).toBe(true);
    }
    const rows = `SELECT CAST(id AS VARCHAR), CAST(t AS VARCHAR), CAST(da AS VARCHAR), CAST(ts AS VARCHAR) FROM times_${format} ORDER BY id`;
    expect(await run(service, rows)).toEqual([
      ['00:00:00', '23:59:59.99', '10000-01-01', '292277-01-01 00:00:00'],
      ['23:59:59.999', '01:02:03.001', '-1-05-05', '-1-05-05 01:02:03.5'],
    ]);
  });

  for (const [format, options] of [
    ['ndjson', {}],
    ['csv', {}],
    ['csv', { delimiter: 'tab', nullText: 'NULL', header: 'false' }],
  ] as const) {
    const table = `T_${format}_${Object.keys(options).length}`;
    test(`all types as ${format} ${JSON.stringify(options)}, seed ${seed}`, async () => {
      await run(service, `CREATE TABLE ${table}(${COLUMNS})`);
      await run(service, `CREATE TABLE ${table}_COPY(${COLUMNS})`);
      for (let id = 0; id < 100; id++) {
        const values = row(id).map((value) =>
          format === 'csv' && typeof value === 'string' ? value.toWellFormed() : value,
        );
        const places = values.map((value) => (value === null ? 'NULL' : '?')).join();
        const insert = `INSERT INTO ${table} VALUES(${places}, RANDOM_UUID())`;
        await run(
          service,
          insert,
          values.filter((value) => value !== null),
        );
      }
      await run(service, `UPDATE ${table} SET bi = NULL WHERE id < 10`);
      const text = await (await exported(service, { table, format, ...options })).text();
      expect(await imported(service, { table: `${table}_COPY`, format, ...options }, text)).toMatchObject({
        rows: 100,
      });
      const all = (name: string) => run(service, `SELECT * FROM ${name} ORDER BY id`);
      expect(await all(`${table}_COPY`)).toEqual(await all(table));
      expect(await (await exported(service, { table: `${table}_COPY`, format, ...options })).text()).toBe(text);
    }, 30_000);
  }

  test('entries of several types, with deadlines', async () => {
    await service.command('cmd=getorcreate&cacheName=from');
    await service.command('cmd=getorcreate&cacheName=to');
    for (const [key, keyType, val, valueType] of [
      ['1', 'int', 'x', 'string'],
      ['1', 'long', '1.50', 'double'],
      ['a', 'string', '{"name":"Ann","tags":[1,{"b":null}]}', 'Person'],
      ['2024-02-29', 'date', '10:11:12', 'time'],
      [crypto.randomUUID(), 'uuid', '[1,null,"x"]', 'java.util.ArrayList'],
      ['[1,2]', '[I', '"AQI="', '[B'],
    ] as const) {
      await service.command(queryOf({ cmd: 'put', cacheName: 'from', key, keyType, val, valueType, ttlMs: 60_000 }));
    }
    for (const format of ['ndjson', 'csv']) {
      const text = await (await exported(service, { cacheName: 'from', format })).text();
      expect(await imported(service, { cacheName: 'to', format }, text)).toMatchObject({ rows: 6 });
      expect(await (await exported(service, { cacheName: 'to', format })).text()).toBe(text);
      await service.command('cmd=clear&cacheName=to');
    }
  });

  test('a table of any size is one snapshot, whatever changes meanwhile', async () => {
    await run(service, 'CREATE TABLE Big(id BIGINT PRIMARY KEY, name VARCHAR)');
    const lines = Array.from({ length: 60_000 }, (_, id) => `${id},${'x'.repeat(60)}\n`).join('');
    await imported(service, { table: 'big', format: 'csv', header: 'false' }, lines);
    const response = await exported(service, { table: 'big' }, { headers: { Accept: 'text/csv' } });
    expect(response.headers.get('content-type')).toContain('text/csv');
    await run(service, 'DELETE FROM Big WHERE id >= 100');
    const text = await response.text();
    expect(text.length).toBeGreaterThan(60_000 * 60);
    expect(text.split('\r\n').length).toBe(60_002);
    expect(await (await exported(service, { table: 'big' })).text().then((rest) => rest.split('\n').length)).toBe(101);
  }, 30_000);

  test('a client that leaves ends its export', async () => {
    const lines = Array.from({ length: 200_000 }, (_, id) => `${id + 1_000},${'x'.repeat(60)}\n`).join('');
    await imported(service, { table: 'big', format: 'csv', header: 'false' }, lines);
    const socket = await rawSocket(service.port);
    await socket.send('GET /svc?cmd=export&table=big HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await socket.until((received) => received.includes('"ID":0'));
    socket.end();
    const open = () => run(service, "SELECT COUNT(*) FROM SYS.SQL_QUERIES WHERE SQL LIKE 'SELECT * FROM%'");
    for (let tries = 0; JSON.stringify(await open()) !== '[[0]]' && tries < 200; tries++) await Bun.sleep(20);
    expect(await open()).toEqual([[0]]);
  }, 30_000);

  const REJECTED: ReadonlyArray<readonly [parameters: Record<string, string>, error: string]> = [
    [{}, 'Send either table or cacheName'],
    [{ table: 'nothing' }, 'There is no table nothing'],
    [{ table: 'bigg' }, 'There is no table bigg. Did you mean BIG?'],
    [{ tableName: 'big' }, 'Unknown parameter "tableName". Did you mean "table"?'],
    [{ table: 'SYS.TABLES' }, 'There is no table SYS.TABLES'],
    [{ cacheName: 'none' }, 'Failed to find cache with name: none'],
    [{ table: 'big', format: 'xml' }, 'format must be csv or ndjson'],
    [{ table: 'big', delimiter: '"' }, 'delimiter must be one ASCII character'],
    [{ table: 'big', nullText: 'a,b' }, 'nullText must be'],
    [{ table: 'big', skip: '5' }, '0 for a table, whose rows a statement skips with OFFSET'],
    [{ cacheName: 'default', skip: '-1' }, 'skip must be 0 or more'],
  ];
  for (const [parameters, error] of REJECTED) {
    test(`rejects ${queryOf(parameters)}`, async () => {
      expect((await service.send(queryOf({ cmd: 'export', ...parameters }))).error).toContain(error);
    });
  }

  test('entries are left out first, in an order that stays the same', async () => {
    await service.command('cmd=getorcreate&cacheName=pages');
    const body = Array.from({ length: 1_000 }, (_, at) => `{"key":${at % 2 === 0 ? at : `"${at}"`},"value":${at}}`);
    await imported(service, { cacheName: 'pages', format: 'ndjson' }, body.join('\n'));
    const lines = async (skip: string) =>
      (await (await exported(service, { cacheName: 'pages', skip })).text()).split('\n').filter(Boolean);
    const all = await lines('0');
    expect(all).toHaveLength(1_000);
    expect(await lines('1')).toEqual(all.slice(1));
    expect(await lines('997')).toEqual(all.slice(997));
    expect(await lines('1000')).toEqual([]);
    const csv = await (await exported(service, { cacheName: 'pages', skip: '999', format: 'csv' })).text();
    expect(csv.split('\r\n')[0]).toStartWith('key,value');
    expect(csv.trim().split('\r\n')).toHaveLength(2);
  });

  test('text that is not Unicode can be exported as NDJSON only', async () => {
    await run(service, 'CREATE TABLE Odd(id INT PRIMARY KEY, s VARCHAR)');
    await imported(service, { table: 'odd', format: 'ndjson' }, '{"id":1,"s":"\\uD800"}');
    expect(await (await exported(service, { table: 'odd' })).text()).toBe('{"ID":1,"S":"\\uD800"}\n');
    const csv = await service.send('cmd=export&table=odd&format=csv');
    expect(csv.error).toContain('A value of S cannot be written: it is not valid Unicode');
    for (const path of ['/tables/Odd/rows', '?cmd=qryfldexe&pageSize=9&qry=SELECT+*+FROM+Odd']) {
      const rows = await fetch(`${service.url}${path}`, { headers: { accept: 'text/csv' } });
      expect([path, rows.headers.get('error-code')]).toEqual([path, 'VALUE_REJECTED']);
      expect(await rows.text()).toContain('A value of S cannot be written: it is not valid Unicode');
    }
  });
});

describe('rights', () => {
  const folder = newFolder();
  let service: ServiceProcess;
  beforeAll(async () => {
    const config = join(folder, 'svc.config.ts');
    writeFileSync(
      config,
      `export default {
        users: [{ name: 'ann', password: 'ann' }],
        permissions: { roles: { r: { caches: { 'SQL_PUBLIC_SHOP': 'read' } } }, users: { ann: ['r'] } },
      };`,
    );
    const env = { SVC_CONFIG: config, SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'svc' };
    service = await startService({ dataDir: join(folder, 'data'), env });
    for (const name of ['Shop', 'Salaries']) {
      const qry = `CREATE TABLE ${name}(id INT PRIMARY KEY, v INT)`;
      await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, 'svc.login': 'svc', 'svc.password': 'svc' }));
    }
  }, 60_000);
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [table, error] of [
    ['shop', undefined],
    ['salaries', 'read on table salaries or cache *'],
    ['SYS.TABLES', 'read on table SYS.TABLES or cache *'],
  ] as const) {
    test(`ann: ${table} ${error === undefined ? 'is allowed' : 'is rejected'}`, async () => {
      const login = { 'svc.login': 'ann', 'svc.password': 'ann' };
      const text = await (await exported(service, { table, format: 'csv', ...login })).text();
      if (error === undefined) expect(text).toBe('ID,V\r\n');
      else expect(text).toContain(error);
    });
  }
});
