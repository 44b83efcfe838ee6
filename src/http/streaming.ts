/** Collects the chunks of an answer: a short answer into one text, a long one into larger chunks. */

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
export async function* coalesce(
  first: string,
  rest: AsyncIterator<string>,
  characters: number,
  sent: (text: string) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<string> {
  let done = false;
  try {
    for (let text = first; text !== ''; ) {
      sent(text);
      yield text;
      for (text = ''; !done && text.length < characters; ) {
        const next = await rest.next();
        if (next.done === true) done = true;
        else text += next.value;
      }
    }
  } catch (error) {
    done = true;
    failed(error);
    throw error;
  } finally {
    if (!done) await rest.return?.();
  }
}

/**
 * Yields the first result of an iterator, which has been read already, and the rest. Ends the iterator when the reader
 * stops; `failed` is called with the error that ended the iteration, if any.
 */
export async function* resumed(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  sent: (bytes: Uint8Array) => void,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let done = false;
  try {
    for (let next = first; next.done !== true; next = await rest.next()) {
      sent(next.value);
      yield next.value;
    }
    done = true;
  } catch (error) {
    done = true;
    failed(error);
    throw error;
  } finally {
    if (!done) await rest.return?.();
  }
}
