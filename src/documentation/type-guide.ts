/** Describes the types that clients can declare. */

import { DECIMAL_BOUND } from '../base/decimal-bound.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import { writeJson } from '../values/json.ts';
import { SCALAR_TRAITS } from '../values/scalar-traits.ts';
import { contractTypeNames, resolveType } from '../values/type-names.ts';
import type { ScalarTypeName, TypeRegistry } from '../values/value.ts';

interface TypeText {
  /** Strings that are values of the type. */
  readonly accepted: string;
  /** A string that the table shows together with its JSON form. */
  readonly example: string;
}

/** The accepted strings of each type. */
const TYPE_TEXTS: { readonly [T in ScalarTypeName]: TypeText } = {
  string: { accepted: 'any text', example: 'red' },
  boolean: { accepted: '`true` or `false` in any letter case', example: 'TRUE' },
  byte: { accepted: 'whole number from -128 to 127', example: '-7' },
  short: { accepted: 'whole number from -32768 to 32767', example: '300' },
  integer: { accepted: 'whole number, 32 bits', example: '70000' },
  long: { accepted: 'whole number, 64 bits; every digit is kept', example: '9007199254740993' },
  float: { accepted: 'decimal number, `1e3`, `NaN`, `Infinity`, `-Infinity`', example: '0.1' },
  double: { accepted: 'decimal number, `1e3`, `NaN`, `Infinity`, `-Infinity`', example: '1e10' },
  char: { accepted: 'JSON text of one character', example: '"x"' },
  date: { accepted: '`YYYY-MM-DD`, a day that exists', example: '2018-2-7' },
  time: { accepted: '`HH:MM:SS`', example: '9:05:00' },
  timestamp: { accepted: '`YYYY-MM-DD HH:MM:SS`, with up to 9 digits of a second', example: '2018-02-07 09:05:00.25' },
  instant: { accepted: 'milliseconds since 1970, or the returned text', example: '1517994300000' },
  uuid: {
    accepted: '32 hexadecimal digits in five groups',
    example: '5B0E2C0A-3F1D-4C5B-9E7A-0123456789AB',
  },
  gridUuid: {
    accepted: 'hexadecimal counter, dash, UUID',
    example: '1a-5b0e2c0a-3f1d-4c5b-9e7a-0123456789ab',
  },
  decimal: { accepted: `JSON number; every digit is kept; ${DECIMAL_BOUND}`, example: '1.50' },
  bigInteger: { accepted: 'JSON number without a fraction', example: '36893488147419103232' },
  bytes: { accepted: 'JSON text in Base64', example: '"AQID"' },
};

/** A type as shown in documents. */
export interface DescribedType {
  /** The usual name. */
  readonly name: string;
  /** Other names. All names are case-insensitive. */
  readonly aliases: readonly string[];
  readonly accepted: string;
  readonly example: { readonly text: string; readonly json: string };
}

const SHORT_ALIASES: { readonly [T in ScalarTypeName]?: string } = { integer: 'int' };

/** Returns the contract's types; the UUID type's name depends on the service name. */
export function describedTypes(serviceName: string): readonly DescribedType[] {
  return contractTypeNames(serviceName).map((name) => {
    const resolved = resolveType(name, serviceName);
    if (resolved.kind !== 'scalar') throw new Error(`${name} is not known as a type`);
    const { type } = resolved;
    const short = SHORT_ALIASES[type];
    const neutral = type === 'gridUuid' && name !== 'SvcUuid' ? ['SvcUuid'] : [];
    return {
      name,
      aliases: [...(short === undefined ? [] : [short]), ...neutral, SCALAR_TRAITS[type].javaClass],
      accepted: TYPE_TEXTS[type].accepted,
      example: exampleOf(name, TYPE_TEXTS[type].example, serviceName),
    };
  });
}

/** Types that have no name except their Java class. They are written as JSON. */
const CLASS_TYPES: readonly ScalarTypeName[] = ['decimal', 'bigInteger', 'instant', 'char', 'bytes'];
const STRUCTURES: ReadonlyArray<readonly [className: string, text: TypeText]> = [
  ['java.util.ArrayList', { accepted: 'JSON array; also `java.util.List` and its like', example: '[1, "a", null]' }],
  ['java.util.HashSet', { accepted: 'JSON array; also `java.util.Set` and its like', example: '[1, 1, 2]' }],
  ['java.util.HashMap', { accepted: 'JSON object; also `java.util.Map` and its like', example: '{"a": 1, "b": true}' }],
  [
    '[I',
    { accepted: 'JSON array; `[Z`, `[S`, `[J`, `[F`, `[D` and `[Ljava.lang.String;` likewise', example: '[1, 2]' },
  ],
  ['java.lang.Object', { accepted: 'any JSON', example: '{"a": [1, 2.5]}' }],
];

export function describedClasses(serviceName: string): readonly DescribedType[] {
  const scalars = CLASS_TYPES.map((type) => [SCALAR_TRAITS[type].javaClass, TYPE_TEXTS[type]] as const);
  return [...scalars, ...STRUCTURES].map(([name, { accepted, example }]) => {
    const resolved = resolveType(name, serviceName);
    if (resolved.kind !== 'java') throw new Error(`${name} is not known as a class`);
    return { name, aliases: [], accepted, example: exampleOf(name, example, serviceName) };
  });
}

const NO_TYPES: TypeRegistry = { find: () => undefined };

/** The JSON comes from the decoder, so the example cannot differ from the service's responses. */
function exampleOf(name: string, text: string, serviceName: string): DescribedType['example'] {
  return { text, json: writeJson(decodeTyped(text, name, NO_TYPES, serviceName)) };
}
