/** Which rows of a grid are selected. */

/** More rows are changed by a statement. */
export const MAX_SELECTED = 1_000;

export type Selection = ReadonlySet<number>;

/** Returns the rows between two, at most {@link MAX_SELECTED} from the first one. */
export function selectRange(from: number, to: number): Selection {
  const step = to < from ? -1 : 1;
  const count = Math.min(MAX_SELECTED, Math.abs(to - from) + 1);
  return new Set(Array.from({ length: count }, (_, at) => from + at * step));
}

/** Returns the rows of two selections, at most {@link MAX_SELECTED}. */
export function joinSelections(one: Selection, other: Selection): Selection {
  return new Set([...one, ...other].slice(0, MAX_SELECTED));
}

/** Returns a selection with a row in it, or without it if it was in it. */
export function toggleRow(selection: Selection, row: number): Selection {
  const next = new Set(selection);
  if (!next.delete(row) && next.size < MAX_SELECTED) next.add(row);
  return next;
}

/** Returns rows as text that spreadsheets understand: tabs between values, and the names of the columns first. */
export function rowsAsText(
  names: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, string | null>>>,
): string {
  const escaped = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => names.map((name) => escaped(row[name] ?? '')).join('\t'));
  return [names.map(escaped).join('\t'), ...lines].join('\n');
}
