import { beforeEach, describe, expect, test } from 'bun:test';
import type { RequestCompatibility } from '../../../base/compatibility.ts';
import { readCustom } from '../../../values/custom.ts';
import { writeJson } from '../../../values/json.ts';
import { parseText } from '../../../values/scalar-traits.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { type BinaryType, BinaryTypes } from '../binary/type-metadata.ts';
import type { RemoteEntity } from '../operations/cache-configuration.ts';
import { NodeError } from '../protocol/status.ts';
import { ValueMarshaller } from './value-marshaller.ts';

/** The types of a cluster, merged as a cluster merges them. */
class Metadata {
  readonly types = new Map<number, BinaryType>();
  fetches = 0;
  stores = 0;

  fetchType(typeId: number): Promise<BinaryType | undefined> {
    this.fetches++;
    return Promise.resolve(this.types.get(typeId));
  }

  storeType(type: BinaryType): Promise<void> {
    this.stores++;
    const known = this.types.get(type.typeId);
    const fields = new Map(known?.fields.map((field) => [field.name, field]));
    for (const field of type.fields) {
      const old = fields.get(field.name);
      if (old && old.typeCode !== field.typeCode) {
        return Promise.reject(new NodeError(1, `Type has a different/incorrect type for field '${field.name}'`));
      }
      fields.set(field.name, field);
    }
    const schemas = new Map([...(known?.schemas ?? []), ...type.schemas]);
    this.types.set(type.typeId, { ...type, fields: [...fields.values()], schemas });
    return Promise.resolve();
  }
}

function column(name: string, javaType: string) {
  return { name, javaType, isKey: false, notNull: false, defaultValue: NULL, precision: -1, scale: -1 };
}

const EMPLOYEE: RemoteEntity = {
  keyType: 'EmployeeKey',
  valueType: 'Employee',
  tableName: 'EMPLOYEE',
  keyField: undefined,
  valueField: undefined,
  fields: [
    column('id', 'java.lang.Integer'),
    column('at', 'java.sql.Timestamp'),
    column('longs', 'long[]'),
    column('bits', '[J'),
    column('ref', 'org.apache.ignite.lang.IgniteUuid'),
    column('pay', 'java.math.BigDecimal'),
  ],
  aliases: new Map(),
  indexes: [],
};

let metadata: Metadata;
let marshaller: ValueMarshaller;
beforeEach(() => {
  metadata = new Metadata();
  const rules = { entities: [EMPLOYEE], keyConfiguration: [{ typeName: 'SeatKey', affinityField: 'row' }] };
  marshaller = new ValueMarshaller(new BinaryTypes(metadata), () => rules);
});

function object(typeName: string, json: string, compatibility?: RequestCompatibility): Value {
  return readCustom(typeName, json, { find: () => undefined, isPartial: true }, compatibility);
}

/** Returns the prepared object: its type, and the type and JSON of each field. */
async function prepared(typeName: string, json: string): Promise<string> {
  const value = await marshaller.prepare(object(typeName, json), 'cache');
  if (value.type !== 'object') throw new Error('expected an object');
  return `${value.typeName} ${value.fields.map((field) => `${field.value.type} ${writeJson(field.value)}`).join(', ')}`;
}

