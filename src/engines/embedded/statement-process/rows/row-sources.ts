/** The sources of a cursor's rows: a statement on its own connection, or rows that are already known. */
import type { Column } from '../../../../grid/grid.ts';
import type { RowShape, ValueReader } from '../../../../grid/row-writers.ts';
import type { SqlType } from '../../../../sql/types/sql-types.ts';
import { NULL, type Value } from '../../../../values/value.ts';
import type { GuardedConnection } from '../../native/statement-guard.ts';
import { readJsonRow, type WrittenFormat } from '../../shared/json-rows.ts';
import { statementFailure } from '../../shared/sql-failures.ts';
import type { StorageRow } from '../../sql/statement-cache.ts';
import type { SqlConnection } from '../sql-connection.ts';
import { SpilledRows } from './spilled-rows.ts';

/** A row: a reader of its columns, or the JSON that SQLite wrote. */
export type SourceRow = ValueReader | string;

/** JSON rows in one string, joined with commas. */
export interface RowBatch {
  readonly text: string;
  readonly count: number;
  /** Whether there is a row after them. */
  readonly follow: boolean;
}

/** An iterator over rows that holds resources until it is closed. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** True if it reads caches; it is then closed when the cluster becomes INACTIVE. */
  readonly overCaches: boolean;
  /** Returns the next row, or undefined after the last. */
  next(): SourceRow | undefined;
  /**
   * Returns the next `count` JSON rows, but no more once they have `bytes`, or undefined if rows can only be read one
   * by one. Returns no rows for a count of 0, or at the end.
   */
  nextRows?(count: number, bytes: number): RowBatch | undefined;
  /** Whether a row follows those already read, or undefined if unknown. */
  readonly follow?: boolean | undefined;
  /** The format of rows that are strings: arrays, or objects; undefined if no row is a string. */
  readonly written?: WrittenFormat;
  /** Returns a reader of a JSON row's columns. */
  read(row: string): ValueReader;
  /** Moves rows off the pinned snapshot until `isOver`. Returns true once the snapshot is no longer needed. */
  detach(isOver: () => boolean): boolean;
  close(): void;
}

/** Reads one column of a row. */
export type ColumnReader = (row: StorageRow) => Value;

/** Returns a reader whose values come from `read`, converted for the client unless they are NULL. */
export function convertedReader(read: ColumnReader, convert: ((value: Value) => Value) | undefined): ColumnReader {
  if (convert === undefined) return read;
  return (row) => {
    const value = read(row);
    return value === NULL ? value : convert(value);
  };
}

/** Rows of a statement that runs on demand and pins its connection's snapshot. */
export interface PinnedSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** Statement text for error messages. */
  readonly text: string;
  readonly rows: Iterator<StorageRow>;
  readonly connection: SqlConnection;
  readonly overCaches: boolean;
  readonly onClose: () => void;
}

export interface StatementSource extends PinnedSource {
  readonly readers: readonly ColumnReader[];
  /** Filters rows (scan predicates). */
  readonly accepts: ((row: StorageRow) => boolean) | undefined;
  /** Called for every row, accepted or not. Throws to end the statement. */
  readonly poll: () => void;
}

