/** Numbers and dates of answers over real sockets, with one and with two HTTP threads (docs/spec/extensions.md 2). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WORKERS } from './modes.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const LONG = '9007199254740993';
const sql = (statement: string, more = ''): string =>
  `cmd=qryfldexe&pageSize=10${more}&qry=${encodeURIComponent(statement)}`;
const ROWS = 'SELECT id, big, dec, day, at FROM exact ORDER BY id';
const STRINGS = `[1,"${LONG}","12345678901234567890.10","2024-02-29","2024-02-29 23:59:59.5"]`;
const BOTH = `[1,"${LONG}","12345678901234567890.10","2024-02-29","2024-02-29T23:59:59.5"]`;

describe.each(WORKERS)('with %i HTTP threads', (workers) => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_WORKERS: String(workers) } });
    await service.command(
      sql('CREATE TABLE exact (id INT PRIMARY KEY, big BIGINT, dec DECIMAL(30, 2), day DATE, at TIMESTAMP)'),
    );
    for (const id of [1, 2, 3]) {
      const row = `(${id}, ${LONG}, 12345678901234567890.10, DATE '2024-02-29', TIMESTAMP '2024-02-29 23:59:59.5')`;
      await service.command(sql(`INSERT INTO exact VALUES ${row}`));
    }
  });
  afterAll(() => service[Symbol.asyncDispose]());

  // Rows as lines are not an envelope.
  const textOf = async (query: string, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(`${service.url}?${query}`, { headers })).text();

  test('rows of a statement by key, of a range and of a scan', async () => {
    expect(await textOf(sql(`${ROWS.replace('ORDER', 'WHERE id = 1 ORDER')}`, '&numbers=string'))).toContain(STRINGS);
    expect(await textOf(sql(ROWS, '&numbers=string'))).toContain(STRINGS);
    expect(await textOf(sql(ROWS), { prefer: 'numbers=string, dates=iso' })).toContain(BOTH);
    expect(await textOf(sql(ROWS))).toContain(
      `[1,${LONG},12345678901234567890.10,"2024-02-29","2024-02-29 23:59:59.5"]`,
    );
    const scan = await textOf('cmd=qryscanexe&pageSize=10&cacheName=SQL_PUBLIC_EXACT&numbers=string&dates=iso');
    expect(scan).toContain(`"BIG":"${LONG}"`);
    expect(scan).toContain('"AT":"2024-02-29T23:59:59.5"');
  });

  test('counts of changes', async () => {
    expect(await textOf(sql('UPDATE exact SET day = day WHERE id = 1', '&numbers=string'))).toContain(
      '"items":[["1"]]',
    );
    expect(await textOf(sql('UPDATE exact SET day = day', '&numbers=string'))).toContain('"items":[["3"]]');
    expect(await textOf(sql('UPDATE exact SET day = day'))).toContain('"items":[[3]]');
  });

  test('rows as lines of JSON and of CSV', async () => {
    const lines = await textOf(sql(ROWS, '&numbers=string&dates=iso'), { accept: 'application/x-ndjson' });
    expect(lines.split('\n')[0]).toBe(
      `{"ID":1,"BIG":"${LONG}","DEC":"12345678901234567890.10","DAY":"2024-02-29","AT":"2024-02-29T23:59:59.5"}`,
    );
    const csv = await textOf(sql(ROWS, '&numbers=string&dates=iso'), { accept: 'text/csv' });
    expect(csv.split('\r\n')[1]).toBe(`1,${LONG},12345678901234567890.10,2024-02-29,2024-02-29T23:59:59.5`);
  });

  test('all pages of a cursor have the notation of the first [12.4]', async () => {
    const query = `cmd=qryfldexe&pageSize=1&numbers=string&dates=iso&qry=${encodeURIComponent(ROWS)}`;
    const first = await service.send(query);
    expect(first.text).toContain(BOTH);
    const { queryId } = first.response as { queryId: number };
    expect(await textOf(`cmd=qryfetch&pageSize=5&qryId=${queryId}`)).toContain(BOTH.replace('[1', '[3'));
  });

  test('exports, which an import reads as the same values', async () => {
    const both = '&numbers=string&dates=iso';
    const rows = await textOf(`cmd=export&table=EXACT${both}`);
    expect(rows.split('\n')[0]).toBe(
      `{"ID":1,"BIG":"${LONG}","DEC":"12345678901234567890.10","DAY":"2024-02-29","AT":"2024-02-29T23:59:59.5"}`,
    );
    const csv = await textOf(`cmd=export&table=EXACT&format=csv${both}`);
    expect(csv.split('\r\n')[1]).toBe(`1,${LONG},12345678901234567890.10,2024-02-29,2024-02-29T23:59:59.5`);
    await service.command(
      sql('CREATE TABLE copied (id INT PRIMARY KEY, big BIGINT, dec DECIMAL(30, 2), day DATE, at TIMESTAMP)'),
    );
    const send = (query: string, body: string) =>
      service.send(query, { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson' } });
    expect((await send('cmd=import&table=COPIED', rows)).error).toBeNull();
    expect(await textOf('cmd=export&table=COPIED')).toBe(await textOf('cmd=export&table=EXACT'));

    for (const name of ['typed', 'typed2']) await service.command(`cmd=getorcreate&cacheName=${name}`);
    for (const [type, value] of [
      ['long', LONG],
      ['java.math.BigDecimal', '1.50'],
      ['timestamp', '2024-02-29 08:30:00.5'],
      ['date', '2024-02-29'],
      ['java.util.ArrayList', '[1,2]'],
    ]) {
      const put = `cmd=put&cacheName=typed&key=${type}&val=${value}&valueType=${type}`;
      expect((await service.send(put)).error).toBeNull();
    }
    const entries = await textOf(`cmd=export&cacheName=typed${both}`);
    expect(entries).toContain(`"value":"${LONG}"`);
    expect(entries).not.toMatch(/"value":\d/);
    expect((await send('cmd=import&cacheName=typed2', entries)).error).toBeNull();
    const usual = (await textOf('cmd=export&cacheName=typed')).split('\n');
    expect((await textOf('cmd=export&cacheName=typed2')).split('\n').sort()).toEqual(usual.sort());
  });

  test('values, counters and parts of a batch', async () => {
    await service.command(`cmd=put&key=n&val=${LONG}&valueType=long`);
    expect(await textOf('cmd=get&key=n&numbers=string')).toContain(`"response":"${LONG}"`);
    expect(await textOf('cmd=get&key=n', { prefer: 'numbers=string' })).toContain(`"response":"${LONG}"`);
    expect(await textOf('cmd=get&key=n')).toContain(`"response":${LONG}`);
    expect(await textOf(`cmd=incr&key=c&init=${LONG}&delta=0&numbers=string`)).toContain(`"response":"${LONG}"`);
  });
});
