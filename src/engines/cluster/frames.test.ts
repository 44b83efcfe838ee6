import { describe, expect, test } from 'bun:test';
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

describe('messages are cut from the stream', () => {
  const texts = ['one', '', 'three', 'x'.repeat(70_000), 'end'];
  const stream = Buffer.concat(texts.map(frame));

  test('all at once', () => expect(cut([stream])).toEqual(texts));

  test.each([1, 2, 3, 5, 7, 1024, 65_536])('in pieces of %p bytes', (size) => {
    const chunks: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
    expect(cut(chunks)).toEqual(texts);
  });

  test('what has not ended waits', () =>
    expect(cut([stream.subarray(0, stream.length - 1)])).toEqual(texts.slice(0, -1)));

  test.each([-1, 1_000_001, 0x01000012])('a length of %p is no message', (length) => {
    const head = Buffer.alloc(4);
    head.writeInt32LE(length);
    expect(() => cut([head])).toThrow(RangeError);
  });
});
