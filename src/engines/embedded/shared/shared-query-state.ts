/**
 * The state that request threads and statement processes share without messages: cancelled statements, the load and the
 * work of each statement process, open cursors, and the version of the statistics. Processes share this memory, because
 * a process inside SQLite reads no messages.
 */

import { type CreateArea, createThreadArea, openArea, type SharedArea } from '../../../base/shared-areas.ts';
import { SharedUsage, sharedUsageBytes } from '../../../base/shared-usage.ts';
import type { Tenant } from '../../../base/shares.ts';
import { STATEMENT_ENDS, type StatementEnd, type StatementReport } from '../../../grid/statement-report.ts';
import { GUARD_BLOCK_BYTES, GuardUsage } from '../native/statement-guard.ts';
import {
  type ListedStatement,
  RUNNING_STATEMENTS_BYTES,
  type RunningEntry,
  type RunningStatement,
  RunningStatements,
} from './running-statements.ts';
import { STATEMENT_HISTORY_BYTES, StatementHistory } from './statement-history.ts';

/**
 * Maximum number of statement processes for read-only statements: the most that `query.processes` allows, plus those
 * reserved for administrators.
 */
export const READING_PROCESSES = 16;
/** Number of processes that do not end while idle. */
const RESTING_PROCESSES = 1;
/** Number of processes that are used before long statements make more of them necessary. */
export const USUAL_READING_PROCESSES = 4;
/** A statement that has occupied its process for longer counts as long: other statements get another process. */
export const LONG_STATEMENT_MS = 250;
/** The process for changes and definitions, which run one after another and delay no cursor there. */
export const WRITING_PROCESS = READING_PROCESSES;
export const STATEMENT_PROCESSES = READING_PROCESSES + 1;

const CANCEL_SLOTS = 16 * 1024;
/** Recorded instead of the statement process that has claimed a statement. */
const UNCLAIMED = -1;
const COMMITTING = -2;
const ABANDONED = -3;
const PREEMPTED = -4;
const OVER_DISK = -5;
const LAST_TICKET = CANCEL_SLOTS;
const STATISTICS = CANCEL_SLOTS + 1;
const STOPPING = CANCEL_SLOTS + 2;
const ENDS = CANCEL_SLOTS + 3;
const CLAIMS = ENDS + STATEMENT_ENDS.length;
const CLAIM_SLOTS = CLAIMS + CANCEL_SLOTS;
const EVICTED = CLAIM_SLOTS + CANCEL_SLOTS;
const LOADS = EVICTED + 1;
/** Metrics of a process, from LOADS on. */
const REQUESTS = 0;
const CURSORS = 1;
const STARTED = 2;
const TICKET = 3;
/** Number of the run, odd while a statement runs; its ticket, and its time limit in ms (0 for none). */
const RUN = 4;
const RUN_TICKET = 5;
const RUN_LIMIT = 6;
/** Hash of the tenant whose statement the process works on, times 2, plus 1 for an administrator. */
const TENANT = 7;
/** The process's memory when the first of its open cursors was opened, and its growth since then, in KiB. */
const UNOPENED_KIB = 8;
const GROWN_KIB = 9;
const LOAD_SLOTS = 10;
/** Values of STARTED; 0 means that the process is not running. */
const RUNS = 1;
const RETIRES = 2;
const STARTS = 3;
const DRAINS = 4;
const MAX_LIMIT_MS = 0x7fffffff;
const SLOTS = LOADS + STATEMENT_PROCESSES * LOAD_SLOTS;

/** Query id, hash of the owner, and start time of a process's current work. */
const WORK_SLOTS = 5;
/** The last query id issued by a process, and the last one whose cursor was lost with it. */
const LAST_ID = 3;
const LOST_ID = 4;
const WORK_LENGTH = STATEMENT_PROCESSES * WORK_SLOTS;
const WORK_BYTES = WORK_LENGTH * BigUint64Array.BYTES_PER_ELEMENT;

