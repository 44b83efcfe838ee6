/**
 * Decides in the main thread, for all threads that serve requests, which statements run and in which process. A
 * statement waits here and nowhere else. A process has one slot. Statements that read share the processes; those that
 * write share the process for changes, in which they wait for the write lock.
 */
import { Admission, type QueueStatistics, type Rejection, type Slot } from '../../../base/admission.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { type GridError, gridError } from '../../../base/errors.ts';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { RpcChannel } from '../../../base/rpc-channel.ts';
import type { Tenant } from '../../../base/shares.ts';
import {
  READING_PROCESSES,
  type SharedQueryState,
  tenantHash,
  USUAL_READING_PROCESSES,
  type Work,
  WRITING_PROCESS,
} from '../shared/shared-query-state.ts';

/** The kind of statement process that must run a statement. */
export type ProcessKind = 'reading' | 'writing';

/** A statement that needs a statement process. */
export interface StatementRequest {
  readonly place: ProcessKind;
  readonly ticket: number;
  readonly tenant: Tenant;
  /** How long it may wait, in ms; Infinity for any time. */
  readonly limitMs: number;
  /** Memory that it holds while it waits. */
  readonly bytes: number;
}

/** Permission to run a statement in a process. */
export interface StatementSlot {
  readonly index: number;
  release(): void;
}

/** Gives statements their slots. Throws or rejects with QUERIES_BUSY, OVERLOADED or QUERY_CANCELLED. */
export interface StatementAdmission {
  acquire(request: StatementRequest): MaybePromise<StatementSlot>;
}

export interface StatementSlotsOptions {
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  /** Processes for statements that read. */
  readonly readers: number;
  /** Statements that may wait. */
  readonly maxWaiting: number;
  readonly targetMs: number;
  /** Starts a process before it is needed. */
  readonly start?: (index: number) => void;
}

/** Number of processes, in addition to the common ones, for administrators' statements. */
export const RESERVED_PROCESSES = 2;
/** Maximum number of DML statements that wait for the write lock; the rest wait for a slot, which users get in turn. */
const WRITING = 8;
const WRITING_RESERVED = 2;
/** Time between checks of the processes while statements wait. */
const LOOK_MS = 50;
/** A user whose statements have waited this long, with none running, gets the process of a user with several. */
const SHARE_WAIT_MS = 500;

export class StatementSlots implements StatementAdmission {
  readonly #clock: Clock;
  readonly #queryState: SharedQueryState;
  readonly #readers: number;
  readonly #start: (index: number) => void;
  /** The reserve process that is kept running. */
  #kept: number | undefined;
  readonly #reading: Admission;
  readonly #writing: Admission;
  /** Processes with a slot, by index. */
  readonly #held = new Set<number>();
  /** Cancels the waiting statements, by ticket. */
  readonly #waiting = new Map<number, AbortController>();
  /** Tickets of statements that were ended for others, by process. */
  readonly #preempted = new Map<number, number>();
  #timer: Timer | undefined;

