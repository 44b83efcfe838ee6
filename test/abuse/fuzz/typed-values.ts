/** Fuzzes typed values: parsing a text by keyType or valueType, formatting it as JSON, and storing it. */
import { GridError } from '../../../src/base/errors.ts';
import { decodeValue, encodeValue } from '../../../src/engines/embedded/storage/value-storage.ts';
import { decodeTyped } from '../../../src/values/decode-parameter.ts';
import { formatText, writeJson } from '../../../src/values/json.ts';
import { isScalar, parseText, SCALAR_TRAITS } from '../../../src/values/scalar-traits.ts';
import type { ObjectSchema, Value } from '../../../src/values/value.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { damage, oneIn, several, smallerTexts } from './mutations.ts';

export interface TypedInput {
  readonly type: string;
  readonly text: string;
}

/** The parts of the service that a typed value passes. */
export interface TypedSubject {
  /** Throws a GridError for a text that it rejects. */
  read(type: string, text: string): Value;
  json(value: Value): string;
}

const REGISTRY = {
  find: (typeName: string): ObjectSchema | undefined => (typeName === 'Person' ? PERSON : undefined),
};
const PERSON: ObjectSchema = {
  typeName: 'Person',
  source: 'class',
  fields: [
    { name: 'id', type: { kind: 'scalar', type: 'integer' } },
    { name: 'name', type: { kind: 'scalar', type: 'string' } },
    { name: 'salary', type: { kind: 'scalar', type: 'decimal' } },
    { name: 'tags', type: { kind: 'list' } },
  ],
};

/** The service's own code. */
export const serviceTypes: TypedSubject = {
  read: (type, text) => decodeTyped(text, type, REGISTRY, 'svc'),
  json: writeJson,
};

/** A dictionary of type names that keeps them in memory. */
class Names {
  readonly #names: string[] = [];
  idOf(name: string): number {
    if (!this.#names.includes(name)) this.#names.push(name);
    return 1_000 + this.#names.indexOf(name);
  }
  nameOf(id: number): string {
    return this.#names[id - 1_000] ?? '';
  }
}

const SCALARS = Object.values(SCALAR_TRAITS).flatMap(({ names }) => names) as [string, ...string[]];
const JAVA = [...new Set(Object.values(SCALAR_TRAITS).map(({ javaClass }) => javaClass))] as [string, ...string[]];
const STRUCTURES = [
  'java.util.List',
  'java.util.ArrayList',
  'java.util.TreeSet',
  'java.util.Map',
  'java.util.TreeMap',
  'java.util.Properties',
  'java.lang.Object',
  'java.lang.Number',
  '[I',
  '[C',
  '[Ljava.lang.String;',
  '[Ljava.lang.Object;',
  'Person',
  'no.such.Type',
] as const;
type Texts = readonly [string, ...string[]];
const NUMBERS: Texts = ['0', '-0', '1', '-1', '127', '128', '-129', '32768', '2147483647', '2147483648', '-2147483649'];
const LONG_NUMBERS: Texts = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '1'.repeat(40),
  '9'.repeat(1001),
];
const DECIMALS: Texts = [
  '1.5',
  '.5',
  '5.',
  '1e5',
  '1E-400',
  '1e999999999',
  '-1e-2147483647',
  '0e2147483648',
  '1e1000',
  '0.000000001',
];
const DOUBLES: Texts = [
  'NaN',
  'Infinity',
  '-Infinity',
  '1e308',
  '1e309',
  '4.9e-324',
  '0x1p3',
  '1f',
  '1d',
  '+1',
  '1_000',
];
const TIMES: Texts = [
  '2020-01-02',
  '2020-02-30',
  '0001-1-1',
  '9999-12-31',
  '03:04:05',
  '24:00:00',
  '2020-01-02 03:04:05.123456789',
];
const MOMENTS: Texts = [
  '1969-12-31 23:59:59.999999999',
  '2020-01-02 03:04:05.',
  'Jan 2, 2018, 3:04:05 AM',
  'Feb 30, 2018, 3:04:05 PM',
];
const WORDS: Texts = [
  'true',
  'FALSE',
  'null',
  '',
  'a',
  'ab',
  'é',
  '\ud800',
  '123e4567-e89b-12d3-a456-426614174000',
  'AAEC',
  '=',
  '\0',
];
const JSON_TEXTS: Texts = [
  '{}',
  '[]',
  '[1,2,null]',
  '["a"]',
  '{"a":1}',
  '{"id":1,"name":"a","salary":1.5,"tags":[]}',
  '[[[[]]]]',
  '{"":null}',
  '[1e999999999]',
  '{"id":1e400}',
  '"a"',
];
const FRAGMENTS = [
  '-',
  '.',
  'e',
  'E9',
  '0',
  '9',
  ':',
  ' ',
  '"',
  ',',
  '[',
  ']',
  '{',
  '}',
  '\0',
  '\ud800',
  '٣',
  '\u2028',
] as const;

