/** Writes parsed JSON again, with every digit of its numbers. */
import { type JsonNode, writeText } from '../values/json.ts';

/** Returns the shortest JSON text. */
export function compactJson(node: JsonNode): string {
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
      return `[${node.items.map(compactJson).join(',')}]`;
    case 'object':
      return `{${[...node.members].map(([name, member]) => `${writeText(name)}:${compactJson(member)}`).join(',')}}`;
  }
}

/** Returns JSON for readers: members and items on lines of their own, short arrays of scalars on one. */
export function prettyJson(node: JsonNode, indent = ''): string {
  const inner = `${indent}  `;
  if (node.kind === 'object' && node.members.size > 0) {
    const members = [...node.members].map(
      ([name, member]) => `${inner}${writeText(name)}: ${prettyJson(member, inner)}`,
    );
    return `{\n${members.join(',\n')}\n${indent}}`;
  }
  if (node.kind === 'array' && node.items.some(({ kind }) => kind === 'array' || kind === 'object')) {
    return `[\n${node.items.map((item) => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  return compactJson(node);
}

/** Returns the text of a value for readers: a string without quotes, anything else as JSON. */
export function plainText(node: JsonNode): string {
  return node.kind === 'string' ? node.value : compactJson(node);
}
