/** Makes changes at most once for each idempotency key, inside the writer's transaction. */
import { type Clock, sleep } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { fitsReserve } from '../../../base/shares.ts';
import type { CallResult, ChangeKind } from '../../../grid/calls.ts';
import { answerOf, checkedAnswer, checkSameRequest, type IdempotencyKey } from '../../../grid/idempotency.ts';
import { decodeTagged, encodeTagged } from '../../../values/tagged-json.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import {
  completeRecord,
  deleteExpiredRecords,
  discardRecord,
  type ExpiringRecord,
  idsAt,
  insertRecords,
  isRowFull,
  type KeyedRecord,
  lastPosition,
  type RecordBounds,
  type RecordRow,
  readRecord,
  recordOf,
  rowsAfter,
} from '../storage/idempotency-records.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import type { WriteConnection, WriteConnections } from '../storage/write-connections.ts';
import type { IdempotentChanges, IdempotentResult } from './changes.ts';
import { hashOfKey, type IndexedKey, KeyIndex, type RecordLocation, type RowTest } from './key-index.ts';
import type { Steps } from './steps.ts';

type RequestOf<N extends keyof IdempotentChanges> = IdempotentChanges[N]['request'];

/** Thrown if a change has been made whose result cannot be stored, so that its transaction must be rolled back. */
export class RolledBack extends Error {
  readonly reason: GridError;

  constructor(reason: GridError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
  }
}

/** Maximum number of keys read or removed in one step. */
const KEYS_AT_ONCE = 1_000;
/** The response of a request for which only storing its commands matters. */
const NO_RESULT = '';

export class IdempotentWriter {
  readonly #connections: WriteConnections;
  readonly #clock: Clock;
  readonly #bounds: RecordBounds;
  readonly #index = new KeyIndex();
  /** By database number: the last position in the index. */
  readonly #last = new Map<number, number>();
  /** The number of the database that the writer's transaction changes. */
  #database = DATA_DATABASE;
  /** The keys of the transaction that have a row. */
  #uncommitted: IndexedKey[] = [];
  /** The keys of the transaction that have no row yet, by id. */
  readonly #waiting = new Map<string, KeyedRecord>();
  #waitingAnswerCharacters = 0;
  /** When the last of them expires. */
  #waitingExpireAtMs = 0;
  /** Keys of running requests that commit separately, by id. */
  readonly #running = new Set<string>();
  /** Whether the index lacks rows from earlier runs. */
  #isLoading = false;
  /** Resolves when it has them. Rejects if they cannot be read: no key can be used until the next attempt. */
  #loaded: Promise<void> = Promise.resolve();
  /** Whether the last attempt failed; the next request with a key begins another. */
  #hasFailed = false;

  constructor(connections: WriteConnections, clock: Clock, bounds: RecordBounds) {
    this.#connections = connections;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Reads the keys of earlier runs, in slices. */
  start(): void {
    const connections = this.#connections.all();
    if (!connections.some(([, connection]) => lastPosition(connection) > 0)) return;
    this.#beginLoading();
  }

  /** Returns a promise that resolves when keys can be found, or undefined if they can. */
  ready(): Promise<void> | undefined {
    if (!this.#isLoading) return undefined;
    if (this.#hasFailed) this.#beginLoading();
    return this.#loaded;
  }

  /** Reads all keys again, in slices. */
  #beginLoading(): void {
    this.#isLoading = true;
    this.#hasFailed = false;
    for (const [number] of this.#connections.all()) {
      this.#index.removeAll(number);
      this.#last.delete(number);
    }
    this.#loaded = this.#load();
    // Requests with a key report the error.
    this.#loaded.catch(() => {});
  }

  async #load(): Promise<void> {
    // A paused transaction may be rolled back with its keys.
    const isBehind = ([number, { database }]: readonly [number, WriteConnection]): boolean =>
      database.inTransaction || this.#refreshSome(number);
    try {
      while (this.#connections.all().some(isBehind)) await sleep(this.#clock, 0);
      this.#isLoading = false;
    } catch (error) {
      this.#hasFailed = true;
      throw storageFailure(error);
    }
  }

  /** Adds keys that another connection may have committed. Never throws. */
  refresh(): void {
    if (this.#isLoading) return;
    this.#update(() => {
      for (const [number] of this.#connections.all()) while (this.#refreshSome(number));
    });
  }

  /**
   * Brings the index up to date. If that fails, no key can be used until it is reloaded, because it might
   * be used twice.
   */
  #update(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#isLoading = true;
      this.#hasFailed = true;
      this.#loaded = Promise.reject(storageFailure(error));
      this.#loaded.catch(() => {});
    }
  }

