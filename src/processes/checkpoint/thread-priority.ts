/** The priority of threads whose work is not urgent. */
import os from 'node:os';

/** Added to the niceness of the process: on busy processors, requests then get nine tenths of the time. */
const ADDED_NICENESS = 10;

/** Gives the threads that serve requests precedence over this one. */
export function lowerThreadPriority(): void {
  // On other systems this would set the priority of the process.
  if (process.platform !== 'linux') return;
  try {
    os.setPriority(0, Math.min(os.getPriority(0) + ADDED_NICENESS, os.constants.priority.PRIORITY_LOW));
  } catch {
    // Not permitted: all threads have the same priority.
  }
}
