/** Turns the members of a JSON object into parameters: for a request body, and for each command of a batch. */

import { detached } from '../base/detached.ts';
import { gridError } from '../base/errors.ts';
import { MAX_NAME_CHARACTERS } from '../base/limits.ts';
import { checkListLength } from '../base/lists.ts';
import { type JsonNode, readJson } from './json.ts';
import { argumentType, numberType } from './json-numbers.ts';
import { JSON_ARRAY_TYPE, JSON_OBJECT_TYPE } from './typed-text.ts';

/** Members that are arrays, with the stem of the numbered parameters that they set: `keys` sets k1, k2 ... */
export const NUMBERED_BY_LIST: Readonly<Record<string, string>> = { keys: 'k', values: 'v', args: 'arg', params: 'p' };

/** The same, by stem. */
export const LIST_OF_NUMBERED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NUMBERED_BY_LIST).map(([list, stem]) => [stem, list]),
);

const TYPED_MEMBERS: Readonly<Record<string, string>> = { key: 'keyType', val: 'valueType', val2: 'valueType' };
const TYPED_ELEMENTS: Readonly<Record<string, string>> = { k: 'keyType', v: 'valueType' };
const TEXT_TYPES = new Set(['', 'string', 'java.lang.string']);

/** The types of keys and values by parameter name, as the request's JSON implies them. Strings have none. */
export type JsonTypes = ReadonlyMap<string, string>;

/** Whether a list may be empty, or the parameter is left out instead: its default is something else. */
export type ListBound = 'mayBeEmpty' | 'notEmpty';

/** The parameters of a command that a JSON body may hold as objects and arrays instead of as text. */
export interface StructuredParameters {
  /** The parameter whose value is JSON. */
  readonly json?: string;
  /** The parameters whose value is a comma-separated list. In JSON, it may be an array of strings. */
  readonly lists?: Readonly<Record<string, ListBound | undefined>>;
}

/** Returns the structured parameters of a request's command, or undefined if the request names no command. */
export type FindStructured = (params: ReadonlyMap<string, string>) => StructuredParameters | undefined;

/** Returns the stem of the numbered parameters that an array of this name sets, or undefined if it sets none. */
export function stemOfList(name: string): string | undefined {
  return Object.hasOwn(NUMBERED_BY_LIST, name) ? NUMBERED_BY_LIST[name] : undefined;
}

/** Returns the parameter that must name a member's type if its value is an object or array. */
function typeParameterOf(member: string): string | undefined {
  if (Object.hasOwn(TYPED_MEMBERS, member)) return TYPED_MEMBERS[member];
  return /^arg\d+$/.test(member) ? `${member}Type` : undefined;
}

/** Returns the same for an element of an array that sets numbered parameters. */
function typeParameterOfElement(stem: string, name: string): string | undefined {
  return stem === 'arg' ? `${name}Type` : TYPED_ELEMENTS[stem];
}

/**
 * Returns the problem with an object or array as a parameter, or undefined if its type is declared. Without a type, it
 * would be stored as a string.
 */
function untypedReason(name: string, typedBy: string, type: string | undefined): string | undefined {
  if (!TEXT_TYPES.has((type ?? '').toLowerCase())) return undefined;
  return `${name} is an object or array: name its type in ${typedBy}, such as map or list`;
}

/** Adds the members of a JSON object to parameters; parameters that already exist keep their values. */
export class MemberReader {
  readonly #params: Map<string, string>;
  readonly #text: string;
  readonly #limit: number;
  #count: number;
  /** Parameters that are objects or arrays, with the parameter that must name their type. */
  readonly #structured: Array<readonly [name: string, typedBy: string | undefined]> = [];
  readonly #types: Map<string, string> | undefined;

  /**
   * `text` is the source of the members. `types` receives the types of keys and values; if undefined, only types that
   * the request names count.
   */
  constructor(params: Map<string, string>, text: string, limit: number, types?: Map<string, string>) {
    this.#params = params;
    this.#text = text;
    this.#limit = limit;
    this.#types = types;
    this.#count = params.size;
  }

