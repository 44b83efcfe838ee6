import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../../base/clock.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import { DATA_DATABASE } from './databases.ts';
import {
  decodeKeys,
  deleteExpiredRecords,
  encodeKeys,
  findRecordAfter,
  idsAt,
  insertRecords,
  type KeyedRecord,
  lastPosition,
  readRecord,
  recordOf,
  rowsAfter,
} from './idempotency-records.ts';
import { migrateRegionFile } from './schema.ts';
import { createSharedMemory, SharedState } from './shared-state.ts';
import { WriteConnection } from './write-connections.ts';

const key = (id: string, tenant = 'user ann', answer: string | null = 'true'): KeyedRecord => ({
  id,
  fingerprint: `f-${id}`,
  tenant,
  answer,
});

function open(): WriteConnection {
  const database = new Database(':memory:', { strict: true, safeIntegers: true });
  migrateRegionFile(database);
  return new WriteConnection(database, DATA_DATABASE, '', new SharedState(createSharedMemory(1, 1), 0, systemClock));
}

describe('rows of idempotency keys', () => {
  test('have any texts of tenants and answers', () => {
    const keys = [
      key('a'),
      key('b', 'user ann', null),
      key('c', 'user "bob"\n', ''),
      key('d', 'user "bob"\n', '{"é":"\u{1f600}"}'),
      key('e', 'user ann', 'false'),
    ];
    expect(decodeKeys(encodeKeys(keys))).toEqual(keys);
    expect(decodeKeys(encodeKeys([]))).toEqual([]);
  });

  test('are found by position and by id', () => {
    const connection = open();
    const first = insertRecords(connection, [key('a'), key('b', 'user bob', 'x')], 100);
    const sent: IdempotencyKey = { id: 'c', fingerprint: 'f-c', tenant: 'user eve', expiresAtMs: 200 };
    insertRecords(connection, [recordOf(sent, null)], sent.expiresAtMs);
    expect(readRecord(connection, first, 'b')).toEqual({ ...key('b', 'user bob', 'x'), exp: 100 });
    expect(readRecord(connection, first, 'c')).toBeUndefined();
    expect([idsAt(connection, first, 99), idsAt(connection, first, 100)]).toEqual([['a', 'b'], []]);
    expect(findRecordAfter(connection, first, sent)).toEqual({ ...key('c', 'user eve', null), exp: 200 });
    expect(findRecordAfter(connection, first, { ...sent, id: 'a' })).toBeUndefined();
    // A part of a row's text that is not an id.
    expect(findRecordAfter(connection, 0, { ...sent, id: 'user bob' })).toBeUndefined();
    connection.close();
  });

  test('are read and removed in slices of about as many keys as asked for', () => {
    const connection = open();
    const ids = (rows: ReadonlyArray<{ readonly keys: readonly KeyedRecord[] }>) =>
      rows.flatMap(({ keys }) => keys.map(({ id }) => id)).join('');
    for (const [row, exp] of [
      ['abc', 10],
      ['d', 10],
      ['ef', 20],
      ['gh', 30],
    ] as const) {
      insertRecords(
        connection,
        [...row].map((id) => key(id)),
        exp,
      );
    }
    expect([2, 3, 4, 9].map((keys) => ids(rowsAfter(connection, 0, keys)))).toEqual(['abc', 'abc', 'abcd', 'abcdefgh']);
    expect(ids(rowsAfter(connection, 3, 9))).toBe('gh');
    expect(ids(deleteExpiredRecords(connection, 9, 9))).toBe('');
    expect(ids(deleteExpiredRecords(connection, 1, 20))).toBe('abc');
    expect(ids(deleteExpiredRecords(connection, 9, 20))).toBe('def');
    // The last row stays, so that its position is not used again.
    expect(ids(deleteExpiredRecords(connection, 9, 99))).toBe('');
    expect(lastPosition(connection)).toBe(4);
    connection.close();
  });
});
