import { describe, expect, test } from 'bun:test';
import type { Value } from '../../../values/value.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import type { BinaryContext } from './context.ts';
import { decodeValue, decodeWhole } from './decoder.ts';
import { encodeValue } from './encoder.ts';
import { hashOfLowerCase, schemaIdOf } from './java-hash.ts';
import { timeZoneNamed, UTC_ZONE } from './node-time-zone.ts';
import { type BinaryType, BinaryTypes } from './type-metadata.ts';

function typeOf(name: string, fields: ReadonlyArray<readonly [string, number]>, enumNames: string[] = []): BinaryType {
  const ids = fields.map(([field]) => hashOfLowerCase(field));
  return {
    typeId: hashOfLowerCase(name),
    name,
    affinityField: undefined,
    fields: fields.map(([field, typeCode], index) => ({ name: field, typeCode, id: ids[index] ?? 0 })),
    isEnum: enumNames.length > 0,
    enumNames: new Map(enumNames.map((each, ordinal) => [ordinal, each])),
    schemas: new Map([[schemaIdOf(ids), ids]]),
  };
}

const KNOWN = [
  typeOf('RefNode$Person', [
    ['id', 3],
    ['name', 9],
    ['salary', 6],
  ]),
  typeOf('Empty', []),
  typeOf('Colour', [], ['RED', 'GREEN']),
  typeOf('Holder', [['inner', 103]]),
];

async function contextOf(zone = UTC_ZONE): Promise<BinaryContext> {
  const types = new BinaryTypes({
    fetchType: (typeId) => Promise.resolve(KNOWN.find((each) => each.typeId === typeId)),
    storeType: () => Promise.resolve(),
  });
  for (const type of KNOWN) await types.fetch(type.typeId);
  return { types, zone };
}

const context = await contextOf();

function hexOf(value: Value, zone = UTC_ZONE): string {
  const writer = new ByteWriter();
  encodeValue(writer, value, { types: context.types, zone });
  return writer.view().toString('hex');
}

