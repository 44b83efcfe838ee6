/** Decodes the keys and values of requests. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { gridError } from '../base/errors.ts';
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

/** Type names outside these lengths are not compared with others. */
const COMPARED_CHARACTERS = { least: 3, most: 60 };

/** Reports whether every string is a value of the type that a request declares, if any. */
export function isStringType(declaredTypeName: string | undefined): declaredTypeName is '' | 'string' | undefined {
  return declaredTypeName === undefined || declaredTypeName === '' || declaredTypeName === 'string';
}

/**
 * Decodes the string of the parameter `name`, such as `key` or `v1`, by the type in keyType or valueType; undefined and
 * the empty name mean string. JSON `null`, and the empty strings that Java reads as null, return the null value: the
 * parameter counts as absent. Throws CONVERSION with the type as the client wrote it.
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
    // Ignite's text (docs/differences.md, row 42).
    if (compatibility === 'reference') {
      const failure = gridError('CONVERSION', declaredTypeName, text, error.javaReason);
      throw name === undefined ? failure : failure.about(name);
    }
    throw gridError('CONVERSION', declaredTypeName, text, reasonOf(error, resolved, registry, serviceName), name);
  }
}

/**
 * Reads the JSON of a Java library class. A scalar may be written as in responses, without quotes. A digit is a
 * character; with `reference` it is a character code, as in Ignite.
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

/** Returns the meaning of a type name. A declared custom type takes precedence over a short name. */
function meaningOf(
  name: string,
  registry: TypeRegistry,
  serviceName: string,
  compatibility: RequestCompatibility,
): ResolvedType {
  const resolved = resolveType(name, serviceName);
  // Ignite takes short names of Java's classes for custom types (docs/differences.md, row 61).
  if (resolved.kind !== 'custom' || compatibility === 'reference' || registry.find(name) !== undefined) return resolved;
  return resolveShortName(name, serviceName) ?? resolved;
}

/** Returns the reason; for an undeclared custom type, it suggests the type that was probably meant. */
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

/** Java's names of arrays by their element types. */
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

/** Type names in other languages. */
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

/** Returns the name of the array type for `int[]`. */
function arrayMeantBy(typeName: string): string | undefined {
  const element = /^(\w{1,40})\[\]$/.exec(typeName)?.[1];
  return element === undefined ? undefined : ARRAYS.get(element.toLowerCase());
}

/** Returns the type for a name from another language or for a class name without its package, or the nearest type. */
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
