import { describe, expect, test } from 'bun:test';
import { GridError } from '../base/errors.ts';
import { decodeTyped } from './decode-parameter.ts';
import { writeJson } from './json.ts';
import type { FieldType, ObjectSchema, ScalarTypeName, TypeRegistry, Value, ValueType } from './value.ts';

const scalar = (type: ScalarTypeName): FieldType => ({ kind: 'scalar', type });

const PERSON: ObjectSchema = {
  typeName: 'Person',
  source: 'class',
  fields: [
    { name: 'id', type: scalar('integer') },
    { name: 'name', type: scalar('string') },
    { name: 'salary', type: scalar('double') },
    { name: 'active', type: scalar('boolean') },
    { name: 'tags', type: { kind: 'list' } },
  ],
};

const ENTITY_TYPES: ReadonlyArray<readonly [name: string, type: FieldType]> = [
  ['bo', scalar('boolean')],
  ['by', scalar('byte')],
  ['i', scalar('integer')],
  ['l', scalar('long')],
  ['f', scalar('float')],
  ['d', scalar('double')],
  ['de', scalar('decimal')],
  ['bi', scalar('bigInteger')],
  ['s', scalar('string')],
  ['c', scalar('char')],
  ['da', scalar('date')],
  ['ti', scalar('time')],
  ['ts', scalar('timestamp')],
  ['in', scalar('instant')],
  ['u', scalar('uuid')],
  ['g', scalar('gridUuid')],
  ['by64', scalar('bytes')],
  ['longs', { kind: 'array', element: 'long' }],
  ['li', { kind: 'list' }],
  ['m', { kind: 'map' }],
  ['x', { kind: 'any' }],
];

/** Entities with one field, named after it: `e.i`, and types of keys: `key.i`. */
const REGISTRY: TypeRegistry = {
  find(typeName) {
    if (typeName === 'Person') return PERSON;
    const [prefix, name] = typeName.toLowerCase().split('.');
    const field = ENTITY_TYPES.find((each) => each[0] === name);
    if (field === undefined || (prefix !== 'e' && prefix !== 'key')) return undefined;
    const source = prefix === 'e' ? 'entity' : 'entityKey';
    return { typeName: `${prefix}.${name}`, source, fields: [{ name: field[0], type: field[1] }] };
  },
};

/** The texts of errors are those of Ignite; src/commands/error-texts.test.ts has the others. */
function decode(type: string | undefined, source: string): Value {
  return decodeTyped(source, type, REGISTRY, 'svc', 'val', 'reference');
}

const UUID = 'e46b31c5-4fdd-4a93-b1c1-4a3a8f4f4f4f';

