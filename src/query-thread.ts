/** Entry of a query thread. */
import os from 'node:os';
import type { QueryThreadMessage } from './wiring/query-hosts.ts';

declare const self: Worker;

/** Added to the niceness of the process: on busy processors, requests then get nine tenths of the time. */
const ADDED_NICENESS = 10;

/**
 * Gives threads that serve requests precedence over long statements, and over the start of this thread, which keeps a
 * processor busy.
 */
function lowerPriority(): void {
  // On other systems this would set the priority of the process.
  if (process.platform !== 'linux') return;
  try {
    os.setPriority(0, Math.min(os.getPriority(0) + ADDED_NICENESS, os.constants.priority.PRIORITY_LOW));
  } catch {
    // Not permitted: all threads have the same priority.
  }
}

lowerPriority();
const start = import('./query-thread-start.ts');

self.onmessage = async ({ data }: MessageEvent<QueryThreadMessage>) => {
  const { receive } = await start;
  await receive(data);
};
