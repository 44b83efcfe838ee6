/** Limits the memory of this process through the kernel. */
import { dlopen, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { residentBytes } from '../../engines/embedded/shared/resident-memory.ts';

/** The limit of getrlimit(2) on private writable memory. */
const RLIMIT_DATA = 2;
/** musl also finds itself by this name. */
const LIBC = 'libc.so.6';

/** The limit of a process's memory. */
export interface MemoryLimit {
  /** Whether the kernel enforces it; if not, the service watches the process from outside. */
  readonly isEnforced: boolean;
  /** Returns the bytes taken since the limit was set, including those freed again, because the allocators keep them. */
  takenBytes(): number;
}

/**
 * Limits the memory that this process takes from now on. Beyond the limit, SQLite and the runtime run out of memory.
 * The limit is relative, because the runtime has reserved gigabytes that count. Only Linux has such a limit.
 */
export function limitMemory(bytes: number): MemoryLimit {
  try {
    if (process.platform === 'linux') return setLimit(bytes);
  } catch {
    // This process may not read its own state or limit itself.
  }
  const begunBytes = residentBytes();
  return { isEnforced: false, takenBytes: () => residentBytes() - begunBytes };
}

function setLimit(bytes: number): MemoryLimit {
  const begunBytes = dataBytes();
  const limit = BigInt(begunBytes) + BigInt(bytes);
  const { symbols } = dlopen(LIBC, { setrlimit: { args: ['int', 'ptr'], returns: 'int' } });
  if (symbols.setrlimit(RLIMIT_DATA, ptr(new BigUint64Array([limit, limit]))) !== 0) throw new Error('not permitted');
  return { isEnforced: true, takenBytes: () => dataBytes() - begunBytes };
}

/** Returns the memory that the limit counts. */
function dataBytes(): number {
  const kib = /^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (kib === undefined) throw new Error('the system does not tell the memory of this process');
  return Number(kib) * 1_024;
}
