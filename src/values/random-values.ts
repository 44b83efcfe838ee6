/** Random values for tests, biased to the edge cases of every type. The service does not use them. */
import { LONG_MAX, LONG_MIN } from './java-number.ts';
import type { ScalarTypeName, Value } from './value.ts';

/** A repeatable source of random numbers. */
export interface RandomSource {
  /** Returns a whole number from 0 (inclusive) to `bound` (exclusive). */
  below(bound: number): number;
}

/** Returns a source with the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return {
    below(bound) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * bound);
    },
  };
}

/** Returns one of the items. */
export function pick<T>(random: RandomSource, items: readonly [T, ...T[]]): T {
  return items[random.below(items.length)] ?? items[0];
}

/** Returns a whole number of at most 2^bits in magnitude, often a power of two or a neighbour. */
function randomWhole(random: RandomSource, bits: number): bigint {
  const sign = random.below(2) === 0 ? 1n : -1n;
  const power = 1n << BigInt(random.below(bits + 1));
  if (random.below(2) === 0) return sign * power + BigInt(random.below(3) - 1);
  let value = 0n;
  for (let done = 0; done < bits; done += 24) value = (value << 24n) | BigInt(random.below(1 << 24));
  return sign * (value % power);
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  return value < low ? low : value > high ? high : value;
}

function randomDouble(random: RandomSource): number {
  const edges = [0, -0, 1, 5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, NaN, Infinity, -Infinity, 0.1, 1e7, 1e-3];
  if (random.below(4) === 0) return edges[random.below(edges.length)] ?? 0;
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, random.below(4294967296));
  view.setUint32(4, random.below(4) === 0 ? 0 : random.below(4294967296));
  return view.getFloat64(0);
}

const CHARACTERS = [
  'a',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '/',
  '\n',
  '\t',
  '\u0000',
  '\u001f',
  '\u007f',
  'é',
  'ж',
  '漢',
] as const;
const RARE_CHARACTERS = [
  '\u2028',
  '😀',
  '👍🏽',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\uffff',
  'ß',
  'İ',
  '{',
  '}',
  ':',
] as const;

/** Returns a string of up to `length` characters, including ones that need escapes. */
export function randomText(random: RandomSource, length: number): string {
  let text = '';
  for (let left = random.below(length + 1); left > 0; left--) {
    text += random.below(5) === 0 ? pick(random, RARE_CHARACTERS) : pick(random, CHARACTERS);
  }
  return text;
}

function randomHex(random: RandomSource, digits: number): string {
  let text = '';
  while (text.length < digits) text += random.below(16).toString(16);
  return text;
}

function randomUuidText(random: RandomSource): string {
  return [8, 4, 4, 4, 12].map((digits) => randomHex(random, digits)).join('-');
}

const LAST_DAY = 2932896;
const FIRST_DAY = -719162;

function randomDay(random: RandomSource): number {
  if (random.below(4) === 0) return pick(random, [0, -1, 1, FIRST_DAY, LAST_DAY, -141427, -141428, 11016, 59]);
  return FIRST_DAY + random.below(LAST_DAY - FIRST_DAY + 1);
}

const DAY_SECONDS = 86_400;

const SCALARS: { readonly [T in ScalarTypeName]: (random: RandomSource) => Value } = {
  boolean: (random) => ({ type: 'boolean', data: random.below(2) === 0 }),
  byte: (random) => ({ type: 'byte', data: Number(clamp(randomWhole(random, 7), -128n, 127n)) }),
  short: (random) => ({ type: 'short', data: Number(clamp(randomWhole(random, 15), -32768n, 32767n)) }),
  integer: (random) => ({ type: 'integer', data: Number(clamp(randomWhole(random, 31), -2147483648n, 2147483647n)) }),
  long: (random) => ({ type: 'long', data: clamp(randomWhole(random, 63), LONG_MIN, LONG_MAX) }),
  float: (random) => ({ type: 'float', data: Math.fround(randomDouble(random)) }),
  double: (random) => ({ type: 'double', data: randomDouble(random) }),
  char: (random) => ({ type: 'char', data: pick(random, CHARACTERS) }),
  string: (random) => ({ type: 'string', data: randomText(random, 20) }),
  date: (random) => ({ type: 'date', data: randomDay(random) }),
  time: (random) => ({ type: 'time', data: random.below(DAY_SECONDS) * 1000 }),
  timestamp: (random) => ({
    type: 'timestamp',
    data:
      BigInt(randomDay(random) * DAY_SECONDS + random.below(DAY_SECONDS)) * 1_000_000_000n +
      BigInt(pick(random, [0, 1, 999_999_999, 100_000_000, 120, random.below(1_000_000_000)])),
  }),
  instant: (random) => ({
    type: 'instant',
    data: (Math.max(randomDay(random), -141427) * DAY_SECONDS + random.below(DAY_SECONDS)) * 1000,
  }),
  uuid: (random) => ({ type: 'uuid', data: randomUuidText(random) }),
  gridUuid: (random) => ({
    type: 'gridUuid',
    data: `${randomHex(random, 1 + random.below(15))}-${randomUuidText(random)}`,
  }),
  decimal: (random) => ({
    type: 'decimal',
    data: {
      unscaled: randomWhole(random, 130),
      scale: pick(random, [0, 1, 2, -1, 7, 30, -30, random.below(400) - 200]),
    },
  }),
  bigInteger: (random) => ({ type: 'bigInteger', data: randomWhole(random, 200) }),
  bytes: (random) => ({
    type: 'bytes',
    data: Uint8Array.from({ length: random.below(12) }, () => random.below(256)),
  }),
};

/** Names of all scalar types. */
export const SCALAR_TYPE_NAMES = Object.keys(SCALARS) as [ScalarTypeName, ...ScalarTypeName[]];

/** Returns a value of a scalar type. */
export function randomScalar(random: RandomSource, type: ScalarTypeName): Value {
  return SCALARS[type](random);
}

/** Returns a value of any type that a client can store, nested at most `depth` deep. */
export function randomValue(random: RandomSource, depth: number): Value {
  const kind = depth === 0 ? 0 : random.below(8);
  const size = random.below(4);
  const item = () => (random.below(8) === 0 ? ({ type: 'null' } as const) : randomValue(random, depth - 1));
  if (kind === 4) return { type: 'list', data: Array.from({ length: size }, item) };
  if (kind === 5) {
    const names = new Set(Array.from({ length: size }, () => randomText(random, 4)));
    return { type: 'map', data: [...names].map((name) => [{ type: 'string', data: name }, item()] as const) };
  }
  if (kind === 6) {
    const names = new Set(Array.from({ length: size }, () => randomText(random, 4)));
    return {
      type: 'object',
      typeName: pick(random, ['T', 'U', 't']),
      fields: [...names].map((name) => ({ name, value: item() })),
    };
  }
  if (kind === 7) {
    const element = pick(random, SCALAR_TYPE_NAMES);
    return { type: 'array', element, data: Array.from({ length: size }, () => randomScalar(random, element)) };
  }
  return randomScalar(random, pick(random, SCALAR_TYPE_NAMES));
}
