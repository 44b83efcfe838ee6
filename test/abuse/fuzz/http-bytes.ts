/** Fuzzes the head reader and the body framing: the service and a simple model must see the same requests. */
import { fail } from '../../../src/base/errors.ts';
import { BufferBudget } from '../../../src/http/buffer-budget.ts';
import { ClientAddresses } from '../../../src/http/client-addresses.ts';
import { Connection } from '../../../src/http/connection.ts';
import type { ConnectionHost, HostedConnection, IncomingRequest, Wire } from '../../../src/http/connection-host.ts';
import type { Reply } from '../../../src/http/reply.ts';
import { plainAnswer } from '../../../src/http/response.ts';
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

/** A socket and a server in memory. */
class MemoryServer implements Wire, ConnectionHost {
  readonly address = '192.0.2.1';
  readonly port = 50_000;
  readonly clients = new ClientAddresses({
    trustedProxies: [],
    forwardedHeader: 'X-Forwarded-For',
    proxyProtocol: false,
  });
  readonly certificateSubject = undefined;
  readonly isEncrypted = false;
  readonly headerLines = '';
  readonly encryptedHeaderLines = '';
  readonly headLimitBytes = LIMITS.headBytes;
  readonly bodyLimitBytes = LIMITS.bodyBytes;
  readonly idleTicks = 30;
  readonly headTicks = 12;
  readonly bodyBytesPerTick = 1;
  readonly budget = new BufferBudget({ totalBytes: 1_000_000, unprovenBytes: 1_000_000 });
  readonly date = 'NOW';
  readonly tick = 0;
  readonly stopping = false;
  readonly requests: ModelRequest[] = [];
  hasRejected = false;
  answers = 0;
  unexpectedErrors = '';
  open = true;

  handle({ line, body }: IncomingRequest): Reply {
    const text = Buffer.from(body.whole()).toString('latin1');
    this.requests.push({ method: line.method, target: line.target, body: text });
    return plainAnswer(200, 'text/plain', 'ok');
  }
  enqueue(connection: HostedConnection): void {
    connection.work();
    connection.answer();
  }
  decline(): Reply {
    return plainAnswer(503, 'text/plain', 'later');
  }
  deferred: HostedConnection[] = [];
  get hasDeferred(): boolean {
    return this.deferred.length > 0;
  }
  defer(connection: HostedConnection): void {
    this.deferred.push(connection);
  }
  readsBody(): boolean {
    return true;
  }
  streamsBody(): boolean {
    return false;
  }
  judgeHead() {
    return 'known' as const;
  }
  openBody() {
    return this.budget.open({ proven: true });
  }
  openWaiting() {
    return this.budget.open({ proven: false });
  }
  openUnsent() {
    return this.budget.open({ proven: true });
  }
  rejected(): void {
    this.hasRejected = true;
  }
  unexpected(error: unknown) {
    this.unexpectedErrors += `${error}\n`;
    return fail('INTERNAL', 'fuzz');
  }
  closed(): void {
    this.open = false;
  }
  write(data: string | Uint8Array): number {
    if (typeof data === 'string' && !data.startsWith('HTTP/1.1 100')) this.answers++;
    return data.length;
  }
  shutdown(): void {}
  end(): void {
    this.open = false;
  }
  terminate(): void {
    this.open = false;
  }
  pause(): void {}
  resume(): void {}
}

/** Reads a stream with the service's connection. */
export const serviceReader: StreamReader = (chunks) => {
  const server = new MemoryServer();
  const connection = new Connection(server, server);
  for (const chunk of chunks) if (server.open) connection.receive(Buffer.from(chunk, 'latin1'));
  for (let next = server.deferred.shift(); next !== undefined; next = server.deferred.shift()) next.continueReading();
  if (server.unexpectedErrors !== '') throw new Error(`the reader failed: ${server.unexpectedErrors}`);
  if (server.open) connection.gone();
  if (server.budget.usedBytes !== 0) throw new Error(`${server.budget.usedBytes} bytes stay accounted for`);
  return { requests: server.requests, rejected: server.hasRejected, answers: server.answers };
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
