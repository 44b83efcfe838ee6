import { describe, expect, test } from 'bun:test';
import { GridError } from '../../../base/errors.ts';
import { isTemporary, NodeError, toGridError } from '../protocol/status.ts';
import { queryError } from './query-failures.ts';

const INACTIVE =
  'Can not perform the operation because the cluster is inactive. Note, that the cluster is considered inactive by default';

/** Status and message of a node, and the error that they become. */
const failures: ReadonlyArray<readonly [number, string, string, string]> = [
  [1000, 'Cache does not exist [cacheId= 1]', 'CACHE_NOT_FOUND', 'Failed to find cache for given cache name: c'],
  [1, INACTIVE, 'INACTIVE', 'Can not perform'],
  [
    1,
    'Failed to perform cache operation (cluster is in read-only mode) [cacheGrp=null, cache=c]',
    'READ_ONLY',
    'Failed to perform cache operation (cluster is in read-only mode) [cacheGrp=null, cache=c]',
  ],
  [1012, 'Security violation', 'PERMISSION_DENIED', 'Authorization failed'],
  [1, 'Out of memory in data region [name=default, initSize=1, maxSize=2.0 MiB, x]', 'REGION_FULL', 'name=default'],
  [1, "Null value is not allowed for column 'NAME'", 'VALUE_REJECTED', "column 'NAME'"],
  [1, "Value for a column 'A' is too long. Maximum length: 1, actual length: 2", 'VALUE_REJECTED', 'too long'],
  [1, "Value for a column 'A' is out of range. Maximum scale : 1, actual scale: 2", 'VALUE_REJECTED', 'out of range'],
  [1, 'class org.apache.ignite.IgniteCheckedException: Something broke', 'OPERATION_FAILED', 'Something broke'],
];

describe('errors of operations', () => {
  test.each(failures)('%p %p becomes %p', (status, message, code, text) => {
    const error = toGridError(new NodeError(status, message), { cache: 'c' });
    expect(error).toBeInstanceOf(GridError);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(text);
  });
  test('any other error is unchanged', () => {
    const other = new RangeError('x');
    expect(toGridError(other, {})).toBe(other);
  });
});

const statements: ReadonlyArray<readonly [number, string, string, string]> = [
  [1, '42000: Failed to parse query. Syntax error in SQL statement "X" [42001-197]', 'SQL', 'Syntax error'],
  [1001, 'Failed to parse query. Table "T" not found; x [42102-197]', 'SQL_OBJECT_NOT_FOUND', 'Table "T" not found'],
  [1, '50000: Table already exists: T', 'SQL_CONFLICT', 'Table already exists: T'],
  [
    1,
    '23000: Failed to INSERT some keys because they are already in cache [keys=[1]]',
    'SQL_CONFLICT',
    'Failed to INSERT',
  ],
  // H2's code decides, whatever values the text quotes.
  [1, 'Data conversion error converting "not found"; SQL statement: x [22018-197]', 'SQL', 'Data conversion'],
  [1, 'Column "ALREADY EXISTS" not found; x [42122-197]', 'SQL_OBJECT_NOT_FOUND', 'Column'],
  [1, 'Duplicate column name "NOT FOUND"; x [42121-197]', 'SQL_CONFLICT', 'Duplicate column'],
  // The status decides, whatever the node's text says.
  [3001, 'Tabelle T unbekannt', 'SQL_OBJECT_NOT_FOUND', 'Tabelle T unbekannt'],
  [3005, 'I', 'SQL_CONFLICT', 'I'],
  [3006, 'I', 'SQL_OBJECT_NOT_FOUND', 'I'],
  [3007, 'T', 'SQL_CONFLICT', 'T'],
  [3008, 'C', 'SQL_OBJECT_NOT_FOUND', 'C'],
  [3009, 'C', 'SQL_CONFLICT', 'C'],
  [4001, 'K', 'SQL_CONFLICT', 'K'],
  [4002, 'K', 'SQL_CONFLICT', 'K'],
  [4006, 'x', 'QUERY_CACHE_NOT_FOUND', 'Failed to find cache with name: c'],
  [3014, 'The query was cancelled while executing.', 'QUERY_CANCELLED', 'the cluster ended it'],
  [1, 'Failed to find SQL table for type: T', 'QUERY_TYPE_NOT_FOUND', 'type: t'],
  [1, 'Failed to load the class: X', 'CLASS_NOT_FOUND', 'Failed to find target class: k'],
  [1, INACTIVE, 'INACTIVE', 'inactive'],
  [1000, 'Cache does not exist', 'QUERY_CACHE_NOT_FOUND', 'Failed to find cache with name: c'],
];

