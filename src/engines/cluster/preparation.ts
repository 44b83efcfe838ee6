/**
 * Makes custom values ready to be written: a field takes the type that the cluster has for it (its type's metadata
 * first, then the cache's query entity), a conflict is refused before anything is sent, and what is new of the type is
 * registered before the first object of that form is written.
 */
import { fail } from '../../base/errors.ts';
import { ConversionFailure } from '../../values/conversion-failure.ts';
import { readScalar } from '../../values/custom.ts';
import { type JsonNode, writeJson } from '../../values/json.ts';
import { resolveType } from '../../values/type-names.ts';
import type { Field, ScalarTypeName, Value, ValueOf } from '../../values/value.ts';
import type { BinaryField, BinaryType, BinaryTypes, Shape } from './binary-types.ts';
import type { RemoteCache, RemoteEntity } from './cache-configuration.ts';
import { NodeRefusal } from './status.ts';
import { ARRAY_CODES, CODE } from './type-codes.ts';

/** What a cache's configuration says of types. */
export type TypeRules = Pick<RemoteCache, 'entities' | 'keyConfiguration'>;

/** The rules of a cache; known or on their way. */
export type TypeRulesSource = (cache: string) => TypeRules | Promise<TypeRules>;

/** Scalar type of a field's type code; codes that are absent here take what comes. */
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

/** Type code under which a field that holds this value is registered. */
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

/** True when writing the value needs no knowledge of types. */
function isPlain(value: Value): boolean {
  switch (value.type) {
    case 'object':
      return false;
    case 'list':
    case 'array':
      return value.data.every(isPlain);
    case 'map':
      return value.data.every(([key, element]) => isPlain(key) && isPlain(element));
    default:
      return true;
  }
}

export class Preparation {
  readonly #types: BinaryTypes;
  readonly #rulesOf: TypeRulesSource;

  constructor(types: BinaryTypes, rulesOf: TypeRulesSource) {
    this.#types = types;
    this.#rulesOf = rulesOf;
  }

