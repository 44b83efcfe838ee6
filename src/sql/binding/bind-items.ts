/** Binds select lists. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import type { SelectBody } from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import type { Bound, BoundItem, BoundResultColumn } from './bound.ts';
import { deparse } from './deparser.ts';
import type { ExpressionContext } from './expression-context.ts';
import { findColumn } from './scope.ts';

export function hasStar({ items }: SelectBody): boolean {
  return items.some((item) => item.kind === 'star');
}

export function aliasesOf(select: SelectBody, items: readonly BoundItem[]): ReadonlyMap<string, Bound> {
  const aliases = new Map<string, Bound>();
  if (select.items.some((item) => item.kind === 'star')) {
    for (const item of items) if (!aliases.has(item.column.name)) aliases.set(item.column.name, item.expression);
    return aliases;
  }
  select.items.forEach((item, at) => {
    const bound = items[at];
    if (item.kind !== 'expression' || item.alias === undefined || bound === undefined) return;
    // The first of several items of one name.
    if (!aliases.has(item.alias)) aliases.set(item.alias, bound.expression);
  });
  return aliases;
}

export function bindItems(select: SelectBody, context: ExpressionContext): BoundItem[] {
  const items: BoundItem[] = [];
  for (const item of select.items) {
    if (item.kind === 'star') {
      items.push(...expandStar(item, context));
      // SQLite's own error, thrown before expanding `*` takes a thousand times the statement's memory.
      if (items.length > SQL_BOUNDS.resultColumns) {
        throw sqlFailure('STATEMENT_TOO_LARGE', 'its result has too many columns');
      }
      continue;
    }
    const bound = bindExpression(item.expression, context);
    context.binder.noteUntyped([bound]);
    items.push({ expression: bound, column: describeItem(bound, item.alias) });
  }
  return items;
}

function expandStar(
  star: Extract<SelectBody['items'][number], { kind: 'star' }>,
  context: ExpressionContext,
): BoundItem[] {
  const { scope } = context;
  const sources = scope.sources.filter((source) => star.table === undefined || source.alias === star.table);
  if (sources.length === 0 && star.table !== undefined) {
    throw sqlFailureAt({ at: star.at }, 'TABLE_NOT_FOUND', star.table);
  }
  return sources.flatMap((source) =>
    source.columns.flatMap((column, at) => {
      if (star.table === undefined && scope.isMerged(source, at)) return [];
      scope.checkUnambiguous(source, column.name);
      const expression = findColumn(source, column.name);
      // `findColumn` returns the first column with a name, which several columns may have.
      return expression === undefined ? [] : [{ expression: { ...expression, column: at, type: column.type }, column }];
    }),
  );
}

/** Describes an item in the result: only columns have a schema and table, and an alias hides the schema. */
function describeItem(bound: Bound, alias: string | undefined): BoundResultColumn {
  if (bound.kind === 'column') {
    const { source } = bound;
    const known = source.columns[bound.column];
    const tableName = known?.tableName ?? (source.kind === 'table' ? source.table.name : '');
    const schemaName = known?.schemaName ?? (source.kind === 'table' ? source.table.schema : '');
    return {
      name: alias ?? bound.name,
      type: bound.type,
      schemaName: alias === undefined ? schemaName : '',
      tableName,
    };
  }
  return { name: alias ?? deparse(bound), type: bound.type, schemaName: '', tableName: '' };
}
