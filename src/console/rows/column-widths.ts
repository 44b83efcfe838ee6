/** Widths of the columns of a grid, in pixels. */

const PADDING_PIXELS = 20;
const WIDEST_PIXELS = 420;
/** The minimum width of a column. */
export const NARROWEST_PIXELS = 40;
/** The step by which a key press changes a width. */
export const WIDTH_STEP_PIXELS = 16;

/** Returns the width of a column that shows text of the given pixels, within bounds. */
export function widthOfText(pixels: number, least: number): number {
  return Math.min(WIDEST_PIXELS, Math.max(least, Math.ceil(pixels) + PADDING_PIXELS));
}

export interface WidthRequest {
  /** The widths that the contents of the columns need. */
  readonly contents: readonly number[];
  /** The widths at which they also show their types, if all of them can. */
  readonly withTypes: readonly number[];
  /** Columns of texts use the remaining width first, until they are as wide as a long text needs. */
  readonly isText: readonly boolean[];
  /** The widths that the user has set, by column. */
  readonly set: ReadonlyMap<number, number>;
  /** The columns that should stay in view. */
  readonly isPinned: readonly boolean[];
  /** The width before the first column. */
  readonly firstPixels: number;
  /** The width of the grid, including the width before the first column. */
  readonly gridPixels: number;
}

/** Returns the widths of the columns: as set or as their contents need. Texts are stretched where the grid is wider. */
export function columnWidths(request: WidthRequest): number[] {
  const { contents, withTypes, isText, set, isPinned, firstPixels, gridPixels } = request;
  const ownPixels = gridPixels - firstPixels;
  const needed = withTypes.reduce((sum, width, column) => sum + (set.get(column) ?? width), 0);
  const widths = (needed <= ownPixels ? withTypes : contents).map((width, column) => set.get(column) ?? width);
  const pinned = isPinned.indexOf(true);
  // On a small screen, the end of a long key is cut off, rather than scrolling the key out of view.
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
  /** Which columns should stay in view. */
  readonly isPinned: readonly boolean[];
  /** The width before the first column, which stays in view. */
  readonly firstPixels: number;
  readonly gridPixels: number;
}

/** Returns where columns stay when others are scrolled, in pixels from the left, or undefined for those that do not. */
export function pinnedAt({ widths, isPinned, firstPixels, gridPixels }: PinRequest): Array<number | undefined> {
  let left = firstPixels;
  return widths.map((width, column) => {
    const at = left;
    if (isPinned[column] !== true || at + width > gridPixels * PINNED_SHARE) return undefined;
    left += width;
    return at;
  });
}

/** Stretches columns in proportion to their widths over the rest of the grid, up to a maximum width. */
function stretch(widths: number[], columns: readonly number[], gridPixels: number, most: number): void {
  const left = gridPixels - widths.reduce((sum, width) => sum + width, 0);
  if (left <= 0) return;
  const total = columns.reduce((sum, column) => sum + (widths[column] ?? 0), 0);
  for (const column of columns) {
    const width = widths[column] ?? 0;
    widths[column] = Math.max(width, Math.min(most, width + Math.floor((left * width) / total)));
  }
}
