/**
 * Sessions: each has a token that is valid for a time after its last use (docs/spec/contract.md 3.4).
 *
 * A session is a record under the hash of its token, which every thread and every service of a cluster can read. It
 * contains the user's id and password stamp and is valid only while the account has both. Removing a user or changing a
 * password therefore ends sessions without touching them, and a delayed renewal cannot restore one.
 */
import crypto from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, randomBytes } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { exceededLimit, sharedPart } from '../../base/shares.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, findAccount } from './accounts.ts';
import type { SecurityEpoch } from './security-epoch.ts';

export interface Session {
  /** 32 upper-case hexadecimal characters. */
  readonly token: string;
  readonly user: string;
  /** UUID of the user, the same for all sessions of the user. */
  readonly userId: string;
  /** The encrypted password; only if the cluster stores the users. */
  readonly encrypted?: string;
}

export interface SessionOptions {
  readonly records: Records;
  /** Returns the current account of a user. Default: the one in the records. */
  readonly findAccount?: ((user: string) => MaybePromise<Account | undefined>) | undefined;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  /** Time in ms from the last use to expiry; up to a tenth more, because not every use writes a renewal. */
  readonly timeoutMs: number;
  /** Maximum number of sessions of all users. */
  readonly maxSessions: number;
  /** Reports whether a user may use the sessions that are reserved for administrators; default: nobody. */
  readonly isAdministrator?: (user: string) => boolean;
  /**
   * Time in ms for which a thread trusts its cache. Infinite if every change of a user passes through this process;
   * short if other services change users of the same cluster.
   */
  readonly trustMs: number;
  readonly onRenewalFailed: (error: unknown) => void;
}

const TOKEN = /^[0-9a-f]{32}$/i;
/** Sessions in the cache of a thread; the least recently used one goes first. */
const MAX_CACHED = 10_000;
const RECOUNT_MS = 1_000;
/** Minimum time between two counts of sessions by user, each of which reads all sessions. */
const COUNT_BY_USER_MS = 2_000;

