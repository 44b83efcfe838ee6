/** Rows that were read, sorted and filtered in the browser, without asking the service. */
import { formatValue } from '../elements/formats.ts';
import { argumentTypeOf, type FilterTest, filterTest, problemOfFilter } from './column-filter.ts';
import { type FetchedPage, PagedRows } from './paged-rows.ts';
import type { Column, Row } from './row.ts';
import { isNumeric, typeText } from './sql-types.ts';
import { withoutZeros } from './time-texts.ts';
import { compareDigits, compareTexts, HOLDS, isNumber } from './value-order.ts';

/** Sorting more rows would block the page for a noticeable time. */
export const MAX_ARRANGED = 100_000;

/** An order and filters, by column positions: several columns may have the same name. */
export interface RowArrangement {
  readonly order: { readonly column: number; readonly isDescending: boolean } | undefined;
  readonly filters: ReadonlyMap<number, string>;
}

export const UNARRANGED: RowArrangement = { order: undefined, filters: new Map() };

/** Returns whether rows stay as they are. */
export function isUnarranged({ order, filters }: RowArrangement): boolean {
  return order === undefined && ![...filters.values()].some((text) => text.trim() !== '');
}

const named = ({ name, type, sqlType = typeText(type) }: Column) => ({ name, type, sqlType });

/** Returns why a filter cannot select what the user meant, or undefined if all can. */
export function arrangementProblem(columns: readonly Column[], { filters }: RowArrangement): string | undefined {
  const problems = [...filters].flatMap(([at, text]) => {
    const column = columns[at];
    return column === undefined ? [] : (problemOfFilter(named(column), text) ?? []);
  });
  return problems.length === 0 ? undefined : problems.join(' ');
}

/** Returns the text of a value for comparison: values that differ only in notation have the same text. */
function comparedText(type: string | undefined, value: unknown): string {
  const text = formatValue(value);
  if (type === 'uuid' || type === 'boolean') return text.toLowerCase();
  return withoutZeros(type, text);
}

/** Returns a function that reports whether a value passes a filter. */
function valueTest(type: string | undefined, test: FilterTest): (value: unknown) => boolean {
  switch (test.kind) {
    case 'null':
      return (value) => (value === null) === test.isNull;
    case 'contains': {
      const wanted = test.text.toLowerCase();
      return (value) => value !== null && formatValue(value).toLowerCase().includes(wanted);
    }
    case 'compared': {
      const compare = isNumeric(type) ? compareDigits : compareTexts;
      const values = test.values.map((each) => ({ ...each, value: comparedText(type, each.value) }));
      return (value) => {
        if (value === null) return false;
        const text = comparedText(type, value);
        const holds = values.map((each) => HOLDS[each.operator](compare(text, each.value)));
        return test.isAny ? holds.includes(true) : !holds.includes(false);
      };
    }
  }
}

/** Returns the rows that all filters select, in their order. */
function filtered(columns: readonly Column[], rows: readonly Row[], { filters }: RowArrangement): readonly Row[] {
  const tests = [...filters].flatMap(([at, text]) => {
    const column = columns[at];
    const test = column && filterTest(named(column), text);
    return column === undefined || test === undefined ? [] : [{ at, passes: valueTest(argumentTypeOf(column), test) }];
  });
  return tests.length === 0 ? rows : rows.filter((row) => tests.every(({ at, passes }) => passes(row[at] ?? null)));
}

/** Returns rows sorted as SQL does: NULL is first, or last in a descending order. Equal ones stay in their order. */
function sorted(columns: readonly Column[], rows: readonly Row[], { order }: RowArrangement): readonly Row[] {
  const column = columns[order?.column ?? -1];
  if (order === undefined || column === undefined) return rows;
  const type = argumentTypeOf(column);
  const sign = order.isDescending ? -1 : 1;
  const keyed = rows.map((row) => {
    const value = row[order.column] ?? null;
    // The comparison keys are computed once for each row, not for each pair of rows.
    return { row, text: value === null ? undefined : comparedText(type, value), isNumber: isNumber(value) };
  });
  keyed.sort((a, b) => {
    if (a.text === undefined || b.text === undefined)
      return sign * (Number(a.text !== undefined) - Number(b.text !== undefined));
    if (a.isNumber !== b.isNumber) return sign * (a.isNumber ? -1 : 1);
    return sign * (a.isNumber ? compareDigits(a.text, b.text) : compareTexts(a.text, b.text));
  });
  return keyed.map(({ row }) => row);
}

/** Returns rows with an arrangement applied. */
export function arrangedRows(
  columns: readonly Column[],
  rows: readonly Row[],
  arrangement: RowArrangement,
): readonly Row[] {
  return sorted(columns, filtered(columns, rows, arrangement), arrangement);
}

/** Rows that another source has read, with an arrangement applied. */
export class ArrangedRows extends PagedRows {
  /** How many of the rows were arranged. */
  readonly sourceCount: number;
  readonly #rows: readonly Row[];

  constructor(source: PagedRows, arrangement: RowArrangement) {
    const rows = [...source.cachedRows(MAX_ARRANGED)];
    const arranged = arrangedRows(source.columns.peek(), rows, arrangement);
    // One page: only the source keeps these rows.
    super(Math.max(1, arranged.length), Number.POSITIVE_INFINITY);
    this.#rows = arranged;
    this.sourceCount = rows.length;
    this.columns.value = source.columns.peek();
    this.keep(0, this.#page());
  }

  protected override async fetchPage(): Promise<FetchedPage> {
    return this.#page();
  }

  #page(): FetchedPage {
    return { rows: this.#rows, characters: 0, total: this.#rows.length };
  }
}
