/** Reads of a socket that fill its buffer: those of bodies, mostly. */

/**
 * A read of at least this many bytes pauses the socket until the next tick: the runtime reads a socket that has more
 * again and again before it serves others. The read of a small request never pauses.
 */
export const FULL_READ_BYTES = 64 * 1024;

/**
 * Frees the bytes of such a read at once, when nothing refers to them: collections lag behind on a busy machine.
 */
export function freeRead(bytes: Buffer): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < FULL_READ_BYTES || byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}
