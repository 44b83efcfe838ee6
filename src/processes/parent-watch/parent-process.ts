/** Ends a process with its parent, even if its code never returns to the event loop. */
import { dlopen } from 'bun:ffi';
import { threadUrl } from '../../base/thread-url.ts';
import type { ParentWatch } from './parent-watch-thread.ts';

/**
 * The option of prctl(2) that sends a process a signal after its parent ends, and the signal that cannot be blocked.
 */
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9n;
/** musl also finds itself by this name. */
const LIBC = 'libc.so.6';

/**
 * Makes this process die when the process `parent`, which started it, ends. Linux kills it immediately; elsewhere a
 * thread notices within a fraction of a second. Linux looks at the parent's thread: the one that started this process
 * must last as long as its process.
 */
export function endWithParent(parent: number): void {
  if (!killedByKernel()) watchParent(parent);
  // It may have ended already.
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}

/** Starts the thread that kills this process after its parent. */
export function watchParent(parent: number): void {
  const worker = new Worker(threadUrl('processes/parent-watch/parent-watch-thread.ts'), { smol: true });
  worker.unref();
  const message: ParentWatch = { parent };
  worker.postMessage(message);
}

/** Asks the kernel to kill this process after its parent. Returns false if that is impossible. */
function killedByKernel(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { symbols } = dlopen(LIBC, { prctl: { args: ['int', 'u64', 'u64', 'u64', 'u64'], returns: 'int' } });
    return symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n) === 0;
  } catch {
    return false;
  }
}
