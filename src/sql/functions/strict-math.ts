/**
 * Inverse and hyperbolic functions as Java computes them: with the algorithms of fdlibm, whose last digit can differ
 * from the runtime's functions. Comparisons of high words use fdlibm's limits.
 */

const BITS = new DataView(new ArrayBuffer(8));

/** Returns the upper half of a double's bits, without its sign. */
function highWord(x: number): number {
  BITS.setFloat64(0, x);
  return BITS.getUint32(0) & 0x7fffffff;
}

/** Returns a double without the lower half of its bits. */
function withoutLowWord(x: number): number {
  BITS.setFloat64(0, x);
  BITS.setUint32(4, 0);
  return BITS.getFloat64(0);
}

/** Half of pi as the sum of two doubles. */
const [HALF_PI, HALF_PI_LOW] = [Math.PI / 2, 6.123233995736766e-17];

/** Coefficients of the polynomial quotient that approximates (asin(x) - x) / x. */
const [P0, P1, P2, P3, P4, P5] = [
  0.16666666666666666, -0.3255658186224009, 0.20121253213486293, -0.04005553450067941, 0.0007915349942898145,
  0.00003479331075960212,
] as const;
const [Q1, Q2, Q3, Q4] = [-2.403394911734414, 2.0209457602335057, -0.6882839716054533, 0.07703815055590194] as const;

function asinQuotient(t: number): number {
  const p = t * (P0 + t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5)))));
  return p / (1 + t * (Q1 + t * (Q2 + t * (Q3 + t * Q4))));
}

const [WORD_OF_HALF, WORD_OF_ONE, WORD_NEAR_ONE] = [0x3fe00000, 0x3ff00000, 0x3fef3333];

/** Returns the arc sine of a number; NaN outside [-1, 1]. */
export function asin(x: number): number {
  const [magnitude, word] = [Math.abs(x), highWord(x)];
  if (magnitude === 1) return x * HALF_PI + x * HALF_PI_LOW;
  if (word >= WORD_OF_ONE) return Number.NaN;
  if (word < 0x3e400000) return x;
  if (word < WORD_OF_HALF) return x + x * asinQuotient(x * x);
  const t = (1 - magnitude) * 0.5;
  const quotient = asinQuotient(t);
  const root = Math.sqrt(t);
  const sign = x < 0 ? -1 : 1;
  if (word >= WORD_NEAR_ONE) return sign * (HALF_PI - (2 * (root + root * quotient) - HALF_PI_LOW));
  const high = withoutLowWord(root);
  const low = (t - high * high) / (root + high);
  const p = 2 * root * quotient - (HALF_PI_LOW - 2 * low);
  return sign * (Math.PI / 4 - (p - (Math.PI / 4 - 2 * high)));
}

/** Returns the arc cosine of a number; NaN outside [-1, 1]. */
export function acos(x: number): number {
  const word = highWord(x);
  if (x === 1) return 0;
  if (x === -1) return Math.PI + 2 * HALF_PI_LOW;
  if (word >= WORD_OF_ONE) return Number.NaN;
  if (word <= 0x3c600000) return HALF_PI + HALF_PI_LOW;
  if (word < WORD_OF_HALF) return HALF_PI - (x - (HALF_PI_LOW - x * asinQuotient(x * x)));
  const z = (1 - Math.abs(x)) * 0.5;
  const root = Math.sqrt(z);
  const quotient = asinQuotient(z);
  if (x < 0) return Math.PI - 2 * (root + (quotient * root - HALF_PI_LOW));
  const high = withoutLowWord(root);
  const low = (z - high * high) / (root + high);
  return 2 * (high + (quotient * root + low));
}

/** The logarithm of 2 as the sum of two doubles. */
const [LN2, LN2_LOW] = [0.6931471803691238, 1.9082149292705877e-10];
const [WORD_OF_HALF_LN2, WORD_OF_LN2_AND_HALF] = [0x3fd62e42, 0x3ff0a2b2];

/** A number as `power` times the logarithm of 2 and a rest, which is `high` - `low`. */
interface Reduced {
  readonly power: number;
  readonly high: number;
  readonly low: number;
}

/** Reduces a number whose magnitude exceeds half of ln 2. */
function reduce(x: number, word: number): Reduced {
  const sign = x < 0 ? -1 : 1;
  const power = word < WORD_OF_LN2_AND_HALF ? sign : Math.trunc(Math.LOG2E * x + sign * 0.5);
  return { power, high: x - power * LN2, low: power * LN2_LOW };
}

/** Multiplies a number by a power of two that may be beyond the range of doubles. */
function scale(number: number, power: number): number {
  const half = Math.trunc(power / 2);
  return number * 2 ** half * 2 ** (power - half);
}

