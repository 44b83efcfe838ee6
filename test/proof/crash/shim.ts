/** Builds `io-shim.c` and controls it through shared memory. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, 'io-shim.c');

/** Phases of a commit; the numbers of `enum phase` in io-shim.c. */
export const PHASES = ['idle', 'logWrite', 'logSync', 'dataWrite', 'dataSync'] as const;
export type Phase = (typeof PHASES)[number];

/** Events at which a kill can be armed; the numbers of `enum event` in io-shim.c. */
export const EVENTS = [
  'none',
  'beforeLogWrite',
  'tornLogWrite',
  'beforeLogSync',
  'afterLogSync',
  'beforeDataWrite',
  'beforeDataSync',
  'beforeTruncate',
] as const;
export type ShimEvent = (typeof EVENTS)[number];

/**
 * The effect of fsync: the real call, only an entry in the journal, nothing at all, or nothing for the write-ahead log
 * and an entry in the journal for other files.
 */
export type SyncMode = 'real' | 'journal' | 'ignore' | 'ignoreLog';

export interface ShimOptions {
  /** Absolute path of the folder that is watched. */
  readonly dataDir: string;
  readonly state: string;
  /** File that every operation is recorded in; absent if none. */
  readonly journal?: string;
  readonly sync?: SyncMode;
  /** Additional time for each sync, in microseconds. */
  readonly syncUs?: number;
  /** Whether operations on the log's index and mappings of files also count. */
  readonly countsShared?: boolean;
}

/** The state in the shared file of a process, which survives the process. */
export interface ShimState {
  readonly phase: Phase;
  /** The event at which an armed kill happened, or `none`. */
  readonly fired: ShimEvent;
  readonly logWrites: number;
  readonly logSyncs: number;
  readonly dataWrites: number;
  readonly dataSyncs: number;
}

/** Size of `struct state`, with the files, which all processes of the service number alike. */
const STATE_BYTES = 96 * 1024;
const ARMED_OFFSET = 4;
const CALLS_OFFSET = 48;
const FAIL_FROM_OFFSET = 56;
const FAILED_OFFSET = 72;
const FAIL_ERROR_OFFSET = 80;
const DELAY_OFFSET = 84;
const FAIL_KINDS_OFFSET = 88;
const FAILED_KIND_OFFSET = 92;
const CLOCK_SHIFT_OFFSET = 96;

/** Returns why the shim cannot be built here, or undefined if it can. */
export function shimMissing(): string | undefined {
  if (process.platform !== 'linux') return `the platform is ${process.platform}; the I/O shim is for Linux`;
  if (Bun.which('cc') === null) return 'there is no C compiler (cc)';
  return undefined;
}

