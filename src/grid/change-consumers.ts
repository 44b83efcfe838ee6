/**
 * The change feed's consumers in all threads, for their limit, the system view and the metrics. They are in shared
 * memory, because streams run on the threads that answer requests.
 */
import { gridError } from '../base/errors.ts';
import { fitsReserve, reserveOf } from '../base/shares.ts';

/** The settings of a consumer, constant for its lifetime. */
export interface ConsumerDescription {
  readonly owner: string;
  /** Cache names; empty for every cache. */
  readonly caches: string;
  readonly startedAtMs: number;
  /** The first database that it reads. */
  readonly database: number;
}

/** The current state of a consumer. */
export interface ListedConsumer extends ConsumerDescription {
  readonly id: number;
  readonly changes: number;
  readonly bytes: number;
  readonly lastAtMs: number;
  /** In the first database. */
  readonly position: number;
}

/** Shared memory per consumer; most of it is never touched. */
const SLOT_BYTES = 4_096;
/** A slot's fields as int32: whether it is used, the tenant's hash, the length of the description. */
const USE = 0;
const TENANT = 1;
const TEXT_LENGTH = 2;
/** A slot's fields as float64, after these. */
const ID = 2;
const CHANGES = 3;
const BYTES = 4;
const LAST_AT = 5;
const POSITION = 6;
const HEAD_BYTES = 64;
const TEXT_BYTES = SLOT_BYTES - HEAD_BYTES;
const INTEGERS_PER_SLOT = SLOT_BYTES / Int32Array.BYTES_PER_ELEMENT;
const DOUBLES_PER_SLOT = SLOT_BYTES / Float64Array.BYTES_PER_ELEMENT;
/** Values of {@link USE}. */
const FREE = 0;
const WRITING = 1;
const USED = 2;
/** Maximum number of characters shown of a name; each takes up to six bytes in JSON. */
const OWNER_CHARACTERS = 60;
const CACHES_CHARACTERS = 500;
/** Fields of the block before the slots: the last consumer's number as int32, counters as float64. */
const LAST_ID = 0;
const DELIVERED = 1;
const LOST = 2;

/** Returns the size of the shared memory for a limit of consumers. */
export function consumersBytes(limit: number): number {
  return SLOT_BYTES * (1 + limit + reserveOf(limit));
}

