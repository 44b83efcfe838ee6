/** The socket and the server of a connection, in memory. */
import { fail, type GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
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
import type { HeaderBlock, RequestLine } from './head/head.ts';
import { CommonLines, type Reply } from './reply.ts';
import { readsBody } from './request.ts';
import { plainAnswer } from './response.ts';

/** The bounds of a host in memory. */
export interface MemoryHostBounds {
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  readonly bodyBytesPerTick: number;
  /** Bytes of requests, in total and of senders that are not known. */
  readonly requestBytes: number;
  readonly unprovenBytes: number;
}

/** One connection with its socket and its server, which accept everything and answer at once. */
export abstract class MemoryHost implements Wire, ConnectionHost {
  readonly address = '192.0.2.1';
  readonly port = 50_000;
  readonly clients = new ClientAddresses({
    trustedProxies: [],
    forwardedHeader: 'X-Forwarded-For',
    proxyProtocol: false,
  });
  readonly certificateSubject = undefined;
  readonly isEncrypted = false;
  readonly commonLines = () => new CommonLines('', 'NOW');
  readonly headLimitBytes: number;
  bodyLimitBytes: number;
  readonly idleTicks = 30;
  readonly headTicks = 12;
  readonly bodyBytesPerTick: number;
  readonly requests: BufferBudget;
  readonly answers = new BufferBudget({ totalBytes: 65_536, unprovenBytes: 0 });
  tick = 0;
  stopping = false;
  state: 'open' | 'shut' | 'ended' | 'terminated' = 'open';
  paused = 0;
  /** Texts of the errors of requests that could not be read. */
  readonly rejections: string[] = [];
  readonly unexpectedErrors: string[] = [];
  readonly connection: Connection;
  deferred: HostedConnection[] = [];

  constructor({ headLimitBytes, bodyLimitBytes, bodyBytesPerTick, requestBytes, unprovenBytes }: MemoryHostBounds) {
    this.headLimitBytes = headLimitBytes;
    this.bodyLimitBytes = bodyLimitBytes;
    this.bodyBytesPerTick = bodyBytesPerTick;
    this.requests = new BufferBudget({ totalBytes: requestBytes, unprovenBytes });
    this.connection = new Connection(this, this);
  }

  abstract handle(request: IncomingRequest): MaybePromise<Reply>;

  abstract write(data: string | Uint8Array): number;

  writeStart(bytes: Uint8Array, length: number): number {
    return this.write(Buffer.from(bytes.subarray(0, length)));
  }

  decline(): Reply {
    return plainAnswer(503, 'text/plain', 'later');
  }

  enqueue(connection: HostedConnection): void {
    connection.work();
    connection.answer();
  }

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

  readsBody(line: RequestLine, block: HeaderBlock): boolean {
    return readsBody(line, block);
  }

  compress(reply: Reply, _block: HeaderBlock): Reply {
    return reply;
  }

  streamsBody(_line: RequestLine): boolean {
    return false;
  }

  judgeHead(): MaybePromise<HeadJudgement> {
    return 'known';
  }

  openBody(_request: ReceivedHead, proven: boolean, onEvicted: OnEvicted) {
    return this.requests.open({ proven, onEvicted });
  }

  openWaiting(_peer: Peer, onEvicted: OnEvicted) {
    return this.requests.open({ proven: false, onEvicted });
  }

  openUnsent() {
    return this.answers.open({ proven: true });
  }

  rejected(failure: GridError): void {
    this.rejections.push(failure.message);
  }

  unexpected(error: unknown): GridError {
    this.unexpectedErrors.push(String(error));
    return fail('INTERNAL', 'id');
  }

  closed(): void {}

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

  /** Receives bytes: one for each character. */
  feed(text: string): this {
    this.connection.receive(Buffer.from(text, 'latin1'));
    return this;
  }
}
