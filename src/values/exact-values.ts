/**
 * A lossless JSON form of values: it keeps the types of all parts and the classes of collections. It is for values
 * whose usual JSON reads back as something else, such as an object with a UUID in a field.
 *
 * A scalar is `{"uuid":"..."}`, with the text of its type. The other forms are `{"list":[...],"kind":"hashSet"}`,
 * `{"map":[[key,value],...]}`, `{"object":"type","fields":[["name",value],...]}`,
 * `{"enum":"type","ordinal":1,"name":"RED"}` and `{"array":"integer","items":[...]}`.
 */
import { JSON_BOUNDS } from '../base/limits.ts';
import { illegalArgumentFailure } from './conversion-failure.ts';
import { EXACT_NUMBERS, readPlain } from './custom.ts';
import { isSet, keyOf } from './equality.ts';
import { type JsonNode, readJson, writeText } from './json.ts';
import { formatExactScalar, isScalar, parseText, SCALAR_TRAITS } from './scalar-traits.ts';
import { type ListKind, type MapKind, NULL, type ScalarTypeName, type Value, type ValueOf } from './value.ts';

/** The name of the form where a type is named. */
export const EXACT_TYPE = 'SvcValue';

/**
 * Writes the exact form of a value. Returns undefined for an opaque value, which has none because it cannot be stored.
 */
export function writeExact(value: Value): string | undefined {
  switch (value.type) {
    case 'null':
      return 'null';
    case 'opaque':
      return undefined;
    case 'list': {
      const items = writeAll(value.data);
      return items && `{"list":[${items}]${option('kind', value.kind)}}`;
    }
    case 'map':
      return writeMap(value);
    case 'object': {
      const fields = value.fields.map(({ name, value: field }) => [writeText(name), writeExact(field)] as const);
      return joined(fields, (all) => `{"object":${writeText(value.typeName)},"fields":[${all}]}`);
    }
    case 'enum':
      return `{"enum":${writeText(value.typeName)},"ordinal":${value.ordinal}${option('name', value.name)}}`;
    case 'array': {
      const { element, boxed, componentClass } = value;
      const items = writeAll(value.data);
      const options = `${boxed === true ? ',"boxed":true' : ''}${option('componentClass', componentClass)}`;
      return items && `{"array":"${element}","items":[${items}]${options}}`;
    }
  }
  return isScalar(value) ? `{"${value.type}":${writeText(formatExactScalar(value))}}` : undefined;
}

function writeMap(value: ValueOf<'map'>): string | undefined {
  const entries = value.data.map(([key, item]) => [writeExact(key), writeExact(item)] as const);
  return joined(entries, (all) => `{"map":[${all}]${option('kind', value.kind)}}`);
}

/** Joins pairs into the items of an array. Returns undefined if a part has no exact form. */
function joined(
  pairs: ReadonlyArray<readonly [string | undefined, string | undefined]>,
  write: (all: string) => string,
): string | undefined {
  if (pairs.some((pair) => pair.includes(undefined))) return undefined;
  return write(pairs.map(([left, right]) => `[${left},${right}]`).join(','));
}

/** Returns the items separated by commas, or a blank if there are none; both are valid JSON. */
function writeAll(items: readonly Value[]): string | undefined {
  const texts = items.map(writeExact);
  return texts.includes(undefined) ? undefined : texts.join(',') || ' ';
}