/** Reports whether a string has the form of a token, in any letter case. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

interface SessionRecord {
  readonly user: string;
  readonly userId: string;
  readonly stamp: string;
  readonly expiresAtMs: number;
  readonly encrypted?: string;
}

interface CachedSession {
  readonly session: Session;
  readonly stamp: string;
  readonly epoch: number;
  readonly trustedUntilMs: number;
  expiresAtMs: number;
  renewAtMs: number;
}

export class Sessions {
  readonly #options: SessionOptions;
  /** By token. */
  readonly #cache = new LRUCache<string, CachedSession>({ max: MAX_CACHED });
  readonly #slackMs: number;
  #estimate = 0;
  /** Sessions of each user at the last count, plus those started here since. */
  #ofUser = new Map<string, number>();
  #countedByUserAtMs = Number.NEGATIVE_INFINITY;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#slackMs = options.timeoutMs / 10;
  }

  /** Returns the session of a token in any letter case and extends it; undefined if there is none. */
  find(token: string): MaybePromise<Session | undefined> {
    const known = token.toUpperCase();
    const nowMs = this.#options.clock.nowMs();
    const cached = this.#cache.get(known);
    if (cached !== undefined) {
      const current = cached.epoch === this.#options.epoch.current();
      if (current && nowMs < cached.expiresAtMs && nowMs < cached.trustedUntilMs) {
        if (nowMs >= cached.renewAtMs) this.#renew(cached, nowMs);
        return cached.session;
      }
      this.#cache.delete(known);
    }
    return this.#read(known, nowMs);
  }

  /** Starts a session; resolves when every thread can find it. Throws SESSION_LIMIT and USER_SHARE. */
  async open(account: Account): Promise<Session> {
    const { clock, maxSessions } = this.#options;
    if (this.#estimate >= sharedPart(maxSessions)) await this.#checkShare(account.name);
    const session = sessionOf(randomBytes(16).toHex().toUpperCase(), account);
    await this.#write(session, account.stamp, clock.nowMs());
    this.#estimate++;
    this.#ofUser.set(account.name, (this.#ofUser.get(account.name) ?? 0) + 1);
    return session;
  }

  /** Keeps the session of `token` valid under the account's new password stamp; the other sessions end. */
  async keep(token: string, account: Account): Promise<void> {
    const session = sessionOf(token.toUpperCase(), account);
    await this.#write(session, account.stamp, this.#options.clock.nowMs());
  }

  /** Returns the number of sessions; counts at most once a second. */
  async count(): Promise<number> {
    const { clock, records } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedAtMs >= RECOUNT_MS) {
      this.#countedAtMs = nowMs;
      this.#estimate = (await records.list('session')).length;
    }
    return this.#estimate;
  }

  /** Throws if few sessions are left and the user has too many of them. */
  async #checkShare(user: string): Promise<void> {
    const { clock, records, maxSessions, isAdministrator } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedByUserAtMs >= COUNT_BY_USER_MS) {
      this.#countedByUserAtMs = nowMs;
      const sessions = await records.list('session');
      this.#ofUser = new Map();
      for (const { content } of sessions) {
        const name = (JSON.parse(content) as SessionRecord).user;
        this.#ofUser.set(name, (this.#ofUser.get(name) ?? 0) + 1);
      }
      this.#estimate = sessions.length;
    }
    const used = this.#estimate;
    const own = this.#ofUser.get(user) ?? 0;
    const claimant = { key: user, isAdministrator: isAdministrator?.(user) ?? false };
    const exceeded = exceededLimit(claimant, { limit: maxSessions, used, own });
    if (exceeded === undefined) return;
    throw exceeded === 'limit' ? fail('SESSION_LIMIT', maxSessions) : fail('USER_SHARE', 'sessions', own, maxSessions);
  }

  #read(token: string, nowMs: number): MaybePromise<Session | undefined> {
    const { records, epoch } = this.#options;
    // Read before the records, so that a concurrent change of the account makes this epoch obsolete.
    const readUnder = epoch.current();
    return chain(records.get('session', hashOf(token)), (content) => {
      if (content === undefined) return undefined;
      // Only this class writes these records.
      const record = JSON.parse(content) as SessionRecord;
      if (record.expiresAtMs <= nowMs) return undefined;
      return chain(this.#accountOf(record.user), (account) => {
        if (account?.id !== record.userId || account.stamp !== record.stamp) return undefined;
        const { encrypted } = record;
        return this.#addToCache(
          sessionOf(token, { ...account, ...(encrypted && { encrypted }) }),
          record,
          readUnder,
          nowMs,
        );
      });
    });
  }

  #accountOf(user: string): MaybePromise<Account | undefined> {
    const { records, findAccount: find } = this.#options;
    return find === undefined ? findAccount(records, user) : find(user);
  }

  #addToCache(session: Session, record: SessionRecord, epoch: number, nowMs: number): Session {
    const cached: CachedSession = {
      session,
      stamp: record.stamp,
      epoch,
      trustedUntilMs: nowMs + this.#options.trustMs,
      expiresAtMs: record.expiresAtMs,
      renewAtMs: record.expiresAtMs - this.#options.timeoutMs,
    };
    this.#cache.set(session.token, cached);
    if (nowMs >= cached.renewAtMs) this.#renew(cached, nowMs);
    return session;
  }

  /** Extends a session without waiting: using a session must not delay a request until the disk is written. */
  #renew(cached: CachedSession, nowMs: number): void {
    cached.expiresAtMs = nowMs + this.#options.timeoutMs + this.#slackMs;
    cached.renewAtMs = nowMs + this.#slackMs;
    this.#write(cached.session, cached.stamp, nowMs).catch(this.#options.onRenewalFailed);
  }

  #write(session: Session, stamp: string, nowMs: number): Promise<void> {
    const expiresAtMs = Math.ceil(nowMs + this.#options.timeoutMs + this.#slackMs);
    const { user, userId, encrypted } = session;
    const record: SessionRecord = { user, userId, stamp, expiresAtMs, ...(encrypted && { encrypted }) };
    return this.#options.records.put('session', hashOf(session.token), JSON.stringify(record), expiresAtMs);
  }
}

function sessionOf(token: string, { name, id, encrypted }: Account): Session {
  return { token, user: name, userId: id, ...(encrypted && { encrypted }) };
}

/** Returns the key of a session record. Tokens are not stored, so the data file contains no usable session. */
function hashOf(token: string): string {
  return crypto.hash('sha256', token, 'hex');
}
