/** Tests of rows by their addresses, over real sockets, that every engine must pass. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { codeOf, type ResourceEngine, send } from './resource-client.ts';

const CITIES = [
  [1, 'Oslo', 700, true, '2024-02-29 12:00:00', 1.5],
  [2, 'Bergen', 290, true, '2024-03-01 00:00:00.25', null],
  [3, 'Rome', 2800, false, null, 2.5],
  [4, 'O"Brien, Co\n', 290, null, null, 0.1],
  [5, 'Ålesund', null, true, '2024-02-29 12:00:00', -1],
  [6, 'NULL', null, false, null, 12345678.9],
] as const;
const ROWS = '/tables/city/rows';

/** A table whose key is not a column, and whose column was not declared by a statement. */
const CONFIGURATION = `
import { defineConfig } from 'svc';
export default defineConfig({
  caches: [
    {
      name: 'moments',
      entities: [
        { keyType: 'int', valueType: 'Moment', fields: { name: 'string', at: 'instant' } },
      ],
    },
  ],
});
`;

export function runRowsSuite({ environment, isCluster, limitMs }: ResourceEngine): void {
  describe('rows', () => {
    const folder = newFolder();
    let service: ServiceProcess;
    const run = (qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));
    const names = async (query: string): Promise<unknown> => {
      const answer = await send(service, `GET ${ROWS}?select=id&${query}`);
      return Array.isArray(answer.json) ? answer.json.map(({ id }) => id) : codeOf(answer);
    };

    beforeAll(async () => {
      const config = join(folder, 'svc.config.ts');
      writeFileSync(config, CONFIGURATION);
      service = await startService({ env: { SVC_CONFIG: config, ...environment() } });
      await run(
        'CREATE TABLE city (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL, people INT, coast BOOLEAN, at TIMESTAMP, rate DOUBLE, "limit" INT, "or" INT)',
      );
      await run(
        "CREATE TABLE stop (line VARCHAR, no INT, name VARCHAR DEFAULT 'none', amount DECIMAL(20, 2), PRIMARY KEY (line, no))",
      );
      // Nodes do not distinguish names with dots, or names that differ only in case.
      const others = isCluster ? '"a,b" INT, "C" INT' : '"a.b" INT, "A" INT';
      await run(`CREATE TABLE "Mixed" ("Key" VARCHAR PRIMARY KEY, ${others}, "a" INT)`);
      const rows = CITIES.map(([id, name, people, coast, at, rate]) => ({ id, name, people, coast, at, rate }));
      expect((await send(service, `POST ${ROWS}`, JSON.stringify(rows))).status).toBe(201);
    }, limitMs);
    afterAll(async () => {
      await service?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each([
      ['id=eq.1', [1]],
      ['id=neq.1', [2, 3, 4, 5, 6]],
      ['people=gt.290', [1, 3]],
      ['people=gte.290&people=lt.2800', [1, 2, 4]],
      ['people=lte.290', [2, 4]],
      ['name=eq.Oslo', [1]],
      ['name=like.*er*', [2]],
      ['name=like.%25er%25', [2]],
      ['name=ilike.ro*', [3]],
      ['name=not.ilike.ro*', [1, 2, 4, 5, 6]],
      ['id=in.(1,3,9)', [1, 3]],
      ['id=not.in.(1,3,9)', [2, 4, 5, 6]],
      ['id=in.()', []],
      [`name=in.(${encodeURIComponent('"O\\"Brien, Co\n",Rome')})`, [3, 4]],
      ['people=is.null', [5, 6]],
      ['people=not.is.null', [1, 2, 3, 4]],
      ['people=is.not_null', [1, 2, 3, 4]],
      ['coast=is.true', [1, 2, 5]],
      ['coast=is.false', [3, 6]],
      // NULL is neither.
      ['coast=not.is.true', [3, 4, 6]],
      ['coast=not.is.false', [1, 2, 4, 5]],
      ['not.or=(coast.is.true,id.eq.3)', [4, 6]],
      ['or=(coast.not.is.false,id.eq.3)', [1, 2, 3, 4, 5]],
      ['coast=is.unknown', [4]],
      ['coast=not.is.Unknown', [1, 2, 3, 5, 6]],
      ['coast=is.TRUE', [1, 2, 5]],
      ['coast=eq.true', [1, 2, 5]],
      ['name=eq.NULL', [6]],
      ['at=eq.2024-02-29%2012:00:00', [1, 5]],
      ['at=eq.2024-02-29T12:00:00', [1, 5]],
      ['at=gt.2024-02-29%2012:00:00', [2]],
      ['at=gte.2024-02-29', [1, 2, 5]],
      ['rate=lt.0.5', [4, 5]],
      ['or=(people.lt.300,name.eq.Rome)', [2, 3, 4]],
      ['or=(people.lt.300,and(coast.is.false,people.is.null))', [2, 4, 6]],
      ['and=(id.gt.2,or(name.eq.Rome,not.and(id.lt.6,id.gt.3)))', [3, 6]],
      ['not.or=(id.lt.3,id.gt.4)', [3, 4]],
      ['or=(id.in.(1,2),name.in.("Rome","a,b"))', [1, 2, 3]],
      ['or=(id.not.in.(1,2),name.eq."Oslo")', [1, 3, 4, 5, 6]],
      ['and=(limit.is.null,or.is.null)', [1, 2, 3, 4, 5, 6]],
      ['ID=eq.1&Name=eq.Oslo', [1]],
      ['"name"=eq.Rome', [3]],
      ['"limit"=is.null&"id"=lt.3', [1, 2]],
      ['"or"=is.null&id=eq.1', [1]],
      ['order="people".desc,"name"', [3, 1, 2, 4, 6, 5]],
      ['order="people".desc.nullsfirst,"id".desc', [6, 5, 3, 1, 4, 2]],
      ['order=people.desc,name', [3, 1, 2, 4, 6, 5]],
      ['order=people', [5, 6, 2, 4, 1, 3]],
      ['order=people.asc.nullslast', [2, 4, 1, 3, 5, 6]],
      ['order=people.desc.nullsfirst,id.desc', [6, 5, 3, 1, 4, 2]],
      ['limit=2', [1, 2]],
      ['name=eq.1)%20OR%20(1=1', []],
    ] as const)('?%s selects %j', async (query, ids) => {
      expect(await names(query)).toEqual([...ids]);
    });

    test.each([
      ['nothing=eq.1', 'Invalid parameter nothing: the table has no column nothing'],
      ['id=1', 'Invalid parameter id: write an operator and a value, such as eq.1'],
      ['id=gt', 'Invalid parameter id: write an operator and a value, such as gt.5'],
      ['id>1', 'Invalid parameter id: operators are words, such as id=gt.5'],
      ['id!=1', 'Invalid parameter id: operators are words, such as id=gt.5'],
      [
        'select=name,count(id)',
        'Invalid parameter select: the table has no column count(id), functions and joins are SQL',
      ],
      ['id=same.1', 'Invalid parameter id: there is no operator same'],
      ['id=constructor.1', 'Invalid parameter id: there is no operator constructor'],
      ['id=eq.one', 'Invalid parameter id: "one" is no long'],
      ['id=in.(1,two)', 'Invalid parameter id: "two" is no long'],
      ['id=in.1', 'Invalid parameter id: write a list in parentheses'],
      ['id=in.(1', 'Invalid parameter id: expected "," or ")"'],
      ['id=like.1*', 'Invalid parameter id: like and ilike compare texts'],
      ['id=eq.null', 'Invalid parameter id: NULL equals no value: write is.null'],
      ['id=not.neq.null', 'Invalid parameter id: NULL equals no value: write is.not_null'],
      ['coast=is.maybe', 'Invalid parameter coast: write is.null, is.not_null, is.true, is.false, is.unknown'],
      ['or=(id.eq.1', 'Invalid parameter or: expected ")"'],
      ['or=(id.eq.1))', 'Invalid parameter or: expected the end'],
      ['or=id.eq.1', 'Invalid parameter or: write conditions in parentheses'],
      ['and=(nothing.eq.1)', 'Invalid parameter and: the table has no column nothing'],
      [`and=${'(and'.repeat(12)}`, 'Invalid parameter and: it is nested more than 8 deep'],
      ['order=nothing', 'Invalid parameter order: the table has no column nothing'],
      ['order=id,id.desc', 'Invalid parameter order: it names a column twice'],
      ['order=id.up', 'Invalid parameter order: id can be followed by a dot and asc or desc'],
      ['order=people%20desc', 'Invalid parameter order: people can be followed by a dot and asc or desc'],
      ['order=nam', 'Invalid parameter order: the table has no column nam, did you mean NAME?'],
      ['select=pepole', 'Invalid parameter select: the table has no column pepole, did you mean PEOPLE?'],
      ['ordr=id', 'Invalid parameter ordr: the table has no column ordr, did you mean order?'],
      ['offset=10', 'Invalid parameter offset: there is none: the header Link of a page'],
      ['limit=0', 'Invalid parameter limit: it must be a number from 1 to'],
      ['limit=ten', 'Invalid parameter limit: it must be a number from 1 to'],
      ['limit=1&limit=2', 'Invalid parameter limit: it is given twice'],
      ['cursor=x', 'Invalid parameter cursor: it is none that the service has returned'],
    ])('?%s is rejected', async (query, message) => {
      const answer = await send(service, `GET ${ROWS}?${query}`);
      expect(codeOf(answer)).toBe('400 RESOURCE_INVALID');
      const parameter = /^Invalid parameter ([\w.]+):/.exec(message)?.[1];
      expect(answer.json).toMatchObject({ message: expect.stringContaining(message), parameter });
    });

    test('columns are called as the request writes them', async () => {
      const all = await send(service, `GET ${ROWS}?id=eq.1`);
      expect(all.text).toBe(
        '[{"ID":1,"NAME":"Oslo","PEOPLE":700,"COAST":true,"AT":"2024-02-29 12:00:00.0","RATE":1.5,"limit":null,"or":null}]',
      );
      expect((await send(service, `GET ${ROWS}?id=eq.1&select=name,People`)).text).toBe(
        '[{"name":"Oslo","People":700}]',
      );
      expect(codeOf(await send(service, `GET ${ROWS}?select=name,name`))).toBe('400 RESOURCE_INVALID');
      const row = isCluster ? { Key: 'k', 'a,b': 1, C: 2, a: 3 } : { Key: 'k', 'a.b': 1, A: 2, a: 3 };
      await send(service, 'POST /tables/"Mixed"/rows', JSON.stringify(row));
      const filter = `and=("${isCluster ? 'a,b' : 'a.b'}".eq.1)&a=eq.3`;
      expect((await send(service, `GET /tables/Mixed/rows?${filter}`)).json).toEqual([row]);
      const [other = ''] = Object.keys(row).filter((name) => /[.,]/.test(name));
      const selected = await send(service, `GET /tables/Mixed/rows?select="${other}","Key"&order="${other}".desc`);
      expect(selected.json).toEqual([{ [other]: row[other as keyof typeof row], Key: row.Key }]);
    });

    test('JSON, NDJSON and CSV', async () => {
      const accept = (type: string) => ({ accept: type });
      const query = `GET ${ROWS}?select=name,people&order=id&id=in.(4,5)`;
      expect((await send(service, query)).json).toEqual([
        { name: 'O"Brien, Co\n', people: 290 },
        { name: 'Ålesund', people: null },
      ]);
      const lines = await send(service, query, undefined, accept('application/x-ndjson'));
      expect([lines.headers.get('content-type'), lines.text]).toEqual([
        'application/x-ndjson;charset=utf-8',
        '{"name":"O\\"Brien, Co\\n","people":290}\n{"name":"Ålesund","people":null}\n',
      ]);
      const csv = await send(service, query, undefined, accept('text/csv'));
      expect([csv.headers.get('content-type'), csv.text, csv.headers.get('vary')]).toEqual([
        'text/csv;charset=utf-8',
        'name,people\r\n"O""Brien, Co\n",290\r\nÅlesund,\r\n',
        'Accept',
      ]);
      expect((await send(service, query, undefined, accept('text/csv;q=0.5, application/json'))).text).toStartWith('[');
      expect(codeOf(await send(service, query, undefined, accept('application/xml')))).toBe('406 NOT_ACCEPTABLE');
      expect((await send(service, `GET ${ROWS}?id=eq.99`, undefined, accept('text/csv'))).text).toStartWith('ID,NAME');
      expect((await send(service, `GET ${ROWS}?id=eq.99`)).text).toBe('[]');
      const etag = (await send(service, query)).headers.get('etag') ?? '';
      expect((await send(service, query, undefined, { 'if-none-match': etag })).status).toBe(304);
    });

    /** Returns the parameter of an answer's header Link. */
    const cursorIn = (headers: Headers): string | undefined =>
      /[?&]cursor=([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

    test.each(['application/json', 'application/x-ndjson', 'text/csv'])('pages of %s', async (accept) => {
      for (const order of [
        'people',
        'people.desc',
        'people.asc.nullslast',
        'at.desc.nullsfirst,coast,name',
        'rate',
        'name.desc',
      ]) {
        for (const prefer of ['', 'dates=iso, numbers=string']) {
          const whole = (await names(`order=${order}`)) as number[];
          const found: string[] = [];
          let link: string | null = `${service.origin}/svc${ROWS}?select=name&order=${order}&limit=1`;
          for (let pages = 0; link !== null && pages < 10; pages++) {
            const answer: Response = await fetch(link, { headers: { accept, ...(prefer !== '' && { prefer }) } });
            expect(answer.status).toBe(200);
            const text = await answer.text();
            expect(text).not.toContain('$cursor');
            found.push(text);
            const target = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
            link = target === undefined ? null : `${service.origin}${target}`;
          }
          expect(found).toHaveLength(6);
          const expected = await Promise.all(
            whole.map(
              async (id) => (await send(service, `GET ${ROWS}?select=name&id=eq.${id}`, undefined, { accept })).text,
            ),
          );
          expect(found).toEqual(expected);
        }
      }
    });

    test('changes between pages move no other row', async () => {
      await run('CREATE TABLE page (id INT PRIMARY KEY, n INT)');
      await send(service, 'POST /tables/page/rows', JSON.stringify([1, 2, 3, 4].map((id) => ({ id, n: id }))));
      const first = await send(service, 'GET /tables/page/rows?select=id&order=n.desc&limit=2');
      expect(first.json).toEqual([{ id: 4 }, { id: 3 }]);
      await send(service, 'POST /tables/page/rows', '{"id":9,"n":9}');
      await send(service, 'DELETE /tables/page/rows/3');
      const cursor = cursorIn(first.headers);
      const second = await send(service, `GET /tables/page/rows?select=id&order=n.desc&limit=2&cursor=${cursor}`);
      expect([second.json, second.headers.get('link')]).toEqual([[{ id: 2 }, { id: 1 }], null]);
      const other = await send(service, `GET /tables/page/rows?order=n&cursor=${cursor}`);
      expect((other.json as { message: string }).message).toContain('another order');
    });

    test('at most 100 rows without a limit', async () => {
      await run('CREATE TABLE many (id INT PRIMARY KEY, n INT)');
      const rows = Array.from({ length: 101 }, (_, id) => ({ id }));
      await send(service, 'POST /tables/many/rows', JSON.stringify(rows));
      const answer = await send(service, 'GET /tables/many/rows');
      expect([(answer.json as unknown[]).length, cursorIn(answer.headers)]).toEqual([100, expect.any(String)]);
    });

    test('a row by its key', async () => {
      const row = await send(service, `GET ${ROWS}/1?select=name,people`);
      expect([row.status, row.text]).toEqual([200, '{"name":"Oslo","people":700}']);
      expect((await send(service, `GET ${ROWS}/1?select=name`, undefined, { accept: 'text/csv' })).text).toBe(
        'name\r\nOslo\r\n',
      );
      expect(codeOf(await send(service, `GET ${ROWS}/99`))).toBe('404 ROW_NOT_FOUND');
      expect(codeOf(await send(service, `GET ${ROWS}/99`, undefined, { accept: 'text/csv' }))).toBe(
        '404 ROW_NOT_FOUND',
      );
      expect(codeOf(await send(service, `GET ${ROWS}/one`))).toBe('400 RESOURCE_INVALID');
      expect(codeOf(await send(service, `GET ${ROWS}/1?id=eq.1`))).toBe('400 RESOURCE_INVALID');
      expect(codeOf(await send(service, 'GET /tables/nothing/rows'))).toBe('404 TABLE_NOT_FOUND');
      expect(codeOf(await send(service, 'GET /tables/SYS.TABLES/rows'))).toBe('404 TABLE_NOT_FOUND');
      expect((await send(service, 'GET /tables/public.city/rows/1?select=id')).json).toEqual({ id: 1 });
      expect(codeOf(await send(service, 'POST /tables/city/rows/1', '{}'))).toBe('405 METHOD_NOT_ALLOWED');
      expect(codeOf(await send(service, `PUT ${ROWS}`, '{}'))).toBe('405 METHOD_NOT_ALLOWED');
    });

    test('a key of several columns', async () => {
      const created = await send(service, 'POST /tables/stop/rows', '{"line":"a,b/c","no":7,"name":"x"}');
      expect([created.status, created.headers.get('location')]).toEqual([201, '/svc/tables/stop/rows/a%2Cb%2Fc,7']);
      const row = await send(service, 'GET /tables/stop/rows/a%2Cb%2Fc,7');
      expect(row.json).toEqual({ LINE: 'a,b/c', NO: 7, NAME: 'x', AMOUNT: null });
      expect(codeOf(await send(service, 'GET /tables/stop/rows/a'))).toBe('400 RESOURCE_INVALID');
      expect(codeOf(await send(service, 'GET /tables/stop/rows/a,b,7'))).toBe('400 RESOURCE_INVALID');
      expect((await send(service, 'POST /tables/stop/rows', '{"line":"","no":0}')).status).toBe(201);
      expect((await send(service, 'GET /tables/stop/rows/,0')).json).toMatchObject({ NAME: 'none' });
    });

    test('PUT stores, PATCH changes and DELETE removes a row', async () => {
      const path = '/tables/stop/rows/p,1';
      const put = await send(service, `PUT ${path}`, '{"name":"one","amount":12345678901234567.10}');
      expect([put.status, put.headers.get('location')]).toEqual([201, `/svc${path}`]);
      expect((await send(service, `GET ${path}`)).text).toBe(
        '{"LINE":"p","NO":1,"NAME":"one","AMOUNT":12345678901234567.10}',
      );
      expect((await send(service, `PUT ${path}`, '{"line":"p","no":1,"name":"two"}')).status).toBe(204);
      expect((await send(service, `GET ${path}`)).json).toEqual({ LINE: 'p', NO: 1, NAME: 'two', AMOUNT: null });
      expect(codeOf(await send(service, `PUT ${path}`, '{"no":2}'))).toBe('400 RESOURCE_INVALID');
      const prefer = { prefer: 'return=representation' };
      const patched = await send(service, `PATCH ${path}`, '{"amount":"1.5"}', prefer);
      expect([patched.status, patched.json]).toEqual([200, { LINE: 'p', NO: 1, NAME: 'two', AMOUNT: 1.5 }]);
      expect(patched.headers.get('etag')).toBe((await send(service, `GET ${path}`)).headers.get('etag'));
      expect((await send(service, `PATCH ${path}`, '{"line":"p","no":1,"amount":null}')).status).toBe(204);
      expect(codeOf(await send(service, `PATCH ${path}`, '{"no":2,"amount":1}'))).toBe('400 RESOURCE_INVALID');
      const removed = await send(service, `DELETE ${path}`, undefined, prefer);
      expect([removed.status, removed.json]).toEqual([200, { LINE: 'p', NO: 1, NAME: 'two', AMOUNT: null }]);
      expect(codeOf(await send(service, `DELETE ${path}`))).toBe('404 ROW_NOT_FOUND');
      expect(codeOf(await send(service, `PATCH ${path}`, '{"amount":1}'))).toBe('404 ROW_NOT_FOUND');
    });

    test('conditions compare rows', async () => {
      const path = '/tables/stop/rows/c,1';
      expect((await send(service, `PUT ${path}`, '{"name":"a"}', { 'if-match': '*' })).status).toBe(412);
      expect((await send(service, `PUT ${path}`, '{"name":"a"}', { 'if-none-match': '*' })).status).toBe(201);
      expect(codeOf(await send(service, `PUT ${path}`, '{"name":"b"}', { 'if-none-match': '*' }))).toBe(
        '412 PRECONDITION_FAILED',
      );
      const etag = (await send(service, `GET ${path}`)).headers.get('etag') ?? '';
      expect((await send(service, `GET ${path}`, undefined, { 'if-none-match': etag })).status).toBe(304);
      expect((await send(service, `PATCH ${path}`, '{"amount":1}', { 'if-match': '"x"' })).status).toBe(412);
      const bare = { 'if-match': etag.replaceAll('"', '') };
      expect(codeOf(await send(service, `PATCH ${path}`, '{"amount":1}', bare))).toBe('400 RESOURCE_INVALID');
      expect((await send(service, `PATCH ${path}`, '{"amount":1}', { 'if-match': etag })).status).toBe(204);
      expect((await send(service, `PATCH ${path}`, '{"amount":2}', { 'if-match': etag })).status).toBe(412);
      expect((await send(service, `DELETE ${path}`, undefined, { 'if-match': etag })).status).toBe(412);
      const now = (await send(service, `GET ${path}`)).headers.get('etag') ?? '';
      expect((await send(service, `PUT ${path}`, '{"name":"c"}', { 'if-match': now })).status).toBe(204);
      expect((await send(service, `GET ${path}`)).json).toEqual({ LINE: 'c', NO: 1, NAME: 'c', AMOUNT: null });
      expect((await send(service, `DELETE ${path}`, undefined, { 'if-match': '*' })).status).toBe(204);
      expect((await send(service, `DELETE ${path}`, undefined, { 'if-match': '*' })).status).toBe(412);
      const key = { 'idempotency-key': 'k', 'if-match': '*' };
      expect(codeOf(await send(service, `DELETE ${path}`, undefined, key))).toBe('400 IDEMPOTENCY_UNSUPPORTED');
    });

    test('times are compared with their fractions of a second', async () => {
      await run('CREATE TABLE clock (id INT PRIMARY KEY, t TIME, n INT)');
      const times = ["TIME '12:00:00.75'", "TIME '12:00:00.25'", "TIME '12:00:00'", 'NULL'];
      for (const [id, time] of times.entries()) await run(`INSERT INTO clock VALUES (${id}, ${time}, 0)`);
      for (const accept of ['application/json', 'text/csv']) {
        const found: string[] = [];
        let path: string | undefined = '/svc/tables/clock/rows?select=id,t&order=t.desc&limit=1';
        while (path !== undefined && found.length < 9) {
          const answer: Response = await fetch(`${service.origin}${path}`, { headers: { accept } });
          found.push((await answer.text()).replace('id,t\r\n', '').replace('[{"id":', '').slice(0, 1));
          path = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
        }
        expect(found).toEqual(['0', '1', '2', '3']);
      }
      for (const id of times.keys()) {
        const at = `/tables/clock/rows/${id}`;
        const etag = (await send(service, `GET ${at}`)).headers.get('etag') ?? '';
        expect((await send(service, `PATCH ${at}`, '{"n":1}', { 'if-match': etag })).status).toBe(204);
        const prefer = { prefer: 'return=representation' };
        expect((await send(service, `DELETE ${at}`, undefined, prefer)).json).toMatchObject({ ID: id, N: 1 });
      }
    });

    test('a table whose key is no column, with moments of Java', async () => {
      const rows = '/tables/moments.Moment/rows';
      for (const [key, fraction] of [750, 250, 500].entries()) {
        const value = JSON.stringify({ name: 'n', at: Date.UTC(2024, 1, 29, 12) + fraction });
        expect((await send(service, `PUT /caches/moments/entries/${key}`, value)).status).toBe(201);
      }
      expect((await send(service, `GET ${rows}?_key=eq.1`)).json).toEqual([
        { _KEY: 1, NAME: 'n', AT: '2024-02-29 12:00:00.25' },
      ]);
      expect((await send(service, `GET ${rows}?select=_key&at=eq.2024-02-29T12:00:00.25`)).json).toEqual([{ _key: 1 }]);
      const found: unknown[] = [];
      let path: string | undefined = `/svc${rows}?select=_key&order=at&limit=1`;
      while (path !== undefined && found.length < 9) {
        const answer: Response = await fetch(`${service.origin}${path}`);
        found.push(...((await answer.json()) as unknown[]));
        path = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      }
      expect(found).toEqual([{ _key: 1 }, { _key: 2 }, { _key: 0 }]);
      const etag = (await send(service, `GET ${rows}/1`)).headers.get('etag') ?? '';
      expect((await send(service, `PATCH ${rows}/1`, '{"name":"m"}', { 'if-match': etag })).status).toBe(204);
      expect((await send(service, `PATCH ${rows}/1`, '{"name":"o"}', { 'if-match': etag })).status).toBe(412);
      expect((await send(service, `PUT ${rows}/4`, '{"name":"new"}')).status).toBe(201);
      expect((await send(service, `GET ${rows}/4?select=name,at`)).json).toEqual({ name: 'new', at: null });
      expect((await send(service, `DELETE ${rows}/4`)).status).toBe(204);
    });

    test('of simultaneous requests one creates a row, and one meets a condition', async () => {
      await run('CREATE TABLE race (id INT PRIMARY KEY, n INT)');
      const statuses = async (request: string, headers = {}) =>
        (await Promise.all([1, 2, 3, 4, 5, 6].map((n) => send(service, request, `{"n":${n}}`, headers))))
          .map(({ status }) => status)
          .sort();
      for (let id = 0; id < 10; id++) {
        const path = `/tables/race/rows/${id}`;
        expect(await statuses(`PUT ${path}`)).toEqual([201, 204, 204, 204, 204, 204]);
        const etag = (await send(service, `GET ${path}`)).headers.get('etag') ?? '';
        await send(service, `PATCH ${path}`, '{"n":7}', { 'if-match': etag });
        const current = (await send(service, `GET ${path}`)).headers.get('etag') ?? '';
        expect(await statuses(`PATCH ${path}`, { 'if-match': current })).toEqual([204, 412, 412, 412, 412, 412]);
      }
    });

    test('PUT stores a row as a whole, whatever its condition', async () => {
      for (const condition of [{}, { 'if-none-match': '*' }, { 'if-match': '*' }]) {
        const path = '/tables/stop/rows/whole,1';
        expect((await send(service, `PUT ${path}`, '{"amount":1}', condition)).status).toBeLessThan(300);
        expect((await send(service, `GET ${path}`)).json).toMatchObject({ NAME: null });
        if (!('if-none-match' in condition)) await send(service, `DELETE ${path}`);
      }
    });

    test('arrays, and sources that are streamed', async () => {
      await run('CREATE TABLE bulk (id INT PRIMARY KEY, name VARCHAR)');
      const post = (body: string, type: string, more = {}) =>
        send(service, 'POST /tables/bulk/rows', body, { 'content-type': type, ...more });
      const prefer = { prefer: 'return=representation' };
      const array = await post('[{"id":2,"name":"b"},{"name":"a","id":1}]', 'application/json', prefer);
      expect([array.status, array.json]).toEqual([
        201,
        [
          { ID: 1, NAME: 'a' },
          { ID: 2, NAME: 'b' },
        ],
      ]);
      expect(codeOf(await post('[{"id":3},{"id":2}]', 'application/json'))).toBe('409 SQL_CONFLICT');
      // A cluster stores the other rows.
      const other = codeOf(await send(service, 'GET /tables/bulk/rows/3'));
      expect(other).toBe(isCluster ? '200' : '404 ROW_NOT_FOUND');
      expect(codeOf(await post('[{"id":3},{"id":4,"name":"d"}]', 'application/json'))).toBe('400 RESOURCE_INVALID');
      expect(codeOf(await post('<a/>', 'application/xml'))).toBe('415 MEDIA_TYPE_UNSUPPORTED');
      if (isCluster) {
        for (const type of ['application/x-ndjson', 'text/csv']) {
          expect(codeOf(await post('{"id":5}\n', type))).toBe('400 NOT_SUPPORTED');
        }
        return;
      }
      const lines = await post('{"id":5,"name":"e"}\n{"id":6}\n', 'application/x-ndjson');
      expect([lines.status, lines.json]).toMatchObject([201, { rows: 2, state: 'done' }]);
      expect((await post('id,name\n7,g\n', 'text/csv')).status).toBe(201);
      expect((await post('id,name\n8,h\n7,g\n', 'text/csv')).status).toBe(409);
      expect((await send(service, 'GET /tables/bulk/rows?id=gt.4')).json).toEqual([
        { ID: 5, NAME: 'e' },
        { ID: 6, NAME: null },
        { ID: 7, NAME: 'g' },
      ]);
    });

    test('changes of the rows that filters select', async () => {
      await run('CREATE TABLE filtered (id INT PRIMARY KEY, n INT)');
      await send(service, 'POST /tables/filtered/rows', JSON.stringify([1, 2, 3].map((id) => ({ id, n: 0 }))));
      expect((await send(service, 'PATCH /tables/filtered/rows?id=gte.2', '{"n":5}')).json).toEqual({ changed: 2 });
      expect((await send(service, 'DELETE /tables/filtered/rows?n=eq.5&id=eq.3')).json).toEqual({ changed: 1 });
      expect((await send(service, 'GET /tables/filtered/rows')).text).toBe('[{"ID":1,"N":0},\n{"ID":2,"N":5}]');
      expect(codeOf(await send(service, 'DELETE /tables/filtered/rows'))).toBe('400 RESOURCE_INVALID');
      expect(codeOf(await send(service, 'DELETE /tables/filtered/rows?limit=1'))).toBe('400 RESOURCE_INVALID');
      const renamed = await send(service, 'PATCH /tables/filtered/rows?id=eq.1', '{"id":7}');
      expect([renamed.status, renamed.json]).toMatchObject([
        400,
        { code: 'RESOURCE_INVALID', message: 'Invalid member ID: the key of a row cannot be changed' },
      ]);
      const dry = await send(service, 'DELETE /tables/filtered/rows?id=eq.1', undefined, { prefer: 'dry-run' });
      if (isCluster) expect(codeOf(dry)).toBe('400 NOT_SUPPORTED');
      else expect([dry.status, dry.json]).toMatchObject([200, { of: 'qryfldexe', response: { items: [[1]] } }]);
      expect((await send(service, 'GET /tables/filtered/rows/1')).status).toBe(200);
    });

    test('columns that cannot be NULL are named when they are missing', async () => {
      await run(
        'CREATE TABLE room (site INT, no INT, name VARCHAR NOT NULL, seats INT NOT NULL DEFAULT 4, CONSTRAINT k PRIMARY KEY (site, no))',
      );
      const reasonOf = async (request: string, body: string) => {
        const answer = await send(service, request, body);
        return answer.status < 300 ? String(answer.status) : (answer.json as { message: string }).message;
      };
      expect(await reasonOf('POST /tables/room/rows', '{"site":1,"name":"a"}')).toBe(
        'Invalid body: a row needs its key, and NO is missing',
      );
      expect(await reasonOf('POST /tables/room/rows', '[{"site":1,"no":1}]')).toBe(
        'Invalid body: a row needs what cannot be NULL, and NAME is missing',
      );
      expect(await reasonOf('POST /tables/room/rows', '{"site":1,"no":1,"name":"a"}')).toBe('201');
      expect(await reasonOf('PATCH /tables/room/rows/1,1', '{"name":null}')).toBe(
        'Invalid member name: the column NAME cannot be NULL',
      );
      expect(await reasonOf('PUT /tables/room/rows/1,1', '{"name":"b"}')).toStartWith(
        'Invalid body: PUT replaces the whole row, and SEATS is missing, which cannot be NULL',
      );
      expect(await reasonOf('PUT /tables/room/rows/1,1', '{"name":"b","seats":1}')).toBe('204');
    });

    test('a table that does not exist is answered with the name of a similar one', async () => {
      const answer = await send(service, 'GET /tables/citty/rows');
      expect(codeOf(answer)).toBe('404 TABLE_NOT_FOUND');
      expect((answer.json as { message: string }).message).toBe('There is no table citty. Did you mean CITY?');
    });

    test('an idempotency key makes a change once', async () => {
      await run('CREATE TABLE onced (id INT PRIMARY KEY, n INT)');
      const headers = { 'idempotency-key': 'insert-1' };
      const first = await send(service, 'POST /tables/onced/rows', '{"id":1}', headers);
      const again = await send(service, 'POST /tables/onced/rows', '{"id":1}', headers);
      expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    });

    test.each([
      ['PUT', 'rows/1', '{"id":1,"n":9}', undefined, 201],
      ['PUT', 'rows/2', '{"id":2,"n":9}', undefined, 204],
      ['PUT', 'rows/1', '{"id":1,"n":9}', 'return=representation', 201],
      ['PUT', 'rows/2', '{"id":2,"n":9}', 'return=representation', 200],
      ['PATCH', 'rows/2', '{"n":9}', 'return=representation', 200],
      ['DELETE', 'rows/2', undefined, 'return=representation', 200],
      ['POST', 'rows', '{"id":1,"n":9}', 'return=representation', 201],
      ['POST', 'rows', '[{"id":1,"n":9},{"id":3,"n":1}]', 'return=representation', 201],
    ] as const)(
      '%s %s %s with an idempotency key and %s is answered again',
      async (method, place, body, prefer, status) => {
        const path = `/tables/kept/${place}`;
        await run('DROP TABLE IF EXISTS kept');
        await run('CREATE TABLE kept (id INT PRIMARY KEY, n INT)');
        await run('INSERT INTO kept VALUES (2, 2)');
        const headers = { 'idempotency-key': `${method} ${place} ${body} ${prefer}`, ...(prefer && { prefer }) };
        const shown = (answer: Awaited<ReturnType<typeof send>>) => {
          const { status: http, headers: all, json } = answer;
          return [
            http,
            json,
            ...['etag', 'location', 'preference-applied', 'content-type'].map((name) => all.get(name)),
          ];
        };
        const first = await send(service, `${method} ${path}`, body, headers);
        expect(first.status).toBe(status);
        await run('UPDATE kept SET n = 5');
        const again = await send(service, `${method} ${path}`, body, headers);
        expect(shown(again)).toEqual(shown(first));
        expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
          null,
          'true',
        ]);
        if (body !== undefined) {
          const other = await send(service, `${method} ${path}`, body.replace('9', '8'), headers);
          expect(codeOf(other)).toBe('409 IDEMPOTENCY_KEY_REUSED');
        }
      },
    );

    test('a request with an idempotency key that fails is executed again', async () => {
      await run('DROP TABLE IF EXISTS kept');
      await run('CREATE TABLE kept (id INT PRIMARY KEY, n INT)');
      const headers = { 'idempotency-key': 'fails first', prefer: 'return=representation' };
      expect((await send(service, 'DELETE /tables/kept/rows/1', undefined, headers)).status).toBe(404);
      await run('INSERT INTO kept VALUES (1, 2)');
      expect((await send(service, 'DELETE /tables/kept/rows/1', undefined, headers)).json).toEqual({ ID: 1, N: 2 });
    });

    test.each([
      ['[]', 'the array is empty'],
      ['[1]', 'a row is a JSON object, found number'],
      ['{}', 'the object has no members'],
      ['{"id":1', 'invalid JSON'],
      ['{"nothing":1}', 'the table has no column nothing'],
      ['{"id":1,"ID":1}', 'it has the column ID twice'],
      ['{"id":"one"}', '"one" is no long'],
      ['{"id":1,"name":{"a":1}}', 'a value of the column cannot be a JSON object'],
      ['{"name":"Bern"}', 'a row needs its key, and ID is missing'],
      ['{"id":null}', 'the column ID cannot be NULL'],
    ])('the body %s is rejected', async (body, reason) => {
      const answer = await send(service, `POST ${ROWS}`, body);
      expect(codeOf(answer)).toBe('400 RESOURCE_INVALID');
      expect((answer.json as { message: string }).message).toContain(reason);
    });
  });
}
