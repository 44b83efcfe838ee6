import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../base/clock.ts';
import { ConnectionOutput } from '../connection-output.ts';
import { CommonLines, JSON_TYPE, type Reply } from '../reply.ts';
import { BUFFERED_BYTES, ReplyBuffer } from './reply-buffer.ts';
import { writeReply } from './reply-writer.ts';
import { ResponseBudget } from './response-budget.ts';

describe('a reply buffer', () => {
  const buffer = new ReplyBuffer();
  const textOf = (head: string, body: string) => buffer.bytes.toString('latin1', 0, buffer.set(head, body));

  test('holds one head and body after the other', () => {
    for (const [head, body] of [
      ['first\r\n', 'a longer body'],
      ['first\r\n', 'short'],
      ['second, longer\r\n', 'short'],
      ['2\r\n', ''],
      ['first\r\n', 'x'.repeat(BUFFERED_BYTES)],
    ] as const) {
      expect(textOf(head, body)).toBe(head + body);
    }
  });

  test('takes nothing that is too long, and keeps its head', () => {
    expect(buffer.set('head', 'x'.repeat(BUFFERED_BYTES + 1))).toBe(0);
    expect(buffer.set('x'.repeat(10_000), 'body')).toBe(0);
    expect(textOf('first\r\n', 'body')).toBe('first\r\nbody');
  });
});

describe('replies to a client that reads slowly', () => {
  /** Accepts so many bytes at a time. */
  function slowClient(acceptedBytes: number) {
    const received: Buffer[] = [];
    const take = (data: string | Uint8Array) => {
      const bytes = Buffer.from(Buffer.from(data).subarray(0, acceptedBytes));
      received.push(bytes);
      return bytes.length;
    };
    const budget = new ResponseBudget(1_000_000, systemClock);
    const output = new ConnectionOutput(
      { write: take, writeStart: (bytes, length) => take(bytes.subarray(0, length)), terminate() {} },
      (close) => budget.open(close),
    );
    return { output, text: () => Buffer.concat(received).toString() };
  }
  const lines = new CommonLines('X-Test: 1\r\n', 'NOW');
  const replyOf = (body: string): Reply => ({
    status: 200,
    type: JSON_TYPE,
    body,
    compressible: false,
    extra: undefined,
    close: false,
  });
  const bodies = ['{"a":1}', '{"b":22}', 'ä'.repeat(20), '', 'z'.repeat(BUFFERED_BYTES + 1), '{"c":3}'];
  const headOf = (bytes: number) =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\nX-Test: 1\r\nDate: NOW\r\nContent-Length: ${bytes}\r\n\r\n`;
  const expected = bodies.map((body) => headOf(Buffer.byteLength(body)) + body).join('');

  test.each([1, 7, 100, 1_000_000])('arrive whole and in order, %i bytes at a time', (acceptedBytes) => {
    const slow = slowClient(acceptedBytes);
    const other = slowClient(1_000_000);
    for (const body of bodies) {
      writeReply(slow.output, replyOf(body), body, { minor: 1, keep: true, lines }, false);
      // The buffer is used by other connections before the client has read everything.
      writeReply(other.output, replyOf('{}'), '{}', { minor: 1, keep: true, lines }, false);
    }
    while (!slow.output.isEmpty) slow.output.retry();
    expect(slow.text()).toBe(expected);
  });
});
