/** Password hashing by argon2id: deliberately expensive in time and memory, so few run at a time. */

import type { QueueStatistics } from '../../base/admission.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { FairQueue } from '../../base/fair-queue.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import { WaitingEntries, type WaitingEntry } from '../../base/waiting-entries.ts';

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
/** So many hashes may wait for any time: a few users who log in at once are no overload. */
const ALWAYS_ADMITTED = 8;
/** The tenant of hashes of new passwords. */
const CHANGES = 'changes';

interface Waiting extends PromiseWithResolvers<void> {
  readonly entry: WaitingEntry;
}

export interface PasswordsOptions {
  readonly clock: Clock;
  /** Longest expected wait, in ms. */
  readonly targetMs: number;
}

/** Hashes passwords, two at a time; the process has one. Throws OVERLOADED if too many wait, or for too long. */
export class Passwords implements PasswordService {
  #running = 0;
  readonly #waiting = new FairQueue<Waiting>(LOGIN_BOUNDS.hashesWaiting);
  readonly #entries: WaitingEntries;
  #decoy: Promise<string> | undefined;

  constructor(options: PasswordsOptions) {
    this.#entries = new WaitingEntries({ ...options, alwaysAdmitted: ALWAYS_ADMITTED });
  }

  /** Returns the statistics of hashes that waited. */
  statistics(): QueueStatistics {
    return this.#entries.statistics();
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
    if (this.#running >= AT_A_TIME) {
      const entry = this.#entries.enter(key);
      if (entry === undefined) throw fail('OVERLOADED', this.#waiting.size);
      const waiting = { ...Promise.withResolvers<void>(), entry };
      const removed = this.#waiting.push({ key, isAdministrator: key === CHANGES }, waiting);
      if (removed !== undefined) this.#entries.remove(removed.entry);
      removed?.reject(fail('OVERLOADED', this.#waiting.size));
      await waiting.promise;
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else {
        this.#entries.leave(next.entry);
        next.resolve();
      }
    }
  }
}

function hashOf(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id' });
}
