/** A connection without sockets, for tests with bytes alone. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Claimant } from '../base/shares.ts';
import type { HeadJudgement } from '../service/request.ts';
import type { IncomingRequest, OnEvicted, Peer, ReceivedHead } from './connection-host.ts';
import type { RequestLine } from './head/head.ts';
import { MemoryHost } from './memory-host.fixture.ts';
import type { Reply } from './reply.ts';
import { plainAnswer } from './response.ts';

/** A connection whose socket accepts as much as a test says. */
export class Trial extends MemoryHost {
  sent = '';
  /** Bytes that the socket accepts from now on. */
  acceptedBytes = Number.POSITIVE_INFINITY;
  readonly seen: IncomingRequest[] = [];
  judgement: MaybePromise<HeadJudgement> = 'known';
  /** Whose share of the buffers the connection uses. */
  claimant: Claimant | undefined;
  readonly #reply: (incoming: IncomingRequest) => MaybePromise<Reply>;

  constructor(reply: (incoming: IncomingRequest) => MaybePromise<Reply> = echo) {
    super({
      headLimitBytes: 500,
      bodyLimitBytes: 2_000,
      bodyBytesPerTick: 100,
      requestBytes: 1_000_000,
      unprovenBytes: 500_000,
    });
    this.#reply = reply;
  }

  handle(incoming: IncomingRequest): MaybePromise<Reply> {
    this.seen.push(incoming);
    return this.#reply(incoming);
  }

  override streamsBody({ target }: RequestLine): boolean {
    return target.startsWith('/stream');
  }

  override judgeHead(): MaybePromise<HeadJudgement> {
    return this.judgement;
  }

  override openBody(_request: ReceivedHead, proven: boolean, onEvicted: OnEvicted) {
    return this.#openRequest(proven, onEvicted);
  }

  override openWaiting(_peer: Peer, onEvicted: OnEvicted) {
    return this.#openRequest(false, onEvicted);
  }

  #openRequest(proven: boolean, onEvicted: OnEvicted) {
    const { claimant } = this;
    return this.requests.open({ proven, onEvicted, ...(claimant && { claimant: () => claimant }) });
  }

  write(data: string | Uint8Array): number {
    if (this.state === 'ended' || this.state === 'terminated') throw new Error('written after the end');
    const bytes = Buffer.from(data as string);
    const taken = Math.min(this.acceptedBytes, bytes.length);
    this.acceptedBytes -= taken;
    this.sent += bytes.toString('latin1', 0, taken);
    return taken;
  }

  /** Lets the socket take more. */
  drain(acceptedBytes: number): void {
    this.acceptedBytes = acceptedBytes;
    this.connection.drained();
  }

  pass(ticks: number): void {
    for (let passed = 0; passed < ticks; passed++) {
      this.tick++;
      this.connection.checkTime();
    }
  }

  get statuses(): number[] {
    return [...this.sent.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }
}

/** Answers with the request. */
export function echo({ line, body }: IncomingRequest): Reply {
  return plainAnswer(
    200,
    'text/plain',
    `[${line.method} ${line.target} ${Buffer.from(body.whole()).toString('latin1')}]`,
  );
}

export const GET = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
export const POST = (body: string) =>
  `POST /p HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
export const CHUNKS = (...parts: readonly string[]) =>
  `POST /c HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${parts
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n\r\n`;
