/**
 * Slows down password guessing without locking users out. It counts failures
 *
 * - by user and network: beyond the allowed number, more attempts are rejected for one second, then for two, four and
 *   so on up to a maximum. Attempts for the same user from other networks are not affected;
 * - by network, over all users: beyond the allowed number its attempts are checked one per second. Addresses that may
 *   stand for many clients (loopback and trusted proxies) are exempt from it.
 *
 * A password that was recently verified from the same network is still accepted; see {@link mayRecognise}.
 */

import { type Clock, sleep } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import { networkOf } from '../../base/networks.ts';
import { fitsReserve } from '../../base/shares.ts';

export interface LoginLimits {
  /** Failures of a user from one network after which the back-off begins. */
  readonly maxFailures: number;
  /** Failures of a network, over all users, after which its attempts are spread out. */
  readonly maxNetworkFailures: number;
  /** Longest back-off, in ms. */
  readonly maxBackoffMs: number;
}

export interface AttemptOptions extends LoginLimits {
  readonly clock: Clock;
  /** Tells which addresses may stand for many clients. */
  readonly clients: { isShared(address: string): boolean };
  /** Counts stored at once. Default: {@link MAX_COUNTS}. */
  readonly maxRemembered?: number;
}

/** Maximum number of stored counts; each takes a few hundred bytes. */
const MAX_COUNTS = 20_000;
/** Valid names are shorter; longer ones are counted by their hash. */
const MAX_NAME_CHARACTERS = 64;

interface UserFailures {
  count: number;
  lastMs: number;
  /** Attempts rejected unchecked since the last counted failure. */
  rejected: number;
}

interface NetworkFailures {
  /** Times of the failures in ms, oldest first. */
  readonly times: number[];
  /** Earliest time of the next attempt while attempts are spread out. */
  nextMs: number;
}

