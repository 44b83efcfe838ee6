/** Passes computed texts to SQLite, which writes them as JSON, and checks long ones. */
import { escapedCharacters, writeText } from '../../../values/json.ts';
import { decodeText, type StorageValue } from '../storage/value-storage.ts';
import type { ExecutionContext, NativeScalar } from './native-function.ts';

/** Bytes of a text that may be long in JSON. */
export const CHECKED_BYTES = 256 * 1024;
/** The most bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;
/** Characters of JSON that one thread at a time holds. */
const HELD_CHARACTERS = 1024 * 1024;
/** How many times its length a text in JSON takes until its row has been read. */
export const COPIES = 3;

/**
 * Reports a text that is long in JSON, in which a control character takes six. Throws
 * QUERY_MEMORY if the row would not fit: SQLite writes it without looking at the memory of the statement.
 */
function holdText(text: string, context: ExecutionContext): void {
  if (text.length * MAX_UNIT_BYTES >= CHECKED_BYTES) holdJson(escapedCharacters(text), context);
}

/** The same for a text of so many characters in JSON. */
function holdJson(characters: number, { beginLarge, checkMemory }: ExecutionContext): void {
  if (characters < HELD_CHARACTERS) return;
  checkMemory?.(COPIES * characters);
  beginLarge?.();
}

/** Reports a stored text of so many bytes, before it is read. Returns true. */
export const HOLD: NativeScalar = {
  kind: 'scalar',
  name: 'svc hold',
  arity: 1,
  deterministic: true,
  create:
    (context) =>
    (bytes: StorageValue = null) => {
      if (Number(bytes) < HELD_CHARACTERS) return 1;
      context.beginLarge?.();
      return 1;
    },
};

/** Checks a stored text before it is written. Returns true, or throws as {@link holdText} does. */
export const CHECK: NativeScalar = {
  kind: 'scalar',
  name: 'svc check text',
  arity: 1,
  deterministic: true,
  create:
    (context) =>
    (text: StorageValue = null) => {
      if (typeof text === 'string') holdText(text, context);
      return 1;
    },
};

/** Checks a stored text before it is written that has so many bytes in JSON. Returns true, or throws the same. */
export const CHECK_BYTES: NativeScalar = {
  kind: 'scalar',
  name: 'svc check bytes',
  arity: 1,
  deterministic: true,
  create:
    (context) =>
    (bytes: StorageValue = null) => {
      holdJson(Number(bytes), context);
      return 1;
    },
};

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
