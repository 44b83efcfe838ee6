/**
 * A clock that continues while the machine is suspended, unlike the monotonic clock. The holder of a lease must not
 * believe after a suspension that it still holds it.
 */
import { dlopen, ptr } from 'bun:ffi';
import { readFileSync } from 'node:fs';

/** The libraries that have `clock_gettime`, and the clock's number there (CLOCK_BOOTTIME; on macOS CLOCK_MONOTONIC). */
const SYSTEMS: Readonly<Record<string, { readonly libraries: readonly string[]; readonly clock: number }>> = {
  linux: { libraries: ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'], clock: 7 },
  darwin: { libraries: ['libSystem.B.dylib'], clock: 6 },
};
const FUNCTIONS = { clock_gettime: { args: ['int', 'ptr'], returns: 'int' } } as const;

/** Returns the clock: milliseconds since an arbitrary start. Throws an Error if the system has no such clock. */
export function openBootClock(): () => number {
  const system = SYSTEMS[process.platform];
  for (const library of system?.libraries ?? []) {
    try {
      const { symbols } = dlopen(library, FUNCTIONS);
      const time = new BigInt64Array(2);
      const address = ptr(time);
      const clock = system?.clock ?? 0;
      return () => {
        if (symbols.clock_gettime(clock, address) !== 0) throw new Error('the clock of the system failed');
        return Number(time[0]) * 1_000 + Number(time[1]) / 1_000_000;
      };
    } catch {
      // A different C library.
    }
  }
  // The same clock with a resolution of 10 ms.
  const read = (): number => Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 1_000;
  read();
  return read;
}
