/** Makes changes at most once for each idempotency key, inside the writer's transaction. */
import type { Clock } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import type { EntryResult } from '../../../grid/grid.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import {
  checkedAnswer,
  checkKeptSpace,
  completeKept,
  discardKept,
  findKept,
  type KeptAnswer,
  type KeptBounds,
  keep,
  sweepKept,
} from '../storage/kept-answers.ts';
import { decodeTagged, encodeTagged } from '../storage/tagged-json.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { OnceChanges } from './changes.ts';

type RequestOf<N extends keyof OnceChanges> = OnceChanges[N]['request'];

/** Thrown when a change has been made whose result cannot be kept, so that its transaction must be rolled back. */
export class RolledBack extends Error {
  readonly reason: GridError;

  constructor(reason: GridError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** The answer of a request of which only the keeping of its commands matters. */
const NO_RESULT = '';

export class OnceWriter {
  readonly #connections: WriteConnections;
  readonly #clock: Clock;
  readonly #bounds: KeptBounds;
  /** Keys of the requests that run now and commit separately, by their ids. */
  readonly #running = new Set<string>();

  constructor(connections: WriteConnections, clock: Clock, bounds: KeptBounds) {
    this.#connections = connections;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Returns the number of the database with the key; undefined if there is none. Throws IDEMPOTENCY_KEY_REUSED. */
  databaseOf(key: IdempotencyKey): number | undefined {
    const nowMs = this.#clock.nowMs();
    return this.#connections.all().find(([, connection]) => findKept(connection, key, nowMs) !== undefined)?.[0];
  }

  /**
   * Makes a change in the transaction of a database and keeps its result, or returns the kept one. Throws what the
   * change throws, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE, OUTCOME_UNKNOWN, IDEMPOTENCY_FULL and RolledBack.
   */
  call(key: IdempotencyKey, database: number, change: () => EntryResult): OnceChanges['callOnce']['response'] {
    const kept = this.#find(key);
    if (kept !== undefined) return { result: decodeResult(this.#answerOf(key, kept)), replayed: true };
    // A transaction or a request of another kind has the key.
    if (this.#running.has(key.id)) throw fail('IDEMPOTENCY_KEY_IN_USE');
    const connection = this.#connections.get(database);
    checkKeptSpace(connection, this.#bounds, this.#clock.nowMs());
    const result = change();
    try {
      keep(connection, key, checkedAnswer(encodeResult(result), this.#bounds));
    } catch (error) {
      throw error instanceof GridError ? new RolledBack(error) : error;
    }
    return { result, replayed: false };
  }

  beginOnce({ key, answer }: RequestOf<'beginOnce'>): string | undefined {
    const kept = this.#find(key);
    if (kept !== undefined) return this.#answerOf(key, kept);
    if (this.#running.has(key.id)) throw fail('IDEMPOTENCY_KEY_IN_USE');
    const connection = this.#connections.data;
    checkKeptSpace(connection, this.#bounds, this.#clock.nowMs());
    keep(connection, key, answer);
    if (answer === null) this.#running.add(key.id);
    return undefined;
  }

  completeOnce({ key, answer }: RequestOf<'completeOnce'>): undefined {
    this.#running.delete(key.id);
    if (answer !== undefined && answer.length <= this.#bounds.idempotencyAnswerCharacters) {
      completeKept(this.#connections.data, key, answer);
    }
    return undefined;
  }

  discardOnce({ key }: RequestOf<'discardOnce'>): undefined {
    this.#running.delete(key.id);
    discardKept(this.#connections.data, key);
    return undefined;
  }

  claimKey({ id }: RequestOf<'claimKey'>): undefined {
    if (this.#running.has(id)) throw fail('IDEMPOTENCY_KEY_IN_USE');
    this.#running.add(id);
    return undefined;
  }

  releaseKey({ id }: RequestOf<'releaseKey'>): undefined {
    this.#running.delete(id);
    return undefined;
  }

  sweepKeys({ database, rows }: RequestOf<'sweepKeys'>): boolean {
    const connection = this.#connections.find(database);
    return connection !== undefined && sweepKept(connection, rows, this.#clock.nowMs());
  }

  #find(key: IdempotencyKey): KeptAnswer | undefined {
    const { data } = this.#connections;
    const nowMs = this.#clock.nowMs();
    const kept = findKept(data, key, nowMs);
    if (kept !== undefined || this.#connections.files.temporaryRegions.length === 0) return kept;
    for (const [number, connection] of this.#connections.all()) {
      if (number === DATA_DATABASE) continue;
      const other = findKept(connection, key, nowMs);
      if (other !== undefined) return other;
    }
    return undefined;
  }

  #answerOf({ id }: IdempotencyKey, { answer }: KeptAnswer): string {
    if (answer !== null) return answer;
    throw this.#running.has(id) ? fail('IDEMPOTENCY_KEY_IN_USE') : fail('BEGAN_ONCE');
  }
}

/** Returns the text of a result. */
export function encodeResult(result: unknown): string {
  return result === undefined ? NO_RESULT : encodeTagged(result);
}

/** Reverses {@link encodeResult}. */
export function decodeResult(text: string): EntryResult {
  // Only encodeResult writes such texts, from a result of the same request.
  return text === NO_RESULT ? undefined : (decodeTagged(text) as EntryResult);
}
