/**
 * Admits requests to a limited resource, such as threads or processes, and shares it between tenants. A request that
 * finds no free slot waits until its deadline. A freed slot goes to the waiting tenant with the fewest slots. The last
 * slots are reserved for administrators, who can then end whatever occupies the others.
 */
import type { Clock, Timer } from './clock.ts';
import { CoDel } from './codel.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { type Tenant, TenantUsage, yieldsTo } from './shares.ts';

/**
 * Why a request is rejected: the queue is full, the queue keeps growing, the deadline has passed, or it was cancelled.
 */
export type Rejection = 'full' | 'overloaded' | 'deadline' | 'cancelled';

/** Statistics since startup. */
export interface QueueStatistics {
  readonly rejected: number;
  /** Requests that waited, and their total waiting time. */
  readonly waits: number;
  readonly waitedMs: number;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly slots: number;
  /** Slots that only administrators use, in addition to `slots`. */
  readonly reserved: number;
  /** Slots that one tenant may use at once; unlimited if undefined. */
  readonly maxPerTenant?: number;
  /** Requests that may wait. */
  readonly maxWaiting: number;
  /** Bytes that waiting requests may hold. */
  readonly maxWaitingBytes: number;
  /**
   * While all requests wait longer than this, new requests of tenants that already wait are rejected ({@link CoDel}).
   */
  readonly targetMs: number;
  /** Returns the error of a request that is not admitted while `waiting` requests wait. */
  readonly failure: (reason: Rejection, waiting: number) => Error;
}

export interface AcquireOptions {
  /** When the request stops waiting, by the monotonic clock; never if undefined. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Memory that the request holds while it waits. */
  readonly bytes?: number;
  /** Whether the request waits even in a queue that keeps growing: no client waits for it, or part of it is done. */
  readonly isPatient?: boolean;
}

/** Permission to use one unit of the resource until {@link release}. */
export interface Slot {
  readonly tenant: Tenant;
  /** Time that the request has waited, in ms. */
  readonly waitedMs: number;
  /** Hands the slot to the next request. Calling it again has no effect. */
  release(): void;
}

/** A tenant with waiting requests. */
export interface WaitingTenant {
  readonly tenant: Tenant;
  /** Slots that the tenant has. */
  readonly running: number;
  /** When its oldest request began to wait, by the monotonic clock. */
  readonly sinceMs: number;
}

interface Waiter {
  readonly tenant: Tenant;
  readonly sinceMs: number;
  readonly bytes: number;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (error: Error) => void;
  timer: Timer | undefined;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
  hasLeft: boolean;
}

/** One tenant's waiting requests. */
interface Line {
  waiters: Waiter[];
  /** Index of the oldest request. Removing the first element of an array would take time proportional to its length. */
  first: number;
}

