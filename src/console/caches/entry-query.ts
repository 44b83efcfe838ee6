/** The filters and order of a grid of entries: which entries match, and which of two comes first. */
import type { Json } from '../../client/exact-json.ts';
import { formatValue } from '../elements/formats.ts';
import { comparisonOf, nullTestOf, type Order } from '../rows/column-filter.ts';
import type { Row } from '../rows/row.ts';
import { compareDigits, compareTexts, HOLDS, isNumber } from '../rows/value-order.ts';
import { ENTRY_COLUMNS, type LineTest } from './entry-kind.ts';
import { isNumberType } from './entry-types.ts';

export interface EntryQuery {
  /** The text typed into the filters, by column. */
  readonly filters: Readonly<Record<string, string>>;
  readonly order: Order | undefined;
}

const EXPIRES = 'Expires';

/** A value as it is compared. */
interface Comparable {
  /** As shown to users. */
  readonly text: string;
  /** The digits of a number, with all of them; undefined for other values. */
  readonly digits: string | undefined;
}

/** Returns the value of a column as it is compared, or undefined if there is none or it is not known. */
function comparableOf(row: Row, at: number): Comparable | undefined {
  const value: Json | undefined = row[at];
  const column = ENTRY_COLUMNS[at];
  if (value === undefined || value === null || column === undefined) return undefined;
  const text = column.format?.(value, row) ?? formatValue(value);
  if (column.name === EXPIRES) return { text, digits: formatValue(value) };
  if (column.choices !== undefined) return { text, digits: undefined };
  // The next column has the type.
  const type = row[at + 1];
  const hasDigits = typeof type === 'string' ? isNumberType(type) : isNumber(value);
  return { text, digits: hasDigits ? text : undefined };
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Compares like SQL where possible: missing values come first, and numbers come before text. */
function compare(a: Comparable | undefined, b: Comparable | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (a.digits !== undefined && b.digits !== undefined) return compareDigits(a.digits, b.digits);
  if (a.digits !== undefined || b.digits !== undefined) return a.digits === undefined ? 1 : -1;
  return compareTexts(a.text, b.text);
}

/** Returns the digits that a filter of a deadline compares with, or undefined if it names no time. */
function instantOf(operand: string): string | undefined {
  const ms = Date.parse(operand);
  return Number.isNaN(ms) ? undefined : String(ms);
}

type Matcher = (value: Comparable | undefined) => boolean;

function matcherOfFilter(name: string, filter: string): Matcher | undefined {
  const wanted = filter.trim();
  if (wanted === '') return undefined;
  const isNull = nullTestOf(wanted);
  if (isNull !== undefined) return (value) => (value === undefined) === isNull;
  const { operator, operand } = comparisonOf(wanted);
  const digits = name === EXPIRES ? instantOf(operand) : NUMBER.test(operand) ? operand : undefined;
  const lower = operand.toLowerCase();
  return (value) => {
    if (value === undefined) return false;
    if (name === EXPIRES && operator === undefined) return value.text.toLowerCase().includes(lower);
    if (value.digits === undefined) {
      if (operator === undefined) return value.text.toLowerCase().includes(lower);
      return HOLDS[operator](compareTexts(value.text, operand));
    }
    return digits !== undefined && HOLDS[operator ?? '='](compareDigits(value.digits, digits));
  };
}

/** Returns whether a query selects all entries in any order. */
export function selectsAll({ filters, order }: EntryQuery): boolean {
  return order === undefined && Object.values(filters).every((text) => text.trim() === '');
}

/** Returns why filters cannot select what users meant, or undefined if they can. */
export function entryFilterProblem({ filters }: Pick<EntryQuery, 'filters'>): string | undefined {
  const wanted = (filters[EXPIRES] ?? '').trim();
  const { operator, operand } = comparisonOf(wanted);
  if (operator === undefined || instantOf(operand) !== undefined) return undefined;
  return `${EXPIRES} needs a date and time such as 2026-01-31 10:20:30, not "${operand}".`;
}

/** Returns a function that reports whether a row matches all filters. */
export function matcherOf({ filters }: Pick<EntryQuery, 'filters'>): (row: Row) => boolean {
  const matchers = ENTRY_COLUMNS.flatMap(({ name }, at) => {
    const matches = matcherOfFilter(name, filters[name] ?? '');
    return matches === undefined ? [] : [{ at, matches }];
  });
  return (row) => matchers.every(({ at, matches }) => matches(comparableOf(row, at)));
}

/** Returns a function that compares two rows. */
export function comparerOf({ column, isDescending }: Order): (a: Row, b: Row) => number {
  const at = ENTRY_COLUMNS.findIndex(({ name }) => name === column);
  const sign = isDescending ? -1 : 1;
  return (a, b) => sign * compare(comparableOf(a, at), comparableOf(b, at));
}

/** Texts that JSON has as they are. */
const AS_IT_IS = /^[\w @.-]+$/;
const WHOLE_NUMBER = /^[1-9]\d*$/;
/** A number with an exponent, which may have other digits than the same one without. */
const EXPONENT = /\de[+-]?\d/;

/** The bytes shown in cells, which lines have as base64. */
const DIGITS_OF_BYTES = /^[\da-f ]+$/;
const BYTES_IN_LINE = /"(?:\[b|bytes)"/;

/**
 * Returns a function that reports whether the entry of a line may match: few do, and parsing a line takes far longer
 * than searching it.
 */
export function lineTestOf({ filters }: Pick<EntryQuery, 'filters'>): LineTest {
  const texts = ['Key', 'Value'].flatMap((name) => {
    const wanted = (filters[name] ?? '').trim();
    const { operator, operand } = comparisonOf(wanted);
    const isContained = nullTestOf(wanted) === undefined && (operator === undefined || operator === '=');
    if (!isContained || !AS_IT_IS.test(operand)) return [];
    return NUMBER.test(operand) && !WHOLE_NUMBER.test(operand) ? [] : [operand.toLowerCase()];
  });
  const mayBeBytes = texts.every((text) => DIGITS_OF_BYTES.test(text));
  const mayBeNumber = texts.some((text) => WHOLE_NUMBER.test(text));
  return (line) => {
    const lower = line.toLowerCase();
    return (
      texts.every((text) => lower.includes(text)) ||
      (mayBeNumber && EXPONENT.test(lower)) ||
      (mayBeBytes && BYTES_IN_LINE.test(lower))
    );
  };
}
