/** Where a cursor's rows come from: a statement on a connection of its own, or rows that are there already. */
import type { Column } from '../../../grid/grid.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { type Cell, decodeStructure, encodeStructure } from '../value-cells.ts';
import type { RowSource } from './cursors.ts';
import type { RowShape, ValueReader } from './row-writers.ts';
import type { CellRow, SqlConnection } from './sql-connection.ts';
import { statementFailure } from './sql-failures.ts';

/** Reads one column of a row. */
export type CellReader = (row: CellRow) => Value;

export interface StatementSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  readonly sql: string;
  readonly rows: Iterator<CellRow>;
  readonly readers: readonly CellReader[];
  readonly connection: SqlConnection;
  /** Over rows of caches: it ends when the cluster becomes INACTIVE. */
  readonly overCaches: boolean;
  /** Whether a row is shown (scan predicates). */
  readonly shows: ((row: ValueReader) => boolean) | undefined;
  /** Called for every row, shown or not. */
  readonly poll: () => void;
  /** Begins a new step under a ticket. */
  readonly onResume: (ticket: number) => void;
  readonly onClose: () => void;
}

/** Rows of a statement that runs as they are asked for. */
export class StatementRows implements RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  readonly overCaches: boolean;
  readonly #source: StatementSource;
  #closed = false;
  /** The rest of the rows once they were taken off the snapshot. */
  #detached: SpilledRows | undefined;

  constructor(source: StatementSource) {
    this.columns = source.columns;
    this.shape = source.shape;
    this.overCaches = source.overCaches;
    this.#source = source;
  }

  next(): ValueReader | undefined {
    if (this.#detached !== undefined) return this.#detached.next();
    const { rows, readers, shows, sql } = this.#source;
    try {
      for (;;) {
        const step = rows.next();
        if (step.done === true) return undefined;
        this.#source.poll();
        const row = step.value;
        const read: ValueReader = (index) => readers[index]?.(row) ?? NULL;
        if (shows === undefined || shows(read)) return read;
      }
    } catch (error) {
      throw statementFailure(error, sql);
    }
  }

  resume(ticket: number): void {
    this.#source.onResume(ticket);
  }

  detach(): boolean {
    if (this.#detached !== undefined || this.#closed) return false;
    const spilled = new SpilledRows(this.columns.length, this.#source.connection);
    for (let read = this.next(); read !== undefined; read = this.next()) spilled.add(read);
    spilled.finish();
    this.#source.rows.return?.();
    this.#detached = spilled;
    return true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#detached?.close();
    this.#source.rows.return?.();
    this.#source.onClose();
  }
}

const SPILL_TABLE = 'spilled';

/**
 * Rows in a temporary table of the cursor's own connection: SQLite keeps it in memory or in a file as it sees fit, and
 * it pins no snapshot of the data.
 */
class SpilledRows {
  readonly #width: number;
  readonly #connection: SqlConnection;
  #rows: Iterator<{ readonly n: bigint; readonly content: string }> | undefined;

  constructor(width: number, connection: SqlConnection) {
    this.#width = width;
    this.#connection = connection;
    const { database } = connection;
    database.run('PRAGMA query_only = OFF');
    database.run('PRAGMA temp_store = FILE');
    database.run(`CREATE TEMP TABLE ${SPILL_TABLE} (n INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT`);
  }

  add(read: ValueReader): void {
    const row: Value = { type: 'list', data: Array.from({ length: this.#width }, (_, index) => read(index)) };
    this.#connection.database.query(`INSERT INTO ${SPILL_TABLE} (content) VALUES (?)`).run(encodeStructure(row));
  }

  finish(): void {
    this.#connection.database.run('PRAGMA query_only = ON');
    this.#rows = this.#connection.database
      .query<{ n: bigint; content: string }, []>(`SELECT n, content FROM ${SPILL_TABLE} ORDER BY n`)
      .iterate();
  }

  next(): ValueReader | undefined {
    const step = this.#rows?.next();
    if (step === undefined || step.done === true) return undefined;
    const row = decodeStructure(step.value.content);
    const cells = row.type === 'list' ? row.data : [];
    return (index) => cells[index] ?? NULL;
  }

  close(): void {
    this.#rows?.return?.();
    this.#connection.database.run('PRAGMA query_only = OFF');
    this.#connection.database.run(`DROP TABLE IF EXISTS ${SPILL_TABLE}`);
    this.#connection.database.run('PRAGMA query_only = ON');
  }
}

/** Rows that are there already: counts of changes, plans. */
export class GivenRows implements RowSource {
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

  resume(): void {}

  detach(): boolean {
    return false;
  }

  close(): void {}
}

/** Cells of a row as statements name them. */
export function cellOf(row: CellRow, index: number): Cell {
  return row[`c${index}`] ?? null;
}
