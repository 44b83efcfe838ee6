/** Results of Java's Math, including the boundaries between the parts of each algorithm. */
import { describe, expect, test } from 'bun:test';
import { log10 } from './common-logarithm.ts';
import { acos, asin, cosh, sinh, tanh } from './strict-math.ts';

const RESULTS: ReadonlyArray<readonly [of: (x: number) => number, x: number, result: number]> = [
  [acos, 0.0, 1.5707963267948966],
  [acos, 1.0, 0.0],
  [acos, -1.0, Math.PI],
  [acos, 1.5, Number.NaN],
  [acos, 1.0e-20, 1.5707963267948966],
  [acos, 0.5, 1.0471975511965979],
  [acos, 0.4999, 1.047313017401947],
  [acos, 0.98, 0.20033484232311968],
  [acos, -0.98, 2.9412578112666736],
  [acos, -0.6, 2.214297435588181],
  [asin, 1.0, 1.5707963267948966],
  [asin, -1.0, -1.5707963267948966],
  [asin, 1.5, Number.NaN],
  [asin, 1.0e-9, 1.0e-9],
  [asin, 0.3, 0.3046926540153975],
  [asin, 0.98, 1.3704614844717768],
  [asin, -0.98, -1.3704614844717768],
  [asin, -0.6, -0.6435011087932844],
  [sinh, 1.0e-10, 1.0e-10],
  [sinh, 0.1, 0.10016675001984403],
  [sinh, 0.9, 1.0265167257081753],
  [sinh, -1.2, -1.5094613554121725],
  [sinh, 21.5, 1.0871797767882442e9],
  [sinh, -30.0, -5.343237290762231e12],
  [sinh, 709.5, 6.774931596573164e307],
  [sinh, 710.3, 1.5077887555909707e308],
  [sinh, 711.0, Number.POSITIVE_INFINITY],
  [sinh, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  [cosh, 1.0e-10, 1.0],
  [cosh, 0.1, 1.0050041680558035],
  [cosh, 0.34, 1.0583589566631018],
  [cosh, 1.2, 1.8106555673243747],
  [cosh, 21.5, 1.0871797767882442e9],
  [cosh, -30.0, 5.343237290762231e12],
  [cosh, 709.5, 6.774931596573164e307],
  [cosh, 710.3, 1.5077887555909707e308],
  [cosh, 711.0, Number.POSITIVE_INFINITY],
  [cosh, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  [tanh, 1.0e-20, 1.0e-20],
  [tanh, 0.1, 0.09966799462495582],
  [tanh, 0.9, 0.7162978701990245],
  [tanh, -1.2, -0.8336546070121552],
  [tanh, 21.5, 1.0],
  [tanh, -30.0, -1.0],
  [tanh, Number.NaN, Number.NaN],
  [log10, 0.0, Number.NEGATIVE_INFINITY],
  [log10, -1.0, Number.NaN],
  [log10, 1.0, 0.0],
  [log10, 2.0, 0.3010299956639812],
  [log10, 1.0e-320, -320.000004834948],
  [log10, 1.0e-30, -30.0],
  [log10, 0.1, -1.0],
  [log10, 1000.0, 3.0],
  [log10, 1.0e22, 22.0],
  [log10, 1.7e308, 308.2304489213783],
  [log10, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
];

describe('as in Java', () => {
  test.each(RESULTS.map(([of, x, result]) => [of.name, x, of, result] as const))('%s(%p)', (_, x, of, result) => {
    expect(of(x)).toBe(result);
  });
});
