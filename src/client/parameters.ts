/** Parameters of commands as the client sends them: with types, and in parts. */
import { nearestNames } from '../base/nearest.ts';
import { Decimal, writeExact } from './exact-json.ts';

/** The type of decimals, which is also the name of their column type. */
export const DECIMAL = 'java.math.BigDecimal';

const TYPED_BY: Readonly<Record<string, 'keyType' | 'valueType'>> = {
  key: 'keyType',
  keys: 'keyType',
  val: 'valueType',
  val2: 'valueType',
  values: 'valueType',
};

/** Adds the types of keys and values that the caller omits, from JavaScript's own types. */
export function withTypes(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const types: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const typedBy = TYPED_BY[name];
    if (typedBy === undefined || parameters[typedBy] !== undefined) continue;
    const isList = (name === 'keys' || name === 'values') && Array.isArray(value);
    for (const each of isList ? value : [value]) {
      const type = typeName(each) ?? (typedBy === 'valueType' ? objectType(each) : undefined);
      const former = types[typedBy];
      if (type === undefined) continue;
      if (former !== undefined && former !== type) {
        throw new TypeError(`${name} has values of the types ${former} and ${type}: name one of them in ${typedBy}`);
      }
      types[typedBy] = type;
    }
  }
  return Object.fromEntries(
    Object.entries({ ...parameters, ...types }).filter(([name, type]) => !name.endsWith('Type') || type !== 'string'),
  );
}

const TYPES: Readonly<Partial<Record<string, string>>> = {
  string: 'string',
  bigint: 'long',
  number: 'double',
  boolean: 'boolean',
};

function typeName(value: unknown): string | undefined {
  return value instanceof Decimal ? DECIMAL : TYPES[typeof value];
}

/**
 * Returns the type of an array or a plain object, or undefined for other objects, whose JSON may lack their contents.
 */
function objectType(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Each realm has its own Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null ? 'map' : undefined;
}

/**
 * Checks what a program without type checks passes in place of an object with members that have names. Throws
 * TypeError.
 */
export function checkNames(what: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const shown = typeof given === 'string' ? JSON.stringify(given) : Array.isArray(given) ? 'an array' : String(given);
    const [first] = names;
    throw new TypeError(
      `${what} are an object${first === undefined ? '' : `, such as { ${first}: ... }`}, got ${shown}`,
    );
  }
  // Numbered ones, such as arg1Type, are as many as their list is long.
  const unknown = Object.keys(given).find((name) => !names.includes(name) && !/\d/.test(name));
  if (unknown === undefined) return;
  const [near] = nearestNames(unknown, names);
  const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  throw new TypeError(`${what}: unknown ${unknown}, ${near === undefined ? known : `did you mean ${near}?`}`);
}

/** Writes parameters as a JSON text. Throws TypeError that names the one that JSON has no form of. */
export function writeParameters(parameters: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined) return [];
    try {
      return [`${JSON.stringify(name)}:${writeExact(value)}`];
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(`${name}: ${error.message}`) : error;
    }
  });
  return `{${members.join(',')}}`;
}

/** Splits a request with more keys than one request may have. */
export function splitParameters(
  parameters: Readonly<Record<string, unknown>>,
  bulkKeys: number,
): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const { keys, values } = parameters;
  if (!Array.isArray(keys) || keys.length <= bulkKeys) return [parameters];
  // The service would reject it, but of each part it would see only a part.
  if (Array.isArray(values) && values.length !== keys.length)
    throw new TypeError(`keys and values differ in number: ${keys.length} and ${values.length}`);
  const parts: Array<Readonly<Record<string, unknown>>> = [];
  for (let at = 0; at < keys.length; at += bulkKeys) {
    const end = at + bulkKeys;
    parts.push({
      ...parameters,
      keys: keys.slice(at, end),
      ...(Array.isArray(values) && { values: values.slice(at, end) }),
    });
  }
  return parts;
}
