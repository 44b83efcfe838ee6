import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import type { Decimal, FieldType, Value } from '../../../values/value.ts';
import { decodeDecimal, encodeDecimal } from './decimal-storage.ts';
import { decodeField, encodeField } from './field-storage.ts';
import { decodeTimestamp, encodeTimestamp } from './timestamp-storage.ts';
import {
  type Binding,
  decodeValue,
  encodeValue,
  FIRST_OBJECT_TYPE,
  type StorageValue,
  type TypeNames,
} from './value-storage.ts';

/** Creates a dictionary of type names in memory. */
function dictionary(): TypeNames {
  const names: string[] = [];
  return {
    idOf(name) {
      if (!names.includes(name)) names.push(name);
      return FIRST_OBJECT_TYPE + names.indexOf(name);
    },
    nameOf(id) {
      const name = names[id - FIRST_OBJECT_TYPE];
      if (name === undefined) throw new Error(`no type ${id}`);
      return name;
    },
  };
}

const store = new Database(':memory:', { strict: true, safeIntegers: true });
store.run('CREATE TABLE stored (id INTEGER PRIMARY KEY, c ANY) STRICT');

/** Writes the binding to SQLite and reads it back. */
function throughSqlite(binding: Binding): StorageValue {
  store.query('INSERT OR REPLACE INTO stored VALUES (1, ?)').run(binding);
  return (store.query('SELECT c FROM stored').get() as { c: StorageValue }).c;
}

const bytes = Uint8Array.of(0, 1, 255);
const VALUES: readonly Value[] = [
  { type: 'null' },
  { type: 'boolean', data: true },
  { type: 'boolean', data: false },
  { type: 'byte', data: -128 },
  { type: 'short', data: 5 },
  { type: 'integer', data: 5 },
  { type: 'integer', data: -2147483648 },
  { type: 'long', data: 5n },
  { type: 'long', data: -(2n ** 63n) },
  { type: 'long', data: 2n ** 63n - 1n },
  { type: 'float', data: 1.5 },
  ...[0, -0, 5, 0.1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 5e-324, 2 ** 53, 1e18].map(
    (data): Value => ({ type: 'double', data }),
  ),
  { type: 'char', data: 'x' },
  ...['', '5', 'NaN', '-0', 'é€😀', 'a\0b', '\ud800', 'x\udc00y', 'null'].map(
    (data): Value => ({ type: 'string', data }),
  ),
  { type: 'date', data: 18_000 },
  { type: 'date', data: -800_000 },
  { type: 'time', data: 86_399_999 },
  { type: 'timestamp', data: 0n },
  { type: 'timestamp', data: -1n },
  { type: 'timestamp', data: 253_402_300_799_123_456_789n },
  { type: 'timestamp', data: -62_135_596_800_000_000_001n },
  { type: 'instant', data: 1_600_000_000_123 },
  { type: 'uuid', data: '00000000-0000-0001-0000-00000000000a' },
  { type: 'gridUuid', data: 'a1-00000000-0000-0001-0000-00000000000a' },
  { type: 'decimal', data: { unscaled: 15n, scale: 1 } },
  { type: 'decimal', data: { unscaled: 150n, scale: 2 } },
  { type: 'decimal', data: { unscaled: -1n, scale: -3 } },
  { type: 'bigInteger', data: 5n },
  { type: 'bigInteger', data: -(10n ** 40n) },
  { type: 'bytes', data: bytes },
  { type: 'bytes', data: new Uint8Array(0) },
  { type: 'array', element: 'long', data: [{ type: 'long', data: 1n }] },
  { type: 'array', element: 'object', data: [] },
  { type: 'list', data: [{ type: 'integer', data: 5 }, { type: 'long', data: 5n }, { type: 'null' }] },
  ...(['hashSet', 'linkedHashSet', 'treeSet'] as const).map(
    (kind): Value => ({
      type: 'list',
      data: [
        { type: 'integer', data: 5 },
        { type: 'list', data: [], kind },
      ],
      kind,
    }),
  ),
  {
    type: 'map',
    data: [
      [
        { type: 'string', data: 'k' },
        { type: 'double', data: -0 },
      ],
    ],
  },
  {
    type: 'object',
    typeName: 'T',
    fields: [
      { name: 'a', value: { type: 'integer', data: 1 } },
      {
        name: 'b',
        value: { type: 'object', typeName: 'U', fields: [{ name: 'c', value: { type: 'bytes', data: bytes } }] },
      },
    ],
  },
  { type: 'object', typeName: 'T', fields: [] },
  { type: 'object', typeName: 'U', fields: [] },
  { type: 'enum', typeName: 'E', ordinal: 1, name: 'ONE' },
  { type: 'enum', typeName: 'E', ordinal: 1, name: undefined },
  { type: 'opaque', className: 'C', text: 'x' },
];

