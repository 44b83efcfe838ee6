/** Passes computed texts to SQLite, which writes them as JSON. */
import { writeText, writtenCharacters } from '../../../values/json.ts';
import { decodeText, type StorageValue } from '../storage/value-storage.ts';
import type { ExecutionContext, NativeScalar } from './native-function.ts';

/** Characters of a text that may be long in JSON, and of JSON that one thread at a time holds. */
const CHECKED_CHARACTERS = 256 * 1024;
const HELD_CHARACTERS = 1024 * 1024;
/** How many times its length a text in JSON takes until its row has been read. */
const COPIES = 4;

/**
 * Has one thread at a time write a text that is long in JSON, in which a control character takes six. Throws
 * QUERY_MEMORY if the row would not fit: SQLite writes it without looking at the memory of the statement.
 */
function holdText(text: string, { beginLarge, checkMemory }: ExecutionContext): void {
  if (text.length < CHECKED_CHARACTERS) return;
  const characters = writtenCharacters(text);
  if (characters < HELD_CHARACTERS) return;
  checkMemory?.(COPIES * characters);
  beginLarge?.();
}

/** First byte of a JSONB text that is written as it is, and whose length is in the next four. */
const JSONB_TEXT = 0xe8;
const JSONB_HEAD_BYTES = 5;

/**
 * Passes a computed text on to SQLite, which writes it. A string that is not valid Unicode, and therefore stored as a
 * blob, becomes JSONB: unlike `json()`, it is neither parsed nor kept until the statement ends.
 */
export const JSON_TEXT: NativeScalar = {
  kind: 'scalar',
  name: 'svc json text',
  arity: 1,
  deterministic: true,
  create:
    (context) =>
    (storageValue: StorageValue = null) => {
      if (storageValue === null) return null;
      const text = decodeText(storageValue);
      holdText(text, context);
      if (typeof storageValue === 'string') return storageValue;
      const json = Buffer.from(writeText(text).slice(1, -1));
      const head = Buffer.alloc(JSONB_HEAD_BYTES, JSONB_TEXT);
      head.writeUInt32BE(json.length, 1);
      return Buffer.concat([head, json]);
    },
};
