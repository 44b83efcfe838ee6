/**
 * Entry of the thread that kills a process of the service after its parent ends, where the kernel does not
 * (parent-process.ts).
 *
 * Runs: checks twice a second whether the parent still exists. Owns: nothing. Started in every child process on systems
 * other than Linux. Ends: with its process.
 */
import { systemClock as clock } from '../../base/clock.ts';

declare const self: Worker;

/**
 * The longest time for which an endless loop uses a core after the parent has ended, at the cost of two polls per
 * second.
 */
const POLL_MS = 500;

/** The only message to the thread. */
export interface ParentWatch {
  /** The id of the parent's process. */
  readonly parent: number;
}

self.onmessage = ({ data: { parent } }: MessageEvent<ParentWatch>) => {
  clock.every(POLL_MS, () => {
    if (hasEnded(parent)) process.kill(process.pid, 'SIGKILL');
  });
};

/** Returns whether another process has become the parent, or the parent's id is free: Windows keeps it. */
function hasEnded(parent: number): boolean {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
