/** The rows of a statement that the extension groups (group-rows.c). */

/** The start of the error with which the extension gives up; GROUPS_FAILURE in group-rows.c begins with it. */
const FAILURE = 'statement_guard_group:';

/**
 * Returns the rows of `grouped`. If the extension cannot group them, which it finds out before the first row, calls
 * `onFailure` and returns the rows of `sorted`.
 */
export function groupedRows<R>(grouped: Iterator<R>, sorted: () => Iterator<R>, onFailure: () => void): Iterator<R> {
  let rows = grouped;
  return {
    next() {
      try {
        return rows.next();
      } catch (error) {
        if (rows !== grouped || !(error instanceof Error) || !error.message.startsWith(FAILURE)) throw error;
        onFailure();
        rows = sorted();
        return rows.next();
      }
    },
    return(value) {
      return rows.return?.(value) ?? { done: true, value };
    },
  };
}