export class Consumers {
  readonly #limit: number;
  readonly #slots: number;
  readonly #integers: Int32Array;
  readonly #doubles: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(memory: ArrayBufferLike, limit: number) {
    this.#limit = limit;
    this.#slots = memory.byteLength / SLOT_BYTES - 1;
    this.#integers = new Int32Array(memory);
    this.#doubles = new Float64Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  /** Adds a consumer. Throws CHANGE_CONSUMERS if its tenant has too many. */
  enter(tenant: string, description: ConsumerDescription): ConsumerEntry {
    const hash = hashOf(tenant);
    let used = 0;
    let own = 0;
    for (let slot = 1; slot <= this.#slots; slot++) {
      if (Atomics.load(this.#integers, slot * INTEGERS_PER_SLOT + USE) === FREE) continue;
      used++;
      if (this.#integers[slot * INTEGERS_PER_SLOT + TENANT] === hash) own++;
    }
    if (!fitsReserve(this.#limit, used, own)) throw gridError('CHANGE_CONSUMERS', this.#limit);
    for (let slot = 1; slot <= this.#slots; slot++) {
      const at = slot * INTEGERS_PER_SLOT;
      if (Atomics.compareExchange(this.#integers, at + USE, FREE, WRITING) !== FREE) continue;
      const text = new TextEncoder().encode(
        JSON.stringify({
          ...description,
          owner: description.owner.slice(0, OWNER_CHARACTERS),
          caches: description.caches.slice(0, CACHES_CHARACTERS),
        }),
      );
      this.#bytes.set(text.subarray(0, TEXT_BYTES), slot * SLOT_BYTES + HEAD_BYTES);
      this.#integers[at + TENANT] = hash;
      this.#integers[at + TEXT_LENGTH] = text.length;
      const doubles = slot * DOUBLES_PER_SLOT;
      this.#doubles.fill(0, doubles + ID, doubles + POSITION + 1);
      this.#doubles[doubles + ID] = Atomics.add(this.#integers, LAST_ID, 1) + 1;
      this.#doubles[doubles + LAST_AT] = description.startedAtMs;
      Atomics.store(this.#integers, at + USE, USED);
      return this.#entry(slot);
    }
    throw gridError('CHANGE_CONSUMERS', this.#limit);
  }

  /** Returns the consumers of all threads, oldest first. */
  list(): ListedConsumer[] {
    const found: ListedConsumer[] = [];
    for (let slot = 1; slot <= this.#slots; slot++) {
      const consumer = this.#read(slot);
      if (consumer !== undefined) found.push(consumer);
    }
    return found.sort((left, right) => left.id - right.id);
  }

  /** Returns the numbers of consumers, of changes sent to all of them, and of streams that fell behind. */
  counts(): { readonly consumers: number; readonly delivered: number; readonly lost: number } {
    let consumers = 0;
    for (let slot = 1; slot <= this.#slots; slot++) {
      if (Atomics.load(this.#integers, slot * INTEGERS_PER_SLOT + USE) === USED) consumers++;
    }
    return { consumers, delivered: this.#doubles[DELIVERED] ?? 0, lost: this.#doubles[LOST] ?? 0 };
  }

  #entry(slot: number): ConsumerEntry {
    const at = slot * DOUBLES_PER_SLOT;
    const doubles = this.#doubles;
    let isOpen = true;
    return {
      sent(changes, bytes, atMs, position) {
        doubles[at + CHANGES] = (doubles[at + CHANGES] ?? 0) + changes;
        doubles[at + BYTES] = (doubles[at + BYTES] ?? 0) + bytes;
        doubles[at + LAST_AT] = atMs;
        doubles[at + POSITION] = position;
        // Two threads may lose a few increments, which a graph does not show.
        doubles[DELIVERED] = (doubles[DELIVERED] ?? 0) + changes;
      },
      lost() {
        doubles[LOST] = (doubles[LOST] ?? 0) + 1;
      },
      leave: () => {
        if (isOpen) Atomics.store(this.#integers, slot * INTEGERS_PER_SLOT + USE, FREE);
        isOpen = false;
      },
    };
  }

  #read(slot: number): ListedConsumer | undefined {
    const at = slot * INTEGERS_PER_SLOT;
    if (Atomics.load(this.#integers, at + USE) !== USED) return undefined;
    const number = (field: number): number => this.#doubles[slot * DOUBLES_PER_SLOT + field] ?? 0;
    const id = number(ID);
    const begin = slot * SLOT_BYTES + HEAD_BYTES;
    const copy = new Uint8Array(Math.min(TEXT_BYTES, this.#integers[at + TEXT_LENGTH] ?? 0));
    copy.set(this.#bytes.subarray(begin, begin + copy.length));
    const listed = {
      id,
      changes: number(CHANGES),
      bytes: number(BYTES),
      lastAtMs: number(LAST_AT),
      position: number(POSITION),
    };
    if (Atomics.load(this.#integers, at + USE) !== USED || number(ID) !== id) return undefined;
    // Written by `enter` in a thread of this process.
    return { ...(JSON.parse(new TextDecoder().decode(copy)) as ConsumerDescription), ...listed };
  }
}

/** The state of a stream. */
export interface ConsumerEntry {
  /** Records what was sent, and the position in the first database after it. */
  sent(changes: number, bytes: number, atMs: number, position: number): void;
  /** Records that the stream ends because changes that it needs are gone. */
  lost(): void;
  leave(): void;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
