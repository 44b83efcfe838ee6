/** Fuzzes the head reader and the body framing: the service and a simple model must see the same requests. */
import type { IncomingRequest } from '../../../src/http/incoming-request.ts';
import { plainAnswer, type Reply } from '../../../src/http/reply.ts';
import { MemoryHost } from '../../fixtures/http/memory-host.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { type ModelLimits, type ModelRequest, readModelStream } from './http-model.ts';
import { generateStream } from './http-streams.ts';
import { smallerTexts } from './mutations.ts';

const LIMITS: ModelLimits = { headBytes: 1_024, bodyBytes: 200 };

/** The requests that a reader of streams saw, and the number of answers that it wrote. */
export interface StreamReading {
  readonly requests: readonly ModelRequest[];
  readonly rejected: boolean;
  readonly answers: number;
}

/** Reads a stream that arrives in chunks. */
export type StreamReader = (chunks: readonly string[]) => StreamReading;

/** Characters of a response that show its status. */
const STATUS_CHARACTERS = 12;

/** A connection that keeps the requests and counts the answers. */
class StreamHost extends MemoryHost {
  readonly received: ModelRequest[] = [];
  answered = 0;

  constructor() {
    super({
      headLimitBytes: LIMITS.headBytes,
      bodyLimitBytes: LIMITS.bodyBytes,
      bodyBytesPerTick: 1,
      requestBytes: 1_000_000,
      unauthenticatedBytes: 1_000_000,
    });
  }

  handle({ line, body }: IncomingRequest): Reply {
    const text = Buffer.from(body?.whole() ?? []).toString('latin1');
    this.received.push({ method: line.method, target: line.target, body: text });
    return plainAnswer(200, 'text/plain', 'ok');
  }

  override readsBody(): boolean {
    return true;
  }

  write(data: string | Uint8Array): number {
    const start = typeof data === 'string' ? data : Buffer.from(data.subarray(0, STATUS_CHARACTERS)).toString('latin1');
    if (/^HTTP\/1\.1 (?!100)/.test(start)) this.answered++;
    return data.length;
  }

  get isOpen(): boolean {
    return this.state === 'open' || this.state === 'shut';
  }
}

/** Reads a stream with the service's connection. */
export const serviceReader: StreamReader = (chunks) => {
  const host = new StreamHost();
  for (const chunk of chunks) if (host.isOpen) host.feed(chunk);
  while (!host.deferredReads.isEmpty) host.passTick();
  if (host.unexpectedErrors.length > 0) throw new Error(`the reader failed: ${host.unexpectedErrors.join(', ')}`);
  if (host.isOpen) host.connection.gone();
  const usedBytes = host.requests.usedBytes + host.responses.usedBytes;
  if (usedBytes !== 0) throw new Error(`${usedBytes} bytes stay accounted for`);
  return { requests: host.received, rejected: host.rejections.length > 0, answers: host.answered };
};

/** Compares a reader of streams with the model. */
export function httpFuzzer(read: StreamReader = serviceReader): Fuzzer<readonly string[]> {
  return {
    name: 'http-bytes',
    generate: (random) => cut(random, generateStream(random)),
    check(chunks) {
      const model = readModelStream(chunks.join(''), LIMITS);
      const rejected = model.end === 'rejected';
      const answers = model.requests.length + (rejected ? 1 : 0);
      mustEqual(read(chunks), { requests: model.requests, rejected, answers }, 'requests');
    },
    *smaller(chunks) {
      const whole = chunks.join('');
      if (chunks.length > 1) yield [whole];
      for (const text of smallerTexts(whole)) yield [text];
      if (chunks.length > 1) {
        for (const [at, chunk] of chunks.entries()) for (const text of smallerTexts(chunk)) yield chunks.with(at, text);
      }
    },
    show: (chunks) => JSON.stringify(chunks),
  };
}

function cut(random: Random, text: string): string[] {
  const chunks: string[] = [];
  let rest = text;
  for (let left = random.below(4); left > 0 && rest.length > 1; left--) {
    const at = 1 + random.below(rest.length - 1);
    chunks.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...chunks, rest];
}
