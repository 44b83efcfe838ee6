/** A connection without sockets, for tests with bytes alone. */
import { fail } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Claimant } from '../base/shares.ts';
import type { HeadJudgement } from '../service/request.ts';
import { BufferBudget } from './buffer-budget.ts';
import { ClientAddresses } from './client-addresses.ts';
import { Connection } from './connection.ts';
import type {
  ConnectionHost,
  HostedConnection,
  IncomingRequest,
  OnEvicted,
  Peer,
  ReceivedHead,
  Wire,
} from './connection-host.ts';
import type { RequestLine } from './head.ts';
import type { Reply } from './reply.ts';
import { readsBody } from './request.ts';
import { plainAnswer } from './response.ts';

/** A connection whose socket and server are this object. */
export class Trial implements Wire, ConnectionHost {
  readonly address = '192.0.2.1';
  readonly port = 50_000;
  readonly clients = new ClientAddresses({
    trustedProxies: [],
    forwardedHeader: 'X-Forwarded-For',
    proxyProtocol: false,
  });
  readonly certificateSubject = undefined;
  readonly headLimitBytes = 500;
  bodyLimitBytes = 2_000;
  readonly idleTicks = 30;
  readonly headTicks = 12;
  readonly bodyBytesPerTick = 100;
  readonly date = 'NOW';
  readonly isEncrypted = false;
  readonly headerLines = '';
  readonly encryptedHeaderLines = '';
  readonly requests = new BufferBudget({ totalBytes: 1_000_000, unprovenBytes: 500_000 });
  readonly answers = new BufferBudget({ totalBytes: 65_536, unprovenBytes: 0 });
  tick = 0;
  stopping = false;
  sent = '';
  /** Bytes that the socket accepts from now on. */
  acceptedBytes = Number.POSITIVE_INFINITY;
  state: 'open' | 'shut' | 'ended' | 'terminated' = 'open';
  paused = 0;
  rejections: string[] = [];
  readonly seen: IncomingRequest[] = [];
  readonly connection: Connection;
  readonly #reply: (incoming: IncomingRequest) => MaybePromise<Reply>;

  constructor(reply: (incoming: IncomingRequest) => MaybePromise<Reply> = echo) {
    this.#reply = reply;
    this.connection = new Connection(this, this);
  }

  enqueue(connection: HostedConnection): void {
    connection.work();
    connection.answer();
  }

  handle(incoming: IncomingRequest): MaybePromise<Reply> {
    this.seen.push(incoming);
    return this.#reply(incoming);
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

  /** Passes one tick of the event loop for the connections that were deferred. */
  passTick(): void {
    const deferred = this.deferred;
    this.deferred = [];
    for (const connection of deferred) connection.continueReading();
  }

  readsBody = readsBody;

  streamsBody({ target }: RequestLine): boolean {
    return target.startsWith('/stream');
  }

  judgement: MaybePromise<HeadJudgement> = 'known';

  judgeHead(): MaybePromise<HeadJudgement> {
    return this.judgement;
  }

  /** Whose share of the buffers the connection uses. */
  claimant: Claimant | undefined;

  openBody(_request: ReceivedHead, proven: boolean, onEvicted: OnEvicted) {
    return this.#openRequest(proven, onEvicted);
  }

  openWaiting(_peer: Peer, onEvicted: OnEvicted) {
    return this.#openRequest(false, onEvicted);
  }

  openUnsent() {
    return this.answers.open({ proven: true });
  }

  #openRequest(proven: boolean, onEvicted: OnEvicted) {
    const { claimant } = this;
    return this.requests.open({ proven, onEvicted, ...(claimant && { claimant: () => claimant }) });
  }

  rejected(failure: Error): void {
    this.rejections.push(failure.message);
  }

  unexpected(error: unknown) {
    this.rejections.push(String(error));
    return fail('INTERNAL', 'id');
  }

  closed(): void {}

  write(data: string | Uint8Array): number {
    if (this.state === 'ended' || this.state === 'terminated') throw new Error('written behind the end');
    const bytes = Buffer.from(data as string);
    const taken = Math.min(this.acceptedBytes, bytes.length);
    this.acceptedBytes -= taken;
    this.sent += bytes.toString('latin1', 0, taken);
    return taken;
  }

  shutdown(): void {
    this.state = 'shut';
  }

  end(): void {
    if (this.state !== 'terminated') this.state = 'ended';
    this.connection.gone();
  }

  terminate(): void {
    this.state = 'terminated';
    this.connection.gone();
  }

  pause(): void {
    this.paused++;
  }

  resume(): void {
    this.paused--;
  }

  feed(text: string): this {
    this.connection.receive(Buffer.from(text, 'latin1'));
    return this;
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