  /**
   * Adds all members; null means absent. `findStructured` is called with the parameters read so far. Throws
   * REQUEST_MALFORMED and LIMIT_EXCEEDED.
   */
  readAll(members: Iterable<readonly [string, JsonNode]>, findStructured?: FindStructured): void {
    const numbered: Array<readonly [stem: string, name: string, node: JsonNode]> = [];
    for (const [name, node] of members) {
      const stem = node.kind === 'string' ? undefined : stemOfList(name);
      if (stem !== undefined) numbered.push([stem, name, node]);
      else if (name.length <= MAX_NAME_CHARACTERS) this.#set(name, node, typeParameterOf(name));
    }
    for (const [stem, name, node] of numbered) this.#addList(stem, name, node);
    // Without a declared type, it would be stored as a string.
    const { json, lists } = (this.#structured.length > 0 && findStructured?.(this.#params)) || NOTHING_STRUCTURED;
    for (const [name, typedBy] of this.#structured) {
      if (name === json || (typedBy !== undefined && this.#types?.has(name) && !this.#params.has(typedBy))) continue;
      const bound = lists !== undefined && Object.hasOwn(lists, name) ? lists[name] : undefined;
      if (bound !== undefined) {
        this.#params.set(name, listText(name, this.#params.get(name) ?? '', bound));
        continue;
      }
      if (typedBy === undefined) throw gridError('PARAMETER_STRUCTURED', name);
      const reason = untypedReason(name, typedBy, this.#params.get(typedBy));
      if (reason !== undefined) throw gridError('REQUEST_MALFORMED', reason, typedBy);
    }
  }

  #addList(stem: string, list: string, node: JsonNode): void {
    if (node.kind === 'null') return;
    if (node.kind !== 'array') throw malformed(`${list} must be an array`);
    for (const [index, item] of node.items.entries()) {
      const name = `${stem}${index + 1}`;
      if (stem === 'arg') this.#setArgument(name, item);
      else if (item.kind === 'null') throw malformed(`${list} must not hold null (element ${index})`);
      else this.#set(name, item, typeParameterOfElement(stem, name));
    }
  }

  /** Sets a statement's argument. A value other than a string implies its type, unless the request declares it. */
  #setArgument(name: string, node: JsonNode): void {
    const type = `${name}Type`;
    if (node.kind === 'null') {
      if (!this.#params.has(name) && this.#claim(type)) this.#params.set(type, 'null');
    } else if (this.#set(name, node, type) && !this.#params.has(type)) {
      if (node.kind === 'number') this.#params.set(type, argumentType(node.text));
      else if (node.kind === 'boolean') this.#params.set(type, 'boolean');
    }
  }

  /** Sets a parameter, unless the value is null or it already has one. Returns whether it did. */
  #set(name: string, node: JsonNode, typedBy: string | undefined): boolean {
    if (node.kind === 'null' || !this.#claim(name)) return false;
    this.#params.set(name, sourceOf(node, this.#text));
    if (typedBy === 'keyType' || typedBy === 'valueType') this.#addType(name, node);
    if (node.kind === 'object' || node.kind === 'array') this.#structured.push([name, typedBy]);
    return true;
  }

  #addType(name: string, node: JsonNode): void {
    const type = typeOfJson(node);
    if (type !== undefined) this.#types?.set(name, type);
  }

  /** Counts a parameter. Returns false if it already has a value. */
  #claim(name: string): boolean {
    if (++this.#count > this.#limit)
      throw gridError('LIMIT_EXCEEDED', 'parameters', this.#limit, this.#count, 'parametersPerRequest');
    return !this.#params.has(name);
  }
}

const NOTHING_STRUCTURED: StructuredParameters = {};

/** Returns an array of strings as a comma-separated list. Throws LIST_MALFORMED, LIST_EMPTY and LIMIT_EXCEEDED. */
function listText(name: string, source: string, bound: ListBound): string {
  checkListLength(name, source);
  const node = readJson(source);
  const items = node.kind === 'array' ? node.items : undefined;
  // An empty string or one with a comma would become another list.
  if (!items?.every((item) => item.kind === 'string' && isListItem(item.value)))
    throw gridError('LIST_MALFORMED', name);
  if (items.length === 0 && bound === 'notEmpty') throw gridError('LIST_EMPTY', name);
  return items.map((item) => sourceOf(item, source)).join(',');
}

/** Reports whether a text is an item of a comma-separated list, in time that grows with its length. */
function isListItem(text: string): boolean {
  return text.trim() !== '' && !text.includes(',');
}

/** Returns the type of a JSON value as requests name it, or undefined for strings and null. */
function typeOfJson(node: JsonNode): string | undefined {
  switch (node.kind) {
    case 'null':
    case 'string':
      return undefined;
    case 'boolean':
      return 'boolean';
    case 'number': {
      const type = numberType(node.text);
      return type === 'java.math.BigDecimal' && /^-?\d+$/.test(node.text) ? 'java.math.BigInteger' : type;
    }
    case 'array':
      return JSON_ARRAY_TYPE;
    case 'object':
      return JSON_OBJECT_TYPE;
  }
}

/** Returns a parameter's string; objects and arrays as they are in the source. */
export function sourceOf(node: JsonNode, source: string): string {
  switch (node.kind) {
    case 'null':
      return '';
    case 'boolean':
      return String(node.value);
    case 'number':
      return detached(node.text, source);
    case 'string':
      return detached(node.value, source);
    case 'array':
    case 'object':
      return detached(source.slice(node.start, node.end), source);
  }
}

function malformed(reason: string): Error {
  return gridError('REQUEST_MALFORMED', reason);
}
