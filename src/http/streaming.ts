/** Collects the chunks of a response: a short response into one string, a long one into larger chunks. */
import { type Clock, sleep } from '../base/clock.ts';
import { errorObject } from '../base/error-object.ts';
import type { GridError } from '../base/errors.ts';
import { failureLine } from '../base/row-failures.ts';

/** Maximum number of characters per part of a long string. */
export const PART_CHARACTERS = 64 * 1024;

/** Yields a string in parts of about `characters`, without splitting a surrogate pair. */
export function* partsOf(text: string, characters = PART_CHARACTERS): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const last = start + characters - 1;
    const end = (text.codePointAt(last) ?? 0) > 0xffff ? last + 2 : last + 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** The beginning of an iteration: its text, and the rest unless that was all. */
export interface CollectedText {
  readonly text: string;
  readonly rest: AsyncIterator<string> | undefined;
}

/** Reads chunks until they end or exceed `characters`. */
export async function collectUpTo(chunks: AsyncIterable<string>, characters: number): Promise<CollectedText> {
  const rest = chunks[Symbol.asyncIterator]();
  let text = '';
  while (text.length <= characters) {
    const next = await rest.next();
    if (next.done === true) return { text, rest: undefined };
    text += next.value;
  }
  return { text, rest };
}

/** Called with the error that ended an iteration and the chunk before. Yields what is sent last, if anything. */
export type Failed<T> = (error: unknown, before: T | undefined) => AsyncIterable<T> | undefined;

/**
 * Yields `first` and then the rest in chunks of about `characters`. Ends the iterator when the reader stops; `failed`
 * is called with the error that ended the iteration, if any, and returns the last part to send.
 */
export function coalesce(
  first: string,
  rest: AsyncIterator<string>,
  characters: number,
  sent: (text: string) => void,
  failed: Failed<string>,
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
 * Yields an iterator's first result, which has already been read, and the rest. Ends the iterator when the reader
 * stops; `failed` is called with the error that ended the iteration, if any, and returns the last part to send.
 */
export function resumed<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
  sent: (chunk: T) => void,
  failed: Failed<T>,
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
  failed: Failed<T>,
): AsyncGenerator<T> {
  let ended = false;
  let before: T | undefined;
  try {
    for await (const chunk of chunks) {
      sent(chunk);
      before = chunk;
      yield chunk;
    }
    ended = true;
  } catch (error) {
    ended = true;
    const last = failed(error, before);
    if (last !== undefined) yield* last;
    throw error;
  } finally {
    if (!ended) await source.return?.();
  }
}

/** Time between the line that reports a failure and the end of the connection. */
const CUT_DELAY_MS = 100;

/** Yields the line that reports an error in rows, and waits: many clients lose what arrives together with the end. */
export async function* lastLine(
  clock: Clock,
  contentType: string | undefined,
  failure: GridError,
  before: string | undefined,
): AsyncGenerator<string> {
  yield* lastPart(clock, failureLine(contentType, errorObject(failure), before));
}

/** Yields a text that says why a stream ends, and waits for the same reason. */
export async function* lastPart(clock: Clock, text: string | undefined): AsyncGenerator<string> {
  if (text === undefined) return;
  yield text;
  await sleep(clock, CUT_DELAY_MS);
}
