/**
 * The arc tangent as Java computes it: with fdlibm's algorithm, whose last digit can differ from the runtime's
 * Math.atan.
 */

/** Arc tangents of 0.5, 1, 1.5 and infinity, each as the sum of two doubles. */
const HIGH = [0.4636476090008061, 0.7853981633974483, 0.982793723247329, Math.PI / 2] as const;
const LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311031230998e-17, 6.123233995736766e-17] as const;

/** Coefficients of the odd polynomial around 0. */
const [A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10] = [
  0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
  -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
  0.016285820115365782,
] as const;

/** Below this, the arc tangent of a number is the number itself. */
const TINY = 2 ** -29;
/** From here on, the arc tangent equals infinity's. */
const HUGE = 2 ** 66;

/** Returns the arc tangent of a number. */
export function atan(x: number): number {
  const magnitude = Math.abs(x);
  if (Number.isNaN(x) || magnitude < TINY) return x;
  const sign = x < 0 ? -1 : 1;
  if (magnitude >= HUGE) return sign * (HIGH[3] + LOW[3]);
  if (magnitude < 0.4375) return x - x * polynomial(x);
  const [reduced, at] = reduce(magnitude);
  return sign * (HIGH[at] - (reduced * polynomial(reduced) - LOW[at] - reduced));
}

/** Returns a number whose arc tangent is the arc tangent of `x` minus the constant at the index. */
function reduce(x: number): readonly [number, 0 | 1 | 2 | 3] {
  if (x < 0.6875) return [(2 * x - 1) / (2 + x), 0];
  if (x < 1.1875) return [(x - 1) / (x + 1), 1];
  if (x < 2.4375) return [(x - 1.5) / (1 + 1.5 * x), 2];
  return [-1 / x, 3];
}

function polynomial(x: number): number {
  const z = x * x;
  const w = z * z;
  const odd = z * (A0 + w * (A2 + w * (A4 + w * (A6 + w * (A8 + w * A10)))));
  const even = w * (A1 + w * (A3 + w * (A5 + w * (A7 + w * A9))));
  return odd + even;
}

/** Pi as the sum of two doubles. */
const PI_LOW = 1.2246467991473532e-16;
/** The exponent of a ratio from which the angle is a right angle; below its negative, it lies on the axis. */
const EXTREME_EXPONENT = 60;
const BITS = new DataView(new ArrayBuffer(8));

/** Returns the biased exponent of a double. */
function exponentOf(x: number): number {
  BITS.setFloat64(0, x);
  return (BITS.getUint32(0) >>> 20) & 0x7ff;
}

/** Returns the angle of the point (x, y) in polar coordinates. */
export function atan2(y: number, x: number): number {
  // Zeros, infinities and NaN have exact results.
  if (y === 0 || x === 0 || !Number.isFinite(y) || !Number.isFinite(x)) return Math.atan2(y, x);
  if (x === 1) return atan(y);
  const ratio = exponentOf(y) - exponentOf(x);
  let angle: number;
  if (ratio > EXTREME_EXPONENT) angle = Math.PI / 2 + 0.5 * PI_LOW;
  else if (x < 0 && ratio < -EXTREME_EXPONENT) angle = 0;
  else angle = atan(Math.abs(y / x));
  if (x > 0) return y > 0 ? angle : -angle;
  return y > 0 ? Math.PI - (angle - PI_LOW) : angle - PI_LOW - Math.PI;
}
