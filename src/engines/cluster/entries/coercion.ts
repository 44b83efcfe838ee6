/**
 * Converts a field's value to the type that the cluster has registered for the field, with Ignite's coercions
 * (docs/spec/ignite-data.md 5.1).
 */
import type { RequestCompatibility } from '../../../base/compatibility.ts';
import { illegalArgumentFailure } from '../../../values/conversion-failure.ts';
import { readScalar, settleNumber } from '../../../values/custom.ts';
import { isScalar } from '../../../values/scalar-traits.ts';
import { resolveType } from '../../../values/type-names.ts';
import type { Field, ScalarTypeName, Value } from '../../../values/value.ts';
import { nodeOf } from '../../../values/value-nodes.ts';
import type { RemoteEntity } from '../operations/cache-configuration.ts';
import { ARRAY_CODES, CODE, ELEMENT_OF_CODE, FIELD_CODES, SCALAR_OF_CODE } from '../protocol/type-codes.ts';
import { isTyped } from './field-classes.ts';

/** Returns the type code with which a field with this value is registered. */
export function fieldCodeOf(value: Value): number {
  if (isScalar(value)) return FIELD_CODES[value.type];
  switch (value.type) {
    case 'array':
      return ARRAY_CODES[value.element];
    case 'list':
      return CODE.COLLECTION;
    case 'map':
      return CODE.MAP;
    case 'enum':
      return CODE.ENUM;
    case 'null':
    case 'object':
    case 'opaque':
      return CODE.OBJECT;
  }
}

/** Reports whether a field of this type accepts the value unchanged. */
export function fits(value: Value, code: number | undefined): boolean {
  if (code === undefined) return false;
  if (code === CODE.WRAPPED) return value.type === 'null' || value.type === 'gridUuid';
  return value.type === 'null' || code === CODE.OBJECT || fieldCodeOf(value) === code;
}

/**
 * Reports whether the cluster's type of a field says nothing about a value of plain JSON, which then has the type that
 * the cache declares: a field is new, or was null when the cluster registered it.
 */
export function isOpen(value: Value, code: number | undefined): code is undefined | typeof CODE.OBJECT {
  if (code !== CODE.OBJECT || value.type === 'null') return code === undefined;
  return value.type === 'decimal' || value.type === 'bigInteger' || !isTyped(value);
}

/** Converts a value to the field's type with Ignite's coercions. Throws ConversionFailure. */
export function coerceToCode(value: Value, code: number, compatibility?: RequestCompatibility): Value {
  if (fits(value, code)) return value;
  // Ignite's own classes have only this one among their values.
  const scalar = code === CODE.WRAPPED ? 'gridUuid' : SCALAR_OF_CODE.get(code);
  if (scalar) return readScalar(scalar, nodeOf(value), 'boxed', compatibility);
  const element = ELEMENT_OF_CODE.get(code);
  if (element === 'char' && value.type === 'string') {
    return { type: 'array', element, data: value.data.split('').map((data) => ({ type: 'char', data })) };
  }
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
 * Converts a field's value to the type that the cache's query entity declares. If the entity declares no type that JSON
 * maps to, returns the value implied by JSON: for requests that Ignite also has, a double (docs/spec/contract.md 2.2).
 */
export function coerceToEntity(
  field: Field,
  entity: RemoteEntity | undefined,
  compatibility?: RequestCompatibility,
): Value {
  const folded = field.name.toLowerCase();
  const declared = entity?.fields.find((each) => each.name.toLowerCase() === folded);
  const { value } = field;
  if (value.type === 'null') return value;
  return (declared && coerceToClass(declared.javaType, value, compatibility)) ?? settleNumber(value, compatibility);
}

/** Returns undefined for a class that JSON does not map to. */
function coerceToClass(
  javaType: string,
  value: Value,
  compatibility: RequestCompatibility | undefined,
): Value | undefined {
  const resolved = resolveType(javaType, 'ignite');
  if (resolved.kind === 'scalar') return coerceToScalar(resolved.type, value, compatibility);
  if (resolved.kind === 'java' && resolved.shape.kind === 'scalar')
    return coerceToScalar(resolved.shape.type, value, compatibility);
  if (resolved.kind === 'java' && resolved.shape.kind === 'array' && resolved.shape.element !== 'object') {
    return coerceToCode(value, ARRAY_CODES[resolved.shape.element]);
  }
  return undefined;
}

function coerceToScalar(type: ScalarTypeName, value: Value, compatibility: RequestCompatibility | undefined): Value {
  return value.type === type ? value : readScalar(type, nodeOf(value), 'boxed', compatibility);
}
