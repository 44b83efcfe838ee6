/** Hashing of passwords by argon2id: slow and big on purpose (about 0.2 s and 64 MiB each), so only few at a time. */
import { fail } from '../../base/errors.ts';

export interface PasswordSlot {
  begin(): void;
  end(right: boolean): void;
}

export interface PasswordService {
  hash(password: string): Promise<string>;
  /**
   * `hash` undefined: takes as long as a real check and answers false, so that time does not tell who exists.
   * `turn.begin` is called when the check's turn has come; what it throws refuses the check. `turn.end` is called
   * with the answer before the next turn begins.
   */
  verify(password: string, hash: string | undefined, batch: PasswordSlot): Promise<boolean>;
}

const AT_A_TIME = 2;
/** More is a flood: each waits 0.1 s for the one before it. */
const MAX_WAITING = 200;

/** One in the process. Refuses OVERLOADED when too many wait. */
export class Passwords implements PasswordService {
  #running = 0;
  readonly #waiting: Array<() => void> = [];
  #decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#serialized(() => Bun.password.hash(password, { algorithm: 'argon2id' }));
  }

  async verify(password: string, hash: string | undefined, batch: PasswordSlot): Promise<boolean> {
    // Made for everybody, so that not even the first check tells by its time whether there is such a user.
    const decoy = await this.#decoyHash();
    const against = hash ?? decoy;
    return this.#serialized(async () => {
      batch.begin();
      const right = (await Bun.password.verify(password, against)) && hash !== undefined;
      batch.end(right);
      return right;
    });
  }

  #decoyHash(): Promise<string> {
    this.#decoy ??= this.hash('decoy');
    return this.#decoy;
  }

  async #serialized<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_A_TIME) {
      if (this.#waiting.length >= MAX_WAITING) throw fail('OVERLOADED', this.#waiting.length);
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
