/**
 * Converts a field's value to the type that the cluster has for the field, by Ignite's coercions
 * (docs/spec/ignite-data.md 5.1).
 */
import { illegalArgumentFailure } from '../../../values/conversion-failure.ts';
import { readScalar } from '../../../values/custom.ts';
import { type JsonNode, writeJson } from '../../../values/json.ts';
import { resolveType } from '../../../values/type-names.ts';
import type { Field, ScalarTypeName, Value } from '../../../values/value.ts';
import type { RemoteEntity } from '../operations/cache-configuration.ts';
import { ARRAY_CODES, CODE } from '../protocol/type-codes.ts';

/** Scalar type of a field's type code. Fields with other codes accept any value. */
const SCALAR_OF_CODE: ReadonlyMap<number, ScalarTypeName> = new Map<number, ScalarTypeName>([
  [CODE.BYTE, 'byte'],
  [CODE.SHORT, 'short'],
  [CODE.INT, 'integer'],
  [CODE.LONG, 'long'],
  [CODE.FLOAT, 'float'],
  [CODE.DOUBLE, 'double'],
  [CODE.CHAR, 'char'],
  [CODE.BOOLEAN, 'boolean'],
  [CODE.STRING, 'string'],
  [CODE.UUID, 'uuid'],
  [CODE.DATE, 'instant'],
  [CODE.DECIMAL, 'decimal'],
  [CODE.TIMESTAMP, 'timestamp'],
  [CODE.TIME, 'time'],
  [CODE.BYTE_ARRAY, 'bytes'],
]);

/** Element type of an array field's type code. */
const ELEMENT_OF_CODE: ReadonlyMap<number, ScalarTypeName> = new Map<number, ScalarTypeName>([
  [CODE.SHORT_ARRAY, 'short'],
  [CODE.INT_ARRAY, 'integer'],
  [CODE.LONG_ARRAY, 'long'],
  [CODE.FLOAT_ARRAY, 'float'],
  [CODE.DOUBLE_ARRAY, 'double'],
  [CODE.CHAR_ARRAY, 'char'],
  [CODE.BOOLEAN_ARRAY, 'boolean'],
  [CODE.STRING_ARRAY, 'string'],
  [CODE.UUID_ARRAY, 'uuid'],
  [CODE.DATE_ARRAY, 'instant'],
  [CODE.DECIMAL_ARRAY, 'decimal'],
  [CODE.TIMESTAMP_ARRAY, 'timestamp'],
  [CODE.TIME_ARRAY, 'time'],
]);

/** Returns the type code under which a field with this value is registered. */
export function fieldCodeOf(value: Value): number {
  switch (value.type) {
    case 'byte':
      return CODE.BYTE;
    case 'short':
      return CODE.SHORT;
    case 'integer':
      return CODE.INT;
    case 'long':
      return CODE.LONG;
    case 'float':
      return CODE.FLOAT;
    case 'double':
      return CODE.DOUBLE;
    case 'char':
      return CODE.CHAR;
    case 'boolean':
      return CODE.BOOLEAN;
    case 'string':
      return CODE.STRING;
    case 'uuid':
      return CODE.UUID;
    case 'instant':
      return CODE.DATE;
    case 'decimal':
      return CODE.DECIMAL;
    case 'timestamp':
      return CODE.TIMESTAMP;
    case 'time':
      return CODE.TIME;
    case 'bytes':
      return CODE.BYTE_ARRAY;
    case 'array':
      return ARRAY_CODES[value.element];
    case 'list':
      return CODE.COLLECTION;
    case 'map':
      return CODE.MAP;
    case 'enum':
      return CODE.ENUM;
    case 'null':
    case 'date':
    case 'gridUuid':
    case 'bigInteger':
    case 'object':
    case 'opaque':
      return CODE.OBJECT;
  }
}

/** Returns whether a field of this type accepts the value unchanged. */
export function fits(value: Value, code: number | undefined): boolean {
  if (code === undefined) return false;
  return value.type === 'null' || code === CODE.OBJECT || fieldCodeOf(value) === code;
}

/** Returns the value in the field's type, by Ignite's coercions. Throws ConversionFailure. */
export function coerceToCode(value: Value, code: number): Value {
  if (fits(value, code)) return value;
  const scalar = SCALAR_OF_CODE.get(code);
  if (scalar) return readScalar(scalar, nodeOf(value), 'boxed');
  const element = ELEMENT_OF_CODE.get(code);
  if (element && (value.type === 'list' || value.type === 'array')) {
    const data = value.data.map((each) => (each.type === element ? each : readScalar(element, nodeOf(each), 'boxed')));
    return { type: 'array', element, data };
  }
  if (code === CODE.COLLECTION && value.type === 'array') return { type: 'list', data: value.data };
  if (code === CODE.OBJECT_ARRAY && value.type === 'list')
    return { type: 'array', element: 'object', data: value.data };
  throw illegalArgumentFailure(
    `the field has another type on the cluster [actualType=${value.type}, typeCode=${code}]`,
    `Wrong value has been set [actualType=${value.type}, typeCode=${code}]`,
  );
}

/**
 * Returns the field's value in the type that the cache's query entity declares; unchanged where it declares none that
 * JSON maps to.
 */
export function coerceToEntity(field: Field, entity: RemoteEntity | undefined): Value {
  const folded = field.name.toLowerCase();
  const declared = entity?.fields.find((each) => each.name.toLowerCase() === folded);
  const { value } = field;
  if (!declared || value.type === 'null') return value;
  const resolved = resolveType(declared.javaType, 'ignite');
  if (resolved.kind === 'scalar') return coerceToScalar(resolved.type, value);
  if (resolved.kind === 'java' && resolved.shape.kind === 'scalar') return coerceToScalar(resolved.shape.type, value);
  if (resolved.kind === 'java' && resolved.shape.kind === 'array' && resolved.shape.element !== 'object') {
    return coerceToCode(value, ARRAY_CODES[resolved.shape.element]);
  }
  return value;
}

function coerceToScalar(type: ScalarTypeName, value: Value): Value {
  return value.type === type ? value : readScalar(type, nodeOf(value), 'boxed');
}

/** Returns the JSON from which a value was parsed, as far as coercions depend on it. */
function nodeOf(value: Value): JsonNode {
  const json = writeJson(value);
  switch (value.type) {
    case 'null':
      return { kind: 'null' };
    case 'boolean':
      return { kind: 'boolean', value: value.data };
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'bigInteger':
    case 'decimal':
      return { kind: 'number', text: json };
    case 'float':
    case 'double':
      return Number.isFinite(value.data)
        ? { kind: 'number', text: json }
        : { kind: 'string', value: String(value.data) };
    case 'list':
    case 'array':
      return { kind: 'array', items: value.data.map(nodeOf), start: 0, end: 0 };
    case 'map':
    case 'object':
      return { kind: 'object', members: new Map(), start: 0, end: 0 };
    case 'string':
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
    case 'bytes':
    case 'enum':
    case 'opaque':
      return { kind: 'string', value: json.startsWith('"') ? textOf(value, json) : json };
  }
}

function textOf(value: Value, json: string): string {
  return value.type === 'string' || value.type === 'char' ? value.data : json.slice(1, -1);
}
