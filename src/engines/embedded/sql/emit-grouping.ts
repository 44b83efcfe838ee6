/**
 * Writes a grouping for the extension, which groups rows in a hash table (native/group-rows.c). SQLite sorts all rows
 * to group them, which takes more than twice as long. The extension computes the same values of integers; where it
 * cannot, it fails, and SQLite groups.
 */
import type { Bound, BoundAggregate, BoundQuery, BoundSelect } from '../../../sql/binding/bound.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { direction, emitExpression } from './emit-expression.ts';
import type { Emitter } from './emitter.ts';

/** The most keys and results of a group; MAX_LETTERS in group-rows.c must be equal. */
const MAX_LETTERS = 32;

/** Returns whether the extension can group by values of the type: equal ones are equally stored. */
function isKeyType({ name }: SqlType): boolean {
  return isInteger(name) || name === 'BOOLEAN' || name === 'DATE' || name === 'VARCHAR';
}

function isInteger(name: SqlType['name']): boolean {
  return name === 'TINYINT' || name === 'SMALLINT' || name === 'INTEGER' || name === 'BIGINT';
}

/** Reports whether a query may have a form that {@link emitGrouped} writes. */
export function isGroupable(query: BoundQuery, select: BoundSelect): boolean {
  return (
    query.with.length === 0 &&
    query.orderBy.every((item) => !('expression' in item)) &&
    !select.distinct &&
    select.having === undefined &&
    select.groupBy.length > 0 &&
    select.groupBy.every((key) => key.kind === 'column' && isKeyType(key.type)) &&
    select.items.every(({ expression }) => expression.kind === 'column' || isGroupedAggregate(expression))
  );
}

function isGroupedAggregate(bound: Bound): boolean {
  if (bound.kind !== 'aggregate') return false;
  const { known, over, filter, distinct, orderBy } = bound;
  if (known !== undefined || over !== undefined || filter !== undefined || distinct || orderBy.length > 0) return false;
  return bound.star || lettersOf(bound) !== undefined;
}

/** Returns what the extension computes of the argument; undefined if it does not compute the aggregate. */
function lettersOf({ name, args }: BoundAggregate): readonly string[] | undefined {
  const [argument, further] = args;
  if (argument?.kind !== 'column' || further !== undefined) return undefined;
  const { name: type } = argument.type;
  switch (name) {
    case 'COUNT':
      return ['n'];
    case 'SUM':
      return isInteger(type) && type !== 'BIGINT' ? ['s'] : undefined;
    case 'AVG':
      return isInteger(type) && type !== 'BIGINT' ? ['s', 'n'] : undefined;
    case 'MIN':
      return isInteger(type) ? ['l'] : undefined;
    case 'MAX':
      return isInteger(type) ? ['h'] : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns the text of a grouping by the extension, with the columns, the rows and their order of SQLite's; undefined if
 * an item is neither a key nor an aggregate that the extension computes. `parts` are the written clauses.
 */
export function emitGrouped(
  select: BoundSelect,
  orderBy: BoundQuery['orderBy'],
  {
    items,
    source,
    groupBy,
  }: { readonly items: readonly string[]; readonly source: string; readonly groupBy: readonly string[] },
  out: Emitter,
): string | undefined {
  let letters = 'k'.repeat(groupBy.length);
  const args = [...groupBy];
  const value = (letter: string, argument?: string): string => {
    letters += letter;
    if (argument !== undefined) args.push(argument);
    return `value ->> ${letters.length - 1}`;
  };
  const columns: string[] = [];
  for (const [at, { expression }] of select.items.entries()) {
    if (expression.kind !== 'aggregate') {
      const key = groupBy.indexOf(items[at] ?? '');
      if (key < 0) return undefined;
      columns.push(`value ->> ${key}`);
    } else if (expression.star) columns.push(value('r'));
    else {
      if (out.pinOf(expression) !== undefined) return undefined;
      const argument = expression.args.map((each) => emitExpression(each, out)).join(', ');
      const values = (lettersOf(expression) ?? []).map((letter) => value(letter, argument));
      columns.push(values.length === 1 ? values.join('') : `(${values.map((text) => `(${text})`).join(' / ')})`);
    }
  }
  if (letters.length > MAX_LETTERS) return undefined;
  const order = [
    ...orderBy.map((item) => ('position' in item ? `${item.position + 1}${direction(item)}` : '')),
    ...groupBy.map((_, at) => `value ->> ${at}`),
  ];
  return (
    `SELECT ${columns.map((text, at) => `${text} AS c${at}`).join(', ')} FROM json_each((SELECT ` +
    `statement_guard_group('${letters}', ${args.join(', ')})${source})) ORDER BY ${order.join(', ')}`
  );
}
