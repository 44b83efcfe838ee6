/** The rows of SYSTEM_RANGE: their number, and Ignite's first row. */
import {
  type Bound,
  type BoundItem,
  type BoundSelect,
  type BoundSource,
  type BoundTable,
  conjunctsOf,
  isConstant,
} from './bound.ts';

type Range = Extract<BoundSource, { kind: 'range' }>;

/** Returns `SELECT COUNT(*) FROM SYSTEM_RANGE(low, high)` with its result; any other select unchanged. */
export function withCountedRange(select: BoundSelect): BoundSelect {
  const [table, ...others] = select.from;
  if (table?.kind !== 'source' || others.length > 0 || table.source.kind !== 'range') return select;
  const { where, groupBy, having, aggregated } = select;
  if (where !== undefined || groupBy.length > 0 || having !== undefined || !aggregated) return select;
  const rows = rowsOf(table.source);
  if (rows === undefined || !select.items.every(isCount)) return select;
  const items = select.items.map((item) => ({ ...item, expression: counted(item.expression, rows) }));
  return { ...select, items, from: [], aggregated: false };
}

function isCount({ expression }: BoundItem): boolean {
  if (isConstant(expression)) return true;
  return expression.kind === 'aggregate' && expression.star && !expression.distinct && isPlain(expression);
}

function isPlain({ filter, over }: Extract<Bound, { kind: 'aggregate' }>): boolean {
  return filter === undefined && over === undefined;
}

function counted(expression: Bound, rows: bigint): Bound {
  return expression.kind === 'aggregate' ? { ...expression, known: { data: rows } } : expression;
}

/** Returns the number of rows in a range of constants. */
function rowsOf({ low, high, step }: Range): bigint | undefined {
  const [from, to, by] = [low, high, step].map((bound) => (isConstant(bound) ? bound.data : undefined));
  if (typeof from !== 'bigint' || typeof to !== 'bigint' || typeof by !== 'bigint' || by === 0n) return undefined;
  const steps = (to - from) / by;
  return (by > 0n ? from > to : from < to) ? 0n : steps + 1n;
}

/**
 * Returns the tables of a query with ranges that begin where Ignite's do: at the lowest value that `where` permits, and
 * for single values without steps.
 */
export function withIgniteRanges(from: readonly BoundTable[], where: Bound | undefined): readonly BoundTable[] {
  if (where === undefined) return from;
  return from.map((table) => {
    if (table.kind !== 'source' || table.source.kind !== 'range') return table;
    const { source } = table;
    const { low, step } = source;
    if (!isConstant(low) || typeof low.data !== 'bigint' || !isConstant(step)) return table;
    if (typeof step.data !== 'bigint' || step.data <= 1n) return table;
    let first = low.data;
    for (const conjunct of conjunctsOf(where)) {
      if (isSingleValue(conjunct, source)) return { ...table, source: { ...source, step: { ...step, data: 1n } } };
      const least = leastOf(conjunct, source);
      if (least !== undefined && least > first) first = least;
    }
    return { ...table, source: { ...source, low: { ...low, data: first } } };
  });
}

function isColumnOf(bound: Bound, source: Range): boolean {
  return bound.kind === 'column' && bound.source === source;
}

/** Returns whether a condition compares the value of the range with constants by `=` or IN. */
function isSingleValue(condition: Bound, source: Range): boolean {
  if (condition.kind === 'inList') return isColumnOf(condition.operand, source) && condition.items.every(isConstant);
  if (condition.kind === 'or') return condition.operands.every((operand) => isSingleValue(operand, source));
  if (condition.kind !== 'comparison' || condition.operator !== '=') return false;
  const { left, right } = condition;
  return (isColumnOf(left, source) && isConstant(right)) || (isColumnOf(right, source) && isConstant(left));
}

/** Returns the constant below which the condition excludes all values. */
function leastOf(condition: Bound, source: Range): bigint | undefined {
  if (condition.kind !== 'comparison') return undefined;
  const { operator, left, right } = condition;
  const isAbove = (operator === '>' || operator === '>=') && isColumnOf(left, source);
  const isBelow = (operator === '<' || operator === '<=') && isColumnOf(right, source);
  const bound = isAbove ? right : isBelow ? left : undefined;
  if (bound === undefined || !isConstant(bound)) return undefined;
  if (typeof bound.data === 'number') return BigInt(Math.round(bound.data));
  return typeof bound.data === 'bigint' ? bound.data : undefined;
}
