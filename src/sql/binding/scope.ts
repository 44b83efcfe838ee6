/** Resolves column names in a query's tables, then in the outer queries' tables. */

import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { nearestWritten } from '../syntax/written-name.ts';
import { type BoundColumn, type BoundSource, KEY_COLUMN, VALUE_COLUMN } from './bound.ts';

/**
 * Where Ignite computes the aggregates of a select: from partial results of its nodes (`parts`), on one node from the
 * rows of all nodes (`rows`), or on one node (`whole`), where the select is a scalar subquery or reads no table.
 * Decimals are rounded differently.
 */
export type Aggregation = 'parts' | 'rows' | 'whole';

/** A column as the statement names it. */
export interface ColumnName {
  readonly schema: string | undefined;
  readonly table: string | undefined;
  readonly name: string;
  readonly at: number;
}

export class Scope {
  readonly parent: Scope | undefined;
  /** Where the aggregates of this select are computed. */
  aggregation: Aggregation = 'whole';
  /** True when an aggregate has been bound, including one that was folded. */
  hasAggregate = false;
  readonly sources: BoundSource[] = [];
  /** Columns that USING and NATURAL merged into the other side's columns. Unqualified names and `*` skip them. */
  readonly #merged = new Map<BoundSource, Set<number>>();

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }

  add(source: BoundSource): void {
    this.sources.push(source);
  }

  /** Throws 90059 for a column of `*` if another table with the same name also has it. */
  checkUnambiguous(source: BoundSource, name: string): void {
    const { alias } = source;
    if (alias === undefined) return;
    for (const other of this.sources) {
      if (other === source || other.alias !== alias || !sameSchema(other, source)) continue;
      if (other.columns.some((column) => column.name === name)) throw sqlFailure('COLUMN_AMBIGUOUS', name);
    }
  }

  merge(source: BoundSource, column: number): void {
    const columns = this.#merged.get(source) ?? new Set();
    columns.add(column);
    this.#merged.set(source, columns);
  }

  isMerged(source: BoundSource, column: number): boolean {
    return this.#merged.get(source)?.has(column) ?? false;
  }

  /** Returns the column from the innermost query that has it, undefined if none has. Throws 90059 if ambiguous. */
  find(wanted: ColumnName): BoundColumn | undefined {
    const found: BoundColumn[] = [];
    for (const source of this.sources) {
      if (!matches(source, wanted)) continue;
      const column = findColumn(source, wanted.name);
      if (column === undefined) continue;
      if (wanted.table === undefined && this.isMerged(source, column.column)) continue;
      found.push({ ...column, qualifier: wanted.table });
    }
    if (found.length > 1) {
      throw sqlFailureAt({ at: wanted.at }, 'COLUMN_AMBIGUOUS', wanted.name);
    }
    return found[0] ?? this.parent?.find(wanted);
  }

  require(wanted: ColumnName): BoundColumn {
    const column = this.find(wanted);
    if (column !== undefined) return column;
    const qualified = [wanted.schema, wanted.table, wanted.name].filter((part) => part !== undefined).join('.');
    throw sqlFailureAt(
      { at: wanted.at, suggestion: nearestWritten(wanted.name, this.columnNames()) },
      'COLUMN_NOT_FOUND',
      qualified,
    );
  }

  /** Returns the names of all visible columns, for suggestions. */
  columnNames(): string[] {
    const own = this.sources.flatMap((source) => source.columns.map((column) => column.name));
    return [...own, ...(this.parent?.columnNames() ?? [])];
  }
}

function sameSchema(a: BoundSource, b: BoundSource): boolean {
  return a.kind !== 'table' || b.kind !== 'table' || a.table.schema === b.table.schema;
}

function matches(source: BoundSource, { schema, table }: ColumnName): boolean {
  if (table === undefined) return true;
  if (source.alias !== table) return false;
  if (schema === undefined) return true;
  return source.kind === 'table' || source.kind === 'virtual' ? source.table.schema === schema : schema === 'PUBLIC';
}

/** Returns a column of a source by name. `_KEY` and `_VAL` follow the columns of an entry table. */
export function findColumn(source: BoundSource, name: string): BoundColumn | undefined {
  const at = source.columns.findIndex((column) => column.name === name);
  const found = source.columns[at];
  if (found !== undefined) {
    return { kind: 'column', type: found.type, source, column: at, name, qualifier: undefined };
  }
  if (source.kind !== 'table') return undefined;
  const { table } = source;
  if (name === KEY_COLUMN) {
    return { kind: 'column', type: table.keySqlType, source, column: table.columns.length, name, qualifier: undefined };
  }
  if (name === VALUE_COLUMN) {
    return {
      kind: 'column',
      type: table.valueSqlType,
      source,
      column: table.columns.length + 1,
      name,
      qualifier: undefined,
    };
  }
  return undefined;
}
