/** Plain JSON in fields whose class only the nodes know. A table of accepted values represents the nodes. */
import { expect, test } from 'bun:test';
import { text, type Value } from '../../../values/value.ts';
import { CODE } from '../protocol/type-codes.ts';
import { FieldClasses, type FieldProbes } from './field-classes.ts';

/** Returns a short name of what is offered to a field. */
function offered(value: Value): string {
  if (value.type === 'array') return `${value.componentClass ?? 'Object'}[]`;
  return value.type === 'list' || value.type === 'map' ? (value.kind ?? value.type) : value.type;
}

function probesOf(accepted: readonly string[], classes: readonly string[] = []): FieldProbes & { count: number } {
  return {
    count: 0,
    async accepts(_field, value) {
      this.count++;
      return accepted.includes(offered(value));
    },
    acceptsInstance: async (_field, className) => accepted.includes(className),
    enumerationOf: async () => 'Color',
    classesWith: async (names) => (names.includes('id') ? classes : []),
  };
}

const one: Value = { type: 'integer', data: 1 };
const list: Value = { type: 'list', data: [one] };
const map: Value = { type: 'map', data: [[text('id'), one]] };
const part: Value = { type: 'object', typeName: 'Part', fields: [{ name: 'id', value: one }] };
const { OBJECT, OBJECT_ARRAY, COLLECTION, MAP, ENUM, STRING } = CODE;

/** Title, code of the field, what it accepts, classes with the member `id`, value, expected value. */
const CASES: ReadonlyArray<readonly [string, number, string[], string[], Value, Value]> = [
  ['an object of the one class that fits', OBJECT, ['Part'], ['Other', 'Part'], map, part],
  ['a map where several classes fit', OBJECT, ['Part', 'Other'], ['Other', 'Part'], map, map],
  ['a map where no class fits', OBJECT, [], ['Other'], map, map],
  ['a map in a field of Object', OBJECT, ['map', 'Part'], ['Part'], map, map],
  ['a date from its text', OBJECT, ['date'], [], text('1970-01-02'), { type: 'date', data: 1 }],
  ['a text in a field of Object', OBJECT, ['string', 'date'], [], text('1970-01-02'), text('1970-01-02')],
  ['a big integer from a number', OBJECT, ['bigInteger'], [], one, { type: 'bigInteger', data: 1n }],
  ['an array of Object', OBJECT_ARRAY, ['Object[]'], [], list, list],
  [
    'an array of boxed numbers',
    OBJECT_ARRAY,
    ['java.lang.Long[]'],
    [],
    list,
    { type: 'array', element: 'object', componentClass: 'java.lang.Long', data: [{ type: 'long', data: 1n }] },
  ],
  [
    'an array of objects',
    OBJECT_ARRAY,
    ['Part[]'],
    ['Other', 'Part'],
    { type: 'list', data: [map] },
    { type: 'array', element: 'object', componentClass: 'Part', data: [part] },
  ],
  ['an ArrayList', COLLECTION, ['list', 'hashSet'], [], list, list],
  ['a HashSet', COLLECTION, ['hashSet'], [], list, { ...list, kind: 'hashSet' }],
  ['a TreeSet', COLLECTION, ['treeSet'], [], list, { ...list, kind: 'treeSet' }],
  ['a LinkedHashMap in a field of Map', MAP, ['map', 'hashMap', 'treeMap'], [], map, map],
  ['a HashMap', MAP, ['map', 'hashMap'], [], map, { ...map, kind: 'hashMap' }],
  ['a TreeMap', MAP, ['treeMap'], [], map, { ...map, kind: 'treeMap' }],
  [
    'a constant, whose number the caller knows',
    ENUM,
    [],
    [],
    text('RED'),
    { type: 'enum', typeName: 'Color', ordinal: -1, name: 'RED' },
  ],
  ['a text', STRING, [], [], text('x'), text('x')],
  ['an object that has its class already', OBJECT, [], [], part, part],
];

for (const [title, code, accepted, classes, value, expected] of CASES) {
  test(title, async () => {
    const field = { className: 'Whole', name: 'f', code };
    expect(await new FieldClasses().convert(field, value, probesOf(accepted, classes))).toEqual(expected);
  });
}

test('the nodes are asked once for a field and the form of its JSON', async () => {
  const fields = new FieldClasses();
  const probes = probesOf(['hashSet']);
  const field = { className: 'Whole', name: 'set', code: COLLECTION };
  await fields.convert(field, list, probes);
  const asked = probes.count;
  await fields.convert(field, { type: 'list', data: [one, one] }, probes);
  expect(probes.count).toBe(asked);
  fields.forget();
  await fields.convert(field, list, probes);
  expect(probes.count).toBe(2 * asked);
});

test('a failure of the nodes is not kept', async () => {
  const fields = new FieldClasses();
  const probes = probesOf(['hashSet']);
  const field = { className: 'Whole', name: 'set', code: COLLECTION };
  const failing = { ...probes, accepts: () => Promise.reject(new Error('no node')) };
  expect(fields.convert(field, list, failing)).rejects.toThrow('no node');
  expect(await fields.convert(field, list, probes)).toMatchObject({ kind: 'hashSet' });
});