  /** Adds some of a database's keys to the index. Returns whether there are more. */
  #refreshSome(database: number): boolean {
    const connection = this.#connections.find(database);
    if (connection === undefined) return false;
    const rows = rowsAfter(connection, this.#last.get(database) ?? 0, KEYS_AT_ONCE);
    for (const key of indexedKeys(rows, database)) this.#add(key);
    return rows.length > 0;
  }

  #add(added: IndexedKey): void {
    this.#index.add(added, this.#hasOther);
    this.#last.set(added.database, added.position);
  }

  /** Reports whether a row has another unexpired key with the hash of `id`. */
  readonly #hasOther: RowTest = ({ database, position }, id) => {
    const connection = this.#connections.find(database);
    const ids = connection === undefined ? [] : idsAt(connection, position, this.#clock.nowMs());
    return ids.some((each) => each !== id && hashOfKey(each) === hashOfKey(id));
  };

  /** Reports whether a row has a key, expired or not. */
  readonly #isIn: RowTest = (location, id) => this.#read(location, id) !== undefined;

  /** Called when a transaction of the writer begins. */
  began(database: number): void {
    this.#database = database;
  }

  /** Called before each commit of the writer: stores the transaction's keys. Throws errors of SQLite. */
  beforeCommit(): void {
    if (this.#waiting.size > 0) this.#store();
  }

  /** Stores the waiting keys in one row. */
  #store(): void {
    const database = this.#database;
    const keys = [...this.#waiting.values()];
    const position = insertRecords(this.#connections.get(database), keys, this.#waitingExpireAtMs);
    for (const { id, tenant } of keys) {
      const key = { id, tenant, database, position };
      this.#add(key);
      this.#uncommitted.push(key);
    }
    this.#forgetWaiting();
  }

  #forgetWaiting(): void {
    this.#waiting.clear();
    this.#waitingAnswerCharacters = 0;
    this.#waitingExpireAtMs = 0;
  }

  /** Called after each commit of the writer. */
  committed(): void {
    if (this.#uncommitted.length > 0) this.#uncommitted = [];
  }

  /** Called after a transaction of the writer was rolled back: its positions are reused. Never throws. */
  rolledBack(database: number): void {
    for (const key of this.#uncommitted) this.#index.remove(key);
    this.#uncommitted = [];
    this.#forgetWaiting();
    const connection = this.#connections.find(database);
    // While the index is loaded, no transaction has keys, and unread records must not be skipped.
    if (connection === undefined || this.#isLoading || !this.#last.has(database)) return;
    this.#update(() => this.#last.set(database, lastPosition(connection)));
  }

  /** Called when the files of non-persistent regions are removed. */
  regionsEnded(): void {
    for (const number of [...this.#last.keys()]) {
      if (number === DATA_DATABASE) continue;
      this.#last.delete(number);
      this.#index.removeAll(number);
    }
  }

  /** Returns the number of the database with the key, or undefined if there is none. Throws IDEMPOTENCY_KEY_REUSED. */
  databaseOf(key: IdempotencyKey): number | undefined {
    return this.#find(key)?.database;
  }

  /**
   * Makes a change in the transaction and stores its result, or returns the stored one. Throws the change's errors,
   * IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE, OUTCOME_UNKNOWN, IDEMPOTENCY_FULL and RolledBack.
   */
  call(key: IdempotencyKey, change: () => CallResult<ChangeKind>): IdempotentResult {
    return this.#replay(key) ?? this.#keepResult(key, change());
  }

  /** Does the same with a change in steps. */
  *callInSteps(key: IdempotencyKey, change: Steps<CallResult<ChangeKind>>): Steps<IdempotentResult> {
    return this.#replay(key) ?? this.#keepResult(key, yield* change);
  }

  /** Returns the stored result, or undefined if the change must be made. */
  #replay(key: IdempotencyKey): IdempotentResult | undefined {
    const kept = this.#answerOf(key);
    if (kept !== undefined) return { result: decodeResult(kept), replayed: true };
    this.#checkSpace(this.#database, key);
    return undefined;
  }

  #keepResult(key: IdempotencyKey, result: CallResult<ChangeKind>): IdempotentResult {
    try {
      this.#keep(key, checkedAnswer(encodeResult(result), this.#bounds.idempotencyAnswerCharacters));
    } catch (error) {
      throw error instanceof GridError ? new RolledBack(error) : error;
    }
    return { result, replayed: false };
  }

  beginOnce({ key, answer }: RequestOf<'beginOnce'>): string | undefined {
    const kept = this.#answerOf(key);
    if (kept !== undefined) return kept;
    this.#checkSpace(DATA_DATABASE, key);
    if (answer !== null) {
      this.#keep(key, answer);
      return undefined;
    }
    // It has a separate row, which changes when the request ends.
    this.beforeCommit();
    this.#keep(key, answer);
    this.beforeCommit();
    this.#running.add(key.id);
    return undefined;
  }

  completeOnce({ key, answer }: RequestOf<'completeOnce'>): undefined {
    this.#running.delete(key.id);
    const found = this.#find(key);
    if (found !== undefined && answer !== undefined && answer.length <= this.#bounds.idempotencyAnswerCharacters) {
      completeRecord(this.#connections.data, found.position, { ...found.kept, answer });
    }
    return undefined;
  }

  discardOnce({ key }: RequestOf<'discardOnce'>): undefined {
    this.#running.delete(key.id);
    const found = this.#find(key);
    if (found !== undefined) discardRecord(this.#connections.data, found.position);
    return undefined;
  }

  claimKey({ key }: RequestOf<'claimKey'>): IdempotentChanges['claimKey']['response'] {
    const answer = this.#answerOf(key);
    if (answer !== undefined) return { answer };
    this.#checkSpace(DATA_DATABASE, key);
    this.#running.add(key.id);
    return { since: Object.fromEntries(this.#last) };
  }

  releaseKey({ key }: RequestOf<'releaseKey'>): undefined {
    this.#running.delete(key.id);
    this.refresh();
    return undefined;
  }

  sweepKeys({ database, keys }: RequestOf<'sweepKeys'>): boolean {
    return this.#connections.find(database) !== undefined && this.#sweep(database, keys) >= keys;
  }

  /** Removes expired keys. Returns their number. */
  #sweep(database: number, keys: number): number {
    const removed = indexedKeys(
      deleteExpiredRecords(this.#connections.get(database), keys, this.#clock.nowMs()),
      database,
    );
    for (const key of removed) this.#index.remove(key);
    return removed.length;
  }

  /** Throws IDEMPOTENCY_FULL if no more keys of its tenant fit, after removing some that have expired. */
  #checkSpace(database: number, { tenant }: IdempotencyKey): void {
    const { idempotencyKeys: limit } = this.#bounds;
    if (this.#index.size + this.#waiting.size < limit) return;
    if (this.#connections.get(database).database.inTransaction) {
      this.beforeCommit();
      this.#sweep(database, KEYS_AT_ONCE);
    }
    if (!fitsReserve(limit, this.#index.size, this.#index.countOf(tenant))) throw gridError('IDEMPOTENCY_FULL', limit);
  }

  /** Keeps a response until the writer's transaction commits, and afterwards. */
  #keep(key: IdempotencyKey, answer: string | null): void {
    this.#waiting.set(key.id, recordOf(key, answer));
    this.#waitingAnswerCharacters += answer?.length ?? 0;
    if (key.expiresAtMs > this.#waitingExpireAtMs) this.#waitingExpireAtMs = key.expiresAtMs;
    if (isRowFull(this.#waiting.size, this.#waitingAnswerCharacters)) this.#store();
  }

  #read({ database, position }: RecordLocation, id: string): ExpiringRecord | undefined {
    const connection = this.#connections.find(database);
    return connection && readRecord(connection, position, id);
  }

  /** Returns the stored record of a request, or undefined for a new or expired key. Throws IDEMPOTENCY_KEY_REUSED. */
  #find(key: IdempotencyKey): (RecordLocation & { readonly kept: KeyedRecord }) | undefined {
    const location = this.#index.find(key.id, this.#isIn);
    const kept = location && this.#read(location, key.id);
    if (location === undefined || kept === undefined || kept.exp <= this.#clock.nowMs()) return undefined;
    checkSameRequest(kept, key);
    return { ...location, kept };
  }

  /** Returns the stored response, or undefined if the request is new. Throws like {@link call} for the others. */
  #answerOf(key: IdempotencyKey): string | undefined {
    const kept = this.#waiting.get(key.id) ?? this.#find(key)?.kept;
    if (kept !== undefined) return answerOf(kept, key, this.#running.has(key.id));
    if (this.#running.has(key.id)) throw gridError('IDEMPOTENCY_KEY_IN_USE');
    const { batch, ...ofRequest } = key;
    if (batch === undefined || this.#answerOf({ ...ofRequest, id: batch }) !== undefined) return undefined;
    // The batch's key was not accepted.
    throw gridError('IDEMPOTENCY_KEY_IN_USE');
  }
}

/** Returns the keys of rows for the index. */
function indexedKeys(rows: readonly RecordRow[], database: number): IndexedKey[] {
  return rows.flatMap(({ position, keys }) => keys.map(({ id, tenant }) => ({ id, tenant, database, position })));
}

/** Returns the text of a result. */
export function encodeResult(result: unknown): string {
  // The results of most commands.
  if (result === true) return 'true';
  if (result === false) return 'false';
  return result === undefined ? NO_RESULT : encodeTagged(result);
}

/** Reverses {@link encodeResult}. */
export function decodeResult(text: string): CallResult<ChangeKind> {
  // Only encodeResult writes such texts, from a result of the same request.
  return text === NO_RESULT ? undefined : (decodeTagged(text) as CallResult<ChangeKind>);
}
