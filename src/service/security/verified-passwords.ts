/**
 * A cache of recently verified passwords, by user and network. Clients may send credentials with every request; a keyed
 * hash recognises a verified password without computing the slow one. The key is random for each process.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, randomBytes } from '../../base/clock.ts';
import { networkOf } from '../../base/networks.ts';
import type { Account } from './accounts.ts';

/** Maximum number of passwords in the cache; the least recently used one is evicted first. */
const MAX_PASSWORDS = 4_000;

interface Verified {
  readonly mac: Buffer;
  readonly id: string;
  readonly stamp: string;
  readonly untilMs: number;
}

export class VerifiedPasswords {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #key = randomBytes(32);
  readonly #verified = new LRUCache<string, Verified>({ max: MAX_PASSWORDS });

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** Returns the keyed hash of a password. */
  macOf(password: string): Buffer {
    return new Bun.CryptoHasher('sha256', this.#key).update(password).digest();
  }

  /** Reports whether the password was verified from the same network and the account has not changed since. */
  recognises({ name, id, stamp }: Account, password: string, address: string): boolean {
    const entry = this.#verified.get(keyOf(name, address));
    if (entry === undefined || entry.untilMs <= this.#clock.monotonicMs()) return false;
    const isUnchanged = entry.id === id && entry.stamp === stamp;
    return isUnchanged && crypto.timingSafeEqual(entry.mac, this.macOf(password));
  }

  /** Caches a password that has just been verified. */
  remember({ name, id, stamp }: Account, password: string, address: string): void {
    const untilMs = this.#clock.monotonicMs() + this.#ttlMs;
    this.#verified.set(keyOf(name, address), { mac: this.macOf(password), id, stamp, untilMs });
  }
}

function keyOf(name: string, address: string): string {
  return `${networkOf(address)} ${name}`;
}
