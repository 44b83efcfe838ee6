/**
 * Passwords that were verified lately, by user and network. Clients may send credentials with every request, so such a
 * password is recognised by a keyed hash whose key is made with the process. A wrong one is never recognised.
 */
import crypto from 'node:crypto';
import { type Clock, randomBytes } from '../../base/clock.ts';
import type { Account } from './accounts.ts';
import { networkOf } from './attempts.ts';

const REMEMBERED = 4_000;

interface Verified {
  readonly mac: Buffer;
  readonly id: string;
  readonly stamp: string;
  readonly untilMs: number;
}

export class VerifiedPasswords {
  readonly #clock: Clock;
  readonly #rememberedMs: number;
  readonly #key = randomBytes(32);
  readonly #verified = new Map<string, Verified>();

  constructor(clock: Clock, rememberedMs: number) {
    this.#clock = clock;
    this.#rememberedMs = rememberedMs;
  }

  /** The keyed hash of a password. */
  macOf(password: string): Buffer {
    return crypto.createHmac('sha256', this.#key).update(password).digest();
  }

  /** Whether it was this account's password from the same network, and the account has not changed since. */
  recognises({ name, id, stamp }: Account, password: string, address: string): boolean {
    const entry = this.#verified.get(keyOf(name, address));
    if (entry === undefined || entry.untilMs <= this.#clock.monotonicMs()) return false;
    const same = entry.id === id && entry.stamp === stamp;
    return same && crypto.timingSafeEqual(entry.mac, this.macOf(password));
  }

  remember({ name, id, stamp }: Account, password: string, address: string): void {
    const key = keyOf(name, address);
    this.#verified.delete(key);
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size < REMEMBERED) break;
      this.#verified.delete(oldest);
    }
    const untilMs = this.#clock.monotonicMs() + this.#rememberedMs;
    this.#verified.set(key, { mac: this.macOf(password), id, stamp, untilMs });
  }
}

function keyOf(name: string, address: string): string {
  return `${networkOf(address)} ${name}`;
}