/** A login attempt in progress. */
export interface Attempt {
  /** Time in ms to wait before the password is checked. */
  readonly waitMs: number;
  readonly network: string;
  /** Call it after that time. Throws OVERLOADED if too many attempts are being checked. */
  enter(): void;
  /** Call it before the password is checked. Throws TOO_MANY_ATTEMPTS if others have failed in the meantime. */
  check(): void;
  failed(): void;
  succeeded(): void;
  /** Call it once, at the end of the attempt. */
  end(): void;
}

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #maxRemembered: number;
  /** By user and network, in order of the last failure. */
  readonly #users = new Map<string, UserFailures>();
  readonly #networks = new Map<string, NetworkFailures>();
  /** Attempts being checked, by network. */
  readonly #checked = new Map<string, number>();
  #allChecked = 0;
  #waiting = 0;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#maxRemembered = options.maxRemembered ?? MAX_COUNTS;
  }

  /**
   * Reports whether a password that was recently verified from this network may be accepted from the cache. True even
   * during a back-off, so that an attacker in the user's network does not lock the user out, until enough guesses have
   * been rejected that one of them might hit the cached password.
   */
  mayRecognise(user: string, address: string): boolean {
    const failures = this.#userFailures(keyOf(user, networkOf(address)), this.#options.clock.monotonicMs());
    return failures === undefined || failures.rejected < LOGIN_BOUNDS.rejectedGuesses;
  }

  /** Begins an attempt. Throws TOO_MANY_ATTEMPTS. */
  begin(user: string, address: string): Attempt {
    const network = networkOf(address);
    const key = keyOf(user, network);
    const nowMs = this.#options.clock.monotonicMs();
    this.#checkUser(key, nowMs);
    const isShared = this.#options.clients.isShared(address);
    const waitMs = isShared ? 0 : this.#waitOf(network, nowMs);
    let state: 'waiting' | 'checked' = 'waiting';
    this.#waiting++;
    return {
      waitMs,
      network,
      enter: () => {
        this.#enter(network);
        this.#waiting--;
        state = 'checked';
      },
      check: () => {
        const checkedMs = this.#options.clock.monotonicMs();
        this.#checkUser(key, checkedMs);
        if (!isShared && waitMs === 0) this.#checkNetwork(network, checkedMs);
      },
      failed: () => this.#failed(key, network),
      succeeded: () => void this.#users.delete(key),
      end: () => {
        if (state === 'checked') this.#leave(network);
        else this.#waiting--;
      },
    };
  }

  /** Runs an attempt after its wait. Throws TOO_MANY_ATTEMPTS, and OVERLOADED if too many are being checked. */
  async run<T>(user: string, address: string, action: (attempt: Attempt) => T | Promise<T>): Promise<T> {
    const attempt = this.begin(user, address);
    try {
      if (attempt.waitMs > 0) await sleep(this.#options.clock, attempt.waitMs);
      attempt.enter();
      return await action(attempt);
    } finally {
      attempt.end();
    }
  }

  #checkUser(key: string, nowMs: number): void {
    const failures = this.#userFailures(key, nowMs);
    if (failures === undefined) return;
    const untilMs = failures.lastMs + this.#backoffMs(failures.count);
    if (nowMs >= untilMs) return;
    failures.rejected++;
    throw tooMany(untilMs - nowMs);
  }

  #backoffMs(count: number): number {
    const { maxFailures, maxBackoffMs } = this.#options;
    if (count < maxFailures) return 0;
    return Math.min(maxBackoffMs, LOGIN_BOUNDS.firstBackoffMs * 2 ** Math.min(30, count - maxFailures));
  }

  /** Throws once concurrent attempts, begun before the first one failed, reach twice the allowed failures. */
  #checkNetwork(network: string, nowMs: number): void {
    const { times } = this.#networkFailures(network, nowMs) ?? { times: [] };
    if (times.length < 2 * this.#options.maxNetworkFailures) return;
    throw tooMany((times[0] ?? nowMs) + LOGIN_BOUNDS.networkFailuresMs - nowMs);
  }

  #waitOf(network: string, nowMs: number): number {
    const failures = this.#networkFailures(network, nowMs);
    if (failures === undefined || failures.times.length < this.#options.maxNetworkFailures) return 0;
    const atMs = Math.max(nowMs + LOGIN_BOUNDS.networkIntervalMs, failures.nextMs);
    if (atMs - nowMs > LOGIN_BOUNDS.waitMs || this.#waiting >= LOGIN_BOUNDS.waiting) throw tooMany(atMs - nowMs);
    failures.nextMs = atMs + LOGIN_BOUNDS.networkIntervalMs;
    return atMs - nowMs;
  }

  #enter(network: string): void {
    const own = this.#checked.get(network) ?? 0;
    if (!fitsReserve(LOGIN_BOUNDS.checked, this.#allChecked, own)) throw gridError('OVERLOADED', this.#allChecked);
    this.#checked.set(network, own + 1);
    this.#allChecked++;
  }

  #leave(network: string): void {
    const own = this.#checked.get(network) ?? 0;
    if (own <= 1) this.#checked.delete(network);
    else this.#checked.set(network, own - 1);
    this.#allChecked--;
  }

  #failed(key: string, network: string): void {
    const nowMs = this.#options.clock.monotonicMs();
    const user = this.#userFailures(key, nowMs) ?? { count: 0, lastMs: 0, rejected: 0 };
    user.count++;
    user.lastMs = nowMs;
    keepLast(this.#users, key, user, this.#maxRemembered, ({ count }) => count);
    const failures = this.#networkFailures(network, nowMs) ?? { times: [], nextMs: 0 };
    failures.times.push(nowMs);
    if (failures.times.length > 2 * this.#options.maxNetworkFailures) failures.times.shift();
    keepLast(this.#networks, network, failures, this.#maxRemembered, ({ times }) => times.length);
  }

  #userFailures(key: string, nowMs: number): UserFailures | undefined {
    const failures = this.#users.get(key);
    if (failures === undefined || nowMs - failures.lastMs < LOGIN_BOUNDS.failuresMs) return failures;
    this.#users.delete(key);
    return undefined;
  }

  #networkFailures(network: string, nowMs: number): NetworkFailures | undefined {
    const failures = this.#networks.get(network);
    if (failures === undefined) return undefined;
    const { times } = failures;
    while (times[0] !== undefined && times[0] <= nowMs - LOGIN_BOUNDS.networkFailuresMs) times.shift();
    if (times.length > 0) return failures;
    this.#networks.delete(network);
    return undefined;
  }
}

/**
 * Moves an entry to the end. If there are too many, removes the one of the 16 oldest with the fewest failures, so that
 * a flood of names does not evict an attacker's count.
 */
function keepLast<T>(map: Map<string, T>, key: string, entry: T, max: number, countOf: (entry: T) => number): void {
  map.delete(key);
  if (map.size >= max) {
    let fewest: string | undefined;
    let count = Number.POSITIVE_INFINITY;
    let looked = 0;
    for (const [name, each] of map) {
      if (countOf(each) < count) [fewest, count] = [name, countOf(each)];
      if (++looked === 16) break;
    }
    if (fewest !== undefined) map.delete(fewest);
  }
  map.set(key, entry);
}

function tooMany(waitMs: number): Error {
  return gridError('TOO_MANY_ATTEMPTS', Math.max(1, Math.ceil(waitMs / 1000)));
}

function keyOf(user: string, network: string): string {
  const name = user.length <= MAX_NAME_CHARACTERS ? `=${user}` : `#${Bun.CryptoHasher.hash('sha256', user, 'hex')}`;
  return `${network} ${name}`;
}
