/** The widths of the columns of a grid, and which of them stay in view. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatNumber } from '../elements/formats.ts';
import { columnWidths, NARROWEST_PIXELS, pinnedAt, widthOfText } from './column-widths.ts';
import { SHOWN_CHARACTERS, textOf } from './grid-row.tsx';
import type { PagedRows } from './paged-rows.ts';
import type { Column } from './row.ts';
import { sqlTypeOf, typeText } from './sql-types.ts';

/** A short number and its heading fit. */
const MIN_PIXELS = 64;
/** A filter of a few characters has room. */
const MIN_WITH_HEAD_PIXELS = 96;
/** Rows from which the widths are measured; more would take noticeable time. */
const MEASURED_ROWS = 50;
/** The width of a box before the number of a row, with the space around both. */
const BOX_PIXELS = 24;
const NUMBER_PADDING_PIXELS = 16;

/** Texts as wide as any value of a type, by the type of arguments. */
const WIDEST: Readonly<Record<string, string>> = {
  boolean: 'false',
  uuid: 'dddddddd-dddd-dddd-dddd-dddddddddddd',
  date: '2028-08-28',
  time: '20:58:58',
  timestamp: '2028-08-28 20:58:58',
};
/** The width of the sort mark after a name. */
const SORT_SIGN = ' ↓';

/** Widths of columns in pixels that the user has set, by column. */
export type SetWidths = ReadonlyMap<number, number>;

/** The columns of a grid that the user can arrange. */
export interface Arrangement {
  readonly shown: readonly number[];
  readonly widths: SetWidths;
  readonly setWidths: (widths: SetWidths) => void;
  /** Moves a column to another's place. */
  readonly move: (column: number, to: number) => void;
}

/** Returns a function that measures texts in the font of the page: digits of some fonts are wide. */
function measureTexts(): (text: string, weight?: 'bold') => number {
  const context = document.createElement('canvas').getContext('2d');
  const { font } = getComputedStyle(document.body);
  return (text, weight) => {
    if (context === null) return 0;
    context.font = weight === undefined ? font : `${weight} ${font}`;
    return context.measureText(text).width;
  };
}

/** The width that a column needs, in pixels, and the width at which its type also fits next to its name. */
interface ColumnNeed {
  readonly content: number;
  readonly withType: number;
}

/** Returns the widths of the columns that the heads and the first rows need. */
function contentWidths(columns: readonly Column[], result: PagedRows, hasFilters: boolean): readonly ColumnNeed[] {
  const pixelsOf = measureTexts();
  return columns.map((each, column) => {
    const argument = sqlTypeOf(each.type).argument ?? '';
    let longest = each.widest ?? WIDEST[argument] ?? '';
    for (let row = 0; row < MEASURED_ROWS; row++) {
      const values = result.row(row);
      if (values === undefined) break;
      const text = textOf(values, column, each);
      if (text.length > longest.length) longest = text;
    }
    const least = hasFilters && argument !== 'boolean' ? MIN_WITH_HEAD_PIXELS : MIN_PIXELS;
    const head = pixelsOf(`${each.name}${SORT_SIGN}`, 'bold');
    const content = widthOfText(Math.max(head, pixelsOf(longest.slice(0, SHOWN_CHARACTERS))), least);
    const { sqlType = typeText(each.type) } = each;
    return { content, withType: sqlType === '' ? content : widthOfText(head + pixelsOf(` ${sqlType}`), content) };
  });
}

export interface GridColumnsOptions {
  readonly result: PagedRows;
  readonly shown: readonly number[];
  readonly hasFilters: boolean;
  /** Whether rows can be selected by boxes. */
  readonly hasBoxes: boolean;
  readonly scrolled: { readonly current: HTMLElement | null };
  readonly arrangement: Arrangement | undefined;
}

/** Keeps the widths of the columns: as the user has set them, with texts stretched over the rest of the grid. */
export function useGridColumns(options: GridColumnsOptions) {
  const { result, shown, hasFilters, hasBoxes, scrolled, arrangement } = options;
  const own = useSignal<SetWidths>(new Map());
  const set = arrangement?.widths ?? own.value;
  const change = arrangement?.setWidths ?? ((next: SetWidths) => (own.value = next));
  const gridPixels = useSignal(0);
  const columns = result.columns.value;
  const hasRows = result.rowCount.value > 0;
  const contents = useMemo(() => contentWidths(columns, result, hasFilters), [columns, hasRows]);
  // Later rows have numbers with more digits, but the columns do not move for each.
  const widest = formatNumber(Math.max(10, result.rowCount.value)).replaceAll(/\d/g, '8');
  const numberPixels = useMemo(
    () => Math.ceil(measureTexts()(widest)) + NUMBER_PADDING_PIXELS + (hasBoxes ? BOX_PIXELS : 0),
    [widest, hasBoxes],
  );
  useEffect(() => {
    const { current: element } = scrolled;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      gridPixels.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const widths = useMemo(
    () =>
      columnWidths({
        contents: shown.map((column) => contents[column]?.content ?? MIN_PIXELS),
        withTypes: shown.map((column) => contents[column]?.withType ?? MIN_PIXELS),
        isText: shown.map((column) => sqlTypeOf(columns[column]?.type ?? '').argument === 'string'),
        set: new Map(shown.flatMap((column, at) => (set.has(column) ? [[at, set.get(column) ?? 0]] : []))),
        isPinned: shown.map((column) => columns[column]?.isPinned === true),
        firstPixels: numberPixels,
        gridPixels: gridPixels.value,
      }),
    [contents, columns, shown, set, gridPixels.value, numberPixels],
  );
  const pins = useMemo(
    () =>
      pinnedAt({
        widths,
        isPinned: shown.map((column) => columns[column]?.isPinned === true),
        firstPixels: numberPixels,
        gridPixels: gridPixels.value,
      }),
    [widths, columns, shown, numberPixels, gridPixels.value],
  );
  return {
    widths,
    pins,
    numberPixels,
    resize(column: number, width: number): void {
      change(new Map(set).set(column, Math.max(NARROWEST_PIXELS, Math.round(width))));
    },
    reset(column: number): void {
      change(new Map([...set].filter(([each]) => each !== column)));
    },
    /** Scrolls sideways as far as needed to show a column that those that stay in view do not cover. */
    reveal(column: number): void {
      const { current: element } = scrolled;
      const at = shown.indexOf(column);
      if (element === null || at < 0 || pins[at] !== undefined) return;
      const begin = numberPixels + widths.slice(0, at).reduce((sum, width) => sum + width, 0);
      const covered = pins.reduce<number>(
        (end, pin, each) => (pin === undefined || each > at ? end : Math.max(end, pin + (widths[each] ?? 0))),
        numberPixels,
      );
      const end = begin + (widths[at] ?? 0) - element.clientWidth;
      element.scrollLeft = Math.min(begin - covered, Math.max(end, element.scrollLeft));
    },
  };
}
