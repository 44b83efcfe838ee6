/** Has the kernel bound the memory of this process. */
import { dlopen, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';

/** The limit of getrlimit(2) on private memory that a process can write. */
const RLIMIT_DATA = 2;
/** musl finds itself by this name, too. */
const LIBC = 'libc.so.6';

/**
 * Bounds the memory that this process takes from now on. Beyond the bound, SQLite and the runtime run out of memory.
 * Returns false where that is impossible. The bound is relative, because the runtime has reserved gigabytes that count.
 */
export function limitMemory(bytes: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const kib = /^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kib === undefined) return false;
    const limit = BigInt(kib) * 1_024n + BigInt(bytes);
    const { symbols } = dlopen(LIBC, { setrlimit: { args: ['int', 'ptr'], returns: 'int' } });
    return symbols.setrlimit(RLIMIT_DATA, ptr(new BigUint64Array([limit, limit]))) === 0;
  } catch {
    return false;
  }
}
