/**
 * The running statements and open cursors of all processes, for the system views, the metrics and KILL QUERY. They are
 * in shared memory, because a process inside SQLite reads no messages.
 */
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { AREA_ALIGNMENT, openPart, type SharedArea } from '../../../base/shared-areas.ts';
import { STATEMENT_STATES, type StatementState } from '../../../grid/statement-report.ts';

/** A running statement, or its open cursor. */
export interface RunningStatement {
  /** Query id, as qryfetch accepts it. */
  readonly id: number;
  readonly kind: 'sql' | 'scan';
  /** The text of a statement, or the cache of a scan. */
  readonly text: string;
  /** Schema of a statement, or predicate of a scan; empty for none. */
  readonly detail: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly pageSize: number;
}

/** The current state of a running statement. */
export interface ListedStatement extends RunningStatement {
  readonly state: StatementState;
  /** Index of its statement process; {@link NO_PROCESS} while it waits for one. */
  readonly processIndex: number;
  /** Rows returned so far. */
  readonly rows: number;
  /** Time spent on its process, in ms. */
  readonly activeMs: number;
  /** Memory of its last page, in bytes. */
  readonly memoryBytes: number;
  /** Bytes that its last page has written to temporary files. */
  readonly temporaryBytes: number;
  /** For a definition over existing entries: how many of them it has converted. */
  readonly convertedRows: number;
  /** How many it has to convert, or 0 for other statements. */
  readonly rowsToConvert: number;
}

/** The process of a statement that waits for one. */
export const NO_PROCESS = -1;

const SLOTS = EMBEDDED_BOUNDS.shownStatements;
/** Shared memory of a statement: one page, most of it for the text that views and logs show. */
const SLOT_BYTES = 4_096;
/**
 * A slot's fields as int32. The first one is the number of the slot's use, which tells readers whether the
 * slot was reused.
 */
const USE = 0;
const THREAD = 1;
const TEXT_LENGTH = 2;
const LAST_USED = 3;
const TICKET = 4;
const FIRST_TICKET = 5;
const STATE = 6;
/** The number of the use that was killed. */
const KILLED = 7;
/** A slot's fields as float64, after these. */
const ID = 4;
const ROWS = 5;
const ACTIVE_MS = 6;
const MEMORY = 7;
const TEMPORARY = 8;
const CONVERTED = 9;
const TO_CONVERT = 10;
const HEAD_BYTES = 88;
const INTEGERS_PER_SLOT = SLOT_BYTES / Int32Array.BYTES_PER_ELEMENT;
const DOUBLES_PER_SLOT = SLOT_BYTES / Float64Array.BYTES_PER_ELEMENT;
const TEXT_BYTES = SLOT_BYTES - HEAD_BYTES;
/** Maximum number of characters shown of a statement; each takes up to six bytes in JSON. */
const SHOWN_CHARACTERS = 500;
/** Maximum number of characters shown of an owner's name, a schema or a predicate. */
const MAX_NAME_CHARACTERS = 60;

/** Values of {@link USE} besides the number of the use, which is positive: free, and being written by a process. */
const FREE = 0;
const MAX_USE = 0x7ffffff0;

function writingBy(processIndex: number): number {
  return NO_PROCESS - 1 - processIndex;
}

/**
 * A query id ends with the number of its process. No statement process has the highest number, so it marks the id that
 * a statement has while it waits for a process, and that it keeps as a second id.
 */
const IDS_PER_TICKET = 16;

/** Memory before the slots: the number of slots ever claimed, as int32. */
const HEAD_OF_AREA_BYTES = AREA_ALIGNMENT;
/** Number of slots mapped together, on first use of any of them. */
const BLOCK_SLOTS = 64;
const BLOCK_BYTES = BLOCK_SLOTS * SLOT_BYTES;

/** The size of the area for all statements. */
export const RUNNING_STATEMENTS_BYTES = HEAD_OF_AREA_BYTES + Math.ceil(SLOTS / BLOCK_SLOTS) * BLOCK_BYTES;

