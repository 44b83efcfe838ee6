import { describe, expect, test } from 'bun:test';
import { randomUuid, sleep, systemClock } from '../../src/base/clock.ts';
import type { FieldsQuery, Queries, QueryPage, RowFormat } from '../../src/grid/grid.ts';
import { senderOf } from '../../src/grid/queries.ts';
import { text, type Value } from '../../src/values/value.ts';
import { entriesOf } from './entry-methods.ts';
import { errorOf, type SuiteContext } from './suite-context.ts';

const int = (data: number): Value => ({ type: 'integer', data });
const NULL: Value = { type: 'null' };
const TENANT = { key: '', isAdministrator: false };

/** Runs for hours; every engine checks its time limit meanwhile. */
const ENDLESS = 'select sum(mod(x, 7)) from system_range(1, 1000000000000)';
/** A cancelled statement ends within this time. */
const MAX_MS = 10_000;

/** A page after it has been read. */
interface ReadPage {
  readonly id: number;
  readonly columns: QueryPage['columns'];
  readonly text: string;
  readonly rows: unknown[];
  readonly last: boolean;
  readonly count: number;
}

async function readPage(page: QueryPage, format: RowFormat = 'json'): Promise<ReadPage> {
  let all = '';
  if (typeof page.rows === 'string') all = page.rows;
  else for await (const chunk of page.rows) all += chunk;
  const { last, rowCount } = page.end();
  const rows: unknown[] = format === 'json' ? JSON.parse(`[${all}]`) : [];
  return { id: page.queryId, columns: page.columns, text: all, rows, last, count: rowCount };
}

/** Columns with a value: the SQL type, the stored value, its JSON and its Java class. */
const TYPES: ReadonlyArray<readonly [sql: string, stored: Value, json: string, javaClass: string]> = [
  ['BOOLEAN', { type: 'boolean', data: true }, 'true', 'java.lang.Boolean'],
  ['TINYINT', { type: 'byte', data: -128 }, '-128', 'java.lang.Byte'],
  ['SMALLINT', { type: 'short', data: 32_767 }, '32767', 'java.lang.Short'],
  ['INT', int(-5), '-5', 'java.lang.Integer'],
  ['BIGINT', { type: 'long', data: 9_007_199_254_740_993n }, '9007199254740993', 'java.lang.Long'],
  ['REAL', { type: 'float', data: 1.5 }, '1.5', 'java.lang.Float'],
  ['DOUBLE', { type: 'double', data: 0.1 }, '0.1', 'java.lang.Double'],
  ['DECIMAL(20,3)', { type: 'decimal', data: { unscaled: 12_500n, scale: 3 } }, '12.500', 'java.math.BigDecimal'],
  ['VARCHAR', text('a"é'), '"a\\"é"', 'java.lang.String'],
  ['DATE', { type: 'date', data: 17_532 }, '"2018-01-01"', 'java.sql.Date'],
  ['TIME', { type: 'time', data: 36_672_000 }, '"10:11:12"', 'java.sql.Time'],
  [
    'UUID',
    { type: 'uuid', data: '123e4567-e89b-12d3-a456-426614174000' },
    '"123e4567-e89b-12d3-a456-426614174000"',
    'java.util.UUID',
  ],
];

/** Invalid statements, with `T` for a table of the test, and their errors. */
const REJECTED: ReadonlyArray<readonly [sql: string, code: string]> = [
  ['selekt 1', 'SQL'],
  ['select * from T where', 'SQL'],
  ['select * from T_THAT_IS_NOT', 'SQL_OBJECT_NOT_FOUND'],
  ['select nowhere from T', 'SQL_OBJECT_NOT_FOUND'],
  ['drop table T_THAT_IS_NOT', 'SQL_OBJECT_NOT_FOUND'],
  ['create table T(id int primary key, n int)', 'SQL_CONFLICT'],
  ["insert into T(id, name) values(1, 'again')", 'SQL_CONFLICT'],
];

