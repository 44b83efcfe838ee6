/**
 * Sessions: each has a token that is valid for a time after its last use (docs/spec/contract.md 3.4).
 *
 * A session is a record under the hash of its token, which every thread and every service of a cluster can read. It
 * contains the user's id and password stamp and is valid only while the account has both. Removing a user or changing a
 * password therefore ends sessions without touching them, and a delayed renewal cannot restore one.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, randomBytes } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { TenantUsage, yieldsTo } from '../../base/shares.ts';
import type { Records } from '../../grid/grid.ts';
import type { Account, FindAccount } from './accounts.ts';
import type { SecurityEpoch } from './security-epoch.ts';

export interface Session {
  /** 32 upper-case hexadecimal characters. */
  readonly token: string;
  readonly user: string;
  /** UUID of the user, the same for all sessions of the user. */
  readonly userId: string;
  /** The encrypted password; only if the cluster stores the users. */
  readonly encrypted?: string;
  /** The roles assigned to the user, or undefined if the configuration decides. */
  readonly assigned?: readonly string[];
}

export interface SessionOptions {
  readonly records: Records;
  readonly findAccount: FindAccount;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  /** Time in ms from the last use to expiry; up to a tenth more, because not every use writes a renewal. */
  readonly timeoutMs: number;
  /** The same for sessions of the console, whose page may be hidden for long and then sends nothing. */
  readonly consoleTimeoutMs: number;
  /** Time in ms from the login to the end, however much the session is used; if undefined, it ends only when unused. */
  readonly lifetimeMs?: number | undefined;
  /** Maximum number of sessions over all users. */
  readonly maxSessions: number;
  /** Reports whether others always give up a session for this user; default: never. */
  readonly isAdministrator?: (user: string, assigned: readonly string[] | undefined) => boolean;
  /**
   * Time in ms for which a thread trusts its cache. Infinite if every change of a user passes through this process;
   * short if other services change users of the same cluster.
   */
  readonly trustMs: number;
  readonly onRenewalFailed: (error: unknown) => void;
  /** Called when a session was ended to make room for a user with fewer sessions. */
  readonly onEvicted: (user: string) => void;
}

const TOKEN = /^[0-9a-f]{32}$/i;
/** Maximum number of sessions in a thread's cache; the least recently used one is evicted first. */
const MAX_CACHED = 10_000;
/** Time for which a count of all sessions is reused, because counting reads them all. */
const RECOUNT_MS = 1_000;
/** Minimum time between counts of sessions by user; each count reads all sessions. */
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
  /** When it ends, however much it is used. */
  readonly endsAtMs?: number;
  /** When it was last written. */
  readonly usedAtMs?: number;
  readonly origin?: SessionOrigin;
  readonly encrypted?: string;
  /** Whether the console began it. */
  readonly isConsole?: true;
}

/** Where and when a session began. Sessions of earlier versions have none. */
interface SessionOrigin {
  readonly startedAtMs: number;
  /** Address of the client that logged in. */
  readonly address?: string;
}

/** A session as others may see it: without its token, which the id does not reveal. */
export interface ListedSession {
  readonly id: string;
  readonly user: string;
  readonly startedAtMs: number | undefined;
  /** Address of the client that logged in. */
  readonly address: string | undefined;
  /** Approximate time of the last use. */
  readonly usedAtMs: number | undefined;
  /** When it ends unless it is used before. */
  readonly expiresAtMs: number;
}

/** The part of a session that its renewals keep. */
type Lasting = Pick<CachedSession, 'endsAtMs' | 'origin' | 'isConsole'>;

interface StoredSession {
  readonly id: string;
  readonly usedAtMs: number;
}

interface CachedSession {
  readonly session: Session;
  readonly stamp: string;
  readonly epoch: number;
  readonly trustedUntilMs: number;
  readonly endsAtMs: number | undefined;
  readonly origin: SessionOrigin | undefined;
  readonly isConsole: boolean;
  expiresAtMs: number;
  renewAtMs: number;
}

