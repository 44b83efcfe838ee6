import { expect, test } from 'bun:test';
import { PART_CHARACTERS, partsOf } from '../streaming.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

const buffer = new ChunkBuffer();

/** Returns the encoded parts of a text, one after another. */
function encoded(text: string, chunked: boolean): Buffer {
  return Buffer.concat([...partsOf(text)].map((part) => Buffer.from(buffer.encode(part, chunked))));
}

/** Reads chunks of HTTP. */
function bodyOf(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at);
    const start = end + 2;
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16);
    parts.push(bytes.subarray(start, start + length));
    at = start + length + 2;
    expect(bytes.toString('latin1', at - 2, at)).toBe('\r\n');
  }
  return Buffer.concat(parts).toString();
}

const TEXTS = [
  'a',
  'ü€',
  'a'.repeat(PART_CHARACTERS),
  'a'.repeat(3 * PART_CHARACTERS + 1),
  '€'.repeat(2 * PART_CHARACTERS + 5),
  '\u{1f600}'.repeat(PART_CHARACTERS),
  `a${'\u{1f600}'.repeat(PART_CHARACTERS)}`,
];

test('texts of every length are encoded in parts that separate no surrogates', () => {
  for (const text of TEXTS) {
    expect(encoded(text, false).toString() === text).toBe(true);
    expect(bodyOf(encoded(text, true)) === text).toBe(true);
  }
});

test('a chunk begins with its length in bytes', () => {
  expect(buffer.encode('ü€', true).toString()).toBe('5\r\nü€\r\n');
  expect(buffer.encode('a'.repeat(16), true).toString()).toBe(`10\r\n${'a'.repeat(16)}\r\n`);
});
