/**
 * Suggests indexes for statements that read whole tables. SQLite plans the statement again over empty copies of its
 * tables that have an index on every column that the statement names. The indexes that it chooses are the advice.
 */
import { Database } from 'bun:sqlite';
import { deparseName } from '../../../sql/binding/deparser.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { EntryColumn, EntryTable } from '../sql/entry-table.ts';
import type { NativeFunction } from '../sql/native-function.ts';
import { functionRegister } from '../sql/statement-cache.ts';
import { attachedName, attachedPrefix, DATA_DATABASE, prepare } from '../storage/databases.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import { type PlanRow, type PlanTable, planTables } from './plans.ts';

/** The parts of a statement that the advice needs. */
export interface AdvisedStatement {
  /** The SQLite text. */
  readonly sql: string;
  readonly tables: readonly EntryTable[];
  readonly functions: readonly NativeFunction[];
}

const WHOLE_SCAN = /^(?:SCAN (\w+)(?: LEFT-JOIN)?$|SEARCH (\w+)(?: EXISTS)? USING AUTOMATIC)/;
const BY_INDEX = /^SEARCH (\w+)(?: EXISTS)? USING (?:COVERING )?INDEX advice_(\w+) \(/;

export interface IndexAdvice {
  /** The table whose rows the statement reads completely. */
  readonly table: string;
  /** The statement that creates the index. */
  readonly create: string;
}

/** Returns advice for each full scan that an index would avoid. */
export function adviseIndexes(statement: AdvisedStatement, catalog: EngineCatalog): readonly IndexAdvice[] {
  try {
    return advise(statement, catalog);
  } catch {
    // A table may have been dropped in the meantime; advice is not worth an error.
    return [];
  }
}

function advise(statement: AdvisedStatement, catalog: EngineCatalog): readonly IndexAdvice[] {
  const tables = planTables(statement.sql, statement.tables, catalog);
  using database = new Database(':memory:', { strict: true, safeIntegers: true });
  functionRegister(database).ensure(statement.functions);
  copyTables(database, statement.tables, catalog.thread);
  const scanned = new Set(
    planOf(database, statement.sql).flatMap(({ detail }) => {
      const found = WHOLE_SCAN.exec(detail);
      return found?.[1] ?? found?.[2] ?? [];
    }),
  );
  for (const [alias, table] of tables) {
    // An index on a cache's entries is on a path, not on their columns.
    if (!scanned.has(alias) || table.table.entries !== undefined) continue;
    for (const column of namedColumns(statement.sql, alias, table.table)) addIndex(database, table.table, column);
  }
  const found = planOf(database, statement.sql).flatMap(({ detail }) => {
    const [, alias = '', column = ''] = BY_INDEX.exec(detail) ?? [];
    const table = tables.get(alias);
    return table !== undefined && scanned.has(alias) ? [adviceFor(table, column)] : [];
  });
  return [...new Map(found.map((each) => [each.create, each])).values()];
}

function adviceFor({ table, columns }: PlanTable, column: string): IndexAdvice {
  const name = `${deparseName(table.schema)}.${deparseName(table.name)}`;
  return { table: name, create: `CREATE INDEX ON ${name}(${deparseName(columns.get(column) ?? column)})` };
}

function planOf(database: Database, sql: string): PlanRow[] {
  using statement = database.prepare<PlanRow, []>(`EXPLAIN QUERY PLAN ${sql}`);
  return statement.all();
}

/** Creates the entry tables and their indexes without rows. */
function copyTables(database: Database, tables: readonly EntryTable[], thread: EngineThread): void {
  const attached = new Set<number>();
  for (const physical of new Set(tables.map((table) => table.physical))) {
    const number = tables.find((table) => table.physical === physical)?.database ?? DATA_DATABASE;
    const prefix = attachedPrefix(number);
    if (prefix !== '' && !attached.has(number)) database.run(`ATTACH ':memory:' AS ${attachedName(number)}`);
    attached.add(number);
    const connection = thread.reads.get(number);
    connection.refresh();
    using schema = prepare<{ sql: string }>(
      connection.database,
      'SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC',
    );
    for (const { sql } of schema.all(physical.slice(prefix.length))) {
      database.run(sql.replace(/^(CREATE (?:UNIQUE )?(?:TABLE|INDEX) )/, `$1${prefix}`));
    }
  }
}

/** Returns the columns of the table that the SQLite text names. */
function namedColumns(sql: string, alias: string, table: EntryTable): EntryColumn[] {
  return table.columns.filter(({ physical }) => new RegExp(`\\b${alias}\\.${physical}\\b`).test(sql));
}

function addIndex(database: Database, table: EntryTable, { physical, type }: EntryColumn): void {
  if (physical === 'k' || type.name === 'VARCHAR_IGNORECASE') return;
  const [schema, name] = table.physical.includes('.') ? table.physical.split('.') : ['main', table.physical];
  database.run(`CREATE INDEX IF NOT EXISTS ${schema}.advice_${physical} ON ${name} (${physical})`);
}
