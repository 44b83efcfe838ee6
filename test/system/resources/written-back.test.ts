/** Everything in a resource's response can be sent back: as key, column, filter, cursor, condition or value. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../service-process.ts';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

const JSON_BODY = { 'Content-Type': 'application/json' };

function send(method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}) {
  const own = body === undefined ? headers : { ...JSON_BODY, ...headers };
  return fetch(`${service.url}${path}`, { method, headers: own, ...(body !== undefined && { body }) });
}

async function run(qry: string): Promise<unknown> {
  const body = JSON.stringify({ cmd: 'qryfldexe', pageSize: 10, qry });
  const answer = await service.send('', { method: 'POST', headers: JSON_BODY, body });
  if (answer.error !== null) throw new Error(answer.error);
  return (answer.response as { items: unknown }).items;
}

/** Edge values of each type in ascending order, as responses write them in JSON. */
const VALUES: ReadonlyArray<readonly [type: string, json: readonly string[]]> = [
  ['BOOLEAN', ['false', 'true']],
  ['TINYINT', ['-128', '0', '127']],
  ['SMALLINT', ['-32768', '32767']],
  ['INT', ['-2147483648', '65536', '2147483647']],
  ['BIGINT', ['-9223372036854775808', '9007199254740993', '9223372036854775807']],
  ['REAL', ['-3.4028235E38', '0.5', '1.0E10']],
  ['DOUBLE', ['-1.7976931348623157E308', '4.9E-324', '0.1', '1.0E22']],
  ['DECIMAL', ['-123456789012345678901234567890.5', '0.123456789012345678', '1.5', '2.50']],
  ['VARCHAR', ['""', '" "', '"a,b"', '"a/b%"', '"é"']],
  ['CHAR', ['"a"', '"é"']],
  ['DATE', ['"-0001-05-05"', '"0000-01-01"', '"0001-01-01"', '"9999-12-31"', '"10000-01-01"']],
  ['TIME', ['"00:00:00"', '"10:00:00"', '"10:00:00.5"', '"23:59:59.999"']],
  ['TIMESTAMP', ['"-0001-05-05 00:00:00.0"', '"1969-12-31 23:59:59.999999999"', '"10000-01-01 00:00:00.0"']],
  ['UUID', ['"00000000-0000-0000-0000-000000000001"', '"123e4567-e89b-12d3-a456-426614174000"']],
  ['BINARY', ['"AA=="', '"AQI="', '"++//"']],
];

