/**
 * Slows down guessing of API keys by the same rules as for passwords: {@link Attempts} counts failures by id and
 * network, and by network. The process has one, so that limits apply across all threads. A correct key is never
 * delayed: its owner cannot be locked out, and its 256 bits cannot be guessed at any rate.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Attempts } from './attempts.ts';

export interface KeyAttempts {
  /**
   * Counts a wrong key with an id, whether or not a key has the id, and resolves when it may be answered. Throws
   * TOO_MANY_ATTEMPTS and OVERLOADED.
   */
  failed(id: string, address: string): MaybePromise<void>;
}

/** Creates the attempts for keys; `attempts` counts nothing else, so that ids do not compete with users. */
export function createKeyAttempts(attempts: Attempts): KeyAttempts {
  return {
    failed: (id, address) =>
      attempts.run(id, address, (attempt) => {
        attempt.check();
        attempt.failed();
      }),
  };
}
