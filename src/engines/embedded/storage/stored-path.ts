/**
 * Finds parts of stored objects without reading all of them: everything before a part is skipped as text, and only the
 * part is parsed. So a damaged text is detected up to the part, and the rest is not examined.
 */
import { findItem, type JsonItem, type PathStep } from '../../../sql/types/json-path.ts';
import { type StorageValue, storageValueText, TYPE_CODES, untag } from './value-storage.ts';

/** Returns the part of an object at a path, or undefined if there is none. */
export type FindStored = (fields: StorageValue) => JsonItem | undefined;

/** Returns a function that finds the parts at a path of at least one step. */
export function storedPath(steps: readonly PathStep[]): FindStored {
  // As `encodeFields` writes them. No field has the name of an index.
  const names = steps.map((step) => (typeof step === 'string' ? JSON.stringify(step) : undefined));
  return (fields) => {
    const text = storageValueText(fields);
    if (text.charCodeAt(0) !== OPEN) return damaged(0);
    let at = valueOfField(text, 1, names[0]);
    for (let step = 1; step < names.length && at !== NOWHERE; step++) {
      const name = names[step];
      const within = name === undefined ? UNKNOWN : valueWithin(text, at, name);
      if (within === UNKNOWN) return findItem(itemAt(text, at), steps.slice(step));
      at = within;
    }
    return at === NOWHERE ? undefined : itemAt(text, at);
  };
}

const NOWHERE = -1;
const UNKNOWN = -2;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
/** The beginning of a nested object; its type and its fields follow. */
const OBJECT = `[${TYPE_CODES.object},`;
/** The beginning of a map with keys; a key, its value, a key ... follow. */
const MAP = `[${TYPE_CODES.map},`;

function damaged(at: number): never {
  throw new Error(`damaged structure: unexpected text at ${at}`);
}

/** Returns where a part of the value at a position begins. {@link UNKNOWN}: read the value to find it. */
function valueWithin(text: string, at: number, name: string): number {
  if (text.startsWith(MAP, at)) return valueOfKey(text, at + MAP.length, name);
  if (!text.startsWith(OBJECT, at)) return UNKNOWN;
  const type = endOfValue(text, at + OBJECT.length);
  return valueOfField(text, text.charCodeAt(type) === COMMA ? type + 1 : type, name);
}

/** Returns where the value of the last key with a name begins, if all keys are strings. Others also have names. */
function valueOfKey(text: string, from: number, name: string): number {
  let found = NOWHERE;
  for (let at = from; ; at++) {
    if (text.charCodeAt(at) !== QUOTE) return UNKNOWN;
    const end = endOfString(text, at);
    if (text.charCodeAt(end) !== COMMA) damaged(end);
    if (end - at === name.length && text.startsWith(name, at)) found = end + 1;
    at = endOfValue(text, end + 1);
    if (text.charCodeAt(at) === CLOSE) return found;
  }
}

/** Returns where the value of the first field with a name begins, from the name of a field on. */
function valueOfField(text: string, from: number, name: string | undefined): number {
  let at = from;
  while (text.charCodeAt(at) === QUOTE) {
    const isFound = name !== undefined && text.startsWith(name, at);
    const end = isFound ? at + name.length : endOfString(text, at);
    if (text.charCodeAt(end) !== COMMA) damaged(end);
    at = end + 1;
    if (isFound) return at;
    at = endOfValue(text, at);
    if (text.charCodeAt(at) === COMMA) at++;
  }
  return text.charCodeAt(at) === CLOSE ? NOWHERE : damaged(at);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
    if (at >= text.length) damaged(at);
    at += code === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

/** Returns the end of any value. Structures within it are counted, not entered. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (depth === 0 && (code === COMMA || code === CLOSE)) return at;
    at = code === QUOTE ? endOfString(text, at) : at + 1;
    if (code === OPEN) depth++;
    else if (code === CLOSE) depth--;
    if (depth === 0 && (code === QUOTE || code === CLOSE)) return at;
  }
  return damaged(text.length);
}

function itemAt(text: string, at: number): JsonItem {
  if (text.charCodeAt(at) === QUOTE) {
    const data = text.slice(at + 1, endOfString(text, at) - 1);
    if (!data.includes('\\')) return { kind: 'value', value: { type: 'string', data } };
  }
  return { kind: 'value', value: untag(JSON.parse(text.slice(at, endOfValue(text, at)))) };
}
