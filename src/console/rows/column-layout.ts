/** Which columns of a table are shown, in which order and how wide. Columns are known by their names. */

export interface ColumnLayout {
  /** Names in display order. Other columns follow their predecessors in the table. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Widths in pixels that the user has set. */
  readonly widths: Readonly<Record<string, number>>;
}

export const USUAL_LAYOUT: ColumnLayout = { order: [], hidden: [], widths: {} };

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Returns a layout stored as text; the default if the text is invalid. */
export function parseLayout(text: string | null): ColumnLayout {
  try {
    const { order, hidden, widths } = JSON.parse(text ?? 'null') as Partial<ColumnLayout>;
    if (!isNames(order) || !isNames(hidden) || typeof widths !== 'object') return USUAL_LAYOUT;
    const isWidth = (width: unknown) => typeof width === 'number' && width > 0;
    return { order, hidden, widths: Object.fromEntries(Object.entries(widths).filter(([, width]) => isWidth(width))) };
  } catch {
    return USUAL_LAYOUT;
  }
}

/** Returns all names in the order of a layout: a column added since then stays after its predecessor. */
export function orderedNames(names: readonly string[], { order }: ColumnLayout): readonly string[] {
  const known = order.filter((name) => names.includes(name));
  const result = [...known];
  names.forEach((name, at) => {
    if (known.includes(name)) return;
    const before = names[at - 1];
    result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, name);
  });
  return result;
}

/** Returns the positions in `names` of the columns to show, in their order; all if none would be shown. */
export function shownColumns(names: readonly string[], layout: ColumnLayout): readonly number[] {
  const ordered = orderedNames(names, layout);
  const shown = ordered.filter((name) => !layout.hidden.includes(name));
  return (shown.length === 0 ? ordered : shown).map((name) => names.indexOf(name));
}

/** Returns a layout with a column moved to another's place. */
export function moveColumn(
  names: readonly string[],
  layout: ColumnLayout,
  { name, to }: { readonly name: string; readonly to: string },
): ColumnLayout {
  const ordered = orderedNames(names, layout);
  const place = ordered.indexOf(to);
  const order = ordered.filter((each) => each !== name);
  order.splice(place, 0, name);
  return { ...layout, order };
}

/** Returns a layout in which a column is shown or hidden. */
export function showColumn(layout: ColumnLayout, name: string, isShown: boolean): ColumnLayout {
  const others = layout.hidden.filter((each) => each !== name);
  return { ...layout, hidden: isShown ? others : [...others, name] };
}
