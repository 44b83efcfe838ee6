/** Types of keys and values: their names in the interface, their labels, and the texts that look like them. */
import { Decimal, type Json, parseAsSent } from '../../client/exact-json.ts';
import { namesWith, SCALAR_TYPES, SCALARS } from '../rows/scalar-types.ts';
import { BYTES } from '../rows/value-input.ts';

const WHOLE = namesWith('whole');
const FRACTION = namesWith('fraction');
const INTEGERS: ReadonlySet<string> = new Set(WHOLE.filter((type) => !FRACTION.includes(type)));
const TEXT = namesWith('text');
const OBJECT = 'java.lang.Object';
const CHARACTER = SCALAR_TYPES.char.name;
/** The types of JSON objects and lists. */
const OBJECTS = ['java.util.LinkedHashMap', 'java.util.HashMap', 'java.util.ArrayList', OBJECT];

const TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SCALARS.map(({ name, title = name }) => [name, title])),
  [OBJECT]: 'object',
  SvcValue: 'other',
};

/** Java's names of arrays of numbers and the like. */
const ARRAYS: Readonly<Record<string, string>> = {
  '[Z': 'boolean',
  '[S': 'short',
  '[I': 'int',
  '[J': 'long',
  '[F': 'float',
  '[D': 'double',
  '[C': 'char',
};

/** Returns a type's label. */
export function typeTitle(type: string): string {
  const title = TITLES[type];
  if (title !== undefined) return title;
  const array = ARRAYS[type] ?? /^\[L(?:[\w.]*\.)?(\w+);$/.exec(type)?.[1];
  if (array !== undefined) return `${array.toLowerCase()}[]`;
  const [, collection] = /^java\.util\.\w*(Map|List|Set)$/.exec(type) ?? [];
  return collection?.toLowerCase() ?? type;
}

/** The types that forms offer, by their name in the interface, with their label. */
export const TYPES: ReadonlyArray<readonly [value: string, text: string]> = [
  ...SCALARS.filter(({ isOffered }) => isOffered).map(({ name }) => name),
  OBJECT,
].map((type) => [type, typeTitle(type)]);

const NUMBERS: ReadonlySet<string> = new Set([...WHOLE, ...FRACTION]);

/** Returns whether values of a type are numbers. */
export function isNumberType(type: string): boolean {
  return NUMBERS.has(type);
}

/** Returns the types whose JSON looks like a value: for objects, stored types first, otherwise the most common. */
export function valueTypesOf(value: Json, stored: readonly string[]): readonly string[] {
  if (typeof value === 'string') return textTypesOf(value);
  if (typeof value === 'boolean') return ['boolean'];
  if (typeof value === 'bigint') return WHOLE;
  if (value instanceof Decimal) return FRACTION;
  if (typeof value === 'number') return Number.isInteger(value) ? WHOLE : FRACTION;
  return [...new Set([...stored.filter(isOfObjects), ...OBJECTS])];
}

/** Returns whether a type is not scalar: a collection, or a user-defined type. */
function isOfObjects(type: string): boolean {
  return type !== CHARACTER && (type === OBJECT || !TYPES.some(([each]) => each === type));
}

/** How texts of types other than string begin. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-/i,
  date: /^\d{4,}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
  timestamp: /^\d{4,}-\d\d-\d\d[ T]/,
};

const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;

function textTypesOf(text: string): readonly string[] {
  const looked = TEXT.filter((type) => LOOKS[type]?.test(text) ?? true);
  return [...looked, ...(BASE64.test(text) ? [BYTES] : []), ...(text.length === 1 ? [CHARACTER] : [])];
}

/** Returns the types that a key text may have, stored types first. */
export function keyTypesOf(text: string, stored: readonly string[]): readonly string[] {
  const isNumber = /^[+-]?\d+$/.test(text);
  const isFraction = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  const isObject = /^\s*[[{]/.test(text);
  const fitting = [
    ...(isNumber ? WHOLE : []),
    ...(isFraction ? FRACTION : []),
    ...(/^(?:true|false)$/i.test(text) ? ['boolean'] : []),
    ...(isObject ? [OBJECT] : []),
    ...textTypesOf(text),
  ];
  const isFitting = (type: string) => fitting.includes(type) || (isObject && isOfObjects(type));
  const types = new Map<string, string>();
  for (const type of [...stored.filter(isFitting), ...fitting]) {
    const key = keyKindOf(type);
    if (!types.has(key)) types.set(key, type);
  }
  return [...types.values()];
}

/** Returns the type that keys of a type are compared as: all maps are equal in class, and so are lists. */
function keyKindOf(type: string): string {
  return type === OBJECT || /^java\.util\.\w*(?:Map|List)$/.test(type) ? OBJECT : type;
}

/**
 * Returns the key that a text stands for, as an export and the change feed write it: an object with its members, and
 * numbers and UUIDs in their usual form.
 */
export function keyOfText(text: string, type: string): Json {
  if (isOfObjects(type)) return parsed(text) ?? text;
  if (INTEGERS.has(type) && /^[+-]?\d+$/.test(text)) return BigInt(text).toString();
  return type === 'uuid' ? text.toLowerCase() : text;
}

function parsed(text: string): Json | undefined {
  try {
    return parseAsSent(text);
  } catch {
    return undefined;
  }
}