abstract class PinnedRows implements RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  readonly overCaches: boolean;
  protected readonly source: PinnedSource;
  #spilled: SpilledRows | undefined;
  #exhausted = false;
  #closed = false;

  constructor(source: PinnedSource) {
    this.columns = source.columns;
    this.shape = source.shape;
    this.overCaches = source.overCaches;
    this.source = source;
  }

  abstract next(): SourceRow | undefined;
  abstract read(row: string): ValueReader;

  detach(isOver: () => boolean): boolean {
    if (this.#exhausted || this.#closed) return true;
    try {
      this.#spilled ??= new SpilledRows(this.source.connection);
      do {
        const row = this.step();
        if (row === undefined) return true;
        this.#spilled.push(row);
      } while (!isOver());
      return false;
    } catch (error) {
      throw statementFailure(error, this.source.text);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#spilled?.close();
    this.source.rows.return?.();
    this.release();
    this.source.onClose();
  }

  /** Frees what the statement holds besides its snapshot. */
  protected release(): void {}

  /** Whether rows were moved off the snapshot. */
  protected get isSpilled(): boolean {
    return this.#spilled !== undefined;
  }

  protected nextRow(): StorageRow | undefined {
    return this.#spilled?.shift() ?? this.step();
  }

  /** Returns the next row of the statement itself, not of the spilled rows. */
  protected step(): StorageRow | undefined {
    if (this.#exhausted) return undefined;
    const step = this.source.rows.next();
    if (step.done !== true) return step.value;
    this.#exhausted = true;
    return undefined;
  }
}

/** Rows whose columns are decoded one by one. */
export class StatementRows extends PinnedRows {
  readonly #statement: StatementSource;

  constructor(source: StatementSource) {
    super(source);
    this.#statement = source;
  }

  next(): ValueReader | undefined {
    const { readers, accepts, text, poll } = this.#statement;
    try {
      for (let row = this.nextRow(); row !== undefined; row = this.nextRow()) {
        poll();
        const storageValues = row;
        if (accepts === undefined || accepts(row)) return (index) => readers[index]?.(storageValues) ?? NULL;
      }
      return undefined;
    } catch (error) {
      throw statementFailure(error, text);
    }
  }

  read(): ValueReader {
    throw new Error('these rows are not JSON');
  }
}

/** Rows that SQLite writes as JSON, in the column `j`. */
export class JsonRows extends PinnedRows {
  readonly written: WrittenFormat;
  readonly #types: readonly SqlType[];

  constructor(source: PinnedSource, types: readonly SqlType[], written: WrittenFormat) {
    super(source);
    this.#types = types;
    this.written = written;
  }

  next(): string | undefined {
    try {
      const row = this.nextRow();
      return row === undefined ? undefined : jsonOf(row);
    } catch (error) {
      throw statementFailure(error, this.source.text);
    }
  }

  read(row: string): ValueReader {
    return readJsonRow(row, this.#types);
  }
}

/** The same rows, which the extension collects in strings (`collectedSql` of a query). */
export class CollectedJsonRows extends JsonRows {
  readonly #guard: GuardedConnection;
  #follow: boolean | undefined;

  constructor(source: PinnedSource, types: readonly SqlType[], guard: GuardedConnection) {
    super(source, types, 'json');
    this.#guard = guard;
  }

  get follow(): boolean | undefined {
    return this.#follow;
  }

  nextRows(count: number, bytes: number): RowBatch | undefined {
    if (this.isSpilled) return undefined;
    try {
      return this.#collect(count, bytes);
    } catch (error) {
      throw statementFailure(error, this.source.text);
    }
  }

  protected override step(): StorageRow | undefined {
    const { text, count } = this.#collect(1, 0);
    return count === 0 ? undefined : { j: text };
  }

  protected override release(): void {
    if (this.#follow !== false) this.#guard.dropRows();
  }

  #collect(count: number, bytes: number): RowBatch {
    const { guard } = this.#guard;
    this.#follow = undefined;
    guard.wantRows(count, bytes);
    const row = super.step();
    const rows =
      row === undefined ? { text: '', count: 0, follow: false } : { text: jsonOf(row), ...guard.collectedRows };
    this.#follow = rows.follow;
    return rows;
  }
}

function jsonOf({ j }: StorageRow): string {
  if (typeof j !== 'string') throw new Error('the column j is not a string');
  return j;
}

/** Rows that are known in advance: update counts and plans. */
export class FixedRows implements RowSource {
  readonly columns: readonly Column[];
  readonly shape = 'array';
  readonly overCaches = false;
  readonly #rows: Iterator<readonly Value[]>;

  constructor(columns: readonly Column[], rows: Iterable<readonly Value[]>) {
    this.columns = columns;
    this.#rows = rows[Symbol.iterator]();
  }

  next(): ValueReader | undefined {
    const step = this.#rows.next();
    if (step.done === true) return undefined;
    const row = step.value;
    return (index) => row[index] ?? NULL;
  }

  read(): ValueReader {
    throw new Error('these rows are not JSON');
  }

  detach(): boolean {
    return true;
  }

  close(): void {}
}
