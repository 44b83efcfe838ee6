/** Widths of the columns of a grid, in pixels. */

const PADDING_PIXELS = 20;
const WIDEST_PIXELS = 420;
/** What a column can be narrowed to. */
export const NARROWEST_PIXELS = 40;
/** What one press of a key changes a width by. */
export const WIDTH_STEP_PIXELS = 16;

/** Returns the width of a column that shows text of the given pixels, within bounds. */
export function widthOfText(pixels: number, least: number): number {
  return Math.min(WIDEST_PIXELS, Math.max(least, Math.ceil(pixels) + PADDING_PIXELS));
}

export interface WidthRequest {
  /** What the contents of the columns need. */
  readonly contents: readonly number[];
  /** What they need to show their types, too, if all of them can. */
  readonly withTypes: readonly number[];
  /** Columns of texts use what is left before others do, until they are as wide as a long text needs. */
  readonly isText: readonly boolean[];
  /** What the user has set, by column. */
  readonly set: ReadonlyMap<number, number>;
  /** The columns that are to stay in view. */
  readonly isPinned: readonly boolean[];
  /** What is before the first column. */
  readonly firstPixels: number;
  /** The width of the grid, with what is before the first column. */
  readonly gridPixels: number;
}

/** Returns the widths of the columns: as set or as their contents need. Texts are stretched where the grid is wider. */
export function columnWidths(request: WidthRequest): number[] {
  const { contents, withTypes, isText, set, isPinned, firstPixels, gridPixels } = request;
  const ownPixels = gridPixels - firstPixels;
  const needed = withTypes.reduce((sum, width, column) => sum + (set.get(column) ?? width), 0);
  const widths = (needed <= ownPixels ? withTypes : contents).map((width, column) => set.get(column) ?? width);
  const pinned = isPinned.indexOf(true);
  // On a small screen the end of a long key is cut off rather than the key scrolled away.
  const most = Math.floor(gridPixels * PINNED_SHARE) - firstPixels;
  if (pinned === 0 && !set.has(0) && most >= NARROWEST_PINNED_PIXELS) widths[0] = Math.min(widths[0] ?? 0, most);
  const texts = contents.flatMap((_, column) => (isText[column] === true && !set.has(column) ? [column] : []));
  stretch(widths, texts, ownPixels, WIDEST_PIXELS);
  return widths;
}

/** Columns that stay in view leave the rest of the grid to others. */
const PINNED_SHARE = 0.6;
/** The beginning of a UUID or of a name has room. */
const NARROWEST_PINNED_PIXELS = 96;

export interface PinRequest {
  readonly widths: readonly number[];
  /** Which columns are to stay in view. */
  readonly isPinned: readonly boolean[];
  /** What is before the first column, and stays in view. */
  readonly firstPixels: number;
  readonly gridPixels: number;
}

/** Returns where columns stay when others are scrolled, in pixels from the left; undefined for those that do not. */
export function pinnedAt({ widths, isPinned, firstPixels, gridPixels }: PinRequest): Array<number | undefined> {
  let left = firstPixels;
  return widths.map((width, column) => {
    const at = left;
    if (isPinned[column] !== true || at + width > gridPixels * PINNED_SHARE) return undefined;
    left += width;
    return at;
  });
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