async function failure(typeName: string, json: string): Promise<unknown> {
  try {
    return { prepared: await prepared(typeName, json) };
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

describe('values without objects', () => {
  const values: readonly Value[] = [
    NULL,
    { type: 'integer', data: 1 },
    { type: 'list', data: [NULL] },
    { type: 'map', data: [] },
  ];
  for (const value of values) {
    test(`${value.type} is written unchanged`, () => {
      expect(marshaller.prepare(value, 'cache')).toBe(value);
      expect(metadata.fetches + metadata.stores).toBe(0);
    });
  }
});

describe('a schema of a type', () => {
  test('is registered once, before its first object', async () => {
    await prepared('T', '{"a":1}');
    expect(metadata.stores).toBe(1);
    const again = object('T', '{"a":2}');
    expect(marshaller.prepare(again, 'cache')).toBe(again);
    await prepared('T', '{"a":1,"b":"x"}');
    await prepared('T', '{"b":"x","a":1}');
    expect(metadata.stores).toBe(3);
    expect([...metadata.types.values()].map((type) => type.fields.length)).toEqual([2]);
  });

  test('inside a list or a map is also registered', async () => {
    const inner = object('Inner', '{"x":1}');
    await marshaller.prepare({ type: 'list', data: [inner, { type: 'map', data: [[inner, inner]] }] }, 'cache');
    expect(metadata.stores).toBe(1);
  });

  test('of a key type is registered with its affinity field', async () => {
    await prepared('SeatKey', '{"row":1,"seat":"A"}');
    expect([...metadata.types.values()].map((type) => type.affinityField)).toEqual(['row']);
  });
});

/** The first value of a field, a later value, and the object that is written for it. */
const COERCED: ReadonlyArray<readonly [string, string, string]> = [
  ['{"f":1}', '{"f":"12"}', 'T integer 12'],
  ['{"f":1}', '{"f":1.7}', 'T integer 1'],
  ['{"f":1}', '{"f":""}', 'T null null'],
  ['{"f":1}', '{"f":null}', 'T null null'],
  ['{"f":"x"}', '{"f":5}', 'T string "5"'],
  ['{"f":"x"}', '{"f":true}', 'T string "true"'],
  ['{"f":1.5}', '{"f":2}', 'T double 2.0'],
  ['{"f":true}', '{"f":1}', 'T boolean true'],
  ['{"f":99999999999}', '{"f":1}', 'T long 1'],
  ['{"f":null}', '{"f":"anything"}', 'T string "anything"'],
];

const REJECTED: ReadonlyArray<readonly [string, string]> = [
  ['{"f":1}', '{"f":"abc"}'],
  ['{"f":1}', '{"f":99999999999}'],
  ['{"f":{"a":1}}', '{"f":5}'],
  ['{"f":5}', '{"f":{"a":1}}'],
  ['{"f":[1]}', '{"f":"x"}'],
];

describe('a field keeps its type', () => {
  test.each(COERCED)('first %p, then %p: %p', async (first, then, written) => {
    await prepared('T', first);
    expect(await prepared('T', then)).toBe(written);
  });

  test.each(REJECTED)('first %p, then %p is rejected without a request', async (first, then) => {
    await prepared('T', first);
    const { stores } = metadata;
    expect(await failure('T', then)).toBe('CONVERSION');
    expect(metadata.stores).toBe(stores);
  });

  test('names that differ only in case are rejected', async () => {
    expect(await failure('T', '{"a":1,"A":2}')).toBe('CONVERSION');
    await prepared('Tee', '{"a":1}');
    expect(await failure('TEE', '{"a":1}')).toBe('CONVERSION');
  });

  test('a type that another service registered in the meantime applies', async () => {
    await prepared('T', '{"a":1}');
    const [[typeId, type] = [0, undefined]] = metadata.types;
    if (!type) throw new Error('no type');
    metadata.types.set(typeId, { ...type, fields: [...type.fields, { name: 'b', typeCode: 9, id: 98 }] });
    expect(await failure('T', '{"a":1,"b":2}')).toBe('CONVERSION');
    expect(await prepared('T', '{"a":1,"b":2}')).toBe('T integer 1, string "2"');
  });
});

const OF_ENTITY: ReadonlyArray<readonly [string, string, string]> = [
  ['Employee', '{"at":"2018-02-18 01:02:03","id":"25"}', 'Employee timestamp "2018-02-18 01:02:03.0", integer 25'],
  ['employee', '{"id":1}', 'Employee integer 1'],
  ['Employee', '{"longs":[1,2]}', 'Employee list [1,2]'],
  ['Employee', '{"bits":[1,2]}', 'Employee array [1,2]'],
  ['Employee', '{"pay":1.25}', 'Employee decimal 1.25'],
  ['Employee', '{"other":1}', 'Employee integer 1'],
  ['EmployeeKey', '{"id":"25"}', 'EmployeeKey integer 25'],
  ['employeekey', '{"id":25.0}', 'EmployeeKey integer 25'],
  ['Other', '{"id":"25"}', 'Other string "25"'],
];

describe('fields of a query entity', () => {
  test.each(OF_ENTITY)('%p %p is written as %p', async (typeName, json, written) => {
    expect(await prepared(typeName, json)).toBe(written);
  });
  test('that cannot be converted are rejected', async () => {
    expect(await failure('Employee', '{"id":"x"}')).toBe('CONVERSION');
    expect(await failure('Employee', '{"at":"yesterday"}')).toBe('CONVERSION');
    expect(await failure('EmployeeKey', '{"id":"x"}')).toBe('CONVERSION');
  });
});

/** Values of fields whose registered type reveals nothing, because they were null. */
const OF_OPEN_FIELD: readonly (readonly [json: string, written: string])[] = [
  ['{"at":"2018-03-03 01:00:00"}', 'Employee timestamp "2018-03-03 01:00:00.0"'],
  ['{"id":"25"}', 'Employee integer 25'],
  ['{"pay":123456789012345678901234567890.5}', 'Employee decimal 123456789012345678901234567890.5'],
  ['{"pay":99999999999999999999}', 'Employee decimal 99999999999999999999'],
  ['{"bits":[1,2]}', 'Employee array [1,2]'],
  ['{"other":"x"}', 'Employee string "x"'],
];

test.each(OF_OPEN_FIELD)('%p in a field that was null is written as %p', async (json, written) => {
  await marshaller.prepare(object('Employee', json.replace(/:.*/, ':null}')), 'cache');
  for (let times = 0; times < 2; times++) expect(await prepared('Employee', json)).toBe(written);
});

/** The digits of a field, and its date, by whose rules the request follows. */
const BY_RULES: readonly (readonly [
  compatibility: RequestCompatibility,
  typeName: string,
  json: string,
  written: string | undefined,
])[] = [
  ['none', 'Free', '{"a":0.12345678901234567890}', '{"a":0.12345678901234567890}'],
  ['contract', 'Free', '{"a":0.12345678901234567890}', '{"a":0.12345678901234568}'],
  ['contract', 'Employee', '{"pay":0.12345678901234567890}', '{"pay":0.12345678901234567890}'],
  ['reference', 'Employee', '{"pay":0.12345678901234567890}', '{"pay":0.12345678901234567890}'],
  ['none', 'Employee', '{"pay":1.50}', '{"pay":1.50}'],
  ['none', 'Free', '{"a":1.50,"b":99999999999999999999}', '{"a":1.5,"b":99999999999999999999}'],
  ['none', 'Employee', '{"at":"-0001-05-05 00:00:00"}', '{"at":"-0001-05-05 00:00:00.0"}'],
  ['contract', 'Employee', '{"at":"-0001-05-05 00:00:00"}', undefined],
  ['none', 'Employee', '{"at":"2018-02-30 25:00:00"}', undefined],
  ['contract', 'Employee', '{"at":"2018-02-30 25:00:00"}', undefined],
  ['reference', 'Employee', '{"at":"2018-02-30 25:00:00"}', '{"at":"2018-03-03 01:00:00.0"}'],
];

test('a decimal that is no number of JSON stays one', async () => {
  const object: Value = {
    type: 'object',
    typeName: 'Free',
    fields: [{ name: 'a', value: parseText('decimal', '1.50') }],
  };
  expect(writeJson(await marshaller.prepare(object, 'cache'))).toBe('{"a":1.50}');
});

test.each(BY_RULES)('with the rules %p, %p %p is written as %p', async (compatibility, typeName, json, written) => {
  for (let times = 0; times < 2; times++) {
    const preparing = Promise.try(() => marshaller.prepare(object(typeName, json, compatibility), 'cache'));
    const outcome = await preparing.then(writeJson, (error: { code?: unknown }) => error.code);
    expect(outcome).toBe(written ?? 'CONVERSION');
  }
});
