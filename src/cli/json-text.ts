/** Formats parsed JSON for people. */
import { type JsonNode, writeNode, writeText } from '../values/json.ts';

/** Formats JSON for people: members and items on separate lines, short arrays of scalars on one. */
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

/** Formats a value for people: a string without quotes, anything else as JSON. */
export function plainText(node: JsonNode): string {
  return node.kind === 'string' ? node.value : writeNode(node);
}

/** Returns a service's response as a value, for numbers that doubles hold exactly. */
export function plainJson<T extends object>(node: JsonNode): T {
  return JSON.parse(writeNode(node)) as T;
}