  constructor({ clock, queryState, readers, maxWaiting, targetMs, start = () => {} }: StatementSlotsOptions) {
    this.#start = start;
    this.#clock = clock;
    this.#queryState = queryState;
    this.#readers = readers;
    const options = { clock, maxWaiting, maxWaitingBytes: EMBEDDED_BOUNDS.waitingBytes, targetMs };
    this.#reading = new Admission({
      ...options,
      slots: Math.min(readers, USUAL_READING_PROCESSES),
      reserved: RESERVED_PROCESSES,
      failure: (reason) => failureOf(reason, gridError('QUERIES_BUSY', readers)),
    });
    this.#writing = new Admission({
      ...options,
      slots: WRITING,
      reserved: WRITING_RESERVED,
      failure: (reason, waiting) =>
        failureOf(reason, reason === 'deadline' ? gridError('QUERY_TIMEOUT', '') : gridError('OVERLOADED', waiting)),
    });
  }

  acquire({ place, ticket, tenant, limitMs, bytes }: StatementRequest): MaybePromise<StatementSlot> {
    if (place === 'reading') this.#resize();
    const admission = place === 'reading' ? this.#reading : this.#writing;
    const start = (slot: Slot) => (place === 'reading' ? this.#startReading(slot) : startWriting(slot));
    const slot = admission.tryAcquire(tenant);
    if (slot !== undefined) return start(slot);
    const controller = new AbortController();
    const deadlineMs = this.#clock.monotonicMs() + limitMs;
    const acquired = admission.acquire(tenant, { deadlineMs, signal: controller.signal, bytes });
    this.#waiting.set(ticket, controller);
    this.#look();
    return Promise.resolve(acquired)
      .finally(() => this.#waiting.delete(ticket))
      .then(start);
  }

  /** Returns the statistics of both kinds of statements. */
  statistics(): QueueStatistics {
    const [reading, writing] = [this.#reading.statistics(), this.#writing.statistics()];
    return {
      rejected: reading.rejected + writing.rejected,
      waits: reading.waits + writing.waits,
      waitedMs: reading.waitedMs + writing.waitedMs,
    };
  }

  #startReading(slot: Slot): StatementSlot {
    const index = this.#chooseThread(slot.tenant);
    this.#held.add(index);
    // A process with a pending request is not ended. One that is already being ended rejects the statement.
    const isCounted = this.#queryState.requestSent(index);
    return {
      index,
      release: () => {
        this.#held.delete(index);
        this.#preempted.delete(index);
        if (isCounted) this.#queryState.requestEnded(index);
        this.#resize();
        slot.release();
      },
    };
  }

  /**
   * Returns a process without a slot. Prefers one without cursors, then a regular one that is not started, then the one
   * with the fewest cursors; one that drains or reads a long page of a cursor comes last.
   */
  #chooseThread({ isAdministrator }: Tenant): number {
    const queryState = this.#queryState;
    const nowMs = this.#clock.nowMs();
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    const end = this.#endOf(this.#readers + (isAdministrator ? RESERVED_PROCESSES : 0));
    for (let index = 0; index < end; index++) {
      if (this.#held.has(index) || queryState.isRetiring(index)) continue;
      const isStarted = queryState.isStarted(index);
      const cursors = queryState.cursorsOf(index);
      const unstarted = index < USUAL_READING_PROCESSES ? 1 : LOAD_OF_FURTHER;
      const isLast = queryState.isDraining(index) || queryState.isLong(index, nowMs);
      const load = (cursors > 0 ? cursors + 1 : isStarted ? 0 : unstarted) + (isLast ? LOAD_OF_LAST : 0);
      if (load >= least) continue;
      least = load;
      best = index;
    }
    return best;
  }

  /** Returns the number after the last of `count` processes' numbers. One that is being replaced does not count. */
  #endOf(count: number): number {
    let end = 0;
    for (let left = count; left > 0 && end < READING_PROCESSES; end++) {
      if (!(this.#queryState.isRetiring(end) || this.#queryState.isDraining(end))) left--;
    }
    return end;
  }

  /**
   * Uses a few processes for short statements, and one more for each long one, up to the limit. A process that reads a
   * long page of a cursor has no slot for a statement.
   */
  #resize(): void {
    const nowMs = this.#clock.nowMs();
    let long = 0;
    let pages = 0;
    for (let index = 0; index < this.#endOf(this.#readers); index++) {
      if (this.#queryState.isDraining(index) || !this.#queryState.isLong(index, nowMs)) continue;
      long++;
      if (!this.#held.has(index)) pages++;
    }
    this.#reading.resize(Math.min(this.#readers, USUAL_READING_PROCESSES + long) - pages);
    this.#keepReserve(long >= this.#readers);
  }

  /**
   * Keeps a reserve process running while long statements occupy all others, because starting one
   * alongside them is slow.
   */
  #keepReserve(isNeeded: boolean): void {
    if (!isNeeded) {
      if (this.#kept !== undefined) this.#queryState.requestEnded(this.#kept);
      this.#kept = undefined;
      return;
    }
    if (this.#kept !== undefined) return;
    const index = this.#endOf(this.#readers + 1) - 1;
    if (!this.#queryState.requestSent(index)) return;
    this.#kept = index;
    this.#start(index);
  }

  /** Checks the processes, and cancellations, while statements wait. */
  #look(): void {
    this.#timer ??= this.#clock.after(LOOK_MS, () => {
      this.#timer = undefined;
      for (const [ticket, controller] of this.#waiting) {
        if (this.#queryState.isCancelled(ticket) || this.#queryState.isClaimed(ticket)) controller.abort();
      }
      this.#resize();
      this.#preempt();
      if (this.#waiting.size > 0) this.#look();
    });
  }

  /**
   * For each tenant that has waited too long without a running statement, ends the longest statement of the tenant with
   * the most long ones.
   */
  #preempt(): void {
    const nowMs = this.#clock.nowMs();
    const running = new Map<number, Work[]>();
    for (let index = 0; index < this.#endOf(this.#readers + RESERVED_PROCESSES); index++) {
      const work = this.#queryState.longWork(index, nowMs);
      // A statement that has ended prevents others from being ended until its slot has been handed on.
      const hasEnded = work?.ticket !== this.#preempted.get(index) && (work !== undefined || !this.#held.has(index));
      if (hasEnded) this.#preempted.delete(index);
      if (work === undefined || this.#preempted.has(index)) continue;
      running.set(work.tenant, [...(running.get(work.tenant) ?? []), work]);
    }
    const sinceMs = this.#clock.monotonicMs() - SHARE_WAIT_MS;
    const starving = this.#reading
      .waitingTenants()
      .filter((each) => each.running === 0 && each.sinceMs <= sinceMs && !running.has(tenantHash(each.tenant.key)));
    for (let missing = starving.length - this.#preempted.size; missing > 0; missing--) {
      const [most = []] = [...running.values()]
        .filter((works) => works.length > 1 && works[0]?.isAdministrator === false)
        .sort((a, b) => b.length - a.length);
      const longest = most.reduce<Work | undefined>(
        (before, work) => (before === undefined || work.sinceMs < before.sinceMs ? work : before),
        undefined,
      );
      if (longest === undefined) return;
      most.splice(most.indexOf(longest), 1);
      this.#preempted.set(longest.index, longest.ticket);
      this.#queryState.preempt(longest.ticket);
    }
  }
}

/** Weights of a process in {@link StatementSlots}; each is higher than any number of cursors. */
const LOAD_OF_FURTHER = 1e6;
const LOAD_OF_LAST = 1e9;

function startWriting(slot: Slot): StatementSlot {
  return { index: WRITING_PROCESS, release: () => slot.release() };
}

function failureOf(reason: Rejection, failure: GridError): GridError {
  return reason === 'cancelled' ? gridError('QUERY_CANCELLED', 'the client went away') : failure;
}

/** The methods that the main thread serves for other threads' statements. */
export type StatementSlotMethods = {
  readonly acquireStatement: {
    readonly request: StatementRequest;
    readonly response: { readonly slot: number; readonly index: number };
  };
  readonly releaseStatement: { readonly request: number; readonly response: null };
};

/** Serves the slots over a channel. Returns the function that releases the slots of a thread that has ended. */
export function serveStatementSlots(
  channel: Pick<RpcChannel<Record<string, never>, StatementSlotMethods>, 'serve'>,
  slots: StatementAdmission,
): () => void {
  const held = new Map<number, StatementSlot>();
  let last = 0;
  let isEnded = false;
  channel.serve('acquireStatement', (request) =>
    chain(slots.acquire(request), (slot) => {
      if (isEnded) slot.release();
      else held.set(++last, slot);
      return { slot: last, index: slot.index };
    }),
  );
  channel.serve('releaseStatement', (slot) => {
    held.get(slot)?.release();
    held.delete(slot);
    return null;
  });
  return () => {
    isEnded = true;
    for (const slot of held.values()) slot.release();
    held.clear();
  };
}

/** Returns the slots that the main thread serves over a channel. */
export function remoteStatementSlots(
  channel: Pick<RpcChannel<StatementSlotMethods, Record<string, never>>, 'call'>,
): StatementAdmission {
  return {
    async acquire(request) {
      const { slot, index } = await channel.call('acquireStatement', request);
      return { index, release: () => void channel.call('releaseStatement', slot).catch(() => {}) };
    },
  };
}