/** Tests paging, owners, cancellation, types and errors of queries. */
export function runQueriesSuite(context: SuiteContext): void {
  const { subject, newCache } = context;
  const queries = (): Queries => subject().grid.queries;

  async function execute(cache: string, sql: string, further: Partial<FieldsQuery> = {}): Promise<ReadPage> {
    const request = { kind: 'fields', cache, owner: '', pageSize: 100, format: 'json', sql, args: [] } as const;
    return readPage(await queries().execute({ ...request, ...further }), further.format);
  }

  async function fetchPage(id: number, pageSize: number, owner = ''): Promise<ReadPage> {
    return readPage(await queries().fetch(id, pageSize, owner, 'json'));
  }

  /** Creates a cache and a table with rows numbered from 1. */
  async function newTable(rows: number, further = ''): Promise<{ readonly cache: string; readonly table: string }> {
    const cache = await newCache();
    const table = `T${randomUuid().replaceAll('-', '').toUpperCase()}`;
    await execute(cache, `create table ${table}(id int primary key, name varchar)${further}`);
    if (rows > 0)
      await execute(cache, `insert into ${table}(id, name) select x, 'n' || x from system_range(1, ${rows})`);
    return { cache, table };
  }

  const numbers = (count: number, from = 1): number[][] => Array.from({ length: count }, (_, index) => [from + index]);

  describe('pages of a query', () => {
    test('are read in order up to the last, which closes the query', async () => {
      const { cache, table } = await newTable(25);
      const first = await execute(cache, `select id from ${table} order by id`, { pageSize: 10 });
      expect([first.rows, first.last, first.count]).toEqual([numbers(10), false, 10]);
      const second = await fetchPage(first.id, 10);
      expect([second.rows, second.last, second.columns]).toEqual([numbers(10, 11), false, []]);
      const third = await fetchPage(first.id, 10);
      expect([third.rows, third.last]).toEqual([numbers(5, 21), true]);
      expect(await errorOf(() => fetchPage(first.id, 10))).toBe('QUERY_NOT_FOUND');
    });

    test('have the size of each request', async () => {
      const { cache, table } = await newTable(12);
      const first = await execute(cache, `select id from ${table} order by id`, { pageSize: 1 });
      expect(first.rows).toEqual(numbers(1));
      expect((await fetchPage(first.id, 4)).rows).toEqual(numbers(4, 2));
      expect((await fetchPage(first.id, 1_000)).rows).toEqual(numbers(7, 6));
    });

    test('of many rows contain each row once', async () => {
      const { cache, table } = await newTable(5_000);
      let page = await execute(cache, `select id from ${table} order by id`, { pageSize: 999 });
      const rows = [...page.rows];
      while (!page.last) {
        page = await fetchPage(page.id, 999);
        rows.push(...page.rows);
      }
      expect(rows).toEqual(numbers(5_000));
    });

    test('end at the maximum number of rows', async () => {
      const { cache, table } = await newTable(50);
      const page = await execute(cache, `select id from ${table} order by id`, { maxRows: 7 });
      expect([page.rows, page.last]).toEqual([numbers(7), true]);
    });

    test.each([
      'select 1 union all select 2 union all select 3',
      'values (1), (2), (3)',
      'select 1 union select 2 union select 3 order by 1',
    ])('are those of a query without tables, too: %s', async (sql) => {
      const cache = await newCache();
      const first = await execute(cache, sql, { pageSize: 1 });
      expect([first.rows, first.last]).toEqual([numbers(1), false]);
      const second = await fetchPage(first.id, 5);
      expect([second.rows, second.last]).toEqual([numbers(2, 2), true]);
      const limited = await execute(cache, sql, { maxRows: 2 });
      expect([limited.rows, limited.last]).toEqual([numbers(2), true]);
    });

    test('a query without rows has one empty page with columns', async () => {
      const { cache, table } = await newTable(0);
      const page = await execute(cache, `select id, name from ${table}`);
      expect([page.rows, page.last, page.columns.map(({ fieldName }) => fieldName)]).toEqual([
        [],
        true,
        ['ID', 'NAME'],
      ]);
    });

    test('can be NDJSON and CSV', async () => {
      const { cache, table } = await newTable(2);
      const sql = `select id, name from ${table} order by id`;
      expect((await execute(cache, sql, { format: 'ndjson' })).text.trim().split('\n')).toHaveLength(2);
      expect((await execute(cache, sql, { format: 'csv' })).text).toContain('1,n1');
    });

    test('are one count for a change, in each format', async () => {
      const { cache, table } = await newTable(2);
      const statements: ReadonlyArray<readonly [string, number]> = [
        [`update ${table} set name = 'other' where id = 1`, 1],
        [`update ${table} set name = 'other' where id = 9`, 0],
        [`update ${table} set name = 'all'`, 2],
        [`merge into ${table}(id, name) values (1, 'merged')`, 1],
        [`create index if not exists ${table}_name on ${table}(name)`, 0],
      ];
      for (const [sql, count] of statements) {
        expect([sql, (await execute(cache, sql, { format: 'json' })).text]).toEqual([sql, `[${count}]`]);
        const ndjson = `{"UPDATED":${count}}\n`;
        expect([sql, (await execute(cache, sql, { format: 'ndjson' })).text]).toEqual([sql, ndjson]);
        const csv = `UPDATED\r\n${count}\r\n`;
        expect([sql, (await execute(cache, sql, { format: 'csv' })).text]).toEqual([sql, csv]);
      }
    });
  });

  describe('a query belongs to its owner', () => {
    test('other users can neither read nor close it', async () => {
      const { cache, table } = await newTable(30);
      const first = await execute(cache, `select id from ${table} order by id`, { pageSize: 10, owner: 'ann' });
      for (const other of ['bob', '', 'Ann']) {
        expect(await errorOf(() => fetchPage(first.id, 10, other))).toBe('QUERY_NOT_FOUND');
        await queries().close(first.id, other);
      }
      expect((await fetchPage(first.id, 10, 'ann')).rows).toEqual(numbers(10, 11));
      await queries().close(first.id, 'ann');
    });

    test('concurrent queries are independent', async () => {
      const { cache, table } = await newTable(30);
      const sql = `select id from ${table} order by id`;
      const owners = ['ann', 'bob', 'cid'];
      const firsts = await Promise.all(owners.map((owner) => execute(cache, sql, { pageSize: 10, owner })));
      expect(new Set(firsts.map(({ id }) => id)).size).toBe(3);
      const seconds = await Promise.all(firsts.map(({ id }, index) => fetchPage(id, 10, owners[index])));
      for (const { rows } of seconds) expect(rows).toEqual(numbers(10, 11));
      for (const [index, { id }] of firsts.entries()) await queries().close(id, owners[index] ?? '');
    });
  });

  describe('a query ends', () => {
    test('by close, also repeatedly and without a query', async () => {
      const { cache, table } = await newTable(30);
      const { id } = await execute(cache, `select id from ${table}`, { pageSize: 10 });
      await queries().close(id, '');
      expect(await errorOf(() => fetchPage(id, 10))).toBe('QUERY_NOT_FOUND');
      await queries().close(id, '');
      await queries().close(4_294_967_295, '');
    });

    test('when its owner or an administrator kills its cursor, but nobody else', async () => {
      const { cache, table } = await newTable(30);
      const open = () => execute(cache, `select id from ${table}`, { pageSize: 10, owner: 'ann' });
      const kill = (number: number, owner: string, isAdministrator: boolean) => async () =>
        queries().kill({ nodeId: undefined, number }, { owner, isAdministrator });
      const { id } = await open();
      expect(await errorOf(kill(id, 'bob', false))).toBe('QUERY_NOT_FOUND');
      expect((await fetchPage(id, 10, 'ann')).count).toBe(10);
      await kill(id, 'ann', false)();
      expect(await errorOf(() => fetchPage(id, 10, 'ann'))).toBe('QUERY_NOT_FOUND');
      expect(await errorOf(kill(id, 'ann', false))).toBe('QUERY_NOT_FOUND');
      const second = await open();
      await kill(second.id, 'root', true)();
      expect(await errorOf(() => fetchPage(second.id, 10, 'ann'))).toBe('QUERY_NOT_FOUND');
    });

    test('neither when the cluster becomes read-only nor when it becomes active again', async () => {
      const { grid, exclusive } = subject();
      if (!exclusive) return;
      const { cache, table } = await newTable(30);
      const { id } = await execute(cache, `select id from ${table} order by id`, { pageSize: 10 });
      await grid.cluster.setState('ACTIVE_READ_ONLY', false);
      expect((await fetchPage(id, 10)).rows).toEqual(numbers(10, 11));
      await grid.cluster.setState('ACTIVE', false);
      expect((await fetchPage(id, 5)).rows).toEqual(numbers(5, 21));
      await queries().close(id, '');
    });

    test('when the cluster becomes inactive, on an engine that removes regions then', async () => {
      const { grid, temporaryRegion } = subject();
      if (temporaryRegion === undefined) return;
      const { cache, table } = await newTable(30);
      const { id } = await execute(cache, `select id from ${table}`, { pageSize: 10 });
      await grid.cluster.setState('INACTIVE', true);
      await grid.cluster.setState('ACTIVE', false);
      expect(await errorOf(() => fetchPage(id, 10))).toBe('QUERY_NOT_FOUND');
    });

    test('at its time limit', async () => {
      const cache = await newCache();
      const startedMs = systemClock.monotonicMs();
      expect(await errorOf(() => execute(cache, ENDLESS, { timeoutMs: 300 }))).toBe('QUERY_TIMEOUT');
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(MAX_MS);
    });

    test('when the client disconnects', async () => {
      const cache = await newCache();
      const gone = new AbortController();
      const startedMs = systemClock.monotonicMs();
      const outcome = errorOf(() => execute(cache, ENDLESS, { sender: senderOf(TENANT, gone.signal) }));
      await sleep(systemClock, 300);
      gone.abort();
      expect(await outcome).toBe('QUERY_CANCELLED');
      expect(systemClock.monotonicMs() - startedMs).toBeLessThan(MAX_MS);
      expect(await errorOf(() => execute(cache, ENDLESS, { sender: senderOf(TENANT, AbortSignal.abort()) }))).toBe(
        'QUERY_CANCELLED',
      );
    });

    test('without effect on the next one', async () => {
      const { cache, table } = await newTable(3);
      expect((await execute(cache, `select count(*) from ${table}`)).rows).toEqual([[3]]);
    });
  });

  describe('values of a query', () => {
    const names = TYPES.map((_, index) => `c${index}`);

    async function newTypedTable(): Promise<{ readonly cache: string; readonly table: string }> {
      const cache = await newCache();
      const table = `T${randomUuid().replaceAll('-', '').toUpperCase()}`;
      const columns = TYPES.map(([sql], index) => `${names[index]} ${sql}`).join(', ');
      await execute(cache, `create table ${table}(id int primary key, ${columns})`);
      const insert = `insert into ${table}(id, ${names.join(', ')}) values(?${', ?'.repeat(names.length)})`;
      await execute(cache, insert, { args: [int(1), ...TYPES.map(([, stored]) => stored)] });
      await execute(cache, insert, { args: [int(2), ...TYPES.map(() => NULL)] });
      return { cache, table };
    }

    test('of each type read back unchanged, NULL as null, with their classes', async () => {
      const { cache, table } = await newTypedTable();
      const page = await execute(cache, `select ${names.join(', ')} from ${table} order by id`);
      const values = TYPES.map(([, , json]) => json).join(',');
      expect(page.text).toBe(`[${values}],[${TYPES.map(() => 'null').join(',')}]`);
      expect(page.columns.map(({ fieldTypeName }) => fieldTypeName)).toEqual(TYPES.map(([, , , name]) => name));
    });

    test('are compared with arguments of their type', async () => {
      const { cache, table } = await newTypedTable();
      for (const [index, [sql, stored]] of TYPES.entries()) {
        const { rows } = await execute(cache, `select id from ${table} where ${names[index]} = ?`, { args: [stored] });
        expect({ sql, rows }).toEqual({ sql, rows: [[1]] });
      }
    });

    test('NULL equals nothing, matches IS NULL and is not counted', async () => {
      const { cache, table } = await newTypedTable();
      const rowsOf = async (sql: string, args: Value[] = []) => (await execute(cache, sql, { args })).rows;
      expect(await rowsOf(`select id from ${table} where c3 = ?`, [NULL])).toEqual([]);
      expect(await rowsOf(`select id from ${table} where c3 is null`)).toEqual([[2]]);
      expect(await rowsOf(`select count(*), count(c3), sum(c3), max(c8) from ${table} where id = 2`)).toEqual([
        [1, 0, null, null],
      ]);
      expect(await rowsOf(`select coalesce(c3, 7) from ${table} order by id`)).toEqual([[-5], [7]]);
    });
  });

  describe('changes by statements', () => {
    test('return the number of changed rows', async () => {
      const { cache, table } = await newTable(5);
      const page = await execute(cache, `update ${table} set name = 'x' where id > 2`);
      expect([page.rows, page.columns.map(({ fieldName }) => fieldName)]).toEqual([[[3]], ['UPDATED']]);
      expect((await execute(cache, `delete from ${table} where id = 77`)).rows).toEqual([[0]]);
      expect((await execute(cache, `merge into ${table}(id, name) values(1, 'm'), (9, 'm')`)).rows).toEqual([[2]]);
      expect((await execute(cache, `select name from ${table} order by id`)).rows.flat()).toEqual([
        'm',
        'n2',
        'x',
        'x',
        'x',
        'm',
      ]);
    });

    test.each(REJECTED)('%p is rejected: %p', async (sql, code) => {
      const { cache, table } = await newTable(2);
      expect(await errorOf(() => execute(cache, sql.replace(/\bT\b/, table)))).toBe(code);
      expect((await execute(cache, `select id, name from ${table} order by id`)).rows).toEqual([
        [1, 'n1'],
        [2, 'n2'],
      ]);
    });

    test('in an unknown cache are rejected', async () => {
      expect(await errorOf(() => execute('no_such_cache', 'select 1'))).toBe('QUERY_CACHE_NOT_FOUND');
    });
  });

  describe('queries of entries', () => {
    test('a scan returns every entry once, page by page', async () => {
      const cache = await newCache();
      const entries = Array.from({ length: 25 }, (_, index) => ({ key: int(index), value: text(`v${index}`) }));
      await entriesOf(subject().grid).putAll(cache, entries);
      const scan = { kind: 'scan', cache, owner: 'ann', pageSize: 10, format: 'json', className: undefined } as const;
      let page = await readPage(await queries().execute(scan));
      const rows = [...page.rows];
      while (!page.last) {
        expect(await errorOf(() => fetchPage(page.id, 10, 'bob'))).toBe('QUERY_NOT_FOUND');
        page = await fetchPage(page.id, 10, 'ann');
        rows.push(...page.rows);
      }
      const keys = (rows as Array<{ readonly key: number }>).map(({ key }) => key);
      expect(keys.sort((left, right) => left - right)).toEqual(numbers(25, 0).flat());
    });

    test('a scan with an unknown class is rejected', async () => {
      const cache = await newCache();
      const scan = {
        kind: 'scan',
        cache,
        owner: '',
        pageSize: 10,
        format: 'json',
        className: 'no.such.Filter',
      } as const;
      await entriesOf(subject().grid).put(cache, int(1), int(1));
      expect(await errorOf(async () => readPage(await queries().execute(scan)))).toBe('CLASS_NOT_FOUND');
      const ofClass = { ...scan, className: 'java.lang.String' };
      expect(await errorOf(async () => readPage(await queries().execute(ofClass)))).toBe('CLASS_NOT_A_FILTER');
    });

    test('a condition on a type returns keys and values; an unknown type is rejected', async () => {
      const suffix = randomUuid().slice(0, 8);
      const { table } = await newTable(9, ` with "cache_name=C${suffix},value_type=V${suffix}"`);
      const query = {
        kind: 'type',
        cache: `C${suffix}`,
        owner: '',
        pageSize: 100,
        format: 'json',
        typeName: `V${suffix}`,
        sql: 'id > ? order by id',
        args: [int(6)],
      } as const;
      const { rows } = await readPage(await queries().execute(query));
      expect(rows).toMatchObject([{ key: 7 }, { key: 8 }, { key: 9 }]);
      const unknown = { ...query, typeName: 'NoSuchType' };
      expect(await errorOf(async () => readPage(await queries().execute(unknown)))).toBe('QUERY_TYPE_NOT_FOUND');
      expect(table).not.toBe('');
    });
  });
}
