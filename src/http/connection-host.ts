/** What a connection needs of the socket below it and of the server above it. */
import type { GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { HeadJudgement } from '../service/request.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { BufferAccount } from './buffer-budget.ts';
import type { OutputWire } from './connection-output.ts';
import type { HeaderBlock, RequestLine } from './head.ts';
import type { Reply } from './reply.ts';

/** The socket below. */
export interface Wire extends OutputWire {
  /** Says that no more is coming, and goes on listening. */
  shutdown(): void;
  /** Closes once what was written is sent. */
  end(): void;
  pause(): void;
  resume(): void;
  readonly address: string;
  /** Subject of the client's certificate when it was checked; asked for once per request at most. */
  readonly certificateSubject: string | undefined;
}

/** Who sent a request, as far as the connection knows. */
export interface Peer {
  readonly address: string;
  readonly certificateSubject: string | undefined;
  /** Aborts when the client goes away before the answer. */
  signal(): AbortSignal;
}

/** A whole request. */
export interface Incoming {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
  /** Empty unless it is one that is read. The connection closes it after the answer. */
  readonly body: BodyBuffer;
  /** The head is enough to reject the request: its body was not read. The connection closes after the answer. */
  readonly rejected: boolean;
  readonly peer: Peer;
}

/** What all connections of a server share. */
export interface ConnectionHost {
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  /** Times in ticks. */
  readonly idleTicks: number;
  readonly headTicks: number;
  /** Bytes that a body has to bring in each tick, on average. */
  readonly bodyBytesPerTick: number;
  /** Present time in ticks (about a second each). */
  readonly tick: number;
  readonly date: string;
  readonly stopping: boolean;
  /** Never throws and never rejects. */
  handle(incoming: Incoming): MaybePromise<Reply>;
  /** Calls `work` when the requests of this turn have been read, and `answer` when all of them have been worked on. */
  enqueue(connection: HostedConnection): void;
  /** Whether connections wait for {@link HostedConnection.continueReading}: their bytes come before those of others. */
  readonly hasDeferred: boolean;
  /** Calls `continueReading` in a later tick, after the connections that were deferred before. */
  defer(connection: HostedConnection): void;
  /** Whether the body of such a request is read as parameters; else it is thrown away. */
  readsBody(line: RequestLine, block: HeaderBlock): boolean;
  /** Judges the sender of a request whose body is still coming by its head. Never throws and never rejects. */
  judgeHead(line: RequestLine, block: HeaderBlock, peer: Peer): MaybePromise<HeadJudgement>;
  /** Opens the account of a body that is still coming. */
  openBody(proven: boolean): BufferAccount;
  /** Opens the account of bytes that are no request yet. */
  openWaiting(): BufferAccount;
  /** Opens the account of bytes that the client has not read. */
  openUnsent(): BufferAccount;
  refused(failure: GridError): void;
  /** Logs a failure that is not of the catalogue and gives the one to answer with. */
  unexpected(error: unknown): GridError;
  closed(connection: HostedConnection): void;
}

/** Something of a client that lasts for a limited time. */
export interface Timed {
  /** Ends what takes too long. The host calls it at every tick. */
  checkTime(): void;
  /** Closes when nothing is in work; what is in work is answered first. */
  stop(): void;
  /** Closes at once. */
  terminate(): void;
  /** Closes when idle, to make room for another client; returns whether it did. */
  giveWay(): boolean;
}

/** A connection as its host drives it. */
export interface HostedConnection extends Timed {
  /** Has the request handled that was enqueued. */
  work(): void;
  /** Sends the answer, or arranges that it is sent when it is there. */
  answer(): void;
  /** Reads on after {@link ConnectionHost.defer}. */
  continueReading(): void;
}
