/** Maps the field names of an object to the columns declared for them. */

/** Returns a function that finds a field's column: the one with the same name, or the only one that differs in case. */
export function columnFinder(columns: readonly string[]): (field: string) => string | undefined {
  const exact = new Set(columns);
  const folded = new Map<string, string | undefined>();
  for (const column of columns) {
    const name = column.toLowerCase();
    folded.set(name, folded.has(name) ? undefined : column);
  }
  return (field) => (exact.has(field) ? field : folded.get(field.toLowerCase()));
}