export class Sessions {
  readonly #options: SessionOptions;
  /** By token. */
  readonly #cache = new LRUCache<string, CachedSession>({ max: MAX_CACHED });
  #estimate = 0;
  #evicted = 0;
  /** Sessions of each user at the last count, plus those started here since. */
  #usage = new TenantUsage();
  /** Ids of each user's sessions at the last count with their expiry, least recently used last. */
  #byUse = new Map<string, StoredSession[]>();
  #countedByUserAtMs = Number.NEGATIVE_INFINITY;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Returns the session of a token in any letter case and extends it, or undefined if there is none. */
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

  /** Returns the session of a token if this thread's cache has it. Does not extend it. */
  cached(token: string): Session | undefined {
    const cached = this.#cache.peek(token.toUpperCase());
    const isCurrent = cached?.epoch === this.#options.epoch.current();
    return isCurrent && this.#options.clock.nowMs() < cached.expiresAtMs ? cached.session : undefined;
  }

  /**
   * Starts a session for a client at an address, in the console or elsewhere; resolves when every thread can find it.
   * Throws SESSION_LIMIT and USER_SHARE.
   */
  async open(account: Account, address?: string, isConsole = false): Promise<Session> {
    const { records, clock, maxSessions, lifetimeMs } = this.#options;
    if (this.#estimate >= maxSessions) await this.#evictFor(account);
    const session = sessionOf(randomBytes(16).toHex().toUpperCase(), account);
    const nowMs = clock.nowMs();
    const endsAtMs = lifetimeMs === undefined ? undefined : Math.ceil(nowMs + lifetimeMs);
    const origin = { startedAtMs: nowMs, ...(address !== undefined && { address }) };
    const { id, content, expiresAtMs } = this.#recordOf(session, account.stamp, nowMs, {
      ...{ endsAtMs, origin, isConsole },
    });
    await records.put('session', id, content, expiresAtMs);
    this.#estimate++;
    this.#usage.add(account.name);
    return session;
  }

  /** Keeps the session of `token` valid under the account's new password stamp; the other sessions end. */
  async keep(token: string, account: Account): Promise<void> {
    const { records, clock } = this.#options;
    const session = sessionOf(token.toUpperCase(), account);
    const content = await records.get('session', sessionIdOf(session.token));
    const record = content === undefined ? undefined : (JSON.parse(content) as SessionRecord);
    const { endsAtMs, origin, isConsole = false } = record ?? {};
    await this.#replace(session, account.stamp, clock.nowMs(), { endsAtMs, origin, isConsole });
  }

  /** Returns at most `limit` sessions of a user, or of all, most recently used first. */
  async list(user: string | undefined, limit: number): Promise<readonly ListedSession[]> {
    const accounts = new Map<string, Account | undefined>();
    const listed: ListedSession[] = [];
    const { records, findAccount } = this.#options;
    for (const { id, content } of await records.list('session')) {
      const record = JSON.parse(content) as SessionRecord;
      if (user !== undefined && record.user !== user) continue;
      if (!accounts.has(record.user)) accounts.set(record.user, await findAccount(record.user));
      const account = accounts.get(record.user);
      if (account?.id !== record.userId || account.stamp !== record.stamp) continue;
      const { origin, usedAtMs, expiresAtMs } = record;
      const { startedAtMs, address } = origin ?? {};
      listed.push({ id, user: record.user, startedAtMs, address, usedAtMs, expiresAtMs });
    }
    const lastUse = ({ usedAtMs, expiresAtMs }: ListedSession) => usedAtMs ?? expiresAtMs;
    return listed.sort((one, other) => lastUse(other) - lastUse(one)).slice(0, limit);
  }

  /** Returns the user of a session by the session's id, or undefined if there is none. */
  async userOf(id: string): Promise<string | undefined> {
    const content = await this.#options.records.get('session', id);
    return content === undefined ? undefined : (JSON.parse(content) as SessionRecord).user;
  }

  /** Ends sessions by id, on every thread. Returns how many there were. */
  async end(ids: readonly string[]): Promise<number> {
    const { records, epoch } = this.#options;
    let ended = 0;
    for (const id of ids) if ((await records.remove('session', id)) !== undefined) ended++;
    epoch.raise();
    return ended;
  }

  /** The number of sessions that this thread ended to make room for others. */
  get evicted(): number {
    return this.#evicted;
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

  /**
   * Ends the least recently used session of the user with the most, if that user gives way. Otherwise throws
   * SESSION_LIMIT and USER_SHARE.
   */
  async #evictFor({ name: user, roles }: Account): Promise<void> {
    const { maxSessions, isAdministrator, clock } = this.#options;
    if (clock.monotonicMs() - this.#countedByUserAtMs >= COUNT_BY_USER_MS) await this.#countByUser();
    if (this.#estimate < maxSessions) return;
    const most = this.#usage.most();
    const own = this.#usage.of(user);
    const tenant = { key: user, isAdministrator: isAdministrator?.(user, roles) ?? false };
    if (most !== undefined && yieldsTo(most, tenant, own) && (await this.#evict(most.key))) return;
    throw own === this.#estimate
      ? gridError('SESSION_LIMIT', maxSessions)
      : gridError('USER_SHARE', 'sessions', own, maxSessions);
  }

  async #countByUser(): Promise<void> {
    const { clock, records } = this.#options;
    this.#countedByUserAtMs = clock.monotonicMs();
    const sessions = await records.list('session');
    this.#usage = new TenantUsage();
    this.#byUse = new Map();
    for (const { id, content } of sessions) {
      const record = JSON.parse(content) as SessionRecord;
      const { user } = record;
      const usedAtMs = lastUseOf(record);
      this.#usage.add(user);
      const stored = this.#byUse.get(user);
      if (stored === undefined) this.#byUse.set(user, [{ id, usedAtMs }]);
      else stored.push({ id, usedAtMs });
    }
    for (const stored of this.#byUse.values()) stored.sort((one, other) => other.usedAtMs - one.usedAtMs);
    this.#estimate = sessions.length;
  }

  /** Ends a user's least recently used session. Returns false if none is known. */
  async #evict(user: string): Promise<boolean> {
    const { records, epoch, onEvicted } = this.#options;
    const stored = this.#byUse.get(user) ?? [];
    for (let oldest = stored.pop(); oldest !== undefined; oldest = stored.pop()) {
      const content = await records.get('session', oldest.id);
      const isGone = content === undefined;
      // A session that has been used since the count is no longer the least recently used one.
      if (!isGone && lastUseOf(JSON.parse(content) as SessionRecord) > oldest.usedAtMs) continue;
      this.#usage.remove(user);
      this.#estimate--;
      if (isGone) continue;
      await records.remove('session', oldest.id);
      epoch.raise();
      this.#evicted++;
      onEvicted(user);
      return true;
    }
    return false;
  }

  #read(token: string, nowMs: number): MaybePromise<Session | undefined> {
    const { records, findAccount, epoch } = this.#options;
    // Read before the records, so that a concurrent change of the account makes this epoch obsolete.
    const epochBefore = epoch.current();
    return chain(records.get('session', sessionIdOf(token)), (content) => {
      if (content === undefined) return undefined;
      // Only this class writes these records.
      const record = JSON.parse(content) as SessionRecord;
      if (record.expiresAtMs <= nowMs) return undefined;
      return chain(findAccount(record.user), (account) => {
        if (account?.id !== record.userId || account.stamp !== record.stamp) return undefined;
        const { encrypted } = record;
        return this.#addToCache(
          sessionOf(token, { ...account, ...(encrypted && { encrypted }) }),
          record,
          epochBefore,
          nowMs,
        );
      });
    });
  }

  #addToCache(session: Session, record: SessionRecord, epoch: number, nowMs: number): Session {
    const { lifetimeMs } = this.#options;
    const isConsole = record.isConsole === true;
    // A session that began when there was no lifetime gets one now.
    const endsAtMs = record.endsAtMs ?? (lifetimeMs === undefined ? undefined : nowMs + lifetimeMs);
    const cached: CachedSession = {
      session,
      stamp: record.stamp,
      epoch,
      trustedUntilMs: nowMs + this.#options.trustMs,
      endsAtMs,
      origin: record.origin,
      isConsole,
      expiresAtMs: record.expiresAtMs,
      // A session that ends before its idle time need not be renewed.
      renewAtMs:
        record.expiresAtMs === endsAtMs ? Number.POSITIVE_INFINITY : record.expiresAtMs - this.#timeoutOf(isConsole),
    };
    this.#cache.set(session.token, cached);
    if (nowMs >= cached.renewAtMs) this.#renew(cached, nowMs);
    return session;
  }

  /** Extends a session without waiting: using a session must not delay a request until the disk is written. */
  #renew(cached: CachedSession, nowMs: number): void {
    const { session, stamp, endsAtMs, isConsole } = cached;
    cached.expiresAtMs = this.#expiryOf(nowMs, cached);
    cached.renewAtMs =
      cached.expiresAtMs === endsAtMs ? Number.POSITIVE_INFINITY : nowMs + this.#timeoutOf(isConsole) / 10;
    this.#replace(session, stamp, nowMs, cached).catch(this.#options.onRenewalFailed);
  }

  /** Stores a session again unless it has ended, possibly on another thread or service. */
  async #replace(session: Session, stamp: string, nowMs: number, lasting: Lasting): Promise<void> {
    const { id, content, expiresAtMs } = this.#recordOf(session, stamp, nowMs, lasting);
    await this.#options.records.replace('session', id, content, expiresAtMs);
  }

  #timeoutOf(isConsole: boolean): number {
    return isConsole ? this.#options.consoleTimeoutMs : this.#options.timeoutMs;
  }

  #expiryOf(nowMs: number, { endsAtMs, isConsole }: Lasting): number {
    const idleMs = Math.ceil(nowMs + this.#timeoutOf(isConsole) * 1.1);
    return endsAtMs === undefined ? idleMs : Math.min(idleMs, endsAtMs);
  }

  #recordOf(session: Session, stamp: string, nowMs: number, lasting: Lasting) {
    const { endsAtMs, origin, isConsole } = lasting;
    const expiresAtMs = this.#expiryOf(nowMs, lasting);
    const { user, userId, encrypted } = session;
    const record: SessionRecord = {
      user,
      userId,
      stamp,
      expiresAtMs,
      usedAtMs: nowMs,
      ...(endsAtMs !== undefined && { endsAtMs }),
      ...(origin !== undefined && { origin }),
      ...(encrypted && { encrypted }),
      ...(isConsole && { isConsole }),
    };
    return { id: sessionIdOf(session.token), content: JSON.stringify(record), expiresAtMs };
  }
}

/** Returns the approximate time of the last use; sessions of earlier versions only store their expiry. */
function lastUseOf({ usedAtMs, expiresAtMs }: SessionRecord): number {
  return usedAtMs ?? expiresAtMs;
}

function sessionOf(token: string, { name, id, encrypted, roles }: Account): Session {
  return { token, user: name, userId: id, ...(encrypted && { encrypted }), ...(roles && { assigned: roles }) };
}

/**
 * Returns a session's id, the key of its record. Tokens are not stored, so the data file contains no usable session.
 */
export function sessionIdOf(token: string): string {
  return Bun.CryptoHasher.hash('sha256', token, 'hex');
}
