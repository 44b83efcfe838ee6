/** Describes errors in the quotes of a CSV record, with remedies. */
/** Returns the text for an error code of the parser. */
export function quoteError(code: string): string {
  if (code === 'CSV_INVALID_CLOSING_QUOTE') return 'a quoted field goes on after its closing quote (write " as "")';
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quoted field has no closing quote';
  return 'a quote inside a field that does not begin with one (quote the field, and write " as "")';
}
