/**
 * Statistics of the executed statements by text and schema, over all processes. They are in shared memory of a fixed
 * size, so recording a statement costs no message, and a reader sees what other processes have recorded.
 */
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { TextCache } from '../../../base/text-cache.ts';
import type { QueryHistoryInfo } from '../system-views/service-info.ts';

/** One execution of a prepared statement. */
export interface ExecutedStatement {
  readonly schema: string;
  readonly sql: string;
  readonly failed: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Rows returned, or changed. */
  readonly rows: number;
}

/** The hashes of a statement with which its slot is found. */
interface Hashes {
  readonly schema: string;
  readonly first: number;
  readonly second: number;
}

/** Maximum number of statements whose hashes each process keeps, and their maximum length. */
const KEPT_HASHES = 200;
const KEPT_CHARACTERS = 2_048;

/** The texts with the same hash modulo the number of sets share this many slots. */
const SLOTS_PER_SET = 8;
const SETS = EMBEDDED_BOUNDS.historyStatements / SLOTS_PER_SET;
/** Memory that was never written costs nothing. */
const SLOT_BYTES = 4_096;
const INTEGERS_PER_SLOT = SLOT_BYTES / Int32Array.BYTES_PER_ELEMENT;
const DOUBLES_PER_SLOT = SLOT_BYTES / Float64Array.BYTES_PER_ELEMENT;

/** Fields of a slot as int32. */
const FIRST_HASH = 0;
const SECOND_HASH = 1;
const SCHEMA_BYTES = 2;
const TEXT_BYTES = 3;
/** A slot's fields as float64, after these. A slot without executions is free. */
const EXECUTIONS = 2;
const FAILURES = 3;
const DURATION = 4;
const ROWS = 9;
const LAST_STARTED_MS = 14;
const HEAD_BYTES = 15 * Float64Array.BYTES_PER_ELEMENT;

/** Fields of a sampled quantity, from {@link DURATION} and {@link ROWS} on. */
const MINIMUM = 0;
const MAXIMUM = 1;
const SUM = 2;
const MEAN = 3;
/** Sum of squared differences from the mean (Welford's algorithm). */
const SQUARES = 4;

/** Maximum number of characters stored of a schema and of a text; each takes up to three bytes. */
const SCHEMA_CHARACTERS = 60;
const TEXT_CHARACTERS = 1_200;

/** Maximum number of attempts to lock a set. A set is locked for less than a microsecond. */
const LOCK_TRIES = 10_000;
const LOCKS_BYTES = SETS * Int32Array.BYTES_PER_ELEMENT;

export const STATEMENT_HISTORY_BYTES = LOCKS_BYTES + EMBEDDED_BOUNDS.historyStatements * SLOT_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Used instead of a statement process's number. */
const UNNUMBERED = -1;

/** Returns the value of a set's lock while a process holds it. */
function holderOf(index: number): number {
  return index + 2;
}

export class StatementHistory {
  readonly #locks: Int32Array;
  readonly #holder: number;
  readonly #integers: Int32Array;
  readonly #doubles: Float64Array;
  readonly #bytes: Uint8Array;
  /** By text. Statements are repeated, and hashing a text takes longer than everything else here. */
  readonly #hashes = new TextCache<Hashes>({ max: KEPT_HASHES });

  /** `offset` is a multiple of 8; `process` is the number of the process that uses the object, until {@link ended}. */
  constructor(memory: ArrayBufferLike, offset: number, index = UNNUMBERED) {
    this.#holder = holderOf(index);
    const slots = offset + LOCKS_BYTES;
    const size = EMBEDDED_BOUNDS.historyStatements * SLOT_BYTES;
    this.#locks = new Int32Array(memory, offset, SETS);
    this.#integers = new Int32Array(memory, slots, size / Int32Array.BYTES_PER_ELEMENT);
    this.#doubles = new Float64Array(memory, slots, size / Float64Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(memory, slots, size);
  }

