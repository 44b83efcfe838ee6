/** Slows down guessing of passwords: after so many failures in a minute a user or an address has to wait. */
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';

export interface AttemptOptions {
  readonly clock: Clock;
  /** Failures after which the next attempt waits. */
  readonly failures: number;
  readonly windowMs: number;
  /** Users and addresses remembered at once. */
  readonly maxRemembered: number;
}

export const ATTEMPT_DEFAULTS = { failures: 10, windowMs: 60_000, maxRemembered: 20_000 } as const;

/** Times of the failures of one user or address in ms, oldest first; never more than are needed to refuse. */
type Failures = number[];

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #failures = new Map<string, Failures>();

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /** Refuses TOO_MANY_ATTEMPTS, with the seconds until the oldest failure is forgotten. */
  check(user: string, address: string): void {
    const { clock, failures, windowMs } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const name of namesOf(user, address)) {
      const times = this.#failures.get(name);
      if (times === undefined) continue;
      forgetOld(times, nowMs - windowMs);
      const oldestMs = times[0];
      if (times.length >= failures && oldestMs !== undefined) {
        throw fail('TOO_MANY_ATTEMPTS', Math.ceil((oldestMs + windowMs - nowMs) / 1000));
      }
    }
  }

  /** Counts a failure. */
  failed(user: string, address: string): void {
    const { clock, failures, windowMs, maxRemembered } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const name of namesOf(user, address)) {
      const times = this.#failures.get(name) ?? [];
      forgetOld(times, nowMs - windowMs);
      times.push(nowMs);
      if (times.length > failures) times.shift();
      // Last in the order of the map: what has not failed for longest is forgotten first.
      this.#failures.delete(name);
      if (this.#failures.size >= maxRemembered) this.#forgetOne();
      this.#failures.set(name, times);
    }
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
    if (fewest !== undefined) this.#failures.delete(fewest);
  }
}

function namesOf(user: string, address: string): readonly [string, string] {
  return [`u ${user}`, `a ${networkOf(address)}`];
}

function forgetOld(times: Failures, untilMs: number): void {
  while (times[0] !== undefined && times[0] <= untilMs) times.shift();
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
