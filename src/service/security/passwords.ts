/** Password hashing by argon2id: deliberately expensive (about 0.2 s and 64 MiB each), so few run at a time. */

import { fail } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';

/** Callbacks of a verification, which may wait for others. */
export interface VerificationCallbacks {
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
  verify(password: string, hash: string | undefined, callbacks: VerificationCallbacks): Promise<boolean>;
}

const AT_A_TIME = 2;

/** Hashes passwords, two at a time; the process has one. Throws OVERLOADED if too many wait. */
export class Passwords implements PasswordService {
  #running = 0;
  readonly #waiting: Array<() => void> = [];
  #decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#limited(() => Bun.password.hash(password, { algorithm: 'argon2id' }));
  }

  async verify(password: string, hash: string | undefined, callbacks: VerificationCallbacks): Promise<boolean> {
    // Computed for every user, so that not even the first verification reveals by its time whether the user exists.
    const decoy = await this.#decoyHash();
    const against = hash ?? decoy;
    return this.#limited(async () => {
      callbacks.onBegin();
      const matches = (await Bun.password.verify(password, against)) && hash !== undefined;
      callbacks.onEnd(matches);
      return matches;
    });
  }

  #decoyHash(): Promise<string> {
    this.#decoy ??= this.hash('decoy');
    return this.#decoy;
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_A_TIME) {
      if (this.#waiting.length >= LOGIN_BOUNDS.hashesWaiting) throw fail('OVERLOADED', this.#waiting.length);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
