/**
 * Conversion of JSON to values: of custom types in the three steps of docs/spec/contract.md 2.2 (class, query entity,
 * JSON), and to classes of the Java library. Coercions are Ignite's (docs/spec/ignite-data.md 5.1). Invalid JSON and
 * JSON of another kind are rejected (known differences 10 and 11). All functions throw ConversionFailure.
 */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure, illegalArgumentFailure } from './conversion-failure.ts';
import { dateForm } from './date-overflow.ts';
import { compareValues, keyOf } from './equality.ts';
import { columnFinder } from './field-names.ts';
import { LONG_MAX, LONG_MIN, parseDouble, trimJava } from './java-number.ts';
import { type JsonNode, readJson } from './json.ts';
import { argumentType, isExactDouble } from './json-numbers.ts';
import { parseText, SCALAR_TRAITS } from './scalar-traits.ts';
import type { JavaShape } from './type-names.ts';
import {
  FALSE,
  type Field,
  type FieldType,
  type ListKind,
  NULL,
  type ObjectSchema,
  type ScalarTypeName,
  TRUE,
  type TypeRegistry,
  text,
  type Value,
  type ValueOf,
} from './value.ts';
import { nodeOf } from './value-nodes.ts';

/**
 * Reads the JSON of a custom type. JSON `null` returns the null value, which counts as an absent parameter. Anything
 * but an object is rejected.
 */
export function readCustom(
  typeName: string,
  jsonText: string,
  registry: TypeRegistry,
  compatibility: RequestCompatibility = 'none',
): Value {
  const node = readJson(jsonText, JSON_BOUNDS.values);
  if (node.kind === 'null') return NULL;
  const component = registry.isPartial ? COMPONENT_CLASS.exec(typeName)?.[1] : undefined;
  if (component !== undefined) return readArrayOfClass(component, node, typeName, fieldNumbers(compatibility));
  if (node.kind !== 'object') throw cannotRead({ name: 'object', javaClass: typeName }, node);
  const schema = registry.find(typeName);
  if (schema === undefined) return readWithoutSchema(typeName, node.members, registry, compatibility);
  const fields =
    schema.source === 'class'
      ? readClass(schema, node.members, fieldNumbers(compatibility))
      : readEntity(schema, node.members, compatibility);
  return { type: 'object', typeName: schema.typeName, fields };
}

/**
 * Reads an object whose type has no schema here. If the engine may know one, numbers in fields keep their digits and
 * scale until {@link settleNumber}.
 */
function readWithoutSchema(
  typeName: string,
  members: Members,
  { isPartial }: TypeRegistry,
  compatibility: RequestCompatibility,
): ValueOf<'object'> {
  const fields = readPlainFields(members, fieldNumbers(compatibility));
  if (isPartial !== true) return { type: 'object', typeName, fields };
  const kept = fields.map((field): Field => {
    const node = members.get(field.name);
    const keepsScale = node?.kind === 'number' && argumentType(node.text) === 'java.math.BigDecimal';
    return keepsScale ? { name: field.name, value: readScalar('decimal', node, 'boxed') } : field;
  });
  return { type: 'object', typeName, fields: kept, follows: compatibility };
}

/** Returns the value of an object's field from JSON, if the engine does not know the field's type either. */
export function settleNumber(value: Value, compatibility: RequestCompatibility | undefined): Value {
  if (value.type !== 'decimal' || compatibility === undefined) return value;
  return readPlain(nodeOf(value), fieldNumbers(compatibility));
}

