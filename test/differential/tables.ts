/** Creates random tables, their rows, and changes that the model applies as the engines do. */
import type { Random } from '../simulation/random.ts';
import { type Expression, ExpressionMaker, KINDS, literal, literalText, type Row } from './expressions.ts';
import { type Kind, keyOf, type ResultValue, truthOf } from './result-value.ts';

export interface TableColumn {
  readonly name: string;
  readonly kind: Kind;
}

export interface TableModel {
  readonly name: string;
  /** The first column is the primary key. */
  readonly columns: readonly TableColumn[];
  rows: ReadonlyArray<readonly ResultValue[]>;
  /** True when the table has a secondary index. */
  readonly indexed: boolean;
}

const DECLARED: Readonly<Record<Kind, string>> = {
  TINYINT: 'TINYINT',
  SMALLINT: 'SMALLINT',
  INT: 'INT',
  BIGINT: 'BIGINT',
  DECIMAL: 'DECIMAL(20, 3)',
  DOUBLE: 'DOUBLE',
  VARCHAR: 'VARCHAR',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  UUID: 'UUID',
};

export function randomTable(random: Random, name: string, indexed: boolean): TableModel {
  const others = Array.from(
    { length: 3 + random.below(6) },
    (_, at): TableColumn => ({
      name: `C${at + 1}`,
      kind: random.pick(KINDS),
    }),
  );
  return { name, columns: [{ name: 'ID', kind: 'INT' }, ...others], rows: [], indexed };
}

export function createTableText({ name, columns }: TableModel): string {
  const list = columns.map((column, at) => `${column.name} ${DECLARED[column.kind]}${at === 0 ? ' PRIMARY KEY' : ''}`);
  return `CREATE TABLE ${name} (${list.join(', ')})`;
}

/** A change: its text, the expected number of changed rows, and its effect on the model. */
export interface Change {
  readonly text: string;
  readonly updated: number;
  apply(): void;
}

/** Creates an INSERT of rows with new keys. */
export function randomInsert(random: Random, table: TableModel, count: number): Change {
  const taken = new Set(table.rows.map(([key = null]) => keyOf(key)));
  const rows: Array<ReadonlyArray<{ readonly text: string; readonly value: ResultValue }>> = [];
  for (let key = random.below(10); rows.length < count; key++) {
    if (!taken.has(String(key))) rows.push(randomRow(random, table, key));
  }
  const list = rows.map((row) => `(${row.map((value) => value.text).join(', ')})`).join(', ');
  return {
    text: `INSERT INTO ${table.name} (${table.columns.map((column) => column.name).join(', ')}) VALUES ${list}`,
    updated: rows.length,
    apply() {
      table.rows = [...table.rows, ...rows.map((row) => row.map((value) => value.value))];
    },
  };
}

/** Returns statements that restore the rows of the model. */
export function restoreTexts({ name, columns, rows }: TableModel): string[] {
  const lists = rows.map((row) => columns.map(({ kind }, at) => literalText(kind, row[at] ?? null)).join(', '));
  return [`DELETE FROM ${name}`, ...lists.map((list) => `INSERT INTO ${name} VALUES (${list})`)];
}

function randomRow(
  random: Random,
  table: TableModel,
  key: number,
): Array<{ readonly text: string; readonly value: ResultValue }> {
  return table.columns.map(({ kind }, at) => {
    if (at === 0) return { text: String(key), value: BigInt(key) };
    return random.below(5) === 0 ? { text: 'NULL', value: null } : literal(random, kind);
  });
}

/** Creates a MERGE that replaces or adds a row. */
export function randomMerge(random: Random, table: TableModel): Change {
  const key = random.below(30);
  const row = randomRow(random, table, key);
  const names = table.columns.map((column) => column.name).join(', ');
  return {
    text: `MERGE INTO ${table.name} (${names}) VALUES (${row.map((value) => value.text).join(', ')})`,
    updated: 1,
    apply() {
      const others = table.rows.filter(([own]) => own !== BigInt(key));
      table.rows = [...others, row.map((value) => value.value)];
    },
  };
}

/** Creates an UPDATE that the evaluator can apply; undefined if this attempt yields none. */
export function randomUpdate(random: Random, table: TableModel): Change | undefined {
  const maker = makerOf(random, table);
  const where = maker.condition(2);
  const at = 1 + random.below(table.columns.length - 1);
  const column = table.columns[at];
  if (column === undefined) return undefined;
  const value = maker.create(column.kind, column.kind === 'DECIMAL' ? 0 : 2);
  const chosen = rowsWhere(table, where);
  if (chosen === undefined || value.meaning === undefined) return undefined;
  const { meaning } = value;
  const changed = new Map(
    [...chosen].map((row) => [row, row.map((value, place) => (place === at ? meaning(rowOf(table, row)) : value))]),
  );
  return {
    text: `UPDATE ${table.name} SET ${column.name} = ${value.text} WHERE ${where.text}`,
    updated: chosen.size,
    apply() {
      table.rows = table.rows.map((row) => changed.get(row) ?? row);
    },
  };
}

export function randomDelete(random: Random, table: TableModel): Change | undefined {
  const where = makerOf(random, table).condition(2);
  const gone = rowsWhere(table, where);
  if (gone === undefined) return undefined;
  return {
    text: `DELETE FROM ${table.name} WHERE ${where.text}`,
    updated: gone.size,
    apply() {
      table.rows = table.rows.filter((row) => !gone.has(row));
    },
  };
}

function makerOf(random: Random, table: TableModel): ExpressionMaker {
  return new ExpressionMaker(
    random,
    table.columns.map((column) => ({ name: column.name, kind: column.kind })),
  );
}

function rowOf(table: TableModel, row: readonly ResultValue[]): Row {
  return new Map(table.columns.map((column, at) => [column.name, row[at] ?? null]));
}

function rowsWhere(table: TableModel, { meaning }: Expression): Set<readonly ResultValue[]> | undefined {
  if (meaning === undefined) return undefined;
  return new Set(table.rows.filter((row) => truthOf(meaning(rowOf(table, row))) === true));
}
