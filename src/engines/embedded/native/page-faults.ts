/** Page faults of threads: the system counts memory for a process, and page faults show which thread has taken it. */
import { readdirSync, readFileSync } from 'node:fs';

const THREADS = '/proc/self/task';
/** Calls between two searches for the helper while it does not run: a search reads the names of all threads. */
const CALLS_PER_SEARCH = 10;

/** Returns the minor page faults of a thread of this process since it began; undefined if it has ended. */
export function minorFaultsOf(thread: bigint | string): number | undefined {
  try {
    const stat = readFileSync(`${THREADS}/${thread}/stat`, 'utf8');
    // The name of the thread may contain spaces; state, parent, group, session, terminal, its group and flags follow.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 8)[7]);
  } catch {
    return undefined;
  }
}

/**
 * The thread of the JavaScript engine that takes memory from the system for the heaps of all threads before they need
 * it. The page faults of a growing heap are therefore the helper's instead of those of the thread that allocates.
 */
export class HeapHelper {
  /** The engine's name of the thread. It ends when no heap has grown for a while, and another one begins later. */
  static readonly threadName = 'JSCWarmUp';
  #thread: string | undefined;
  #calls = 0;
  /** Page faults of the threads that have ended, and those of the present one. */
  #former = 0;
  #present = 0;

  /** Returns the minor page faults of the helper, as far as this object has seen them. */
  faults(): number {
    const isSearch = this.#calls++ % CALLS_PER_SEARCH === 0;
    if (this.#thread === undefined && isSearch) this.#thread = findThread(HeapHelper.threadName);
    if (this.#thread === undefined) return this.#former;
    const faults = minorFaultsOf(this.#thread);
    if (faults === undefined) {
      this.#former += this.#present;
      this.#present = 0;
      this.#thread = undefined;
    } else this.#present = faults;
    return this.#former + this.#present;
  }
}

function findThread(name: string): string | undefined {
  return readdirSync(THREADS).find((thread) => {
    try {
      return readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === name;
    } catch {
      // The thread has ended.
      return false;
    }
  });
}