describe('a value', () => {
  const names = dictionary();

  test('is read from SQLite as it was written', () => {
    for (const value of VALUES) {
      const { type, storageValue } = encodeValue(value, names);
      expect(decodeValue(type, throughSqlite(storageValue), names)).toEqual(value);
      const nested: Value = { type: 'list', data: [value] };
      const outer = encodeValue(nested, names);
      expect(decodeValue(outer.type, throughSqlite(outer.storageValue), names)).toEqual(nested);
    }
  });

  test('is a key that only an equal value finds', () => {
    const db = new Database(':memory:', { strict: true, safeIntegers: true });
    db.run(
      'CREATE TABLE e (kt INTEGER NOT NULL, k ANY NOT NULL, n INTEGER, PRIMARY KEY (k, kt)) STRICT, WITHOUT ROWID',
    );
    const keys = VALUES.filter((value) => value.type !== 'null');
    keys.forEach((value, n) => {
      const { type, storageValue } = encodeValue(value, names);
      db.query('INSERT INTO e VALUES (?, ?, ?)').run(type, storageValue, n);
    });
    keys.forEach((value, n) => {
      const { type, storageValue } = encodeValue(structuredClone(value), names);
      expect(db.query('SELECT n FROM e WHERE kt = ? AND k = ?').values(type, storageValue)).toEqual([[BigInt(n)]]);
    });
  });
});

describe('an encoded decimal', () => {
  const decimals: Decimal[] = [];
  for (const unscaled of [
    0n,
    1n,
    9n,
    10n,
    15n,
    150n,
    151n,
    1500n,
    15001n,
    99n,
    100n,
    123456789012345678901234567890n,
  ]) {
    for (const scale of [-400, -40, -3, 0, 1, 2, 10, 40, 400]) {
      decimals.push({ unscaled, scale }, { unscaled: -unscaled, scale });
    }
  }
  const align = ({ unscaled, scale }: Decimal) => unscaled * 10n ** BigInt(400 - scale);
  const sign = (number: bigint | number) => (number < 0 ? -1 : number > 0 ? 1 : 0);

  test('is decoded with its scale', () => {
    for (const decimal of decimals) {
      const expected = decimal.unscaled === 0n ? { unscaled: 0n, scale: Math.max(0, decimal.scale) } : decimal;
      expect(decodeDecimal(encodeDecimal(decimal))).toEqual(expected);
    }
  });

  test('sorts like the number when trailing zeros are removed', () => {
    const key = (decimal: Decimal) => encodeDecimal(decimal).replace(/0+$/, '');
    for (const a of decimals) {
      for (const b of decimals) {
        const expected = sign(align(a) - align(b));
        expect(Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b)))).toBe(expected);
        if (expected !== 0)
          expect(Buffer.compare(Buffer.from(encodeDecimal(a)), Buffer.from(encodeDecimal(b)))).toBe(expected);
      }
    }
  });
});

describe('an encoded timestamp', () => {
  const SECOND = 1_000_000_000n;
  const times = [
    -62_200_000_000n,
    -62_135_596_800n,
    -1n,
    0n,
    1n,
    951_782_400n,
    253_402_300_799n,
    253_402_300_800n,
    9_999_999_999_999n,
  ];
  const all = times.flatMap((seconds) =>
    [0n, 1n, 100_000_000n, 120_000_000n, 999_999_999n].map((ns) => seconds * SECOND + ns),
  );

  test('sorts chronologically and is decoded exactly', () => {
    for (const a of all) {
      expect(decodeTimestamp(encodeTimestamp(a))).toBe(a);
      for (const b of all) expect(encodeTimestamp(a) < encodeTimestamp(b)).toBe(a < b);
    }
  });

  test('is a readable timestamp', () => {
    expect(encodeTimestamp(0n)).toBe('1970-01-01 00:00:00');
    expect(encodeTimestamp(951_782_400n * SECOND + 120_000_000n)).toBe('2000-02-29 00:00:00.12');
  });
});

describe('a field', () => {
  test('is read from SQLite as it was written', () => {
    for (const value of VALUES) {
      const any: FieldType = { kind: 'any' };
      expect(decodeField(any, throughSqlite(encodeField(any, value)))).toEqual(value);
      const { type } = value;
      if (type === 'null' || type === 'array' || type === 'list' || type === 'map' || type === 'object') continue;
      if (type === 'enum' || type === 'opaque') continue;
      const field: FieldType = { kind: 'scalar', type };
      expect(decodeField(field, throughSqlite(encodeField(field, value)))).toEqual(value);
    }
  });

  test('is NULL for null', () => {
    expect(encodeField({ kind: 'scalar', type: 'integer' }, { type: 'null' })).toBeNull();
    expect(decodeField({ kind: 'scalar', type: 'integer' }, null)).toEqual({ type: 'null' });
  });

  test('rejects a value that was not coerced', () => {
    expect(() => encodeField({ kind: 'scalar', type: 'integer' }, { type: 'string', data: '5' })).toThrow(
      'cannot be stored',
    );
  });
});
