/**
 * Maps JSON members onto an instance of one of the nodes' classes, as Ignite's HTTP interface does
 * (docs/spec/ignite-data.md 5.1).
 */
import { illegalArgumentFailure } from '../../../values/conversion-failure.ts';
import { isScalar, SCALAR_TRAITS } from '../../../values/scalar-traits.ts';
import { type Field, NULL, type Value, type ValueOf } from '../../../values/value.ts';
import type { BinaryTypes } from './type-metadata.ts';

/** A new instance of one of the nodes' classes, as an object value. */
export type Instance = ValueOf<'object'>;

/** Returns a value in the form of the named field's declared class, or unchanged if that cannot be determined. */
export type ConvertField = (fieldName: string, value: Value) => Promise<Value>;

/**
 * Returns the instance with its fields in order and with the values of `object` where present. Members that the class
 * does not have are dropped. Values of fields that are null in the instance are converted. The caller coerces values to
 * the registered types. Throws ConversionFailure.
 */
export async function mapOntoInstance(
  instance: Instance,
  object: ValueOf<'object'>,
  types: BinaryTypes,
  convert: ConvertField,
): Promise<ValueOf<'object'>> {
  const members = new Map(object.fields.map(({ name, value }) => [name, value]));
  const fields: Field[] = [];
  for (const field of instance.fields) {
    const value = members.get(field.name);
    fields.push(
      value === undefined ? field : { name: field.name, value: await mapField(value, field, types, convert) },
    );
  }
  return { type: 'object', typeName: instance.typeName, fields };
}

/** `field` has the value of a new instance, which identifies primitive types and the types of objects. */
async function mapField(value: Value, field: Field, types: BinaryTypes, convert: ConvertField): Promise<Value> {
  const initial = field.value;
  if (isScalar(initial)) return value.type === 'null' ? (SCALAR_TRAITS[initial.type].primitive?.zero ?? value) : value;
  switch (initial.type) {
    case 'object':
      return value.type === 'map' ? ofType(initial.typeName, value) : value;
    case 'enum':
      return value.type === 'string' ? constant(initial.typeName, value.data, types) : value;
    case 'null': {
      const converted = value.type === 'null' ? value : await convert(field.name, value);
      const named = converted.type === 'enum' && converted.ordinal < 0 ? converted.name : undefined;
      return converted.type === 'enum' && named !== undefined ? constant(converted.typeName, named, types) : converted;
    }
    case 'array':
    case 'list':
    case 'map':
    case 'opaque':
      return value;
  }
}

function ofType(typeName: string, map: ValueOf<'map'>): Value {
  const fields = map.data.map(([key, value]) => ({ name: key.type === 'string' ? key.data : '', value }));
  return { type: 'object', typeName, fields };
}

/** Returns the constant of an enumeration by name. */
async function constant(typeName: string, name: string, types: BinaryTypes): Promise<Value> {
  if (name === '') return NULL;
  const typeId = types.typeIdOf(typeName);
  if (types.peek(typeId) === undefined) await types.fetch(typeId);
  for (const [ordinal, each] of types.peek(typeId)?.enumNames ?? []) {
    if (each === name) return { type: 'enum', typeName, ordinal, name };
  }
  throw illegalArgumentFailure(`Cannot read value of type \`${typeName}\` from "${name}": no such constant`);
}
