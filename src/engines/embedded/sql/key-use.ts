/** Finds the keys and indexes that a query's conditions can use. */
import {
  anyPart,
  type Bound,
  type BoundColumn,
  type BoundTable,
  conjunctsOf,
  isFixed,
} from '../../../sql/binding/bound.ts';
import type { SqlTable } from '../../../sql/binding/catalog.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { isIntegerType } from '../../../sql/types/type-order.ts';
import { hasComparisonKey, hasSameStorage } from './storage-values.ts';

/**
 * Returns, by source id, the expressions that determine the columns of a composite key, in key order. With a known key,
 * a look-up finds the row.
 */
export function compositeLookups(conditions: readonly Bound[]): ReadonlyMap<number, readonly Bound[]> {
  const bySource = new Map<number, { readonly source: TableSource; readonly values: Map<string, Bound> }>();
  for (const condition of conditions.flatMap(conjunctsOf)) {
    if (condition.kind !== 'comparison' || !isEquality(condition)) continue;
    const { left, right } = condition;
    if (left.kind !== 'column' || left.source.kind !== 'table' || !isFixed(right)) continue;
    const column = left.source.table.columns[left.column];
    if (column === undefined || !column.isKey || !isExact(left.type, right.type)) continue;
    const entry = bySource.get(left.source.id) ?? { source: left.source, values: new Map() };
    entry.values.set(column.name, right);
    bySource.set(left.source.id, entry);
  }
  const lookups = new Map<number, readonly Bound[]>();
  for (const [id, { source, values }] of bySource) {
    const keys = source.table.columns.filter((column) => column.isKey);
    const found = keys.flatMap((column) => values.get(column.name) ?? []);
    if (keys.every((column) => column.whole !== 'key') && found.length === keys.length) lookups.set(id, found);
  }
  return lookups;
}

/** Returns whether a comparison with a key column holds for only one value: keys are never NULL, so IS does. */
export function isEquality({ operator }: Extract<Bound, { kind: 'comparison' }>): boolean {
  return operator === '=' || operator === 'is';
}

/**
 * Reports whether different keys of a table may be equal in SQL. Decimals are not, because keys have one
 * form per number.
 */
export function hasEqualKeys({ keySqlType, columns }: SqlTable): boolean {
  const isAmbiguous = (type: SqlType): boolean => type.name !== 'DECIMAL' && hasComparisonKey(type);
  return isAmbiguous(keySqlType) || columns.some(({ isKey, type }) => isKey && isAmbiguous(type));
}

type TableSource = Extract<BoundColumn['source'], { kind: 'table' }>;

/** Types whose equal data have equal storage values. */
const EXACT: ReadonlySet<string> = new Set([
  'BOOLEAN',
  'VARCHAR',
  'CHAR',
  'UUID',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'BINARY',
]);

function isExact(column: SqlType, value: SqlType): boolean {
  if (isIntegerType(column.name)) return isIntegerType(value.name);
  return EXACT.has(column.name) && column.name === value.name;
}

/** Returns the conditions of all joins. */
export function joinConditions(tables: readonly BoundTable[]): Bound[] {
  return tables.flatMap((table) => {
    if (table.kind !== 'join') return [];
    return [...joinConditions([table.left, table.right]), ...(table.on === undefined ? [] : [table.on])];
  });
}

function plainColumn(bound: Bound): BoundColumn | undefined {
  if (bound.kind === 'convert' && hasSameStorage(bound.operand.type, bound.type)) return plainColumn(bound.operand);
  return bound.kind === 'column' ? bound : undefined;
}

/** Returns the column if it is its table's single primary key column, or `_KEY` of a scalar key. */
function keyColumn(bound: Bound): BoundColumn | undefined {
  const column = plainColumn(bound);
  if (column?.source.kind !== 'table') return undefined;
  const { table } = column.source;
  const named = table.columns[column.column];
  const isKey =
    named === undefined
      ? column.column === table.columns.length && table.keySqlType.name !== 'OTHER'
      : named.whole === 'key';
  return isKey ? column : undefined;
}

/** Reports whether the primary key or an index begins with this column. */
export function isIndexed(bound: Bound): boolean {
  const column = plainColumn(bound);
  return column !== undefined && (keyColumn(bound) !== undefined || leadsIndex(column));
}

/**
 * Reports whether an index, including one that SQLite builds for the query, can find the rows with `column = value`.
 */
export function isSearchable(bound: Bound, value: Bound, isEqual: boolean): boolean {
  const column = plainColumn(bound);
  if (column === undefined || anyPart(value, (part) => part.kind === 'column' && part.source === column.source))
    return false;
  return isEqual || keyColumn(bound) !== undefined || isInIndex(column);
}

function isInIndex(column: BoundColumn): boolean {
  if (column.source.kind !== 'table') return false;
  const { columns, indexes } = column.source.table;
  const named = columns[column.column];
  if (named === undefined || named.isKey) return true;
  return indexes.some((index) => index.columns.some(({ name }) => name === named.name));
}

function leadsIndex(column: BoundColumn): boolean {
  if (column.source.kind !== 'table') return false;
  const { name } = column.source.table.columns[column.column] ?? {};
  return name !== undefined && column.source.table.indexes.some((index) => index.columns[0]?.name === name);
}