/**
 * The maximum characters of a value's text for each character that it was read from, and a constant number in addition.
 */
const JSON_GROWTH = { factor: 12, characters: 4_000 };

export function typedFuzzer(subject: TypedSubject = serviceTypes): Fuzzer<TypedInput> {
  return {
    name: 'typed-values',
    generate: generateTyped,
    check(input) {
      const value = accepted(subject, input);
      checkInteger(input, value);
      if (value === undefined) return;
      const json = subject.json(value);
      JSON.parse(json);
      const most = JSON_GROWTH.factor * input.text.length + JSON_GROWTH.characters;
      if (json.length > most) throw new Error(`${json.length} characters of JSON`);
      const names = new Names();
      const { type, storageValue } = encodeValue(value, names);
      const stored = decodeValue(
        type,
        typeof storageValue === 'number' && Number.isInteger(storageValue) ? BigInt(storageValue) : storageValue,
        names,
      );
      // A stored zero has no negative scale.
      if (!/\b0E\+/.test(json)) mustEqual(subject.json(stored), json, 'JSON of the stored value');
      // The text of an instant has no milliseconds.
      if (isScalar(value) && value.type !== 'instant')
        mustEqual(parseText(value.type, formatText(value)), value, 'value read again');
    },
    *smaller(input) {
      for (const text of smallerTexts(input.text)) yield { ...input, text };
    },
    show: (input) => JSON.stringify(input),
  };
}

function accepted(subject: TypedSubject, { type, text }: TypedInput): Value | undefined {
  try {
    return subject.read(type, text);
  } catch (error) {
    if (error instanceof GridError && error.code === 'CONVERSION') return undefined;
    throw error;
  }
}

const BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, int: 32, long: 64 };

/** Whole numbers have a model: digits with a sign that fit. */
function checkInteger({ type, text }: TypedInput, value: Value | undefined): void {
  const bits = BITS[type];
  if (bits === undefined) return;
  const number = /^[+-]?[0-9]+$/.test(text) && text.length <= 1_000 ? BigInt(text.replace('+', '')) : undefined;
  const fits = number !== undefined && BigInt.asIntN(bits, number) === number;
  const data = value !== undefined && 'data' in value ? value.data : undefined;
  if (fits) mustEqual(typeof data === 'number' ? BigInt(data) : data, number, 'whole number');
  else if (value !== undefined && value.type !== 'null') throw new Error(`${type} accepts ${JSON.stringify(text)}`);
}

/** A name of a type with a text that may be one of its values. */
export function generateTyped(random: Random): TypedInput {
  return { type: typeName(random), text: valueText(random) };
}

function typeName(random: Random): string {
  const name = random.pick([random.pick(SCALARS), random.pick(JAVA), random.pick(STRUCTURES)]);
  return oneIn(random, 20) ? damage(random, name, ['x', '[', ';', '\0', '']) : name;
}

function valueText(random: Random): string {
  const groups = [NUMBERS, LONG_NUMBERS, DECIMALS, DOUBLES, TIMES, MOMENTS, WORDS, JSON_TEXTS];
  const text = oneIn(random, 4)
    ? several(random, 1, 6, () => random.pick(['1', '0', '9', '-', '.', 'e', '+', ':', ' ', 'a'])).join('')
    : random.pick(groups[random.below(groups.length)] ?? NUMBERS);
  return oneIn(random, 3) ? damage(random, text, FRAGMENTS) : text;
}
