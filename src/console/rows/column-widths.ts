/** Widths of the columns of a grid, in pixels. */

const CHARACTER_PIXELS = 8;
const PADDING_PIXELS = 20;
const WIDEST_PIXELS = 420;
/** What a column can be narrowed to. */
export const NARROWEST_PIXELS = 40;
/** What one press of a key changes a width by. */
export const WIDTH_STEP_PIXELS = 16;

/** Returns the width that shows a number of characters, within bounds. */
export function widthOfCharacters(characters: number, least: number): number {
  return Math.min(WIDEST_PIXELS, Math.max(least, characters * CHARACTER_PIXELS + PADDING_PIXELS));
}

export interface WidthRequest {
  /** What the contents of the columns need. */
  readonly contents: readonly number[];
  /** Columns of texts use what is left before others do. */
  readonly isText: readonly boolean[];
  /** What the user has set, by column. */
  readonly set: ReadonlyMap<number, number>;
  /** The width of the grid. */
  readonly gridPixels: number;
}

/** Returns the widths of the columns: as set or as their contents need, stretched where the grid is wider. */
export function columnWidths({ contents, isText, set, gridPixels }: WidthRequest): number[] {
  const widths = contents.map((width, column) => set.get(column) ?? width);
  const left = gridPixels - widths.reduce((sum, width) => sum + width, 0);
  const mayStretch = (column: number): boolean => !set.has(column);
  const texts = contents.flatMap((_, column) => (mayStretch(column) && isText[column] === true ? [column] : []));
  const stretched = texts.length > 0 ? texts : contents.flatMap((_, column) => (mayStretch(column) ? [column] : []));
  if (left <= 0 || stretched.length === 0) return widths;
  const total = stretched.reduce((sum, column) => sum + (widths[column] ?? 0), 0);
  for (const column of stretched) {
    const width = widths[column] ?? 0;
    widths[column] = width + Math.floor((left * width) / total);
  }
  return widths;
}
