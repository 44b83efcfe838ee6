/**
 * Shared memory that grows while it is used. The runtime counts the whole size of shared memory as part of the heap of
 * every thread that has it, whether it is used or not, and lets as much garbage accumulate in each before it collects:
 * 60 MB of counters kept some 40 MB of garbage in each thread that serves requests.
 */

/** Creates memory of `bytes` that can grow to `maxBytes`. Arrays over it must have no length to see it grow. */
export function growingMemory(bytes: number, maxBytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes, { maxByteLength: maxBytes });
}

/** Makes the memory at least `bytes` long, for all threads. Throws RangeError beyond its maximum. */
export function growTo(memory: SharedArrayBuffer, bytes: number): void {
  while (memory.byteLength < bytes) {
    try {
      memory.grow(bytes);
    } catch (error) {
      // Another thread may have made it longer meanwhile.
      if (memory.byteLength < bytes) throw error;
    }
  }
}
