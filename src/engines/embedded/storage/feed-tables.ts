/**
 * The tables of the change feed, which every database file has. Triggers on a cache's table store each change in the
 * commit that makes it, whichever statement on whichever connection does: commands, SQL, imports, the removal of
 * expired entries. A cache whose changes are not recorded has no triggers, and costs nothing.
 *
 * `feed` has a row for each change. Its positions have no gaps: they are assigned under the file's write lock, and a
 * transaction that is rolled back leaves none. `total` is the total size of all rows up to this one, and `at` the time,
 * so the oldest row to keep is found by bisection, without an index. The fields of a value with separate columns are in
 * `f1`, `f2`, ... and those of the old value in `o1`, `o2`, ..., in the order of the shape's columns: the meaning of a
 * row depends on its cache's definition at that time (`feed_shapes`).
 */

import type { Database } from 'bun:sqlite';
import { randomUuid } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../../base/limits.ts';
import { CHANGE_OPERATIONS, type ChangeOperation } from '../../../grid/change-feed.ts';
import type { WritableDatabase } from './databases.ts';
import { encodeDefinition, NO_ENTITY, type StoredCache, tableName } from './definitions.ts';
import type { Key } from './value-storage.ts';

/** The time in ms since 1970, as SQLite knows it. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** Number of bytes per row besides its keys and values. */
const ROW_BYTES = 48;
const FILE_ID_CHARACTERS = 12;

/** Returns a database file's id, which positions contain, or undefined before the first recorded cache. */
export function feedFileId(database: Database): string | undefined {
  return database.query<{ id: string }, []>('SELECT id FROM feed_file').get()?.id;
}

/** Assigns an id to a database file, unless it has one. Positions in a copy must differ from the original's. */
export function identifyFeedFile(database: Database, isCopy = false): void {
  if (isCopy) database.run('DELETE FROM feed_file');
  if (feedFileId(database) !== undefined) return;
  database.query('INSERT INTO feed_file VALUES (?)').run(randomUuid().replaceAll('-', '').slice(0, FILE_ID_CHARACTERS));
}

/** Returns the column numbers of a cache's table, in the order in which the feed stores them. */
export function feedColumns({ fields }: Pick<StoredCache, 'fields'>): readonly number[] {
  const ofValues = fields.filter(({ entity }) => entity !== NO_ENTITY);
  return [...new Set(ofValues.flatMap(({ place }) => (typeof place === 'number' ? [place] : [])))].sort(
    (a, b) => a - b,
  );
}

/**
 * Records all changes of a cache from here on, in the transaction that creates or alters its table. `operation` is
 * recorded first. Throws CHANGE_FEED_COLUMNS.
 */
export function recordChanges(target: WritableDatabase, cache: StoredCache, operation: ChangeOperation): void {
  const { database, prefix } = target;
  stopRecording(target, cache.id);
  const columns = feedColumns(cache);
  addFeedColumns(target, feedColumnCount(cache));
  const inserted = database
    .query<{ id: bigint }, [number, string]>(
      `INSERT INTO ${prefix}feed_shapes (cache, definition) VALUES (?, ?) RETURNING id`,
    )
    .get(cache.id, encodeDefinition(cache));
  recordEvent(target, cache.id, operation);
  createTriggers(target, cache.id, Number(inserted?.id), columns);
}

/** Stops recording a cache's changes, if they are recorded. */
export function stopRecording(target: WritableDatabase, id: number): void {
  const { database, prefix } = target;
  dropTriggers(target, id);
  database
    .query(
      `UPDATE ${prefix}feed_shapes SET ended = coalesce((SELECT max(position) FROM ${prefix}feed), 0)
      WHERE cache = ? AND ended IS NULL`,
    )
    .run(id);
}

/** Records an event of a whole cache, if its changes are recorded. */
export function recordEvent({ database, prefix }: WritableDatabase, id: number, operation: ChangeOperation): void {
  const feed = `${prefix}feed`;
  database
    .query(
      `INSERT INTO ${feed} (total, shape, operation, at)
      SELECT ${totalAfter(`${ROW_BYTES}`, feed)}, id, ?, ${NOW} FROM ${prefix}feed_shapes
      WHERE cache = ? AND ended IS NULL`,
    )
    .run(CHANGE_OPERATIONS[operation], id);
}

/** Runs an action without recording its changes to a recorded cache's rows. */
export function unrecorded<T>(target: WritableDatabase, cache: StoredCache, action: () => T): T {
  const { database, prefix } = target;
  const shape = database
    .query<{ id: bigint }, [number]>(`SELECT id FROM ${prefix}feed_shapes WHERE cache = ? AND ended IS NULL`)
    .get(cache.id);
  dropTriggers(target, cache.id);
  const result = action();
  createTriggers(target, cache.id, Number(shape?.id), feedColumns(cache));
  return result;
}

/** Runs an action that removes all rows of a recorded cache, and records it as one change. */
export function clearRecorded<T>(target: WritableDatabase, cache: StoredCache, action: () => T): T {
  // Triggers would record each row, and a table without them can be emptied in one step.
  const result = unrecorded(target, cache, action);
  recordEvent(target, cache.id, 'cleared');
  return result;
}