describe.each(VALUES)('%s', (type, values) => {
  const table = `V_${type}`;
  const textOf = (json: string): string => encodeURIComponent(json.startsWith('"') ? String(JSON.parse(json)) : json);

  beforeAll(async () => {
    await run(`CREATE TABLE ${table} (id INT PRIMARY KEY, v ${type}, o INT)`);
    for (const [id, json] of values.entries()) {
      const put = await send('PUT', `/tables/${table}/rows/${id}`, `{"v":${json}}`);
      expect([json, put.status]).toEqual([json, 201]);
    }
  });

  test('column and filter', async () => {
    for (const [id, json] of values.entries()) {
      const row = `{"ID":${id},"V":${json},"O":null}`;
      expect(await (await send('GET', `/tables/${table}/rows/${id}`)).text()).toBe(row);
      const found = await send('GET', `/tables/${table}/rows?v=eq.${textOf(json)}`);
      expect(await found.text()).toBe(`[${row}]`);
    }
  });

  test('cursor', async () => {
    const seen: string[] = [];
    let path: string | undefined = `/tables/${table}/rows?order=v&limit=1&select=v`;
    while (path !== undefined) {
      const page = await send('GET', path);
      seen.push(await page.text());
      path = /<\/svc([^>]*)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(values.map((json) => `[{"v":${json}}]`));
  });

  test('condition of a change', async () => {
    for (const id of values.keys()) {
      const path = `/tables/${table}/rows/${id}`;
      const tag = (await send('GET', path)).headers.get('etag') ?? '';
      expect((await send('PATCH', path, '{"o":1}', { 'If-Match': tag })).status).toBe(204);
      expect((await send('PATCH', path, '{"o":2}', { 'If-Match': tag })).status).toBe(412);
    }
  });

  test('key', async () => {
    await run(`CREATE TABLE K_${type} (v ${type} PRIMARY KEY, o INT)`);
    // An address cannot contain an empty string, and equal decimals are one key, without trailing zeros.
    for (const json of values.filter((each) => each !== '""' && each !== '2.50')) {
      const path = `/tables/K_${type}/rows/${textOf(json)}`;
      expect([json, (await send('PUT', path, '{"o":1}')).status]).toEqual([json, 201]);
      expect(await (await send('GET', path)).text()).toBe(`{"V":${json},"O":1}`);
      expect((await send('DELETE', path)).status).toBe(204);
    }
  });
});

test.each(['DOUBLE', 'REAL'])('a column of %s keeps the sign of -0.0', async (type) => {
  const table = `Z_${type}`;
  await run(`CREATE TABLE ${table} (id INT PRIMARY KEY, v ${type})`);
  const written = [
    () => send('PUT', `/tables/${table}/rows/1`, '{"v":-0.0}'),
    () => service.send(`cmd=import&table=${table}&format=ndjson`, { method: 'POST', body: '{"ID":1,"V":-0.0}' }),
    () => service.send(`cmd=import&table=${table}&format=csv`, { method: 'POST', body: 'ID,V\n1,-0.0' }),
    () => service.send(`cmd=qryfldexe&pageSize=1&qry=INSERT INTO ${table} VALUES (1, ?)&arg1=-0.0&arg1Type=double`),
  ];
  for (const write of written) {
    await run(`DELETE FROM ${table}`);
    await write();
    expect(await (await send('GET', `/tables/${table}/rows/1`)).text()).toBe('{"ID":1,"V":-0.0}');
    const found = await send('GET', `/tables/${table}/rows?v=eq.0.0`);
    expect(await found.text()).toBe('[{"ID":1,"V":-0.0}]');
  }
});

/** A key in an address, the same key in a body, and a different key. */
const WAYS: ReadonlyArray<readonly [type: string, address: string, body: string, other: string]> = [
  ['DECIMAL', '1.00', '1', '1.01'],
  ['DECIMAL', '100', '1E+2', '10'],
  ['DOUBLE', '1', '1.0', '1.5'],
  ['INT', '7', '"7"', '8'],
  ['DATE', '2024-1-5', '"2024-01-05"', '"2024-01-06"'],
  ['TIME', '10:00:00.0', '"10:00:00"', '"10:00:01"'],
  ['TIMESTAMP', '2024-01-01T12:00:00+02:00', '"2024-01-01 10:00:00.0"', '"2024-01-01 12:00:00.0"'],
  ['TIMESTAMP', '2024-01-01', '"2024-01-01 00:00:00"', '"2024-01-02"'],
  [
    'UUID',
    '123E4567-E89B-12D3-A456-426614174000',
    '"123e4567-e89b-12d3-a456-426614174000"',
    '"00000000-0000-0000-0000-000000000001"',
  ],
];

test.each(WAYS)('%s %s in an address is %s in the body', async (type, address, body, other) => {
  await run(`DROP TABLE IF EXISTS way`);
  await run(`CREATE TABLE way (v ${type} PRIMARY KEY, o INT)`);
  const path = `/tables/way/rows/${encodeURIComponent(address)}`;
  expect((await send('PUT', path, `{"v":${body},"o":1}`)).status).toBe(201);
  expect((await send('PATCH', path, `{"v":${body},"o":2}`)).status).toBe(204);
  expect((await send('PUT', path, `{"v":${other},"o":3}`)).status).toBe(400);
  // The values that were read are sent back.
  expect((await send('PUT', path, await (await send('GET', path)).text())).status).toBe(204);
  expect(await run('SELECT COUNT(*), SUM(o) FROM way')).toEqual([[1, 2]]);
});

test('a moment may have a zone', async () => {
  expect((await send('PUT', '/tables/V_TIMESTAMP/rows/90', '{"v":"2024-01-01T12:00:00+02:00"}')).status).toBe(201);
  const found = await send('GET', '/tables/V_TIMESTAMP/rows?v=eq.2024-01-01T10:00:00Z&select=v');
  expect(await found.text()).toBe('[{"v":"2024-01-01 10:00:00.0"}]');
});

describe('values of entries without a declared type keep their digits', () => {
  const numbers: ReadonlyArray<readonly [sent: string, read: string]> = [
    ['0.123456789012345678', '0.123456789012345678'],
    ['3.141592653589793238462643', '3.141592653589793238462643'],
    ['{"a":123456789012345678901234567890.5}', '{"a":123456789012345678901234567890.5}'],
    ['1e400', '1E+400'],
    ['[1e-400]', '[1E-400]'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['-0.0', '-0.0'],
    ['1.5', '1.5'],
    ['1e7', '1.0E7'],
    // The written form of a double is read as a double again.
    ['3.141592653589793', '3.141592653589793'],
    ['1.7976931348623157E308', '1.7976931348623157E308'],
    ['4.9E-324', '4.9E-324'],
    ['1.50000000000000000', '1.50000000000000000'],
  ];
  test.each(numbers)('%s', async (sent, read) => {
    await send('PUT', '/caches/default/entries/n', sent);
    expect(await (await send('GET', '/caches/default/entries/n')).text()).toBe(read);
    const line = `{"key":"i","value":${sent}}\n`;
    const url = `?cmd=import&cacheName=default&format=ndjson`;
    expect((await service.send(url.slice(1), { method: 'POST', body: line })).error).toBeNull();
    expect(await (await send('GET', '/caches/default/entries/i')).text()).toBe(read);
  });
});

describe('entries have the types that their cache declares', () => {
  const cases: ReadonlyArray<readonly [type: string, key: string, body: string, read: string]> = [
    ['DECIMAL', '1.5', '1.50', '1.50'],
    ['DECIMAL', '2.5', '"1.50"', '1.50'],
    ['BINARY', 'AQI%3D', '"AQI="', '"AQI="'],
    ['DATE', '10000-01-01', '"-0001-05-05"', '"-0001-05-05"'],
    ['VARCHAR', 'x', '"1.50"', '"1.50"'],
  ];
  test.each(cases)('%s %s %s', async (type, key, body, read) => {
    await run(`CREATE TABLE IF NOT EXISTS W_${type} (id ${type} PRIMARY KEY, v ${type})
      WITH "CACHE_NAME=W_${type},WRAP_KEY=false,WRAP_VALUE=false"`);
    const path = `/caches/W_${type}/entries/${key}`;
    const put = await send('PUT', path, body);
    expect([put.status, await put.text()]).toEqual([201, '']);
    expect(await (await send('GET', path)).text()).toBe(read);
  });
});
