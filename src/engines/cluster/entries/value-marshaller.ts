/**
 * Prepares custom values for writing. A field is converted to the cluster's type for it, from the type's metadata or
 * otherwise the cache's query entity; a conflict is rejected before anything is sent. A new schema is registered before
 * its first object is written.
 */
import { gridError } from '../../../base/errors.ts';
import { ConversionFailure } from '../../../values/conversion-failure.ts';
import { writeJson } from '../../../values/json.ts';
import { isScalar } from '../../../values/scalar-traits.ts';
import type { Field, Value, ValueOf } from '../../../values/value.ts';
import { type Instance, mapOntoInstance } from '../binary/class-mapping.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { BinaryField, BinaryType, BinaryTypes, Shape } from '../binary/type-metadata.ts';
import type { TypeRules } from '../operations/cache-configuration.ts';
import { NodeError } from '../protocol/status.ts';
import { CODE } from '../protocol/type-codes.ts';
import type { ClassTemplates } from './class-templates.ts';
import { coerceToCode, coerceToEntity, fieldCodeOf, fits, isOpen } from './coercion.ts';
import { isTyped } from './field-classes.ts';

/** Returns the rules of a cache, or a promise while they are fetched. */
export type TypeRulesSource = (cache: string) => TypeRules | Promise<TypeRules>;

/** Type codes that do not determine a field's class. */
const OPEN_CODES: ReadonlySet<number> = new Set([CODE.OBJECT, CODE.OBJECT_ARRAY, CODE.COLLECTION, CODE.MAP, CODE.ENUM]);

/** Reports whether the value can be written without metadata. */
function isPlain(value: Value): boolean {
  if (value.type === 'string') return true;
  if (isScalar(value)) return true;
  switch (value.type) {
    case 'object':
      return false;
    case 'list':
    case 'array':
      return value.data.every(isPlain);
    case 'map':
      return value.data.every(([key, element]) => isPlain(key) && isPlain(element));
    case 'null':
    case 'enum':
    case 'opaque':
      return true;
  }
}

export class ValueMarshaller {
  readonly #types: BinaryTypes;
  readonly #rulesOf: TypeRulesSource;
  /** Types of fields never change once they are registered. */
  readonly #openFields = new WeakMap<Instance, ReadonlySet<string>>();
  /** undefined if objects are always written with their own fields. */
  readonly #classes: ClassTemplates | undefined;

  constructor(types: BinaryTypes, rulesOf: TypeRulesSource, classes?: ClassTemplates) {
    this.#types = types;
    this.#rulesOf = rulesOf;
    this.#classes = classes;
  }

  /** Reports whether the value is written unchanged. */
  isPrepared(value: Value): boolean {
    return isPlain(value) || this.#isReady(value);
  }

  /** Returns the value to write into the cache. Throws or rejects with CONVERSION. */
  prepare(value: Value, cache: string): Value | Promise<Value> {
    return this.isPrepared(value) ? value : this.#prepare(value, cache);
  }

