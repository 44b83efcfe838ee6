/**
 * Lists the running statements and open cursors of all threads, for SYS.SQL_QUERIES and SYS.SCAN_QUERIES. It uses
 * shared memory, because a thread inside SQLite reads no messages.
 */
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';

/** A running statement, or its open cursor. */
export interface RunningStatement {
  /** Query id for qryfetch. */
  readonly id: number;
  readonly kind: 'sql' | 'scan';
  /** The text of a statement, or the cache of a scan. */
  readonly text: string;
  /** The schema of a statement, or the predicate of a scan; empty if there is none. */
  readonly detail: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly pageSize: number;
}

/** The system allocates no memory for slots that were never written. */
const SLOTS = EMBEDDED_BOUNDS.shownStatements;
const SLOT_BYTES = 4_096;
/** State, thread, bytes of the JSON, number of the last use. */
const HEAD_SLOTS = 4;
const INTEGERS_PER_SLOT = SLOT_BYTES / Int32Array.BYTES_PER_ELEMENT;
const TEXT_BYTES = SLOT_BYTES - HEAD_SLOTS * Int32Array.BYTES_PER_ELEMENT;
/** The number of characters of a statement that are shown. Each needs up to six bytes in JSON. */
const SHOWN_CHARACTERS = 500;

/** States: free, being written, or the number of the use, by which a reader notices that the slot was reused. */
const FREE = 0;
const WRITING = 1;
const LAST_USE = 0x7ffffff0;

export const RUNNING_STATEMENTS_BYTES = SLOTS * SLOT_BYTES;

export class RunningStatements {
  readonly #integers: Int32Array;
  readonly #bytes: Uint8Array;
  #hint = 0;

  constructor(memory: SharedArrayBuffer, offset: number) {
    this.#integers = new Int32Array(memory, offset, SLOTS * INTEGERS_PER_SLOT);
    this.#bytes = new Uint8Array(memory, offset, RUNNING_STATEMENTS_BYTES);
  }

  /** Adds a statement of a query thread. Returns the function that removes it. */
  begin(thread: number, statement: RunningStatement): () => void {
    const slot = this.#claim();
    if (slot === undefined) return () => {};
    const bytes = encodeStatement(statement);
    const at = slot * INTEGERS_PER_SLOT;
    this.#bytes.set(bytes, slot * SLOT_BYTES + HEAD_SLOTS * Int32Array.BYTES_PER_ELEMENT);
    this.#integers[at + 1] = thread;
    this.#integers[at + 2] = bytes.length;
    const last = this.#integers[at + 3] ?? 0;
    const use = last >= LAST_USE || last <= WRITING ? WRITING + 1 : last + 1;
    this.#integers[at + 3] = use;
    Atomics.store(this.#integers, at, use);
    let open = true;
    return () => {
      if (open) Atomics.store(this.#integers, at, FREE);
      open = false;
    };
  }

  /** Returns the statements of all threads, the oldest first. */
  list(): RunningStatement[] {
    const found: RunningStatement[] = [];
    for (let slot = 0; slot < SLOTS; slot++) {
      const statement = this.#read(slot);
      if (statement !== undefined) found.push(statement);
    }
    return found.sort((a, b) => a.startedAtMs - b.startedAtMs || a.id - b.id);
  }

  /** Removes the statements of a thread that has ended. */
  ended(thread: number): void {
    for (let at = 0; at < SLOTS * INTEGERS_PER_SLOT; at += INTEGERS_PER_SLOT) {
      if (this.#integers[at + 1] === thread) Atomics.store(this.#integers, at, FREE);
    }
  }

  #claim(): number | undefined {
    for (let tries = 0; tries < SLOTS; tries++) {
      const slot = (this.#hint + tries) % SLOTS;
      if (Atomics.compareExchange(this.#integers, slot * INTEGERS_PER_SLOT, FREE, WRITING) !== FREE) continue;
      // Low slots are reused first, so that little memory is ever touched.
      this.#hint = slot > 64 ? 0 : slot;
      return slot;
    }
    return undefined;
  }

  /** Returns the statement of a slot; undefined when the slot is free or changed while it was read. */
  #read(slot: number): RunningStatement | undefined {
    const at = slot * INTEGERS_PER_SLOT;
    const state = Atomics.load(this.#integers, at);
    if (state === FREE || state === WRITING) return undefined;
    const begin = slot * SLOT_BYTES + HEAD_SLOTS * Int32Array.BYTES_PER_ELEMENT;
    const length = Math.min(TEXT_BYTES, this.#integers[at + 2] ?? 0);
    const copy = new Uint8Array(length);
    copy.set(this.#bytes.subarray(begin, begin + length));
    if (Atomics.load(this.#integers, at) !== state) return undefined;
    // `encodeStatement` wrote it in a thread of this process.
    return JSON.parse(new TextDecoder().decode(copy)) as RunningStatement;
  }
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

/** The number of characters of an owner's name, a schema or a predicate that are shown. */
const MAX_NAME_CHARACTERS = 60;

function shown(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 3)}...` : text;
}
