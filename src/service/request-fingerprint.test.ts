import { expect, test } from 'bun:test';
import { RequestFingerprint } from './request-fingerprint.ts';

function fingerprintOf(texts: readonly string[], secret: readonly [number, number] = [1, 2]): string {
  const fingerprint = new RequestFingerprint(...secret);
  for (const text of texts) fingerprint.add(text);
  const words = new Int32Array(2);
  fingerprint.writeTo(words, 0);
  return words.join(' ');
}

test('differs for other texts, another division or order of them, and another secret', () => {
  const sequences = [
    [],
    [''],
    ['', ''],
    ['key', 'a'],
    ['a', 'key'],
    ['keya', ''],
    ['ke', 'ya'],
    ['key', 'b'],
    ['key', 'a', ''],
    ['key', '\u8000'],
    ['key', '\u0000'],
    ['key', '\u{1f600}'],
  ];
  const all = [...sequences.map((texts) => fingerprintOf(texts)), fingerprintOf([], [1, 3]), fingerprintOf([], [2, 2])];
  expect(new Set(all).size).toBe(all.length);
});

test('of 200,000 similar requests are all different', () => {
  const all = new Set<string>();
  for (let key = 0; key < 200_000; key++) all.add(fingerprintOf(['key', `${key}`, 'val', `${key % 7}`]));
  expect(all.size).toBe(200_000);
});

test('each bit of a text changes about half of the bits', () => {
  let changed = 0;
  const bits = (text: string) =>
    text
      .split(' ')
      .map((word) => (Number(word) >>> 0).toString(2).padStart(32, '0'))
      .join('');
  for (let bit = 0; bit < 16; bit++) {
    const one = bits(fingerprintOf(['val', 'some value']));
    const other = bits(fingerprintOf(['val', `some val${String.fromCharCode('u'.charCodeAt(0) ^ (1 << bit))}e`]));
    const differing = [...one].filter((each, at) => each !== other[at]).length;
    expect(differing).toBeGreaterThan(12);
    changed += differing;
  }
  expect(changed / 16).toBeGreaterThan(26);
  expect(changed / 16).toBeLessThan(38);
});
