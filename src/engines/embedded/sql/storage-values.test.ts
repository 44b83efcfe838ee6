import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { compareData } from '../../../sql/types/compare.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import { fieldOfSqlType, sqlTypeOfField, typeOfValue } from '../../../sql/types/sql-values.ts';
import type { Value } from '../../../values/value.ts';
import { decodeField, encodeField } from '../storage/field-storage.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';
import { comparisonKeyOf, dataOf, decode, decodeValueAs, encode } from './storage-values.ts';

const database = new Database(':memory:', { strict: true, safeIntegers: true });

/** Returns the storage value that SQLite reads for a binding. */
function stored(binding: Binding): StorageValue {
  return (database.query('SELECT ?1 AS c').get(binding) as { c: StorageValue }).c;
}

/** Data of each type, in ascending order. */
const ORDERED: ReadonlyArray<readonly [SqlType, readonly SqlData[]]> = [
  [{ name: 'BOOLEAN' }, [false, true]],
  [{ name: 'TINYINT' }, [-128n, 0n, 127n]],
  [{ name: 'BIGINT' }, [-(2n ** 63n), -1n, 0n, 5n, 2n ** 53n + 1n, 2n ** 63n - 1n]],
  [
    { name: 'DOUBLE' },
    [Number.NEGATIVE_INFINITY, -1e300, -1, 0, 5e-324, 0.1, 5, 1e18, 1e300, Number.POSITIVE_INFINITY, Number.NaN],
  ],
  [{ name: 'DECIMAL' }, [-1000n, -15n, -1n, 0n, 1n, 14n, 15n, 150n].map((unscaled) => ({ unscaled, scale: 1 }))],
  [{ name: 'VARCHAR' }, ['', 'A', 'AB', 'a', 'ab', 'z', 'é', '€']],
  [{ name: 'DATE' }, [-800_000, -1, 0, 18_262]],
  [{ name: 'TIME' }, [0, 1, 86_399_999]],
  [
    { name: 'TIMESTAMP' },
    [-62_135_596_800_000_000_000n, -1n, 0n, 1n, 999_999_999n, 1_000_000_000n, 253_402_300_799_999_999_999n],
  ],
  [{ name: 'UUID' }, ['00000000-0000-0000-0000-000000000001', '10000000-0000-0000-0000-000000000000']],
  [{ name: 'BINARY' }, [new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(1), Uint8Array.of(255)]],
];

for (const [type, data] of ORDERED) {
  describe(`${type.name} in SQLite`, () => {
    test('is read as it was written', () => {
      for (const each of data) expect(decode(type, stored(encode(type, each)))).toEqual(each);
      expect(decode(type, stored(encode(type, null)))).toBeNull();
    });

    test('compares like its data', () => {
      const less = database.query('SELECT ?1 < ?2 AS less, ?1 = ?2 AS same');
      for (const a of data) {
        for (const b of data) {
          const order = compareData(a, b, type);
          const keys = [comparisonKeyOf(type, encode(type, a)), comparisonKeyOf(type, encode(type, b))];
          expect(less.get(...keys)).toEqual({ less: order < 0 ? 1n : 0n, same: order === 0 ? 1n : 0n });
        }
      }
    });

    test('is stored like the field of the column', () => {
      const field = fieldOfSqlType(type);
      expect(sqlTypeOfField(field).name).toBe(type.name);
      for (const each of data) {
        const storageValue = encode(type, each);
        const value = decodeValueAs(type, stored(storageValue));
        expect(stored(encodeField(field, value))).toEqual(stored(storageValue));
        expect(decodeField(field, stored(storageValue))).toEqual(value);
      }
    });
  });
}

describe('arguments', () => {
  const values: ReadonlyArray<readonly [Value, SqlType['name'], SqlData]> = [
    [{ type: 'integer', data: 5 }, 'INTEGER', 5n],
    [{ type: 'instant', data: 1 }, 'TIMESTAMP', 1_000_000n],
    [{ type: 'bigInteger', data: 5n }, 'DECIMAL', { unscaled: 5n, scale: 0 }],
    [{ type: 'list', data: [{ type: 'integer', data: 5 }] }, 'ARRAY', [5n]],
    [{ type: 'null' }, 'NULL', null],
  ];
  for (const [value, name, data] of values) {
    test(`a ${value.type} becomes a ${name}`, () => {
      expect(typeOfValue(value).name).toBe(name);
      expect(dataOf(value)).toEqual(data);
    });
  }
});

test('an array of any data is read as it was written', () => {
  const type: SqlType = { name: 'ARRAY' };
  const data: SqlData = [1n, 'x', null, true, { unscaled: 15n, scale: 1 }, [2n]];
  expect(decode(type, stored(encode(type, data)))).toEqual(data);
});
