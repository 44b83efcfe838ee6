/**
 * Determines the declared classes of fields that are null in a new instance of a node's class. Type metadata only has
 * the kind of such a field, and a node rejects an instance whose field has a value of a different class. The engine
 * therefore tries values of the possible classes until the node accepts one.
 */
import { LRUCache } from 'lru-cache';
import { illegalArgumentFailure } from '../../../values/conversion-failure.ts';
import { isScalar, parseText, SCALAR_TRAITS, SCALAR_TYPES } from '../../../values/scalar-traits.ts';
import {
  type ListKind,
  type MapKind,
  NULL,
  type ScalarTypeName,
  type Value,
  type ValueOf,
} from '../../../values/value.ts';
import { CODE } from '../protocol/type-codes.ts';

/** A field of a class on the nodes. */
export interface ClassField {
  readonly className: string;
  readonly name: string;
  /** Type code in the class's metadata. */
  readonly code: number | undefined;
}

/** The information that nodes reveal about a field. */
export interface FieldProbes {
  /** Returns whether the nodes create an instance whose field has this value. */
  accepts(field: ClassField, value: Value): Promise<boolean>;
  /** Returns whether the nodes create an instance whose field has a new instance of another class. */
  acceptsInstance(field: ClassField, className: string): Promise<boolean>;
  /** Returns the class of an enumeration's field, or undefined if it cannot be determined. */
  enumerationOf(field: ClassField): Promise<string | undefined>;
  /** Returns the classes known to the cluster that have fields with all these names. */
  classesWith(names: readonly string[]): Promise<readonly string[]>;
}

/** How JSON becomes a value of the field's class. */
type Form =
  | { readonly kind: 'asIs' }
  | { readonly kind: 'date' | 'bigInteger' }
  | { readonly kind: 'object' | 'array' | 'enum'; readonly className: string }
  | { readonly kind: 'list'; readonly list: ListKind }
  | { readonly kind: 'map'; readonly map: MapKind };

const AS_IS: Form = { kind: 'asIs' };
const CACHED_FORMS = 10_000;
/** Array element types that JSON numbers, booleans and strings can become, in order of trial. */
const ELEMENT_TYPES: { readonly [T in Value['type']]?: readonly ScalarTypeName[] } = {
  integer: ['integer', 'long', 'short', 'byte', 'double', 'float'],
  long: ['long', 'double', 'float'],
  double: ['double', 'float'],
  boolean: ['boolean'],
  string: ['char'],
};
const SCALAR_OF_CLASS: ReadonlyMap<string, ScalarTypeName> = new Map(
  SCALAR_TYPES.map((type) => [SCALAR_TRAITS[type].javaClass, type]),
);
const LIST_KINDS: readonly ListKind[] = ['hashSet', 'linkedHashSet', 'treeSet', 'linkedList'];

export class FieldClasses {
  readonly #forms = new LRUCache<string, Promise<Form>>({ max: CACHED_FORMS });

