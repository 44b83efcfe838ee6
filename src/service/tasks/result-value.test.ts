import { describe, expect, test } from 'bun:test';
import { writeJson } from '../../values/json.ts';
import { resultValue } from './result-value.ts';

describe('resultValue', () => {
  const cases: ReadonlyArray<readonly [unknown, string, string]> = [
    [null, 'null', 'null'],
    [undefined, 'null', 'null'],
    ['a', 'string', '"a"'],
    [true, 'boolean', 'true'],
    [5, 'integer', '5'],
    [2_147_483_647, 'integer', '2147483647'],
    [2_147_483_648, 'long', '2147483648'],
    [1.5, 'double', '1.5'],
    [1e300, 'double', '1.0E300'],
    [Number.NaN, 'double', '"NaN"'],
    [9_007_199_254_740_993n, 'long', '9007199254740993'],
    [9_223_372_036_854_775_808n, 'bigInteger', '9223372036854775808'],
    [new Uint8Array([1, 2]), 'bytes', '"AQI="'],
    [new Date(0), 'timestamp', '"1970-01-01 00:00:00.0"'],
    [[1, 'a', null], 'list', '[1,"a",null]'],
    [new Set([1, 2]), 'list', '[1,2]'],
    [{ a: 1, b: [{}] }, 'map', '{"a":1,"b":[{}]}'],
    [new Map([[1, 'x']]), 'map', '{"1":"x"}'],
  ];
  for (const [result, type, json] of cases) {
    test(`${type}: ${json}`, () => {
      const value = resultValue(result);
      expect(value.type as string).toBe(type);
      expect(writeJson(value)).toBe(json);
    });
  }

  test('rejects what is not data', () => {
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(() => resultValue(circle)).toThrow('A result cannot contain itself');
    expect(() => resultValue(Symbol('s'))).toThrow('A result cannot be a symbol');
    const twice = { n: 1 };
    expect(writeJson(resultValue([twice, twice]))).toBe('[{"n":1},{"n":1}]');
  });
});
