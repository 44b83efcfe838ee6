/** Paths into objects and JSON strings (`$.home.city`, `$.tags[0]`), and the items that they lead to. */
import { sqlFailure } from '../../base/sql-errors.ts';
import { ConversionFailure } from '../../values/conversion-failure.ts';
import { type JsonNode, memberName, readJson, writeNode } from '../../values/json.ts';
import { isScalar } from '../../values/scalar-traits.ts';
import type { Value } from '../../values/value.ts';
import { nodeOf } from '../../values/value-nodes.ts';
import { convert } from './convert.ts';
import { parseDecimal } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';
import { dataOfScalar, typeOfValue } from './sql-values.ts';
import { isTextType } from './type-order.ts';

/** The name of a member, or the index of an item: from 0, or from the end if it is negative. */
export type PathStep = string | number;

/** A part of an object, or of a JSON string, whose numbers keep their digits. */
export type JsonItem =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'node'; readonly node: JsonNode };

const STEP =
  /\.\s*(?:"((?:[^"\\]|\\.)*)"|([\p{L}_$][\p{L}\p{N}_$]*))|\[\s*(?:(\d{1,9})|last(?:\s*-\s*(\d{1,9}))?)\s*\]/uy;

/** Parses a path of names and indexes. Throws JSON_PATH for any other path, including wildcards and filters. */
export function parsePath(path: string): readonly PathStep[] {
  const text = path.trim();
  const reject = (at: number) => sqlFailure('JSON_PATH', path, at + 1);
  if (!text.startsWith('$')) throw reject(0);
  const steps: PathStep[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const found = STEP.exec(text);
    if (found === null) throw reject(at);
    const [, quoted, name, index, fromEnd = '0'] = found;
    if (quoted !== undefined) steps.push(unescaped(quoted) ?? fail(reject(at)));
    else if (name !== undefined) steps.push(name);
    else steps.push(index === undefined ? -1 - Number(fromEnd) : Number(index));
  }
  return steps;
}

function fail(error: Error): never {
  throw error;
}

function unescaped(quoted: string): string | undefined {
  try {
    const node = readJson(`"${quoted}"`);
    return node.kind === 'string' ? node.value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a path in normal form, so equal paths are equal strings. Throws JSON_PATH. */
export function formatPath(path: string): string {
  const parts = parsePath(path).map((step) => {
    if (typeof step === 'string') return `.${JSON.stringify(step)}`;
    return step < 0 ? `[last - ${-1 - step}]` : `[${step}]`;
  });
  return `$${parts.join('')}`;
}

/** Parses a JSON string. Throws JSON_INVALID. */
export function itemOfText(text: string): JsonItem {
  try {
    return { kind: 'node', node: readJson(text) };
  } catch (error) {
    if (error instanceof ConversionFailure) throw sqlFailure('JSON_INVALID', error.reason);
    throw error;
  }
}

/** Returns a value as an item. A string is JSON. Throws JSON_INVALID. */
export function itemOfValue(value: Value): JsonItem {
  return value.type === 'string' ? itemOfText(value.data) : { kind: 'value', value };
}

/** Returns the item that a path leads to from another item, or undefined if none. */
export function findItem(item: JsonItem, steps: readonly PathStep[]): JsonItem | undefined {
  if (item.kind === 'node') {
    let node: JsonNode | undefined = item.node;
    for (const step of steps) node = node && partOfNode(node, step);
    return node && { kind: 'node', node };
  }
  let value: Value | undefined = item.value;
  for (const step of steps) value = value && partOfValue(value, step);
  return value && { kind: 'value', value };
}

function partOfNode(node: JsonNode, step: PathStep): JsonNode | undefined {
  if (typeof step === 'string') return node.kind === 'object' ? node.members.get(step) : undefined;
  return node.kind === 'array' ? node.items.at(step) : undefined;
}

function partOfValue(value: Value, step: PathStep): Value | undefined {
  if (typeof step === 'string') {
    if (value.type === 'object') return value.fields.findLast(({ name }) => name === step)?.value;
    return value.type === 'map' ? value.data.findLast(([key]) => memberName(key) === step)?.[1] : undefined;
  }
  if (value.type === 'array') return isText(value) ? undefined : value.data.at(step);
  return value.type === 'list' ? value.data.at(step) : undefined;
}

/** An array of characters is a string in JSON. */
function isText(value: Value): boolean {
  return nodeOf(value).kind === 'string';
}

/** Returns an item as JSON. */
export function nodeOfItem(item: JsonItem): JsonNode {
  return item.kind === 'node' ? item.node : nodeOf(item.value);
}

export function textOfItem(item: JsonItem): string {
  return writeNode(nodeOfItem(item));
}

/** Reports whether an item is an object or an array. */
export function isCompound(item: JsonItem): boolean {
  const { kind } = nodeOfItem(item);
  return kind === 'object' || kind === 'array';
}

/**
 * Returns a scalar item as data of a type, converted as by CAST. For a string type, the result is its JSON, without
 * quotes for strings. Throws JSON_NOT_SCALAR for an object or an array, and the conversion's errors.
 */
export function dataOfItem(item: JsonItem, type: SqlType): SqlData {
  if (item.kind === 'value') {
    const { value } = item;
    if (value.type === 'string') return convert(value.data, VARCHAR, type);
    if (isScalar(value) && !isTextType(type.name)) return convert(dataOfScalar(value), typeOfValue(value), type);
  }
  const node = nodeOfItem(item);
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
      return isTextType(type.name) ? convert(String(node.value), VARCHAR, type) : convert(node.value, BOOLEAN, type);
    case 'string':
      return convert(node.value, VARCHAR, type);
    case 'number':
      return isTextType(type.name) ? convert(node.text, VARCHAR, type) : convertNumber(node.text, type);
    case 'object':
    case 'array':
      throw sqlFailure('JSON_NOT_SCALAR');
  }
}

const VARCHAR: SqlType = { name: 'VARCHAR' };
const BOOLEAN: SqlType = { name: 'BOOLEAN' };
const LONG_DIGITS = 18;

function convertNumber(text: string, type: SqlType): SqlData {
  const isLong = text.length <= LONG_DIGITS && /^-?\d+$/.test(text);
  if (isLong) return convert(BigInt(text), { name: 'BIGINT' }, type);
  const number = parseDecimal(text);
  if (number === undefined) throw sqlFailure('DATA_CONVERSION', text);
  return convert(number, { name: 'DECIMAL' }, type);
}
