/** Arithmetic with about 32 digits, for functions whose result must be rounded only once. */

/** A number as the sum of a double and its rounding error. */
export type DoubleDouble = readonly [number, number];

/** Returns the product of two doubles and its rounding error, by Dekker's algorithm. */
export function exactProduct(a: number, b: number): DoubleDouble {
  const high = a * b;
  const [aHigh, aLow] = split(a);
  const [bHigh, bLow] = split(b);
  return [high, aLow * bLow - (high - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

/** Splits a double into the upper and the lower half of its digits. */
function split(number: number): DoubleDouble {
  const scaled = number * 134_217_729;
  const high = scaled - (scaled - number);
  return [high, number - high];
}

/** Returns the sum of two doubles and its rounding error, by Knuth's algorithm. */
function exactSum(a: number, b: number): DoubleDouble {
  const high = a + b;
  const rest = high - a;
  return [high, a - (high - rest) + (b - rest)];
}

export function add([a, aLow]: DoubleDouble, [b, bLow]: DoubleDouble): DoubleDouble {
  const [high, rest] = exactSum(a, b);
  return normalized(high, rest + (aLow + bLow));
}

export function multiply([a, aLow]: DoubleDouble, [b, bLow]: DoubleDouble): DoubleDouble {
  const [high, rest] = exactProduct(a, b);
  return normalized(high, rest + (a * bLow + aLow * b));
}

export function divide([a, aLow]: DoubleDouble, [b, bLow]: DoubleDouble): DoubleDouble {
  const quotient = a / b;
  const [high, rest] = exactProduct(quotient, b);
  return normalized(quotient, (a - high - rest + aLow - quotient * bLow) / b);
}

function normalized(high: number, low: number): DoubleDouble {
  const sum = high + low;
  return [sum, low - (sum - high)];
}
