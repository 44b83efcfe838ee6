/** Hashes passwords with argon2id, which is deliberately expensive in time and memory, so few run at a time. */

import { Admission, type QueueStatistics } from '../../base/admission.ts';
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';

/** For whom a password is verified, and callbacks, because the verification may wait for others. */
export interface Verification {
  /** Verifications take turns by network, so that one network does not delay logins from others. */
  readonly network: string;
  /** Called before the hash is computed; an error cancels the verification. */
  onBegin(): void;
  /** Called with the result before the next verification begins. */
  onEnd(matches: boolean): void;
}

export interface PasswordService {
  hash(password: string): Promise<string>;
  /**
   * Reports whether the hash belongs to the password. Without a hash it takes equally long and returns false, so that
   * the time does not reveal which users exist.
   */
  verify(password: string, hash: string | undefined, verification: Verification): Promise<boolean>;
}

/** Maximum number of hashes computed at once. Each occupies a processor, and requests need the others. */
const AT_A_TIME = 2;
/** The tenant of hashes of new passwords. */
const CHANGES = 'changes';

export interface PasswordsOptions {
  readonly clock: Clock;
  /** While all hashes wait longer than this, new ones from networks that already wait are rejected. */
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
      failure: (_reason, waiting) => gridError('OVERLOADED', waiting),
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
      // Computed for every user, so that not even the first verification's duration reveals whether the user exists.
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
