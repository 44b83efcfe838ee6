import { expect, test } from 'bun:test';
import { convert, textOf } from '../types/convert.ts';
import type { SqlAggregate, SqlData, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { javaClassOf } from '../types/type-order.ts';
import { AGGREGATES } from './functions.ts';

function find(name: string): SqlAggregate {
  const found = AGGREGATES.get(name);
  if (found === undefined) throw new Error(`no aggregate ${name}`);
  return found;
}

/** Aggregates the texts after parsing them as the type; `null` is NULL. */
function aggregate(name: string, type: SqlType, texts: readonly (string | null)[]): string | null {
  const found = find(name);
  const state = found.start([type]);
  for (const text of texts) {
    const data = convert(text, { name: 'VARCHAR' }, type);
    if (data !== null || found.seesNulls === true) state.step([data]);
  }
  const result = state.finish();
  return result === null ? null : textOf(result, found.result([type]));
}

/** Columns of the table, and expressions over it, whose aggregates were recorded from an Ignite node. */
const WHOLE = ['100', '201', null, '404'];
const SMALL = ['1', '2', null, '4'];
const CASES: ReadonlyArray<readonly [string, SqlTypeName, ReadonlyArray<string | null>, string | null, string]> = [
  ['COUNT', 'INTEGER', WHOLE, '3', 'java.lang.Long'],
  ['SUM', 'BOOLEAN', ['true', 'false', null, 'true'], '2', 'java.lang.Long'],
  ['SUM', 'TINYINT', SMALL, '7', 'java.lang.Long'],
  ['SUM', 'TINYINT', ['100', '100'], '200', 'java.lang.Long'],
  ['SUM', 'INTEGER', WHOLE, '705', 'java.lang.Long'],
  ['SUM', 'BIGINT', ['9223372036854775807', '1'], '9223372036854775808', 'java.math.BigDecimal'],
  ['SUM', 'REAL', ['1.5', '2.5', null, '4.5'], '8.5', 'java.lang.Double'],
  ['SUM', 'DOUBLE', ['2.5', '3.25', '5.5'], '11.25', 'java.lang.Double'],
  ['SUM', 'DECIMAL', ['10.25', '20.50', '40.99'], '71.74', 'java.math.BigDecimal'],
  ['SUM', 'INTEGER', [null], null, 'java.lang.Long'],
  ['AVG', 'TINYINT', SMALL, '2', 'java.lang.Byte'],
  ['AVG', 'TINYINT', ['100', '100'], '100', 'java.lang.Byte'],
  ['AVG', 'SMALLINT', ['10', '20', '40'], '23', 'java.lang.Short'],
  ['AVG', 'INTEGER', ['100', '201'], '150', 'java.lang.Integer'],
  ['AVG', 'INTEGER', ['-100', '-201'], '-150', 'java.lang.Integer'],
  ['AVG', 'BIGINT', ['9223372036854775807', '1'], '4611686018427387904', 'java.lang.Long'],
  ['AVG', 'REAL', ['1.5', '2.5', '4.5'], '2.8333333', 'java.lang.Float'],
  ['AVG', 'DOUBLE', ['2.5', '3.25', '5.5'], '3.75', 'java.lang.Double'],
  ['AVG', 'DECIMAL', ['1', '2', '2'], '1.6666666666666666666666667', 'java.math.BigDecimal'],
  ['AVG', 'INTEGER', [], null, 'java.lang.Integer'],
  ['MIN', 'VARCHAR', ['a', 'B', null, 'c'], 'B', 'java.lang.String'],
  ['MAX', 'VARCHAR', ['a', 'B', null, 'c'], 'c', 'java.lang.String'],
  ['MIN', 'BOOLEAN', ['true', 'false'], 'FALSE', 'java.lang.Boolean'],
  ['MAX', 'TIMESTAMP', ['2020-01-01', '2020-01-04 10:00:00'], '2020-01-04 10:00:00', 'java.sql.Timestamp'],
  ['MAX', 'BINARY', ['01', '04', '02'], '04', '[B'],
  ['MIN', 'DATE', [], null, 'java.sql.Date'],
  ['GROUP_CONCAT', 'VARCHAR', ['a', 'B', null, 'c'], 'a,B,c', 'java.lang.String'],
  ['STRING_AGG', 'BOOLEAN', ['true', 'false'], 'TRUE,FALSE', 'java.lang.String'],
  ['GROUP_CONCAT', 'VARCHAR', [], null, 'java.lang.String'],
  ['ARRAY_AGG', 'INTEGER', WHOLE, '(100, 201, 404)', 'java.sql.Array'],
  ['ARRAY_AGG', 'INTEGER', [null], null, 'java.sql.Array'],
  ['BOOL_AND', 'BOOLEAN', ['true', 'false', null], 'FALSE', 'java.lang.Boolean'],
  ['EVERY', 'INTEGER', WHOLE, 'TRUE', 'java.lang.Boolean'],
  ['BOOL_OR', 'BOOLEAN', ['false', 'true'], 'TRUE', 'java.lang.Boolean'],
  ['SOME', 'BOOLEAN', [null], null, 'java.lang.Boolean'],
  ['BIT_AND', 'INTEGER', WHOLE, '0', 'java.lang.Integer'],
  ['BIT_OR', 'INTEGER', WHOLE, '509', 'java.lang.Integer'],
  ['BIT_OR', 'SMALLINT', ['10', '20', '40'], '62', 'java.lang.Short'],
  ['BIT_AND', 'DOUBLE', ['2.5', '3.25', '5.5'], '2.0', 'java.lang.Double'],
  ['STDDEV_POP', 'INTEGER', WHOLE, '126.41466159693134', 'java.lang.Double'],
  ['STDDEV_SAMP', 'INTEGER', WHOLE, '154.82570845954493', 'java.lang.Double'],
  ['STDDEV', 'REAL', ['1.5', '2.5', '4.5'], '1.5275252316519465', 'java.lang.Double'],
  ['VAR_POP', 'INTEGER', WHOLE, '15980.666666666666', 'java.lang.Double'],
  ['VARIANCE', 'INTEGER', WHOLE, '23971.0', 'java.lang.Double'],
  ['VARP', 'DECIMAL', ['10.25', '20.50', '40.99'], '163.3166888888889', 'java.lang.Double'],
  ['STDDEV_POP', 'INTEGER', ['100'], '0.0', 'java.lang.Double'],
  ['STDDEV_SAMP', 'INTEGER', ['100'], null, 'java.lang.Double'],
  ['VAR_SAMP', 'INTEGER', [], null, 'java.lang.Double'],
  ['MEDIAN', 'INTEGER', WHOLE, '201', 'java.lang.Integer'],
  ['MEDIAN', 'INTEGER', ['100', '201'], '150', 'java.lang.Integer'],
  ['MEDIAN', 'TINYINT', ['1', '2'], '1', 'java.lang.Byte'],
  ['MEDIAN', 'DECIMAL', ['20.50', '10.25'], '15.375', 'java.math.BigDecimal'],
  ['MEDIAN', 'DOUBLE', ['2.5', '3.25'], '2.875', 'java.lang.Double'],
  ['MEDIAN', 'VARCHAR', ['a', 'B'], 'B', 'java.lang.String'],
  ['MEDIAN', 'DATE', ['2020-01-01', '2020-01-02'], '2020-01-01', 'java.sql.Date'],
  ['MEDIAN', 'TIME', ['10:00:00', '11:00:00'], '10:30:00', 'java.sql.Time'],
  ['MEDIAN', 'TIMESTAMP', ['2020-01-01 10:00:00', '2020-01-02 10:00:00'], '2020-01-01 22:00:00', 'java.sql.Timestamp'],
  ['MEDIAN', 'BOOLEAN', ['true', 'false', 'true'], 'TRUE', 'java.lang.Boolean'],
  ['SELECTIVITY', 'INTEGER', WHOLE, '100', 'java.lang.Integer'],
  ['SELECTIVITY', 'BOOLEAN', ['true', 'false', 'true', 'false'], '50', 'java.lang.Integer'],
  ['SELECTIVITY', 'INTEGER', [], '0', 'java.lang.Integer'],
];

test.each(CASES)('%s of %s %p is %p of class %s', (name, type, texts, result, className) => {
  expect(aggregate(name, { name: type }, texts)).toBe(result);
  expect(javaClassOf(find(name).result([{ name: type }]))).toBe(className);
});

test('the average of a DECIMAL with a scale has that scale', () => {
  expect(aggregate('AVG', { name: 'DECIMAL', precision: 10, scale: 2 }, ['10.25', '20.50'])).toBe('15.38');
});

test('GROUP_CONCAT uses the separator of each row; NULL means no separator', () => {
  const joined = (separators: readonly SqlData[]): SqlData => {
    const state = find('GROUP_CONCAT').start([{ name: 'INTEGER' }, { name: 'VARCHAR' }]);
    separators.forEach((separator, at) => {
      state.step([BigInt(at), separator]);
    });
    return state.finish();
  };
  expect(joined(['-', '-', '-'])).toBe('0-1-2');
  expect(joined(['a', 'b', 'c'])).toBe('0b1c2');
  expect(joined([null, null])).toBe('01');
});

test.each(['VARCHAR', 'DATE', 'TIME', 'TIMESTAMP', 'UUID', 'BINARY'] as const)('%s cannot be summed', (name) => {
  for (const sum of ['SUM', 'AVG', 'BIT_AND']) {
    expect(() => find(sum).result([{ name }])).toThrow(`SUM or AVG on wrong data type for "${sum}"`);
  }
});

test('only aggregates that SQLite computes exactly are emitted', () => {
  const emitted = (name: string, type: SqlTypeName, distinct = false): string | undefined =>
    find(name).emit?.(['f1'], [{ name: type }], distinct);
  expect(find('COUNT').emit?.([], [], false)).toBe('count(*)');
  expect(emitted('COUNT', 'VARCHAR', true)).toBe('count(DISTINCT f1)');
  expect(emitted('COUNT', 'DECIMAL', true)).toBeUndefined();
  expect(emitted('SUM', 'INTEGER')).toBe('sum(f1)');
  expect(emitted('SUM', 'BIGINT')).toBeUndefined();
  expect(emitted('SUM', 'DOUBLE')).toBeUndefined();
  expect(emitted('AVG', 'SMALLINT')).toBe('(sum(f1) / count(f1))');
  expect(emitted('MIN', 'TIMESTAMP')).toBe('min(f1)');
  expect(emitted('BOOL_AND', 'BOOLEAN')).toBe('min(f1)');
});
