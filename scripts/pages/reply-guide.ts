/** Describes the shapes of `response` in words and tables, from their schemas. */
import type { RegisteredCommand } from '../../src/commands/command.ts';
import type { JsonSchema } from '../../src/commands/reply.ts';

/** A member of a shape and its type: `caches[].name`; `*` means any name. */
export interface ShapeMember {
  readonly path: string;
  readonly type: string;
}

/** A shape with members, and the commands that return it. */
export interface Shape {
  readonly title: string;
  readonly commands: readonly string[];
  readonly members: readonly ShapeMember[];
}

/** Titles of the shapes that have members, by the kind of the reply. */
const TITLES: Readonly<Record<string, string>> = {
  metrics: 'Cache metrics',
  metadata: 'Cache metadata',
  node: 'Node information',
  nodes: 'Node information',
  task: 'Task result',
  batch: 'Results of a batch',
  page: 'Query page',
  baseline: 'Baseline topology',
  regions: 'Data region metrics',
};

/** Returns the title of the shape of such a reply, or undefined for plain ones, which {@link plainType} describes. */
export function shapeTitle(kind: string): string | undefined {
  return TITLES[kind];
}

/** Returns the shapes with members that commands return, in the order of their titles above. */
export function shapes(commands: readonly RegisteredCommand[]): readonly Shape[] {
  return [...new Set(Object.values(TITLES))].flatMap((title) => {
    const own = commands.filter(({ reply }) => TITLES[reply.kind] === title);
    const schema = own[0]?.reply.schema;
    if (schema === undefined) return [];
    return [{ title, commands: own.map(({ name }) => name), members: membersOf(withMembers(schema), '') }];
  });
}

/** Returns the object schema in a schema: itself, or the elements of an array. */
function withMembers(schema: JsonSchema): JsonSchema {
  return isSchema(schema.items) ? withMembers(schema.items) : schema;
}

function membersOf(schema: JsonSchema, prefix: string): ShapeMember[] {
  const { properties, additionalProperties, items } = schema;
  const found: ShapeMember[] = [];
  for (const [name, member] of isSchema(properties) ? Object.entries(properties) : []) {
    if (!isSchema(member)) continue;
    const path = `${prefix}${name}`;
    found.push({ path, type: plainType(member) }, ...membersOf(member, `${path}.`));
  }
  if (isSchema(items)) found.push(...membersOf(items, `${prefix.replace(/\.$/, '')}[].`));
  if (isSchema(additionalProperties)) {
    if (isSchema(properties)) found.push({ path: `${prefix}*`, type: plainType(additionalProperties) });
    found.push(...membersOf(additionalProperties, `${prefix}*.`));
  }
  return found;
}

/** Describes a schema in a few words. */
export function plainType(schema: JsonSchema): string {
  const { const: constant, additionalProperties, items, type } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  const words = (Array.isArray(type) ? type : [type]).map(String);
  if (type === undefined) return 'any value';
  const shown = words.map((word) => {
    if (word === 'array' && isSchema(items)) return `array of ${plainType(items)}`;
    if (word === 'object' && isSchema(additionalProperties))
      return `object: name -> ${plainType(additionalProperties)}`;
    return word;
  });
  return shown.join(' or ');
}

function isSchema(part: JsonSchema[string] | undefined): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}
