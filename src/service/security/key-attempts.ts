/**
 * Slows down the guessing of API keys by the rules for passwords: {@link Attempts} counts failures by id and network,
 * and by network. The process has one, so that limits span all threads. A right key is never delayed: nobody can lock
 * its owner out, and its 256 bits cannot be guessed at any rate.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Attempts } from './attempts.ts';

export interface KeyAttempts {
  /**
   * Counts a wrong key with an id, whether a key has the id or not, and resolves when it may be answered. Throws
   * TOO_MANY_ATTEMPTS and OVERLOADED.
   */
  failed(id: string, address: string): MaybePromise<void>;
}

/** Creates the attempts with keys; `attempts` counts nothing else, so that ids do not compete with users. */
export function createKeyAttempts(attempts: Attempts): KeyAttempts {
  return {
    failed: (id, address) =>
      attempts.run(id, address, (attempt) => {
        attempt.check();
        attempt.failed();
      }),
  };
}
