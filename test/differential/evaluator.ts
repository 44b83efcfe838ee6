/** Evaluates queries over arrays, without indexes and plans, by nested loops. */

import type { Expression, Meaning, Row } from './expressions.ts';
import type { Aggregate, Order, Query, Select, Source } from './queries.ts';
import {
  addExact,
  compareData,
  type Exact,
  isExact,
  keyOf,
  type ResultValue,
  sameResultValue,
  toExact,
  truthOf,
  Unknown,
} from './result-value.ts';

type Tuple = readonly ResultValue[];

/** Returns the rows of the query. Throws {@link Unknown} where the evaluator cannot know the result. */
export function evaluateQuery(query: Query): Tuple[] {
  const [first, second] = query.parts.map(evaluateSelect);
  if (first === undefined) throw new Unknown('no part');
  const rows = second === undefined || query.operator === undefined ? first : combine(query.operator, first, second);
  const sorted = query.order.length === 0 ? rows : rows.toSorted((a, b) => compareRows(a, b, query.order));
  const from = query.offset ?? 0;
  return sorted.slice(from, query.limit === undefined ? undefined : from + query.limit);
}

function combine(operator: NonNullable<Query['operator']>, left: readonly Tuple[], right: readonly Tuple[]): Tuple[] {
  const inRight = new Set(right.map(rowKey));
  if (operator !== 'UNION ALL') unique([...left, ...right]);
  switch (operator) {
    case 'UNION ALL':
      return [...left, ...right];
    case 'UNION':
      return unique([...left, ...right]);
    case 'EXCEPT':
      return unique(left).filter((row) => !inRight.has(rowKey(row)));
    case 'INTERSECT':
      return unique(left).filter((row) => inRight.has(rowKey(row)));
  }
}

function rowKey(row: Tuple): string {
  return row.map(keyOf).join();
}

/** Throws {@link Unknown} for equal decimals of different scales, which the engines distinguish, except in columns. */
function unique(rows: readonly Tuple[]): Tuple[] {
  const scales = new Map<string, string>();
  for (const row of rows) {
    const deparsed = row.map((value) => (isExact(value) ? value.scale : 0)).join();
    const known = scales.getOrInsert(rowKey(row), deparsed);
    if (known !== deparsed) throw new Unknown('equal decimals of different scales');
  }
  return [...new Map(rows.toReversed().map((row) => [rowKey(row), row])).values()].toReversed();
}

function compareRows(left: Tuple, right: Tuple, order: readonly Order[]): number {
  for (const { position, descending, nulls } of order) {
    const [a, b] = [left[position - 1] ?? null, right[position - 1] ?? null];
    if (sameResultValue(a, b)) continue;
    // NULL sorts first, unless NULLS FIRST or LAST is given.
    if (a === null || b === null) {
      const nullFirst = nulls === undefined ? !descending : nulls === 'first';
      return (a === null) === nullFirst ? -1 : 1;
    }
    return descending ? compareData(b, a) : compareData(a, b);
  }
  return 0;
}

function evaluateSelect(select: Select): Tuple[] {
  const { where, items, grouped, distinct } = select;
  const joined = select.sources.reduce<Row[]>(joinSource, [new Map()]);
  const rows = where === undefined ? joined : joined.filter((row) => truthOf(meaningOf(where)(row)) === true);
  if (grouped) return evaluateGroups(select, rows);
  const tuples = rows.map((row) => items.map((item) => meaningOf(item)(row)));
  return distinct ? unique(tuples) : tuples;
}

function meaningOf({ meaning }: { readonly meaning: Meaning | undefined }): Meaning {
  if (meaning === undefined) throw new Unknown('an expression that only engines know');
  return meaning;
}

function joinSource(rows: readonly Row[], { alias, table, join }: Source): Row[] {
  const own = table.rows.map(
    (row): Row => new Map(table.columns.map((column, at) => [`${alias}.${column.name}`, row[at] ?? null])),
  );
  if (join?.kind === 'right') return pairsOf(own, rows, join.on, true);
  return pairsOf(rows, own, join?.on, join?.kind === 'left');
}

/** Joins by nested loops. `kept` rows without a match get NULLs. */
function pairsOf(rows: readonly Row[], others: readonly Row[], on: Expression | undefined, kept: boolean): Row[] {
  return rows.flatMap((row) => {
    const pairs = others.map((other): Row => new Map([...row, ...other]));
    const found = on === undefined ? pairs : pairs.filter((pair) => truthOf(meaningOf(on)(pair)) === true);
    return found.length === 0 && kept ? [row] : found;
  });
}

function evaluateGroups({ items, having = -1 }: Select, rows: readonly Row[]): Tuple[] {
  const keys = items.filter((item) => item.aggregate === undefined);
  const groups = new Map<string, Row[]>();
  // Without keys all rows are one group, even when there are none.
  if (keys.length === 0) groups.set('', []);
  for (const row of rows) {
    const key = keys.map((item) => keyOf(meaningOf(item)(row))).join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const shown = [...groups.values()].filter((group) => group.length > having);
  return shown.map((group) =>
    items.map((item) => {
      if (item.aggregate !== undefined) return evaluateAggregate(item.aggregate, group);
      const [row] = group;
      return row === undefined ? null : meaningOf(item)(row);
    }),
  );
}

function evaluateAggregate({ name, argument, distinct }: Aggregate, rows: readonly Row[]): ResultValue {
  if (argument === undefined) return BigInt(rows.length);
  const all = rows.map(meaningOf(argument)).filter((value) => value !== null);
  if (name !== 'COUNT') rejectRounded(argument);
  const data = distinct ? unique(all.map((value) => [value])).map(([value = null]) => value) : all;
  switch (name) {
    case 'COUNT':
      return BigInt(data.length);
    case 'MIN':
      return extreme(argument, data, -1);
    case 'MAX':
      return extreme(argument, data, 1);
    case 'SUM':
      return data.length === 0 ? null : sum(data);
    case 'AVG':
      return data.length === 0 ? null : average(argument, data);
  }
}

/** Throws for computed decimals, which are rounded to a scale that the evaluator does not know. */
function rejectRounded({ kind, text }: Expression): void {
  if (kind === 'DECIMAL' && /[*/%(]/.test(text)) throw new Unknown('a scale that an expression declares');
}

/** Returns the least or greatest value. Throws for UUIDs, whose order the evaluator does not know. */
function extreme({ kind }: Expression, data: readonly ResultValue[], direction: 1 | -1): ResultValue {
  if (kind === 'UUID') throw new Unknown('order of UUIDs');
  return data.reduce<ResultValue>(
    (best, value) => (best === null || compareData(value, best) * direction > 0 ? value : best),
    null,
  );
}

function sum(data: readonly ResultValue[]): ResultValue {
  if (data.some((value) => typeof value === 'number'))
    return data.reduce<number>((total, value) => total + Number(value), 0);
  const total = data.reduce<Exact>((so, value) => addExact(so, toExact(value), 1n), { unscaled: 0n, scale: 0 });
  return data.some(isExact) ? total : total.unscaled;
}

/** Averages of integers are truncated. Throws for BIGINT, where some averages are rounded instead. */
function average({ kind, text }: Expression, data: readonly ResultValue[]): ResultValue {
  const total = sum(data);
  if (typeof total === 'number') return total / data.length;
  const count = BigInt(data.length);
  if (typeof total === 'bigint' && ((kind !== 'BIGINT' && !text.includes('MOD(')) || total % count === 0n))
    return total / count;
  throw new Unknown(`average of ${kind}`);
}