const READ: ReadonlyArray<readonly [type: string | undefined, source: string, tag: ValueType, json: string]> = [
  [undefined, '{"x":1}', 'string', '"{\\"x\\":1}"'],
  ['', '5', 'string', '"5"'],
  ['String', '5', 'string', '"5"'],
  ['int', '+7', 'integer', '7'],
  ['SvcUuid', `ab-${UUID}`, 'gridUuid', `"ab-${UUID}"`],
  ['java.lang.Short', '2', 'short', '2'],
  // Plain JSON.
  ['T', '{}', 'object', '{}'],
  ['T', ' \n{ "z" : 1, "a":2 }\t', 'object', '{"z":1,"a":2}'],
  ['T', '{"a":1,"b":2,"a":3}', 'object', '{"a":3,"b":2}'],
  ['T', '{"":1}', 'object', '{"":1}'],
  ['T', '{"o":{"x":{"z":[1,{"q":null}]}},"e":{},"l":[]}', 'object', '{"o":{"x":{"z":[1,{"q":null}]}},"e":{},"l":[]}'],
  ['T', '{"x":1.0,"y":5000000000,"z":1e400}', 'object', '{"x":1.0,"y":5000000000,"z":"Infinity"}'],
  ['org.example.Thing', '{"x":1}', 'object', '{"x":1}'],
  ['T', 'null', 'null', 'null'],
  // A registered class.
  ['Person', '{}', 'object', '{"id":0,"name":null,"salary":0.0,"active":false,"tags":null}'],
  [
    'Person',
    '{"id":"7","salary":"12.5","extra":1}',
    'object',
    '{"id":7,"name":null,"salary":12.5,"active":false,"tags":null}',
  ],
  [
    'Person',
    '{"id":null,"salary":"","name":5}',
    'object',
    '{"id":0,"name":"5","salary":0.0,"active":false,"tags":null}',
  ],
  [
    'Person',
    '{"id":1.7,"name":true,"active":1}',
    'object',
    '{"id":1,"name":"true","salary":0.0,"active":true,"tags":null}',
  ],
  ['Person', '{"ID":5,"tags":[1,"a"]}', 'object', '{"id":0,"name":null,"salary":0.0,"active":false,"tags":[1,"a"]}'],
  // Query entities: coercion to the field's type, other fields kept, absent ones only added to keys.
  ['e.i', '{}', 'object', '{"i":null}'],
  ['key.i', '{}', 'object', '{"i":null}'],
  ['e.i', '{"y":"z","i":"25"}', 'object', '{"i":25,"y":"z"}'],
  ['E.I', '{"I":"25"}', 'object', '{"i":25}'],
  ['e.i', '{"i":1.9}', 'object', '{"i":1}'],
  ['e.i', '{"i":-1.9}', 'object', '{"i":-1}'],
  ['e.i', '{"i":1e3}', 'object', '{"i":1000}'],
  ['e.i', '{"i":" 5 "}', 'object', '{"i":5}'],
  ['e.i', '{"i":""}', 'object', '{"i":null}'],
  ['e.i', '{"i":null}', 'object', '{"i":null}'],
  ['e.l', '{"l":9223372036854775807}', 'object', '{"l":9223372036854775807}'],
  ['e.bo', '{"bo":5}', 'object', '{"bo":true}'],
  ['e.bo', '{"bo":0}', 'object', '{"bo":false}'],
  ['e.bo', '{"bo":" true "}', 'object', '{"bo":true}'],
  ['e.f', '{"f":0.1}', 'object', '{"f":0.1}'],
  ['e.d', '{"d":5}', 'object', '{"d":5.0}'],
  ['e.d', '{"d":"NaN"}', 'object', '{"d":"NaN"}'],
  ['e.de', '{"de":0.10}', 'object', '{"de":0.10}'],
  ['e.de', '{"de":" 5 "}', 'object', '{"de":5}'],
  ['e.bi', '{"bi":1e20}', 'object', '{"bi":100000000000000000000}'],
  ['e.bi', '{"bi":1e-999999999}', 'object', '{"bi":0}'],
  ['e.s', '{"s":1.70}', 'object', '{"s":"1.70"}'],
  ['e.s', '{"s":true}', 'object', '{"s":"true"}'],
  ['e.s', '{"s":""}', 'object', '{"s":""}'],
  ['e.c', '{"c":"x"}', 'object', '{"c":"x"}'],
  ['e.c', '{"c":97}', 'object', '{"c":"a"}'],
  ['e.da', '{"da":"2018-1-2"}', 'object', '{"da":"2018-01-02"}'],
  ['e.ti', '{"ti":"1:2:3"}', 'object', '{"ti":"01:02:03"}'],
  ['e.ts', '{"ts":"2018-02-18 01:02:03"}', 'object', '{"ts":"2018-02-18 01:02:03.0"}'],
  ['e.in', '{"in":0}', 'object', '{"in":"Jan 1, 1970, 12:00:00 AM"}'],
  ['e.u', `{"u":"${UUID.toUpperCase()}"}`, 'object', `{"u":"${UUID}"}`],
  ['e.u', '{"u":""}', 'object', '{"u":null}'],
  ['e.g', `{"g":"1-${UUID}"}`, 'object', `{"g":"1-${UUID}"}`],
  ['e.by64', '{"by64":[1,2]}', 'object', '{"by64":"AQI="}'],
  ['e.longs', '{"longs":[1,"2",null]}', 'object', '{"longs":[1,2,0]}'],
  ['e.longs', '{"longs":null}', 'object', '{"longs":null}'],
  ['e.li', '{"li":[1,"a"]}', 'object', '{"li":[1,"a"]}'],
  ['e.m', '{"m":{"a":1}}', 'object', '{"m":{"a":1}}'],
  ['e.x', '{"x":[1]}', 'object', '{"x":[1]}'],
  // Classes of the Java library.
  ['java.util.HashMap', '{"b":1,"a":{"c":[]}}', 'map', '{"b":1,"a":{"c":[]}}'],
  ['java.util.TreeMap', '{"b":1,"a":2}', 'map', '{"a":2,"b":1}'],
  ['java.util.Properties', '{"a":1}', 'map', '{"a":"1"}'],
  ['java.util.ArrayList', '[1,"a",null,2.5]', 'list', '[1,"a",null,2.5]'],
  ['java.util.Set', '[2,1,2,1]', 'list', '[2,1]'],
  ['java.util.TreeSet', '[3,1,2,1]', 'list', '[1,2,3]'],
  ['java.lang.Object', '5', 'integer', '5'],
  ['java.lang.Object', '2147483648', 'long', '2147483648'],
  ['java.lang.Object', '9223372036854775808', 'bigInteger', '9223372036854775808'],
  ['java.lang.Object', '-0', 'integer', '0'],
  ['java.lang.Object', '-2147483648', 'integer', '-2147483648'],
  ['java.lang.Object', '-0.0', 'double', '-0.0'],
  ['java.lang.Object', '"x"', 'string', '"x"'],
  ['java.lang.Number', '"1.5"', 'double', '1.5'],
  ['java.lang.Number', '"5"', 'integer', '5'],
  ['java.lang.Number', '""', 'null', 'null'],
  ['java.math.BigDecimal', '1.50', 'decimal', '1.50'],
  ['java.math.BigDecimal', '" 1 "', 'decimal', '1'],
  ['java.math.BigDecimal', '1e3', 'decimal', '1E+3'],
  ['java.math.BigDecimal', '""', 'null', 'null'],
  ['java.math.BigInteger', '1.5', 'bigInteger', '1'],
  ['java.math.BigInteger', '"+5"', 'bigInteger', '5'],
  ['java.util.Date', '1514862245000', 'instant', '"Jan 2, 2018, 3:04:05 AM"'],
  ['java.util.Date', '"Jan 2, 2018, 3:04:05 PM"', 'instant', '"Jan 2, 2018, 3:04:05 PM"'],
  ['java.lang.Character', '"a"', 'char', '"a"'],
  ['java.lang.Character', '97', 'char', '"a"'],
  ['[B', '"AQID"', 'bytes', '"AQID"'],
  ['[B', '[1,2,-1]', 'bytes', '"AQL/"'],
  ['[I', '["3",null,1.7,""]', 'array', '[3,0,1,0]'],
  ['[J', '[9223372036854775807]', 'array', '[9223372036854775807]'],
  ['[D', '[1,"NaN",1e400]', 'array', '[1.0,"NaN","Infinity"]'],
  ['[Z', '["true",1,0,null]', 'array', '[true,true,false,false]'],
  ['[C', '["a","b"]', 'array', '"ab"'],
  ['[C', '"ab"', 'array', '"ab"'],
  ['[Ljava.lang.Integer;', '[1,null,""]', 'array', '[1,null,null]'],
  ['[Ljava.lang.String;', '["a",null,5]', 'array', '["a",null,"5"]'],
  ['[Ljava.lang.Object;', '[1,"a",null,{"b":1}]', 'array', '[1,"a",null,{"b":1}]'],
];