/** Compiles the shim, once for each version of its source, and returns the path of the library. */
export function buildShim(): string {
  const hash = Bun.hash(readFileSync(SOURCE)).toString(36);
  const folder = join(tmpdir(), 'svc-io-shim');
  const library = join(folder, `${hash}.so`);
  if (existsSync(library)) return library;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${library}.${process.pid}`;
  const flags = [
    '-O2',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-shared',
    '-fPIC',
    '-o',
    unfinished,
    SOURCE,
    '-ldl',
    '-lpthread',
  ];
  const compiled = Bun.spawnSync(['cc', ...flags], { stderr: 'pipe' });
  if (compiled.exitCode !== 0) throw new Error(`io-shim.c does not compile:\n${compiled.stderr.toString()}`);
  renameSync(unfinished, library);
  return library;
}

/** Returns the environment that preloads the shim into a process, and begins a new state. */
export function shimEnvironment(library: string, options: ShimOptions): Record<string, string> {
  writeFileSync(options.state, Buffer.alloc(STATE_BYTES));
  return {
    LD_PRELOAD: library,
    IO_SHIM_DIR: options.dataDir,
    IO_SHIM_STATE: options.state,
    IO_SHIM_SYNC: options.sync ?? 'real',
    IO_SHIM_SYNC_US: String(options.syncUs ?? 0),
    ...(options.countsShared === true && { IO_SHIM_SHARED: 'true' }),
    ...(options.journal !== undefined && { IO_SHIM_JOURNAL: options.journal }),
  };
}

export function readState(path: string): ShimState {
  const bytes = readFileSync(path);
  const count = (offset: number) => Number(bytes.readBigUInt64LE(offset));
  return {
    phase: PHASES[bytes.readUInt32LE(0)] ?? 'idle',
    fired: EVENTS[bytes.readUInt32LE(12)] ?? 'none',
    logWrites: count(16),
    logSyncs: count(24),
    dataWrites: count(32),
    dataSyncs: count(40),
  };
}

/** Makes the process kill itself at the `count`-th event from now on. */
export function arm(path: string, event: ShimEvent, count: number): void {
  const armed = Buffer.alloc(8);
  armed.writeUInt32LE(EVENTS.indexOf(event), 0);
  armed.writeUInt32LE(count, 4);
  const file = openSync(path, 'r+');
  try {
    // The count first: an event without a count would never be reached.
    writeSync(file, armed, 4, 4, ARMED_OFFSET + 4);
    writeSync(file, armed, 0, 4, ARMED_OFFSET);
  } finally {
    closeSync(file);
  }
}

/** Errors that operations can fail with; the numbers of Linux. */
export const IO_ERRORS = { EIO: 5, ENOSPC: 28, EROFS: 30, EACCES: 13, EMFILE: 24, EDQUOT: 122 } as const;
export type IoError = keyof typeof IO_ERRORS;

/** The operations so far. */
export interface Calls {
  readonly calls: number;
  /** The operations that were made to fail. */
  readonly failed: number;
  /** The kind of the last of them. */
  readonly lastFailed: CallKind | undefined;
}

export function readCalls(path: string): Calls {
  const bytes = readFileSync(path);
  const kind = bytes.readUInt32LE(FAILED_KIND_OFFSET);
  return {
    calls: Number(bytes.readBigUInt64LE(CALLS_OFFSET)),
    failed: Number(bytes.readBigUInt64LE(FAILED_OFFSET)),
    lastFailed: KINDS.find((each) => CALL_KINDS[each] === kind),
  };
}

/** Kinds of operations; the numbers of `enum kind` in io-shim.c. */
const CALL_KINDS = { open: 1, read: 2, write: 4, sync: 8, remove: 16, map: 32 } as const;
export type CallKind = keyof typeof CALL_KINDS;
const KINDS = Object.keys(CALL_KINDS) as CallKind[];

/**
 * Makes the operations from number `from` on fail, `count` of them; a count of 0 ends a failure. `kinds` are those that
 * fail; absent for all.
 */
export function failCalls(
  path: string,
  error: IoError,
  from: number,
  count: number,
  kinds: readonly CallKind[] = [],
): void {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(IO_ERRORS[error]);
  const mask = Buffer.alloc(4);
  mask.writeUInt32LE(kinds.reduce((sum, kind) => sum + CALL_KINDS[kind], 0));
  const range = Buffer.alloc(16);
  range.writeBigUInt64LE(BigInt(from), 0);
  range.writeBigUInt64LE(BigInt(from) + BigInt(count), 8);
  writeAt(path, number, FAIL_ERROR_OFFSET);
  writeAt(path, mask, FAIL_KINDS_OFFSET);
  writeAt(path, range, FAIL_FROM_OFFSET);
}

/** Shifts the clock of the process by a time in ms; 0 ends the shift. */
export function shiftClock(path: string, shiftMs: number): void {
  const shift = Buffer.alloc(8);
  shift.writeBigInt64LE(BigInt(shiftMs));
  writeAt(path, shift, CLOCK_SHIFT_OFFSET);
}

/** Makes every operation slower by a time in microseconds. */
export function delayCalls(path: string, delayUs: number): void {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(delayUs);
  writeAt(path, number, DELAY_OFFSET);
}

function writeAt(path: string, bytes: Buffer, offset: number): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(file);
  }
}

/** Reports whether the process was committing: writing a transaction to the log or syncing it. */
export function insideCommit({ phase }: ShimState): boolean {
  return phase === 'logWrite' || phase === 'logSync';
}

/** The operations of the shim that is preloaded into this process. */
export class SharedCalls {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(path: string) {
    this.#bytes = Bun.mmap(path, { shared: true });
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  get failed(): number {
    return Number(this.#view.getBigUint64(FAILED_OFFSET, true));
  }

  /** Makes `count` operations fail, beginning with the `distance`-th from now. */
  fail(error: number, distance: number, count: number): void {
    const from = this.#view.getBigUint64(CALLS_OFFSET, true) + BigInt(distance);
    this.#view.setUint32(FAIL_ERROR_OFFSET, error, true);
    this.#view.setBigUint64(FAIL_FROM_OFFSET, from, true);
    this.#view.setBigUint64(FAIL_FROM_OFFSET + 8, from + BigInt(count), true);
  }
}
