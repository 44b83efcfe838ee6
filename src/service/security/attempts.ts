/**
 * Slows down guessing of passwords without locking anybody out. Two counts are kept:
 *
 * - of a user from one network: beyond the allowed failures further attempts are rejected for a second, then for two,
 *   four and so on up to a longest time. Attempts for the same user from other networks are not affected.
 * - of a network, over all users: beyond the allowed failures its attempts are checked one per second.
 *
 * A password that was verified from the same network not long ago passes meanwhile; see {@link mayRecognise}.
 */
import crypto from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { exceededLimit } from '../../base/shares.ts';

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
  /** Counts kept at once. Default: {@link REMEMBERED}. */
  readonly maxRemembered?: number;
}

/** Counts kept at once, each of some hundred bytes. */
const REMEMBERED = 20_000;
/** Failures are forgotten when there was no other one for this time. */
const FORGOTTEN_MS = 15 * 60_000;
/** A network's failures are forgotten one by one after this time. */
const NETWORK_WINDOW_MS = 60_000;
const FIRST_BACKOFF_MS = 1_000;
/** Time between two attempts of a network that has failed too often. */
const SPREAD_MS = 1_000;
/** An attempt that would have to wait longer is rejected. */
const LONGEST_WAIT_MS = 20_000;
/** Attempts that wait for that, over all networks: each holds a request. */
const MOST_WAITING = 500;
/** Attempts checked at once, over all networks: each takes a tenth of a second, so more would wait too long. */
const MOST_CHECKED = 200;
/** Rejected guesses for a user from one network, after which a remembered password is not recognised any more. */
const REJECTED_GUESSES = 100;
/** Users have shorter names; longer ones are kept as a hash. */
const LONGEST_NAME = 64;

interface UserFailures {
  count: number;
  lastMs: number;
  /** Attempts that were rejected unchecked since the last failure was counted. */
  rejected: number;
}

interface NetworkFailures {
  /** Times of the failures in ms, oldest first. */
  readonly times: number[];
  /** Earliest time of the next attempt while they are spread out. */
  nextMs: number;
}

/** An attempt that is under way. */
export interface Attempt {
  /** Time in ms to wait before the password is checked. */
  readonly waitMs: number;
  /** Call when that time is over. Throws OVERLOADED when too many are being checked. */
  enter(): void;
  /** Throws TOO_MANY_ATTEMPTS when others have failed meanwhile; call just before the password is checked. */
  check(): void;
  failed(): void;
  succeeded(): void;
  /** Call once, when the attempt is over. */
  end(): void;
}

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #maxRemembered: number;
  /** By user and network; the one that failed last is the last. */
  readonly #users = new Map<string, UserFailures>();
  readonly #networks = new Map<string, NetworkFailures>();
  /** Attempts being checked, by network. */
  readonly #checked = new Map<string, number>();
  #allChecked = 0;
  #waiting = 0;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#maxRemembered = options.maxRemembered ?? REMEMBERED;
  }

  /**
   * Whether a password that was verified from this network lately may pass unchecked. True also during a back-off, so
   * that a guesser beside a user does not lock the user out, until so many guesses were rejected that one of them
   * could find the password this way.
   */
  mayRecognise(user: string, address: string): boolean {
    const failures = this.#userFailures(keyOf(user, networkOf(address)), this.#options.clock.monotonicMs());
    return failures === undefined || failures.rejected < REJECTED_GUESSES;
  }

  /** Begins an attempt. Throws TOO_MANY_ATTEMPTS. */
  begin(user: string, address: string): Attempt {
    const network = networkOf(address);
    const key = keyOf(user, network);
    const nowMs = this.#options.clock.monotonicMs();
    this.#checkUser(key, nowMs);
    const waitMs = this.#waitOf(network, nowMs);
    let state: 'waiting' | 'checked' = 'waiting';
    this.#waiting++;
    return {
      waitMs,
      enter: () => {
        this.#enter(network);
        this.#waiting--;
        state = 'checked';
      },
      check: () => {
        const checkedMs = this.#options.clock.monotonicMs();
        this.#checkUser(key, checkedMs);
        if (waitMs === 0) this.#checkNetwork(network, checkedMs);
      },
      failed: () => this.#failed(key, network),
      succeeded: () => void this.#users.delete(key),
      end: () => {
        if (state === 'checked') this.#leave(network);
        else this.#waiting--;
      },
    };
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
    return Math.min(maxBackoffMs, FIRST_BACKOFF_MS * 2 ** Math.min(30, count - maxFailures));
  }

  /** Attempts that were begun before the first of them failed get no further than twice the allowed failures. */
  #checkNetwork(network: string, nowMs: number): void {
    const { times } = this.#networkFailures(network, nowMs) ?? { times: [] };
    if (times.length < 2 * this.#options.maxNetworkFailures) return;
    throw tooMany((times[0] ?? nowMs) + NETWORK_WINDOW_MS - nowMs);
  }

  #waitOf(network: string, nowMs: number): number {
    const failures = this.#networkFailures(network, nowMs);
    if (failures === undefined || failures.times.length < this.#options.maxNetworkFailures) return 0;
    const atMs = Math.max(nowMs + SPREAD_MS, failures.nextMs);
    if (atMs - nowMs > LONGEST_WAIT_MS || this.#waiting >= MOST_WAITING) throw tooMany(atMs - nowMs);
    failures.nextMs = atMs + SPREAD_MS;
    return atMs - nowMs;
  }

  #enter(network: string): void {
    const own = this.#checked.get(network) ?? 0;
    const claimant = { key: network, isAdministrator: false };
    if (exceededLimit(claimant, { limit: MOST_CHECKED, used: this.#allChecked, own }) !== undefined) {
      throw fail('OVERLOADED', this.#allChecked);
    }
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
    if (failures === undefined || nowMs - failures.lastMs < FORGOTTEN_MS) return failures;
    this.#users.delete(key);
    return undefined;
  }

  #networkFailures(network: string, nowMs: number): NetworkFailures | undefined {
    const failures = this.#networks.get(network);
    if (failures === undefined) return undefined;
    const { times } = failures;
    while (times[0] !== undefined && times[0] <= nowMs - NETWORK_WINDOW_MS) times.shift();
    if (times.length > 0) return failures;
    this.#networks.delete(network);
    return undefined;
  }
}

/**
 * Puts an entry last. Where there are too many, one of the oldest goes: the one with the fewest failures, so that a
 * flood of names does not wipe out a guesser's count.
 */
function keepLast<T>(map: Map<string, T>, key: string, entry: T, most: number, countOf: (entry: T) => number): void {
  map.delete(key);
  if (map.size >= most) {
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
  return fail('TOO_MANY_ATTEMPTS', Math.max(1, Math.ceil(waitMs / 1000)));
}

function keyOf(user: string, network: string): string {
  const name = user.length <= LONGEST_NAME ? `=${user}` : `#${crypto.hash('sha256', user, 'hex')}`;
  return `${network} ${name}`;
}

/** An IPv4 address as it is, of an IPv6 address the network of 64 bits that one subscriber has. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
