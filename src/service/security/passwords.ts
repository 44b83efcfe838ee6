/** Password hashing by argon2id: deliberately expensive in time and memory, so few run at a time. */

import { Admission, type QueueStatistics } from '../../base/admission.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
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

/** Hashes computed at once. Each takes a processor for its time, and requests need the others. */
const AT_A_TIME = 2;
/** The tenant of hashes of new passwords. */
const CHANGES = 'changes';

export interface PasswordsOptions {
  readonly clock: Clock;
  /** While all hashes wait for longer, further ones of networks that wait already are rejected. */
  readonly targetMs: number;
}

/** Hashes passwords, two at a time; the process has one. Throws OVERLOADED while too many wait. */
export class Passwords implements PasswordService {
  readonly #admission: Admission;
  #decoy: Promise<string> | undefined;

  constructor({ clock, targetMs }: PasswordsOptions) {
    this.#admission = new Admission({
      clock,
      targetMs,
      slots: AT_A_TIME,
      reserved: 0,
      maxWaiting: LOGIN_BOUNDS.hashesWaiting,
      maxWaitingBytes: Number.POSITIVE_INFINITY,
      failure: (_reason, waiting) => fail('OVERLOADED', waiting),
    });
  }

  /** Returns the statistics of hashes that waited. */
  statistics(): QueueStatistics {
    return this.#admission.statistics();
  }

  hash(password: string): Promise<string> {
    return this.#limited(CHANGES, () => hashOf(password));
  }

  async verify(password: string, hash: string | undefined, verification: Verification): Promise<boolean> {
    return this.#limited(`network ${verification.network}`, async () => {
      verification.onBegin();
      // Computed for every user, so that not even the first verification reveals by its time whether the user exists.
      this.#decoy ??= hashOf('decoy');
      const decoy = await this.#decoy;
      const against = hash ?? decoy;
      const matches = (await Bun.password.verify(password, against)) && hash !== undefined;
      verification.onEnd(matches);
      return matches;
    });
  }

  async #limited<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slot = await this.#admission.acquire({ key, isAdministrator: false });
    try {
      return await work();
    } finally {
      slot.release();
    }
  }
}

function hashOf(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id' });
}
