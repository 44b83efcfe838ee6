/**
 * The body of a request whose command reads it while it arrives. A bounded number of bytes waits for the command;
 * beyond that, the connection pauses its socket.
 */
import type { ByteSource } from '../../base/byte-source.ts';
import type { GridError } from '../../base/errors.ts';
import type { BodySink } from '../body-reader.ts';
import type { BufferAccount } from '../buffer-budget.ts';

/** The socket is paused while this many bytes wait. */
const FULL_BYTES = 256 * 1_024;
/**
 * Smaller parts are copied together, so that the memory is proportional to the number of bytes however small
 * the parts are.
 */
const SEGMENT_BYTES = 64 * 1_024;
/** Larger parts are kept as they are: copying them would cost more than the unused memory. */
const KEPT_BYTES = SEGMENT_BYTES / 2;

export class BodyStream implements BodySink, ByteSource {
  readonly #account: BufferAccount;
  readonly #onDemand: () => void;
  #segments: Uint8Array[] = [];
  /** The segment that small parts are copied to, and its used bytes. */
  #last: Uint8Array | undefined;
  #used = 0;
  #waitingBytes = 0;
  #begun = false;
  #ended = false;
  #discarded = false;
  #failure: GridError | undefined;
  #reader: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  length = 0;

  /** Calls `onDemand` when the command waits for bytes. */
  constructor(account: BufferAccount, onDemand: () => void) {
    this.#account = account;
    this.#onDemand = onDemand;
  }

  /** Whether no more bytes should be received for now. */
  get isFull(): boolean {
    return this.#waitingBytes >= FULL_BYTES;
  }

  /**
   * Whether the client is not responsible for the time that passes: the command has bytes to read, or is
   * not reading yet.
   */
  get isBehind(): boolean {
    return this.#waitingBytes > 0 || !this.#begun;
  }

  /** Adds bytes. Throws BUFFERS_FULL. */
  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.#discarded || bytes.length === 0) return;
    this.#account.hold(this.#waitingBytes + bytes.length);
    this.#waitingBytes += bytes.length;
    if (bytes.length >= KEPT_BYTES) {
      this.#completeSegment();
      this.#segments.push(bytes);
    } else this.#copy(bytes);
    this.#answer();
  }

  /** The body is complete. */
  end(): void {
    this.#ended = true;
    this.#answer();
  }

  /** The rest of the body will not arrive: the command gets the error after the bytes that have. */
  fail(failure: GridError): void {
    this.#failure ??= failure;
    this.#answer();
  }

  /** Drops what has arrived and will arrive. */
  discard(): void {
    this.#discarded = true;
    this.#segments = [];
    this.#last = undefined;
    this.#waitingBytes = 0;
    this.#account.release();
  }

  read(): Promise<Uint8Array | undefined> {
    // Only a command whose sender may run it reads the body.
    this.#account.markAuthenticated();
    this.#begun = true;
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#answer();
    if (!this.isFull) this.#onDemand();
    return promise;
  }

  #copy(bytes: Uint8Array): void {
    if (this.#last !== undefined && this.#used + bytes.length > this.#last.length) this.#completeSegment();
    this.#last ??= new Uint8Array(SEGMENT_BYTES);
    this.#last.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #completeSegment(): void {
    if (this.#last !== undefined) this.#segments.push(this.#last.subarray(0, this.#used));
    this.#last = undefined;
    this.#used = 0;
  }

  #answer(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    if (this.#segments.length === 0) this.#completeSegment();
    const next = this.#segments.shift();
    if (next === undefined && !this.#ended && this.#failure === undefined) return;
    this.#reader = undefined;
    if (next !== undefined) {
      this.#waitingBytes -= next.length;
      this.#account.hold(this.#waitingBytes);
      reader.resolve(next);
    } else if (this.#ended) reader.resolve(undefined);
    else reader.reject(this.#failure);
  }
}
