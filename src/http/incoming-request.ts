/** A request as a connection has received it, and its handlers. */
import type { GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { PreAuthentication } from '../service/request.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { RequestSender } from './client-addresses.ts';
import type { HeaderBlock, RequestLine } from './head/head.ts';
import type { Reply } from './reply.ts';
import type { BodyStream } from './upload/body-stream.ts';

/** The sender of a request, as far as the connection knows it. */
export interface Peer extends RequestSender {
  readonly certificateSubject: string | undefined;
  /** Returns a signal that aborts when the client disconnects before the response. */
  signal(): AbortSignal;
  /** Ends the current request: aborts the signal, and fails the rest of a body that its command reads. */
  end(failure: GridError): void;
}

/** A received request. */
export interface IncomingRequest {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
  /** undefined if there is none, or it is not read. The connection closes it after the response. */
  readonly body: BodyBuffer | undefined;
  /** The body if the command reads it while it arrives, or undefined for every other request. */
  readonly stream: BodyStream | undefined;
  /** undefined if the head was not pre-authenticated before the body arrived. */
  readonly preAuthentication: MaybePromise<PreAuthentication> | undefined;
  /** Whether the head was rejected and the body not read. The connection closes after the response. */
  readonly bodyDropped: boolean;
  readonly peer: Peer;
}

/** A request whose body is still arriving. */
export type ReceivedHead = Pick<IncomingRequest, 'line' | 'block' | 'peer'>;

/** What a port serves: commands, those and the console, or only the pages of monitoring. */
export type Served = 'commands' | 'console' | 'pages';

/** The handler of all connections' requests. */
export interface RequestHandler {
  /** Whether requests are rejected from now on. */
  readonly stopping: boolean;
  /** Whether senders must be known. */
  readonly authenticates: boolean;
  /** Handles one request. Never throws and never rejects. */
  handle(request: IncomingRequest, serves: Served): MaybePromise<Reply>;
  /** Returns the response to a request that would wait too long behind `waiting` others. Never throws. */
  decline(request: IncomingRequest, waiting: number): Reply;
  /** Counts a request, or the beginning of a connection, that could not be read. */
  rejected(failure?: GridError): void;
  /** Returns whether such a request, with this head, expects errors as objects. Never throws. */
  asksForObjects(head: ReceivedHead | undefined): boolean;
  /** Whether a request's body is read as parameters or a resource; other bodies are dropped. */
  readsBody(line: RequestLine, block: HeaderBlock): boolean;
  /** Whether a request's command reads its body while it arrives. Never throws. */
  streamsBody(line: RequestLine, block: HeaderBlock): boolean;
  /** Returns whose share a request uses while its body is still arriving. Never throws. */
  tenantOf(request: ReceivedHead): Tenant;
  /**
   * Authenticates, by its head, the sender of a request whose body is still arriving. Never throws and never rejects.
   */
  preAuthenticate(request: ReceivedHead): MaybePromise<PreAuthentication>;
}
