/** Where a cursor's rows come from: a statement on a connection of its own, or rows that are there already. */
import type { Column } from '../../../grid/grid.ts';
import type { RowShape, ValueReader } from '../../../grid/row-writers.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { StorageValue } from '../storage/value-storage.ts';
import { readJsonRow } from './json-rows.ts';
import { SpilledRows } from './spilled-rows.ts';
import type { SqlConnection, StorageRow } from './sql-connection.ts';
import { statementFailure } from './sql-failures.ts';

/** A row: what reads its columns, or the row as SQLite has written it as JSON. */
export type SourceRow = ValueReader | string;

/** Rows one after the other, and how to let go of what they need. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** Over rows of caches: it ends when the cluster becomes INACTIVE. */
  readonly overCaches: boolean;
  /** The next row; undefined behind the last. */
  next(): SourceRow | undefined;
  /** Reads the columns of a row that is JSON. */
  read(row: string): ValueReader;
  /** Moves up to so many rows off the snapshot that they pin; true when it pins none any more. */
  detach(rows: number): boolean;
  close(): void;
}

/** Reads one column of a row. */
export type ColumnReader = (row: StorageRow) => Value;

/** Rows of a statement that runs as they are asked for, on a connection whose snapshot they pin. */
export interface PinnedSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** Text for failures. */
  readonly text: string;
  readonly rows: Iterator<StorageRow>;
  readonly connection: SqlConnection;
  readonly overCaches: boolean;
  readonly onClose: () => void;
}

export interface StatementSource extends PinnedSource {
  readonly readers: readonly ColumnReader[];
  /** Whether a row is shown (scan predicates). */
  readonly shows: ((row: ValueReader) => boolean) | undefined;
  /** Called for every row, shown or not; throws to end the statement. */
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

  detach(rows: number): boolean {
    if (this.#exhausted || this.#closed) return true;
    try {
      this.#spilled ??= new SpilledRows(this.source.connection);
      for (let count = 0; count < rows; count++) {
        const row = this.#step();
        if (row === undefined) return true;
        this.#spilled.push(row);
      }
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

  /** The next row of the statement itself. */
  #step(): StorageRow | undefined {
    if (this.#exhausted) return undefined;
    const step = this.source.rows.next();
    if (step.done !== true) return step.value;
    this.#exhausted = true;
    return undefined;
  }
}

/** Rows whose cells are read one by one. */
export class StatementRows extends PinnedRows {
  readonly #statement: StatementSource;

  constructor(source: StatementSource) {
    super(source);
    this.#statement = source;
  }

  next(): ValueReader | undefined {
    const { readers, shows, text, poll } = this.#statement;
    try {
      for (let row = this.nextRow(); row !== undefined; row = this.nextRow()) {
        poll();
        const storageValues = row;
        const read: ValueReader = (index) => readers[index]?.(storageValues) ?? NULL;
        if (shows === undefined || shows(read)) return read;
      }
      return undefined;
    } catch (error) {
      throw statementFailure(error, text);
    }
  }

  read(): ValueReader {
    throw new Error('these rows are no text');
  }
}

/** Rows that SQLite writes as JSON itself, in the cell `j`. */
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
      if (typeof row.j !== 'string') throw new Error('a row that is no text');
      return row.j;
    } catch (error) {
      throw statementFailure(error, this.source.text);
    }
  }

  read(row: string): ValueReader {
    return readJsonRow(row, this.#types);
  }
}

/** Rows that are there already: counts of changes, plans. */
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
    throw new Error('these rows are no text');
  }

  detach(): boolean {
    return true;
  }

  close(): void {}
}

/** StorageValues of a row as statements name them. */
export function columnOf(row: StorageRow, index: number): StorageValue {
  return row[`c${index}`] ?? null;
}
