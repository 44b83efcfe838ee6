import { describe, expect, test } from 'bun:test';
import { randomValue, seededRandom } from '../../test/fixtures/values/random-values.ts';
import { type PackedValues, packValues, unpackValues } from './packed-values.ts';
import { text, type Value } from './value.ts';

function result<T>(steps: Generator<undefined, T>): { value: T; steps: number } {
  for (let count = 0; ; count++) {
    const next = steps.next();
    if (next.done === true) return { value: next.value, steps: count };
  }
}

const pack = (values: readonly Value[]): PackedValues => result(packValues(values)).value;

/** Returns the values after their way through a message. */
function sent(values: readonly Value[]): Value[] {
  return result(unpackValues(structuredClone(pack(values)))).value;
}

describe('packed values', () => {
  test('are the same afterwards, whatever their types', () => {
    const random = seededRandom(7);
    const values = Array.from({ length: 5_000 }, () => randomValue(random, 2));
    expect(sent(values)).toEqual(values);
  });

  test.each<Value>([
    { type: 'double', data: -0 },
    { type: 'double', data: Number.NaN },
    { type: 'float', data: Number.NEGATIVE_INFINITY },
    { type: 'long', data: -(2n ** 63n) },
    { type: 'bigInteger', data: 10n ** 30n },
    { type: 'decimal', data: { unscaled: -15n, scale: 2 } },
    { type: 'bytes', data: new Uint8Array([0, 255]) },
    { type: 'string', data: '\ud800"\u0000' },
    { type: 'string', data: '' },
    { type: 'null' },
  ])('keep %p', (value) => {
    const [kept] = sent([text('a'), value, text('b')]).slice(1);
    expect(kept).toEqual(value);
    if (value.type === 'double') expect(Object.is(kept?.type === 'double' && kept.data, value.data)).toBe(true);
  });

  test('keep the order of short and long texts', () => {
    const values = [text('a'), text('l'.repeat(20_000)), text('l'.repeat(16 * 1024)), text('b'), text('c')];
    const packed = pack(values);
    expect(packed.map((each) => typeof each)).toEqual(['string', 'object', 'object', 'string']);
    expect(sent(values)).toEqual(values);
  });

  test('are packed and unpacked in short steps', () => {
    const values = Array.from({ length: 10_000 }, (_, at) => text(`value ${at}`));
    const packed = result(packValues(values));
    expect(packed.steps).toBeGreaterThan(30);
    expect(result(unpackValues(packed.value)).steps).toBeGreaterThan(30);
    const long = result(packValues(Array.from({ length: 100 }, () => text('l'.repeat(10_000)))));
    expect(long.steps).toBeGreaterThan(10);
  });

  test('of no values are no texts', () => {
    expect(pack([])).toEqual([]);
    expect(sent([])).toEqual([]);
  });
});