/** Slots that are mapped together. */
interface Block {
  readonly integers: Int32Array;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
}

/** Returns the id of a statement that waits for a process. */
export function waitingId(ticket: number): number {
  return ticket * IDS_PER_TICKET + IDS_PER_TICKET - 1;
}

/** One use of a slot: reads and writes its fields. Does nothing once the use has ended. */
export class RunningEntry {
  readonly #integers: Int32Array;
  readonly #doubles: Float64Array;
  readonly #use: number;

  constructor(integers: Int32Array, doubles: Float64Array, use: number) {
    this.#integers = integers;
    this.#doubles = doubles;
    this.#use = use;
  }

  get isOpen(): boolean {
    return Atomics.load(this.#integers, USE) === this.#use;
  }

  /** Whether the statement was killed; also true if another process has ended its entry. */
  get isKilled(): boolean {
    return Atomics.load(this.#integers, KILLED) === this.#use || !this.isOpen;
  }

  get processIndex(): number {
    return Atomics.load(this.#integers, THREAD);
  }

  /** Number with which the work on its current page can be cancelled. */
  get ticket(): number {
    return Atomics.load(this.#integers, TICKET);
  }

  /** Marks the statement as killed. Returns false if it already was. */
  kill(): boolean {
    return Atomics.exchange(this.#integers, KILLED, this.#use) !== this.#use;
  }

  setTicket(ticket: number): void {
    if (this.isOpen) Atomics.store(this.#integers, TICKET, ticket);
  }

  setState(state: StatementState): void {
    if (this.isOpen) this.#integers[STATE] = STATEMENT_STATES.indexOf(state);
  }

  addRows(count: number): void {
    if (this.isOpen) this.#doubles[ROWS] = (this.#doubles[ROWS] ?? 0) + count;
  }

  setProgress(convertedRows: number, rowsToConvert: number): void {
    if (!this.isOpen) return;
    this.#doubles[CONVERTED] = convertedRows;
    this.#doubles[TO_CONVERT] = rowsToConvert;
  }

  setUsage(activeMs: number, memoryBytes: number, temporaryBytes: number): void {
    if (!this.isOpen) return;
    this.#doubles[ACTIVE_MS] = activeMs;
    this.#doubles[MEMORY] = memoryBytes;
    this.#doubles[TEMPORARY] = temporaryBytes;
  }

  end(): void {
    Atomics.compareExchange(this.#integers, USE, this.#use, FREE);
  }
}

export class RunningStatements {
  readonly #area: SharedArea;
  readonly #claims: Int32Array;
  /** The blocks that this process has used. */
  readonly #blocks: Block[] = [];
  #hint = 0;

  /** `area` has {@link RUNNING_STATEMENTS_BYTES}. */
  constructor(area: SharedArea) {
    this.#area = area;
    const head = openPart(area, 0, HEAD_OF_AREA_BYTES);
    this.#claims = new Int32Array(head.buffer, head.byteOffset, 1);
  }

  /** Adds a statement of a process, or one that waits for a process. Returns undefined if no slot is free. */
  begin(processIndex: number, statement: RunningStatement, ticket: number): RunningEntry | undefined {
    const slot = this.#claim(processIndex);
    if (slot === undefined) return undefined;
    const text = encodeStatement(statement);
    const { integers, doubles, bytes } = this.#blockOf(slot);
    const at = integersAt(slot);
    const doublesAt = (slot % BLOCK_SLOTS) * DOUBLES_PER_SLOT;
    bytes.set(text, (slot % BLOCK_SLOTS) * SLOT_BYTES + HEAD_BYTES);
    integers[at + TEXT_LENGTH] = text.length;
    integers[at + STATE] = STATEMENT_STATES.indexOf(processIndex === NO_PROCESS ? 'waitingForProcess' : 'running');
    Atomics.store(integers, at + THREAD, processIndex);
    Atomics.store(integers, at + TICKET, ticket);
    Atomics.store(integers, at + FIRST_TICKET, ticket);
    Atomics.store(integers, at + KILLED, 0);
    doubles.fill(0, doublesAt + ROWS, doublesAt + TO_CONVERT + 1);
    doubles[doublesAt + ID] = statement.id;
    const last = integers[at + LAST_USED] ?? 0;
    const use = last >= MAX_USE || last <= FREE ? FREE + 1 : last + 1;
    integers[at + LAST_USED] = use;
    Atomics.store(integers, at + USE, use);
    return this.#entry(slot, use);
  }

  /** Ends the entry under which a statement waited for its process. Returns whether it was killed in the meantime. */
  endWaiting(ticket: number): boolean {
    for (let slot = 0; slot < this.#claimed; slot++) {
      const { integers } = this.#blockOf(slot);
      const at = integersAt(slot);
      const use = Atomics.load(integers, at + USE);
      if (use <= FREE || integers[at + TICKET] !== ticket || integers[at + THREAD] !== NO_PROCESS) continue;
      const entry = this.#entry(slot, use);
      const { isKilled } = entry;
      entry.end();
      return isKilled;
    }
    return false;
  }

  /** Ends the entry of a statement that was killed while waiting for the write lock. It will not begin. */
  endKilledWaiting(ticket: number): boolean {
    for (let slot = 0; slot < this.#claimed; slot++) {
      const { integers } = this.#blockOf(slot);
      const at = integersAt(slot);
      const use = Atomics.load(integers, at + USE);
      if (use <= FREE || integers[at + FIRST_TICKET] !== ticket) continue;
      const isWaiting = STATEMENT_STATES[integers[at + STATE] ?? 0] === 'waitingForLock';
      if (!isWaiting || Atomics.load(integers, at + KILLED) !== use) continue;
      this.#entry(slot, use).end();
      return true;
    }
    return false;
  }

  /** Returns the statement with the id and its entry, or undefined if there is none. */
  find(id: number): { readonly statement: ListedStatement; readonly entry: RunningEntry } | undefined {
    for (let slot = 0; slot < this.#claimed; slot++) {
      const use = this.#useOf(slot);
      if (use <= FREE || !this.#hasId(slot, id)) continue;
      const statement = this.#read(slot);
      if (statement !== undefined) return { statement, entry: this.#entry(slot, use) };
    }
    return undefined;
  }

  /** Returns the statements of all processes, oldest first. */
  list(): ListedStatement[] {
    const found: ListedStatement[] = [];
    for (let slot = 0; slot < this.#claimed; slot++) {
      const statement = this.#read(slot);
      if (statement !== undefined) found.push(statement);
    }
    return found.sort((a, b) => a.startedAtMs - b.startedAtMs || a.id - b.id);
  }

  /** Removes the entries of a process that has ended, including one that it was still writing. */
  ended(processIndex: number): void {
    for (let slot = 0; slot < this.#claimed; slot++) {
      const { integers } = this.#blockOf(slot);
      const at = integersAt(slot);
      const use = Atomics.load(integers, at + USE);
      const isOwn = use > FREE ? integers[at + THREAD] === processIndex : use === writingBy(processIndex);
      if (isOwn) Atomics.store(integers, at + USE, FREE);
    }
  }

  /**
   * The number of slots ever claimed, which bounds every search. The first access to a slot's memory page costs a page
   * fault: all of them together would block a process that answers requests for long.
   */
  get #claimed(): number {
    return Atomics.load(this.#claims, 0);
  }

  #setClaimed(count: number): void {
    for (let claimed = this.#claimed; claimed < count; claimed = this.#claimed) {
      Atomics.compareExchange(this.#claims, 0, claimed, count);
    }
  }

  #useOf(slot: number): number {
    return Atomics.load(this.#blockOf(slot).integers, integersAt(slot) + USE);
  }

  #hasId(slot: number, id: number): boolean {
    const { integers, doubles } = this.#blockOf(slot);
    const firstTicket = integers[integersAt(slot) + FIRST_TICKET] ?? 0;
    return doubles[(slot % BLOCK_SLOTS) * DOUBLES_PER_SLOT + ID] === id || waitingId(firstTicket) === id;
  }

  #entry(slot: number, use: number): RunningEntry {
    const { buffer, byteOffset } = this.#blockOf(slot).bytes;
    const offset = byteOffset + (slot % BLOCK_SLOTS) * SLOT_BYTES;
    return new RunningEntry(
      new Int32Array(buffer, offset, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT),
      new Float64Array(buffer, offset, HEAD_BYTES / Float64Array.BYTES_PER_ELEMENT),
      use,
    );
  }

  /** Claims the lowest free slot for a process, so that little memory is ever touched. */
  #claim(processIndex: number): number | undefined {
    for (let tries = 0; tries < SLOTS; tries++) {
      const slot = (this.#hint + tries) % SLOTS;
      const { integers } = this.#blockOf(slot);
      // The cleanup after the process's end must find it.
      this.#setClaimed(slot + 1);
      if (Atomics.compareExchange(integers, integersAt(slot) + USE, FREE, writingBy(processIndex)) !== FREE) continue;
      this.#hint = slot > BLOCK_SLOTS ? 0 : slot;
      return slot;
    }
    return undefined;
  }

  #blockOf(slot: number): Block {
    const index = Math.floor(slot / BLOCK_SLOTS);
    return this.#blocks[index] ?? this.#openBlock(index);
  }

  #openBlock(index: number): Block {
    const bytes = openPart(this.#area, HEAD_OF_AREA_BYTES + index * BLOCK_BYTES, BLOCK_BYTES);
    const { buffer, byteOffset } = bytes;
    const block: Block = {
      integers: new Int32Array(buffer, byteOffset, BLOCK_BYTES / Int32Array.BYTES_PER_ELEMENT),
      doubles: new Float64Array(buffer, byteOffset, BLOCK_BYTES / Float64Array.BYTES_PER_ELEMENT),
      bytes,
    };
    this.#blocks[index] = block;
    return block;
  }

  /** Returns a slot's statement, or undefined if the slot is free or changed while being read. */
  #read(slot: number): ListedStatement | undefined {
    const { integers, doubles, bytes } = this.#blockOf(slot);
    const at = integersAt(slot);
    const use = Atomics.load(integers, at + USE);
    if (use <= FREE) return undefined;
    const begin = (slot % BLOCK_SLOTS) * SLOT_BYTES + HEAD_BYTES;
    const length = Math.min(TEXT_BYTES, integers[at + TEXT_LENGTH] ?? 0);
    const copy = new Uint8Array(length);
    copy.set(bytes.subarray(begin, begin + length));
    const number = (field: number): number => doubles[(slot % BLOCK_SLOTS) * DOUBLES_PER_SLOT + field] ?? 0;
    const usage = {
      state: STATEMENT_STATES[integers[at + STATE] ?? 0] ?? 'running',
      processIndex: integers[at + THREAD] ?? NO_PROCESS,
      rows: number(ROWS),
      activeMs: number(ACTIVE_MS),
      memoryBytes: number(MEMORY),
      temporaryBytes: number(TEMPORARY),
      convertedRows: number(CONVERTED),
      rowsToConvert: number(TO_CONVERT),
    };
    if (Atomics.load(integers, at + USE) !== use) return undefined;
    // Written by `encodeStatement`, in this process or in one that it started.
    return { ...(JSON.parse(new TextDecoder().decode(copy)) as RunningStatement), ...usage };
  }
}

/** Returns the index of a slot's first integer in its block. */
function integersAt(slot: number): number {
  return (slot % BLOCK_SLOTS) * INTEGERS_PER_SLOT;
}

function encodeStatement(statement: RunningStatement): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({
      ...statement,
      text: shown(statement.text, SHOWN_CHARACTERS),
      detail: shown(statement.detail, MAX_NAME_CHARACTERS),
      owner: shown(statement.owner, MAX_NAME_CHARACTERS),
    }),
  );
}

function shown(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
