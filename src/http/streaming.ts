/** Collects the chunks of an answer: a short answer into one text, a long one into larger chunks. */

/** Characters of a part of a long text. */
export const PART_CHARACTERS = 64 * 1024;

/** Yields a long text in parts. */
export function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at = endOf(text, at)) yield text.slice(at, endOf(text, at));
}

/** Returns the end of the part that begins at `start`. It does not separate two surrogates. */
function endOf(text: string, start: number): number {
  const end = start + PART_CHARACTERS;
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** The beginning of an iteration: its text, and what is left unless that was all. */
export interface Begun {
  readonly text: string;
  readonly rest: AsyncIterator<string> | undefined;
}

/** Reads chunks until they end or exceed `characters`. */
export async function collectUpTo(chunks: AsyncIterable<string>, characters: number): Promise<Begun> {
  const rest = chunks[Symbol.asyncIterator]();
  let text = '';
  while (text.length <= characters) {
    const next = await rest.next();
    if (next.done === true) return { text, rest: undefined };
    text += next.value;
  }
  return { text, rest };
}

/**
 * Yields `first` and then the rest in chunks of about `characters`. Ends the iterator when the reader stops;
 * `failed` is called with the error that ended the iteration, if any.
 */
export function coalesce(
  first: string,
  rest: AsyncIterator<string>,
  characters: number,
  sent: (text: string) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<string> {
  return passOn(joined(first, rest, characters), rest, sent, failed);
}

async function* joined(first: string, rest: AsyncIterator<string>, characters: number): AsyncGenerator<string> {
  let done = false;
  for (let text = first; text !== ''; ) {
    yield text;
    for (text = ''; !done && text.length < characters; ) {
      const next = await rest.next();
      if (next.done === true) done = true;
      else text += next.value;
    }
  }
}

/**
 * Yields the first result of an iterator, which has been read already, and the rest. Ends the iterator when the reader
 * stops; `failed` is called with the error that ended the iteration, if any.
 */
export function resumed<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  sent: (chunk: T) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<T> {
  return passOn(following(first, rest), rest, sent, failed);
}

async function* following<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

/** Yields the chunks, which are read from `source`, and ends the source unless it ended by itself. */
async function* passOn<T>(
  chunks: AsyncGenerator<T>,
  source: AsyncIterator<unknown>,
  sent: (chunk: T) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<T> {
  let ended = false;
  try {
    for await (const chunk of chunks) {
      sent(chunk);
      yield chunk;
    }
    ended = true;
  } catch (error) {
    ended = true;
    failed(error);
    throw error;
  } finally {
    if (!ended) await source.return?.();
  }
}
