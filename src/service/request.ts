/** What the transport hands to the gate, and what the gate hands back. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Caller } from '../commands/context.ts';

/** A request whose bytes have been read; nothing of it has been judged yet. */
export interface RawRequest {
  /** Value of the parameter `cmd` as sent; undefined when absent. */
  readonly cmd: string | undefined;
  /** The first value of every parameter, query string before body. */
  readonly params: ReadonlyMap<string, string>;
  /** A request header, lower-case name; null when absent. */
  header(name: string): string | null;
  /** Address of the client, without port. */
  peerAddress(): string;
  /** Subject of a verified client certificate. */
  readonly certificateSubject?: string | undefined;
  /** Aborts when the client goes away; made on demand because it costs. */
  signal(): AbortSignal;
}

/** The answer, before it becomes an envelope. */
export interface Outcome {
  readonly successStatus: 0 | 1 | 2 | 3 | 4;
  /** HTTP status that fits; 200 for every outcome of a command unless `httpStatus` is asked for. */
  readonly http: number;
  readonly error: string | null;
  /** JSON text of the member `response`, or its pieces in order. */
  readonly response: string | AsyncIterable<string>;
  /** undefined: the member is absent. */
  readonly affinityNodeId: string | null | undefined;
  readonly sessionToken: string | null;
  readonly securitySubjectId: string | null;
  /** Set when the answer is no envelope: rows as NDJSON or CSV (`response` is then the whole body). */
  readonly contentType?: string | undefined;
}

/** The sender of a request, found before the body is decoded. */
export interface Identity {
  /** What {@link CommandService.execute} is handed; of no use to the transport. */
  readonly caller: Caller;
  /** Nobody asked who it is: the command is open to all and takes no parameter of the body. */
  readonly open: boolean;
}

/** The gate, as the transport sees it. */
export interface CommandService {
  /** `identity`: the sender as {@link identify} returned it; signature and credentials are not checked again. */
  execute(request: RawRequest, identity?: Identity): MaybePromise<Outcome>;
  /**
   * Checks signature and credentials of a request of which only the parameters that name command and sender have been
   * read; returns the answer when they are wrong. Absent when requests need neither.
   */
  readonly identify?: ((request: RawRequest) => MaybePromise<Identity | Outcome>) | undefined;
  /** Judges the sender by the head of a request whose body is still coming. Absent like `identify`. */
  readonly judgeHead?: ((request: RawRequest) => MaybePromise<HeadJudgement>) | undefined;
}

/**
 * What the head of a request says of its sender: `known`; `rejected` when {@link CommandService.identify} rejects the
 * request whatever its body holds; `unknown` when that depends on the body.
 */
export type HeadJudgement = 'known' | 'unknown' | 'rejected';
