/**
 * Interrupts statements inside SQLite. Each thread that runs statements has a control block in shared memory, which the
 * extension reads (statement-guard.c).
 */
import { ptr } from 'bun:ffi';
import type { Database, Statement } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../../base/clock.ts';
import type { Limits } from '../../../base/limits.ts';
import { GUARD_ENTRY } from './guard-library.ts';

/** Size of a control block in bytes; BLOCK_BYTES in statement-guard.c must be equal. */
export const GUARD_BLOCK_BYTES = 256;

/** Indexes into a control block viewed as float64, int64 and int32 arrays. */
const DEADLINE_MS = 0;
const MEMORY_BYTES = 1;
const DISK_BYTES = 2;
const CANCEL_ADDRESS = 3;
const STOP_ADDRESS = 4;
const CANCEL_VALUE = 10;
const ACTIVE = 11;
const REASON = 12;
/** Not read by the extension: 1 if the statement is ended because all together need too much memory. */
const SHARED = 13;
const GROWN_BYTES = 7;
const BEGUN_BYTES = 8;
const BEGUN_WRITTEN = 9;
const THREAD_ID = 13;
/** For the rows that the extension collects in one string (page-rows.c), as int32. */
const ROWS_WANTED = 28;
const ROWS_BYTES = 29;
const ROWS_DROPPED = 30;
const ROWS_COUNT = 31;
const ROWS_FOLLOW = 32;
const CPU_MS = 17;
const CPU_USED_MS = 18;
const CPU_BEGUN_MS = 19;
const MAX_ROWS = 0x7fffffff;

/** The reasons why the extension interrupts a statement, by number. */
const REASONS = [undefined, 'cancelled', 'time', 'memory', 'disk'] as const;
export type EndReason = Exclude<(typeof REASONS)[number], undefined>;

/** SQLITE_LIMIT_LENGTH: bounds the length of a string, blob or row. */
const LIMIT_LENGTH = 0;
/** Other limits by SQLite's numbers. Emitted statements stay far below them. */
const LIMITS: ReadonlyArray<readonly [id: number, value: number]> = [
  [3, 1_000], // SQLITE_LIMIT_EXPR_DEPTH
  [4, 500], // SQLITE_LIMIT_COMPOUND_SELECT
  [5, 25_000_000], // SQLITE_LIMIT_VDBE_OP
  [7, 10], // SQLITE_LIMIT_ATTACHED
  [8, 50_000], // SQLITE_LIMIT_LIKE_PATTERN_LENGTH
  [10, 100], // SQLITE_LIMIT_TRIGGER_DEPTH
  [11, 0], // SQLITE_LIMIT_WORKER_THREADS
];

/** Maximum bytes of a UTF-16 unit in UTF-8, and of a row besides its key and value. */
const CHARACTER_BYTES = 3;
const ROW_BYTES = 1024 * 1024;
/** Rows of this length can be stored regardless of the current limits, because earlier versions had higher ones. */
const STORED_ROW_BYTES = 128 * 1024 * 1024;

/** Returns the maximum bytes of a stored row. */
export function maxRowBytes({ valueCharacters, keyCharacters }: Limits): number {
  return Math.max(STORED_ROW_BYTES, (valueCharacters + keyCharacters) * CHARACTER_BYTES + ROW_BYTES);
}

/** The budget of one run of a statement. */
export interface RunBounds {
  /** Milliseconds from now; Infinity for no limit. */
  readonly timeMs: number;
  /** Processor time of the thread in milliseconds, or undefined for no limit. */
  readonly cpuMs?: number;
  /** Bytes, or 0 for no limit. */
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Byte offset of an int32, and the value that cancels the statement when stored there. */
  readonly cancelOffset: number;
  readonly cancelValue: number;
}

export interface StatementGuardOptions {
  readonly library: string;
  /** Shared memory that holds the control blocks and the cancel flags. */
  readonly memory: ArrayBufferLike;
  /** Byte offset of this thread's control block, a multiple of 8. */
  readonly blockOffset: number;
  /** Byte offset of the int32 that becomes non-zero when all statements are cancelled. */
  readonly stopOffset: number;
  /** Maximum length of a string or row in bytes. */
  readonly lengthBytes: number;
  readonly clock: Clock;
}

