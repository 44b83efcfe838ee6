/**
 * The table of idempotency keys: the stored results of requests that are executed at most once. The keys of a commit
 * share rows: a row for each would cost a statement, and more pages. The table has no index, because keys are random
 * and each would change a separate page. The writer finds rows by their positions, which only grow.
 */
import type { IdempotencyKey, IdempotencyRecord } from '../../../grid/idempotency.ts';
import type { WritableDatabase } from './databases.ts';

/** The stored record of a request, with its key and the owner of its share of the stored keys. */
export interface KeyedRecord extends IdempotencyRecord {
  readonly id: string;
  readonly tenant: string;
}

/** The stored record of a request, and when it expires. */
export interface ExpiringRecord extends KeyedRecord {
  readonly exp: number;
}

/** A row's position, and its keys. */
export interface RecordRow {
  readonly position: number;
  readonly keys: readonly KeyedRecord[];
}

/** Limits of stored records. */
export interface RecordBounds {
  readonly idempotencyKeys: number;
  readonly idempotencyAnswerCharacters: number;
}

/** Number of keys per row, which then takes one or two pages of the database file. */
const ROW_KEYS = 128;
const ROW_ANSWER_CHARACTERS = 4_096;

/** Reports whether a row with these keys is full. */
export function isRowFull(keys: number, answerCharacters: number): boolean {
  return keys >= ROW_KEYS || answerCharacters >= ROW_ANSWER_CHARACTERS;
}

/** Returns the stored record of a request. */
export function recordOf({ id, fingerprint, tenant }: IdempotencyKey, answer: string | null): KeyedRecord {
  return { id, fingerprint, tenant, answer };
}

/** Formats keys: an array with four elements for each. A tenant equal to the previous key's is null. */
export function encodeKeys(keys: Iterable<KeyedRecord>): string {
  const elements: Array<string | null> = [];
  let former: string | undefined;
  for (const { id, fingerprint, tenant, answer } of keys) {
    elements.push(id, fingerprint, tenant === former ? null : tenant, answer);
    former = tenant;
  }
  return JSON.stringify(elements);
}

/** Reverses {@link encodeKeys}. */
export function decodeKeys(text: string): readonly KeyedRecord[] {
  // Only encodeKeys writes such texts.
  const elements = JSON.parse(text) as ReadonlyArray<string | null>;
  const keys: KeyedRecord[] = [];
  let tenant = '';
  for (let at = 0; at < elements.length; at += ELEMENTS) {
    const [id = null, fingerprint = null, next = null, answer = null] = elements.slice(at, at + ELEMENTS);
    tenant = next ?? tenant;
    keys.push({ id: id ?? '', fingerprint: fingerprint ?? '', tenant, answer });
  }
  return keys;
}

const ELEMENTS = 4;

/** Returns the stored record of a request from the row at a position, or undefined if it has none. */
export function readRecord(
  { database, prefix }: WritableDatabase,
  position: number,
  id: string,
): ExpiringRecord | undefined {
  const row = database
    .query<StoredRow, [number]>(`SELECT position, exp, keys FROM ${prefix}idempotency_keys WHERE position = ?`)
    .get(position);
  return row === null ? undefined : keyIn(row, id);
}

/** Returns the ids of unexpired keys at a position. */
export function idsAt({ database, prefix }: WritableDatabase, position: number, nowMs: number): readonly string[] {
  const row = database
    .query<StoredRow, [number, number]>(
      `SELECT position, exp, keys FROM ${prefix}idempotency_keys WHERE position = ? AND exp > ?`,
    )
    .get(position, nowMs);
  return row === null ? [] : decodeKeys(row.keys).map(({ id }) => id);
}

interface StoredRow {
  readonly position: bigint;
  readonly exp: bigint;
  readonly keys: string;
}

function keyIn({ exp, keys }: StoredRow, id: string): ExpiringRecord | undefined {
  const kept = decodeKeys(keys).find((each) => each.id === id);
  return kept && { ...kept, exp: Number(exp) };
}

/** Stores responses until all have expired. Returns their position. */
export function insertRecords(
  { database, prefix }: WritableDatabase,
  keys: readonly KeyedRecord[],
  expiresAtMs: number,
): number {
  const { lastInsertRowid } = database
    .query(`INSERT INTO ${prefix}idempotency_keys (exp, count, keys) VALUES (?, ?, ?)`)
    .run(expiresAtMs, keys.length, encodeKeys(keys));
  return Number(lastInsertRowid);
}