  /** Reports whether every object in the value has a registered schema and the registered field types. */
  #isReady(value: Value): boolean {
    if (isScalar(value)) return true;
    switch (value.type) {
      case 'object': {
        const shape = this.#types.shapeOf(value.typeName, value.fields);
        const type = this.#types.peek(shape.typeId);
        if (!shape.registered || !type || !this.#matchesClass(value)) return false;
        const codes = codesById(type);
        return value.fields.every(
          (field, index) => isFinal(field.value, codes.get(shape.fieldIds[index] ?? 0)) && this.#isReady(field.value),
        );
      }
      case 'list':
      case 'array':
        return value.data.every((element) => this.#isReady(element));
      case 'map':
        return value.data.every(([key, element]) => this.#isReady(key) && this.#isReady(element));
      case 'null':
      case 'enum':
      case 'opaque':
        return true;
    }
  }

  /** Reports whether the object has exactly the fields of its class. */
  #matchesClass(value: ValueOf<'object'>): boolean {
    if (!this.#classes) return true;
    const instance = this.#classes.peek(value.typeName);
    if (instance === undefined || instance === 'none') return instance === 'none';
    const open = this.#openFieldsOf(instance);
    return (
      open !== undefined &&
      instance.fields.length === value.fields.length &&
      instance.fields.every((field, index) => isMapped(field, value.fields[index], open))
    );
  }

  async #prepare(value: Value, cache: string): Promise<Value> {
    if (isScalar(value)) return value;
    switch (value.type) {
      case 'object':
        return this.#prepareObject(value, cache);
      case 'list':
        return { ...value, data: await this.#prepareAll(value.data, cache) };
      case 'array':
        return { ...value, data: await this.#prepareAll(value.data, cache) };
      case 'map': {
        const pairs: Array<readonly [Value, Value]> = [];
        for (const [key, element] of value.data) {
          pairs.push([await this.#prepare(key, cache), await this.#prepare(element, cache)]);
        }
        return { ...value, data: pairs };
      }
      case 'null':
      case 'enum':
      case 'opaque':
        return value;
    }
  }

  async #prepareAll(values: readonly Value[], cache: string): Promise<Value[]> {
    const prepared: Value[] = [];
    for (const value of values) prepared.push(await this.#prepare(value, cache));
    return prepared;
  }

  async #prepareObject(original: ValueOf<'object'>, cache: string): Promise<Value> {
    const value = await this.#toClass(original, cache);
    const typeId = this.#types.typeIdOf(value.typeName);
    if (this.#types.peek(typeId) === undefined) await this.#types.fetch(typeId);
    const known = this.#types.peek(typeId) ?? undefined;
    const { entities, keyConfiguration } = await this.#rulesOf(cache);
    const isType = (name: string): boolean => this.#types.typeIdOf(name) === typeId;
    // An entity also declares the fields of its keys.
    const entity =
      entities.find(({ valueType }) => isType(valueType)) ?? entities.find(({ keyType }) => isType(keyType));
    const declared = entity && (isType(entity.valueType) ? entity.valueType : entity.keyType);
    const key = keyConfiguration.find((each) => this.#types.typeIdOf(each.typeName) === typeId);
    const typeName = known?.name ?? declared ?? value.typeName;
    if (typeName !== value.typeName && !entity) {
      throw gridError('CONVERSION', value.typeName, writeJson(original), `the cluster knows this type as ${typeName}`);
    }
    const codes = known ? codesById(known) : new Map<number, number>();
    const shape = this.#types.shapeOf(typeName, value.fields);
    if (new Set(shape.fieldIds).size < shape.fieldIds.length) {
      throw gridError(
        'CONVERSION',
        typeName,
        writeJson(original),
        'names of fields must differ by more than their case',
      );
    }
    const fields: Field[] = [];
    for (const [index, field] of value.fields.entries()) {
      const code = codes.get(shape.fieldIds[index] ?? 0);
      try {
        const coerced = isOpen(field.value, code)
          ? coerceToEntity(field, entity, original.follows)
          : coerceToCode(field.value, code, original.follows);
        fields.push({ name: field.name, value: await this.#prepare(coerced, cache) });
      } catch (error) {
        if (!(error instanceof ConversionFailure)) throw error;
        throw gridError('CONVERSION', typeName, writeJson(original), `${error.reason} (field ${field.name})`);
      }
    }
    const prepared: ValueOf<'object'> = { type: 'object', typeName, fields };
    await this.#register(prepared, shape, known, key?.affinityField);
    return prepared;
  }

  /** Returns the object with exactly the fields of its class, or unchanged if the nodes do not have the class. */
  async #toClass(value: ValueOf<'object'>, cache: string): Promise<ValueOf<'object'>> {
    const classes = this.#classes;
    const instance = await classes?.find(value.typeName, hashOfText(cache));
    if (classes === undefined || instance === undefined || instance === 'none') return value;
    if (this.#matchesClass(value)) return value;
    const { typeName: className } = instance;
    const codes = await this.#codesOf(className);
    const cacheId = hashOfText(cache);
    const convert = (name: string, member: Value): Promise<Value> =>
      classes.convert({ className, name, code: codes.get(name) }, member, cacheId);
    try {
      return await mapOntoInstance(instance, value, this.#types, convert);
    } catch (error) {
      if (!(error instanceof ConversionFailure)) throw error;
      throw gridError('CONVERSION', value.typeName, writeJson(value), error.reason);
    }
  }

  /**
   * Returns a class's fields whose declared class is not in the metadata, or undefined until the metadata
   * has been fetched.
   */
  #openFieldsOf(instance: Instance): ReadonlySet<string> | undefined {
    const known = this.#openFields.get(instance);
    if (known) return known;
    const fields = this.#types.peek(this.#types.typeIdOf(instance.typeName))?.fields;
    if (fields === undefined) return undefined;
    const open = new Set(fields.filter(({ typeCode }) => OPEN_CODES.has(typeCode)).map(({ name }) => name));
    this.#openFields.set(instance, open);
    return open;
  }

  /** Returns the type codes of a class's fields, by name. */
  async #codesOf(className: string): Promise<ReadonlyMap<string, number>> {
    const typeId = this.#types.typeIdOf(className);
    if (!this.#types.peek(typeId)) await this.#types.fetch(typeId);
    return new Map(this.#types.peek(typeId)?.fields.map(({ name, typeCode }) => [name, typeCode]));
  }

  /** Registers the fields and the schema that the cluster does not know yet. */
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
      if (!(error instanceof NodeError) || !/different|incorrect|type/.test(error.message)) throw error;
      throw gridError('CONVERSION', value.typeName, writeJson(value), error.message);
    }
    shape.registered = true;
  }
}

/** Returns whether an object's field belongs to its class and has a value of the declared class. */
function isMapped(fresh: Field, given: Field | undefined, open: ReadonlySet<string>): boolean {
  if (given === undefined || given.name !== fresh.name) return false;
  if (given.value.type === 'null') return !isScalar(fresh.value);
  return fresh.value.type !== 'null' || !open.has(fresh.name) || isTyped(given.value);
}

/** Reports whether a field that the cluster has registered has its type, regardless of the cache's declaration. */
function isFinal(value: Value, code: number | undefined): boolean {
  return fits(value, code) && !isOpen(value, code);
}

function codesById(type: BinaryType): ReadonlyMap<number, number> {
  return new Map(type.fields.map((field) => [field.id, field.typeCode]));
}
