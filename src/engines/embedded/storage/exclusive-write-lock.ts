/** The exclusive write lock, which a query thread acquires for a change that it runs instead of the writer. */
import type { Clock } from '../../../base/clock.ts';

export interface ExclusiveWriteLock {
  /**
   * Runs `action` while no other thread writes. `action` returns the numbers of the databases that it committed to.
   * While it waits for the lock, it calls `poll` repeatedly, and stops waiting if that throws.
   */
  with(poll: () => void, action: () => readonly number[]): Promise<void>;
  /** Does the same, unless another thread has the lock. Returns whether `action` ran. */
  tryWith(action: () => readonly number[]): Promise<boolean>;
}

/** Time between two calls of `poll` while the lock is awaited. */
const POLL_MS = 25;

/** The lock's methods on the thread that owns the data. */
interface WriteLockChannel {
  call(name: 'acquireWriteLock', request: { readonly waits: boolean }): Promise<boolean>;
  call(name: 'releaseWriteLock', databases: readonly number[]): Promise<null>;
}

/**
 * Creates the write lock of a query thread, which uses the channel to the writer's thread. `committed` tells all
 * threads at once that a database was committed to: one thread may already have returned a new value, and another one
 * must not return the old value of its snapshot after that.
 */
export function remoteWriteLock(
  channel: WriteLockChannel,
  clock: Clock,
  committed: (database: number) => void,
): ExclusiveWriteLock {
  const run = async (action: () => readonly number[]): Promise<void> => {
    let databases: readonly number[] = [];
    try {
      databases = action();
      for (const database of databases) committed(database);
    } finally {
      await channel.call('releaseWriteLock', databases);
    }
  };
  return {
    async with(poll, action) {
      poll();
      const granted = channel.call('acquireWriteLock', { waits: true });
      await waitFor(granted, poll, clock).catch((error) => {
        // If the lock is granted later, it is released at once.
        granted.then(() => channel.call('releaseWriteLock', [])).catch(() => {});
        throw error;
      });
      await run(action);
    },
    async tryWith(action) {
      if (!(await channel.call('acquireWriteLock', { waits: false }))) return false;
      await run(action);
      return true;
    },
  };
}

/** Resolves like `promise`, or rejects with the error of `poll` if that throws first. */
function waitFor<T>(promise: Promise<T>, poll: () => void, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.every(POLL_MS, () => {
      try {
        poll();
      } catch (error) {
        timer.cancel();
        reject(error);
      }
    });
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}
