import { expect, test } from 'bun:test';
import { text } from '../../values/value.ts';
import { Checksum } from './checksum.ts';

function checksumOf(key: string, value = 'v'): string {
  const checksum = new Checksum();
  checksum.add({ key: text(key), value: text(value) });
  return checksum.text;
}

test('texts that are the same as UTF-8 have different checksums', () => {
  const texts = ['\ufffd', '\ud800', '\ud801', '\udc00', 'a\ud800', 'a\ufffd', 'a'];
  const all = [...texts.map((each) => checksumOf(each)), ...texts.map((each) => checksumOf('k', each))];
  expect(new Set(all).size).toBe(all.length);
});