  /** The value as it may be written into the cache. Refuses CONVERSION. */
  prepare(value: Value, cache: string): Value | Promise<Value> {
    if (isPlain(value) || this.#isReady(value)) return value;
    return this.#prepare(value, cache);
  }

  /** True when every object inside has a registered form and the registered types. */
  #isReady(value: Value): boolean {
    switch (value.type) {
      case 'object': {
        const shape = this.#types.shapeOf(value.typeName, value.fields);
        const type = this.#types.peek(shape.typeId);
        if (!shape.registered || !type) return false;
        const codes = codesById(type);
        return value.fields.every(
          (field, index) => fits(field.value, codes.get(shape.fieldIds[index] ?? 0)) && this.#isReady(field.value),
        );
      }
      case 'list':
      case 'array':
        return value.data.every((element) => this.#isReady(element));
      case 'map':
        return value.data.every(([key, element]) => this.#isReady(key) && this.#isReady(element));
      default:
        return true;
    }
  }

  async #prepare(value: Value, cache: string): Promise<Value> {
    switch (value.type) {
      case 'object':
        return this.#prepareObject(value, cache);
      case 'list':
        return { type: 'list', data: await this.#prepareAll(value.data, cache) };
      case 'array':
        return { ...value, data: await this.#prepareAll(value.data, cache) };
      case 'map': {
        const pairs: Array<readonly [Value, Value]> = [];
        for (const [key, element] of value.data) {
          pairs.push([await this.#prepare(key, cache), await this.#prepare(element, cache)]);
        }
        return { type: 'map', data: pairs };
      }
      default:
        return value;
    }
  }

  async #prepareAll(values: readonly Value[], cache: string): Promise<Value[]> {
    const prepared: Value[] = [];
    for (const value of values) prepared.push(await this.#prepare(value, cache));
    return prepared;
  }

  async #prepareObject(value: ValueOf<'object'>, cache: string): Promise<Value> {
    const typeId = this.#types.typeIdOf(value.typeName);
    if (this.#types.peek(typeId) === undefined) await this.#types.fetch(typeId);
    const known = this.#types.peek(typeId) ?? undefined;
    const { entities, keyConfiguration } = await this.#rulesOf(cache);
    const entity = entities.find((each) => this.#types.typeIdOf(each.valueType) === typeId);
    const key = keyConfiguration.find((each) => this.#types.typeIdOf(each.typeName) === typeId);
    const typeName = known?.name ?? entity?.valueType ?? value.typeName;
    if (typeName !== value.typeName && !entity) {
      throw fail('CONVERSION', value.typeName, shown(value), `the cluster knows this type as ${typeName}`);
    }
    const codes = known ? codesById(known) : new Map<number, number>();
    const shape = this.#types.shapeOf(typeName, value.fields);
    if (new Set(shape.fieldIds).size < shape.fieldIds.length) {
      throw fail('CONVERSION', typeName, shown(value), 'names of fields must differ by more than their case');
    }
    const fields: Field[] = [];
    for (const [index, field] of value.fields.entries()) {
      const code = codes.get(shape.fieldIds[index] ?? 0);
      try {
        const coerced = code === undefined ? coerceToEntity(field, entity) : coerceToCode(field.value, code);
        fields.push({ name: field.name, value: await this.#prepare(coerced, cache) });
      } catch (error) {
        if (!(error instanceof ConversionFailure)) throw error;
        throw fail('CONVERSION', typeName, shown(value), `${error.reason} (field ${field.name})`);
      }
    }
    const prepared: ValueOf<'object'> = { type: 'object', typeName, fields };
    await this.#register(prepared, shape, known, key?.affinityField);
    return prepared;
  }

  /** Tells the cluster what it does not know of the type yet. */
  async #register(
    value: ValueOf<'object'>,
    shape: Shape,
    known: BinaryType | undefined,
    affinityField: string | undefined,
  ): Promise<void> {
    if (
      known?.schemas.has(shape.schemaId) &&
      shape.fieldIds.every((id) => known.fields.some((each) => each.id === id))
    ) {
      shape.registered = true;
      return;
    }
    const fields: BinaryField[] = [...(known?.fields ?? [])];
    for (const [index, field] of value.fields.entries()) {
      const id = shape.fieldIds[index] ?? 0;
      if (fields.some((each) => each.id === id)) continue;
      fields.push({ name: field.name, typeCode: fieldCodeOf(field.value), id });
    }
    try {
      await this.#types.register({
        typeId: shape.typeId,
        name: value.typeName,
        affinityField: known ? known.affinityField : affinityField,
        fields,
        isEnum: false,
        enumNames: new Map(),
        schemas: new Map([[shape.schemaId, shape.fieldIds]]),
      });
    } catch (error) {
      await this.#types.fetch(shape.typeId);
      if (!(error instanceof NodeRefusal) || !/different|incorrect|type/.test(error.message)) throw error;
      throw fail('CONVERSION', value.typeName, shown(value), error.message);
    }
    shape.registered = true;
  }
}

function codesById(type: BinaryType): ReadonlyMap<number, number> {
  return new Map(type.fields.map((field) => [field.id, field.typeCode]));
}

/** True when a field of this type takes the value as it is. */
function fits(value: Value, code: number | undefined): boolean {
  if (code === undefined) return false;
  return value.type === 'null' || code === CODE.OBJECT || fieldCodeOf(value) === code;
}

/** The value as the field's type has it, by the reference's coercions. Throws ConversionFailure. */
function coerceToCode(value: Value, code: number): Value {
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
  throw new ConversionFailure(
    `java.lang.IllegalArgumentException: Wrong value has been set [actualType=${value.type}, typeCode=${code}]`,
  );
}

/** The field as the cache's query entity declares it; as it is where it declares nothing that JSON maps to. */
function coerceToEntity(field: Field, entity: RemoteEntity | undefined): Value {
  const folded = field.name.toLowerCase();
  const declared = entity?.fields.find((each) => each.name.toLowerCase() === folded);
  const { value } = field;
  if (!declared || value.type === 'null') return value;
  const face = resolveType(declared.javaType, 'ignite');
  if (face.kind === 'scalar') return coerceToScalar(face.type, value);
  if (face.kind === 'java' && face.shape.kind === 'scalar') return coerceToScalar(face.shape.type, value);
  if (face.kind === 'java' && face.shape.kind === 'array' && face.shape.element !== 'object') {
    return coerceToCode(value, ARRAY_CODES[face.shape.element]);
  }
  return value;
}

function coerceToScalar(type: ScalarTypeName, value: Value): Value {
  return value.type === type ? value : readScalar(type, nodeOf(value), 'boxed');
}

/** The JSON that a value came from, as far as coercions look at it. */
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

const SHOWN_CHARACTERS = 1_000;

function shown(value: Value): string {
  const json = writeJson(value);
  return json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS)}...` : json;
}
