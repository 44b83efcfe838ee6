/** EXPLAIN: SQLite's plan in the names and words of the user. */
import type { PreparedExplain } from '../sql/statement.ts';
import type { Binding } from '../value-cells.ts';
import type { EngineCatalog } from './engine-catalog.ts';
import type { SqlConnection } from './sql-connection.ts';

interface PlanRow {
  readonly id: bigint;
  readonly parent: bigint;
  readonly detail: string;
}

/** The steps of the plan, one a line, those of a step indented below it. */
export function explainPlan(
  prepared: PreparedExplain,
  bindings: readonly Binding[],
  { database }: SqlConnection,
  catalog: EngineCatalog,
): string {
  using statement = database.prepare<PlanRow, Binding[]>(`EXPLAIN QUERY PLAN ${prepared.sql}`);
  const rows = statement.all(...bindings.slice(0, statement.paramsCount));
  const depths = new Map<bigint, number>();
  const words = wordsOf(catalog, prepared);
  const lines = rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return `${'  '.repeat(depth)}${words(detail)}`;
  });
  if (prepared.analyze) {
    using run = database.prepare<unknown, Binding[]>(prepared.sql);
    let count = 0;
    for (const _ of run.iterate(...bindings.slice(0, run.paramsCount))) count++;
    lines.push(`rows: ${count}`);
  }
  return [prepared.text.replace(/^\s*explain\s+(plan\s+for\s+|analyze\s+)?/i, ''), ...lines].join('\n');
}

/** Gives entry tables, columns and indexes the names that SQL knows, and SQLite's verbs ours. */
function wordsOf(catalog: EngineCatalog, prepared: PreparedExplain): (detail: string) => string {
  const used = catalog.tables().filter(({ table }) => prepared.tables.includes(table));
  const names = new Map<string, string>();
  for (const { handle, entity, table } of used) {
    names.set(handle.table, `${table.schema}.${table.name}`);
    for (const column of table.columns) {
      if (column.cell !== 'k' && column.cell !== 'v') names.set(column.cell, column.name);
    }
    for (const index of handle.indexes) if (index.entity === entity.valueType) names.set(index.sqliteName, index.name);
  }
  return (detail) =>
    detail
      .replace(/\b(?:r\d+\.)?(e\d+|x\d+_\d+|f\d+)\b/g, (whole, name: string) => names.get(name) ?? whole)
      .replace(/^SCAN (\S+)$/, 'reads all rows of $1')
      .replace(/^SCAN (\S+) USING (COVERING )?INDEX (\S+)/, 'reads all rows of $1 in the order of index $3')
      .replace(/^SEARCH (\S+) USING PRIMARY KEY/, 'finds rows of $1 by primary key')
      .replace(/^SEARCH (\S+) USING (COVERING )?INDEX (\S+)/, 'finds rows of $1 by index $3')
      .replace(/^USE TEMP B-TREE FOR /, 'sorts in memory for ');
}
