/** Decodes keys and values of requests. */
import { fail } from '../base/errors.ts';
import { misspeltName, prepareName } from '../base/nearest.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { readCustom, readJava } from './custom.ts';
import { rollOver } from './date-overflow.ts';
import { parseText } from './scalar-traits.ts';
import { knownTypeNames, type ResolvedType, resolveType } from './type-names.ts';
import { type TypeRegistry, text as textValue, type Value } from './value.ts';

/** The deviations of compatibility mode `reference` that concern values. */
export interface ValueFlags {
  /** Impossible dates and times roll over instead of being rejected. */
  readonly datesRollOver: boolean;
  /** Error texts are Ignite's, with names of Java classes and without the parameter. */
  readonly internalNamesInTexts: boolean;
}

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
  flags?: ValueFlags,
): Value {
  if (isStringType(declaredTypeName)) return textValue(text);
  const resolved = resolveType(declaredTypeName, serviceName);
  try {
    if (resolved.kind === 'scalar') {
      return parseText(resolved.type, flags?.datesRollOver ? rollOver(resolved.type, text) : text);
    }
    if (resolved.kind === 'java') return readJava(resolved.shape, text);
    return readCustom(resolved.typeName, text, registry, flags);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    if (flags?.internalNamesInTexts) throw fail('CONVERSION', declaredTypeName, text, error.javaReason);
    throw fail('CONVERSION', declaredTypeName, text, reasonOf(error, resolved, registry, serviceName), name);
  }
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

/** Returns the name of the array type that `int[]` means. */
function arrayMeantBy(typeName: string): string | undefined {
  const element = /^(\w{1,40})\[\]$/.exec(typeName)?.[1];
  return element === undefined ? undefined : ARRAYS.get(element.toLowerCase());
}

/** Returns the type whose name is nearest to a misspelt one, or begins with it. */
function typeMeantBy(typeName: string, serviceName: string): string | undefined {
  if (typeName.length < COMPARED_CHARACTERS.least || typeName.length > COMPARED_CHARACTERS.most) return undefined;
  const names = knownTypeNames(serviceName);
  const near = misspeltName(prepareName(typeName), names.map(prepareName), { left: names.length });
  return near ?? names.find((each) => each.startsWith(typeName.toLowerCase()));
}
