import { expect, test } from 'bun:test';
import { decodeTagged, encodeTagged } from './tagged-json.ts';

const PLAIN = { text: 'a', list: [1, true, null], nested: { '': 'b' } };

test.each([
  ['plain data', PLAIN],
  ['longs', { ...PLAIN, long: -5n }],
  ['bytes', [PLAIN, new Uint8Array([0, 255])]],
  ['special numbers', [Number.NaN, Number.NEGATIVE_INFINITY, -0]],
  ['undefined elements', [1, undefined, 2]],
  ['texts that look like tagged objects', { text: '{"$long":"1"}', '{"$': 'x' }],
  ['such texts beside a tagged object', ['{"$long":"1"}', 1n]],
])('%s are read as they were written', (_, data) => {
  expect(decodeTagged(encodeTagged(data))).toEqual(data);
});