const [E1, E2, E3, E4, E5] = [
  0.16666666666666602, -0.0027777777777015593, 0.00006613756321437934, -0.0000016533902205465252, 4.1381367970572385e-8,
] as const;

/** Returns e to a power, as the hyperbolic functions need it. */
function exp(x: number): number {
  const word = highWord(x);
  const isReduced = word > WORD_OF_HALF_LN2;
  if (!isReduced && word < 0x3e300000) return 1 + x;
  const { power, high, low } = isReduced ? reduce(x, word) : { power: 0, high: x, low: 0 };
  const rest = high - low;
  const t = rest * rest;
  const c = rest - t * (E1 + t * (E2 + t * (E3 + t * (E4 + t * E5))));
  if (power === 0) return 1 - ((rest * c) / (c - 2) - rest);
  return scale(1 - (low - (rest * c) / (2 - c) - high), power);
}

const [M1, M2, M3, M4, M5] = [
  -0.03333333333333313, 0.0015873015872548146, -0.0000793650757867488, 0.000004008217827329362, -2.0109921818362437e-7,
] as const;

/** Returns e to a power, minus 1. The power is between -44 and 44. */
function expm1(x: number): number {
  const word = highWord(x);
  const isReduced = word > WORD_OF_HALF_LN2;
  if (!isReduced && word < 0x3c900000) return x;
  const { power, high, low } = isReduced ? reduce(x, word) : { power: 0, high: x, low: 0 };
  const rest = high - low;
  const correction = high - rest - low;
  const half = 0.5 * rest;
  const square = rest * half;
  const r = 1 + square * (M1 + square * (M2 + square * (M3 + square * (M4 + square * M5))));
  const t = 3 - r * half;
  const error = square * ((r - t) / (6 - rest * t));
  if (power === 0) return rest - (rest * error - square);
  return combine(power, rest, rest * (error - correction) - correction - square);
}

/** Returns 2 to a power times 1 + `rest` - `error`, minus 1, without losing digits. */
function combine(power: number, rest: number, error: number): number {
  if (power === -1) return 0.5 * (rest - error) - 0.5;
  if (power === 1) return rest < -0.25 ? -2 * (error - (rest + 0.5)) : 1 + 2 * (rest - error);
  if (power <= -2 || power > 56) return scale(1 - (error - rest), power) - 1;
  const inverse = 2 ** -power;
  return scale(power < 20 ? 1 - inverse - (error - rest) : rest - (error + inverse) + 1, power);
}

/** High words of 22, of the largest number whose exponential is a double, and of half of ln 2. */
const [WORD_OF_22, WORD_OF_LARGEST, WORD_ABOVE_HALF_LN2] = [0x40360000, 0x40862e42, 0x3fd62e43];

/** Returns half of e to the power of a magnitude of at least 22. */
function halfExp(magnitude: number): number {
  if (highWord(magnitude) < WORD_OF_LARGEST) return 0.5 * exp(magnitude);
  const root = exp(0.5 * magnitude);
  return 0.5 * root * root;
}

/** Returns the hyperbolic sine of a number. */
export function sinh(x: number): number {
  const [magnitude, word] = [Math.abs(x), highWord(x)];
  if (!Number.isFinite(x) || word < 0x3e300000) return x;
  const sign = x < 0 ? -1 : 1;
  if (word >= WORD_OF_22) return sign * halfExp(magnitude);
  const t = expm1(magnitude);
  return sign * 0.5 * (word < WORD_OF_ONE ? 2 * t - (t * t) / (t + 1) : t + t / (t + 1));
}

/** Returns the hyperbolic cosine of a number. */
export function cosh(x: number): number {
  const [magnitude, word] = [Math.abs(x), highWord(x)];
  if (!Number.isFinite(x)) return magnitude;
  if (word >= WORD_OF_22) return halfExp(magnitude);
  if (word >= WORD_ABOVE_HALF_LN2) {
    const t = exp(magnitude);
    return 0.5 * t + 0.5 / t;
  }
  const t = expm1(magnitude);
  return word < 0x3c800000 ? 1 + t : 1 + (t * t) / (1 + t + (1 + t));
}

/** Returns the hyperbolic tangent of a number. */
export function tanh(x: number): number {
  const [magnitude, word] = [Math.abs(x), highWord(x)];
  if (Number.isNaN(x) || word < 0x3c800000) return x;
  const sign = x < 0 ? -1 : 1;
  if (word >= WORD_OF_22) return sign;
  const t = expm1(word >= WORD_OF_ONE ? 2 * magnitude : -2 * magnitude);
  return sign * (word >= WORD_OF_ONE ? 1 - 2 / (t + 2) : -t / (t + 2));
}
