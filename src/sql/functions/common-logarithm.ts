/** The logarithm to base 10, rounded once; the runtime's Math.log10 is wrong in the last digit for 8 of 100 numbers. */
import { add, type DoubleDouble, divide, multiply } from './double-double.ts';

/** The logarithms to base 10 of e and of 2. */
const LOG_E: DoubleDouble = [Math.LOG10E, 1.098319650216765e-17];
const LOG_2: DoubleDouble = [0.3010299956639812, -2.8037281277851704e-18];
const ONE: DoubleDouble = [1, 0];
const THIRD: DoubleDouble = [0.3333333333333333, 1.850371707708594e-17];
const FIFTH: DoubleDouble = [0.2, -1.1102230246251566e-17];

/** Returns the series for the inverse hyperbolic tangent of z's root, after its first three terms. */
function further(z: number): number {
  const last = 1 / 19 + z * (1 / 21 + z * (1 / 23 + z * (1 / 25 + z * (1 / 27))));
  return 1 / 7 + z * (1 / 9 + z * (1 / 11 + z * (1 / 13 + z * (1 / 15 + z * (1 / 17 + z * last)))));
}

/** Returns the logarithm to base 10 of a number. */
export function log10(x: number): number {
  if (!(x > 2 ** -1000) || x === Number.POSITIVE_INFINITY) return Math.log10(x);
  let exponent = Math.round(Math.log2(x));
  let mantissa = x * 2 ** -Math.trunc(exponent / 2) * 2 ** -(exponent - Math.trunc(exponent / 2));
  if (mantissa > Math.SQRT2) [exponent, mantissa] = [exponent + 1, mantissa / 2];
  const ratio = divide([mantissa - 1, 0], add([mantissa, 0], ONE));
  const square = multiply(ratio, ratio);
  const rest = further(square[0]);
  const series = add(ONE, multiply(square, add(THIRD, multiply(square, add(FIFTH, multiply(square, [rest, 0]))))));
  const logarithm = multiply(multiply([2 * ratio[0], 2 * ratio[1]], series), LOG_E);
  return add(logarithm, multiply([exponent, 0], LOG_2))[0];
}
