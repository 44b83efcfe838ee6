/** Append and prepend (docs/spec/ignite-data.md 4.2). */
import { gridError } from '../base/errors.ts';
import { setOf } from './custom.ts';
import { isSet, keyOf } from './equality.ts';
import { formatText } from './json.ts';
import { SCALAR_TRAITS } from './scalar-traits.ts';
import { javaClassOf } from './type-names.ts';
import { text, type Value, type ValueOf } from './value.ts';
import { sizeOfValue } from './value-size.ts';

/**
 * Returns the old value with `value` appended: string to string, list to list. A set stays a set. Entries of a
 * map replace those with the same key. Throws INCOMPATIBLE_TYPES for all other combinations, and LIMIT_EXCEEDED
 * if the result is too long.
 */
export function append(old: Value, value: Value, maxCharacters: number): Value {
  checkLength(old, value, maxCharacters);
  if (old.type === 'string' && value.type === 'string') return text(old.data + value.data);
  if (old.type === 'list' && value.type === 'list') return joinLists(old, [...old.data, ...value.data]);
  if (old.type === 'map' && value.type === 'map') return { ...old, data: mergeMaps(old, value) };
  throw incompatible(old, value);
}

/**
 * Returns the old value with `value` prepended. Entries of a map do not replace those with the same key. Throws the
 * errors of {@link append}.
 */
export function prepend(old: Value, value: Value, maxCharacters: number): Value {
  checkLength(old, value, maxCharacters);
  if (old.type === 'string' && value.type === 'string') return text(value.data + old.data);
  if (old.type === 'list' && value.type === 'list') return joinLists(old, [...value.data, ...old.data]);
  if (old.type === 'map' && value.type === 'map') return { ...old, data: mergeMaps(value, old) };
  throw incompatible(old, value);
}

/** Throws LIMIT_EXCEEDED for values that are too long together. */
function checkLength(old: Value, value: Value, maxCharacters: number): void {
  const characters = charactersOf(old) + charactersOf(value);
  if (characters > maxCharacters)
    throw gridError('LIMIT_EXCEEDED', 'value characters', maxCharacters, characters, 'valueCharacters');
}

/** Returns the number of characters in a string, or roughly in another value's JSON. */
function charactersOf(value: Value): number {
  return value.type === 'string' ? value.data.length : sizeOfValue(value);
}

/** Returns a list of the items, of the same class as the old one. */
function joinLists(old: ValueOf<'list'>, data: readonly Value[]): Value {
  return isSet(old) ? setOf(data, old.kind) : { ...old, data };
}

/** Merges the entries of two maps. A key in both keeps its position and takes the value from `winner`. */
function mergeMaps(base: ValueOf<'map'>, winner: ValueOf<'map'>): ReadonlyArray<readonly [Value, Value]> {
  const merged = new Map<string, readonly [Value, Value]>();
  for (const entry of [...base.data, ...winner.data]) merged.set(keyOf(entry[0]), entry);
  return [...merged.values()];
}

function incompatible(old: Value, value: Value): Error {
  return gridError('INCOMPATIBLE_TYPES', formatText(value), simpleClass(value), simpleClass(old));
}

/** Returns the class name without its package, as Ignite shows it: `String`, `ArrayList`, `int[]`. */
function simpleClass(value: Value): string {
  if (value.type === 'bytes') return 'byte[]';
  if (value.type === 'array' && value.element !== 'object') {
    const { primitive } = SCALAR_TRAITS[value.element];
    if (primitive !== undefined) return `${primitive.name}[]`;
  }
  const name = javaClassOf(value);
  const simple = name.slice(name.lastIndexOf('.') + 1);
  return simple.endsWith(';') ? `${simple.slice(0, -1)}[]` : simple;
}
