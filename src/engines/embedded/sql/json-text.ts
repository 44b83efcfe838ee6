/** Passes computed strings to SQLite, which writes them as JSON, and reports long ones. */
import { LARGE_CHARACTERS } from '../../../base/slices.ts';
import { escapedCharacters, writeText } from '../../../values/json.ts';
import { decodeText, type StorageValue } from '../storage/value-storage.ts';
import type { NativeScalar } from './native-function.ts';

/** Reports a large stored string by its length, before it is read. Returns true. */
export const LARGE_TEXT: NativeScalar = {
  kind: 'scalar',
  name: 'svc large text',
  arity: 1,
  deterministic: true,
  create: (context) => () => {
    context.beginLarge?.();
    return 1;
  },
};

/** Memory of a string in JSON until its row has been read, as a multiple of its length. */
const COPIES = 3;

/** First byte of a JSONB string that is written unchanged, with its length in the next four. */
const JSONB_TEXT = 0xe8;
const JSONB_HEAD_BYTES = 5;

/**
 * Passes a computed string to SQLite, which writes it without checking the statement's memory. Throws QUERY_MEMORY
 * if the string would not fit: a control character takes six times its length. A string that is not valid Unicode,
 * and therefore stored as a blob, becomes JSONB: unlike with `json()`, it is neither parsed nor kept until the
 * statement ends.
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
      if (text.length > LARGE_CHARACTERS) context.checkMemory?.(COPIES * escapedCharacters(text));
      if (typeof storageValue === 'string') return storageValue;
      const json = Buffer.from(writeText(text).slice(1, -1));
      const head = Buffer.alloc(JSONB_HEAD_BYTES, JSONB_TEXT);
      head.writeUInt32BE(json.length, 1);
      return Buffer.concat([head, json]);
    },
};