test.each(statements)('a statement that fails with %p %p throws %p', (status, message, code, text) => {
  const error = queryError(new NodeError(status, message), { cache: 'c', typeName: 't', className: 'k' });
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain(text);
  expect(String(error)).not.toContain('Failed to parse query');
});

const ENTRIES = 'Not supported by this engine: the table "cache".ENTRIES';
test.each([
  ['SELECT * FROM "people".ENTRIES', 'Schema "people" not found; x [90079-197]', ENTRIES],
  ['SELECT _val ->> 1 FROM "people".ENTRIES', 'Syntax error in SQL statement; x [42000-197]', ENTRIES],
  [
    'CREATE INDEX i ON "people".ENTRIES (JSON_VALUE(_val, \'$.a\'))',
    'Schema "people" not found; x [90079-197]',
    ENTRIES,
  ],
  ['SELECT JSON_VALUE(_val, \'$.a\') FROM "people".ENTRIES', 'Function "JSON_VALUE" not found; x [90022-197]', ENTRIES],
  ['DELETE FROM "people".ENTRIES', 'Table "ENTRIES" not found; x [42102-197]', ENTRIES],
  ['SELECT * FROM ENTRIES', 'Table "ENTRIES" not found; x [42102-197]', 'Table "ENTRIES" not found'],
  ['SELECT * FROM "people".ENTRIES', 'Column "V" not found; x [42122-197]', 'Column "V" not found'],
])('%s fails with %p on a node and answers %p', (sql, message, text) => {
  expect(String(queryError(new NodeError(1, message), { cache: 'c', sql }))).toContain(text);
});

const DUPLICATE = 'Failed to INSERT some keys because they are already in cache [keys=[1]]';
const COUNT = 'Column count does not match [21002-197]';
test.each([
  ['INSERT INTO p VALUES (1)', DUPLICATE, `${DUPLICATE} (key of P)`],
  ['INSERT INTO p SELECT 1', DUPLICATE, `${DUPLICATE} (key of P)`],
  ['INSERT INTO p VALUES (1, 2)', COUNT, `${COUNT} (2 values for the columns of P)`],
  ['INSERT INTO p(id, name) VALUES (1, 2), (3)', COUNT, `${COUNT} (1 value for 2 columns: ID, NAME)`],
  ['MERGE INTO p(id) VALUES (1, 2)', COUNT, `${COUNT} (2 values for 1 column: ID)`],
  ['INSERT INTO p(id) SELECT 1, 2', COUNT, COUNT],
  ['no statement', DUPLICATE, DUPLICATE],
  ['SELECT 1', COUNT, COUNT],
])('%s that fails with %p says what the node leaves out', (sql, message, text) => {
  const error = queryError(new NodeError(1, message), { cache: 'c', sql });
  expect(error instanceof Error && error.message).toBe(text);
});

const temporary: ReadonlyArray<readonly [string, boolean]> = [
  ['Failed to update keys (retry update if possible).: [1]', true],
  ['class org.apache.ignite.cluster.ClusterTopologyException: Remote node has left topology: x', true],
  ['Failed to perform cache operation (node is stopping): c', true],
  ['Failed to handle request (received request while stopping grid).', true],
  ['Getting affinity for too old topology version that is already out of history (try to increase x) [y]', true],
  ['Ouch! Argument cannot be null: val', false],
  ['Table "LEFT" not found', false],
];
test.each(temporary)('%p is temporary: %p', (message, passes) =>
  expect(isTemporary(new NodeError(1, message))).toBe(passes),
);
