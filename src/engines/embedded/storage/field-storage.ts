/**
 * Converts fields of query entities to storage values and back: the columns f1, f2 ... of the entry tables. SQL
 * compares, sorts, groups and indexes them unchanged (`src/engines/embedded/sql/DESIGN.md`). They differ from the
 * storage values of whole values (`value-storage.ts`) where equality in SQL differs from equality of values.
 */
import { type FieldType, NULL, type ScalarTypeName, type Value } from '../../../values/value.ts';
import { decodeDecimal, encodeDecimal } from './decimal-storage.ts';
import { decodeTimestamp, encodeTimestamp } from './timestamp-storage.ts';
import {
  type Binding,
  decodeScalar,
  decodeStructure,
  encodeScalar,
  encodeStructure,
  isScalar,
  type StorageValue,
  storageValueText,
} from './value-storage.ts';

const MS_TO_NS = 1_000_000n;

/**
 * Returns a field's storage value. The value must have been coerced to the declared type (entity types coerce at put).
 * The null value becomes NULL for every type. Throws for a value of another type.
 */
export function encodeField(type: FieldType, value: Value): Binding {
  if (value.type === 'null') return null;
  if (type.kind !== 'scalar') return encodeStructure(value);
  if (value.type !== type.type || !isScalar(value)) {
    throw new Error(`a ${value.type} cannot be stored in a field of type ${type.type}`);
  }
  switch (value.type) {
    case 'float':
    case 'double':
      // In a column, -0.0 equals 0.0 and keeps its sign as a number.
      return Number.isNaN(value.data) ? 'NaN' : value.data;
    case 'instant':
      return encodeTimestamp(BigInt(value.data) * MS_TO_NS);
    case 'bigInteger':
      return encodeDecimal({ unscaled: value.data, scale: 0 });
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'char':
    case 'string':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'uuid':
    case 'gridUuid':
    case 'decimal':
    case 'bytes':
      return encodeScalar(value);
  }
}

/** Returns a field's value; the null value for NULL. */
export function decodeField(type: FieldType, storageValue: StorageValue): Value {
  if (storageValue === null) return NULL;
  if (type.kind !== 'scalar') return decodeStructure(storageValue);
  const scalar: ScalarTypeName = type.type;
  if (scalar === 'instant')
    return { type: scalar, data: Number(decodeTimestamp(storageValueText(storageValue)) / MS_TO_NS) };
  if (scalar === 'bigInteger' && typeof storageValue === 'string')
    return { type: scalar, data: decodeDecimal(storageValue).unscaled };
  return decodeScalar(scalar, storageValue);
}
