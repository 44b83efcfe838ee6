/** Builds long strings within the bounds of functions and without a rope of a million parts. */
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';

/** Throws LIMIT_EXCEEDED if a string is too long for a function's result. */
export function checkTextLength(characters: number): void {
  const limit = SQL_FUNCTION_BOUNDS.textCharacters;
  if (characters > limit)
    throw gridError('LIMIT_EXCEEDED', 'characters of a text that a function produces', limit, characters, 'fixed');
}

/** Throws LIMIT_EXCEEDED if a binary value is too long for a function's result. */
export function checkBinaryLength(bytes: number): void {
  const limit = SQL_FUNCTION_BOUNDS.binaryBytes;
  if (bytes > limit)
    throw gridError('LIMIT_EXCEEDED', 'bytes of a value that a function produces', limit, bytes, 'fixed');
}

/** Number of characters that are joined into one chunk. */
const CHUNK_CHARACTERS = 8_192;

/** Joins many short strings. Throws LIMIT_EXCEEDED as soon as the result is too long. */
export class TextBuilder {
  #chunks: string[] = [];
  #parts: string[] = [];
  #pending = 0;
  #length = 0;
  readonly #poll: (() => void) | undefined;

  /** `poll` is called for every chunk; it may throw to cancel. */
  constructor(poll?: () => void) {
    this.#poll = poll;
  }

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    if (text === '') return;
    this.#length += text.length;
    checkTextLength(this.#length);
    this.#parts.push(text);
    this.#pending += text.length;
    if (this.#pending >= CHUNK_CHARACTERS) this.#flush();
  }

  #flush(): void {
    this.#poll?.();
    this.#chunks.push(this.#parts.join(''));
    this.#parts = [];
    this.#pending = 0;
  }

  /** Returns the result and keeps it instead of its chunks, so that memory holds it only once. */
  toString(): string {
    this.#flush();
    const text = this.#chunks.join('');
    this.#chunks = [text];
    return text;
  }
}
