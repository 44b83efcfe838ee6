/** Whether a service has data. */

/** Returns whether there is no table and no entry: at most the default cache, which each service has. */
export function isEmpty(
  entries: ReadonlyArray<{ readonly table: unknown; readonly size: number | null }> | undefined,
): boolean {
  return (
    entries !== undefined &&
    entries.length <= 1 &&
    entries.every(({ table, size }) => table === undefined && size === 0)
  );
}
