/** The parsed JSON of values, from which conversions read them. Unlike responses, it is complete. */
import { formatText, type JsonNode, memberName } from './json.ts';
import { formatExactScalar, isScalar, SCALAR_TRAITS, type ScalarValue } from './scalar-traits.ts';
import type { Value } from './value.ts';

/** Returns the JSON that a value was parsed from, as far as its type tells: times have their milliseconds. */
export function nodeOf(value: Value): JsonNode {
  switch (value.type) {
    case 'null':
      return { kind: 'null' };
    case 'boolean':
      return { kind: 'boolean', value: value.data };
    case 'array':
      if (value.element === 'char' && value.data.every((item) => item.type === 'char'))
        return { kind: 'string', value: value.data.map(formatText).join('') };
      return arrayNode(value.data);
    case 'list':
      return arrayNode(value.data);
    case 'map':
      return objectNode(
        value.data.map(([key, item]) => [isScalar(key) ? formatExactScalar(key) : memberName(key), item]),
      );
    case 'object':
      return objectNode(value.fields.map((field) => [field.name, field.value]));
    case 'enum':
      return value.name === undefined
        ? { kind: 'number', text: String(value.ordinal) }
        : { kind: 'string', value: value.name };
    case 'opaque':
      return { kind: 'string', value: value.text };
  }
  return scalarNode(value);
}

function scalarNode(value: ScalarValue): JsonNode {
  const text = formatExactScalar(value);
  switch (SCALAR_TRAITS[value.type].json) {
    case 'bare':
      return { kind: 'number', text };
    case 'number':
      return Number.isFinite(value.data) ? { kind: 'number', text } : { kind: 'string', value: text };
    case 'quoted':
    case 'escaped':
      return { kind: 'string', value: text };
  }
}

function arrayNode(items: readonly Value[]): JsonNode {
  return { kind: 'array', items: items.map(nodeOf), start: 0, end: 0 };
}

function objectNode(members: ReadonlyArray<readonly [string, Value]>): JsonNode {
  return { kind: 'object', members: new Map(members.map(([name, item]) => [name, nodeOf(item)])), start: 0, end: 0 };
}