/** The form of a Java library class in answers is also a parameter, except with compatibility `reference`. */
const SHOWN: ReadonlyArray<readonly [type: string, source: string, json: string]> = [
  ['java.lang.Character', 'a', '"a"'],
  ['java.lang.Character', '"', '"\\""'],
  ['java.lang.Character', '5', '"5"'],
  ['java.util.Date', 'Jan 2, 2018, 3:04:05 PM', '"Jan 2, 2018, 3:04:05 PM"'],
  ['java.lang.CharSequence', 'a"b', '"a\\"b"'],
  ['[B', 'AQID', '"AQID"'],
  ['[B', '1234', '"1234"'],
  ['[B', 'true', '"true"'],
  ['[C', 'ab', '"ab"'],
];

const REJECTED: ReadonlyArray<readonly [type: string, source: string, reason?: string]> = [
  ['int', 'x', 'java.lang.NumberFormatException: For input string: "x"'],
  ['INT', '', 'java.lang.NumberFormatException: For input string: ""'],
  ['boolean', 'yes'],
  ['T', '5', 'java.lang.IllegalArgumentException: Cannot read value of type `T` from Number value'],
  ['T', '"s"'],
  ['T', '[1]'],
  ['T', ''],
  ['T', '{"a":1} garbage', 'JsonParseException: Unexpected character'],
  ['T', '{"a":'],
  ['bool', 'true', 'java.lang.IllegalArgumentException: Cannot read value of type `bool` from Boolean value'],
  ['str', 'abc'],
  ['Person', '5'],
  ['Person', '{"id":"x"}'],
  ['Person', '{"id":"1.7"}'],
  ['Person', '{"id":true}'],
  ['Person', '{"id":5000000000}'],
  ['Person', '{"name":[1]}'],
  ['Person', '{"tags":{}}'],
  ['e.i', '{"i":"abc"}', 'java.lang.NumberFormatException: For input string: "abc"'],
  ['e.i', '{"i":true}'],
  ['e.i', '{"i":"1.5"}'],
  ['e.i', '{"i":5000000000}'],
  ['e.i', '{"i":1e999999999}'],
  ['e.i', '{"i":{"a":1}}'],
  ['e.by', '{"by":1000}'],
  ['e.bi', '{"bi":1e999999999}'],
  ['e.bo', '{"bo":1.7}'],
  ['e.bo', '{"bo":"x"}'],
  ['e.s', '{"s":{}}'],
  ['e.d', '{"d":"x"}'],
  ['e.da', '{"da":5}'],
  ['e.da', '{"da":""}'],
  ['e.ts', '{"ts":1518915723000}'],
  ['e.ts', '{"ts":"2018-02-18U01:02:03"}'],
  ['e.u', '{"u":5}'],
  ['e.by64', '{"by64":5}'],
  ['e.by64', '{"by64":"x"}'],
  ['e.longs', '{"longs":5}'],
  ['e.longs', '{"longs":["x"]}'],
  ['e.m', '{"m":5}'],
  ['java.util.HashMap', 'xx'],
  ['java.util.HashMap', '[1]'],
  ['java.util.HashMap', '{"a":1} x'],
  ['java.util.Hashtable', '{"a":null}'],
  ['java.util.ArrayList', '{"a":1}'],
  ['java.lang.Number', 'true'],
  ['java.lang.Number', '"x"'],
  ['java.math.BigDecimal', '"x"'],
  ['java.math.BigInteger', '"1.5"'],
  ['java.math.BigInteger', '1e999999999'],
  ['java.util.Date', '1.5'],
  ['java.util.Date', '"2018-01-02"'],
  ['java.util.Date', '99999999999999999999'],
  ['java.lang.Character', '"ab"'],
  ['[I', '5'],
  ['[I', '[2147483648]'],
  ['[I', '[true]'],
  ['[S', '[40000]'],
  ['[C', '["ab"]'],
  ['[B', '[300]'],
];

