/** Checks a JSON value against the part of JSON Schema that the service's own descriptions use. */

/** A schema as it stands in an OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

const ANNOTATIONS = new Set(['description', 'title', 'format', 'examples', 'example', 'default', '$comment']);

/** What does not fit, as sentences with the place; empty when all fits. Throws on a keyword that it does not know. */
export function misfits(schema: Schema, value: unknown, place = 'response', root: Schema = schema): string[] {
  const found: string[] = [];
  for (const [keyword, rule] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue;
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`The keyword ${keyword} of a schema is not known here (${place}).`);
    found.push(...check(rule, value, place, root, schema));
  }
  return found;
}

type Check = (rule: unknown, value: unknown, place: string, root: Schema, schema: Schema) => string[];

const KEYWORDS: Readonly<Record<string, Check>> = {
  type(rule, value, place) {
    const types = Array.isArray(rule) ? rule : [rule];
    return types.some((type) => isOfType(String(type), value)) ? [] : [`${place} is no ${types.join(' or ')}`];
  },
  const: (rule, value, place) => (Bun.deepEquals(rule, value) ? [] : [`${place} is not ${JSON.stringify(rule)}`]),
  enum: (rule, value, place) =>
    asArray(rule).some((each) => Bun.deepEquals(each, value)) ? [] : [`${place} is none of ${JSON.stringify(rule)}`],
  oneOf(rule, value, place, root) {
    const fitting = asArray(rule).filter((each) => misfits(asSchema(each), value, place, root).length === 0);
    return fitting.length === 1 ? [] : [`${place} fits ${fitting.length} of the forms instead of one`];
  },
  anyOf(rule, value, place, root) {
    const fits = asArray(rule).some((each) => misfits(asSchema(each), value, place, root).length === 0);
    return fits ? [] : [`${place} fits none of the forms`];
  },
  allOf: (rule, value, place, root) => asArray(rule).flatMap((each) => misfits(asSchema(each), value, place, root)),
  required(rule, value, place) {
    if (!isObject(value)) return [];
    return asArray(rule).flatMap((name) => (String(name) in value ? [] : [`${place}.${name} is missing`]));
  },
  properties(rule, value, place, root) {
    if (!isObject(value)) return [];
    return Object.entries(asSchema(rule)).flatMap(([name, each]) =>
      name in value ? misfits(asSchema(each), value[name], `${place}.${name}`, root) : [],
    );
  },
  additionalProperties(rule, value, place, root, schema) {
    if (!isObject(value) || rule === true) return [];
    const declared = isObject(schema.properties) ? schema.properties : {};
    const others = Object.entries(value).filter(([name]) => !(name in declared));
    if (rule === false) return others.map(([name]) => `${place}.${name} is not declared`);
    return others.flatMap(([name, each]) => misfits(asSchema(rule), each, `${place}.${name}`, root));
  },
  items(rule, value, place, root) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((each, index) => misfits(asSchema(rule), each, `${place}[${index}]`, root));
  },
  $ref(rule, value, place, root) {
    let target: unknown = root;
    for (const part of String(rule).replace('#/', '').split('/')) target = isObject(target) ? target[part] : undefined;
    return misfits(asSchema(target), value, place, root);
  },
};

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  // The names of the rest are those of typeof.
  return typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asArray(rule: unknown): readonly unknown[] {
  if (!Array.isArray(rule)) throw new Error('A list was expected in a schema.');
  return rule;
}

function asSchema(rule: unknown): Schema {
  if (!isObject(rule)) throw new Error('A schema was expected in a schema.');
  return rule;
}
