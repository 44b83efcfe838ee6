import { describe, expect, test } from 'bun:test';
import { rowValues, SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import { type RowWriter, rowWriter, type ValueReader } from '../../../grid/row-writers.ts';
import type { Value } from '../../../values/value.ts';
import { bindArguments } from '../sql/arguments.ts';
import { FunctionRegister } from '../sql/native-function.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';
import { finishJsonRows, jsonQuery, readJsonRow, splitJsonRows } from './json-rows.ts';

function storeWithRows(): SqlStore {
  const store = new SqlStore();
  store.run(`CREATE TABLE T(id INT PRIMARY KEY, name VARCHAR, flag BOOLEAN, big BIGINT, tiny TINYINT, price DECIMAL(20, 4),
    rate DOUBLE, part REAL, born DATE, wakes TIME, seen TIMESTAMP, code UUID, bytes BINARY)`);
  store.run(`INSERT INTO T VALUES
    (1, 'plain', TRUE, 9223372036854775807, -128, 12.5000, 1.5, 0.1, DATE '2020-02-29', TIME '01:02:03',
      TIMESTAMP '2020-01-02 03:04:05.123456789', '123e4567-e89b-12d3-a456-426614174000', X'00ff'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 'q"uote \\ slash / ü €', FALSE, -9223372036854775808, 127, -0.0001, 1e300, 3.4e38, DATE '0001-01-01',
      TIME '23:59:59', TIMESTAMP '9999-12-31 23:59:59', '00000000-0000-0000-0000-000000000000', X'')`);
  const odd = ['\0\u0001\b\f\n\r\t\u001f\u007f\u2028\u{1f600}', '\ud800 alone', '', 'x'.repeat(5_000)];
  odd.forEach((text, at) => {
    store.run('INSERT INTO T(id, name) VALUES(?, ?)', [String(10 + at), text]);
  });
  return store;
}

const store = storeWithRows();

/** Returns a row as CSV, or the error: CSV has no lone surrogates. */
function writtenOrError(writer: RowWriter, read: ValueReader): string {
  try {
    return writer.write(read);
  } catch (error) {
    return String(error);
  }
}

/** Returns the rows of a query, each written by SQLite and by RowWriter. */
function bothWays(
  text: string,
  args: readonly string[] = [],
): { readonly json: string; readonly written: string; readonly csv: string; readonly query: PreparedQuery }[] {
  const query = store.prepare(text);
  if (query.kind !== 'query') throw new Error(`${text} is not a query`);
  const json = jsonQuery(query);
  if (json === undefined) throw new Error(`${text} is not written as JSON`);
  const register = new FunctionRegister(store.database, {
    environment: { nowMs: store.nowMs, user: 'SVC', schema: 'PUBLIC', random: () => 0.5, seed: () => {} },
    poll: () => {},
    replacedRows: 0,
    duplicates: undefined,
  });
  register.ensure(json.functions);
  const values = args.map((data): Value => ({ type: 'string', data }));
  const bindings = bindArguments(query, values, store.nowMs, undefined);
  const run = (sql: string): StorageValue[][] => {
    using statement = store.database.prepare(sql);
    return statement.values(...bindings.slice(0, statement.paramsCount)) as StorageValue[][];
  };
  const [writer, csvWriter] = [rowWriter('json', 'array', query.columns), rowWriter('csv', 'array', query.columns)];
  const written = run(query.sql).map((storageValues) => {
    const row = rowValues(query, storageValues);
    const read = (index: number): Value => row[index] ?? { type: 'null' };
    return { written: writer.write(read), csv: writtenOrError(csvWriter, read) };
  });
  const rows = run(json.sql).map(([storageValue]) => finishJsonRows(storageValue));
  expect(rows.length).toBe(written.length);
  const [[joined, count] = []] = run(json.joinedSql);
  const all = rows.length === 0 ? joined : finishJsonRows(joined);
  expect([all, count]).toEqual([rows.length === 0 ? null : rows.join(','), BigInt(rows.length)]);
  for (const format of ['objects', 'ndjson'] as const) {
    const objects = jsonQuery(query, false, format);
    // The names of some expressions have line breaks.
    expect(objects === undefined).toBe(query.columns.some(({ fieldName }) => fieldName.includes('\n')));
    if (objects === undefined) continue;
    register.ensure(objects.functions);
    const [[page] = []] = run(objects.joinedSql);
    const { header, separator, end, write } = rowWriter(format, 'array', query.columns);
    const writtenObjects = run(query.sql).map((storageValues) => {
      const row = rowValues(query, storageValues);
      return write((index) => row[index] ?? { type: 'null' });
    });
    const expected = header + writtenObjects.join(separator) + end(writtenObjects.length);
    expect(finishJsonRows(page ?? '')).toBe(expected);
    expect(objects.enclose(writtenObjects.join(separator))).toBe(expected);
  }
  return rows.map((row, at) => ({ json: row, ...(written[at] ?? { written: '', csv: '' }), query }));
}

const QUERIES = [
  'SELECT * FROM T ORDER BY id',
  'SELECT name, id FROM T ORDER BY name DESC, id',
  'SELECT id * 2, big, name || name, flag AND id > 1, price * 2, rate / 3, part FROM T ORDER BY 1 DESC',
  'SELECT COUNT(*), SUM(big), AVG(tiny), SUM(price), AVG(rate), MAX(name), MIN(seen) FROM T WHERE id < 10',
  'SELECT flag, COUNT(*) FROM T GROUP BY flag ORDER BY 2, 1',
  'SELECT DISTINCT tiny FROM T ORDER BY tiny NULLS LAST',
  'SELECT id FROM T UNION ALL SELECT big FROM T ORDER BY 1 LIMIT 5 OFFSET 1',
  'WITH w(a) AS (SELECT id FROM T WHERE id < 5) SELECT a, a + 1 FROM w ORDER BY a DESC',
  'SELECT a.id, b.name FROM T a LEFT JOIN T b ON b.id = a.id + 1 ORDER BY a.id DESC LIMIT 3',
  "SELECT 1, NULL, 'text', 1.50, 1E0, TRUE, DATE '2020-01-01', (1, 2, 'three')",
  'SELECT _KEY, _VAL FROM T ORDER BY id LIMIT 2',
  'SELECT (id, born, wakes, seen), (SELECT id, born FROM T WHERE id = 1) FROM T WHERE id < 4 ORDER BY id',
  "SELECT x, 'row ' || x FROM SYSTEM_RANGE(1, 300) ORDER BY x DESC",
];

test.each(QUERIES)('SQLite writes the rows of %s like RowWriter', (text) => {
  const rows = bothWays(text);
  expect(rows.length).toBeGreaterThan(0);
  for (const { json, written } of rows) expect(json).toBe(written);
});

test.each(QUERIES.filter((text) => !text.includes('_VAL')))('rows of %s can be converted to other formats', (text) => {
  for (const { json, csv, query } of bothWays(text)) {
    const read = readJsonRow(json, query.types);
    expect(rowWriter('json', 'array', query.columns).write(read)).toBe(json);
    expect(writtenOrError(rowWriter('csv', 'array', query.columns), read)).toBe(csv);
  }
});

test.each([
  "SELECT COALESCE(CAST(NULL AS VARCHAR), 'x') + 1, id FROM T WHERE id = 99",
  'SELECT id, MOD(COALESCE(CAST(NULL AS INT), 5), COALESCE(CAST(NULL AS INT), 0)) FROM T WHERE id = 99',
  'SELECT id, COALESCE(CAST(NULL AS INT), 2147483647) + COALESCE(CAST(NULL AS INT), 1) FROM T WHERE id = 99',
  "SELECT id, SQRT(COALESCE(CAST(NULL AS VARCHAR), 'x')) FROM T WHERE id = 99",
  "SELECT CAST(CASE WHEN 5 <= ? THEN '10' ELSE 'aaaa' END AS INT), id FROM T WHERE FALSE",
  "SELECT CAST(CASE WHEN ? > 5 THEN '10' ELSE 'aaaa' END AS BIGINT), id FROM T WHERE id = 99 ORDER BY 1",
  "SELECT CAST(CASE WHEN ? > 5 THEN '10' ELSE 'aaaa' END AS BOOLEAN), id FROM T LIMIT 0",
  "SELECT DISTINCT CASE WHEN ? > 5 THEN '10' ELSE 'aaaa' END + 1, id FROM T WHERE id = 99",
  'SELECT MOD(5, CAST(? AS INT) - 1), 2147483647 + CAST(?1 AS INT), id FROM T WHERE id = 99',
  'SELECT 5 / (CAST(? AS INT) - 1), a.id FROM T a JOIN T b ON a.id = b.id + 99',
  "SELECT CAST(CASE WHEN ? > 5 THEN '10' ELSE 'aaaa' END AS DATE), x FROM (SELECT id x FROM T WHERE id = 99) q",
  'SELECT id FROM T WHERE id = 99 UNION ALL SELECT 5 / (CAST(? AS INT) - 1) FROM T WHERE id = 99',
])('%s computes nothing without rows', (text) => {
  expect(bothWays(text, text.includes('?') ? ['1'] : [])).toEqual([]);
});

describe('a long text', () => {
  const long = new SqlStore();
  long.run('CREATE TABLE L(id INT PRIMARY KEY, v VARCHAR)');
  long.run("INSERT INTO L VALUES (1, REPEAT('a', 2000000)), (2, REPEAT(CHAR(1), 300000)), (3, REPEAT('a', 300000))");
  const reported: string[] = [];
  const register = new FunctionRegister(long.database, {
    environment: { nowMs: long.nowMs, user: 'SVC', schema: 'PUBLIC', random: () => 0.5, seed: () => {} },
    poll: () => {},
    beginLarge: () => void reported.push('large'),
    replacedRows: 0,
    duplicates: undefined,
  });

  /** Returns a row in JSON. */
  function written(text: string): string {
    const query = long.prepare(text);
    const json = query.kind === 'query' ? jsonQuery(query) : undefined;
    if (query.kind !== 'query' || json === undefined) throw new Error('the query is not written as JSON');
    register.ensure(json.functions);
    reported.length = 0;
    using statement = long.database.prepare<{ j: string }, Binding[]>(json.sql);
    const bindings = bindArguments(query, [], long.nowMs, undefined);
    return statement.get(...bindings.slice(0, statement.paramsCount))?.j ?? '';
  }

  test.each([
    ["SELECT REPEAT('a', 300000)", 'a'.repeat(300_000), []],
    ["SELECT REPEAT('a', 2000000)", 'a'.repeat(2_000_000), ['large']],
    ['SELECT v FROM L WHERE id = 1', 'a'.repeat(2_000_000), ['large']],
    ['SELECT v FROM L WHERE id = 2', '\\u0001'.repeat(300_000), []],
    ['SELECT v FROM L WHERE id = 3', 'a'.repeat(300_000), []],
  ] as const)('%s: whoever runs it knows before the text is written', (text, value, known) => {
    expect(written(text)).toBe(`["${value}"]`);
    expect(reported).toEqual([...known]);
  });
});

test('a row of more than 100 columns is not written by SQLite', () => {
  const query = store.prepare(`SELECT ${Array.from({ length: 101 }, (_, at) => at).join(', ')}`);
  expect(query.kind === 'query' && jsonQuery(query)).toBe(undefined);
});

test('joined rows are split', () => {
  const rows = ['[]', '[1,"],["]', '["\\\\","\\"[",[1,[2]]]', '[null]', '["é"]'];
  expect(splitJsonRows(rows.join(','))).toEqual(rows);
  expect(splitJsonRows('')).toEqual([]);
});
