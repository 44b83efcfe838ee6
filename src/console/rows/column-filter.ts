/**
 * The text of a column's filter: `null`, `!null`, a comparison such as `>= 5`, a range such as `5..10`, or
 * a plain text, which text columns must contain in any case, and others must equal. A year, a month or a day stands for
 * all times in it.
 */
import { isNumeric, sqlTypeOf } from './sql-types.ts';
import { periodOf } from './time-texts.ts';
import { unfit } from './value-check.ts';
import { storedText } from './value-input.ts';
import { OPERATORS, type Operator } from './value-order.ts';

/** The order of rows by a column. */
export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

/** A column that is filtered: its `type` is the name of a Java class. */
export interface FilteredColumn {
  readonly name: string;
  readonly type: string;
  readonly sqlType: string;
}

/** A comparison with a value in the form in which it is stored. */
export interface ComparedValue {
  readonly operator: Exclude<Operator, '!='>;
  readonly value: string;
}

/** The condition of a filter: NULL or not, texts that contain another in any case, or comparisons with values. */
export type FilterTest =
  | { readonly kind: 'null'; readonly isNull: boolean }
  | { readonly kind: 'contains'; readonly text: string }
  /** `isAny`: one comparison that is true is enough. */
  | { readonly kind: 'compared'; readonly isAny: boolean; readonly values: readonly ComparedValue[] };

/** Returns the type of arguments that are compared with a column, or undefined if the console can send none. */
export function argumentTypeOf({ type }: Pick<FilteredColumn, 'type'>): string | undefined {
  return sqlTypeOf(type).argument;
}

/** The operands that a filter compares a column with, as typed: a value, or the two ends of a range. */
interface Comparison {
  readonly operator: Operator | '..' | undefined;
  readonly operands: readonly string[];
}

const RANGE = /^(.+?)\s*\.\.\s*(.+)$/;
/** Types whose values have an order that users know. */
const TIMES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp']);

/** Returns the comparison of a filter, or undefined for one that is empty or asks for NULL. */
function comparisonIn(column: FilteredColumn, text: string): Comparison | undefined {
  const wanted = text.trim();
  if (wanted === '' || nullTestOf(wanted) !== undefined) return undefined;
  const { operator, operand } = comparisonOf(wanted);
  const type = argumentTypeOf(column) ?? 'string';
  const [, from, to] = operator === undefined && (isNumeric(type) || TIMES.has(type)) ? (RANGE.exec(wanted) ?? []) : [];
  return from === undefined || to === undefined
    ? { operator, operands: [operand] }
    : { operator: '..', operands: [from, to] };
}

/** Returns the condition of a filter, or undefined for an empty one. */
export function filterTest(column: FilteredColumn, text: string): FilterTest | undefined {
  const isNull = nullTestOf(text.trim());
  if (isNull !== undefined) return { kind: 'null', isNull };
  const comparison = comparisonIn(column, text);
  if (comparison === undefined) return undefined;
  const { operator, operands } = comparison;
  const [wanted = '', end = ''] = operands;
  const type = argumentTypeOf(column) ?? 'string';
  if (operator === undefined && type === 'string') return { kind: 'contains', text: wanted };
  const compared = (...values: ReadonlyArray<readonly [ComparedValue['operator'], string]>) => ({
    kind: 'compared' as const,
    isAny: false,
    values: values.map(([sign, value]) => ({ operator: sign, value: storedText(type, value) })),
  });
  const { first, next } = periodOf(type, wanted) ?? { first: wanted, next: undefined };
  if (operator === '..') {
    const last = periodOf(type, end);
    return compared(['>=', first], [last === undefined ? '<=' : '<', last?.next ?? end]);
  }
  const sign = operator === '!=' ? '<>' : (operator ?? '=');
  if (next === undefined) return compared([sign, first]);
  switch (sign) {
    case '=':
      return compared(['>=', first], ['<', next]);
    case '<>':
      return { ...compared(['<', first], ['>=', next]), isAny: true };
    case '>':
    case '<=':
      return compared([sign === '>' ? '>=' : '<', next]);
    case '<':
    case '>=':
      return compared([sign, first]);
  }
}

/** Returns whether a filter asks for NULL or for values other than NULL, or undefined for other filters. */
export function nullTestOf(filter: string): boolean | undefined {
  if (/^null$/i.test(filter)) return true;
  return /^!\s*null$/i.test(filter) ? false : undefined;
}

/** Returns the comparison operator with which a filter begins, if there is one, and the rest. */
export function comparisonOf(filter: string): { readonly operator: Operator | undefined; readonly operand: string } {
  const operator = OPERATORS.find((each) => filter.startsWith(each));
  return { operator, operand: operator === undefined ? filter : filter.slice(operator.length).trimStart() };
}

/** Returns why a filter cannot select what the user meant (a value does not fit), or undefined if it can. */
export function problemOfFilter(column: FilteredColumn, filter: string): string | undefined {
  const type = argumentTypeOf(column) ?? 'string';
  const { operands = [] } = comparisonIn(column, filter) ?? {};
  const problems = operands.flatMap((each) =>
    periodOf(type, each) === undefined ? (unfit(column, type, each) ?? []) : [],
  );
  return problems.length === 0 ? undefined : problems.join(' ');
}
