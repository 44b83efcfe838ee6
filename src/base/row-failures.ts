/**
 * The line that ends a result when an error occurs after the first rows have been sent. The response is cut after it,
 * so that the rows are not mistaken for the complete result; the line says why.
 */
import type { ErrorObject } from './error-object.ts';

const NDJSON = '{"error":{"code":"';
/** CSV readers that support comments skip it. */
const COMMENT = '# ';
/** Longer lines are rows. */
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** Returns the line for rows in a media type, or undefined if the type has no lines. `before` is the text sent last. */
export function failureLine(contentType: string | undefined, error: ErrorObject, before = '\n'): string | undefined {
  const line = `${JSON.stringify({ error })}\n`;
  const start = before.endsWith('\n') ? '' : '\n';
  if (contentType?.startsWith('application/x-ndjson') === true) return `${start}${line}`;
  return contentType?.startsWith('text/csv') === true ? `${start}${COMMENT}${line}` : undefined;
}

/**
 * Yields rows as they arrive, except for a line that reports an error: if the rows end with one, throws the result of
 * `failureOf` for the error's JSON.
 */
export async function* rowsUntilFailure(
  rows: AsyncIterable<Uint8Array>,
  failureOf: (error: string) => Error,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of rows) {
      const bytes = held.length === 0 ? chunk : joined(held, chunk);
      const start = startOfFailure(bytes);
      if (start > 0) yield bytes.subarray(0, start);
      held = bytes.subarray(start);
    }
  } catch (error) {
    const reported = errorIn(new TextDecoder().decode(held));
    if (reported !== undefined) throw failureOf(reported);
    if (held.length > 0) yield held;
    throw error;
  }
  if (held.length > 0) yield held;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** Returns where the last line begins if it reports an error or is so short that it still may; otherwise the end. */
function startOfFailure(bytes: Uint8Array): number {
  const end = bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length;
  const start = bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
  if (end - start > MAX_LINE_BYTES) return bytes.length;
  const line = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + COMMENT.length + NDJSON.length)));
  return [NDJSON, COMMENT + NDJSON].some((each) => line.startsWith(each) || each.startsWith(line))
    ? start
    : bytes.length;
}

/** Returns the error's JSON from a line that reports an error. */
function errorIn(line: string): string | undefined {
  const json = line.startsWith(COMMENT) ? line.slice(COMMENT.length) : line;
  if (!json.startsWith(NDJSON)) return undefined;
  try {
    const { error }: { readonly error: unknown } = JSON.parse(json);
    return JSON.stringify(error);
  } catch {
    return undefined;
  }
}