/** The longest delay that a timer accepts. */
const MAX_TIMER_MS = 0x7fffffff;

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #codel: CoDel;
  #slots: number;
  #inUse = 0;
  /** Slots per tenant. */
  readonly #running = new Map<string, number>();
  /** Tenants in the order in which they are served next. */
  readonly #administrators = new Map<string, Line>();
  readonly #others = new Map<string, Line>();
  readonly #usage = new TenantUsage();
  #waiting = 0;
  #waitingBytes = 0;
  #rejected = 0;
  #waits = 0;
  #waitedMs = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#slots = options.slots;
    this.#codel = new CoDel(options.clock, options.targetMs);
  }

  /** Slots in use. */
  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Returns the number of slots that a tenant has. */
  runningOf(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  statistics(): QueueStatistics {
    return { rejected: this.#rejected, waits: this.#waits, waitedMs: this.#waitedMs };
  }

  /** Changes the number of slots, not counting reserved ones. Excess slots in use are not revoked. */
  resize(slots: number): void {
    this.#slots = slots;
    this.#admitWaiting();
  }

  /** Returns a slot immediately, or a promise of one. Throws or rejects with the error of a {@link Rejection}. */
  acquire(tenant: Tenant, options: AcquireOptions = {}): MaybePromise<Slot> {
    if (options.signal?.aborted === true) throw this.#options.failure('cancelled', this.#waiting);
    return this.tryAcquire(tenant) ?? this.#wait(tenant, options);
  }

  /** Returns a slot, or undefined if the request would have to wait. */
  tryAcquire(tenant: Tenant): Slot | undefined {
    const slots = this.#slots + (tenant.isAdministrator ? this.#options.reserved : 0);
    return this.#inUse < slots && this.#mayRun(tenant.key) ? this.#grant(tenant, 0) : undefined;
  }

  #mayRun(key: string): boolean {
    const { maxPerTenant } = this.#options;
    return maxPerTenant === undefined || this.runningOf(key) < maxPerTenant;
  }

  /** Returns the tenants with waiting requests. */
  waitingTenants(): WaitingTenant[] {
    const found: WaitingTenant[] = [];
    for (const lines of [this.#administrators, this.#others]) {
      for (const line of lines.values()) {
        const waiter = line.waiters[line.first];
        if (waiter === undefined) continue;
        const { tenant, sinceMs } = waiter;
        found.push({ tenant, running: this.runningOf(tenant.key), sinceMs });
      }
    }
    return found;
  }

  #wait(tenant: Tenant, { deadlineMs, signal, bytes = 0, isPatient = false }: AcquireOptions): Promise<Slot> {
    const { clock, failure } = this.#options;
    const nowMs = clock.monotonicMs();
    const own = this.#usage.of(tenant.key);
    if (own > 0 && !tenant.isAdministrator && !isPatient && this.#codel.isOverloaded()) {
      this.#rejected++;
      throw failure('overloaded', this.#waiting);
    }
    this.#evictFor(tenant, own, bytes);
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const waiter: Waiter = {
      tenant,
      sinceMs: nowMs,
      bytes,
      resolve,
      reject,
      timer: undefined,
      signal,
      onAbort: undefined,
      hasLeft: false,
    };
    const leave = (reason: Rejection): void => {
      if (!this.#leave(waiter)) return;
      if (reason === 'deadline') this.#rejected++;
      reject(failure(reason, this.#waiting));
    };
    if (deadlineMs !== undefined && deadlineMs < nowMs + MAX_TIMER_MS) {
      waiter.timer = clock.after(Math.max(0, deadlineMs - nowMs), () => leave('deadline'));
    }
    if (signal !== undefined) {
      waiter.onAbort = () => leave('cancelled');
      signal.addEventListener('abort', waiter.onAbort);
    }
    this.#enter(waiter);
    if (signal === undefined) return promise;
    return promise.then((slot) => {
      // Cancelled after the slot had been handed over, so the caller never receives it.
      if (!signal.aborted) return slot;
      slot.release();
      throw failure('cancelled', this.#waiting);
    });
  }

  /**
   * Rejects the newest requests of the tenant with the most until one more fits. Throws if no request can be rejected.
   */
  #evictFor(tenant: Tenant, own: number, bytes: number): void {
    const { maxWaiting, maxWaitingBytes, failure } = this.#options;
    while (this.#waiting >= maxWaiting || (this.#waitingBytes + bytes > maxWaitingBytes && this.#waiting > 0)) {
      const most = this.#usage.most();
      const newest = most !== undefined && yieldsTo(most, tenant, own) ? this.#newestOf(most.key) : undefined;
      this.#rejected++;
      if (newest === undefined) throw failure('full', this.#waiting);
      this.#leave(newest);
      newest.reject(failure('full', this.#waiting));
    }
  }

  #newestOf(key: string): Waiter | undefined {
    const waiters = (this.#others.get(key) ?? this.#administrators.get(key))?.waiters ?? [];
    while (waiters.at(-1)?.hasLeft === true) waiters.pop();
    return waiters.at(-1);
  }

  #enter(waiter: Waiter): void {
    const { key } = waiter.tenant;
    const lines = this.#linesOf(waiter.tenant);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { waiters: [waiter], first: 0 });
    else line.waiters.push(waiter);
    this.#usage.add(key);
    this.#waiting++;
    this.#waitingBytes += waiter.bytes;
  }

  /** Removes a waiter. Returns false if it is no longer waiting. */
  #leave(waiter: Waiter): boolean {
    if (waiter.hasLeft) return false;
    waiter.hasLeft = true;
    waiter.timer?.cancel();
    if (waiter.onAbort !== undefined) waiter.signal?.removeEventListener('abort', waiter.onAbort);
    const { key } = waiter.tenant;
    this.#usage.remove(key);
    this.#waiting--;
    this.#waitingBytes -= waiter.bytes;
    const lines = this.#linesOf(waiter.tenant);
    const line = lines.get(key);
    if (line === undefined) return true;
    while (line.waiters[line.first]?.hasLeft === true) line.first++;
    if (line.first >= line.waiters.length) lines.delete(key);
    else if (line.first * 2 > line.waiters.length) {
      line.waiters.splice(0, line.first);
      line.first = 0;
    }
    return true;
  }

  #linesOf({ isAdministrator }: Tenant): Map<string, Line> {
    return isAdministrator ? this.#administrators : this.#others;
  }

  #grant(tenant: Tenant, waitedMs: number): Slot {
    const { key } = tenant;
    this.#inUse++;
    this.#running.set(key, this.runningOf(key) + 1);
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#inUse--;
      const left = this.runningOf(key) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
      this.#admitWaiting();
    };
    return { tenant, waitedMs, release };
  }

  #admitWaiting(): void {
    const { reserved, clock } = this.#options;
    while (this.#waiting > 0) {
      const isFree = this.#inUse < this.#slots;
      const isReserveFree = this.#inUse < this.#slots + reserved;
      const next =
        (isReserveFree ? this.#next(this.#administrators) : undefined) ??
        (isFree ? this.#next(this.#others) : undefined);
      if (next === undefined) return;
      this.#leave(next);
      const waitedMs = clock.monotonicMs() - next.sinceMs;
      this.#waits++;
      this.#waitedMs += waitedMs;
      this.#codel.left(waitedMs);
      next.resolve(this.#grant(next.tenant, waitedMs));
    }
  }

  /** Returns the oldest request of the tenant with the fewest slots; tenants with equally few take turns. */
  #next(lines: Map<string, Line>): Waiter | undefined {
    let fewest = Number.POSITIVE_INFINITY;
    let found: { readonly key: string; readonly line: Line } | undefined;
    for (const [key, line] of lines) {
      const running = this.runningOf(key);
      if (running >= fewest || !this.#mayRun(key)) continue;
      fewest = running;
      found = { key, line };
      if (running === 0) break;
    }
    if (found === undefined) return undefined;
    lines.delete(found.key);
    lines.set(found.key, found.line);
    return found.line.waiters[found.line.first];
  }
}
