/**
 * The table of idempotency keys: what is kept of requests that are executed at most once. It has no index, because keys
 * are random: each would change a page of its own, and a put with a key took 2.9 times the CPU time of one without. The
 * writer finds rows by their positions, which only grow.
 */
import type { IdempotencyKey, KeptAnswer } from '../../../grid/idempotency.ts';
import type { WritableDatabase, WriteConnection } from './write-connections.ts';

/** What is kept of a request, with its key. */
export interface KeptRow extends KeptAnswer {
  readonly id: string;
  readonly exp: bigint;
}

/** A row and its key. */
export interface KeptPosition {
  readonly id: string;
  readonly position: number;
  /** Whose share of the kept keys it uses. */
  readonly claimant: string;
}

/** Bounds of what is kept. */
export interface KeptBounds {
  readonly idempotencyKeys: number;
  readonly idempotencyAnswerCharacters: number;
}

const FIELDS = 'id, fingerprint, exp, answer';

/** Returns the row at a position; null if there is none. */
export function readKept({ database, prefix }: WritableDatabase, position: number): KeptRow | null {
  return database
    .query<KeptRow, [number]>(`SELECT ${FIELDS} FROM ${prefix}idempotency_keys WHERE position = ?`)
    .get(position);
}

const COLUMNS = 'idempotency_keys (id, fingerprint, claimant, exp, answer) VALUES (?, ?, ?, ?, ?)';
const INSERT = `INSERT INTO ${COLUMNS}`;

/** Keeps an answer. */
export function keep({ database, prefix }: WritableDatabase, key: IdempotencyKey, answer: string | null): void {
  database.query(`INSERT INTO ${prefix}${COLUMNS}`).run(key.id, key.fingerprint, key.claimant, key.expiresAtMs, answer);
}

/** Keeps an answer in the writer's transaction. Returns its position. */
export function keepInWriter(connection: WriteConnection, key: IdempotencyKey, answer: string | null): number {
  const { lastInsertRowid } = connection
    .statement(INSERT)
    .run(key.id, key.fingerprint, key.claimant, key.expiresAtMs, answer);
  return Number(lastInsertRowid);
}

/** Keeps the answer of a request that began. */
export function completeKept({ database, prefix }: WritableDatabase, position: number, answer: string): void {
  database.query(`UPDATE ${prefix}idempotency_keys SET answer = ? WHERE position = ?`).run(answer, position);
}

/** Forgets a request that began. The row stays until it is swept, so that its position is not used again. */
export function discardKept({ database, prefix }: WritableDatabase, position: number): void {
  database.query(`UPDATE ${prefix}idempotency_keys SET exp = 0 WHERE position = ?`).run(position);
}

/** Returns the answer of a request whose row is behind a position; undefined if there is none. */
export function findKeptAfter(
  { database, prefix }: WritableDatabase,
  position: number,
  { id }: IdempotencyKey,
): KeptRow | undefined {
  return (
    database
      .query<KeptRow, [number, string]>(`SELECT ${FIELDS} FROM ${prefix}idempotency_keys WHERE position > ? AND id = ?`)
      .get(position, id) ?? undefined
  );
}

/** Returns up to `rows` keys behind a position, in the order of their positions. */
export function keptAfter({ database, prefix }: WritableDatabase, position: number, rows: number): KeptPosition[] {
  return database
    .query<{ id: string; position: bigint; claimant: string }, [number, number]>(
      `SELECT id, position, claimant FROM ${prefix}idempotency_keys WHERE position > ? ORDER BY position LIMIT ?`,
    )
    .all(position, rows)
    .map(({ id, position: each, claimant }) => ({ id, position: Number(each), claimant }));
}

/** Returns the last position; 0 if there is no row. */
export function lastPosition({ database, prefix }: WritableDatabase): number {
  const row = database
    .query<{ last: bigint | null }, []>(`SELECT max(position) AS last FROM ${prefix}idempotency_keys`)
    .get();
  return Number(row?.last ?? 0n);
}

/**
 * Removes up to `rows` keys that have expired, and returns them. It stops at the first one that has not: keys expire in
 * the order of their positions, unless the time for which they are kept was changed. The last row stays, so that no
 * position is used again.
 */
export function sweepKept({ database, prefix }: WritableDatabase, rows: number, nowMs: number): KeptPosition[] {
  const table = `${prefix}idempotency_keys`;
  const oldest = database.query<{ exp: bigint }, []>(`SELECT exp FROM ${table} ORDER BY position LIMIT 1`).get();
  if (oldest === null || oldest.exp > nowMs) return [];
  const first = database
    .query<{ id: string; position: bigint; claimant: string; exp: bigint }, [number]>(
      `SELECT id, position, claimant, exp FROM ${table} ORDER BY position LIMIT ?`,
    )
    .all(rows + 1);
  const alive = first.findIndex(({ exp }) => exp > nowMs);
  const expired = first.slice(0, alive < 0 ? first.length - 1 : alive);
  const last = expired.at(-1);
  if (last !== undefined) database.query(`DELETE FROM ${table} WHERE position <= ?`).run(last.position);
  return expired.map(({ id, position, claimant }) => ({ id, position: Number(position), claimant }));
}
