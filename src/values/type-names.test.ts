import { describe, expect, test } from 'bun:test';
import { SCALAR_TRAITS } from './scalar-traits.ts';
import { contractTypeNames, javaClassOf, resolveType } from './type-names.ts';
import type { ScalarTypeName, Value } from './value.ts';

const SCALARS: ReadonlyArray<readonly [name: string, type: ScalarTypeName]> = [
  ['boolean', 'boolean'],
  ['byte', 'byte'],
  ['short', 'short'],
  ['int', 'integer'],
  ['integer', 'integer'],
  ['Int', 'integer'],
  ['LONG', 'long'],
  ['float', 'float'],
  ['double', 'double'],
  ['date', 'date'],
  ['time', 'time'],
  ['timestamp', 'timestamp'],
  ['UUID', 'uuid'],
  ['string', 'string'],
  ['SvcUuid', 'gridUuid'],
  ['svcuuid', 'gridUuid'],
  ['AbcUuid', 'gridUuid'],
  ['ABCUUID', 'gridUuid'],
  ['org.apache.ignite.lang.IgniteUuid', 'gridUuid'],
  ['java.lang.Boolean', 'boolean'],
  ['java.lang.Integer', 'integer'],
  ['JAVA.LANG.LONG', 'long'],
  ['java.sql.Date', 'date'],
  ['java.sql.Timestamp', 'timestamp'],
  ['java.util.UUID', 'uuid'],
  ['java.lang.String', 'string'],
];

const CUSTOM = [
  'bool',
  'decimal',
  ' int',
  'int ',
  'number',
  'str',
  'char',
  'IgniteUuid',
  'java.util.hashmap',
  'T',
  'toString',
];

const JAVA: ReadonlyArray<readonly [name: string, kind: string]> = [
  ['java.util.HashMap', 'map'],
  ['java.util.Map', 'map'],
  ['java.util.ArrayList', 'list'],
  ['java.util.List', 'list'],
  ['java.util.TreeSet', 'set'],
  ['java.lang.Object', 'any'],
  ['java.lang.Number', 'number'],
  ['java.math.BigDecimal', 'scalar'],
  ['java.math.BigInteger', 'scalar'],
  ['java.util.Date', 'scalar'],
  ['java.lang.Character', 'scalar'],
  ['[B', 'scalar'],
  ['[I', 'array'],
  ['[J', 'array'],
  ['[C', 'array'],
  ['[Ljava.lang.String;', 'array'],
  ['[Ljava.lang.Object;', 'array'],
];

const CLASSES: ReadonlyArray<readonly [className: string, value: Value]> = [
  ['java.lang.String', { type: 'string', data: '' }],
  ['org.apache.ignite.lang.IgniteUuid', { type: 'gridUuid', data: '' }],
  ['[B', { type: 'bytes', data: new Uint8Array() }],
  ['[J', { type: 'array', element: 'long', data: [] }],
  ['[Ljava.lang.String;', { type: 'array', element: 'string', data: [] }],
  ['[Ljava.lang.Object;', { type: 'array', element: 'object', data: [] }],
  ['java.util.ArrayList', { type: 'list', data: [] }],
  ['java.util.HashMap', { type: 'map', data: [] }],
  ['T', { type: 'object', typeName: 'T', fields: [] }],
  ['E', { type: 'enum', typeName: 'E', ordinal: 0, name: undefined }],
  ['org.X', { type: 'opaque', className: 'org.X', text: '' }],
];

describe('type names', () => {
  test.each(SCALARS)('%p names the type %s', (name, type) => {
    expect(resolveType(name, 'abc')).toEqual({ kind: 'scalar', type });
  });
  test.each(CUSTOM)('%p names a custom type', (name) => {
    expect(resolveType(name, 'abc')).toEqual({ kind: 'custom', typeName: name });
  });
  test.each(JAVA)('%s is a Java class read as %s', (name, kind) => {
    const resolved = resolveType(name, 'svc');
    expect(resolved).toMatchObject({ kind: 'java', className: name, shape: { kind } });
  });
  test('IgniteUuid is the UUID type of a service named ignite', () => {
    expect(resolveType('IgniteUuid', 'ignite')).toEqual({ kind: 'scalar', type: 'gridUuid' });
  });
  test('contractTypeNames returns the types of the contract', () => {
    expect(contractTypeNames('svc').join(' ')).toBe(
      'boolean byte short integer long float double date time timestamp uuid SvcUuid string',
    );
  });
});

describe('Java classes of values', () => {
  test.each(CLASSES)('%s', (className, value) => {
    expect(javaClassOf(value)).toBe(className);
  });
  test('no two scalar types share a class', () => {
    const classes = Object.values(SCALAR_TRAITS).map(({ javaClass }) => javaClass);
    expect(new Set(classes).size).toBe(classes.length);
  });
});
