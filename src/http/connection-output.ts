/** Writes answers to a socket, and keeps what the socket does not accept yet. */
import type { ResponseAccount } from './replies/response-budget.ts';
import { type Framing, headText, type Reply } from './reply.ts';

/** The part of a socket that answers are written to. */
export interface OutputWire {
  /** Writes bytes and returns how many were accepted; the rest is retried after the socket drained. */
  write(data: string | Uint8Array): number;
  /** Does the same with `length` bytes from index `start` on. */
  writePart(bytes: Uint8Array, start: number, length: number): number;
  /** Closes at once. */
  terminate(): void;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Replies with longer bodies are sent as texts. */
export const SHORT_CHARACTERS = 4 * 1024;
const HEAD_BYTES = 2 * 1024;
/** The most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;
/**
 * Short replies are put together here, the head before index {@link HEAD_BYTES} and the body after it. The runtime
 * would put a text together and copy it each time. The bytes are sent, or copied, before the next reply is written.
 */
const buffer = Buffer.alloc(HEAD_BYTES + SHORT_CHARACTERS * UNIT_BYTES);

export class ConnectionOutput {
  readonly #wire: OutputWire;
  readonly #openAccount: (close: () => void) => ResponseAccount;
  /** Bytes of the answer that the socket has not accepted. */
  #unsent: Buffer | undefined;
  /** Bytes of the response that are written when the socket has accepted these. */
  #following = 0;
  #account: ResponseAccount | undefined;
  #whenDrained: (() => void) | undefined;

  /** `openAccount` opens the account of bytes that the client has not read; they may be needed for others. */
  constructor(wire: OutputWire, openAccount: (close: () => void) => ResponseAccount) {
    this.#wire = wire;
    this.#openAccount = openAccount;
  }

  get isEmpty(): boolean {
    return this.#unsent === undefined;
  }

  /** Asks a client for the body that it has announced. */
  writeContinue(): void {
    this.writeText(CONTINUE, CONTINUE.length);
  }

  /** Writes a text of `byteLength` bytes. */
  writeText(text: string, byteLength: number): void {
    if (this.#unsent !== undefined) {
      this.writeBytes(Buffer.from(text));
      return;
    }
    const accepted = Math.max(0, this.#wire.write(text));
    if (accepted < byteLength) this.#keep(Buffer.from(text).subarray(accepted));
  }

  /** Writes a reply whose body is complete. `headOnly`: the request was HEAD. */
  writeReply(reply: Reply, body: string | Uint8Array, framing: Framing, headOnly: boolean): void {
    if (typeof body === 'string' && body.length <= SHORT_CHARACTERS && !headOnly) {
      const bodyBytes = buffer.write(body, HEAD_BYTES);
      const head = headText(reply, bodyBytes, framing);
      const start = HEAD_BYTES - head.length;
      if (start >= 0) {
        buffer.write(head, start, 'latin1');
        this.writePart(buffer, start, head.length + bodyBytes);
        return;
      }
    }
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const head = headText(reply, bodyBytes, framing);
    if (headOnly) this.writeText(head, head.length);
    else if (typeof body === 'string') this.writeText(head + body, head.length + bodyBytes);
    else this.writeBytes(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  }

  /** Writes a part of a buffer that is used again afterwards. */
  writePart(bytes: Buffer, start: number, length: number): void {
    if (this.#unsent !== undefined) {
      this.writeBytes(Buffer.from(bytes.subarray(start, start + length)));
      return;
    }
    const accepted = Math.max(0, this.#wire.writePart(bytes, start, length));
    if (accepted < length) this.#keep(Buffer.from(bytes.subarray(start + accepted, start + length)));
  }

  writeBytes(bytes: Buffer): void {
    if (this.#unsent !== undefined) {
      this.#keep(Buffer.concat([this.#unsent, bytes]));
      return;
    }
    const accepted = Math.max(0, this.#wire.write(bytes));
    if (accepted < bytes.length) this.#keep(bytes.subarray(accepted));
  }

  /** Writes again what the socket did not accept; returns whether it accepted any of it. */
  retry(): boolean {
    const unsent = this.#unsent;
    if (unsent === undefined) return false;
    const accepted = Math.max(0, this.#wire.write(unsent));
    if (accepted < unsent.length) this.#keep(unsent.subarray(accepted));
    else {
      this.#unsent = undefined;
      this.#hold();
    }
    return accepted > 0;
  }

  /** Calls what waits for {@link whenDrained} when everything has been accepted. */
  notify(): void {
    if (this.#unsent !== undefined) return;
    const next = this.#whenDrained;
    this.#whenDrained = undefined;
    next?.();
  }

  /** Calls `next` when everything written has been accepted; at most one caller waits at a time. */
  whenDrained(next: () => void): void {
    if (this.#unsent === undefined) next();
    else this.#whenDrained = next;
  }

  /** Drops what has not been sent, because the socket is gone, and calls what waits for it. */
  close(): void {
    this.#unsent = undefined;
    this.#following = 0;
    this.#hold();
    this.notify();
  }

  /** Accounts for bytes of the response that the connection holds besides those that have been written. */
  holdFollowing(bytes: number): void {
    this.#following = bytes;
    this.#hold();
  }

  /** Keeps bytes for a client that reads slowly. */
  #keep(bytes: Buffer): void {
    this.#unsent = bytes;
    this.#hold();
  }

  #hold(): void {
    const bytes = this.#following + (this.#unsent?.length ?? 0);
    if (bytes > 0) this.#account ??= this.#openAccount(() => this.#wire.terminate());
    this.#account?.hold(bytes);
  }
}
