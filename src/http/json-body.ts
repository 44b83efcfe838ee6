/**
 * A JSON object as request body: each member is a parameter. A number's text is its source text, so that no digit is
 * lost; null is absent; `keys`, `values`, `args`, `params` stand for the numbered parameters k, v, arg, p.
 */
import { fail } from '../base/errors.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJson } from '../values/json.ts';
import { malformed } from './parameters.ts';

const NUMBERED: Readonly<Record<string, string>> = { keys: 'k', values: 'v', args: 'arg', params: 'p' };
/** Parameters that carry an object or array as their JSON text, with the one that has to name its type. */
const TYPED: Readonly<Record<string, string>> = { key: 'keyType', val: 'valueType', val2: 'valueType' };
const TYPE_OF_ELEMENTS: Readonly<Record<string, string | undefined>> = { k: 'keyType', v: 'valueType' };
const TEXT_TYPES = new Set(['', 'string', 'java.lang.string']);
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Adds the members to `into`, where a name that is there already keeps its value.
 * Refuses REQUEST_MALFORMED, LIMIT_EXCEEDED.
 */
export function readJsonBody(body: Uint8Array, into: Map<string, string>, limit: number, alreadyRead: number): void {
  const text = decode(body);
  if (text.trim() === '') return;
  const root = parse(text);
  if (root.kind !== 'object') throw malformed('the JSON body must be an object');
  const reader = new BodyReader(text, into, limit, alreadyRead);
  const lists: Array<readonly [stem: string, name: string, node: JsonNode]> = [];
  for (const [name, node] of root.members) {
    const stem = Object.hasOwn(NUMBERED, name) && node.kind !== 'string' ? NUMBERED[name] : undefined;
    if (stem === undefined) reader.member(name, node);
    else lists.push([stem, name, node]);
  }
  for (const [stem, name, node] of lists) reader.list(stem, name, node);
  reader.checkTypes();
}

function decode(body: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(body);
  } catch {
    throw malformed('the JSON body is no UTF-8');
  }
}

function parse(text: string): JsonNode {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof ConversionFailure) throw malformed(error.message);
    throw error;
  }
}

class BodyReader {
  readonly #text: string;
  readonly #into: Map<string, string>;
  readonly #limit: number;
  #count: number;
  /** Parameters whose text is that of an object or array, with the parameter that must name their type. */
  readonly #structured: Array<readonly [name: string, typedBy: string | undefined]> = [];

  constructor(text: string, into: Map<string, string>, limit: number, alreadyRead: number) {
    this.#text = text;
    this.#into = into;
    this.#limit = limit;
    this.#count = alreadyRead;
  }

  member(name: string, node: JsonNode): void {
    if (node.kind === 'null') return;
    if ((node.kind === 'object' || node.kind === 'array') && this.#set(name, this.#textOf(node))) {
      const typedBy = Object.hasOwn(TYPED, name) ? TYPED[name] : undefined;
      this.#structured.push([name, typedBy ?? (/^arg\d+$/.test(name) ? `${name}Type` : undefined)]);
    } else this.#set(name, this.#textOf(node));
  }

  list(stem: string, listName: string, node: JsonNode): void {
    if (node.kind === 'null') return;
    if (node.kind !== 'array') throw malformed(`${listName} must be an array`);
    node.items.forEach((item, index) => {
      const name = `${stem}${index + 1}`;
      if (stem === 'arg') this.#argument(name, item);
      else if (item.kind === 'null') throw malformed(`${listName} must not hold null (element ${index})`);
      else if (this.#set(name, this.#textOf(item)) && (item.kind === 'object' || item.kind === 'array')) {
        this.#structured.push([name, TYPE_OF_ELEMENTS[stem]]);
      }
    });
  }

  /** An argument of a statement: what is no text says its type, unless the request does. */
  #argument(name: string, item: JsonNode): void {
    if (item.kind === 'null') {
      if (!this.#into.has(name)) this.#set(`${name}Type`, 'null');
      return;
    }
    if (!this.#set(name, this.#textOf(item))) return;
    if (item.kind === 'object' || item.kind === 'array') this.#structured.push([name, `${name}Type`]);
    else if (item.kind !== 'string' && !this.#into.has(`${name}Type`)) {
      this.#into.set(`${name}Type`, item.kind === 'boolean' ? 'boolean' : numberType(item.text));
    }
  }

  /** An object or array is no text: without a type of its own it would be stored as one unnoticed. */
  checkTypes(): void {
    for (const [name, typedBy] of this.#structured) {
      if (typedBy === undefined) throw malformed(`${name} must be a text, a number, true, false or null`);
      if (TEXT_TYPES.has((this.#into.get(typedBy) ?? '').toLowerCase())) {
        throw malformed(`${name} is an object or array, its type must be named by ${typedBy}`);
      }
    }
  }

  #set(name: string, text: string): boolean {
    if (++this.#count > this.#limit) throw fail('LIMIT_EXCEEDED', 'parameters', this.#limit, this.#count);
    if (this.#into.has(name)) return false;
    this.#into.set(name, text);
    return true;
  }

  #textOf(node: JsonNode): string {
    switch (node.kind) {
      case 'null':
        return 'null';
      case 'boolean':
        return String(node.value);
      case 'number':
        return node.text;
      case 'string':
        return node.value;
      case 'array':
      case 'object':
        return this.#text.slice(node.start, node.end);
    }
  }
}

const INTEGER_MAX = 2n ** 31n;
const LONG_MAX = 2n ** 63n;

/** The narrowest type that holds the number exactly. */
function numberType(text: string): string {
  if (/^-?\d+$/.test(text)) {
    const number = BigInt(text);
    if (number >= -INTEGER_MAX && number < INTEGER_MAX) return 'int';
    return number >= -LONG_MAX && number < LONG_MAX ? 'long' : 'java.math.BigDecimal';
  }
  const digits = text.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
  return digits.length <= 15 && Number.isFinite(Number(text)) ? 'double' : 'java.math.BigDecimal';
}
