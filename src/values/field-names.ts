/** How the names of an object's fields find the columns that are declared for them. */

/** Returns a function that finds the column of a field: that of the same name, or the only one that differs in case. */
export function columnFinder(columns: readonly string[]): (field: string) => string | undefined {
  const exact = new Set(columns);
  const folded = new Map<string, string | undefined>();
  for (const column of columns) {
    const name = column.toLowerCase();
    folded.set(name, folded.has(name) ? undefined : column);
  }
  return (field) => (exact.has(field) ? field : folded.get(field.toLowerCase()));
}
