import { describe, expect, test } from 'bun:test';
import { MalformedMessage } from './byte-reader.ts';
import { FrameCutter } from './frames.ts';

function frame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function cut(chunks: readonly Buffer[]): string[] {
  const messages: string[] = [];
  const cutter = new FrameCutter((reader) => messages.push(reader.raw(reader.remaining).toString()), 1_000_000);
  for (const chunk of chunks) cutter.push(chunk);
  return messages;
}

describe('the stream is cut into messages', () => {
  const texts = ['one', '', 'three', 'x'.repeat(70_000), 'end'];
  const stream = Buffer.concat(texts.map(frame));

  test('in one chunk', () => expect(cut([stream])).toEqual(texts));

  test.each([1, 2, 3, 5, 7, 1024, 65_536])('in chunks of %p bytes', (size) => {
    const chunks: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
    expect(cut(chunks)).toEqual(texts);
  });

  test('an incomplete message is kept until it is complete', () =>
    expect(cut([stream.subarray(0, stream.length - 1)])).toEqual(texts.slice(0, -1)));

  test.each([-1, 1_000_001, 0x01000012])('a length of %p is rejected', (length) => {
    const head = Buffer.alloc(4);
    head.writeInt32LE(length);
    expect(() => cut([head])).toThrow(MalformedMessage);
  });

  test.each([1, 3, 13, 14, 15, 1000, 5_000_000])('an oversized message is dropped, in chunks of %p bytes', (size) => {
    const seen: string[] = [];
    const cutter = new FrameCutter(
      (reader) => seen.push(reader.raw(reader.remaining).toString()),
      16,
      (head, length) => seen.push(`oversized ${head.raw(10).toString()} ${length}`),
    );
    const stream = Buffer.concat(['before', '0123456789 and more than sixteen', 'x'.repeat(17), 'after'].map(frame));
    for (let at = 0; at < stream.length; at += size) cutter.push(stream.subarray(at, at + size));
    expect(seen).toEqual(['before', 'oversized 0123456789 32', 'oversized xxxxxxxxxx 17', 'after']);
  });

  test('memory grows with the bytes that arrived, not with the announced length', () => {
    const before = process.memoryUsage().arrayBuffers;
    const cutters = Array.from({ length: 64 }, () => new FrameCutter(() => {}, 2 ** 30));
    for (const cutter of cutters) cutter.push(Buffer.from('ffffff3f41414141', 'hex'));
    for (const cutter of cutters) cutter.push(Buffer.alloc(1000));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
  });
});
