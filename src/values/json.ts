/** Reads JSON text exactly and writes the JSON face of every value (docs/spec/ignite-data.md 5). */
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { formatScalar, isScalar, SCALAR_TRAITS, type ScalarValue } from './scalar-traits.ts';
import type { Value, ValueOf } from './value.ts';

/**
 * A piece of JSON. A number keeps its source text, so that nothing passes through a double; of members with the same
 * name the last one counts, at the place of the first. `start` and `end` bound the source text of arrays and objects.
 */
export type JsonNode =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[]; readonly start: number; readonly end: number }
  | {
      readonly kind: 'object';
      readonly members: ReadonlyMap<string, JsonNode>;
      readonly start: number;
      readonly end: number;
    };

/**
 * Reads one JSON text (RFC 8259, nothing more; blanks around it are fine). Throws ConversionFailure for any other
 * text, for more depth and for longer numbers than JSON_BOUNDS allow, and for more values in all than `mostValues`.
 */
export function readJson(text: string, mostValues = Number.POSITIVE_INFINITY): JsonNode {
  return new JsonReader(text, mostValues).readWhole();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const CONTINUES_NUMBER = /[0-9.+a-zA-Z_]/;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Characters that a JSON string cannot hold as they are, apart from the quote. */
const SPECIAL_IN_STRING = /[\\\u0000-\u001f]/;
const ESCAPES: { readonly [character: string]: string } = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const NULL_NODE: JsonNode = { kind: 'null' };
const TRUE_NODE: JsonNode = { kind: 'boolean', value: true };
const FALSE_NODE: JsonNode = { kind: 'boolean', value: false };

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #mostValues: number;
  #values = 0;

  constructor(text: string, mostValues: number) {
    this.#text = text;
    this.#mostValues = mostValues;
  }

  readWhole(): JsonNode {
    this.#skipBlanks();
    const node = this.#readValue();
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text');
    return node;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at++;
    }
  }

  #readValue(): JsonNode {
    if (++this.#values > this.#mostValues) throw this.#failure(`More than ${this.#mostValues} values`);
    const code = this.#text.charCodeAt(this.#at);
    if (code === QUOTE) return { kind: 'string', value: this.#readString() };
    if (code === OPENING_BRACE) return this.#readObject();
    if (code === OPENING_BRACKET) return this.#readArray();
    if (code === 0x74) return this.#readWord('true', TRUE_NODE);
    if (code === 0x66) return this.#readWord('false', FALSE_NODE);
    if (code === 0x6e) return this.#readWord('null', NULL_NODE);
    return this.#readNumber();
  }

  #enter(): number {
    if (++this.#depth > JSON_BOUNDS.depth) throw this.#failure(`Nested more than ${JSON_BOUNDS.depth} deep`);
    return this.#at++;
  }

  #readWord(word: string, node: JsonNode): JsonNode {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected('a value');
    this.#at += word.length;
    return node;
  }

  #readNumber(): JsonNode {
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) throw this.#unexpected('a value');
    if (text.length > JSON_BOUNDS.numberCharacters) {
      throw this.#failure(`Number longer than ${JSON_BOUNDS.numberCharacters} characters`);
    }
    this.#at += text.length;
    const next = this.#text.charCodeAt(this.#at);
    const ended = next === COMMA || next === CLOSING_BRACE || next === CLOSING_BRACKET;
    if (!ended && CONTINUES_NUMBER.test(this.#text.charAt(this.#at))) throw this.#unexpected('the end of the number');
    return { kind: 'number', text };
  }

  #readArray(): JsonNode {
    const start = this.#enter();
    const items: JsonNode[] = [];
    this.#skipBlanks();
    if (this.#leaves(CLOSING_BRACKET)) return { kind: 'array', items, start, end: this.#at };
    for (;;) {
      this.#skipBlanks();
      items.push(this.#readValue());
      this.#skipBlanks();
      if (this.#leaves(CLOSING_BRACKET)) return { kind: 'array', items, start, end: this.#at };
      if (!this.#takes(COMMA)) throw this.#unexpected("',' or ']'");
    }
  }

  #readObject(): JsonNode {
    const start = this.#enter();
    const members = new Map<string, JsonNode>();
    this.#skipBlanks();
    if (this.#leaves(CLOSING_BRACE)) return { kind: 'object', members, start, end: this.#at };
    for (;;) {
      this.#skipBlanks();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#unexpected('a name in double quotes');
      const name = this.#readString();
      this.#skipBlanks();
      if (!this.#takes(COLON)) throw this.#unexpected("':'");
      this.#skipBlanks();
      members.set(name, this.#readValue());
      this.#skipBlanks();
      if (this.#leaves(CLOSING_BRACE)) return { kind: 'object', members, start, end: this.#at };
      if (!this.#takes(COMMA)) throw this.#unexpected("',' or '}'");
    }
  }

  #takes(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #leaves(code: number): boolean {
    if (!this.#takes(code)) return false;
    this.#depth--;
    return true;
  }

  /** Reads from the opening quote to behind the closing one. */
  #readString(): string {
    const start = this.#at + 1;
    const quote = this.#text.indexOf('"', start);
    const plain = quote < 0 ? '' : this.#text.slice(start, quote);
    if (quote >= 0 && !SPECIAL_IN_STRING.test(plain)) {
      this.#at = quote + 1;
      return plain;
    }
    return this.#readEscapedString(start);
  }

  #readEscapedString(start: number): string {
    let result = '';
    let copied = start;
    for (this.#at = start; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) {
        result += this.#text.slice(copied, this.#at++);
        return result;
      }
      if (code === BACKSLASH) {
        result += this.#text.slice(copied, this.#at) + this.#readEscape();
        copied = this.#at + 1;
      } else if (!(code >= 32)) {
        throw this.#unexpected('a closing quote, control characters are written as escapes');
      }
    }
  }

  /** Reads an escape and stops on its last character. */
  #readEscape(): string {
    const letter = this.#text.charAt(++this.#at);
    const simple = ESCAPES[letter];
    if (simple !== undefined) return simple;
    const digits = this.#text.slice(this.#at + 1, this.#at + 5);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#unexpected('an escape');
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #unexpected(wanted: string): ConversionFailure {
    const code = this.#text.charCodeAt(this.#at);
    if (Number.isNaN(code)) return this.#failure(`Unexpected end of the text: was expecting ${wanted}`);
    return this.#failure(
      `Unexpected character ('${this.#text.charAt(this.#at)}' (code ${code})): was expecting ${wanted}`,
    );
  }

  #failure(message: string): ConversionFailure {
    const before = this.#text.slice(0, this.#at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return new ConversionFailure(`JsonParseException: ${message} at line ${before.length}, column ${column}`);
  }
}

/** What a text may not hold to be copied as it is. Scanning is several times cheaper than quoting. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Writes a text as a JSON string: control characters, quote and backslash escaped, characters beyond the basic plane
 * as two escapes in upper case, all else as it is.
 */
export function writeText(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  if (!SURROGATE.test(text)) return JSON.stringify(text);
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code > 0xdfff) continue;
    result += JSON.stringify(text.slice(copied, at)).slice(1, -1) + escapeUnit(code);
    copied = at + 1;
  }
  return `"${result}${JSON.stringify(text.slice(copied)).slice(1, -1)}"`;
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).toUpperCase()}`;
}

/** Writes the JSON form of a value, as it appears in `response`. */
export function writeJson(value: Value): string {
  switch (value.type) {
    case 'null':
      return 'null';
    case 'array':
      return writeArray(value);
    case 'list':
      return writeItems(value.data);
    case 'map':
      return writeMap(value);
    case 'object':
      return writeObject(value);
    case 'enum':
      return value.name === undefined ? String(value.ordinal) : writeText(value.name);
    case 'opaque':
      return writeText(value.text);
  }
  return writeScalar(value);
}

function writeScalar(value: ScalarValue): string {
  const text = formatScalar(value);
  switch (SCALAR_TRAITS[value.type].json) {
    case 'bare':
      return text;
    case 'number':
      return Number.isFinite(value.data) ? text : `"${text}"`;
    case 'quoted':
      return `"${text}"`;
    case 'escaped':
      return writeText(text);
  }
}

function writeItems(items: readonly Value[]): string {
  let json = '[';
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item !== undefined) json += (index === 0 ? '' : ',') + writeJson(item);
  }
  return `${json}]`;
}

/** An array of characters shows as one text. */
function writeArray(value: ValueOf<'array'>): string {
  if (value.element !== 'char' || value.data.some((item) => item.type !== 'char')) return writeItems(value.data);
  return writeText(value.data.map(formatText).join(''));
}

function writeMap(value: ValueOf<'map'>): string {
  let json = '{';
  for (const [key, item] of value.data) {
    json += `${json.length === 1 ? '' : ','}${writeText(memberName(key))}:${writeJson(item)}`;
  }
  return `${json}}`;
}

/** The name of a map's member: the empty text for null, the constant's name for an enumeration. */
function memberName(key: Value): string {
  if (key.type === 'null') return '';
  return key.type === 'enum' ? (key.name ?? String(key.ordinal)) : formatText(key);
}

function writeObject(value: ValueOf<'object'>): string {
  let json = '{';
  for (const field of value.fields) {
    json += `${json.length === 1 ? '' : ','}${writeText(field.name)}:${writeJson(field.value)}`;
  }
  return `${json}}`;
}

/**
 * How a value reads as text, where no quotes stand around it: as a member name in getall's object form, in messages.
 * Scalars as their type reads them, all else as JSON.
 */
export function formatText(value: Value): string {
  return isScalar(value) ? formatScalar(value) : value.type === 'opaque' ? value.text : writeJson(value);
}