  /** Returns the value in the form of the field's class, or unchanged if the class cannot be determined. */
  async convert(field: ClassField, value: Value, probes: FieldProbes): Promise<Value> {
    if (isTyped(value)) return value;
    const names = memberNames(value);
    const key = [field.className, field.name, value.type, elementType(value), ...names].join('\u0000');
    let form = this.#forms.get(key);
    if (form === undefined) {
      form = determine(field, value, names, probes);
      this.#forms.set(key, form);
      form.catch(() => this.#forms.delete(key));
    }
    return apply(await form, value);
  }

  /** Allows everything to be determined again. Called when nodes have joined. */
  forget(): void {
    this.#forms.clear();
  }
}

async function determine(
  field: ClassField,
  value: Value,
  names: readonly string[],
  probes: FieldProbes,
): Promise<Form> {
  if (field.code === CODE.ENUM) {
    const className = value.type === 'string' ? await probes.enumerationOf(field) : undefined;
    return className === undefined ? AS_IS : { kind: 'enum', className };
  }
  if (field.code === CODE.OBJECT_ARRAY && value.type === 'list') return arrayForm(field, value, names, probes);
  if (field.code === CODE.COLLECTION && value.type === 'list') return listForm(field, probes);
  if (field.code === CODE.MAP && value.type === 'map') return mapForm(field, probes);
  if (field.code !== CODE.OBJECT || (await probes.accepts(field, emptyOf(value)))) return AS_IS;
  if (value.type === 'map') return objectForm(field, names, probes);
  if (value.type === 'list') return arrayForm(field, value, names, probes);
  const date: Value = { type: 'date', data: 0 };
  if (value.type === 'string' && (await probes.accepts(field, date))) return { kind: 'date' };
  const big: Value = { type: 'bigInteger', data: 0n };
  const isWhole = value.type === 'integer' || value.type === 'long';
  return isWhole && (await probes.accepts(field, big)) ? { kind: 'bigInteger' } : AS_IS;
}

/** Several classes can fit if the declared one has subclasses; then none is chosen. */
async function objectForm(field: ClassField, names: readonly string[], probes: FieldProbes): Promise<Form> {
  const fitting: string[] = [];
  for (const className of await probes.classesWith(names)) {
    if (await probes.acceptsInstance(field, className)) fitting.push(className);
  }
  const [className] = fitting;
  return className === undefined || fitting.length > 1 ? AS_IS : { kind: 'object', className };
}

async function arrayForm(
  field: ClassField,
  value: ValueOf<'list'>,
  names: readonly string[],
  probes: FieldProbes,
): Promise<Form> {
  if (await probes.accepts(field, { type: 'array', element: 'object', data: [] })) return AS_IS;
  const [first = NULL] = value.data;
  const candidates =
    first.type === 'map'
      ? await probes.classesWith(names)
      : (ELEMENT_TYPES[first.type] ?? []).map((type) => SCALAR_TRAITS[type].javaClass);
  for (const className of candidates) {
    const empty: Value = { type: 'array', element: 'object', componentClass: className, data: [] };
    if (await probes.accepts(field, empty)) return { kind: 'array', className };
  }
  return AS_IS;
}

async function listForm(field: ClassField, probes: FieldProbes): Promise<Form> {
  if (await probes.accepts(field, { type: 'list', data: [] })) return AS_IS;
  for (const list of LIST_KINDS) {
    if (await probes.accepts(field, { type: 'list', kind: list, data: [] })) return { kind: 'list', list };
  }
  return AS_IS;
}

/**
 * A LinkedHashMap is also a HashMap, and a field of either type accepts it; only a Map field also accepts a TreeMap.
 */
async function mapForm(field: ClassField, probes: FieldProbes): Promise<Form> {
  const acceptsTree = await probes.accepts(field, { type: 'map', kind: 'treeMap', data: [] });
  if (await probes.accepts(field, { type: 'map', data: [] })) {
    if (acceptsTree || !(await probes.accepts(field, { type: 'map', kind: 'hashMap', data: [] }))) return AS_IS;
    return { kind: 'map', map: 'hashMap' };
  }
  return acceptsTree ? { kind: 'map', map: 'treeMap' } : AS_IS;
}

/** The scalar types of values that were plain JSON. */
const PLAIN_SCALARS: ReadonlySet<ScalarTypeName> = new Set(['string', 'integer', 'long', 'double', 'boolean']);

/** Returns whether the value already has a class, unlike the values that plain JSON becomes. */
export function isTyped(value: Value): boolean {
  if (isScalar(value)) return !PLAIN_SCALARS.has(value.type);
  switch (value.type) {
    case 'map':
    case 'list':
      return value.kind !== undefined;
    case 'null':
    case 'array':
    case 'object':
    case 'enum':
    case 'opaque':
      return true;
  }
}

/** Member names of an object, or of the objects in an array. */
function memberNames(value: Value): readonly string[] {
  const maps = value.type === 'list' ? value.data : [value];
  const names = new Set<string>();
  for (const map of maps) {
    if (map.type === 'map') for (const [name] of map.data) if (name.type === 'string') names.add(name.data);
  }
  return [...names].sort();
}

function elementType(value: Value): string {
  return value.type === 'list' ? (value.data[0]?.type ?? '') : '';
}

function emptyOf(value: Value): Value {
  return value.type === 'map' || value.type === 'list' ? { type: value.type, data: [] } : value;
}

/** Throws ConversionFailure. */
function apply(form: Form, value: Value): Value {
  switch (form.kind) {
    case 'asIs':
      return value;
    case 'date':
      return value.type === 'string' ? parseText('date', value.data) : value;
    case 'bigInteger':
      return value.type === 'integer' || value.type === 'long'
        ? { type: 'bigInteger', data: BigInt(value.data) }
        : value;
    case 'object':
      return objectOf(form.className, value);
    case 'list':
      return value.type === 'list' ? { ...value, kind: form.list } : value;
    case 'map':
      return value.type === 'map' ? { ...value, kind: form.map } : value;
    case 'enum':
      // The caller knows the constants.
      return value.type === 'string'
        ? { type: 'enum', typeName: form.className, ordinal: -1, name: value.data }
        : value;
    case 'array':
      return value.type === 'list' ? arrayOf(form.className, value.data) : value;
  }
}

/** Returns a map's entries as the fields of an object. */
export function objectOf(typeName: string, value: Value): Value {
  if (value.type !== 'map') return value;
  const fields = value.data.map(([key, member]) => ({ name: key.type === 'string' ? key.data : '', value: member }));
  return { type: 'object', typeName, fields };
}

function arrayOf(className: string, elements: readonly Value[]): Value {
  const data = elements.map((element) => elementOf(className, element));
  return { type: 'array', element: 'object', componentClass: className, data };
}

function elementOf(className: string, element: Value): Value {
  if (element.type === 'map') return objectOf(className, element);
  const scalar = SCALAR_OF_CLASS.get(className);
  if (scalar === undefined || element.type === 'null' || element.type === scalar) return element;
  if (!('data' in element)) {
    throw illegalArgumentFailure(`it is no ${className}`, `Cannot read value of type \`${className}\``);
  }
  return parseText(scalar, String(element.data));
}
