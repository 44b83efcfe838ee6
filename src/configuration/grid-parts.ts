/** Reads the declarations of regions, templates, caches with their tables, and custom types. */
import { EMBEDDED_BOUNDS } from '../base/limits.ts';
import { nearestNames } from '../base/nearest.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../grid/declarations.ts';
import { type EntityField, type EntityIndex, type QueryEntity, WRITE_SYNCHRONIZATION_MODES } from '../grid/grid.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { parseText } from '../values/scalar-traits.ts';
import { resolveType } from '../values/type-names.ts';
import type { FieldType, ObjectSchema, Value } from '../values/value.ts';
import { FIELD_WORDS, fieldTypeOf } from './field-words.ts';
import { ConfigurationError } from './option.ts';
import { isPlainObject, type Node, required } from './shape.ts';

const MODES = ['PARTITIONED', 'REPLICATED'] as const;
const ATOMICITIES = ['ATOMIC', 'TRANSACTIONAL'] as const;

/** Initial entries of a cache, as the strings that a client would send. */
export interface CacheSeed {
  readonly cache: string;
  readonly entries: readonly SeedEntry[];
}

export interface SeedEntry {
  readonly key: string;
  readonly keyType: string;
  readonly value: string;
  readonly valueType: string;
}

export function readRegion(node: Node): RegionDeclaration {
  const members = node.members(['name', 'persistent', 'maxSizeBytes', 'syncIntervalMs']);
  const { name, persistent, maxSizeBytes, syncIntervalMs } = members;
  if (syncIntervalMs !== undefined && persistent?.boolean() === false) {
    throw new ConfigurationError(`${syncIntervalMs.place}: needs a region that persists`);
  }
  return {
    name: required(name, node, 'name').text(),
    ...(persistent === undefined ? {} : { persistent: persistent.boolean() }),
    ...(maxSizeBytes === undefined ? {} : { maxSizeBytes: maxSizeBytes.wholeNumber(1) }),
    ...(syncIntervalMs === undefined ? {} : { syncIntervalMs: readSyncInterval(syncIntervalMs) }),
  };
}

function readSyncInterval(node: Node): number {
  const intervalMs = node.wholeNumber();
  const most = EMBEDDED_BOUNDS.syncIntervalMs;
  if (intervalMs > most) throw node.wrong(`at most ${most}`);
  return intervalMs;
}

const TEMPLATE_MEMBERS = [
  'name',
  'mode',
  'backups',
  'region',
  'group',
  'writeMode',
  'atomicity',
  'ttlMs',
  'sliding',
  'changeFeed',
] as const;

export function readTemplate(node: Node): TemplateDeclaration {
  return readSettings(node, node.members(TEMPLATE_MEMBERS));
}

function readSettings(
  node: Node,
  members: { readonly [M in (typeof TEMPLATE_MEMBERS)[number]]?: Node },
): TemplateDeclaration {
  const { name, mode, backups, region, group, writeMode, atomicity, ttlMs, sliding, changeFeed } = members;
  return {
    name: required(name, node, 'name').text(),
    ...(mode === undefined ? {} : { mode: mode.choice(MODES) }),
    ...(backups === undefined ? {} : { backups: backups.wholeNumber() }),
    ...(region === undefined ? {} : { region: region.text() }),
    ...(group === undefined ? {} : { group: group.text() }),
    ...(writeMode === undefined ? {} : { writeMode: writeMode.choice(WRITE_SYNCHRONIZATION_MODES) }),
    ...(atomicity === undefined ? {} : { atomicity: atomicity.choice(ATOMICITIES) }),
    ...(ttlMs === undefined ? {} : { ttlMs: ttlMs.wholeNumber() }),
    ...(sliding === undefined ? {} : { sliding: sliding.boolean() }),
    ...(changeFeed === undefined ? {} : { changeFeed: changeFeed.boolean() }),
  };
}

/** Reads a cache and its initial entries. */
export function readCache(node: Node): { readonly cache: CacheDeclaration; readonly seed: CacheSeed | undefined } {
  const members = node.members([...TEMPLATE_MEMBERS, 'template', 'schema', 'entities', 'entries']);
  const { template, schema, entities, entries } = members;
  const cache: CacheDeclaration = {
    ...readSettings(node, members),
    ...(template === undefined ? {} : { template: template.text() }),
    ...(schema === undefined ? {} : { schema: schema.text() }),
    ...(entities === undefined ? {} : { entities: entities.array().map(readEntity) }),
  };
  const seed = entries === undefined ? undefined : { cache: cache.name, entries: entries.array().map(readSeed) };
  return { cache, seed };
}

function readEntity(node: Node): QueryEntity {
  const { keyType, valueType, tableName, keyFields, fields, indexes } = node.members([
    'keyType',
    'valueType',
    'tableName',
    'keyFields',
    'fields',
    'indexes',
  ]);
  const read = required(fields, node, 'fields')
    .record()
    .map(([name, field]) => readField(name, field));
  const names = read.map((each) => each.name);
  if (names.length === 0) throw required(fields, node, 'fields').wrong('an object with at least one field');
  const known = (each: Node): string => {
    if (!names.includes(each.text())) throw unknownField(each, names);
    return each.text();
  };
  return {
    keyType: typeName(required(keyType, node, 'keyType')),
    valueType: typeName(required(valueType, node, 'valueType')),
    fields: read,
    ...(tableName === undefined ? {} : { tableName: tableName.text() }),
    ...(keyFields === undefined ? {} : { keyFields: keyFields.array().map(known) }),
    ...(indexes === undefined ? {} : { indexes: indexes.array().map((each) => readIndex(each, known)) }),
  };
}

