/** Has the kernel bound the memory of this process. */
import { dlopen, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';

/** The limit of getrlimit(2) on private memory that a process can write. */
const RLIMIT_DATA = 2;
/** musl finds itself by this name, too. */
const LIBC = 'libc.so.6';

/**
 * Bounds the memory that this process takes from now on. Beyond the bound, SQLite and the runtime run out of memory.
 * Returns what reports the bytes that have been taken since then, where the system counts them: also those that have
 * been freed, because the allocators keep them. The bound is relative: the runtime has reserved gigabytes that count.
 */
export function limitMemory(bytes: number): () => number {
  if (process.platform !== 'linux') return () => 0;
  try {
    const begunBytes = dataBytes();
    const limit = BigInt(begunBytes) + BigInt(bytes);
    const { symbols } = dlopen(LIBC, { setrlimit: { args: ['int', 'ptr'], returns: 'int' } });
    if (symbols.setrlimit(RLIMIT_DATA, ptr(new BigUint64Array([limit, limit]))) === 0) {
      return () => dataBytes() - begunBytes;
    }
  } catch {
    // This process may not read its own state or bound itself.
  }
  return () => 0;
}

/** Returns the memory that the bound counts. */
function dataBytes(): number {
  const kib = /^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (kib === undefined) throw new Error('the system does not tell the memory of this process');
  return Number(kib) * 1_024;
}