function readValue(hex: string, zone = UTC_ZONE): Value {
  const reader = new ByteReader(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const value = decodeValue(reader, { types: context.types, zone });
  expect(reader.remaining).toBe(0);
  return value;
}

const uuid = '123e4567-e89b-12d3-a456-426614174000';
const uuidHex = 'd3129be867453e1200401714664256a4';

describe('values are encoded as by a node', () => {
  const cases: ReadonlyArray<readonly [string, Value, string]> = [
    ['null is one byte', { type: 'null' }, '65'],
    ['true', { type: 'boolean', data: true }, '0801'],
    ['a negative byte', { type: 'byte', data: -2 }, '01fe'],
    ['a short', { type: 'short', data: -2 }, '02feff'],
    ['an integer', { type: 'integer', data: 77 }, '034d000000'],
    ['a long beyond a double', { type: 'long', data: 9007199254740993n }, '040100000000002000'],
    ['a float', { type: 'float', data: 1.5 }, '050000c03f'],
    ['a double', { type: 'double', data: -0 }, '060000000000000080'],
    ['a character', { type: 'char', data: 'c' }, '076300'],
    ['a string', { type: 'string', data: 'aé' }, '090300000061c3a9'],
    ['an empty string', { type: 'string', data: '' }, '0900000000'],
    ['a date is a serialized java.sql.Date', { type: 'date', data: 17533 }, 'fe0f000000663aded540976600ec2ab460010000'],
    ['a time', { type: 'time', data: 36672000 }, '2400922f0200000000'],
    ['a timestamp', { type: 'timestamp', data: 1518915723123456789n }, '21739f6ea66101000055f80600'],
    ['a timestamp before 1970', { type: 'timestamp', data: -1n }, '21ffffffffffffffff3f420f00'],
    ['a java.util.Date', { type: 'instant', data: 1514862245000 }, '0b8874d3b460010000'],
    ['a uuid', { type: 'uuid', data: uuid }, `0a${uuidHex}`],
    ['a decimal', { type: 'decimal', data: { unscaled: 150n, scale: 2 } }, '1e02000000020000000096'],
    ['a negative decimal', { type: 'decimal', data: { unscaled: -128n, scale: 0 } }, '1e00000000020000008080'],
    ['decimal zero', { type: 'decimal', data: { unscaled: 0n, scale: 1 } }, '1e010000000100000000'],
    [
      'big integer 0',
      { type: 'bigInteger', data: 0n },
      'fe200000006618bf02c51dfbfffffffffffffffffefffffffeffffff090000000000000000',
    ],
    [
      'a negative big integer',
      { type: 'bigInteger', data: -255n },
      'fe210000006618bf02c51dfbfffffffffffffffffefffffffeffffff0901000000ffffffffff',
    ],
    [
      'a big integer of many bytes',
      { type: 'bigInteger', data: 12345678901234567890123n },
      'fe2a0000006618bf02c51dfbfffffffffffffffffefffffffeffffff090a000000029d42b64e76714244cb01000000',
    ],
    ['bytes', { type: 'bytes', data: Uint8Array.of(1, 2, 3) }, '0c03000000010203'],
    [
      'an array of integers',
      { type: 'array', element: 'integer', data: [1, 2].map((data) => ({ type: 'integer', data })) },
      '0e020000000100000002000000',
    ],
    [
      'an array of longs',
      { type: 'array', element: 'long', data: [{ type: 'long', data: 1n }] },
      '0f010000000100000000000000',
    ],
    [
      'an array of booleans',
      { type: 'array', element: 'boolean', data: [{ type: 'boolean', data: true }] },
      '130100000001',
    ],
    [
      'an array of characters',
      { type: 'array', element: 'char', data: ['a', 'b'].map((data) => ({ type: 'char', data })) },
      '120200000061006200',
    ],
    [
      'an array of strings with null',
      { type: 'array', element: 'string', data: [{ type: 'string', data: 'a' }, { type: 'null' }] },
      '140200000009010000006165',
    ],
    [
      'an array of uuids',
      { type: 'array', element: 'uuid', data: [{ type: 'uuid', data: uuid }] },
      `15010000000a${uuidHex}`,
    ],
    [
      'an array of decimals',
      { type: 'array', element: 'decimal', data: [{ type: 'decimal', data: { unscaled: 15n, scale: 1 } }] },
      '1f010000001e01000000010000000f',
    ],
    [
      'an array of java.util.Date',
      { type: 'array', element: 'instant', data: [{ type: 'instant', data: 1 }] },
      '16010000000b0100000000000000',
    ],
    [
      'an Object[]',
      { type: 'array', element: 'object', data: [{ type: 'integer', data: 1 }] },
      '17ffffffff010000000301000000',
    ],
    [
      'a list',
      {
        type: 'list',
        data: [
          { type: 'integer', data: 1 },
          { type: 'string', data: 'x' },
        ],
      },
      '1802000000010301000000090100000078',
    ],
    [
      'a map keeps its order',
      {
        type: 'map',
        data: [
          [
            { type: 'string', data: 'b' },
            { type: 'integer', data: 1 },
          ],
          [
            { type: 'string', data: 'a' },
            { type: 'integer', data: 2 },
          ],
        ],
      },
      '19020000000209010000006203010000000901000000610302000000',
    ],
    [
      'an enum by name',
      { type: 'enum', typeName: 'Colour', ordinal: 1, name: 'GREEN' },
      `26${int(hashOfLowerCase('Colour'))}01000000`,
    ],
  ];
  test.each(cases)('%s', (_title, value, hex) => {
    expect(hexOf(value)).toBe(hex);
    expect(readValue(hex)).toEqual(value);
  });
});

function int(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString('hex');
}

describe('objects', () => {
  const person = '67012b00c41930c1b90928c92f0000009be39cf22c000000030700000009010000005a060000000000000000181d23';
  const ann: Value = {
    type: 'object',
    typeName: 'RefNode$Person',
    fields: [
      { name: 'id', value: { type: 'integer', data: 7 } },
      { name: 'name', value: { type: 'string', data: 'Z' } },
      { name: 'salary', value: { type: 'double', data: 0 } },
    ],
  };

  test('an object is written byte for byte as by Java', () => expect(hexOf(ann)).toBe(person));
  test('an object is read inside its wrapper', () => expect(readValue(`1b2f000000${person}00000000`)).toEqual(ann));
  test('an object without fields has no schema', () => {
    expect(hexOf({ type: 'object', typeName: 'Empty', fields: [] })).toEndWith(
      '010000001800000 0c59d1c8118000000'.replace(' ', ''),
    );
  });
  test('a grid UUID is written as a node stores it', () => {
    const hex = `670104003f000000ed8cc34a30000000c59d1c8118000000ba01000000000000${uuidHex}`;
    const value: Value = { type: 'gridUuid', data: `ab1-${uuid}` };
    expect(hexOf(value)).toBe(hex);
    expect(readValue(`1b30000000${hex}00000000`)).toEqual(value);
  });
  test('a TreeMap is read as a map', () => {
    const hex =
      '1b3300000067010400ddc59fe002bd4e1933000000c59d1c811800000065020000000901000000610302000000090100000062030100000000000000';
    expect(readValue(hex)).toEqual({
      type: 'map',
      kind: 'treeMap',
      data: [
        [
          { type: 'string', data: 'a' },
          { type: 'integer', data: 2 },
        ],
        [
          { type: 'string', data: 'b' },
          { type: 'integer', data: 1 },
        ],
      ],
    });
  });
  test('offsets have two bytes if the last field begins beyond 255, and four beyond 65535', () => {
    for (const size of [250, 300, 70_000]) {
      const value: Value = {
        type: 'object',
        typeName: 'RefNode$Person',
        fields: [
          { name: 'id', value: { type: 'integer', data: 7 } },
          { name: 'name', value: { type: 'string', data: 'x'.repeat(size) } },
          { name: 'salary', value: { type: 'double', data: 1 } },
        ],
      };
      expect(readValue(hexOf(value))).toEqual(value);
    }
  });
  test('an object of an unknown type is not decoded before its metadata is fetched', () => {
    expect(() => readValue(person.replace('c41930c1', '01020304'))).toThrow('metadata');
  });
});

describe('handles', () => {
  test('a second reference returns the same value', () => {
    // A list of an object and a handle to it, 29 bytes back.
    const empty = hexOf({ type: 'object', typeName: 'Empty', fields: [] });
    const value = readValue(`180200000001${empty}66${int(empty.length / 2)}`);
    expect(value).toEqual({
      type: 'list',
      data: [
        { type: 'object', typeName: 'Empty', fields: [] },
        { type: 'object', typeName: 'Empty', fields: [] },
      ],
    });
  });
  test('a cycle is decoded as an opaque value', () => {
    // A list whose only element is the list itself: the handle is 6 bytes after its start.
    expect(readValue(`18010000000166${int(6)}`)).toEqual({
      type: 'list',
      data: [{ type: 'opaque', className: 'java.lang.Object', text: 'circular reference' }],
    });
  });
  test('a cycle cannot be read whole', () => {
    const reader = new ByteReader(Buffer.from(`18010000000166${int(6)}`, 'hex'));
    expect(() => decodeWhole(reader, context)).toThrow('circular references');
  });
  test('a handle that refers to no value is rejected', () => {
    expect(() => readValue(`66${int(100)}`)).toThrow();
    expect(() => readValue(`66${int(-1)}`)).toThrow();
    expect(() => readValue(`66${int(0)}`)).toThrow();
  });
});

describe('values without an equivalent type', () => {
  test('a serialized value of another class is opaque', () => {
    expect(readValue('fe07000000 66 04a5b3b5 0000')).toMatchObject({
      type: 'opaque',
      className: 'java.time.LocalDate',
    });
    expect(readValue('fe02000000 0102')).toMatchObject({ type: 'opaque', text: 'AQI=' });
  });
  test('a class is shown by its name', () => {
    expect(readValue('20 00000000 09 03000000 612e42')).toEqual({
      type: 'opaque',
      className: 'java.lang.Class',
      text: 'a.B',
    });
  });
  test('an opaque value is never written', () => {
    expect(() => hexOf({ type: 'opaque', className: 'x', text: '' })).toThrow('Not supported');
  });
  test('an unknown type code is rejected', () => expect(() => readValue('c8')).toThrow('type code 200'));
  test('a message that is cut at any position is rejected', () => {
    const whole = Buffer.from(
      hexOf({
        type: 'list',
        data: [
          { type: 'string', data: 'abc' },
          { type: 'long', data: 1n },
        ],
      }),
      'hex',
    );
    for (let end = 0; end < whole.length; end++) {
      const reader = new ByteReader(whole, 0, end);
      expect(() => decodeValue(reader, context)).toThrow();
    }
  });
});

test('objects show fields of their type that they lack only if told to', async () => {
  const partial = {
    type: 'object',
    typeName: 'Partial',
    fields: [{ name: 'b', value: { type: 'integer', data: 7 } }],
  } as const;
  const declared = typeOf('Partial', [
    ['a', 9],
    ['b', 3],
  ]);
  const ids = [hashOfLowerCase('b')];
  const types = new BinaryTypes({
    fetchType: () => Promise.resolve({ ...declared, schemas: new Map([[schemaIdOf(ids), ids]]) }),
    storeType: () => Promise.resolve(),
  });
  await types.fetch(declared.typeId);
  const writer = new ByteWriter();
  encodeValue(writer, partial, { types, zone: UTC_ZONE });
  const decoded = (): Value => decodeValue(new ByteReader(Buffer.from(writer.view())), { types, zone: UTC_ZONE });
  expect(decoded()).toEqual(partial);
  types.showsAllFields = true;
  expect(decoded()).toEqual({ ...partial, fields: [...partial.fields, { name: 'a', value: { type: 'null' } }] });
});

describe('time zones of nodes', () => {
  const zone = timeZoneNamed('Europe/Berlin');
  const cases: ReadonlyArray<readonly [string, Value]> = [
    ['a winter day', { type: 'timestamp', data: 1514862245000_000001n }],
    ['a summer day', { type: 'timestamp', data: 1530000000000_000000n }],
    ['a date', { type: 'date', data: 17700 }],
    ['a time', { type: 'time', data: 36672000 }],
    ['an old date', { type: 'date', data: -30_000 }],
  ];
  test.each(cases)('%s is read as it was written', (_title, value) => {
    expect(readValue(hexOf(value, zone), zone)).toEqual(value);
    expect(hexOf(value, zone)).not.toBe(hexOf(value));
  });
  test('an unknown zone is UTC', () => expect(timeZoneNamed('Mars/Base').toLocal(5)).toBe(5));
});