/** Stores the response to a request that began, which has a separate row. */
export function completeRecord({ database, prefix }: WritableDatabase, position: number, kept: KeyedRecord): void {
  database.query(`UPDATE ${prefix}idempotency_keys SET keys = ? WHERE position = ?`).run(encodeKeys([kept]), position);
}

/**
 * Forgets a request that began, which has a separate row. The row stays until it is swept, so that its position
 * is not reused.
 */
export function discardRecord({ database, prefix }: WritableDatabase, position: number): void {
  database.query(`UPDATE ${prefix}idempotency_keys SET exp = 0 WHERE position = ?`).run(position);
}

/** Returns the response to a request whose row is after a position, or undefined if there is none. */
export function findRecordAfter(
  { database, prefix }: WritableDatabase,
  position: number,
  { id }: IdempotencyKey,
): ExpiringRecord | undefined {
  const rows = database
    .query<StoredRow, [number, string]>(
      `SELECT position, exp, keys FROM ${prefix}idempotency_keys WHERE position > ? AND instr(keys, ?) > 0`,
    )
    .all(position, id);
  for (const row of rows) {
    const kept = keyIn(row, id);
    if (kept !== undefined) return kept;
  }
  return undefined;
}

/** Returns rows after a position with `keys` keys or a few more, in position order. */
export function rowsAfter(writable: WritableDatabase, position: number, keys: number): RecordRow[] {
  const next = countedRows(writable, position, keys);
  const last = lastOfSlice(next, keys);
  return last === undefined ? [] : rowsBetween(writable, position, last);
}

/** A row without its keys. */
interface CountedRow {
  readonly position: bigint;
  readonly exp: bigint;
  readonly count: bigint;
}

function countedRows({ database, prefix }: WritableDatabase, position: number, limit: number): CountedRow[] {
  return database
    .query<CountedRow, [number, number]>(
      `SELECT position, exp, count FROM ${prefix}idempotency_keys WHERE position > ? ORDER BY position LIMIT ?`,
    )
    .all(position, limit);
}

/** Returns the position of the row that reaches this many keys, or of the last row. */
function lastOfSlice(rows: readonly CountedRow[], keys: number): number | undefined {
  let count = 0;
  for (const row of rows) {
    count += Number(row.count);
    if (count >= keys) return Number(row.position);
  }
  const last = rows.at(-1);
  return last && Number(last.position);
}

/** Returns the rows after one position up to another. */
function rowsBetween({ database, prefix }: WritableDatabase, after: number, last: number): RecordRow[] {
  return database
    .query<StoredRow, [number, number]>(
      `SELECT position, exp, keys FROM ${prefix}idempotency_keys WHERE position > ? AND position <= ? ORDER BY position`,
    )
    .all(after, last)
    .map(({ position, keys }) => ({ position: Number(position), keys: decodeKeys(keys) }));
}

/** Returns the last position, or 0 if there is no row. */
export function lastPosition({ database, prefix }: WritableDatabase): number {
  const row = database
    .query<{ last: bigint | null }, []>(`SELECT max(position) AS last FROM ${prefix}idempotency_keys`)
    .get();
  return Number(row?.last ?? 0n);
}

/**
 * Removes up to `keys` expired keys or a few more, and returns their rows. It stops at the first row that has not
 * expired: rows expire in position order, unless the retention of keys was changed. The last row stays, so that no
 * position is reused.
 */
export function deleteExpiredRecords(writable: WritableDatabase, keys: number, nowMs: number): RecordRow[] {
  const [oldest] = countedRows(writable, 0, 1);
  if (oldest === undefined || oldest.exp > nowMs) return [];
  const first = countedRows(writable, 0, keys + 1);
  const alive = first.findIndex(({ exp }) => exp > nowMs);
  const last = lastOfSlice(first.slice(0, alive < 0 ? -1 : alive), keys);
  if (last === undefined) return [];
  const expired = rowsBetween(writable, 0, last);
  const { database, prefix } = writable;
  database.query(`DELETE FROM ${prefix}idempotency_keys WHERE position <= ?`).run(last);
  return expired;
}
