/** A call of an operation, including its retries. */
import { gridError } from '../../../base/errors.ts';
import type { BinaryContext } from '../binary/context.ts';
import { TypeNeeded } from '../binary/type-metadata.ts';
import { CLUSTER, TYPE } from '../operations/grid-operations.ts';
import type { Operation, Session } from '../operations/operation.ts';
import { readWithTypes, unreadableResponse } from '../operations/responses.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { type ErrorSubject, isTemporary, NodeError, toGridError } from '../protocol/status.ts';
import type { Connection, PendingCall } from './connection.ts';

/** A call as the dispatcher handles it. */
export interface Dispatchable {
  readonly preferredNodeId: string | undefined;
  /** True for operations that restore the metadata of types after the whole cluster was unreachable. */
  readonly restores: boolean;
  waitingSinceMs: number;
  sendOver(connection: Connection): void;
  fail(error: unknown): void;
}

/** The part of the pool that a call needs. */
export interface CallDispatcher {
  readonly context: BinaryContext;
  nowMs(): number;
  /** Sends the call over a connection, or queues it until there is one. */
  dispatch(call: Dispatchable): void;
  /** Dispatches the call after a delay. */
  dispatchLater(call: Dispatchable): void;
  /** Returns the error to report: the cluster state's if it is the cause, otherwise `error`. */
  explain(error: unknown, isRead: boolean, cache: string): Promise<unknown>;
}

/** Maximum number of retries per call. */
const MAX_RETRIES = 8;
/** Operations that fetch and store metadata of types. */
const RESTORING_CODES: ReadonlySet<number> = new Set(
  [TYPE.fetch, TYPE.store, TYPE.registerName].map(({ code }) => code),
);

export class PoolCall<A, R> implements PendingCall, Dispatchable {
  readonly preferredNodeId: string | undefined;
  readonly startedMs: number;
  readonly deadlineMs: number;
  waitingSinceMs = 0;
  readonly restores: boolean;
  /** True if the call may only use one connection. */
  pinned = false;
  readonly #pool: CallDispatcher;
  readonly #operation: Operation<A, R>;
  readonly #args: A;
  readonly #subject: ErrorSubject | undefined;
  readonly #resolve: (result: R) => void;
  readonly #reject: (error: unknown) => void;
  #session: Session | undefined;
  #retries = 0;

  constructor(
    pool: CallDispatcher,
    operation: Operation<A, R>,
    args: A,
    preferredNodeId: string | undefined,
    subject: ErrorSubject | undefined,
    resolve: (result: R) => void,
    reject: (error: unknown) => void,
    nowMs: number,
    deadlineMs: number,
  ) {
    this.#pool = pool;
    this.#operation = operation;
    this.restores = RESTORING_CODES.has(operation.code);
    this.#args = args;
    this.preferredNodeId = preferredNodeId;
    this.#resolve = resolve;
    this.#reject = reject;
    this.startedMs = nowMs;
    this.deadlineMs = deadlineMs;
    this.#subject = subject;
  }

  sendOver(connection: Connection): void {
    const session = { features: connection.features, context: this.#pool.context };
    this.#session = session;
    try {
      connection.send(this.#operation.code, (writer) => this.#operation.write(writer, this.#args, session), this);
    } catch (error) {
      this.#reject(error);
    }
  }

  accept(reader: ByteReader): void {
    const { position } = reader;
    const session = this.#session;
    if (!session) return;
    try {
      this.#resolve(this.#operation.read(reader, session));
    } catch (error) {
      if (!(error instanceof TypeNeeded)) {
        this.#rejectUnreadable(error);
        return;
      }
      const kept = new ByteReader(Buffer.from(reader.buffer.subarray(position, reader.end)));
      readWithTypes(kept, this.#pool.context.types, (source) => this.#operation.read(source, session)).then(
        this.#resolve,
        (failure: unknown) => this.#rejectUnreadable(failure),
      );
    }
  }

  unreadable(reason: string): void {
    this.#rejectUnreadable(new MalformedMessage(reason));
  }

  /** Rejects the call. The node has executed the request, so a change is complete and only its result is lost. */
  #rejectUnreadable(error: unknown): void {
    const known = unreadableResponse(error);
    const changed = error instanceof MalformedMessage && this.#operation.retry === 'once';
    this.#reject(
      changed ? gridError('OUTCOME_UNKNOWN', `the node's response cannot be read (${error.message})`) : known,
    );
  }

  reject(status: number, message: string): void {
    const failure = new NodeError(status, message);
    if (!isTemporary(failure)) {
      this.#rejectWith(failure);
    } else if (this.#operation.retry === 'once') {
      this.#reject(gridError('OUTCOME_UNKNOWN', message));
    } else if (!this.#retry()) {
      this.#rejectWith(failure);
    }
  }

  lost(reason: string, sent: boolean): void {
    if (sent && this.#operation.retry === 'once') {
      this.#reject(gridError('OUTCOME_UNKNOWN', reason));
    } else if (!this.#retry()) {
      const code = sent && this.#operation.retry !== 'read' ? 'OUTCOME_UNKNOWN' : 'CLUSTER_UNREACHABLE';
      this.#reject(gridError(code, reason));
    }
  }

  #rejectWith(failure: NodeError): void {
    if (!this.#subject || this.#operation.code === CLUSTER.state.code) {
      this.#reject(this.#subject ? toGridError(failure, this.#subject) : failure);
      return;
    }
    const { cache = '' } = this.#subject;
    const isRead = this.#operation.retry === 'read';
    this.#pool.explain(toGridError(failure, this.#subject), isRead, cache).then(this.#reject, this.#reject);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  #retry(): boolean {
    if (this.pinned || this.#retries >= MAX_RETRIES || this.#pool.nowMs() >= this.deadlineMs) return false;
    this.#retries++;
    // The first retry is immediate; later ones give the cluster time to notice which node has left.
    if (this.#retries === 1) this.#pool.dispatch(this);
    else this.#pool.dispatchLater(this);
    return true;
  }
}
