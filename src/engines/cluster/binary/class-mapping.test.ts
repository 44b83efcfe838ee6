import { expect, test } from 'bun:test';
import { fuzzContext } from '../../../../test/fixtures/cluster/wire-examples.ts';
import { NULL, text, type Value, type ValueOf } from '../../../values/value.ts';
import { type ConvertField, mapOntoInstance } from './class-mapping.ts';

const FRESH: ReadonlyArray<readonly [name: string, value: Value]> = [
  ['id', { type: 'integer', data: 7 }],
  ['name', text('unnamed')],
  ['inner', { type: 'object', typeName: 'Person', fields: [] }],
  ['colour', { type: 'enum', typeName: 'Person', ordinal: 5, name: 'BLUE' }],
  ['unknown', { type: 'enum', typeName: 'Missing', ordinal: 0, name: 'A' }],
  ['list', { type: 'list', data: [] }],
  ['nothing', NULL],
];

const objectOf = (fields: ReadonlyArray<readonly [string, Value]>): ValueOf<'object'> => ({
  type: 'object',
  typeName: 'Subject',
  fields: fields.map(([name, value]) => ({ name, value })),
});
const map = (key: Value): Value => ({ type: 'map', data: [[key, NULL]] });
const personOf = (name: string): Value => ({ type: 'object', typeName: 'Person', fields: [{ name, value: NULL }] });

const MAPPED: ReadonlyArray<readonly [title: string, field: string, sent: Value, expected: Value]> = [
  ['a value replaces that of the instance', 'id', { type: 'long', data: 9n }, { type: 'long', data: 9n }],
  ['null becomes the zero of a primitive type', 'id', NULL, { type: 'integer', data: 0 }],
  ['null remains null if the type has no zero', 'name', NULL, NULL],
  ['a JSON object becomes an object of the class of the field', 'inner', map(text('id')), personOf('id')],
  ['a key that is not a string becomes an empty name', 'inner', map({ type: 'integer', data: 1 }), personOf('')],
  ['another value replaces an object unchanged', 'inner', text('x'), text('x')],
  ['a name becomes the constant', 'colour', text('RED'), { type: 'enum', typeName: 'Person', ordinal: 0, name: 'RED' }],
  ['an empty name becomes null', 'colour', text(''), NULL],
  ['another value replaces a constant unchanged', 'colour', NULL, NULL],
  ['a list accepts any value', 'list', text('x'), text('x')],
  ['a field whose initial value is null accepts any value', 'nothing', text('x'), text('x')],
];

/** Nothing is known about the classes of fields that are null. */
const unchanged: ConvertField = async (_name, value) => value;

for (const [title, name, sent, expected] of MAPPED) {
  test(`${title}, and the other fields keep their values`, async () => {
    const mapped = await mapOntoInstance(objectOf(FRESH), objectOf([[name, sent]]), fuzzContext().types, unchanged);
    expect(mapped).toEqual(objectOf(FRESH.map(([field, value]) => [field, field === name ? expected : value])));
  });
}

test('members that the class does not have are dropped', async () => {
  const mapped = await mapOntoInstance(
    objectOf(FRESH),
    objectOf([['other', text('x')]]),
    fuzzContext().types,
    unchanged,
  );
  expect(mapped).toEqual(objectOf(FRESH));
});

for (const [title, name] of [
  ['a constant that the enumeration lacks', 'colour'],
  ['a constant of an enumeration that the cluster does not know', 'unknown'],
] as const) {
  test(`${title} is rejected`, async () => {
    const mapping = mapOntoInstance(objectOf(FRESH), objectOf([[name, text('GREEN')]]), fuzzContext().types, unchanged);
    await expect(mapping).rejects.toThrow('no such constant');
  });
}

test('a value of a field that is null in the instance is converted, and a converted constant gets its number', async () => {
  const convert: ConvertField = async (name) => ({
    type: 'enum',
    typeName: 'Person',
    ordinal: -1,
    name: name && 'RED',
  });
  const mapped = await mapOntoInstance(
    objectOf(FRESH),
    objectOf([['nothing', text('x')]]),
    fuzzContext().types,
    convert,
  );
  const constant: Value = { type: 'enum', typeName: 'Person', ordinal: 0, name: 'RED' };
  expect(mapped).toEqual(objectOf(FRESH.map(([field, value]) => [field, field === 'nothing' ? constant : value])));
});
