/** The sources of a cursor's rows: a statement on its own connection, or rows that are already known. */
import type { Column } from '../../../grid/grid.ts';
import type { RowShape, ValueReader } from '../../../grid/row-writers.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { StorageValue } from '../storage/value-storage.ts';
import { readJsonRow } from './json-rows.ts';
import { SpilledRows } from './spilled-rows.ts';
import type { SqlConnection, StorageRow } from './sql-connection.ts';
import { statementFailure } from './sql-failures.ts';

/** A row: a reader of its columns, or the JSON that SQLite wrote. */
export type SourceRow = ValueReader | string;

/** An iterator over rows that holds resources until it is closed. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** True if it reads caches; it is then closed when the cluster becomes INACTIVE. */
  readonly overCaches: boolean;
  /** Returns the next row; undefined after the last. */
  next(): SourceRow | undefined;
  /** Returns a reader of the columns of a JSON row. */
  read(row: string): ValueReader;
  /** Moves rows off the pinned snapshot until `isOver`. Returns true when the snapshot is no longer needed. */
  detach(isOver: () => boolean): boolean;
  close(): void;
}

/** Reads one column of a row. */
export type ColumnReader = (row: StorageRow) => Value;

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
  readonly accepts: ((row: ValueReader) => boolean) | undefined;
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
        const row = this.#step();
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
    this.source.onClose();
  }

  protected nextRow(): StorageRow | undefined {
    return this.#spilled?.shift() ?? this.#step();
  }

  /** Returns the next row of the statement itself, not of the spilled rows. */
  #step(): StorageRow | undefined {
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
        const read: ValueReader = (index) => readers[index]?.(storageValues) ?? NULL;
        if (accepts === undefined || accepts(read)) return read;
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
  readonly #types: readonly SqlType[];

  constructor(source: PinnedSource, types: readonly SqlType[]) {
    super(source);
    this.#types = types;
  }

  next(): string | undefined {
    try {
      const row = this.nextRow();
      if (row === undefined) return undefined;
      if (typeof row.j !== 'string') throw new Error('the column j is not a string');
      return row.j;
    } catch (error) {
      throw statementFailure(error, this.source.text);
    }
  }

  read(row: string): ValueReader {
    return readJsonRow(row, this.#types);
  }
}

/** Rows that are known in advance: update counts and plans. */
export class FixedRows implements RowSource {
  readonly columns: readonly Column[];
  readonly shape = 'array';
  readonly overCaches = false;
  readonly #rows: Iterator<readonly Value[]>;

  constructor(columns: readonly Column[], rows: ReadonlyArray<readonly Value[]>) {
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

/** Returns column c`index` of a row. */
export function columnOf(row: StorageRow, index: number): StorageValue {
  return row[`c${index}`] ?? null;
}