interface Tick {
  readonly ms: number;
}

/** The guard of a thread, which runs one statement at a time. */
export class StatementGuard {
  /** The resources used by the current or the last run. */
  readonly usage: GuardUsage;
  readonly #options: StatementGuardOptions;
  readonly #doubles: Float64Array;
  readonly #longs: BigInt64Array;
  readonly #ints: Int32Array;
  readonly #memoryAddress: bigint;
  readonly #blockAddress: bigint;
  /** Difference between the extension's clock and this thread's, in ms. */
  #offsetMs = 0;

  constructor(options: StatementGuardOptions) {
    const { memory, blockOffset, stopOffset } = options;
    this.#options = options;
    this.usage = new GuardUsage(memory, blockOffset);
    this.#doubles = new Float64Array(memory, blockOffset, GUARD_BLOCK_BYTES / 8);
    this.#longs = new BigInt64Array(memory, blockOffset, GUARD_BLOCK_BYTES / 8);
    this.#ints = new Int32Array(memory, blockOffset, GUARD_BLOCK_BYTES / 4);
    this.#memoryAddress = addressOf(memory);
    this.#blockAddress = this.#memoryAddress + BigInt(blockOffset);
    this.#longs[CANCEL_ADDRESS] = this.#memoryAddress + BigInt(stopOffset);
    this.#longs[STOP_ADDRESS] = this.#memoryAddress + BigInt(stopOffset);
    this.#ints[ACTIVE] = 0;
  }

