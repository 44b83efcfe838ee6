/** Reads pages of a database file's change feed, on the connections of a thread that only reads. */
import type { Database, Statement } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import { gridError } from '../../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../../base/limits.ts';
import { CHANGE_OPERATIONS, type Change, type ChangeOperation } from '../../../grid/change-feed.ts';
import type { Value } from '../../../values/value.ts';
import { DATA_DATABASE, prepare, type ReadConnections } from '../storage/databases.ts';
import { decodeDefinition, entityTableName } from '../storage/definitions.ts';
import { feedColumns, feedFileId, feedRange, NO_CHANGE } from '../storage/feed-tables.ts';
import { codecOf } from '../storage/row-codec.ts';
import { reading } from '../storage/storage-failures.ts';
import {
  type Binding,
  decodeValue,
  type Row,
  type StorageValue,
  type TypeNames,
  type ValueCodec,
} from '../storage/value-storage.ts';

/** A cache's definition at the time of its changes. */
interface Shape {
  readonly cache: string;
  readonly codec: ValueCodec;
  /** Columns of the cache's table, in the order of the feed's columns. */
  readonly columns: readonly number[];
  readonly tables: NonNullable<Change['tables']>;
}

/** A change at its position. */
export interface PlacedChange {
  readonly position: number;
  readonly change: Change;
}

/** Some changes after a position, in order. */
export interface FeedPage {
  readonly changes: readonly PlacedChange[];
  /** The position up to which the page contains everything requested. */
  readonly end: number;
  /** Whether more changes may follow immediately. */
  readonly hasMore: boolean;
}

/** The changes that a reader decodes, and whether with their old values. */
export interface FeedFilter {
  /** Every cache, if undefined. */
  readonly caches: ReadonlySet<string> | undefined;
  readonly operations: ReadonlySet<ChangeOperation> | undefined;
  readonly withOldValue: boolean;
}

/** The end of a database file's feed. */
export interface FeedLocation {
  readonly file: string;
  readonly position: number;
}

const OPERATIONS: ReadonlyMap<number, ChangeOperation> = new Map(
  Object.entries(CHANGE_OPERATIONS).map(([name, code]) => [code, name as ChangeOperation]),
);
/** Maximum number of shapes per thread; the least recently used is evicted first. */
const KEPT_SHAPES = 1_024;

/** The number of columns before the field columns in {@link FeedReader.#statement}. */
const FIRST_FIELD = 10;

export class FeedReader {
  readonly #reads: ReadConnections;
  readonly #names: TypeNames;
  readonly #shapes = new LRUCache<string, Shape>({ max: KEPT_SHAPES });
  /** By connection: the statement of a page, and the number of fields that it has columns for. */
  readonly #statements = new WeakMap<
    Database,
    { readonly width: number; readonly statement: Statement<unknown, Binding[]> }
  >();

  constructor(reads: ReadConnections, names: TypeNames) {
    this.#reads = reads;
    this.#names = names;
  }

