/**
 * Accounts for the bytes of requests that the process buffers: one total for all HTTP threads, and a smaller one for
 * senders that have not been authenticated. When one of them is used up, the tenant with the most bytes gives some up
 * for a tenant who has less than an equal share: requests of its that are still arriving are ended. Counts are in
 * shared memory, one block for each thread.
 */
import { fail, type GridError } from '../base/errors.ts';
import { holderKey, SharedUsage, sharedUsageBytes } from '../base/shared-usage.ts';
import { fitsReserve, reserveOf, type Tenant, yieldsTo } from '../base/shares.ts';

export interface BufferLimits {
  /** Bytes of all requests. */
  readonly totalBytes: number;
  /** Bytes of requests whose sender is not known yet; counts only where senders have to be known. */
  readonly unauthenticatedBytes: number;
}

/** Whose bytes an account holds. */
export interface AccountOwner {
  /** The sender is known, or need not be. */
  readonly isAuthenticated: boolean;
  /** Returns whose share the bytes use. Called again once the sender is known. Absent: they use no share. */
  readonly tenant?: () => Tenant;
  /** Frees the bytes, because others need their share. Absent: they cannot be freed. */
  readonly onEvicted?: (failure: GridError) => void;
}

/** Up to this many bytes that have arrived are not accounted for: the number of requests bounds them. */
export const UNACCOUNTED_BYTES = 2 * 1_024;

/** Bytes are counted in units, so that a shared 32-bit counter holds 2 TiB. */
const UNIT_BYTES = 1_024;
/** The total, and the part of unauthenticated senders. */
const POOLS = 2;
/** Of each pool: the holder that threads should free bytes of, plus 1, and the number of units. */
const REQUEST_SLOTS = 2;
const REQUESTS_BYTES = POOLS * REQUEST_SLOTS * Int32Array.BYTES_PER_ELEMENT;

/** Allocates the memory that `threads` HTTP threads share. */
export function bufferMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(REQUESTS_BYTES + POOLS * poolBytes(threads));
}

function poolBytes(threads: number): number {
  return threads * Int32Array.BYTES_PER_ELEMENT + sharedUsageBytes(threads);
}

/** The units of all threads that count towards one limit. */
class Pool {
  readonly limitUnits: number;
  readonly shares: SharedUsage;
  readonly #used: Int32Array;
  readonly #request: Int32Array;
  readonly #thread: number;

