/**
 * Accounts for the bytes of requests that the process buffers: a total for all HTTP threads, and a smaller one for
 * unauthenticated senders. Tenants share them by a dynamic threshold (Choudhury and Hahne, 1998): with several
 * requests, each may hold as much as is free. A single one gets half, and others always find some. Counts are in shared
 * memory, one block per thread.
 */
import { type GridError, gridError } from '../base/errors.ts';
import { SharedUsage, sharedUsageBytes } from '../base/shared-usage.ts';
import { fitsReserve, type Tenant } from '../base/shares.ts';

export interface BufferLimits {
  /** Bytes of all requests. */
  readonly totalBytes: number;
  /** Bytes of requests whose sender is not known yet; only applies where senders must be known. */
  readonly unauthenticatedBytes: number;
}

/** Whose bytes an account holds. */
export interface AccountOwner {
  /** Whether the sender is known, or need not be. */
  readonly isAuthenticated: boolean;
  /** Returns whose share the bytes use. Called again once the sender is known. If undefined, they use no share. */
  readonly tenant?: () => Tenant;
}

/** Up to this many bytes that have arrived are not accounted for: the number of requests bounds them. */
export const UNACCOUNTED_BYTES = 2 * 1_024;

/** Bytes are counted in units, so that a shared 32-bit counter covers 2 TiB. */
const UNIT_BYTES = 1_024;
/** The total, and the part of unauthenticated senders. */
const POOLS = 2;

/** Allocates the memory that `threads` HTTP threads share. */
export function bufferMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(POOLS * poolBytes(threads));
}

function poolBytes(threads: number): number {
  return threads * Int32Array.BYTES_PER_ELEMENT + sharedUsageBytes(threads);
}

/** The units of all threads that count towards one limit. */
class Pool {
  readonly #limitUnits: number;
  readonly #shares: SharedUsage;
  readonly #used: Int32Array;
  readonly #thread: number;

  constructor(limitBytes: number, memory: SharedArrayBuffer, index: number, thread: number) {
    const threads = memory.byteLength / POOLS / poolBytes(1);
    const at = index * poolBytes(threads);
    this.#limitUnits = Math.floor(limitBytes / UNIT_BYTES);
    this.#thread = thread;
    this.#used = new Int32Array(memory, at, threads);
    this.#shares = new SharedUsage(memory, at + this.#used.byteLength, threads);
    // A restarted thread inherits nothing from the one that died.
    Atomics.store(this.#used, thread, 0);
    this.#shares.ended(thread);
  }

  /** Units currently held by all threads. */
  get used(): number {
    let sum = 0;
    for (let thread = 0; thread < this.#used.length; thread++) sum += Atomics.load(this.#used, thread);
    return sum;
  }

  add(units: number, key: string | undefined): void {
    Atomics.add(this.#used, this.#thread, units);
    if (key !== undefined) this.#shares.add(this.#thread, key, units);
  }

  /**
   * Returns the reason why a tenant's account cannot hold its units, which are already counted, or undefined if it can.
   */
  failureOf(accountUnits: number, key: string | undefined): GridError | undefined {
    const { used } = this;
    const limit = this.#limitUnits;
    const free = limit - used;
    const own = key === undefined ? accountUnits : this.#shares.count(key);
    const isOnlyOne = own <= accountUnits;
    if (free >= 0 && (isOnlyOne || own <= free)) return undefined;
    // Tenants who hold little may use the reserve. The check expects the count before the last unit.
    if (fitsReserve(limit, Math.max(limit, used - 1), own)) return undefined;
    if (isOnlyOne) return gridError('BUFFERS_FULL', limit * UNIT_BYTES);
    return gridError('USER_SHARE', 'buffered bytes', (own - accountUnits) * UNIT_BYTES, limit * UNIT_BYTES);
  }
}

export class BufferBudget {
  readonly #all: Pool;
  readonly #unauthenticated: Pool;

  constructor(limits: BufferLimits, memory: SharedArrayBuffer = bufferMemory(1), thread = 0) {
    this.#all = new Pool(limits.totalBytes, memory, 0, thread);
    this.#unauthenticated = new Pool(Math.min(limits.totalBytes, limits.unauthenticatedBytes), memory, 1, thread);
  }

  /** Opens the account of one request or connection. */
  open(owner: AccountOwner): BufferAccount {
    return new BufferAccount(this, owner);
  }

  /** Bytes currently held by all threads. */
  get usedBytes(): number {
    return this.#all.used * UNIT_BYTES;
  }

  /**
   * Adds units, possibly negative, to an account. Throws BUFFERS_FULL or USER_SHARE, and adds nothing, if a limit
   * would be exceeded.
   */
  add(account: BufferAccount, units: number): void {
    const pools = account.isAuthenticated ? [this.#all] : [this.#all, this.#unauthenticated];
    for (const pool of pools) pool.add(units, account.shareKey);
    if (units <= 0) return;
    for (const pool of pools) {
      const failure = pool.failureOf(account.units + units, account.shareKey);
      if (failure === undefined) continue;
      for (const each of pools) each.add(-units, account.shareKey);
      throw failure;
    }
  }

  /** Counts the units of a sender that is now known only in the total, and in another share. */
  markAuthenticated(units: number, keyBefore: string | undefined, key: string | undefined): void {
    this.#unauthenticated.add(-units, keyBefore);
    this.#all.add(-units, keyBefore);
    this.#all.add(units, key);
  }
}

/** The bytes held by one request or connection. */
export class BufferAccount {
  readonly #budget: BufferBudget;
  readonly #owner: AccountOwner;
  #isAuthenticated: boolean;
  #tenant: Tenant | undefined;
  #units = 0;

  constructor(budget: BufferBudget, owner: AccountOwner) {
    this.#budget = budget;
    this.#owner = owner;
    this.#isAuthenticated = owner.isAuthenticated;
    this.#tenant = owner.tenant?.();
  }

  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  /** The tenant whose share the bytes use, or undefined for none. */
  get shareKey(): string | undefined {
    return this.#tenant?.isConnection === true ? undefined : this.#tenant?.key;
  }

  get units(): number {
    return this.#units;
  }

  /** Throws BUFFERS_FULL or USER_SHARE if a request announced with this many bytes cannot fit. */
  check(bytes: number): void {
    const units = unitsOf(bytes);
    this.#budget.add(this, units);
    this.#budget.add(this, -units);
  }

  /** Changes the account to `bytes` in total. Throws BUFFERS_FULL or USER_SHARE, and keeps the previous number. */
  hold(bytes: number): void {
    const units = unitsOf(bytes);
    if (units === this.#units) return;
    this.#budget.add(this, units - this.#units);
    this.#units = units;
  }

  /** Marks the sender as known. */
  markAuthenticated(): void {
    if (this.#isAuthenticated) return;
    const keyBefore = this.shareKey;
    this.#isAuthenticated = true;
    this.#tenant = this.#owner.tenant?.();
    this.#budget.markAuthenticated(this.#units, keyBefore, this.shareKey);
  }

  release(): void {
    this.hold(0);
  }
}

function unitsOf(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES);
}
