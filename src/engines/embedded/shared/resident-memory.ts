/** Reads the memory of processes from the system, in a different way on each. */
import { dlopen, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** Growth below this never ends a statement, because other work of its process may have caused it. */
export const MIN_GROWTH_BYTES = 16 * 1024 * 1024;

/** Unit of the files in /proc. */
const PAGE_BYTES = 4096;

/** Reads a process's memory in bytes. Throws if it has ended. */
type Reader = (processId: number | 'self') => number;

function readLinux(processId: number | 'self'): number {
  const [, resident = '0', shared = '0'] = readFileSync(`/proc/${processId}/statm`, 'utf8').split(' ', 3);
  return (Number(resident) - Number(shared)) * PAGE_BYTES;
}

/** Version of the structure that proc_pid_rusage(3) of macOS fills. */
const RUSAGE_INFO_V0 = 0;
/** Room for later versions, whose fields follow the first version's. */
const RUSAGE_BYTES = 512;
/** Offset of `ri_phys_footprint`, after an id of 16 bytes and seven counters. */
const FOOTPRINT_INDEX = (16 + 7 * 8) / 8;

function openMacOs(): Reader {
  const { symbols } = dlopen('/usr/lib/libSystem.B.dylib', {
    getpid: { args: [], returns: 'int' },
    proc_pid_rusage: { args: ['int', 'int', 'ptr'], returns: 'int' },
  });
  const usage = new BigUint64Array(RUSAGE_BYTES / 8);
  return (processId) => {
    const id = processId === 'self' ? symbols.getpid() : processId;
    if (symbols.proc_pid_rusage(id, RUSAGE_INFO_V0, ptr(usage)) !== 0) throw new Error('the process has ended');
    return Number(usage[FOOTPRINT_INDEX]);
  };
}

/** How to query each system; others do not report it. */
const READERS: Readonly<Partial<Record<NodeJS.Platform, () => Reader>>> = {
  linux: () => readLinux,
  darwin: openMacOs,
};

let reader: Reader | undefined;

/**
 * Returns a process's resident memory without mapped files, in bytes, or 0 if it has ended, or if the system does not
 * report it.
 */
export function residentBytesOf(processId: number | 'self'): number {
  try {
    reader ??= READERS[platform()]?.();
    return reader?.(processId) ?? 0;
  } catch {
    return 0;
  }
}

/** Returns the resident memory of this process. */
export function residentBytes(): number {
  return residentBytesOf('self');
}
