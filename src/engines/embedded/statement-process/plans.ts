/** EXPLAIN: describes SQLite's plan with the user's table and column names. */

import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import { bindingsOf } from '../sql/arguments.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import type { PreparedExplain } from '../sql/statement.ts';
import { NO_ENTITY } from '../storage/definitions.ts';
import type { Binding } from '../storage/value-storage.ts';
import type { SqlConnection } from './sql-connection.ts';

export interface PlanRow {
  readonly id: bigint;
  readonly parent: bigint;
  readonly detail: string;
}

/** Returns the steps of the plan, one per line and indented by depth; with ANALYZE also the number of rows. */
export function explainPlan(
  prepared: PreparedExplain,
  bindings: readonly Binding[],
  { database }: SqlConnection,
  catalog: EngineCatalog,
): string {
  using statement = database.prepare<PlanRow, Binding[]>(`EXPLAIN QUERY PLAN ${prepared.sql}`);
  const rows = statement.all(...bindingsOf(statement, bindings));
  const tables = planTables(prepared.sql, prepared.tables, catalog);
  const depths = new Map<bigint, number>();
  const lines = rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return `${'  '.repeat(depth)}${describeStep(detail, tables)}`;
  });
  if (prepared.analyze) {
    using run = database.prepare<unknown, Binding[]>(prepared.sql);
    let count = 0;
    for (const _ of run.iterate(...bindingsOf(run, bindings))) count++;
    lines.push(`rows: ${count}`);
  }
  return [prepared.text.replace(/^\s*explain\s+(plan\s+for\s+|analyze\s+)?/i, ''), ...lines].join('\n');
}

/** A table of a statement, found by its alias in the SQLite text. */
export interface PlanTable {
  readonly table: EntryTable;
  /** The user's name for the table, numbered if the statement names it more than once. */
  readonly name: string;
  /** Column names by their physical columns. */
  readonly columns: ReadonlyMap<string, string>;
  /** Index names by their SQLite names. */
  readonly indexes: ReadonlyMap<string, string>;
}

/** Returns the tables of an SQLite text by their aliases (`t1`). */
export function planTables(
  sql: string,
  tables: readonly EntryTable[],
  catalog: EngineCatalog,
): ReadonlyMap<string, PlanTable> {
  const found = new Map<string, PlanTable>();
  const counts = new Map<EntryTable, number>();
  // Literals are removed first, because a user's string could look like a table.
  for (const [, physical, alias] of sql.replace(/'(?:[^']|'')*'/g, "''").matchAll(/((?:r\d+\.)?e\d+) AS (\w+)/g)) {
    const table = tables.find((each) => each.physical === physical);
    if (table === undefined || alias === undefined) continue;
    const count = (counts.get(table) ?? 0) + 1;
    counts.set(table, count);
    const owner = catalog.tables().find((each) => each.table === table);
    const columns = table.columns.map(({ physical, name }) => [physical, name] as const);
    const paths = table.paths.map(({ column, path }) => [`f${column}`, path] as const);
    found.set(alias, {
      table,
      name: `${table.schema}.${table.name}${count > 1 ? ` #${count}` : ''}`,
      columns: new Map([['k', '_KEY'], ['v', '_VAL'], ...columns, ...paths]),
      indexes:
        table.entries?.indexes ??
        new Map(
          owner?.handle.indexes
            .filter(({ entity }) => entity === owner.entity.valueType || entity === NO_ENTITY)
            .map((index) => [index.sqliteName, index.name]),
        ),
    });
  }
  return found;
}

const CONDITION = String.raw`(?: \((?<condition>.*)\))?(?: LEFT-JOIN)?$`;