describe('parameters by declared type', () => {
  test.each(READ)('%p reads %p', (type, source, tag, json) => {
    const value = decode(type, source);
    expect(value.type).toBe(tag);
    expect(writeJson(value)).toBe(json);
  });

  test.each(SHOWN)('%p reads %p as answers show it', (type, source, json) => {
    expect(writeJson(decodeTyped(source, type, REGISTRY, 'svc', 'val'))).toBe(json);
  });

  test.each(REJECTED)('%p rejects %p', (type, source, reason = '') => {
    const start = `Failed to convert value to specified type [type=${type}, val=${source}, reason=${reason}`;
    expect(() => decode(type, source)).toThrow(GridError);
    expect(() => decode(type, source)).toThrow(start);
  });

  test('a reason in our words names the field', () => {
    const decodeOwn = (type: string, source: string) => () => decodeTyped(source, type, REGISTRY, 'svc', 'val');
    expect(decodeOwn('e.i', '{"i":"x"}')).toThrow('reason=field i: not a whole number, parameter=val]');
    expect(decodeOwn('java.util.Date', '2018-02-07')).toThrow('reason=the form is 2018-02-07T09:05:00Z, milliseconds');
    expect(decodeOwn('e.da', '{"da":"x"}')).toThrow('reason=field da: the form is yyyy-mm-dd, parameter=val]');
  });

  test.each([
    ['date', '2018-02-30', '"2018-03-02"'],
    ['e.da', '{"da":"2018-02-30"}', '{"da":"2018-03-02"}'],
    ['e.ti', '{"ti":"25:61:61"}', '{"ti":"02:02:01"}'],
    ['e.ts', '{"ts":" 2018-02-30 25:00:00 "}', '{"ts":"2018-03-03 01:00:00.0"}'],
    ['e.s', '{"s":"2018-02-30"}', '{"s":"2018-02-30"}'],
  ])('impossible dates roll over in %p with Ignite', (type, source, json) => {
    expect(writeJson(decodeTyped(source, type, REGISTRY, 'svc', 'val', 'reference'))).toBe(json);
    const text = type === 'e.s' ? '{' : source;
    expect(() => decodeTyped(text, type, REGISTRY, 'svc', 'val', 'contract')).toThrow(GridError);
  });

  test.each([
    ['contract', '{"other":1}'],
    ['reference', '{"i":null,"other":1}'],
  ] as const)('with compatibility %s, a value of an entity that lacks a field is %p', (compatibility, json) => {
    expect(writeJson(decodeTyped('{"other":1}', 'e.i', REGISTRY, 'svc', 'val', compatibility))).toBe(json);
    expect(writeJson(decodeTyped('{"other":1}', 'free', REGISTRY, 'svc', 'val', compatibility))).toBe('{"other":1}');
  });

  test.each([
    ['none', 'free', '{"a":0.12345678901234567890,"b":[1e400]}', '{"a":0.12345678901234567890,"b":[1E+400]}'],
    ['contract', 'free', '{"a":0.12345678901234567890,"b":[1e400]}', '{"a":0.12345678901234568,"b":["Infinity"]}'],
    ['none', 'e.i', '{"other":0.12345678901234567890}', '{"other":0.12345678901234567890}'],
    ['contract', 'e.i', '{"other":0.12345678901234567890}', '{"other":0.12345678901234568}'],
  ] as const)('with the rules %p, numbers without a declaration in %p %p are %p', (rules, type, source, json) => {
    expect(writeJson(decodeTyped(source, type, REGISTRY, 'svc', 'val', rules))).toBe(json);
  });

  test('a long rejected text is truncated in the message', () => {
    expect(() => decode('int', 'x'.repeat(5_000))).toThrow(`val=${'x'.repeat(1_000)}..., reason=`);
  });

  test('an entity found in another case keeps its own name', () => {
    expect(decode('E.I', '{}')).toMatchObject({ type: 'object', typeName: 'e.i' });
  });

  test('the name of the grid UUID type follows the name of the service', () => {
    expect(decodeTyped(`1-${UUID}`, 'GridUuid', REGISTRY, 'grid').type).toBe('gridUuid');
  });
});

