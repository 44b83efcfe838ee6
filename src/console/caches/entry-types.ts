/** Which types a key or a value can have, by what its JSON looks like: answers name no types. */
import { Decimal } from '../../client/exact-json.ts';
import { formatValue } from '../elements/formats.ts';
import { call, isForbidden, isNotSupported, type Json } from '../requests/request.ts';

const WHOLE = ['long', 'integer', 'short', 'byte', 'double', 'java.math.BigDecimal', 'java.math.BigInteger'];
const FRACTION = ['double', 'float', 'java.math.BigDecimal'];
const TEXT = ['string', 'uuid', 'date', 'time', 'timestamp'];

/** The types that the forms offer: how the interface names them, and what users read. */
export const TYPES: ReadonlyArray<readonly [value: string, text: string]> = [
  ...new Set([...TEXT, 'boolean', ...WHOLE, ...FRACTION, 'java.util.Date', 'java.lang.Object']),
].map((type) => [type, typeTitle(type)]);

/** Returns the name of a type that users read. */
export function typeTitle(type: string): string {
  if (type === 'java.lang.Object') return 'object';
  if (type === 'java.util.Date') return 'date and time';
  if (type === 'java.math.BigDecimal') return 'decimal';
  return type === 'java.math.BigInteger' ? 'big integer' : type;
}

/** Returns the types whose JSON looks like a value, the most common first. */
export function typesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'boolean') return ['boolean'];
  if (typeof value === 'bigint') return WHOLE;
  if (value instanceof Decimal) return FRACTION;
  if (typeof value === 'number') return Number.isInteger(value) ? WHOLE : FRACTION;
  return ['java.lang.Object'];
}

/** What texts of other types than string begin like. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-/i,
  date: /^\d{4,}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
  timestamp: /^\d{4,}-\d\d-\d\d[ T]/,
};

/** Returns the types that a text may be the key of, those of keys that are stored first. */
export function keyTypesOf(text: string, stored: readonly string[]): readonly string[] {
  const isNumber = /^[+-]?\d+$/.test(text);
  const isFraction = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  const fitting = [
    ...(isNumber ? WHOLE : []),
    ...(isFraction ? FRACTION : []),
    ...(/^(?:true|false)$/i.test(text) ? ['boolean'] : []),
    ...TEXT.filter((type) => LOOKS[type]?.test(text) ?? true),
  ];
  return [...new Set([...stored.filter((type) => fitting.includes(type)), ...fitting])];
}

/** Returns the types under which a cache contains a key. Throws RequestError if that cannot be asked. */
export async function storedTypesOf(cacheName: string, key: string, types: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const keyType of types) {
    try {
      if ((await call('conkey', { cacheName, key, keyType })) === true) found.push(keyType);
    } catch (problem) {
      if (isForbidden(problem)) throw problem;
      // The text of another type than this one.
    }
  }
  return found;
}

/** Returns the type of a key, by asking which one the cache contains; undefined if none of them is. */
export async function keyTypeOf(cacheName: string, key: Json): Promise<string | undefined> {
  for (const keyType of typesOf(key)) {
    try {
      if ((await call('conkey', { cacheName, key: formatValue(key), keyType })) === true) return keyType;
    } catch {
      // The text of another type than this one.
    }
  }
  return undefined;
}

/**
 * Returns the type of the value of an entry, by asking which one a change would find; undefined if none of them is, or
 * if that cannot be asked. Changes nothing.
 */
export async function valueTypeOf(
  { cacheName, key, keyType }: { readonly cacheName: string; readonly key: string; readonly keyType: string },
  value: Json,
  text: string,
): Promise<string | undefined> {
  const types = typesOf(value);
  if (types.length === 1) return types[0];
  for (const valueType of types) {
    const params = { of: 'cas', cacheName, key, keyType, val: text, val2: text, valueType };
    try {
      const { response } = (await call('dryrun', params)) as unknown as { readonly response: Json };
      if (response === true) return valueType;
    } catch (problem) {
      // The engine has no dry run, or the user may not change entries.
      if (isNotSupported(problem) || isForbidden(problem)) return undefined;
      // The text of another type than this one.
    }
  }
  return undefined;
}
