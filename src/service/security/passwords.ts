/** Password hashing by argon2id: deliberately expensive (about 0.2 s and 64 MiB each), so few run at a time. */

import { fail } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';

/** For whom a password is verified, and callbacks, because the verification may wait for others. */
export interface Verification {
  /** Verifications wait in turn by network, so that one network does not delay the logins of others. */
  readonly network: string;
  /** Called before the hash is computed; an error cancels the verification. */
  onBegin(): void;
  /** Called with the result before the next verification begins. */
  onEnd(matches: boolean): void;
}

export interface PasswordService {
  hash(password: string): Promise<string>;
  /**
   * Reports whether the password has the hash. Without a hash it takes as long and returns false, so that the time does
   * not reveal which users exist.
   */
  verify(password: string, hash: string | undefined, verification: Verification): Promise<boolean>;
}

const AT_A_TIME = 2;
/** The claimant of hashes of new passwords. */
const CHANGES = 'changes';

/** Hashes passwords, two at a time; the process has one. Throws OVERLOADED if too many wait. */
export class Passwords implements PasswordService {
  #running = 0;
  readonly #waiting = new FairQueue<PromiseWithResolvers<void>>(LOGIN_BOUNDS.hashesWaiting);
  #decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#limited(CHANGES, () => Bun.password.hash(password, { algorithm: 'argon2id' }));
  }

  async verify(password: string, hash: string | undefined, verification: Verification): Promise<boolean> {
    // Computed for every user, so that not even the first verification reveals by its time whether the user exists.
    const decoy = await this.#decoyHash();
    const against = hash ?? decoy;
    return this.#limited(`network ${verification.network}`, async () => {
      verification.onBegin();
      const matches = (await Bun.password.verify(password, against)) && hash !== undefined;
      verification.onEnd(matches);
      return matches;
    });
  }

  #decoyHash(): Promise<string> {
    this.#decoy ??= this.hash('decoy');
    return this.#decoy;
  }

  async #limited<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_A_TIME) {
      const waiting = Promise.withResolvers<void>();
      const removed = this.#waiting.push({ key, isAdministrator: key === CHANGES }, waiting);
      removed?.reject(fail('OVERLOADED', this.#waiting.size));
      await waiting.promise;
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.resolve();
    }
  }
}
