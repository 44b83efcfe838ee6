import { expect, test } from 'bun:test';
import { text, type Value } from '../../../values/value.ts';
import { hashOfLowerCase } from '../binary/java-hash.ts';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { affinityHash } from './affinity.ts';

const types = new BinaryTypes({ fetchType: () => Promise.resolve(undefined), storeType: () => Promise.resolve() });
const context = { types, zone: UTC_ZONE };
const UUID = '123e4567-e89b-12d3-a456-426614174000';
const seat: Value = {
  type: 'object',
  typeName: 'SeatKey',
  fields: [
    { name: 'row', value: { type: 'integer', data: 7 } },
    { name: 'seat', value: text('A') },
  ],
};

/** Hash codes of Java. */
const cases: ReadonlyArray<readonly [Value, number | undefined]> = [
  [{ type: 'integer', data: -5 }, -5],
  [{ type: 'long', data: 2n ** 32n }, 1],
  [{ type: 'boolean', data: true }, 1231],
  [{ type: 'boolean', data: false }, 1237],
  [{ type: 'char', data: 'a' }, 97],
  [{ type: 'float', data: 1.5 }, 1_069_547_520],
  [{ type: 'double', data: 1.5 }, 1_073_217_536],
  [{ type: 'double', data: -0 }, -2_147_483_648],
  [text('default'), 1_544_803_905],
  [{ type: 'date', data: 1 }, 86_400_000],
  [{ type: 'timestamp', data: 1_999_999n }, 1],
  [{ type: 'timestamp', data: -1n }, 0],
  [{ type: 'decimal', data: { unscaled: 15n, scale: 1 } }, 466],
  [{ type: 'decimal', data: { unscaled: -15n, scale: 1 } }, -464],
  [{ type: 'bigInteger', data: 2n ** 32n }, 31],
  [{ type: 'uuid', data: UUID }, 1_256_478_162],
  [
    {
      type: 'list',
      data: [
        { type: 'integer', data: 1 },
        { type: 'integer', data: 2 },
      ],
    },
    994,
  ],
  [{ type: 'map', data: [[text('k'), { type: 'integer', data: 1 }]] }, 106],
  [{ type: 'bytes', data: Uint8Array.of(1) }, undefined],
];
for (const [key, hash] of cases) {
  test(`the hash of ${Bun.inspect(key, { compact: true })} is ${hash}`, () => {
    expect(affinityHash(key, new Map(), context)).toBe(hash);
  });
}

test('the hash of an object is that of its data or of its affinity field', () => {
  const whole = affinityHash(seat, new Map(), context);
  expect(whole).not.toBe(7);
  const byRow = new Map([[hashOfLowerCase('SeatKey'), hashOfLowerCase('row')]]);
  expect(affinityHash(seat, byRow, context)).toBe(7);
});