/** Short names of Java classes, and the class of the value. */
const SHORT: ReadonlyArray<readonly [name: string, source: string, tag: ValueType, json: string]> = [
  ['decimal', '2410611.00', 'decimal', '2410611.00'],
  ['bigdecimal', '1.50', 'decimal', '1.50'],
  ['biginteger', '36893488147419103232', 'bigInteger', '36893488147419103232'],
  ['list', '[1,"a"]', 'list', '[1,"a"]'],
  ['set', '[1,1]', 'list', '[1]'],
  ['map', '{"b":1,"a":{"c":2}}', 'map', '{"b":1,"a":{"c":2}}'],
];

describe('short names of Java classes', () => {
  for (const [name, source, tag, json] of SHORT) {
    test(`${name} is understood`, () => {
      const value = decodeTyped(source, name, REGISTRY, 'svc');
      expect([value.type, writeJson(value)]).toEqual([tag, json]);
    });

    test(`${name} is a custom type if one is declared, and in compatibility mode reference`, () => {
      const registry: TypeRegistry = { find: () => ({ ...PERSON, typeName: name }) };
      expect(decodeTyped('{"id":1}', name, registry, 'svc')).toMatchObject({ type: 'object', typeName: name });
      expect(decode(name, '{"id":1}')).toMatchObject({ type: 'object', typeName: name });
    });
  }

  for (const [name, source, meant] of [
    ['BigDecimal', '1.50', 'java.math.BigDecimal'],
    ['Decimal', '1.50', 'java.math.BigDecimal'],
    ['DECIMAL', '1.50', 'java.math.BigDecimal'],
    ['List', '[1]', 'java.util.List'],
    ['ArrayList', '[1]', 'java.util.ArrayList'],
    ['Map', '[1]', 'java.util.Map'],
    ['character', '"x"', 'java.lang.Character'],
    ['number', '5', 'double'],
    ['JSON', '[1]', 'map'],
    ['text', '"x"', 'string'],
  ] as const) {
    test(`${name} is answered with ${meant}`, () => {
      expect(() => decodeTyped(source, name, REGISTRY, 'svc')).toThrow(
        `there is no type "${name}", did you mean "${meant}"?`,
      );
    });
  }
});
