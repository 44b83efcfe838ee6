/** Widths of the columns of a grid, in pixels. */

const PADDING_PIXELS = 20;
const WIDEST_PIXELS = 420;
/** What a column can be narrowed to. */
export const NARROWEST_PIXELS = 40;
/** What one press of a key changes a width by. */
export const WIDTH_STEP_PIXELS = 16;

/** Returns the width of a column that shows a text of so many pixels, within bounds. */
export function widthOfText(pixels: number, least: number): number {
  return Math.min(WIDEST_PIXELS, Math.max(least, Math.ceil(pixels) + PADDING_PIXELS));
}

export interface WidthRequest {
  /** What the contents of the columns need. */
  readonly contents: readonly number[];
  /** Columns of texts use what is left before others do, until they are as wide as a long text needs. */
  readonly isText: readonly boolean[];
  /** What the user has set, by column. */
  readonly set: ReadonlyMap<number, number>;
  /** The width of the grid. */
  readonly gridPixels: number;
}

/** Returns the widths of the columns: as set or as their contents need, stretched where the grid is wider. */
export function columnWidths({ contents, isText, set, gridPixels }: WidthRequest): number[] {
  const widths = contents.map((width, column) => set.get(column) ?? width);
  const stretchable = contents.flatMap((_, column) => (set.has(column) ? [] : [column]));
  const texts = stretchable.filter((column) => isText[column] === true);
  stretch(widths, texts, gridPixels, WIDEST_PIXELS);
  stretch(widths, stretchable, gridPixels, Number.POSITIVE_INFINITY);
  // What rounding has left, so that the last column ends where the grid does.
  stretch(widths, stretchable.slice(-1), gridPixels, Number.POSITIVE_INFINITY);
  return widths;
}

/** Stretches columns in proportion to their widths over what is left of the grid, up to a width. */
function stretch(widths: number[], columns: readonly number[], gridPixels: number, most: number): void {
  const left = gridPixels - widths.reduce((sum, width) => sum + width, 0);
  if (left <= 0) return;
  const total = columns.reduce((sum, column) => sum + (widths[column] ?? 0), 0);
  for (const column of columns) {
    const width = widths[column] ?? 0;
    widths[column] = Math.max(width, Math.min(most, width + Math.floor((left * width) / total)));
  }
}
