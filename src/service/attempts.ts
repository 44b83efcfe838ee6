/**
 * Slows down guessing of passwords. After ten failures in a minute a user's further attempts are refused until the
 * oldest failure is forgotten; those of an address, which many may share, take turns of a second each.
 */
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';

export interface AttemptOptions {
  readonly clock: Clock;
  /** Failures in the window after which attempts are slowed down. */
  readonly failures: number;
  readonly windowMs: number;
  /** Users and addresses remembered at once. */
  readonly maxRemembered: number;
}

export const ATTEMPT_DEFAULTS = { failures: 10, windowMs: 60_000, maxRemembered: 20_000 } as const;

/** Time between two attempts of an address that has failed too often. */
const TURN_MS = 1_000;
/** An attempt that would wait longer for its turn is refused. */
const LONGEST_WAIT_MS = 20_000;
/** How far an address may get beyond its failures by attempts that were all begun before the first had failed. */
const OVERSHOOT = 2;

/** Times of the failures of one user or address in ms, oldest first; never more than are needed to refuse. */
type Failures = number[];

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #failures = new Map<string, Failures>();
  /** When the next turn of an address is; only of addresses that take turns. */
  readonly #turns = new Map<string, number>();

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** The time in ms that an attempt has to wait before it is checked. Refuses TOO_MANY_ATTEMPTS. */
  begin(user: string, address: string): number {
    const nowMs = this.#options.clock.monotonicMs();
    this.#checkUser(user, nowMs);
    const network = networkOf(address);
    if (this.#recent(addressName(network), nowMs).length < this.#options.failures) {
      this.#turns.delete(network);
      return 0;
    }
    const turnMs = Math.max(nowMs + TURN_MS, this.#turns.get(network) ?? 0);
    if (turnMs - nowMs > LONGEST_WAIT_MS) throw fail('TOO_MANY_ATTEMPTS', Math.ceil((turnMs - nowMs) / 1000));
    this.#turns.set(network, turnMs + TURN_MS);
    return turnMs - nowMs;
  }

  /** Asked again just before the password is checked, since others may have failed meanwhile. */
  check(user: string, address: string, hasWaited: boolean): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#checkUser(user, nowMs);
    if (hasWaited) return;
    const times = this.#recent(addressName(networkOf(address)), nowMs);
    if (times.length >= this.#options.failures * OVERSHOOT) throw this.#refusal(times, nowMs);
  }

  /** Counts a failure. */
  failed(user: string, address: string): void {
    const { clock, failures, maxRemembered } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const name of [userName(user), addressName(networkOf(address))]) {
      const times = this.#recent(name, nowMs);
      times.push(nowMs);
      if (times.length > failures * OVERSHOOT) times.shift();
      // Last in the order of the map: what has not failed for longest is forgotten first.
      this.#failures.delete(name);
      if (this.#failures.size >= maxRemembered) this.#forgetOne();
      this.#failures.set(name, times);
    }
  }

  #checkUser(user: string, nowMs: number): void {
    const times = this.#recent(userName(user), nowMs);
    if (times.length >= this.#options.failures) throw this.#refusal(times, nowMs);
  }

  #refusal(times: Failures, nowMs: number): Error {
    const oldestMs = times[0] ?? nowMs;
    return fail('TOO_MANY_ATTEMPTS', Math.max(1, Math.ceil((oldestMs + this.#options.windowMs - nowMs) / 1000)));
  }

  #recent(name: string, nowMs: number): Failures {
    const times = this.#failures.get(name);
    if (times === undefined) return [];
    const { windowMs } = this.#options;
    while (times[0] !== undefined && times[0] <= nowMs - windowMs) times.shift();
    return times;
  }

  /** Among the oldest, the one with the fewest failures, so that a flood of names wipes out no guesser's count. */
  #forgetOne(): void {
    let fewest: string | undefined;
    let count = Number.POSITIVE_INFINITY;
    let looked = 0;
    for (const [name, times] of this.#failures) {
      if (times.length < count) [fewest, count] = [name, times.length];
      if (++looked === 16) break;
    }
    if (fewest === undefined) return;
    this.#failures.delete(fewest);
    if (fewest.startsWith(ADDRESS)) this.#turns.delete(fewest.slice(ADDRESS.length));
  }
}

const ADDRESS = 'address ';

function addressName(network: string): string {
  return `${ADDRESS}${network}`;
}

function userName(user: string): string {
  return `user ${user}`;
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
