/** Exact JSON parser, and the JSON form of every value (docs/spec/ignite-data.md 5). */
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { formatScalar, isScalar, SCALAR_TRAITS, type ScalarValue } from './scalar-traits.ts';
import type { Value, ValueOf } from './value.ts';

/**
 * A parsed JSON value. Numbers keep their source text, so they never pass through a double. If members have the same
 * name, the last value wins, in the position of the first. `start` and `end` delimit the source of arrays and objects.
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
 * Parses JSON text (strictly RFC 8259). Throws ConversionFailure for invalid text, for nesting and numbers beyond
 * JSON_BOUNDS, and for more than `maxValues` values in total.
 */
export function readJson(text: string, maxValues = Number.POSITIVE_INFINITY): JsonNode {
  return new JsonReader(text, maxValues).readWhole();
}

/** Decides which parts are kept of JSON text whose nested values are used by their source. */
export interface JsonFilter {
  /** Reports whether the items of a top-level member are kept if it is an array. */
  keepsItems(name: string): boolean;
  /** Receives the number of values in an object or array so far. May throw. */
  holds(count: number): void;
}

/**
 * Parses JSON text in steps, and keeps the top-level members that are not null, plus what the filter selects.
 * Throws like {@link readJson}.
 */
export function readFiltered(text: string, filter: JsonFilter): Generator<undefined, JsonNode> {
  return new JsonReader(text, Number.POSITIVE_INFINITY, filter).readInSteps();
}

/**
 * Parses a JSON array and yields its items one by one, and undefined inside long ones, so that it can be parsed in
 * slices. Throws like {@link readJson}, and for any other value; `maxValues` applies to each item.
 */
export function readJsonItems(text: string, maxValues: number): Generator<JsonNode | undefined, void> {
  return new JsonReader(text, maxValues).readItems();
}

/** Number of values parsed in one step: a fraction of a millisecond, even before the code is compiled. */
const STEP_VALUES = 256;

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const WHITESPACE = /[ \n\r\t]*/y;
const CONTINUES_NUMBER = /[0-9.+a-zA-Z_]/;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Characters that need an escape in a JSON string, except the quote. */
const SPECIAL_IN_STRING = /[\\\u0000-\u001f]/;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const NULL_NODE: JsonNode = { kind: 'null' };
const TRUE_NODE: JsonNode = { kind: 'boolean', value: true };
const FALSE_NODE: JsonNode = { kind: 'boolean', value: false };

/** An array or object whose end has not been read yet. */
type Open = (
  | { readonly kind: 'array'; readonly items: JsonNode[] }
  | { readonly kind: 'object'; readonly members: Map<string, JsonNode>; name: string }
) & { readonly start: number; readonly keeps: boolean };

class JsonReader {
  readonly #text: string;
  #at = 0;
  readonly #maxValues: number;
  readonly #filter: JsonFilter | undefined;
  #values = 0;
  /** The arrays and objects around the next value. */
  readonly #open: Open[] = [];
  /** The number of arrays around all of these. */
  #outerDepth = 0;

  constructor(text: string, maxValues: number, filter?: JsonFilter) {
    this.#text = text;
    this.#maxValues = maxValues;
    this.#filter = filter;
  }

  readWhole(): JsonNode {
    this.#skipWhitespace();
    let node = this.#readSome(STEP_VALUES);
    while (node === undefined) node = this.#readSome(STEP_VALUES);
    this.#readEnd();
    return node;
  }

