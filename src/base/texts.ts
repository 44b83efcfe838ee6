/** Texts of errors and times, and the order of texts. */

/** Returns the message of an error, or anything else that was thrown as a text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns a time in ms since 1970 as ISO 8601; null: there is none. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | undefined): string | null;
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Compares texts by their code units, for `sort`. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
