/** Decodes keys and values of requests. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { fail } from '../base/errors.ts';
import { misspeltName, prepareName } from '../base/nearest.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { readCustom, readJava } from './custom.ts';
import { dateForm } from './date-overflow.ts';
import { EXACT_TYPE, readExact } from './exact-values.ts';
import { readJson } from './json.ts';
import { parseText } from './scalar-traits.ts';
import {
  type JavaShape,
  knownTypeNames,
  type ResolvedType,
  resolveShortName,
  resolveType,
  SHORT_NAMES,
} from './type-names.ts';
import { type TypeRegistry, text as textValue, type Value } from './value.ts';

/** Longer and shorter names of types are compared with no other. */
const COMPARED_CHARACTERS = { least: 3, most: 60 };

/** Reports whether a type that a request declares, or none, has every text as a value. */
export function isStringType(declaredTypeName: string | undefined): declaredTypeName is '' | 'string' | undefined {
  return declaredTypeName === undefined || declaredTypeName === '' || declaredTypeName === 'string';
}

/**
 * Decodes the text of the parameter `name`, such as `key` or `v1`, by the type that keyType or valueType declares;
 * undefined and the empty name mean string. JSON `null`, and the empty texts that Java reads as null, return the null
 * value: the parameter counts as absent. Throws CONVERSION with the type as the client wrote it.
 */
export function decodeTyped(
  text: string,
  declaredTypeName: string | undefined,
  registry: TypeRegistry,
  serviceName: string,
  name?: string,
  compatibility: RequestCompatibility = 'none',
): Value {
  if (isStringType(declaredTypeName)) return textValue(text);
  const resolved = meaningOf(declaredTypeName, registry, serviceName, compatibility);
  try {
    if (declaredTypeName === EXACT_TYPE && compatibility !== 'reference') return readExact(text);
    if (resolved.kind === 'scalar') {
      return parseText(resolved.type, dateForm(compatibility, resolved.type, text));
    }
    if (resolved.kind === 'java') return readJavaText(resolved.shape, text, compatibility);
    return readCustom(resolved.typeName, text, registry, compatibility);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    // The text of Ignite (docs/differences.md, row 42).
    if (compatibility === 'reference') {
      const failure = fail('CONVERSION', declaredTypeName, text, error.javaReason);
      throw name === undefined ? failure : failure.about(name);
    }
    throw fail('CONVERSION', declaredTypeName, text, reasonOf(error, resolved, registry, serviceName), name);
  }
}

/**
 * Reads the JSON of a class of the Java library. A scalar may be written as answers show it, without quotes. A digit is
 * a character itself only in requests that Ignite does not have: there it is the number of one.
 */
function readJavaText(shape: JavaShape, text: string, compatibility: RequestCompatibility): Value {
  // Ignite reads numbers in lists and maps as doubles (docs/differences.md, row 93).
  const exact = { exact: compatibility !== 'reference' };
  const isText = shape.kind === 'scalar' || (shape.kind === 'array' && shape.element === 'char' && !shape.boxed);
  const isShown = isText && compatibility !== 'reference';
  if (shape.kind === 'scalar' && shape.type === 'char' && compatibility === 'none' && /^\d$/.test(text))
    return parseText('char', text);
  try {
    return readJava(shape, text, exact);
  } catch (error) {
    if (!isShown || !(error instanceof ConversionFailure)) throw error;
    try {
      return readJava(shape, JSON.stringify(text), exact);
    } catch (second) {
      throw second instanceof ConversionFailure && !isJson(text) ? second : error;
    }
  }
}

function isJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the meaning of a type name. A custom type that is declared takes precedence over a short name. */
function meaningOf(
  name: string,
  registry: TypeRegistry,
  serviceName: string,
  compatibility: RequestCompatibility,
): ResolvedType {
  const resolved = resolveType(name, serviceName);
  // To Ignite, short names of Java's classes are custom types (docs/differences.md, row 61).
  if (resolved.kind !== 'custom' || compatibility === 'reference' || registry.find(name) !== undefined) return resolved;
  return resolveShortName(name, serviceName) ?? resolved;
}

/** Returns the reason; for the name of a custom type that nobody declared, it says which type may have been meant. */
function reasonOf(
  { reason }: ConversionFailure,
  resolved: ResolvedType,
  registry: TypeRegistry,
  serviceName: string,
): string {
  if (resolved.kind !== 'custom' || registry.find(resolved.typeName) !== undefined) return reason;
  const { typeName } = resolved;
  if (typeName === EXACT_TYPE) return reason;
  const meant = typeMeantBy(typeName, serviceName);
  const array = arrayMeantBy(typeName);
  if (array !== undefined) return `there is no type "${typeName}", arrays are named as in Java: "${array}"`;
  if (meant !== undefined) return `there is no type "${typeName}", did you mean "${meant}"?`;
  return `"${typeName}" is not a built-in type, so the value must be a JSON object: ${reason}`;
}

/** Java's names of arrays by the types of their elements. */
const ARRAYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    boolean: '[Z',
    byte: '[B',
    short: '[S',
    int: '[I',
    integer: '[I',
    long: '[J',
    float: '[F',
    double: '[D',
    char: '[C',
    string: '[Ljava.lang.String;',
    object: '[Ljava.lang.Object;',
    uuid: '[Ljava.util.UUID;',
  }),
);

/** Names of types in other languages. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    array: 'list',
    bigint: 'long',
    bool: 'boolean',
    bytes: '[B',
    datetime: 'timestamp',
    dict: 'map',
    json: 'map',
    number: 'double',
    numeric: 'decimal',
    object: 'map',
    str: 'string',
    text: 'string',
    varchar: 'string',
  }),
);

/** Returns the name of the array type that `int[]` means. */
function arrayMeantBy(typeName: string): string | undefined {
  const element = /^(\w{1,40})\[\]$/.exec(typeName)?.[1];
  return element === undefined ? undefined : ARRAYS.get(element.toLowerCase());
}

/** Returns the type with a name of another language, the class of a name without its package, or the nearest type. */
function typeMeantBy(typeName: string, serviceName: string): string | undefined {
  if (typeName.length < COMPARED_CHARACTERS.least || typeName.length > COMPARED_CHARACTERS.most) return undefined;
  const names = knownTypeNames(serviceName);
  const lower = typeName.toLowerCase();
  const simpleName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const named =
    names.find((each) => simpleName(each) === typeName) ??
    ELSEWHERE.get(lower) ??
    names.find((each) => simpleName(each).toLowerCase() === lower) ??
    SHORT_NAMES.get(lower);
  if (named !== undefined) return named;
  const near = misspeltName(prepareName(typeName), names.map(prepareName), { left: names.length });
  return near ?? names.find((each) => each.startsWith(lower));
}