/** The element class in the name of an array class. */
const COMPONENT_CLASS = /^\[L([^[;]+);$/;

function readArrayOfClass(
  componentClass: string,
  node: JsonNode,
  typeName: string,
  numbers: NumberRules,
): ValueOf<'array'> {
  if (node.kind !== 'array') throw cannotRead({ name: 'array', javaClass: typeName }, node);
  const data = node.items.map((item): Value => {
    if (item.kind === 'null') return NULL;
    if (item.kind !== 'object') throw cannotRead({ name: 'object', javaClass: componentClass }, item);
    return { type: 'object', typeName: componentClass, fields: readPlainFields(item.members, numbers) };
  });
  return { type: 'array', element: 'object', componentClass, data };
}

type Members = ReadonlyMap<string, JsonNode>;

function readPlainFields(members: Members, numbers: NumberRules): Field[] {
  const fields: Field[] = [];
  for (const [name, node] of members) fields.push({ name, value: readPlain(node, numbers) });
  return fields;
}

function readClass(schema: ObjectSchema, members: Members, numbers: NumberRules): Field[] {
  return schema.fields.map(({ name, type }) => ({
    name,
    value: readField(type, members.get(name) ?? { kind: 'null' }, name, 'primitive', 'none', numbers),
  }));
}

/**
 * Returns the fields of the entity in its order, then the unknown members. If a field occurs more than
 * once, the last one counts.
 */
function readEntity(schema: ObjectSchema, members: Members, compatibility: RequestCompatibility): Field[] {
  const columnOf = columnFinder(schema.fields.map(({ name }) => name));
  const known = new Map<string, JsonNode>();
  const unknown = new Map<string, JsonNode>();
  for (const [name, node] of members) {
    const column = columnOf(name);
    if (column === undefined) unknown.set(name, node);
    else if (column === name || !members.has(column)) known.set(column, node);
  }
  const fields: Field[] = [];
  for (const { name, type } of schema.fields) {
    const node = known.get(name);
    if (node !== undefined) fields.push({ name, value: readField(type, node, name, 'boxed', compatibility) });
    // Ignite treats fields missing from an entity's value as null (docs/differences.md, row 11).
    else if (schema.source === 'entityKey' || compatibility === 'reference') fields.push({ name, value: NULL });
  }
  return [...fields, ...readPlainFields(unknown, fieldNumbers(compatibility))];
}

/** Converts a field's value to its declared type as if its JSON were put, but without losing any part of it. */
export function convertField(type: FieldType, value: Value, name: string): Value {
  return readField(type, nodeOf(value), name, 'boxed', 'none');
}

/** How numbers with a fraction or exponent are read. */
export interface NumberRules {
  /** Numbers that a double would round become decimals. */
  readonly exact: boolean;
}

const DOUBLES: NumberRules = { exact: false };
export const EXACT_NUMBERS: NumberRules = { exact: true };

/** Fields of custom types are doubles in requests that Ignite also has (docs/spec/contract.md 2.2). */
function fieldNumbers(compatibility: RequestCompatibility): NumberRules {
  return compatibility === 'none' ? EXACT_NUMBERS : DOUBLES;
}

/** Returns the value of plain JSON: an integer, long or bigInteger, double or decimal, string, boolean, list or map. */
export function readPlain(node: JsonNode, numbers: NumberRules): Value {
  switch (node.kind) {
    case 'null':
      return NULL;
    case 'boolean':
      return node.value ? TRUE : FALSE;
    case 'string':
      return text(node.value);
    case 'number':
      return readPlainNumber(node.text, numbers);
    case 'array':
      return { type: 'list', data: readItems(node.items, numbers) };
    case 'object':
      return { type: 'map', data: readEntries(node.members, numbers) };
  }
}

function readItems(items: readonly JsonNode[], numbers: NumberRules): Value[] {
  return items.map((item) => readPlain(item, numbers));
}

function readEntries(members: Members, numbers: NumberRules): Array<readonly [Value, Value]> {
  const entries: Array<readonly [Value, Value]> = [];
  for (const [name, node] of members) entries.push([text(name), readPlain(node, numbers)]);
  return entries;
}

function readPlainNumber(source: string, { exact }: NumberRules): Value {
  if (/[.eE]/.test(source)) {
    return exact && !isExactDouble(source) ? parseText('decimal', source) : { type: 'double', data: Number(source) };
  }
  if (source.length <= 9) return { type: 'integer', data: Number(source) + 0 };
  const data = BigInt(source);
  if (data >= -2147483648n && data <= 2147483647n) return { type: 'integer', data: Number(data) };
  return { type: data >= LONG_MIN && data <= LONG_MAX ? 'long' : 'bigInteger', data };
}

/** The replacement for null and the empty string: null, or 0 and false as for Java's primitive types. */
type Emptiness = 'boxed' | 'primitive';

function readField(
  type: FieldType,
  node: JsonNode,
  name: string,
  emptiness: Emptiness,
  compatibility: RequestCompatibility,
  numbers = fieldNumbers(compatibility),
): Value {
  try {
    if (type.kind === 'scalar') return readScalar(type.type, node, emptiness, compatibility);
    if (type.kind === 'array' && node.kind !== 'null') return readArray(type.element, node, 'primitive');
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    throw new ConversionFailure(`field ${name}: ${error.reason}`, error.javaReason);
  }
  if (type.kind === 'any' || type.kind === 'array' || node.kind === 'null') return readPlain(node, numbers);
  if (type.kind === 'list' ? node.kind !== 'array' : node.kind !== 'object')
    throw cannotRead({ name: type.kind, javaClass: type.kind }, node, name);
  return readPlain(node, numbers);
}

function readArray(element: ScalarTypeName, node: JsonNode, emptiness: Emptiness): ValueOf<'array'> {
  if (node.kind === 'string' && element === 'char') {
    return { type: 'array', element, data: node.value.split('').map((data) => ({ type: 'char', data })) };
  }
  if (node.kind !== 'array') throw cannotRead(scalarNamed(element, '[]'), node);
  return { type: 'array', element, data: node.items.map((item) => readScalar(element, item, emptiness)) };
}

/** Converts a node to a scalar type with Ignite's coercions. */
export function readScalar(
  type: ScalarTypeName,
  node: JsonNode,
  emptiness: Emptiness,
  compatibility: RequestCompatibility = 'none',
): Value {
  if (node.kind === 'null') return emptyValue(type, emptiness);
  if (node.kind === 'string') {
    return readScalarText(type, dateForm(compatibility, type, node.value), emptiness);
  }
  if (type === 'string' && node.kind === 'boolean') return text(String(node.value));
  if (type === 'boolean' && node.kind === 'boolean') return node.value ? TRUE : FALSE;
  if (node.kind === 'number') return readScalarNumber(type, node);
  if (type === 'bytes' && node.kind === 'array') return readByteArray(node);
  throw cannotRead(scalarNamed(type), node);
}

function readByteArray(node: JsonNode & { readonly kind: 'array' }): Value {
  const data = new Uint8Array(node.items.length);
  node.items.forEach((item, index) => {
    const value = readScalar('byte', item, 'primitive');
    data[index] = value.type === 'byte' ? value.data : 0;
  });
  return { type: 'bytes', data };
}

function readScalarText(type: ScalarTypeName, source: string, emptiness: Emptiness): Value {
  switch (SCALAR_TRAITS[type].jsonString) {
    case 'exact':
      return parseText(type, source);
    case 'emptyIsNull':
      return source === '' ? NULL : parseText(type, source);
    case 'trimmed': {
      const trimmed = trimJava(source);
      return trimmed === '' ? emptyValue(type, emptiness) : parseText(type, trimmed);
    }
  }
}

function emptyValue(type: ScalarTypeName, emptiness: Emptiness): Value {
  return emptiness === 'boxed' ? NULL : (SCALAR_TRAITS[type].primitive?.zero ?? NULL);
}

function readScalarNumber(type: ScalarTypeName, node: JsonNode & { readonly kind: 'number' }): Value {
  const traits = SCALAR_TRAITS[type];
  const value = traits.fromJsonNumber(node.text);
  if (value === undefined) throw cannotRead(scalarNamed(type), node);
  return value;
}

/** Reads the JSON of a Java library class. Null and empty strings for numbers and dates return null. */
export function readJava(shape: JavaShape, jsonText: string, numbers = EXACT_NUMBERS): Value {
  const node = readJson(jsonText, JSON_BOUNDS.values);
  if (node.kind === 'null') return NULL;
  switch (shape.kind) {
    case 'any':
      return readPlain(node, numbers);
    case 'number':
      return readNumber(node, numbers);
    case 'scalar':
      return readScalar(shape.type, node, 'boxed');
    case 'list':
      if (node.kind !== 'array') throw cannotRead(LIST, node);
      return { type: 'list', data: readItems(node.items, numbers), ...(shape.as && { kind: shape.as }) };
    case 'set':
      if (node.kind !== 'array') throw cannotRead(SET, node);
      return setOf(readItems(node.items, numbers), shape.as);
    case 'map':
      if (node.kind !== 'object') throw cannotRead(MAP, node);
      return readMap(node.members, shape, numbers);
    case 'array':
      return shape.element === 'object'
        ? readObjectArray(node, numbers)
        : shape.boxed
          ? { ...readArray(shape.element, node, 'boxed'), boxed: true }
          : readArray(shape.element, node, 'primitive');
  }
}

function readObjectArray(node: JsonNode, numbers: NumberRules): Value {
  if (node.kind !== 'array') throw cannotRead(OBJECTS, node);
  return { type: 'array', element: 'object', data: readItems(node.items, numbers) };
}

function readNumber(node: JsonNode, numbers: NumberRules): Value {
  if (node.kind === 'number') return readPlain(node, numbers);
  if (node.kind !== 'string') throw cannotRead(NUMBER, node);
  const trimmed = trimJava(node.value);
  if (trimmed === '') return NULL;
  if (/^-?[0-9]{1,1000}$/.test(trimmed)) return readPlainNumber(trimmed, numbers);
  return { type: 'double', data: parseDouble(trimmed) };
}

/** Returns a set of the distinct items in their order, or a sorted set in the order of its values. */
export function setOf(items: readonly Value[], kind: ListKind): ValueOf<'list'> {
  const unique = new Map<string, Value>();
  for (const item of items) {
    const key = keyOf(item);
    if (!unique.has(key)) unique.set(key, item);
  }
  const data = [...unique.values()];
  return { type: 'list', data: kind === 'treeSet' ? data.sort(compareValues) : data, kind };
}

function readMap(members: Members, shape: JavaShape & { readonly kind: 'map' }, numbers: NumberRules): ValueOf<'map'> {
  const entries: Array<readonly [Value, Value]> = [];
  for (const [name, node] of members) {
    if (node.kind === 'null' && shape.values !== 'any') throw illegalArgumentFailure(`Null value of "${name}"`);
    entries.push([
      text(name),
      shape.values === 'text' ? readScalar('string', node, 'boxed') : readPlain(node, numbers),
    ]);
  }
  if (shape.as === 'treeMap') entries.sort((left, right) => compareValues(left[0], right[0]));
  return { type: 'map', data: entries, ...(shape.as && { kind: shape.as }) };
}

const NODE_NAMES: { readonly [K in JsonNode['kind']]: string } = {
  null: 'null',
  boolean: 'Boolean',
  number: 'Number',
  string: 'String',
  array: 'Array',
  object: 'Object',
};

/** A type in this service's words, and its Java class for Ignite's text. */
interface NamedType {
  readonly name: string;
  readonly javaClass: string;
}

const LIST: NamedType = { name: 'list', javaClass: 'java.util.List' };
const SET: NamedType = { name: 'set', javaClass: 'java.util.Set' };
const MAP: NamedType = { name: 'map', javaClass: 'java.util.Map' };
const OBJECTS: NamedType = { name: 'any[]', javaClass: 'java.lang.Object[]' };
const NUMBER: NamedType = { name: 'number', javaClass: 'java.lang.Number' };

function scalarNamed(type: ScalarTypeName, suffix = ''): NamedType {
  return { name: `${type}${suffix}`, javaClass: `${SCALAR_TRAITS[type].javaClass}${suffix}` };
}

function cannotRead(type: NamedType, node: JsonNode, field?: string): ConversionFailure {
  const place = field === undefined ? '' : ` (field ${field})`;
  const kind = NODE_NAMES[node.kind];
  return illegalArgumentFailure(
    `a JSON ${kind.toLowerCase()} is no ${type.name}${place}`,
    `Cannot read value of type \`${type.javaClass}\` from ${kind} value${place}`,
  );
}
