/** Finds the expressions of a query. */
import type { Bound, BoundBody, BoundQuery, BoundSelect, BoundTable } from './bound.ts';

/** Yields the expressions of a query and of those in its FROM, not those within expressions. */
export function* expressionsOf({ with: tables, body, orderBy, limit, offset }: BoundQuery): Generator<Bound> {
  for (const { query } of tables) yield* expressionsOf(query);
  yield* expressionsOfBody(body);
  for (const item of orderBy) if ('expression' in item) yield item.expression;
  if (limit !== undefined) yield limit;
  if (offset !== undefined) yield offset;
}

function* expressionsOfBody(body: BoundBody): Generator<Bound> {
  switch (body.kind) {
    case 'select':
      return yield* expressionsOfSelect(body);
    case 'setOperation':
      yield* expressionsOfBody(body.left);
      return yield* expressionsOfBody(body.right);
    case 'values':
      return yield* body.rows.flat();
    case 'nested':
      return yield* expressionsOf(body.query);
  }
}

function* expressionsOfSelect({ items, from, where, groupBy, having }: BoundSelect): Generator<Bound> {
  for (const { expression } of items) yield expression;
  for (const table of from) yield* expressionsOfTable(table);
  if (where !== undefined) yield where;
  yield* groupBy;
  if (having !== undefined) yield having;
}

function* expressionsOfTable(table: BoundTable): Generator<Bound> {
  if (table.kind === 'join') {
    yield* expressionsOfTable(table.left);
    yield* expressionsOfTable(table.right);
    if (table.on !== undefined) yield table.on;
    return;
  }
  const { source } = table;
  if (source.kind === 'query') yield* expressionsOf(source.query);
  if (source.kind === 'range') yield* [source.low, source.high, source.step];
  if (source.kind === 'arrays') yield* source.arrays;
}