function option(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${writeText(text)}`;
}

/** Reads the exact form of a value. Throws ConversionFailure. */
export function readExact(text: string): Value {
  return valueOfNode(readJson(text, JSON_BOUNDS.values));
}

/** Returns the value of plain JSON, or of an exact form in an object whose only member is `SvcValue`. */
export function readPlainOrExact(node: JsonNode): Value {
  const exact = node.kind === 'object' && node.members.size === 1 ? node.members.get(EXACT_TYPE) : undefined;
  return exact === undefined ? readPlain(node, EXACT_NUMBERS) : valueOfNode(exact);
}

/** Reads the exact form from parsed JSON. Throws ConversionFailure. */
export function valueOfNode(node: JsonNode): Value {
  if (node.kind === 'null') return NULL;
  if (node.kind !== 'object') throw notExact('an object');
  const [first] = node.members;
  if (first === undefined) throw notExact('an object with a member');
  const [form, content] = first;
  if (isScalarType(form)) return parseText(form, textOf(content));
  switch (form) {
    case 'list': {
      const data = itemsOf(content).map(valueOfNode);
      const list: ValueOf<'list'> = { type: 'list', data, ...kindOf(node.members, LIST_KINDS) };
      if (isSet(list)) rejectRepeated(data.map(keyOf), 'an item of a set');
      return list;
    }
    case 'map': {
      const data = itemsOf(content).map(pairOf);
      rejectRepeated(
        data.map(([key]) => keyOf(key)),
        'a key of a map',
      );
      return { type: 'map', data, ...kindOf(node.members, MAP_KINDS) };
    }
    case 'object': {
      const fields = itemsOf(node.members.get('fields')).map(fieldOf);
      rejectRepeated(
        fields.map((field) => field.name),
        'a field of an object',
      );
      return { type: 'object', typeName: typeNameOf(content), fields };
    }
    case 'enum': {
      const name = node.members.get('name');
      const ordinal = node.members.get('ordinal');
      if (ordinal?.kind !== 'number') throw notExact('the number "ordinal"');
      return {
        type: 'enum',
        typeName: typeNameOf(content),
        ordinal: parseText('integer', ordinal.text).data,
        name: name === undefined ? undefined : textOf(name),
      };
    }
    case 'array':
      return arrayOf(textOf(content), node.members);
    default:
      throw notExact('the name of a type');
  }
}

const LIST_KINDS: readonly ListKind[] = ['linkedList', 'hashSet', 'linkedHashSet', 'treeSet'];
const MAP_KINDS: readonly MapKind[] = ['hashMap', 'treeMap'];

type Members = ReadonlyMap<string, JsonNode>;

function kindOf<K extends string>(members: Members, kinds: readonly K[]): { readonly kind?: K } {
  const kind = members.get('kind');
  if (kind === undefined) return {};
  const found = kinds.find((each) => each === textOf(kind));
  if (found === undefined) throw notExact(`one of ${kinds.join(', ')}`);
  return { kind: found };
}

function arrayOf(element: string, members: Members): Value {
  if (element !== 'object' && !isScalarType(element)) throw notExact('the type of the elements');
  const data = itemsOf(members.get('items')).map(valueOfNode);
  if (element !== 'object' && data.some(({ type }) => type !== element && type !== 'null'))
    throw notExact(`an item of the type ${element}`);
  const boxed = members.get('boxed');
  const componentClass = members.get('componentClass');
  return {
    type: 'array',
    element,
    data,
    ...(boxed?.kind === 'boolean' && boxed.value && { boxed: true as const }),
    ...(componentClass !== undefined && { componentClass: textOf(componentClass) }),
  };
}

function pairOf(node: JsonNode): readonly [Value, Value] {
  const [left, right, ...others] = itemsOf(node);
  if (left === undefined || right === undefined || others.length > 0) throw notExact('two values');
  return [valueOfNode(left), valueOfNode(right)];
}

function fieldOf(node: JsonNode): { readonly name: string; readonly value: Value } {
  const [name, value, ...others] = itemsOf(node);
  if (value === undefined || others.length > 0) throw notExact('a name and a value');
  return { name: textOf(name), value: valueOfNode(value) };
}

function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  if (node?.kind !== 'array') throw notExact('an array');
  return node.items;
}

function textOf(node: JsonNode | undefined): string {
  if (node?.kind !== 'string') throw notExact('a string');
  return node.value;
}

/** Returns the name of a custom type. */
function typeNameOf(node: JsonNode): string {
  const name = textOf(node);
  if (name === '') throw notExact('the name of a type');
  return name;
}

function rejectRepeated(names: readonly string[], what: string): void {
  if (new Set(names).size < names.length) throw illegalArgumentFailure(`${what} is repeated`);
}

function isScalarType(name: string): name is ScalarTypeName {
  return Object.hasOwn(SCALAR_TRAITS, name);
}

function notExact(expected: string): Error {
  return illegalArgumentFailure(`${expected} is expected in the exact form of a value`);
}
