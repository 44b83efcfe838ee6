/**
 * Sessions: a token for whoever logged in, valid for a time after its last use (docs/spec/contract.md 5).
 *
 * A session is a record under the hash of its token, so every thread and every service in front of a cluster knows it.
 * It names the user's id and password stamp and counts only while the account still has both: removing a user or
 * changing a password therefore ends sessions without touching them, and a late renewal cannot bring one back.
 */
import crypto from 'node:crypto';
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
  /** The password, sealed; only where the cluster itself keeps the users. */
  readonly encrypted?: string;
}

export interface SessionOptions {
  readonly records: Records;
  /** The account of a user as it is now. Default: the one among the records. */
  readonly findAccount?: ((user: string) => MaybePromise<Account | undefined>) | undefined;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  /** A session lives so long after its last use; up to a tenth longer, because renewals are written that seldom. */
  readonly timeoutMs: number;
  /** Sessions at once, over all users. */
  readonly maxSessions: number;
  /** Who may use the last sessions that are left; absent: nobody. */
  readonly isAdministrator?: (user: string) => boolean;
  /**
   * How long a thread trusts what it read. Unlimited where every change of a user passes this process; short where
   * other services change users of the same cluster.
   */
  readonly trustMs: number;
  readonly onRenewalFailed: (error: unknown) => void;
}

const TOKEN = /^[0-9a-f]{32}$/i;
const REMEMBERED = 10_000;
const RECOUNT_MS = 1_000;
/** Reading all sessions to see whose they are takes a while. */
const LOOK_MS = 2_000;

/** Whether a text has the form of a token, in any letter case. */
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

interface Remembered {
  readonly session: Session;
  readonly stamp: string;
  readonly epoch: number;
  readonly trustedUntilMs: number;
  expiresAtMs: number;
  renewAtMs: number;
}

export class Sessions {
  readonly #options: SessionOptions;
  /** By token; the oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #slackMs: number;
  #estimate = 0;
  /** Sessions of each user at the last look, and those that were started here since. */
  #ofUser = new Map<string, number>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#slackMs = options.timeoutMs / 10;
  }

  /** The live session of a token in any letter case, whose life begins anew; undefined when there is none. */
  find(token: string): MaybePromise<Session | undefined> {
    const known = token.toUpperCase();
    const nowMs = this.#options.clock.nowMs();
    const remembered = this.#remembered.get(known);
    if (remembered !== undefined) {
      const current = remembered.epoch === this.#options.epoch.current();
      if (current && nowMs < remembered.expiresAtMs && nowMs < remembered.trustedUntilMs) {
        if (nowMs >= remembered.renewAtMs) this.#renew(remembered, nowMs);
        return remembered.session;
      }
      this.#remembered.delete(known);
    }
    return this.#read(known, nowMs);
  }

  /** Starts a session; resolves when every thread knows it. Throws SESSION_LIMIT, USER_SHARE. */
  async open(account: Account): Promise<Session> {
    const { clock, maxSessions } = this.#options;
    if (this.#estimate >= sharedPart(maxSessions)) await this.#checkShare(account.name);
    const session = sessionOf(randomBytes(16).toHex().toUpperCase(), account);
    await this.#write(session, account.stamp, clock.nowMs());
    this.#estimate++;
    this.#ofUser.set(account.name, (this.#ofUser.get(account.name) ?? 0) + 1);
    return session;
  }

  /** Carries the session of `token` over to the account's new password stamp; its other sessions have ended. */
  async keep(token: string, account: Account): Promise<void> {
    const session = sessionOf(token.toUpperCase(), account);
    await this.#write(session, account.stamp, this.#options.clock.nowMs());
  }

  /** How many there are; counted at most once a second. */
  async count(): Promise<number> {
    const { clock, records } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedAtMs >= RECOUNT_MS) {
      this.#countedAtMs = nowMs;
      this.#estimate = (await records.list('session')).length;
    }
    return this.#estimate;
  }

  /** Few sessions are left: it matters who has how many. */
  async #checkShare(user: string): Promise<void> {
    const { clock, records, maxSessions, isAdministrator } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedAtMs >= LOOK_MS) {
      this.#lookedAtMs = nowMs;
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
    // Read before the records: an account that changes in between leaves this number behind.
    const readUnder = epoch.current();
    return chain(records.get('session', hashOf(token)), (content) => {
      if (content === undefined) return undefined;
      // Written by this class alone.
      const record = JSON.parse(content) as SessionRecord;
      if (record.expiresAtMs <= nowMs) return undefined;
      return chain(this.#accountOf(record.user), (account) => {
        if (account?.id !== record.userId || account.stamp !== record.stamp) return undefined;
        const { encrypted } = record;
        return this.#remember(
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

  #remember(session: Session, record: SessionRecord, epoch: number, nowMs: number): Session {
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size < REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
    const remembered: Remembered = {
      session,
      stamp: record.stamp,
      epoch,
      trustedUntilMs: nowMs + this.#options.trustMs,
      expiresAtMs: record.expiresAtMs,
      renewAtMs: record.expiresAtMs - this.#options.timeoutMs,
    };
    this.#remembered.set(session.token, remembered);
    if (nowMs >= remembered.renewAtMs) this.#renew(remembered, nowMs);
    return session;
  }

  /** Not awaited: a request does not wait for the disk only because its session was used. */
  #renew(remembered: Remembered, nowMs: number): void {
    remembered.expiresAtMs = nowMs + this.#options.timeoutMs + this.#slackMs;
    remembered.renewAtMs = nowMs + this.#slackMs;
    this.#write(remembered.session, remembered.stamp, nowMs).catch(this.#options.onRenewalFailed);
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

/** The token itself is stored nowhere: whoever reads the data file cannot use the sessions in it. */
function hashOf(token: string): string {
  return crypto.hash('sha256', token, 'hex');
}
