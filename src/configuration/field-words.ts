/** The names of types in a configuration file. */
import type { FieldType, ScalarTypeName } from '../values/value.ts';

const SCALARS = {
  boolean: 'boolean',
  byte: 'byte',
  short: 'short',
  int: 'integer',
  integer: 'integer',
  long: 'long',
  float: 'float',
  double: 'double',
  char: 'char',
  string: 'string',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  instant: 'instant',
  uuid: 'uuid',
  gridUuid: 'gridUuid',
  decimal: 'decimal',
  bigInteger: 'bigInteger',
  bytes: 'bytes',
} as const satisfies { readonly [T in ScalarTypeName]: T } & { readonly int: 'integer' };

export type ScalarWord = keyof typeof SCALARS;

/** A scalar type, an array of one (`long[]`), a list, a map, or `any` for plain JSON. */
export type FieldWord = ScalarWord | `${ScalarWord}[]` | 'list' | 'map' | 'any';

/** All names, for error messages and documentation. */
export const FIELD_WORDS: readonly string[] = [...Object.keys(SCALARS), 'TYPE[]', 'list', 'map', 'any'];

/** Returns the type with a name, or undefined for an unknown one. */
export function fieldTypeOf(word: string, precision?: number, scale?: number): FieldType | undefined {
  if (word === 'list' || word === 'map' || word === 'any') return { kind: word };
  if (word.endsWith('[]')) {
    const element = scalarOf(word.slice(0, -2));
    return element === undefined ? undefined : { kind: 'array', element };
  }
  const type = scalarOf(word);
  if (type === undefined) return undefined;
  return {
    kind: 'scalar',
    type,
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
  };
}

function scalarOf(word: string): ScalarTypeName | undefined {
  const scalars: Readonly<Record<string, ScalarTypeName>> = SCALARS;
  return Object.hasOwn(scalars, word) ? scalars[word] : undefined;
}