  /** Loads the extension into one of this thread's connections, and sets its limits. */
  attach(database: Database): GuardedConnection {
    const { library, lengthBytes, clock } = this.#options;
    database.loadExtension(library, GUARD_ENTRY);
    using install = database.prepare<Tick, [bigint]>('SELECT statement_guard(?) AS ms');
    this.#offsetMs = (install.get(this.#blockAddress)?.ms ?? 0) - clock.monotonicMs();
    using limit = database.prepare<unknown, [number, number]>('SELECT statement_guard_limit(?, ?)');
    for (const [id, value] of [...LIMITS, [LIMIT_LENGTH, lengthBytes] as const]) limit.get(id, value);
    return new GuardedConnection(this, database, this.#blockAddress);
  }

  /** Enforces the limits on guarded connections until {@link disarm}. */
  arm({ timeMs, cpuMs = 0, memoryBytes, diskBytes, cancelOffset, cancelValue }: RunBounds): void {
    this.#doubles[DEADLINE_MS] = this.#options.clock.monotonicMs() + this.#offsetMs + timeMs;
    this.#doubles[CPU_MS] = cpuMs;
    this.#doubles[CPU_USED_MS] = 0;
    this.#doubles[CPU_BEGUN_MS] = 0;
    this.#doubles[MEMORY_BYTES] = memoryBytes;
    this.#doubles[DISK_BYTES] = diskBytes;
    this.#longs[CANCEL_ADDRESS] = this.#memoryAddress + BigInt(cancelOffset);
    this.#ints[CANCEL_VALUE] = cancelValue;
    this.#ints[REASON] = 0;
    this.#ints[SHARED] = 0;
    Atomics.store(this.#ints, ACTIVE, 1);
  }

  disarm(): void {
    Atomics.store(this.#ints, ACTIVE, 0);
  }

  /** Bounds the next string of collected rows; a row of `bytes` or more gets a separate string. */
  wantRows(count: number, bytes: number): void {
    this.#ints[ROWS_WANTED] = Math.min(count, MAX_ROWS);
    this.#ints[ROWS_BYTES] = bytes;
    this.#ints[ROWS_DROPPED] = 0;
  }

  /** Drops the collected rows when the string is read next. */
  dropRows(): void {
    this.#ints[ROWS_DROPPED] = 1;
  }

  /** The number of rows in the last string, and whether the statement has another row. */
  get collectedRows(): { readonly count: number; readonly follow: boolean } {
    return { count: this.#ints[ROWS_COUNT] ?? 0, follow: this.#ints[ROWS_FOLLOW] === 1 };
  }

  /** The reason why the last run was interrupted, or undefined if it was not. */
  get reason(): EndReason | undefined {
    return REASONS[this.#ints[REASON] ?? 0];
  }

  /** The processor time of the last run with a limit for it, in ms; the actual time is slightly higher. */
  get usedCpuMs(): number {
    return this.#doubles[CPU_USED_MS] ?? 0;
  }

  /** Whether the reason `memory` concerns the budget of all statements together. */
  get isShared(): boolean {
    return this.#ints[SHARED] === 1;
  }
}

/** Reads the control block of any thread while it runs a statement. */
export class GuardUsage {
  readonly #doubles: Float64Array;
  readonly #longs: BigInt64Array;
  readonly #ints: Int32Array;

  constructor(memory: ArrayBufferLike, blockOffset: number) {
    this.#doubles = new Float64Array(memory, blockOffset, GUARD_BLOCK_BYTES / 8);
    this.#longs = new BigInt64Array(memory, blockOffset, GUARD_BLOCK_BYTES / 8);
    this.#ints = new Int32Array(memory, blockOffset, GUARD_BLOCK_BYTES / 4);
  }

  get isActive(): boolean {
    return Atomics.load(this.#ints, ACTIVE) === 1;
  }

  /** Whether a statement with limited memory is running. */
  get isBounded(): boolean {
    return Atomics.load(this.#ints, ACTIVE) === 1 && (this.#doubles[MEMORY_BYTES] ?? 0) > 0;
  }

  /** Whether {@link endShared} has ended the current run. */
  get isEndedShared(): boolean {
    return Atomics.load(this.#ints, SHARED) === 1;
  }

  /** Ends the current run, because all statements together need too much memory. */
  endShared(): void {
    Atomics.store(this.#ints, SHARED, 1);
    // Its next check finds that it has grown by more.
    this.#doubles[MEMORY_BYTES] = 1;
  }

  /** Growth of the process since the statement's page began, in bytes. */
  get grownBytes(): number {
    return this.#doubles[GROWN_BYTES] ?? 0;
  }

  /** Resident memory of the process when the statement's page began, in bytes. */
  get begunBytes(): number {
    return this.#doubles[BEGUN_BYTES] ?? 0;
  }

  /** Returns the bytes that the page has written to temporary files, or 0 if they are not limited, as for changes. */
  temporaryBytes(): number {
    const thread = this.#longs[THREAD_ID] ?? 0n;
    if ((this.#doubles[DISK_BYTES] ?? 0) === 0 || thread === 0n) return 0;
    try {
      const written = /^wchar: (\d+)/m.exec(readFileSync(`/proc/${thread}/task/${thread}/io`, 'utf8'))?.[1] ?? '0';
      return Math.max(0, Number(written) - (this.#doubles[BEGUN_WRITTEN] ?? 0));
    } catch {
      // The thread has ended.
      return 0;
    }
  }
}

/** A connection whose statements are bounded by its thread's guard. */
export class GuardedConnection {
  readonly guard: StatementGuard;
  readonly #database: Database;
  readonly #address: bigint;
  readonly #begin: Statement<Tick, [bigint]>;
  readonly #end: Statement<Tick, [bigint]>;
  #isRunning = false;

  constructor(guard: StatementGuard, database: Database, address: bigint) {
    this.guard = guard;
    this.#database = database;
    this.#address = address;
    this.#begin = database.prepare('SELECT statement_guard_begin(?) AS ms');
    this.#end = database.prepare('SELECT statement_guard_end(?) AS ms');
  }

  /** Enforces the limits on this connection until {@link end}. */
  begin(bounds: RunBounds): void {
    this.#isRunning = true;
    this.#begin.get(this.#address);
    this.guard.arm(bounds);
  }

  /** Lifts the limits. Does nothing if no run has begun or the connection is closed. */
  end(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.guard.disarm();
    this.#end.get(this.#address);
  }

  /** Frees the rows that a statement has collected and not returned. */
  dropRows(): void {
    using drop = this.#database.prepare('SELECT statement_guard_rows()');
    this.guard.dropRows();
    drop.get();
  }

  /** Releases the connection. Call it before closing the connection. */
  close(): void {
    this.end();
    this.#begin.finalize();
    this.#end.finalize();
  }
}

function addressOf(memory: ArrayBufferLike): bigint {
  return BigInt(ptr(new Uint8Array(memory)));
}