/** SQLite's steps and their descriptions. `table`, `index` and `condition` use the user's names. */
const STEPS: ReadonlyArray<readonly [RegExp, (parts: Parts) => string]> = [
  [/^SCAN CONSTANT ROW$/, () => 'returns one row'],
  [/^SCAN json_each VIRTUAL TABLE/, () => 'reads the rows of a system view or an array'],
  [/^SCAN (?<table>\S+)(?: LEFT-JOIN)?$/, ({ table }) => `reads all rows of ${table}`],
  [
    /^SCAN (?<table>\S+)(?: EXISTS)? USING (?:COVERING )?INDEX (?<index>\S+)/,
    ({ table, index }) => `reads all rows of ${table} in the order of ${index}`,
  ],
  [
    new RegExp(`^SEARCH (?<table>\\S+)(?: EXISTS)? USING PRIMARY KEY${CONDITION}`),
    ({ table, condition }) =>
      condition === ''
        ? `reads all rows of ${table} in the order of the primary key`
        : `finds rows of ${table} by the primary key (${condition})`,
  ],
  [
    new RegExp(`^SEARCH (?<table>\\S+)(?: EXISTS)? USING AUTOMATIC (?:PARTIAL )?COVERING INDEX${CONDITION}`),
    ({ table, condition }) => `finds rows of ${table} by an index that is built for this statement (${condition})`,
  ],
  [
    new RegExp(`^SEARCH (?<table>\\S+)(?: EXISTS)? USING (?:COVERING )?INDEX (?<index>\\S+)${CONDITION}`),
    ({ table, index, condition }) =>
      condition === ''
        ? `finds the first row of ${table} in the order of ${index}`
        : `finds rows of ${table} by ${index} (${condition})`,
  ],
  [/^BLOOM FILTER ON (?<table>\S+)/, ({ table }) => `skips rows without a match in ${table}`],
  [/^USE TEMP B-TREE FOR (?<rest>.*)$/, ({ rest }) => `sorts for ${rest}`],
  [/^(?:CO-ROUTINE|MATERIALIZE) (?<table>\S+)/, ({ table }) => `computes the rows of ${table}`],
  [/^MERGE \((?<rest>.*)\)$/, ({ rest }) => `${rest} of two sorted parts`],
  [/^COMPOUND QUERY$/, () => 'combines parts'],
  [/^(?:LEFT|LEFT-MOST SUBQUERY)$/, () => 'first part'],
  [/^RIGHT$/, () => 'second part'],
  [/^(?<rest>UNION ALL|UNION|INTERSECT|EXCEPT)(?: USING TEMP B-TREE)?$/, ({ rest }) => `${rest} with`],
  [/^CORRELATED (?:SCALAR|LIST) SUBQUERY/, () => 'runs a sub-query for every row'],
  [/^(?:REUSE )?(?:SCALAR|LIST) SUBQUERY/, () => 'runs a sub-query once'],
  [/^MULTI-INDEX OR$/, () => 'finds rows by one condition after the other'],
  [/^INDEX (?<rest>\d+)$/, ({ rest }) => `condition ${rest}`],
  [/^SETUP$/, () => 'first rows'],
  [/^RECURSIVE STEP$/, () => 'more rows from the previous ones'],
  [/^RIGHT-JOIN (?<table>\S+)$/, ({ table }) => `adds the rows of ${table} without a match`],
];

interface Parts {
  readonly table: string;
  readonly index: string;
  readonly condition: string;
  readonly rest: string;
}

/** Returns the description of a step in SQLite's plan; unknown steps are returned unchanged. */
export function describeStep(detail: string, tables: ReadonlyMap<string, PlanTable>): string {
  for (const [pattern, describe] of STEPS) {
    const groups = pattern.exec(detail)?.groups;
    if (groups === undefined && !pattern.test(detail)) continue;
    const { table = '', index = '', condition = '', rest = '' } = groups ?? {};
    const known = tables.get(table);
    return describe({
      table: known?.name ?? 'a sub-query',
      index: nameIndex(index, known),
      condition: nameCondition(condition, known),
      rest,
    });
  }
  return detail;
}

function nameIndex(index: string, table: PlanTable | undefined): string {
  if (/^e\d+_key_/.test(index)) return 'the first columns of the primary key';
  if (/^e\d+_exp$/.test(index)) return 'the expiry time';
  return `index ${table?.indexes.get(index) ?? index}`;
}

/** Removes the conditions that every statement has on a table's rows, and names the columns of the others. */
function nameCondition(condition: string, table: PlanTable | undefined): string {
  return condition
    .split(' AND ')
    .filter((part) => !/^(?:kt|vt|exp)\b/.test(part) && part !== '')
    .map((part) => part.replace(/^\w+/, (column) => table?.columns.get(column) ?? column).replace(/([=<>]+)/, ' $1 '))
    .join(' AND ');
}