/** The control blocks of the processes' guards, after the work. */
export const GUARDS_OFFSET = WORK_BYTES;
const SLOTS_OFFSET = GUARDS_OFFSET + STATEMENT_PROCESSES * GUARD_BLOCK_BYTES;
const QUERY_STATE_BYTES = SLOTS_OFFSET + Math.ceil(SLOTS / 2) * 2 * Int32Array.BYTES_PER_ELEMENT;
const HISTORY_AT = Math.ceil((QUERY_STATE_BYTES + sharedUsageBytes(STATEMENT_PROCESSES)) / 8) * 8;
const STATE_BYTES = HISTORY_AT + STATEMENT_HISTORY_BYTES;

/** The areas of the state, as sent to another process or thread. */
export interface QueryAreas {
  readonly state: SharedArea;
  readonly statements: SharedArea;
}

export function createQueryAreas(create: CreateArea = createThreadArea): QueryAreas {
  return { state: create(STATE_BYTES), statements: create(RUNNING_STATEMENTS_BYTES) };
}

/** One uninterrupted run of a statement's code in its process. */
export interface StatementRun {
  readonly number: number;
  readonly ticket: number;
  /** Time limit of the run in ms, or 0 for none. */
  readonly limitMs: number;
}

/** A process's current work. */
export interface Work {
  readonly index: number;
  readonly ticket: number;
  /** Wall-clock time at which it began, in ms. */
  readonly sinceMs: number;
  /** The {@link tenantHash} of its tenant. */
  readonly tenant: number;
  readonly isAdministrator: boolean;
}

export class SharedQueryState {
  readonly areas: QueryAreas;
  /** The memory of all but the running statements. */
  readonly memory: ArrayBufferLike;
  readonly #slots: Int32Array;
  readonly #work: BigUint64Array;
  /** Running statements with their text. */
  readonly statements: RunningStatements;
  /** Cursors of each user. */
  readonly shares: SharedUsage;
  /** Statistics of executed statements. */
  readonly history: StatementHistory;

  /**
   * `index` is the index of the statement process that uses the object; undefined if one of the service's threads does.
   */
  constructor(areas = createQueryAreas(), index?: number) {
    const memory = openArea(areas.state);
    this.areas = areas;
    this.memory = memory;
    this.#work = new BigUint64Array(memory, 0, WORK_LENGTH);
    this.#slots = new Int32Array(memory, SLOTS_OFFSET, SLOTS);
    this.statements = new RunningStatements(areas.statements);
    this.shares = new SharedUsage(memory, QUERY_STATE_BYTES, STATEMENT_PROCESSES);
    this.history = new StatementHistory(memory, HISTORY_AT, index);
  }

