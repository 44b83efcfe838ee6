/** The table of idempotency keys: what is kept of requests that are executed at most once. */
import { fail } from '../../../base/errors.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import type { ReadConnections } from './databases.ts';
import type { WritableDatabase } from './write-connections.ts';

/** What is kept of a request. */
export interface KeptAnswer {
  /** Null: the request has begun, and its change commits separately. */
  readonly answer: string | null;
}

interface Row extends KeptAnswer {
  readonly fingerprint: string;
}

/** Bounds of what is kept in one database file. */
export interface KeptBounds {
  readonly idempotencyKeys: number;
  readonly idempotencyAnswerCharacters: number;
}

/** Rows that a full table removes at once if they have expired. */
const ROWS_OF_FULL = 500;

/** Returns what is kept of a request; undefined for a key that is new or has expired. Throws IDEMPOTENCY_KEY_REUSED. */
export function findKept(
  { database, prefix }: WritableDatabase,
  key: IdempotencyKey,
  nowMs: number,
): KeptAnswer | undefined {
  const row = database
    .query<Row, [string, number]>(`SELECT fingerprint, answer FROM ${prefix}idempotency_keys WHERE id = ? AND exp > ?`)
    .get(key.id, nowMs);
  if (row === null) return undefined;
  if (row.fingerprint !== key.fingerprint) throw fail('IDEMPOTENCY_KEY_REUSED');
  return row;
}

/** Throws IDEMPOTENCY_FULL when no further key fits, after removing some that have expired. */
export function checkKeptSpace(target: WritableDatabase, { idempotencyKeys: limit }: KeptBounds, nowMs: number): void {
  if (usedPositions(target) < limit) return;
  sweepKept(target, ROWS_OF_FULL, nowMs);
  if (usedPositions(target) >= limit) throw fail('IDEMPOTENCY_FULL', limit);
}

/** Returns the number of positions from the first to the last key, which keys that were discarded are part of. */
function usedPositions({ database, prefix }: WritableDatabase): number {
  const table = `${prefix}idempotency_keys`;
  // Two subqueries, because SQLite finds only one minimum or maximum of a query in the tree.
  const row = database
    .query<{ used: bigint | null }, []>(
      `SELECT (SELECT max(position) FROM ${table}) - (SELECT min(position) FROM ${table}) + 1 AS used`,
    )
    .get();
  return Number(row?.used ?? 0);
}

/** Keeps an answer. An expired one of the same key is replaced. */
export function keep({ database, prefix }: WritableDatabase, key: IdempotencyKey, answer: string | null): void {
  database
    .query(`INSERT OR REPLACE INTO ${prefix}idempotency_keys (id, fingerprint, exp, answer) VALUES (?, ?, ?, ?)`)
    .run(key.id, key.fingerprint, key.expiresAtMs, answer);
}

/** Keeps the answer of a request that began. */
export function completeKept({ database, prefix }: WritableDatabase, { id }: IdempotencyKey, answer: string): void {
  database.query(`UPDATE ${prefix}idempotency_keys SET answer = ? WHERE id = ?`).run(answer, id);
}

/** Forgets a request that began. */
export function discardKept({ database, prefix }: WritableDatabase, { id }: IdempotencyKey): void {
  database.query(`DELETE FROM ${prefix}idempotency_keys WHERE id = ? AND answer IS NULL`).run(id);
}

/**
 * Removes up to `rows` keys that have expired. Returns whether there may be more. It stops at the first one that has
 * not: keys expire in the order of their positions, unless the time for which they are kept was changed.
 */
export function sweepKept({ database, prefix }: WritableDatabase, rows: number, nowMs: number): boolean {
  const table = `${prefix}idempotency_keys`;
  const first = database
    .query<{ position: bigint; exp: bigint }, [number]>(`SELECT position, exp FROM ${table} ORDER BY position LIMIT ?`)
    .all(rows);
  const alive = first.findIndex(({ exp }) => exp > nowMs);
  const last = first[(alive < 0 ? first.length : alive) - 1];
  if (last === undefined) return false;
  database.query(`DELETE FROM ${table} WHERE position <= ?`).run(last.position);
  return alive < 0 && first.length === rows;
}

/** Returns the text of an answer that may be kept. Throws LIMIT_EXCEEDED. */
export function checkedAnswer(answer: string, { idempotencyAnswerCharacters: limit }: KeptBounds): string {
  if (answer.length <= limit) return answer;
  throw fail('LIMIT_EXCEEDED', 'characters of a result with an Idempotency-Key', limit, answer.length);
}

/**
 * Returns the answer that is kept in one of the files, as it was committed last. Throws IDEMPOTENCY_KEY_REUSED, and
 * OUTCOME_UNKNOWN for a request that has only begun.
 */
export function findAnswer(
  reads: ReadConnections,
  databases: Iterable<number>,
  key: IdempotencyKey,
  nowMs: number,
): string | undefined {
  for (const number of databases) {
    const connection = reads.get(number);
    connection.refresh();
    const kept = findKept({ database: connection.database, prefix: '' }, key, nowMs);
    if (kept?.answer === null) throw fail('BEGAN_ONCE');
    if (kept !== undefined) return kept.answer;
  }
  return undefined;
}
