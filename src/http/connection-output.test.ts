import { describe, expect, test } from 'bun:test';
import { systemClock } from '../base/clock.ts';
import { CommonLines, ConnectionOutput, type OutputWire, SHORT_CHARACTERS } from './connection-output.ts';
import { ResponseBudget } from './replies/response-budget.ts';
import { streamReply } from './replies/streamed-reply.ts';
import { JSON_TYPE, type Reply } from './reply.ts';

describe('replies to a client that reads slowly', () => {
  /** Accepts this many bytes at a time. */
  function slowClient(acceptedBytes: number) {
    const received: Buffer[] = [];
    const take = (data: string | Uint8Array) => {
      const bytes = Buffer.from(Buffer.from(data).subarray(0, acceptedBytes));
      received.push(bytes);
      return bytes.length;
    };
    const budget = new ResponseBudget(1_000_000, systemClock);
    const output = new ConnectionOutput(
      { write: take, writePart: (bytes, start, length) => take(bytes.subarray(start, start + length)), terminate() {} },
      budget,
      undefined,
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
  const bodies = [
    '{"a":1}',
    '{"b":22}',
    'ä'.repeat(20),
    '',
    '\u20ac'.repeat(SHORT_CHARACTERS),
    'z'.repeat(SHORT_CHARACTERS + 1),
    '{"c":3}',
  ];
  const headOf = (bytes: number) =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\nX-Test: 1\r\nDate: NOW\r\nContent-Length: ${bytes}\r\n\r\n`;
  const expected = bodies.map((body) => headOf(Buffer.byteLength(body)) + body).join('');

  test('a head that is longer than usual is written whole', () => {
    const client = slowClient(1_000_000);
    const reply = { ...replyOf('body'), extra: { 'X-Long': 'x'.repeat(10_000) } };
    client.output.writeReply(reply, 'body', { minor: 1, keep: true, lines }, false);
    expect(client.text()).toContain(`X-Long: ${'x'.repeat(10_000)}\r\n`);
    expect(client.text()).toEndWith('\r\n\r\nbody');
  });

  test.each([1, 7, 100, 1_000_000])('arrive whole and in order, %i bytes at a time', (acceptedBytes) => {
    const slow = slowClient(acceptedBytes);
    const other = slowClient(1_000_000);
    for (const body of bodies) {
      slow.output.writeReply(replyOf(body), body, { minor: 1, keep: true, lines }, false);
      // The buffer is used by other connections before the client has read everything.
      other.output.writeReply(replyOf('{}'), '{}', { minor: 1, keep: true, lines }, false);
    }
    while (!slow.output.isEmpty) slow.output.retry();
    expect(slow.text()).toBe(expected);
  });
});

describe('a service that may not respond', () => {
  const lines = new CommonLines('', 'NOW');
  const framing = { minor: 1, keep: true, lines } as const;
  const common = { status: 200, type: JSON_TYPE, compressible: false, extra: undefined, close: false };
  async function* parts(): AsyncGenerator<string> {
    yield 'first';
    mayAnswer = false;
    yield 'second';
  }
  let mayAnswer = true;

  /** Returns what a client receives of a reply that is sent as things happen, after one that reveals nothing. */
  async function received(reply: Pick<Reply, 'hasFailed'>): Promise<string> {
    mayAnswer = true;
    let text = '';
    let isClosed = false;
    const write = (data: string | Uint8Array) => {
      text += Buffer.from(data).toString();
      return Buffer.byteLength(data);
    };
    const wire: OutputWire = {
      write,
      writePart: (bytes, start, length) => write(bytes.subarray(start, start + length)),
      terminate() {
        isClosed = true;
      },
    };
    const output = new ConnectionOutput(wire, new ResponseBudget(1_000_000, systemClock), () => mayAnswer);
    output.writeReply({ ...common, body: 'live', isUnfenced: true }, 'live', framing, false);
    const target = { output, isClosed: () => isClosed, afterWriting: (next: () => void) => next() };
    await streamReply(target, { ...common, body: '', ...reply }, parts(), framing);
    return text.slice(text.indexOf('first'));
  }

  test('sends no more of a stream, whatever was sent before on the connection', async () => {
    expect(await received({})).toBe('first\r\n');
  });

  test('says why the stream has ended', async () => {
    expect(await received({ hasFailed: () => !mayAnswer })).toBe('first\r\n6\r\nsecond\r\n0\r\n\r\n');
  });
});