  *readInSteps(): Generator<undefined, JsonNode> {
    this.#skipWhitespace();
    let node = this.#readSome(STEP_VALUES);
    for (; node === undefined; node = this.#readSome(STEP_VALUES)) yield;
    this.#readEnd();
    return node;
  }

  *readItems(): Generator<JsonNode | undefined, void> {
    this.#skipWhitespace();
    if (!this.#accept(OPENING_BRACKET)) throw this.#unexpected("'['");
    this.#outerDepth = 1;
    this.#skipWhitespace();
    let ended = this.#accept(CLOSING_BRACKET);
    while (!ended) {
      this.#values = 0;
      this.#skipWhitespace();
      let node: JsonNode | undefined;
      while (node === undefined) {
        node = this.#readSome(STEP_VALUES);
        yield node;
      }
      this.#skipWhitespace();
      ended = this.#accept(CLOSING_BRACKET);
      if (!ended && !this.#accept(COMMA)) throw this.#unexpected("',' or ']'");
    }
    this.#readEnd();
  }

  #readEnd(): void {
    this.#skipWhitespace();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text');
  }

  /** Reads up to `count` values, from where the next one begins. Returns the outermost one if it ends among them. */
  #readSome(count: number): JsonNode | undefined {
    for (let read = 0; read < count; read++) {
      const node = this.#readValue();
      const outermost = node && this.#add(node);
      if (outermost !== undefined) return outermost;
    }
    return undefined;
  }

  /** Adds a value to the enclosing one, and ends those that end after it. Returns the outermost value when it ends. */
  #add(node: JsonNode): JsonNode | undefined {
    for (let added = node; ; ) {
      const around = this.#open[this.#open.length - 1];
      if (around === undefined) return added;
      const isArray = around.kind === 'array';
      if (around.keeps) this.#keep(around, added);
      this.#skipWhitespace();
      if (this.#accept(isArray ? CLOSING_BRACKET : CLOSING_BRACE)) {
        this.#open.pop();
        added = this.#ended(around);
        continue;
      }
      if (!this.#accept(COMMA)) throw this.#unexpected(isArray ? "',' or ']'" : "',' or '}'");
      this.#skipWhitespace();
      if (!isArray) around.name = this.#readName();
      return undefined;
    }
  }

  #keep(around: Open, node: JsonNode): void {
    if (around.kind === 'array') {
      around.items.push(node);
      this.#filter?.holds(around.items.length);
    } else if (this.#filter === undefined) around.members.set(around.name, node);
    else if (node.kind === 'null') around.members.delete(around.name);
    else this.#filter.holds(around.members.set(around.name, node).size);
  }

  #ended(open: Open): JsonNode {
    const { start } = open;
    return open.kind === 'array'
      ? { kind: 'array', items: open.items, start, end: this.#at }
      : { kind: 'object', members: open.members, start, end: this.#at };
  }

  #skipWhitespace(): void {
    if (this.#text.charCodeAt(this.#at) > BLANK) return;
    WHITESPACE.lastIndex = this.#at;
    WHITESPACE.test(this.#text);
    this.#at = WHITESPACE.lastIndex;
  }

  /** Reads a value, or the beginning of an array or object up to its first value. */
  #readValue(): JsonNode | undefined {
    if (++this.#values > this.#maxValues) throw this.#failure(`More than ${this.#maxValues} values`);
    const code = this.#text.charCodeAt(this.#at);
    if (code === QUOTE) return { kind: 'string', value: this.#readString() };
    if (code === OPENING_BRACE) {
      const keeps = this.#filter === undefined || this.#open.length === 0;
      return this.#begin({ kind: 'object', members: new Map(), start: this.#at, name: '', keeps });
    }
    if (code === OPENING_BRACKET) {
      const keeps = this.#filter === undefined || this.#keepsItems(this.#filter);
      return this.#begin({ kind: 'array', items: [], start: this.#at, keeps });
    }
    if (code === 0x74) return this.#readWord('true', TRUE_NODE);
    if (code === 0x66) return this.#readWord('false', FALSE_NODE);
    if (code === 0x6e) return this.#readWord('null', NULL_NODE);
    return this.#readNumber();
  }

  #keepsItems(filter: JsonFilter): boolean {
    const [outermost] = this.#open;
    return this.#open.length === 1 && outermost?.kind === 'object' && filter.keepsItems(outermost.name);
  }

  /** Begins an array or object. Returns it if it is empty. */
  #begin(open: Open): JsonNode | undefined {
    if (this.#open.length + this.#outerDepth === JSON_BOUNDS.depth) {
      throw this.#failure(`Nested more than ${JSON_BOUNDS.depth} deep`);
    }
    this.#at++;
    this.#skipWhitespace();
    if (this.#accept(open.kind === 'array' ? CLOSING_BRACKET : CLOSING_BRACE)) return this.#ended(open);
    if (open.kind === 'object') open.name = this.#readName();
    this.#open.push(open);
    return undefined;
  }

  /** Reads a member's name, up to where its value begins. */
  #readName(): string {
    if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#unexpected('a name in double quotes');
    const name = this.#readString();
    this.#skipWhitespace();
    if (!this.#accept(COLON)) throw this.#unexpected("':'");
    this.#skipWhitespace();
    return name;
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

  #accept(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  /** Reads a string from its opening quote to after the closing one. */
  #readString(): string {
    const start = this.#at + 1;
    const quote = this.#text.indexOf('"', start);
    const plain = quote < 0 ? '' : this.#text.slice(start, quote);
    if (quote >= 0 && !SPECIAL_IN_STRING.test(plain)) {
      this.#at = quote + 1;
      return plain;
    }
    const end = this.#closingQuote(start, quote);
    try {
      // One call for all escapes: otherwise each would be a separate string.
      const value: unknown = JSON.parse(this.#text.slice(start - 1, end + 1));
      this.#at = end + 1;
      return String(value);
    } catch {
      throw this.#wrongString(start);
    }
  }

  /** Returns the index of the first unescaped quote from `quote` on, or the end of the text. */
  #closingQuote(start: number, quote: number): number {
    for (let end = quote; end >= 0; end = this.#text.indexOf('"', end + 1)) {
      let before = end;
      while (before > start && this.#text.charCodeAt(before - 1) === BACKSLASH) before--;
      if ((end - before) % 2 === 0) return end;
    }
    return this.#text.length;
  }

  /** Returns the failure for an invalid or unterminated string. */
  #wrongString(start: number): ConversionFailure {
    for (this.#at = start; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 32)) return this.#unexpected('a closing quote, control characters are written as escapes');
      if (code !== BACKSLASH) continue;
      ESCAPE.lastIndex = ++this.#at;
      const found = ESCAPE.exec(this.#text)?.[0];
      if (found === undefined) return this.#unexpected('an escape');
      this.#at += found.length - 1;
    }
  }

  #unexpected(expected: string): ConversionFailure {
    const code = this.#text.charCodeAt(this.#at);
    if (Number.isNaN(code)) return this.#failure(`Unexpected end of the text: was expecting ${expected}`);
    return this.#failure(
      `Unexpected character ('${this.#text.charAt(this.#at)}' (code ${code})): was expecting ${expected}`,
    );
  }

  #failure(message: string): ConversionFailure {
    let line = 1;
    let start = 0;
    for (let at = 0; at < this.#at; at++) {
      if (this.#text.charCodeAt(at) !== LINE_FEED) continue;
      line++;
      start = at + 1;
    }
    const text = `${message} at line ${line}, column ${this.#at - start + 1}`;
    return new ConversionFailure(`invalid JSON: ${text}`, `JsonParseException: ${text}`);
  }
}

/** Characters that need an escape. Scanning for them is several times cheaper than quoting. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/;
const SURROGATE = /[\ud800-\udfff]/;
const SURROGATES = /[\ud800-\udfff]/g;

/**
 * Writes a JSON string. Control characters, quotes and backslashes are escaped; characters beyond the basic plane
 * become two escapes in upper case.
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

/** Escapes the characters beyond the basic plane in a JSON text, as {@link writeText} does. */
export function escapeSurrogates(json: string): string {
  return SURROGATE.test(json) ? json.replace(SURROGATES, (unit) => escapeUnit(unit.charCodeAt(0))) : json;
}

/** Number of characters in an escape by its code, \u0001. */
const UNIT_ESCAPE_CHARACTERS = 6;
const ESCAPE_CHARACTERS = 2;
/** Control characters with a short escape. */
const SHORT_CODES: ReadonlySet<number> = new Set([...'\b\t\n\f\r'].map((each) => each.charCodeAt(0)));

/** Returns the number of characters that {@link writeText} writes between the quotes. */
export function escapedCharacters(text: string): number {
  if (!SPECIAL.test(text)) return text.length;
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) count += ESCAPE_CHARACTERS - 1;
    else if (code >= 0x20 && (code < 0xd800 || code > 0xdfff)) continue;
    else count += (SHORT_CODES.has(code) ? ESCAPE_CHARACTERS : UNIT_ESCAPE_CHARACTERS) - 1;
  }
  return count;
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).toUpperCase()}`;
}

/** Writes parsed JSON again, without blanks and with all digits of its numbers. */
export function writeNode(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return writeText(node.value);
    case 'array':
      return `[${node.items.map(writeNode).join(',')}]`;
    case 'object':
      return `{${[...node.members].map(([name, member]) => `${writeText(name)}:${writeNode(member)}`).join(',')}}`;
  }
}

/** Writes the JSON form of a value, as it appears in `response`. */
export function writeJson(value: Value): string {
  switch (value.type) {
    case 'string':
      return writeText(value.data);
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

/** Writes an array; an array of characters becomes a string. */
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

/** Returns the member name for a map's key: the empty string for null, the constant's name for an enum. */
export function memberName(key: Value): string {
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
 * Returns a value as a string without quotes, for member names in getall's object form and for messages: the text form
 * of scalars, otherwise JSON.
 */
export function formatText(value: Value): string {
  return isScalar(value) ? formatScalar(value) : value.type === 'opaque' ? value.text : writeJson(value);
}
