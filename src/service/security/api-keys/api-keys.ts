/**
 * Authenticates by API key. Each thread caches the keys that it has verified and hashes the secret of every request
 * with SHA-256, which is fast. A key that is not in the cache is read from the store. A wrong one is answered when
 * {@link KeyAttempts} allows it.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';
import { AddressSet } from '../../../base/networks.ts';
import { parseRate } from '../../../base/rates.ts';
import type { Caller } from '../../../commands/context.ts';
import type { Records } from '../../../grid/grid.ts';
import type { FindAccount } from '../accounts.ts';
import type { KeyAttempts } from '../key-attempts.ts';
import type { SecurityEpoch } from '../security-epoch.ts';
import {
  type ApiKeyDefinition,
  type ApiKeySecrets,
  hashOfApiKey,
  idOfApiKey,
  putApiKeyUse,
  readApiKey,
} from './api-key-records.ts';

export interface ApiKeyOptions {
  readonly records: Records;
  readonly findAccount: FindAccount;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly keyAttempts: KeyAttempts;
  /** Time in ms for which a thread trusts its cache; see {@link SessionOptions.trustMs}. */
  readonly trustMs: number;
  readonly onUseNotStored: (error: unknown) => void;
}

/** Maximum number of keys in a thread's cache; the least recently used one is evicted first. */
const MAX_CACHED = 10_000;
/** A thread stores a key's last use at most once in this time. */
const USE_MS = 60_000;

interface Secret {
  readonly hash: Buffer;
  readonly untilMs: number;
}

interface CachedKey {
  readonly caller: Caller;
  readonly secrets: readonly Secret[];
  readonly addresses: AddressSet | undefined;
  readonly expiresAtMs: number | undefined;
  readonly epoch: number;
  readonly trustedUntilMs: number;
  /** The address checked last: most keys are used from a single one. */
  allowedAddress: string | undefined;
  useStoredMs: number;
}

/** Compared with the secret of an id that no key has, so that both take equally long. */
const NO_SECRETS: ApiKeySecrets = { hash: '0'.repeat(64) };

export class ApiKeys {
  readonly #options: ApiKeyOptions;
  /** By id. */
  readonly #cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED });

  constructor(options: ApiKeyOptions) {
    this.#options = options;
  }

  /**
   * Returns the sender of a key, a string that satisfies {@link isApiKey}. `addressOf` returns the client's address.
   * Throws API_KEY_UNKNOWN, TOO_MANY_ATTEMPTS, and PERMISSION_DENIED for an address that is not in the scope.
   */
  find(text: string, addressOf: () => string): MaybePromise<Caller> {
    const id = idOfApiKey(text);
    const hash = hashOfApiKey(text);
    const nowMs = this.#options.clock.nowMs();
    const cached = this.#cache.get(id);
    if (cached !== undefined && matches(cached.secrets, hash, nowMs) && this.#isCurrent(cached, nowMs)) {
      return this.#use(id, cached, addressOf, nowMs);
    }
    return chain(this.#read(id, hash), (key) =>
      key === undefined ? this.#reject(id, addressOf()) : this.#use(id, key, addressOf, nowMs),
    );
  }

  /** Returns the sender of a key if this thread's cache has it. */
  cached(text: string): Caller | undefined {
    const cached = this.#cache.peek(idOfApiKey(text));
    if (cached === undefined) return undefined;
    const nowMs = this.#options.clock.nowMs();
    return this.#isCurrent(cached, nowMs) && matches(cached.secrets, hashOfApiKey(text), nowMs)
      ? cached.caller
      : undefined;
  }

  #isCurrent({ epoch, expiresAtMs, trustedUntilMs }: CachedKey, nowMs: number): boolean {
    return (
      epoch === this.#options.epoch.current() &&
      nowMs < trustedUntilMs &&
      (expiresAtMs === undefined || nowMs < expiresAtMs)
    );
  }

  #reject(id: string, address: string): MaybePromise<never> {
    return chain(this.#options.keyAttempts.failed(id, address), (): never => {
      throw gridError('API_KEY_UNKNOWN', id);
    });
  }

  /** Reads a key and adds it to the cache. Returns undefined if its secret is different, or its user is gone. */
  #read(id: string, hash: Buffer): MaybePromise<CachedKey | undefined> {
    const { records, findAccount, epoch, clock, trustMs } = this.#options;
    // Read before the records, so that a concurrent change makes this epoch obsolete.
    const epochBefore = epoch.current();
    return chain(readApiKey(records, id), ({ definition, secrets: stored }) => {
      const nowMs = clock.nowMs();
      const secrets = secretsOf(stored ?? NO_SECRETS);
      if (!matches(secrets, hash, nowMs) || definition === undefined || stored === undefined) return undefined;
      return chain(findAccount(definition.user), (account) => {
        if (account?.id !== definition.userId) return undefined;
        const key: CachedKey = {
          caller: callerOf(id, definition, account.roles),
          secrets,
          addresses: definition.addresses === undefined ? undefined : new AddressSet(definition.addresses),
          expiresAtMs: stored.expiresAtMs,
          epoch: epochBefore,
          trustedUntilMs: nowMs + trustMs,
          allowedAddress: undefined,
          // Kept, so that changes of users do not make every key store its use again.
          useStoredMs: this.#cache.peek(id)?.useStoredMs ?? Number.NEGATIVE_INFINITY,
        };
        this.#cache.set(id, key);
        return key;
      });
    });
  }

  #use(id: string, key: CachedKey, addressOf: () => string, nowMs: number): Caller {
    const { caller, addresses } = key;
    if (addresses !== undefined) {
      const address = addressOf();
      if (address !== key.allowedAddress) {
        if (!addresses.has(address)) {
          throw gridError('PERMISSION_DENIED', caller.user, `address ${address}`, id);
        }
        key.allowedAddress = address;
      }
    }
    if (nowMs - key.useStoredMs >= USE_MS) {
      key.useStoredMs = nowMs;
      // Not awaited: using a key must not delay a request until the disk is written.
      putApiKeyUse(this.#options.records, id, nowMs, key.expiresAtMs).catch(this.#options.onUseNotStored);
    }
    return caller;
  }
}

function callerOf(
  id: string,
  { user, userId, scope, rate }: ApiKeyDefinition,
  assigned: readonly string[] | undefined,
): Caller {
  const key = { id, scope, ...(rate !== undefined && { rate: parseRate(rate) }) };
  return Object.freeze({ user, token: null, subjectId: userId, key: Object.freeze(key), assigned });
}

function secretsOf({ hash, former }: ApiKeySecrets): readonly Secret[] {
  const current = { hash: Buffer.from(hash, 'hex'), untilMs: Number.POSITIVE_INFINITY };
  return former === undefined
    ? [current]
    : [current, { hash: Buffer.from(former.hash, 'hex'), untilMs: former.untilMs }];
}

/**
 * Compares in constant time: a comparison that stops at the first difference would reveal how much of a hash matches.
 */
function matches(secrets: readonly Secret[], hash: Buffer, nowMs: number): boolean {
  let found = false;
  for (const secret of secrets) {
    if (crypto.timingSafeEqual(secret.hash, hash) && nowMs < secret.untilMs) found = true;
  }
  return found;
}
