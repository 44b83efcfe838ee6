/** Whether Ignite would run a statement with `distributedJoins=true`, for which joins need an index. */
import { anyPart, type Bound, type BoundQuery, type BoundTable, conjunctsOf } from '../../../sql/binding/bound.ts';
import type { SqlTable } from '../../../sql/binding/catalog.ts';
import { isEquality, isIndexed, joinConditions } from './key-use.ts';

interface JoinedTable {
  readonly id: number;
  readonly table: SqlTable;
}

/**
 * Returns a table that is joined without an index in every order of the tables, or undefined if there is none. A query
 * with one key reads one partition and needs no index.
 */
export function tableWithoutIndex({ body }: BoundQuery): SqlTable | undefined {
  if (body.kind !== 'select') return undefined;
  const tables = tablesOf(body.from);
  const [, second] = tables;
  if (second === undefined) return undefined;
  const where = body.where === undefined ? [] : [body.where];
  const conditions = [...joinConditions(body.from), ...where].flatMap(conjunctsOf);
  if (conditions.some(isOfOneKey)) return undefined;
  const steps = conditions.flatMap(stepsOf);
  const missing = tables.map((first) => unreachedFrom(first, tables, steps));
  return missing.every((table) => table !== undefined) ? missing[0] : undefined;
}

function tablesOf(from: readonly BoundTable[]): JoinedTable[] {
  return from.flatMap((table) => {
    if (table.kind === 'join') return tablesOf([table.left, table.right]);
    return table.source.kind === 'table' ? [{ id: table.source.id, table: table.source.table }] : [];
  });
}

/** An indexed column that is compared with columns of other tables: it can be searched once these are read. */
interface Step {
  readonly id: number;
  readonly from: readonly number[];
}

function stepsOf(condition: Bound): Step[] {
  if (condition.kind !== 'comparison') return [];
  const { left, right } = condition;
  return [
    [left, right],
    [right, left],
  ].flatMap(([column, other]) => {
    if (column?.kind !== 'column' || other === undefined || !isIndexed(column)) return [];
    const from = sourcesOf(other);
    return from.length === 0 ? [] : [{ id: column.source.id, from }];
  });
}

/** Returns a table that indexed conditions do not connect with the first one. */
function unreachedFrom(
  first: JoinedTable,
  tables: readonly JoinedTable[],
  steps: readonly Step[],
): SqlTable | undefined {
  const reached = new Set([first.id]);
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const { id, from } of steps) if (from.every((source) => reached.has(source))) reached.add(id);
  }
  return tables.find(({ id }) => !reached.has(id))?.table;
}

function sourcesOf(bound: Bound): number[] {
  const ids = new Set<number>();
  anyPart(bound, (part) => {
    if (part.kind === 'column') ids.add(part.source.id);
    return false;
  });
  return [...ids];
}

/** Returns whether a condition determines a table's key. */
function isOfOneKey(condition: Bound): boolean {
  if (condition.kind !== 'comparison' || !isEquality(condition)) return false;
  const { left, right } = condition;
  if (left.kind !== 'column' || left.source.kind !== 'table' || sourcesOf(right).length > 0) return false;
  return left.source.table.columns[left.column]?.isKey === true;
}
