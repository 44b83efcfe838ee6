/**
 * The last line of rows that an error ends after the first ones have been sent. The response is cut behind it, so that
 * nobody mistakes the rows for all of them: the line says why.
 */
import type { ErrorObject } from './error-object.ts';

const NDJSON = '{"error":{"code":"';
/** Readers of CSV that know comments skip it. */
const COMMENT = '# ';
/** Longer lines are rows. */
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 10;

/** Returns the line for rows of a media type; undefined if they have no lines. `before` is what was sent last. */
export function failureLine(contentType: string | undefined, error: ErrorObject, before = '\n'): string | undefined {
  const line = `${JSON.stringify({ error })}\n`;
  const start = before.endsWith('\n') ? '' : '\n';
  if (contentType?.startsWith('application/x-ndjson') === true) return `${start}${line}`;
  return contentType?.startsWith('text/csv') === true ? `${start}${COMMENT}${line}` : undefined;
}

/**
 * Yields rows as they arrive, except a line that reports a failure: it throws what `failureOf` returns for the JSON of
 * the error, if the rows end with an error behind that line.
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

/** Returns where the last line begins, if it reports a failure or is so short that it may still do; else the end. */
function startOfFailure(bytes: Uint8Array): number {
  const end = bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length;
  const start = bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
  if (end - start > MAX_LINE_BYTES) return bytes.length;
  const line = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + COMMENT.length + NDJSON.length)));
  return [NDJSON, COMMENT + NDJSON].some((each) => line.startsWith(each) || each.startsWith(line))
    ? start
    : bytes.length;
}

/** Returns the JSON of the error in a line that reports a failure. */
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
