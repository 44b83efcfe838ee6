/** Reads of a socket that fill its buffer: mostly bodies. */

/**
 * A read of at least this many bytes pauses the socket until the next tick: the runtime would keep reading a socket
 * that has more before it serves others. Reading a small request never pauses.
 */
export const FULL_READ_BYTES = 64 * 1024;

/** Frees the bytes of such a read as soon as nothing refers to them: collections lag behind on a busy machine. */
export function freeRead(bytes: Buffer): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < FULL_READ_BYTES || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}