/** Records that an entry's deadline has changed, because the triggers only see changes of values. */
export function recordExpiry({ database, prefix }: WritableDatabase, id: number, key: Key): void {
  const feed = `${prefix}feed`;
  database
    .query(
      `INSERT INTO ${feed} (total, shape, operation, at, kt, k, exp)
      SELECT ${totalAfter(`${ROW_BYTES} + octet_length(e.k)`, feed)}, s.id, ${CHANGE_OPERATIONS.expiryChanged}, ${NOW},
        e.kt, e.k, e.exp
      FROM ${tableName(id)} AS e, ${prefix}feed_shapes AS s
      WHERE e.kt = ? AND e.k = ? AND s.cache = ? AND s.ended IS NULL`,
    )
    .run(key.type, key.storageValue, id);
}

const TRIGGERS = ['inserted', 'updated', 'replaced', 'deleted'] as const;

function dropTriggers({ database, prefix }: WritableDatabase, id: number): void {
  for (const each of TRIGGERS) database.run(`DROP TRIGGER IF EXISTS ${prefix}${tableName(id)}_${each}`);
}

function createTriggers({ database, prefix }: WritableDatabase, id: number, shape: number, columns: readonly number[]) {
  const table = tableName(id);
  const newFields = columns.map((column) => `NEW.f${column}`);
  const oldFields = columns.map((column) => `OLD.f${column}`);
  const slots = columns.map((_, index) => `f${index + 1}`);
  const oldSlots = columns.map((_, index) => `o${index + 1}`);
  const isOldLive = `(OLD.exp IS NULL OR OLD.exp > ${NOW})`;
  const store = (names: readonly string[], values: readonly string[], operation: string, sized: readonly string[]) => {
    const constants = `${totalAfter(sizeOf(sized), 'feed')}, ${shape}, ${operation}, ${NOW}`;
    const columns = ['total', 'shape', 'operation', 'at', 'kt', 'k', ...names];
    return `INSERT INTO feed (${columns.join(', ')}) VALUES (${[constants, ...values].join(', ')})`;
  };
  const { created, updated, removed, expired } = CHANGE_OPERATIONS;
  const added = ['vt', 'v', 'exp', ...slots];
  const addedValues = ['NEW.kt', 'NEW.k', 'NEW.vt', 'NEW.v', 'NEW.exp', ...newFields];
  const former = ['ovt', 'ov', ...oldSlots];
  const formerValues = ['OLD.vt', 'OLD.v', ...oldFields];
  const gone = ['OLD.kt', 'OLD.k', ...formerValues];
  const [both, bothValues] = [
    [...added, ...former],
    [...addedValues, ...formerValues],
  ];
  const sizes = ['NEW.k', 'NEW.v', ...newFields];
  const oldSizes = ['OLD.v', ...oldFields];
  database.run(
    `CREATE TRIGGER ${prefix}${table}_inserted AFTER INSERT ON ${table} BEGIN
      ${store(added, addedValues, `${created}`, sizes)};
    END`,
  );
  const changed = ['vt', 'v', ...columns.map((column) => `f${column}`)].join(', ');
  database.run(
    `CREATE TRIGGER ${prefix}${table}_updated AFTER UPDATE OF ${changed} ON ${table} WHEN ${isOldLive} BEGIN
      ${store(both, bothValues, `${updated}`, [...sizes, ...oldSizes])};
    END`,
  );
  // A put of a key whose entry has expired finds its row: that entry is removed first.
  database.run(
    `CREATE TRIGGER ${prefix}${table}_replaced AFTER UPDATE OF ${changed} ON ${table} WHEN NOT ${isOldLive} BEGIN
      ${store(former, gone, `${expired}`, ['OLD.k', ...oldSizes])};
      ${store(added, addedValues, `${created}`, sizes)};
    END`,
  );
  const end = `CASE WHEN ${isOldLive} THEN ${removed} ELSE ${expired} END`;
  database.run(
    `CREATE TRIGGER ${prefix}${table}_deleted AFTER DELETE ON ${table} BEGIN
      ${store(former, gone, end, ['OLD.k', ...oldSizes])};
    END`,
  );
}

function sizeOf(values: readonly string[]): string {
  return [`${ROW_BYTES}`, ...values.map((value) => `coalesce(octet_length(${value}), 0)`)].join(' + ');
}

function totalAfter(bytes: string, feed: string): string {
  return `coalesce((SELECT total FROM ${feed} ORDER BY position DESC LIMIT 1), 0) + ${bytes}`;
}

/**
 * Adds the columns for fields that no cache has needed so far, while `goesOn` returns true. Returns whether all have
 * been added. For each of them, SQLite checks all changes and reads all triggers again.
 */
