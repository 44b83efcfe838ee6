/** The checksum, against a byte-wise calculation and the check value of its definition. */
import { expect, test } from 'bun:test';
import { Crc64, PartAppender, partialCrcOf } from './crc64.ts';

function bytewise(bytes: Uint8Array): bigint {
  let sum = 0xffff_ffff_ffff_ffffn;
  for (const byte of bytes) {
    sum ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1n) === 1n ? (sum >> 1n) ^ 0xd800_0000_0000_0000n : sum >> 1n;
  }
  return sum ^ 0xffff_ffff_ffff_ffffn;
}

const bytes = Uint8Array.from({ length: 600 }, (_, at) => (at * 7_919) >>> 3);

test('the check value', () => {
  expect(new Crc64().update(Buffer.from('123456789')).value()).toBe(0xb909_56c7_75a4_1001n);
});

test.each([0, 1, 2, 3, 4, 5, 7, 8])('bytes at offset %d', (offset) => {
  for (const length of [0, 1, 7, 8, 9, 64, 513]) {
    const part = bytes.subarray(offset, offset + length);
    expect(new Crc64().update(part).value()).toBe(bytewise(part));
    expect(new Crc64().update(Buffer.from(part)).value()).toBe(bytewise(part));
  }
});

test('a remainder adds what its bytes add', () => {
  const [head, part] = [bytes.subarray(0, 10), bytes.subarray(10, 522)];
  const sum = new Crc64().update(head).append(partialCrcOf(part), PartAppender.of(part.length));
  expect(sum.value()).toBe(bytewise(bytes.subarray(0, 522)));
  expect(sum.update(head).value()).toBe(new Crc64().update(bytes.subarray(0, 522)).update(head).value());
});