  /** Returns a ticket that no running statement has. */
  nextTicket(): number {
    const ticket = (Atomics.add(this.#slots, LAST_TICKET, 1) + 1) & 0x3fffffff;
    Atomics.store(this.#slots, claimSlot(ticket), UNCLAIMED);
    return ticket;
  }

  cancel(ticket: number): void {
    Atomics.store(this.#slots, ticket % CANCEL_SLOTS, ticket + 1);
  }

  /** Returns the byte offset of the int32 that equals {@link cancelValue} once the ticket is cancelled. */
  cancelOffset(ticket: number): number {
    return SLOTS_OFFSET + (ticket % CANCEL_SLOTS) * Int32Array.BYTES_PER_ELEMENT;
  }

  cancelValue(ticket: number): number {
    return ticket + 1;
  }

  /** Byte offset of the int32 that becomes non-zero when the process stops. */
  get stopOffset(): number {
    return SLOTS_OFFSET + STOPPING * Int32Array.BYTES_PER_ELEMENT;
  }

  /** Returns the byte offset of the control block of a process's guard. */
  guardOffset(index: number): number {
    return GUARDS_OFFSET + index * GUARD_BLOCK_BYTES;
  }

  /**
   * Claims a statement that may have been sent to several processes. Returns false if it has already been claimed.
   * `index` is the statement process that will run it; undefined if none will.
   */
  claim(ticket: number, index?: number): boolean {
    const slot = CLAIMS + (ticket % CANCEL_SLOTS);
    if (Atomics.exchange(this.#slots, slot, ticket + 1) === ticket + 1) return false;
    Atomics.store(this.#slots, claimSlot(ticket), index ?? UNCLAIMED);
    return true;
  }

  /**
   * Prevents {@link abandon} from abandoning a statement in a process that is about to commit. Returns false if it has
   * already been abandoned: its client has been told that nothing was changed.
   */
  beginCommit(ticket: number, index: number): boolean {
    return Atomics.compareExchange(this.#slots, claimSlot(ticket), index, COMMITTING) !== ABANDONED;
  }

  /**
   * Reports whether the statement may have been committed. A change whose process ended before that has
   * changed nothing.
   */
  isCommitting(ticket: number): boolean {
    return Atomics.load(this.#slots, claimSlot(ticket)) === COMMITTING;
  }

  /** Allows a statement to be claimed again if its process ended before beginning to run it. */
  unclaim(ticket: number): void {
    Atomics.store(this.#slots, claimSlot(ticket), UNCLAIMED);
    Atomics.store(this.#slots, CLAIMS + (ticket % CANCEL_SLOTS), 0);
  }

  /** Abandons and cancels a statement that a process runs. Returns false if no process runs it, or it is committing. */
  abandon(ticket: number): boolean {
    const slot = claimSlot(ticket);
    const index = Atomics.load(this.#slots, slot);
    if (index < 0 || Atomics.compareExchange(this.#slots, slot, index, ABANDONED) !== index) return false;
    this.cancel(ticket);
    return true;
  }

  isClaimed(ticket: number): boolean {
    return Atomics.load(this.#slots, CLAIMS + (ticket % CANCEL_SLOTS)) === ticket + 1;
  }

  /** Reports whether {@link abandon} has abandoned the statement. */
  isAbandoned(ticket: number): boolean {
    return Atomics.load(this.#slots, claimSlot(ticket)) === ABANDONED;
  }

  /** Cancels a statement that reads, or a page of it, because another tenant waits for its process. */
  preempt(ticket: number): void {
    Atomics.store(this.#slots, claimSlot(ticket), PREEMPTED);
    this.cancel(ticket);
    this.countEnd('share');
  }

  /** Cancels a statement that reads, because all of them need too much space for temporary files. */
  endForDisk(ticket: number): void {
    Atomics.store(this.#slots, claimSlot(ticket), OVER_DISK);
    this.cancel(ticket);
    this.countEnd('disk');
  }

  /** Reports whether {@link endForDisk} has cancelled the statement. */
  isOverDisk(ticket: number): boolean {
    return Atomics.load(this.#slots, claimSlot(ticket)) === OVER_DISK;
  }

  /** Reports whether {@link preempt} has cancelled the statement. */
  isPreempted(ticket: number): boolean {
    return Atomics.load(this.#slots, claimSlot(ticket)) === PREEMPTED;
  }

  /** Reports whether the statement is cancelled, as every statement is once the process stops. */
  isCancelled(ticket: number): boolean {
    return Atomics.load(this.#slots, ticket % CANCEL_SLOTS) === ticket + 1 || Atomics.load(this.#slots, STOPPING) !== 0;
  }

  /** Cancels every statement, now and in the future. */
  stop(): void {
    Atomics.store(this.#slots, STOPPING, 1);
  }

  /** Reports whether {@link stop} was called. */
  isStopping(): boolean {
    return Atomics.load(this.#slots, STOPPING) !== 0;
  }

  /** Counts a statement that was ended early. */
  countEnd(reason: StatementEnd): void {
    Atomics.add(this.#slots, ENDS + STATEMENT_ENDS.indexOf(reason), 1);
  }

  /** Returns all statements with their current resource use, oldest first. */
  listStatements(nowMs: number): ListedStatement[] {
    return this.statements.list().map((each) => {
      const work = each.processIndex * WORK_SLOTS;
      if (each.processIndex < 0 || Atomics.load(this.#work, work) !== BigInt(each.id)) return each;
      const usage = new GuardUsage(this.memory, this.guardOffset(each.processIndex));
      return {
        ...each,
        activeMs: each.activeMs + Math.max(0, nowMs - Number(Atomics.load(this.#work, work + 2))),
        memoryBytes: Math.max(each.memoryBytes, usage.grownBytes),
        temporaryBytes: Math.max(each.temporaryBytes, usage.temporaryBytes()),
      };
    });
  }

  /** Returns the numbers of running statements by state, and of those ended early. */
  report(nowMs: number): StatementReport {
    const states = { waitingForProcess: 0, running: 0, waitingForLock: 0, idle: 0 };
    let oldestMs = 0;
    for (const { state, startedAtMs } of this.statements.list()) {
      states[state]++;
      if (state !== 'idle') oldestMs = Math.max(oldestMs, nowMs - startedAtMs);
    }
    const count = (reason: StatementEnd): number => Atomics.load(this.#slots, ENDS + STATEMENT_ENDS.indexOf(reason));
    const ended = {
      time: count('time'),
      memory: count('memory'),
      disk: count('disk'),
      result: count('result'),
      lock: count('lock'),
      killed: count('killed'),
      client: count('client'),
      share: count('share'),
    };
    const processes = { started: 0, busy: 0 };
    for (let index = 0; index < STATEMENT_PROCESSES; index++) {
      if (!this.isStarted(index)) continue;
      processes.started++;
      if (this.#load(index, REQUESTS) > 0) processes.busy++;
    }
    return { states, oldestMs, ended, processes };
  }

  /**
   * Shows a statement that a process begins, `waitedMs` after it was sent. Returns undefined if too many are shown. It
   * is killed if it was killed while waiting.
   */
  beginStatement(
    index: number,
    statement: RunningStatement,
    ticket: number,
    waitedMs: number,
  ): RunningEntry | undefined {
    const entry = this.statements.begin(index, statement, ticket);
    if (waitedMs >= LONG_STATEMENT_MS && this.statements.endWaiting(ticket)) entry?.kill();
    return entry;
  }

  /**
   * Counts a pending request to the process. Returns false, and counts nothing, if the process is being ended. Retiring
   * a process marks it before looking for requests, and a request is counted before looking for the mark, so one of the
   * two sees the other.
   */
  requestSent(index: number): boolean {
    Atomics.add(this.#slots, slotOf(index, REQUESTS), 1);
    if (!this.isRetiring(index)) return true;
    this.requestEnded(index);
    return false;
  }

  requestEnded(index: number): void {
    Atomics.sub(this.#slots, slotOf(index, REQUESTS), 1);
  }

  /** Reports whether the process has pending requests. */
  hasRequests(index: number): boolean {
    return this.#load(index, REQUESTS) > 0;
  }

  /** Reports whether the process is running a long statement. */
  isLong(index: number, nowMs: number): boolean {
    if (Atomics.load(this.#work, index * WORK_SLOTS) === 0n) return false;
    return nowMs - Number(Atomics.load(this.#work, index * WORK_SLOTS + 2)) > LONG_STATEMENT_MS;
  }

  isStarted(index: number): boolean {
    const state = this.#load(index, STARTED);
    return state === RUNS || state === STARTS || state === DRAINS;
  }

  /** Records that the process starts: statements are sent to it, which it begins once it is {@link ready}. */
  started(index: number): void {
    Atomics.store(this.#slots, slotOf(index, STARTED), STARTS);
  }

  /** Records that a process that has {@link started} runs statements. */
  ready(index: number): void {
    Atomics.store(this.#slots, slotOf(index, STARTED), RUNS);
  }

  /** Reports whether the process is being ended, or will be as soon as its requests have ended. */
  isRetiring(index: number): boolean {
    const state = this.#load(index, STARTED);
    return state === RETIRES || (state === DRAINS && this.#load(index, CURSORS) === 0);
  }

  /**
   * Requests the replacement of a running process: it ends what it runs and serves its cursors, and then retires. Other
   * processes run new statements in the meantime.
   */
  drain(index: number): void {
    Atomics.compareExchange(this.#slots, slotOf(index, STARTED), RUNS, DRAINS);
  }

  isDraining(index: number): boolean {
    return this.#load(index, STARTED) === DRAINS;
  }

  /** Reports whether an unneeded process is running that has neither requests nor cursors. */
  isSpare(index: number): boolean {
    return index >= RESTING_PROCESSES && this.isIdle(index);
  }

  /** Reports whether a process that runs statements has neither requests nor cursors. */
  isIdle(index: number): boolean {
    return this.isStarted(index) && this.#load(index, REQUESTS) === 0 && this.#load(index, CURSORS) === 0;
  }

  /**
   * Keeps requests from an idle process that is about to be ended, until {@link ended}. Returns false if one was sent
   * to it in the meantime.
   */
  tryRetire(index: number): boolean {
    if (!this.isIdle(index)) return false;
    const state = Atomics.exchange(this.#slots, slotOf(index, STARTED), RETIRES);
    if (this.#load(index, REQUESTS) === 0) return true;
    Atomics.store(this.#slots, slotOf(index, STARTED), state);
    return false;
  }

  /**
   * Resets the state of a process that has ended. Its clients uncount their pending requests themselves. `isLost`: it
   * may have had cursors.
   */
  ended(index: number, isLost = true): void {
    if (isLost) {
      const at = index * WORK_SLOTS;
      Atomics.store(this.#work, at + LOST_ID, Atomics.load(this.#work, at + LAST_ID));
    }
    Atomics.store(this.#slots, slotOf(index, STARTED), 0);
    Atomics.store(this.#slots, slotOf(index, CURSORS), 0);
    this.endWork(index);
    this.endRun(index);
    this.statements.ended(index);
    this.history.ended(index);
    this.shares.ended(index);
  }

  setCursors(index: number, count: number): void {
    Atomics.store(this.#slots, slotOf(index, CURSORS), count);
  }

  /** Returns the number of open cursors in a process. */
  cursorsOf(index: number): number {
    return this.#load(index, CURSORS);
  }

  /** Returns the number of open cursors in all processes. */
  openCursors(): number {
    let sum = 0;
    for (let index = 0; index < STATEMENT_PROCESSES; index++) sum += this.#load(index, CURSORS);
    return sum;
  }

  /**
   * Records a process's memory when it has `open` cursors. Returns the growth of all processes since each opened the
   * first of its cursors, in bytes.
   */
  grownByCursors(index: number, open: number, residentBytes: number): number {
    const kib = Math.round(residentBytes / 1_024);
    if (open <= 1) Atomics.store(this.#slots, slotOf(index, UNOPENED_KIB), kib);
    Atomics.store(this.#slots, slotOf(index, GROWN_KIB), kib - this.#load(index, UNOPENED_KIB));
    let sum = 0;
    for (let each = 0; each < STATEMENT_PROCESSES; each++) {
      if (this.#load(each, CURSORS) > 0) sum += Math.max(0, this.#load(each, GROWN_KIB));
    }
    return sum * 1_024;
  }

  /** Returns the last query id issued by the process, or by an earlier one with the same number, or 0 if none. */
  lastId(index: number): number {
    return Number(Atomics.load(this.#work, index * WORK_SLOTS + LAST_ID));
  }

  setLastId(index: number, queryId: number): void {
    Atomics.store(this.#work, index * WORK_SLOTS + LAST_ID, BigInt(queryId));
  }

  /** Reports whether the query was issued by a process that has ended, unless it had no cursors. */
  isLost(index: number, queryId: number): boolean {
    return BigInt(queryId) <= Atomics.load(this.#work, index * WORK_SLOTS + LOST_ID);
  }

  /** Counts a cursor that was closed to make room for one of a user with fewer. */
  cursorEvicted(): void {
    Atomics.add(this.#slots, EVICTED, 1);
  }

  /** Returns the number of cursors that were closed to make room for others. */
  evictedCursors(): number {
    return Atomics.load(this.#slots, EVICTED);
  }

  /** Records that the process begins to work on a tenant's query, which `ticket` cancels. */
  beginWork(
    index: number,
    { id, owner, ticket, tenant }: { id: number; owner: string; ticket: number; tenant: Tenant },
    nowMs: number,
  ): void {
    Atomics.store(this.#slots, slotOf(index, TICKET), ticket);
    Atomics.store(this.#slots, slotOf(index, TENANT), tenantHash(tenant.key) * 2 + (tenant.isAdministrator ? 1 : 0));
    Atomics.store(this.#work, index * WORK_SLOTS + 1, ownerHash(owner));
    Atomics.store(this.#work, index * WORK_SLOTS + 2, BigInt(Math.floor(nowMs)));
    Atomics.store(this.#work, index * WORK_SLOTS, BigInt(id));
  }

  /** Returns the long work of a process, or undefined if there is none. */
  longWork(index: number, nowMs: number): Work | undefined {
    if (!this.isLong(index, nowMs)) return undefined;
    const tenant = this.#load(index, TENANT);
    return {
      index,
      ticket: this.#load(index, TICKET),
      sinceMs: Number(Atomics.load(this.#work, index * WORK_SLOTS + 2)),
      tenant: tenant >> 1,
      isAdministrator: (tenant & 1) === 1,
    };
  }

  endWork(index: number): void {
    Atomics.store(this.#work, index * WORK_SLOTS, 0n);
  }

  /** Records that the process runs the statement's code. It reads no messages until {@link endRun}. */
  beginRun(index: number, ticket: number, limitMs: number): void {
    Atomics.store(this.#slots, slotOf(index, RUN_TICKET), ticket);
    Atomics.store(this.#slots, slotOf(index, RUN_LIMIT), limitMs < MAX_LIMIT_MS ? Math.max(1, limitMs) : 0);
    Atomics.store(this.#slots, slotOf(index, RUN), (this.#load(index, RUN) + 2) | 1);
  }

  /** Runs code that belongs to no statement and may take this long. */
  runWork<T>(index: number, limitMs: number, action: () => T): T {
    this.beginRun(index, this.nextTicket(), limitMs);
    try {
      return action();
    } finally {
      this.endRun(index);
    }
  }

  endRun(index: number): void {
    Atomics.store(this.#slots, slotOf(index, RUN), this.#load(index, RUN) & ~1);
  }

  /** Returns the work that the process runs, or undefined if it is idle. */
  currentRun(index: number): StatementRun | undefined {
    const number = this.#load(index, RUN);
    if ((number & 1) === 0) return undefined;
    return { number, ticket: this.#load(index, RUN_TICKET), limitMs: this.#load(index, RUN_LIMIT) };
  }

  /** Cancels the process's work if it is this query of this owner. */
  cancelQuery(index: number, queryId: number, owner: string): void {
    const at = index * WORK_SLOTS;
    if (Atomics.load(this.#work, at) !== BigInt(queryId) || Atomics.load(this.#work, at + 1) !== ownerHash(owner))
      return;
    this.cancel(this.#load(index, TICKET));
  }

  /** Version of the statistics. Connections opened before it was incremented plan with older statistics. */
  statisticsVersion(): number {
    return Atomics.load(this.#slots, STATISTICS);
  }

  statisticsChanged(): void {
    Atomics.add(this.#slots, STATISTICS, 1);
  }

  #load(index: number, counter: number): number {
    return Atomics.load(this.#slots, slotOf(index, counter));
  }
}

function claimSlot(ticket: number): number {
  return CLAIM_SLOTS + (ticket % CANCEL_SLOTS);
}

function slotOf(index: number, counter: number): number {
  return LOADS + index * LOAD_SLOTS + counter;
}

/** Hashes a tenant's key to 30 bits. */
export function tenantHash(key: string): number {
  return Number(BigInt(Bun.hash(key)) & 0x3fffffffn);
}

/** Hashes a user name, which may be longer than a slot. Users with the same hash could cancel each other's pages. */
function ownerHash(owner: string): bigint {
  return BigInt(Bun.hash(owner));
}