  /** Counts an execution. A new text replaces the least recently started one in its set. */
  note(statement: ExecutedStatement): void {
    const { first, second } = this.#hashesOf(statement);
    const set = (first >>> 0) % SETS;
    if (!this.#lock(set)) return;
    try {
      const slot = this.#find(set, first, second) ?? this.#replace(set, first, second, statement);
      this.#count(slot * DOUBLES_PER_SLOT, statement);
    } finally {
      Atomics.store(this.#locks, set, 0);
    }
  }

  #hashesOf({ schema, sql }: ExecutedStatement): Hashes {
    const known = this.#hashes.get(sql);
    if (known?.schema === schema) return known;
    const first = Bun.hash.xxHash32(sql, Bun.hash.xxHash32(schema)) | 0;
    const hashes: Hashes = { schema, first, second: Bun.hash.xxHash32(sql, first) | 0 };
    if (sql.length <= KEPT_CHARACTERS) this.#hashes.set(sql, hashes);
    return hashes;
  }

  /** Returns the statistics of all statements, least recently started first. */
  list(): QueryHistoryInfo[] {
    const found: QueryHistoryInfo[] = [];
    for (let set = 0; set < SETS; set++) {
      if (!this.#lock(set)) continue;
      try {
        for (let way = 0; way < SLOTS_PER_SET; way++) {
          const info = this.#read(set * SLOTS_PER_SET + way);
          if (info !== undefined) found.push(info);
        }
      } finally {
        Atomics.store(this.#locks, set, 0);
      }
    }
    return found.sort((a, b) => a.lastStartedAtMs - b.lastStartedAtMs);
  }

  /** Frees the sets that a process had locked when it ended. */
  ended(index: number): void {
    for (let set = 0; set < SETS; set++) Atomics.compareExchange(this.#locks, set, holderOf(index), 0);
  }

  /** Locks a set. Returns false if its holder does not release it, because its process has ended. */
  #lock(set: number): boolean {
    for (let tries = 0; tries < LOCK_TRIES; tries++) {
      if (Atomics.compareExchange(this.#locks, set, 0, this.#holder) === 0) return true;
    }
    return false;
  }

  #find(set: number, first: number, second: number): number | undefined {
    for (let slot = set * SLOTS_PER_SET; slot < (set + 1) * SLOTS_PER_SET; slot++) {
      const at = slot * INTEGERS_PER_SLOT;
      const isSame = this.#integers[at + FIRST_HASH] === first && this.#integers[at + SECOND_HASH] === second;
      if (isSame && this.#double(slot, EXECUTIONS) > 0) return slot;
    }
    return undefined;
  }

  /** Writes the text into a free slot of the set, or into the slot of the least recently started text. */
  #replace(set: number, first: number, second: number, { schema, sql }: ExecutedStatement): number {
    let slot = set * SLOTS_PER_SET;
    for (let other = slot + 1; other < (set + 1) * SLOTS_PER_SET; other++) {
      if (this.#double(other, LAST_STARTED_MS) < this.#double(slot, LAST_STARTED_MS)) slot = other;
    }
    const schemaBytes = encoder.encode(shortened(schema, SCHEMA_CHARACTERS));
    const textBytes = encoder.encode(shortened(sql, TEXT_CHARACTERS));
    const at = slot * INTEGERS_PER_SLOT;
    this.#integers[at + FIRST_HASH] = first;
    this.#integers[at + SECOND_HASH] = second;
    this.#integers[at + SCHEMA_BYTES] = schemaBytes.length;
    this.#integers[at + TEXT_BYTES] = textBytes.length;
    this.#bytes.set(schemaBytes, slot * SLOT_BYTES + HEAD_BYTES);
    this.#bytes.set(textBytes, slot * SLOT_BYTES + HEAD_BYTES + schemaBytes.length);
    this.#doubles.fill(0, slot * DOUBLES_PER_SLOT + EXECUTIONS, slot * DOUBLES_PER_SLOT + LAST_STARTED_MS + 1);
    return slot;
  }

  #count(at: number, { failed, startedAtMs, durationMs, rows }: ExecutedStatement): void {
    const doubles = this.#doubles;
    const executions = (doubles[at + EXECUTIONS] ?? 0) + 1;
    doubles[at + EXECUTIONS] = executions;
    if (failed) doubles[at + FAILURES] = (doubles[at + FAILURES] ?? 0) + 1;
    this.#sample(at + DURATION, durationMs, executions);
    this.#sample(at + ROWS, rows, executions);
    doubles[at + LAST_STARTED_MS] = Math.max(doubles[at + LAST_STARTED_MS] ?? 0, startedAtMs);
  }

  /** Adds a sample of the quantity whose fields begin at `at`. */
  #sample(at: number, sample: number, count: number): void {
    const doubles = this.#doubles;
    const mean = doubles[at + MEAN] ?? 0;
    const newMean = mean + (sample - mean) / count;
    doubles[at + MINIMUM] = count === 1 ? sample : Math.min(doubles[at + MINIMUM] ?? 0, sample);
    doubles[at + MAXIMUM] = Math.max(doubles[at + MAXIMUM] ?? 0, sample);
    doubles[at + SUM] = (doubles[at + SUM] ?? 0) + sample;
    doubles[at + MEAN] = newMean;
    doubles[at + SQUARES] = (doubles[at + SQUARES] ?? 0) + (sample - mean) * (sample - newMean);
  }

  #read(slot: number): QueryHistoryInfo | undefined {
    const executions = this.#double(slot, EXECUTIONS);
    if (executions === 0) return undefined;
    const begin = slot * SLOT_BYTES + HEAD_BYTES;
    const schemaBytes = this.#integers[slot * INTEGERS_PER_SLOT + SCHEMA_BYTES] ?? 0;
    const textBytes = this.#integers[slot * INTEGERS_PER_SLOT + TEXT_BYTES] ?? 0;
    return {
      schema: this.#text(begin, schemaBytes),
      sql: this.#text(begin + schemaBytes, textBytes),
      executions,
      failures: this.#double(slot, FAILURES),
      shortestMs: this.#double(slot, DURATION + MINIMUM),
      longestMs: this.#double(slot, DURATION + MAXIMUM),
      totalMs: this.#double(slot, DURATION + SUM),
      deviationMs: Math.sqrt(this.#double(slot, DURATION + SQUARES) / executions),
      fewestRows: this.#double(slot, ROWS + MINIMUM),
      mostRows: this.#double(slot, ROWS + MAXIMUM),
      totalRows: this.#double(slot, ROWS + SUM),
      deviationRows: Math.sqrt(this.#double(slot, ROWS + SQUARES) / executions),
      lastStartedAtMs: this.#double(slot, LAST_STARTED_MS),
    };
  }

  #text(at: number, length: number): string {
    // The decoder rejects shared memory.
    return decoder.decode(new Uint8Array(this.#bytes.subarray(at, at + length)));
  }

  #double(slot: number, field: number): number {
    return this.#doubles[slot * DOUBLES_PER_SLOT + field] ?? 0;
  }
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
