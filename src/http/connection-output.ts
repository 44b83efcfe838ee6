/** Writes answers to a socket, and keeps what the socket does not accept yet. */
import type { BufferAccount } from './buffer-budget.ts';

/** The part of a socket that answers are written to. */
export interface OutputWire {
  /** Writes bytes and returns how many were accepted; the rest is retried after the socket drained. */
  write(data: string | Uint8Array): number;
  /** Does the same with the first `length` bytes. */
  writeStart(bytes: Uint8Array, length: number): number;
  /** Closes at once. */
  terminate(): void;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

export class ConnectionOutput {
  readonly #wire: OutputWire;
  readonly #openAccount: () => BufferAccount;
  /** Bytes of the answer that the socket has not accepted. */
  #unsent: Buffer | undefined;
  #account: BufferAccount | undefined;
  #whenDrained: (() => void) | undefined;

  /** `openAccount` opens the account of bytes that the client has not read. */
  constructor(wire: OutputWire, openAccount: () => BufferAccount) {
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

  /** Writes the first `length` bytes of a buffer that is used again afterwards. */
  writeStart(bytes: Buffer, length: number): void {
    if (this.#unsent !== undefined) {
      this.writeBytes(Buffer.from(bytes.subarray(0, length)));
      return;
    }
    const accepted = Math.max(0, this.#wire.writeStart(bytes, length));
    if (accepted < length) this.#keep(Buffer.from(bytes.subarray(accepted, length)));
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
      this.#account?.release();
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
    this.#account?.release();
    this.notify();
  }

  /** Keeps bytes for a client that reads slowly. Terminates the connection when there is no room for them. */
  #keep(bytes: Buffer): void {
    this.#unsent = bytes;
    try {
      this.#account ??= this.#openAccount();
      this.#account.hold(bytes.length);
    } catch {
      this.#wire.terminate();
    }
  }
}