export function addFeedColumns(
  { database, prefix }: WritableDatabase,
  count: number,
  goesOn: () => boolean = () => true,
): boolean {
  for (let number = feedWidth({ database, prefix }) + 1; number <= count; number++) {
    database.run(`ALTER TABLE ${prefix}feed ADD COLUMN f${number} ANY`);
    database.run(`ALTER TABLE ${prefix}feed ADD COLUMN o${number} ANY`);
    if (!goesOn()) return number === count;
  }
  return true;
}

/** Returns for how many fields a cache needs columns in `feed`. Throws CHANGE_FEED_COLUMNS. */
export function feedColumnCount(cache: Pick<StoredCache, 'definition' | 'fields'>): number {
  const { length } = feedColumns(cache);
  const { columns } = CHANGE_FEED_BOUNDS;
  if (length > columns) throw gridError('CHANGE_FEED_COLUMNS', cache.definition.name, columns);
  return length;
}

/** Number of columns in `feed` before the field columns. */
const OWN_COLUMNS = 12;

/** Returns for how many fields `feed` has columns. */
export function feedWidth({ database, prefix }: WritableDatabase): number {
  const schema = prefix === '' ? 'main' : prefix.slice(0, -1);
  const row = database
    .query<{ n: bigint }, [string]>("SELECT count(*) AS n FROM pragma_table_info('feed', ?)")
    .get(schema);
  return (Number(row?.n ?? OWN_COLUMNS) - OWN_COLUMNS) / 2;
}

/** The retained changes of a database file's feed, or undefined if it has never had a change. */
export interface FeedRange {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

/** Returns the retained changes of a feed. */
export function feedRange({ database, prefix }: WritableDatabase): FeedRange | undefined {
  const edge = (order: string) =>
    database
      .query<{ position: bigint; total: bigint }, []>(
        `SELECT position, total FROM ${prefix}feed ORDER BY position ${order} LIMIT 1`,
      )
      .get();
  const [first, last] = [edge('ASC'), edge('DESC')];
  if (first === null || last === null) return undefined;
  const bytes = Number(last.total - first.total) + ROW_BYTES;
  return { first: Number(first.position), last: Number(last.position), bytes };
}

export const DEFAULT_RETENTION: FeedRetention = { ageMs: 86_400_000, bytes: 1024 ** 3 };

/** How long and how much of the feed is kept. */
export interface FeedRetention {
  readonly ageMs: number;
  /** Per database file. */
  readonly bytes: number;
}

/** Returns the last position of a feed that is no longer kept, or undefined if all are. The last row is always kept. */
export function feedEnd(target: WritableDatabase, { ageMs, bytes }: FeedRetention, nowMs: number): number | undefined {
  const range = feedRange(target);
  if (range === undefined || range.first === range.last) return undefined;
  const { database, prefix } = target;
  const read = database.query<{ at: bigint; total: bigint }, [number]>(
    `SELECT at, total FROM ${prefix}feed WHERE position >= ? ORDER BY position LIMIT 1`,
  );
  const lastTotal = Number(read.get(range.last)?.total ?? 0n);
  const isOver = (position: number): boolean => {
    const row = read.get(position);
    return row !== null && (Number(row.at) < nowMs - ageMs || lastTotal - Number(row.total) > bytes);
  };
  if (!isOver(range.first)) return undefined;
  let [over, kept] = [range.first, range.last];
  while (kept - over > 1) {
    const middle = Math.floor((over + kept) / 2);
    if (isOver(middle)) over = middle;
    else kept = middle;
  }
  return over;
}

/** Removes up to `rows` changes that are no longer kept. Returns whether there may be more. */
export function trimFeed(target: WritableDatabase, retention: FeedRetention, nowMs: number, rows: number): boolean {
  const end = feedEnd(target, retention, nowMs);
  if (end === undefined) return false;
  const { database, prefix } = target;
  const removed = database
    .query<{ last: bigint | null }, [number, number]>(
      `SELECT max(position) AS last FROM (SELECT position FROM ${prefix}feed WHERE position <= ? ORDER BY position LIMIT ?)`,
    )
    .get(end, rows);
  const last = Number(removed?.last ?? end);
  database.query(`DELETE FROM ${prefix}feed WHERE position <= ?`).run(last);
  if (last < end) return true;
  database.query(`DELETE FROM ${prefix}feed_shapes WHERE ended IS NOT NULL AND ended <= ?`).run(end);
  return false;
}

/** The operation of a row that is not a change. */
export const NO_CHANGE = 0;
/** More positions than can be used in the time that a power cut loses. */
const SKIPPED_POSITIONS = 2 ** 30;

/**
 * Skips positions that a power cut may have lost after consumers saw them, so that none is reused for a different
 * change: a consumer that knows one learns that it is gone. For files whose commits do not all wait for the disk.
 */
export function skipPositions(target: WritableDatabase): void {
  const last = feedRange(target)?.last;
  if (last === undefined) return;
  const { database, prefix } = target;
  database
    .query(
      `INSERT INTO ${prefix}feed (position, total, shape, operation, at)
      SELECT ?, ${totalAfter(`${ROW_BYTES}`, `${prefix}feed`)}, 0, ${NO_CHANGE}, ${NOW}`,
    )
    .run(last + SKIPPED_POSITIONS);
}
