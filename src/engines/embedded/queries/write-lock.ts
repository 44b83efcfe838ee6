/** The exclusive write lock: a query thread takes it for a change that runs concurrently with the writer. */
import type { Clock } from '../../../base/clock.ts';

export interface ExclusiveWriteLock {
  /**
   * Runs `action` while no other thread writes. `action` returns the numbers of the databases that it committed to.
   * While the lock is awaited, `poll` is called repeatedly; it gives up the lock by throwing.
   */
  with(poll: () => void, action: () => readonly number[]): Promise<void>;
}

/** Time between two checks of how long a statement has held the lock. */
const WRITE_LOCK_CHECK_MS = 25;

/** The lock's methods on the thread that owns the data. */
interface WriteLockChannel {
  call(name: 'acquireWriteLock', request: null): Promise<null>;
  call(name: 'releaseWriteLock', databases: readonly number[]): Promise<null>;
}

/** Returns the write lock as a query thread takes it: over the channel to the thread that owns the data. */
export function remoteWriteLock(channel: WriteLockChannel, clock: Clock): ExclusiveWriteLock {
  return {
    async with(poll, action) {
      const granted = channel.call('acquireWriteLock', null);
      await waitFor(granted, poll, clock).catch((error) => {
        // It may still be granted later, and is released at once.
        granted.then(() => channel.call('releaseWriteLock', [])).catch(() => {});
        throw error;
      });
      let databases: readonly number[] = [];
      try {
        databases = action();
      } finally {
        await channel.call('releaseWriteLock', databases);
      }
    },
  };
}

/** Resolves like `promise`, or rejects with what `poll` throws before. */
function waitFor<T>(promise: Promise<T>, poll: () => void, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.every(WRITE_LOCK_CHECK_MS, () => {
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