  constructor(limitBytes: number, memory: SharedArrayBuffer, index: number, thread: number) {
    const threads = (memory.byteLength - REQUESTS_BYTES) / POOLS / poolBytes(1);
    const at = REQUESTS_BYTES + index * poolBytes(threads);
    this.limitUnits = Math.floor(limitBytes / UNIT_BYTES);
    this.#thread = thread;
    this.#request = new Int32Array(memory, index * REQUEST_SLOTS * Int32Array.BYTES_PER_ELEMENT, REQUEST_SLOTS);
    this.#used = new Int32Array(memory, at, threads);
    this.shares = new SharedUsage(memory, at + this.#used.byteLength, threads);
    // A thread that is started again inherits nothing from the one that died.
    Atomics.store(this.#used, thread, 0);
    this.shares.ended(thread);
  }

  /** Units that all threads hold now. */
  get used(): number {
    let sum = 0;
    for (let thread = 0; thread < this.#used.length; thread++) sum += Atomics.load(this.#used, thread);
    return sum;
  }

  add(units: number, key: string | undefined): void {
    Atomics.add(this.#used, this.#thread, units);
    if (key !== undefined) this.shares.add(this.#thread, key, units);
  }

  get hasOtherThreads(): boolean {
    return this.#used.length > 1;
  }

  /** Asks the other threads to free units of a holder. */
  requestUnits(holder: string, units: number): void {
    Atomics.store(this.#request, 1, units);
    Atomics.store(this.#request, 0, Number(holder) + 1);
  }

  /** The holder of which units are requested; undefined when none are. */
  get requested(): string | undefined {
    const holder = Atomics.load(this.#request, 0);
    return holder === 0 ? undefined : String(holder - 1);
  }

  /** Notes that requested units have been freed. */
  freed(units: number): void {
    if (Atomics.sub(this.#request, 1, units) <= units) this.endRequest();
  }

  endRequest(): void {
    Atomics.store(this.#request, 0, 0);
  }
}

export class BufferBudget {
  readonly #all: Pool;
  readonly #unauthenticated: Pool;
  /** The accounts of this thread whose bytes can be freed, by holder. */
  readonly #evictable = new Map<string, Set<BufferAccount>>();
  #evicted = 0;

  constructor(limits: BufferLimits, memory: SharedArrayBuffer = bufferMemory(1), thread = 0) {
    this.#all = new Pool(limits.totalBytes, memory, 0, thread);
    this.#unauthenticated = new Pool(Math.min(limits.totalBytes, limits.unauthenticatedBytes), memory, 1, thread);
  }

  /** Opens the account of one request or connection. */
  open(owner: AccountOwner): BufferAccount {
    return new BufferAccount(this, owner);
  }

  /** Bytes that all threads hold now. */
  get usedBytes(): number {
    return this.#all.used * UNIT_BYTES;
  }

  /** The number of requests that this thread ended to free bytes for others. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Whether other threads can hold bytes, too. */
  get hasOtherThreads(): boolean {
    return this.#all.hasOtherThreads;
  }

  /** Whether this thread holds bytes that can be freed for others. */
  get hasEvictable(): boolean {
    return this.#evictable.size > 0;
  }

  /**
   * Adds units to those of an account; they can be negative. Throws BUFFERS_FULL or USER_SHARE, and adds nothing, when
   * a limit would be exceeded and nobody gives way.
   */
  add(account: BufferAccount, units: number): void {
    const pools = account.isAuthenticated ? [this.#all] : [this.#all, this.#unauthenticated];
    for (const pool of pools) pool.add(units, account.shareKey);
    if (units <= 0) return;
    for (const pool of pools) {
      const failure = pool.used <= pool.limitUnits ? undefined : this.#exchange(pool, account, units);
      if (failure === undefined) continue;
      for (const each of pools) each.add(-units, account.shareKey);
      throw failure;
    }
  }

  /** Counts units of a sender that is known now for the total alone, and in another share. */
  markAuthenticated(units: number, keyBefore: string | undefined, key: string | undefined): void {
    this.#unauthenticated.add(-units, keyBefore);
    this.#all.add(-units, keyBefore);
    this.#all.add(units, key);
  }

  /** Notes whether the bytes of an account can be freed for others. */
  setEvictable(account: BufferAccount, key: string, isEvictable: boolean): void {
    const holder = holderKey(key);
    const accounts = this.#evictable.get(holder);
    if (isEvictable) {
      if (accounts === undefined) this.#evictable.set(holder, new Set([account]));
      else accounts.add(account);
    } else if (accounts?.delete(account) === true && accounts.size === 0) this.#evictable.delete(holder);
  }

  /** Frees bytes that other threads have requested. */
  evictRequested(): void {
    for (const pool of [this.#all, this.#unauthenticated]) {
      for (let holder = pool.requested; holder !== undefined; holder = pool.requested) {
        if (pool.used <= pool.limitUnits) {
          pool.endRequest();
          break;
        }
        const freed = this.#evict(pool, holder, 1);
        if (freed === 0) break;
        pool.freed(freed);
      }
    }
  }

  /**
   * Keeps `units` of an account that are beyond the limit: those of a tenant with little in a reserve, those of
   * another one in exchange for bytes of the tenant with the most. Returns the error when they cannot be kept.
   */
  #exchange(pool: Pool, account: BufferAccount, units: number): GridError | undefined {
    const { tenant, shareKey } = account;
    const { limitUnits, shares } = pool;
    const full = fail('BUFFERS_FULL', limitUnits * UNIT_BYTES);
    if (tenant === undefined) return full;
    const before = shareKey === undefined ? account.units : shares.count(shareKey) - units;
    if (fitsReserve(limitUnits, pool.used - 1, before + units)) return undefined;
    const key = holderKey(tenant.key);
    for (let excess = pool.used - limitUnits; excess > 0; excess = pool.used - limitUnits) {
      const most = shares.most(key);
      // The account has its units already; only the excess changes hands.
      if (!yieldsTo(most, { ...tenant, key }, before + units - excess, excess)) {
        return before === 0 || most.count === 0 ? full : beyondShare(pool, before);
      }
      if (this.#evict(pool, most.key, excess) > 0) continue;
      if (!pool.hasOtherThreads) return full;
      pool.requestUnits(most.key, excess);
      return excess <= reserveOf(limitUnits) ? undefined : full;
    }
    return undefined;
  }

  /**
   * Ends a request of a holder that is still arriving: the smallest with enough units, else the largest. Returns the
   * number of its units; 0 when there is none in this thread.
   */
  #evict(pool: Pool, holder: string, neededUnits: number): number {
    let best: BufferAccount | undefined;
    for (const account of this.#evictable.get(holder) ?? []) {
      if (account.isAuthenticated && pool === this.#unauthenticated) continue;
      if (best === undefined || isBetter(account.units, best.units, neededUnits)) best = account;
    }
    if (best === undefined) return 0;
    const { units } = best;
    this.#evicted++;
    best.evict(beyondShare(pool, pool.shares.count(best.tenant?.key ?? '')));
    return units;
  }
}

function isBetter(units: number, thanUnits: number, neededUnits: number): boolean {
  return thanUnits < neededUnits ? units > thanUnits : units >= neededUnits && units < thanUnits;
}

function beyondShare({ limitUnits }: Pool, ownUnits: number): GridError {
  return fail('USER_SHARE', 'buffered bytes', ownUnits * UNIT_BYTES, limitUnits * UNIT_BYTES);
}

/** The bytes that one request or connection holds. */
export class BufferAccount {
  readonly #budget: BufferBudget;
  readonly #owner: AccountOwner;
  #isAuthenticated: boolean;
  #tenant: Tenant | undefined;
  #units = 0;
  #isComplete = false;

  constructor(budget: BufferBudget, owner: AccountOwner) {
    this.#budget = budget;
    this.#owner = owner;
    this.#isAuthenticated = owner.isAuthenticated;
    this.#tenant = owner.tenant?.();
  }

  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  get tenant(): Tenant | undefined {
    return this.#tenant;
  }

  /** The tenant whose share the bytes use; undefined: nobody's. */
  get shareKey(): string | undefined {
    return this.#tenant?.isConnection === true ? undefined : this.#tenant?.key;
  }

  get units(): number {
    return this.#units;
  }

  /** Throws BUFFERS_FULL or USER_SHARE when a request that is announced with so many bytes cannot fit. */
  check(bytes: number): void {
    const units = unitsOf(bytes);
    this.#budget.add(this, units);
    this.#budget.add(this, -units);
  }

  /** Accounts for `bytes` in all from now on. Throws BUFFERS_FULL or USER_SHARE, and keeps the former number. */
  hold(bytes: number): void {
    const units = unitsOf(bytes);
    if (units === this.#units) return;
    this.#budget.add(this, units - this.#units);
    this.#units = units;
    this.#noteEvictable();
  }

  /** The sender is known from now on. */
  markAuthenticated(): void {
    if (this.#isAuthenticated) return;
    const keyBefore = this.shareKey;
    if (keyBefore !== undefined) this.#budget.setEvictable(this, keyBefore, false);
    this.#isAuthenticated = true;
    this.#tenant = this.#owner.tenant?.();
    this.#budget.markAuthenticated(this.#units, keyBefore, this.shareKey);
    this.#noteEvictable();
  }

  /** The request has arrived: its bytes are no longer freed for others. */
  complete(): void {
    this.#isComplete = true;
    this.#noteEvictable();
  }

  /** Has the owner free the bytes, because others need their share. */
  evict(failure: GridError): void {
    this.#owner.onEvicted?.(failure);
    this.release();
  }

  release(): void {
    this.hold(0);
  }

  #noteEvictable(): void {
    const { shareKey } = this;
    if (shareKey === undefined || this.#owner.onEvicted === undefined) return;
    this.#budget.setEvictable(this, shareKey, this.#units > 0 && !this.#isComplete);
  }
}

function unitsOf(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES);
}
