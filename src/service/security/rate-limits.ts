/** Rate limits: requests of an address, a user and an API key per period, counted across all threads. */
import { gridError } from '../../base/errors.ts';
import { networkOf } from '../../base/networks.ts';
import type { Rate } from '../../base/rates.ts';
import type { RateState, SharedRates } from '../../base/shared-rates.ts';
import type { Caller } from '../../commands/context.ts';
import type { RateUsage, RawRequest } from '../request.ts';

/** The configured rates, or undefined for unlimited. */
export interface RateSettings {
  readonly address: Rate | undefined;
  readonly user: Rate | undefined;
  /** The rate of keys without their own. */
  readonly apiKey: Rate | undefined;
}

export interface RateLimitOptions extends RateSettings {
  readonly rates: SharedRates;
  /** Reports whether a user is exempt, because an administrator must be able to act while others flood the service. */
  readonly isAdministrator: (user: string, assigned: readonly string[] | undefined) => boolean;
}

/** The limits that a request is counted against. */
type Subject = 'address' | 'user' | 'key';

interface Count {
  readonly subject: Subject;
  readonly rate: Rate;
  readonly state: RateState;
}

export class RateLimits {
  readonly #options: RateLimitOptions;
  #rejected = 0;

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** The number of requests that this thread rejected. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Counts a request against its address's rate; {@link RateUsage.check} throws if it exceeds it. */
  begin(request: RawRequest): RateUsage {
    const usage = new CountedUsage(this, this.#options);
    const { address: rate } = this.#options;
    if (rate !== undefined) usage.count('address', networkOf(request.peerAddress()), rate);
    return usage;
  }

  reject(): void {
    this.#rejected++;
  }
}

class CountedUsage implements RateUsage {
  readonly #limits: RateLimits;
  readonly #options: RateLimitOptions;
  readonly #counts: Count[] = [];

  constructor(limits: RateLimits, options: RateLimitOptions) {
    this.#limits = limits;
    this.#options = options;
  }

  count(subject: Subject, name: string, rate: Rate): void {
    this.#counts.push({ subject, rate, state: this.#options.rates.take(`${subject} ${name}`, rate) });
  }

  check(): void {
    const exceeded = this.#counts.find(({ state }) => !state.admitted);
    if (exceeded === undefined) return;
    this.#limits.reject();
    const { requests, windowMs } = exceeded.rate;
    throw gridError('RATE_LIMITED', exceeded.subject, requests, windowMs / 1000, secondsOf(exceeded.state.retryMs));
  }

  add({ user, key, assigned }: Caller): void {
    const { user: userRate, apiKey, isAdministrator } = this.#options;
    const keyRate = key?.rate ?? apiKey;
    if (key !== undefined && keyRate !== undefined) {
      this.count('key', key.id, keyRate);
      this.check();
    }
    if (userRate !== undefined && user !== '' && (key !== undefined || !isAdministrator(user, assigned))) {
      this.count('user', user, userRate);
      this.check();
    }
  }

  headers(): Readonly<Record<string, string>> | undefined {
    if (this.#counts.length === 0) return undefined;
    const policies = this.#counts.map(
      ({ subject, rate }) => `"${subject}";q=${rate.requests};w=${rate.windowMs / 1000}`,
    );
    const limits = this.#counts.map(
      ({ subject, state }) => `"${subject}";r=${state.remaining};t=${secondsOf(state.resetMs)}`,
    );
    const retryMs = Math.max(...this.#counts.map(({ state }) => state.retryMs));
    return {
      'RateLimit-Policy': policies.join(', '),
      RateLimit: limits.join(', '),
      ...(retryMs > 0 && { 'Retry-After': String(secondsOf(retryMs)) }),
    };
  }
}

/** Returns whole seconds, rounded up, so that a client that waits that long is admitted. */
function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000);
}
