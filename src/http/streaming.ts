/** Pieces of an answer: collected while they are few, put together to bigger ones when they are many. */

/** The beginning of an iteration: its text, and what is left unless that was all. */
export interface Begun {
  readonly text: string;
  readonly rest: AsyncIterator<string> | undefined;
}

/** Reads pieces until they are over or have more than `characters`. */
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
 * Gives `first` and then the rest in pieces of about `characters`. Ends the iterator when the reader stops;
 * `failed` is told of the error that ended the iteration, if one did.
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