  /** Returns the end of the feed. */
  end(number: number): FeedLocation {
    const database = this.#connection(number);
    return { file: this.#file(database), position: feedRange({ database, prefix: '' })?.last ?? 0 };
  }

  /** Whether changes have been recorded in a file, and some are kept. */
  hasChanges(number: number): boolean {
    const database = number === DATA_DATABASE ? this.#reads.latest() : this.#connection(number);
    return (feedRange({ database, prefix: '' })?.last ?? 0) > 0;
  }

  /** Returns the position before the oldest change kept. */
  start(number: number): FeedLocation {
    const database = this.#connection(number);
    return { file: this.#file(database), position: (feedRange({ database, prefix: '' })?.first ?? 1) - 1 };
  }

  /** Returns the size in bytes of the changes kept. */
  keptBytes(number: number): number {
    return feedRange({ database: this.#connection(number), prefix: '' })?.bytes ?? 0;
  }

  /** Reports whether changes of a cache with that name are kept. */
  knows(number: number, cache: string): boolean {
    const shapes = this.#connection(number)
      .query<{ definition: string }, []>('SELECT definition FROM feed_shapes')
      .all();
    return shapes.some(({ definition }) => decodeDefinition(definition).definition.name === cache);
  }

  /** Throws CHANGE_POSITION_GONE unless everything after the position is kept. */
  check(number: number, { file, position }: FeedLocation, shown: string): void {
    reading(() => this.#check(this.#connection(number), { file, position }, shown));
  }

  #check(database: Database, { file, position }: FeedLocation, shown: string): void {
    if (this.#file(database) !== file) throw gridError('CHANGE_POSITION_GONE', shown, 'it belongs to another file');
    const found = database.query<unknown, [number]>('SELECT 1 FROM feed WHERE position = ?').get(position);
    if (found !== null) return;
    const range = feedRange({ database, prefix: '' });
    const isBeforeFirst = range === undefined ? position === 0 : position === range.first - 1;
    if (isBeforeFirst) return;
    const reason =
      range !== undefined && position < range.first ? 'changes after it are no longer kept' : 'it is unknown';
    throw gridError('CHANGE_POSITION_GONE', shown, reason);
  }

  /** Returns the changes after a position. Throws CHANGE_POSITION_GONE. */
  page(number: number, place: FeedLocation, filter: FeedFilter, shown: string): FeedPage {
    return reading(() => {
      const database = this.#connection(number);
      this.#check(database, place, shown);
      return this.#page(number, database, place, filter);
    });
  }

  #page(_number: number, database: Database, { file, position }: FeedLocation, filter: FeedFilter): FeedPage {
    const { width, statement } = this.#statement(database);
    const rows = statement.values(position) as StorageValue[][];
    const changes: PlacedChange[] = [];
    let end = position;
    for (const row of rows) {
      const shape = Number(row[1]) === 0 ? undefined : this.#shape(file, database, Number(row[1]));
      if (shape !== undefined && shape.columns.length > width) {
        // A cache with more columns than any before: the statement needs them as well.
        this.#prepare(database, shape.columns.length);
        return { changes, end, hasMore: true };
      }
      end = Number(row[0]);
      const operation = OPERATIONS.get(Number(row[2]));
      if (shape === undefined || operation === undefined || Number(row[2]) === NO_CHANGE) continue;
      if (filter.caches?.has(shape.cache) === false || filter.operations?.has(operation) === false) continue;
      changes.push({ position: end, change: this.#change(row, shape, operation, width, filter.withOldValue) });
    }
    // The limit on bytes may have cut the page.
    return { changes, end, hasMore: rows.length > 0 && end < (feedRange({ database, prefix: '' })?.last ?? 0) };
  }

  #change(row: StorageValue[], shape: Shape, operation: ChangeOperation, width: number, withOldValue: boolean): Change {
    const [, , , at, kt, k, vt, v, exp, ovt, ov] = row;
    const change = { operation, cache: shape.cache, atMs: Number(at) };
    if (kt === null || kt === undefined) {
      return operation === 'cacheCreated' || operation === 'cacheAltered' || operation === 'feedStarted'
        ? { ...change, tables: shape.tables }
        : change;
    }
    const key = decodeValue(Number(kt), k ?? null, this.#names);
    const hasOld = withOldValue && ovt !== null && ovt !== undefined;
    return {
      ...change,
      key,
      ...(vt !== null && vt !== undefined && { value: this.#value(row, shape, vt, v ?? null, FIRST_FIELD + 1) }),
      ...(hasOld && { oldValue: this.#value(row, shape, ovt, ov ?? null, FIRST_FIELD + 1 + width) }),
      ...(exp !== null && exp !== undefined && { expiresAtMs: Number(exp) }),
    };
  }

  #value(row: StorageValue[], { codec, columns }: Shape, type: StorageValue, v: StorageValue, first: number): Value {
    if (columns.length === 0) return decodeValue(Number(type), v, this.#names);
    const stored: Record<string, StorageValue> = {};
    for (const [index, column] of columns.entries()) stored[`f${column}`] = row[first + index] ?? null;
    const decoded: Row = { ...stored, vt: BigInt(Number(type)), v, exp: null };
    return codec.value(decoded);
  }

  #connection(number: number): Database {
    const connection = this.#reads.get(number);
    connection.refresh();
    return connection.database;
  }

  #file(database: Database): string {
    const file = feedFileId(database);
    if (file === undefined) throw gridError('STORAGE_CORRUPT', 'the change feed of a file has no id');
    return file;
  }

  #shape(file: string, database: Database, id: number): Shape {
    const name = `${file}.${id}`;
    const known = this.#shapes.get(name);
    if (known !== undefined) return known;
    const row = database
      .query<{ definition: string }, [number]>('SELECT definition FROM feed_shapes WHERE id = ?')
      .get(id);
    if (row === null) throw gridError('STORAGE_CORRUPT', `shape ${id} of the change feed is missing`);
    const { definition, fields } = decodeDefinition(row.definition);
    const shape = {
      cache: definition.name,
      codec: codecOf(definition, fields, this.#names),
      columns: feedColumns({ fields }),
      tables: definition.entities.map((entity) => ({
        name: entityTableName(entity),
        columns: entity.fields.map(({ name, alias }) => alias ?? name),
      })),
    };
    this.#shapes.set(name, shape);
    return shape;
  }

  #statement(database: Database): { readonly width: number; readonly statement: Statement<unknown, Binding[]> } {
    return this.#statements.get(database) ?? this.#prepare(database, 0);
  }

  #prepare(
    database: Database,
    width: number,
  ): { readonly width: number; readonly statement: Statement<unknown, Binding[]> } {
    this.#statements.get(database)?.statement.finalize();
    const fields = (letter: string) => Array.from({ length: width }, (_, index) => `, ${letter}${index + 1}`).join('');
    const { pageChanges, pageBytes } = CHANGE_FEED_BOUNDS;
    // The inner query bounds the number of rows examined, the outer one their bytes: only there are values read.
    const prepared = {
      width,
      statement: prepare<unknown>(
        database,
        `SELECT f.position, f.shape, f.operation, f.at, f.kt, f.k, f.vt, f.v, f.exp, f.ovt, f.ov
          ${fields('f')}${fields('o')}
        FROM (SELECT position AS p, total AS t FROM feed WHERE position > ?1 ORDER BY p LIMIT ${pageChanges}) AS near
        CROSS JOIN feed AS f ON f.position = near.p
        WHERE near.t <= (SELECT total + ${pageBytes} FROM feed WHERE position > ?1 ORDER BY position LIMIT 1)
        ORDER BY near.p`,
      ),
    };
    this.#statements.set(database, prepared);
    return prepared;
  }
}
