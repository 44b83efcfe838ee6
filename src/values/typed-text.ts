/** Values in the form of command parameters: a string with the name of its type. */
import { writeText } from './json.ts';
import { SCALAR_TRAITS } from './scalar-traits.ts';
import { scalarTypeNamed } from './type-names.ts';
import type { ScalarTypeName } from './value.ts';

export interface TypedText {
  readonly text: string;
  /** A string if undefined. */
  readonly type: string | undefined;
}

/** Returns a type's name in parameters. */
export function parameterType(type: ScalarTypeName): string {
  const { names, javaClass } = SCALAR_TRAITS[type];
  return names[0] ?? javaClass;
}

/** Returns a string of a scalar type in the form of parameters: types without a short name are read from JSON. */
export function typedText(type: ScalarTypeName, text: string): { readonly text: string; readonly type: string } {
  const { names, json } = SCALAR_TRAITS[type];
  const isString = names.length === 0 && (json === 'quoted' || json === 'escaped');
  return { text: isString ? writeText(text) : text, type: parameterType(type) };
}

/** Returns a string as a value of a type that a cache declares; scalar types have other names there. */
export function declaredText(declared: string | undefined, text: string): TypedText {
  const scalar = declared === undefined ? undefined : scalarTypeNamed(declared);
  return scalar === undefined ? { text, type: declared } : typedText(scalar, text);
}

/** Returns the source of a JSON object or array as a value of a type that a cache declares. */
export function declaredJson(declared: string, source: string): TypedText {
  const scalar = scalarTypeNamed(declared);
  return { text: source, type: scalar === undefined ? declared : parameterType(scalar) };
}

/** The types of JSON objects and arrays without a type. */
export const JSON_OBJECT_TYPE = 'java.util.LinkedHashMap';
export const JSON_ARRAY_TYPE = 'java.util.ArrayList';