/** Returns the canonical name of a scalar type, and any other name unchanged. */
function typeName(node: Node): string {
  const resolved = resolveType(node.text(), 'svc');
  return resolved.kind === 'scalar' ? resolved.type : node.text();
}

function unknownField(node: Node, names: readonly string[]): ConfigurationError {
  const near = nearestNames(node.text(), names);
  return new ConfigurationError(
    `${node.place}: unknown field ${node.text()}, the fields are ${(near.length > 0 ? near : names).join(', ')}`,
  );
}

function readField(name: string, node: Node): EntityField {
  if (typeof node.value === 'string') return { name, type: fieldType(node) };
  const {
    type,
    precision,
    scale,
    alias,
    notNull,
    default: initial,
  } = node.members(['type', 'precision', 'scale', 'alias', 'notNull', 'default']);
  const read = fieldType(required(type, node, 'type'), precision?.wholeNumber(), scale?.wholeNumber());
  return {
    name,
    type: read,
    ...(alias === undefined ? {} : { alias: alias.text() }),
    ...(notNull === undefined ? {} : { notNull: notNull.boolean() }),
    ...(initial === undefined ? {} : { defaultValue: defaultOf(read, initial) }),
  };
}

function fieldType(node: Node, precision?: number, scale?: number): FieldType {
  const type = fieldTypeOf(node.text(), precision, scale);
  if (type === undefined) throw node.wrong(`one of ${FIELD_WORDS.join(', ')}`);
  return type;
}

function defaultOf(type: FieldType, node: Node): Value {
  if (type.kind !== 'scalar') throw new ConfigurationError(`${node.place}: only scalar fields can have a default`);
  const { value } = node;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw node.wrong('a string, a number, true or false');
  }
  try {
    return parseText(type.type, String(value));
  } catch (error) {
    if (error instanceof ConversionFailure) throw new ConfigurationError(`${node.place}: ${error.message}`);
    throw error;
  }
}

function readIndex(node: Node, known: (field: Node) => string): EntityIndex {
  if (typeof node.value === 'string') return { fields: [{ name: known(node) }] };
  const { name, fields, unique } = node.members(['name', 'fields', 'unique']);
  const read = required(fields, node, 'fields')
    .array()
    .map((field) => {
      if (typeof field.value === 'string') return { name: known(field) };
      const parts = field.members(['name', 'descending']);
      return {
        name: known(required(parts.name, field, 'name')),
        ...(parts.descending === undefined ? {} : { descending: parts.descending.boolean() }),
      };
    });
  return {
    fields: read,
    ...(name === undefined ? {} : { name: name.text() }),
    ...(unique === undefined ? {} : { unique: unique.boolean() }),
  };
}

function readSeed(node: Node): SeedEntry {
  const { key, keyType, value, valueType } = node.members(['key', 'keyType', 'value', 'valueType']);
  return {
    key: seedText(required(key, node, 'key')),
    keyType: keyType?.text() ?? 'string',
    value: seedText(required(value, node, 'value')),
    valueType: valueType?.text() ?? 'string',
  };
}

function seedText(node: Node): string {
  const { value } = node;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (isPlainObject(value)) return JSON.stringify(value);
  throw node.wrong('a string, a number, true, false or an object');
}

/** Reads a custom type: its fields, or a TypeScript class. */
export function readClass(name: string, node: Node): ObjectSchema {
  const { value } = node;
  if (typeof value === 'function') return classSchema(name, node, value);
  return schemaOf(name, node.record());
}

type Constructor = new () => object;

function classSchema(name: string, node: Node, type: object): ObjectSchema {
  if ('fields' in type) return schemaOf(name, node.child(type.fields, 'fields').record());
  let instance: object;
  try {
    instance = new (type as Constructor)();
  } catch (error) {
    throw new ConfigurationError(
      `${node.place}: a class without a static member \`fields\` must be constructible without arguments: ${error}`,
    );
  }
  const fields = Object.entries(instance).map(([field, value]) => ({ name: field, type: typeOfInitial(value) }));
  if (fields.length === 0) throw node.wrong('a class whose instances have fields, or with a static member `fields`');
  return { typeName: name, source: 'class', fields };
}

function schemaOf(name: string, members: ReadonlyArray<readonly [string, Node]>): ObjectSchema {
  return {
    typeName: name,
    source: 'class',
    fields: members.map(([field, type]) => ({ name: field, type: fieldType(type) })),
  };
}

/** Infers the type of a field from its initial value. */
function typeOfInitial(value: unknown): FieldType {
  if (typeof value === 'string') return { kind: 'scalar', type: 'string' };
  if (typeof value === 'number') return { kind: 'scalar', type: 'double' };
  if (typeof value === 'bigint') return { kind: 'scalar', type: 'long' };
  if (typeof value === 'boolean') return { kind: 'scalar', type: 'boolean' };
  if (value instanceof Date) return { kind: 'scalar', type: 'timestamp' };
  if (value instanceof Uint8Array) return { kind: 'scalar', type: 'bytes' };
  if (Array.isArray(value)) return { kind: 'list' };
  return { kind: value instanceof Map ? 'map' : 'any' };
}
