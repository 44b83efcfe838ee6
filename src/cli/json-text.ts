/** Writes parsed JSON for readers. */
import { type JsonNode, writeNode, writeText } from '../values/json.ts';

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
  return writeNode(node);
}

/** Returns the text of a value for readers: a string without quotes, anything else as JSON. */
export function plainText(node: JsonNode): string {
  return node.kind === 'string' ? node.value : writeNode(node);
}

/** Returns what the service says as a value, for numbers that doubles hold exactly. */
export function plainJson<T extends object>(node: JsonNode): T {
  return JSON.parse(writeNode(node)) as T;
}
