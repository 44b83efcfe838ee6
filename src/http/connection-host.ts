/** What a connection needs of the socket below it and of the server above it. */
import type { GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { PreAuthentication } from '../service/request.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { BufferAccount, BufferBudget } from './buffer-budget.ts';
import type { ClientAddresses, RequestSender } from './client-addresses.ts';
import type { CommonLines, OutputWire } from './connection-output.ts';
import type { HeaderBlock, RequestLine } from './head/head.ts';
import type { ResponseAccount, ResponseBudget } from './replies/response-budget.ts';
import type { Reply } from './reply.ts';
import type { BodyStream } from './upload/body-stream.ts';

/** The socket below. */
export interface Wire extends OutputWire {
  /** Closes the sending side, and continues to read. */
  shutdown(): void;
  /** Closes when everything written has been sent. */
  end(): void;
  pause(): void;
  resume(): void;
  readonly address: string;
  readonly isEncrypted: boolean;
  readonly port: number;
  /** Subject of the client's certificate when an accepted authority signed it. Read at most once for each request. */
  readonly certificateSubject: string | undefined;
}

/** The sender of a request, as far as the connection knows it. */
export interface Peer extends RequestSender {
  readonly certificateSubject: string | undefined;
  /** Returns a signal that aborts when the client leaves before the answer. */
  signal(): AbortSignal;
  /** Ends the present request: aborts the signal, and fails the rest of a body that its command reads. */
  end(failure: GridError): void;
}

/** A request as it has been received. */
export interface IncomingRequest {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
  /** Undefined when there is none, or it is not read. The connection closes it after the answer. */
  readonly body: BodyBuffer | undefined;
  /** The body when the command reads it while it arrives; undefined for every other request. */
  readonly stream: BodyStream | undefined;
  /** Undefined when the head was not pre-authenticated before the body arrived. */
  readonly preAuthentication: MaybePromise<PreAuthentication> | undefined;
  /** The head was rejected and the body not read. The connection closes after the answer. */
  readonly bodyDropped: boolean;
  readonly peer: Peer;
}

/** Budgets of the bytes that connections buffer. */
export interface Budgets {
  /** Requests, over all threads. */
  readonly requests: BufferBudget;
  /** Responses that clients have not read, over all threads. */
  readonly responses: ResponseBudget;
}

/** A request whose body is still coming. */
export type ReceivedHead = Pick<IncomingRequest, 'line' | 'block' | 'peer'>;

/** What a port serves: commands, those and the console, or only the pages of monitoring. */
export type Served = 'commands' | 'console' | 'pages';

/** What answers the requests of all connections. */
export interface RequestHandler {
  /** Requests are rejected from now on. */
  readonly stopping: boolean;
  /** Whether senders have to be known. */
  readonly authenticates: boolean;
  /** Handles one request. Never throws and never rejects. */
  handle(request: IncomingRequest, serves: Served): MaybePromise<Reply>;
  /** Returns the answer of a request that would wait for too long behind `waiting` others. Never throws. */
  decline(request: IncomingRequest, waiting: number): Reply;
  /** Counts a request, or the beginning of a connection, that could not be read. */
  rejected(failure?: GridError): void;
  /** Returns whether such a request, with this head, expects errors as objects. Never throws. */
  asksForObjects(head: ReceivedHead | undefined): boolean;
  /** Whether the body of a request is read as parameters or a resource; other bodies are dropped. */
  readsBody(line: RequestLine, block: HeaderBlock): boolean;
  /** Whether the command of a request reads its body while it arrives. Never throws. */
  streamsBody(line: RequestLine, block: HeaderBlock): boolean;
  /** Returns whose share a request uses whose body is still coming. Never throws. */
  tenantOf(request: ReceivedHead): Tenant;
  /** Authenticates the sender of a request whose body is still coming by its head. Never throws and never rejects. */
  preAuthenticate(request: ReceivedHead): MaybePromise<PreAuthentication>;
}

/** What connections ask of the handler themselves. */
export type HostedHandler = Pick<
  RequestHandler,
  'stopping' | 'rejected' | 'asksForObjects' | 'readsBody' | 'streamsBody' | 'preAuthenticate'
>;

/** What all connections of a server share. */
export interface ConnectionHost {
  readonly handler: HostedHandler;
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  /** Times are in ticks of about a second. */
  readonly idleTicks: number;
  readonly headTicks: number;
  /** Least average number of a body's bytes for each tick. */
  readonly bodyBytesPerTick: number;
  /** Present time in ticks. */
  readonly tick: number;
  /** Returns the header lines of every response at present. */
  commonLines(isEncrypted: boolean): CommonLines;
  readonly clients: ClientAddresses;
  /** Whether the service may answer now; undefined: it always may. */
  readonly mayAnswer: (() => boolean) | undefined;
  /** Never throws and never rejects. */
  handle(request: IncomingRequest): MaybePromise<Reply>;
  /** Returns the answer of a request that cannot be handled in time. Never throws. */
  decline(request: IncomingRequest): Reply;
  /**
   * Calls `work` or `decline` when all requests of this tick have been read, and `answer` some time after it. A
   * pipelined request had arrived before the one before it was answered; many of them let others go first.
   */
  enqueue(connection: HostedConnection, isPipelined: boolean): void;
  /** Whether connections wait for {@link HostedConnection.continueReading}. They are read before others. */
  readonly hasDeferred: boolean;
  /** Calls `continueReading` in a later tick, after the connections that were deferred before. */
  defer(connection: HostedConnection): void;
  /** Opens the account of the body of a request that is still coming. */
  openBody(request: ReceivedHead, isAuthenticated: boolean): BufferAccount;
  /** Opens the account of a client's bytes that do not form a request yet. */
  openWaiting(peer: Peer): BufferAccount;
  /** Returns the answer in a form that the client accepts. Never throws. */
  compress(reply: Reply, block: HeaderBlock): Reply;
  /** Opens the account of bytes that the client has not read. Calls `close` when they have to be freed for others. */
  openUnsent(close: () => void): ResponseAccount;
  /** Logs an unexpected error and returns the error to answer with. */
  unexpected(error: unknown): GridError;
  closed(connection: HostedConnection): void;
}

/** Something of a client that lasts for a limited time. */
export interface Timed {
  /** Ends a request or an idle connection that has exceeded its time. The host calls it at every tick. */
  checkTime(): void;
  /** Closes when idle. A request that is being handled is answered first. */
  stop(): void;
  /** Closes at once. */
  terminate(): void;
  /** Closes when idle, to make room for another client; returns whether it did. */
  closeIfIdle(): boolean;
}

/** A connection as its host drives it. */
export interface HostedConnection extends Timed {
  /** Hands the enqueued request to the host. */
  work(): void;
  /** Has the enqueued request declined by the host. */
  decline(): void;
  /** Whether the enqueued request is for a page of monitoring, which an overloaded service answers, too. */
  readonly asksForPage: boolean;
  /** Sends the answer, or arranges that it is sent when it is there. */
  answer(): void;
  /** Reads on after {@link ConnectionHost.defer}. */
  continueReading(): void;
}
