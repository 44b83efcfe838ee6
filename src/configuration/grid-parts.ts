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
import {
  boolean,
  choice,
  isPlainObject,
  listOf,
  memberPlace,
  type Node,
  objectOf,
  type Reader,
  text,
  unread,
  wholeNumber,
} from './shape.ts';

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

const REGION = objectOf(
  { name: text },
  { persistent: boolean, maxSizeBytes: (size) => size.wholeNumber(1), syncIntervalMs: readSyncInterval },
);

export function readRegion(region: Node): RegionDeclaration {
  const read = REGION(region);
  if (read.syncIntervalMs !== undefined && read.persistent === false) {
    throw new ConfigurationError(`${memberPlace(region.place, 'syncIntervalMs')}: needs a region that persists`);
  }
  return read;
}

function readSyncInterval(node: Node): number {
  const intervalMs = node.wholeNumber();
  const most = EMBEDDED_BOUNDS.syncIntervalMs;
  if (intervalMs > most) throw node.wrong(`at most ${most}`);
  return intervalMs;
}

const SETTINGS = {
  mode: choice(MODES),
  backups: wholeNumber,
  region: text,
  group: text,
  writeMode: choice(WRITE_SYNCHRONIZATION_MODES),
  atomicity: choice(ATOMICITIES),
  ttlMs: wholeNumber,
  sliding: boolean,
  changeFeed: boolean,
};

export const readTemplate: Reader<TemplateDeclaration> = objectOf({ name: text }, SETTINGS);

const SEED = objectOf({ key: seedText, value: seedText }, { keyType: text, valueType: text });

const CACHE = objectOf(
  { name: text },
  {
    ...SETTINGS,
    template: text,
    schema: text,
    entities: listOf(readEntity),
    entries: listOf((entry) => ({ keyType: 'string', valueType: 'string', ...SEED(entry) })),
  },
);

/** Reads a cache and its initial entries. */
export function readCache(owner: Node): { readonly cache: CacheDeclaration; readonly seed: CacheSeed | undefined } {
  const { entries, ...cache } = CACHE(owner);
  return { cache, seed: entries && { cache: cache.name, entries } };
}

function readEntity(owner: Node): QueryEntity {
  const read = objectOf(
    { keyType: typeName, valueType: typeName, fields: readFields },
    { tableName: text, keyFields: listOf(unread), indexes: listOf(unread) },
  );
  const { keyFields, indexes, ...entity } = read(owner);
  const names = entity.fields.map(({ name }) => name);
  const known = (field: Node): string => {
    if (!names.includes(field.text())) throw unknownField(field, names);
    return field.text();
  };
  return {
    ...entity,
    ...(keyFields && { keyFields: keyFields.map(known) }),
    ...(indexes && { indexes: indexes.map((each) => readIndex(each, known)) }),
  };
}

function readFields(owner: Node): readonly EntityField[] {
  const fields = owner.record().map(([name, field]) => readField(name, field));
  if (fields.length === 0) throw owner.wrong('an object with at least one field');
  return fields;
}

/**
 * Returns the canonical name of a scalar type, and a custom type's name unchanged. Throws ConfigurationError for any
 * other class of the Java library: none of its values is a key or a value of an entity.
 */
function typeName(node: Node): string {
  const resolved = resolveType(node.text(), 'svc');
  if (resolved.kind === 'custom') return node.text();
  const { shape } = resolved.kind === 'java' ? resolved : { shape: resolved };
  if (shape.kind === 'scalar') return shape.type;
  throw node.wrong('a scalar type or the name of a custom type');
}

function unknownField(node: Node, names: readonly string[]): ConfigurationError {
  const near = nearestNames(node.text(), names);
  return new ConfigurationError(
    `${node.place}: unknown field ${node.text()}, the fields are ${(near.length > 0 ? near : names).join(', ')}`,
  );
}

const FIELD = objectOf(
  { type: unread },
  { precision: wholeNumber, scale: wholeNumber, alias: text, notNull: boolean, default: unread },
);

function readField(name: string, field: Node): EntityField {
  if (typeof field.value === 'string') return { name, type: fieldType(field) };
  const { type, precision, scale, default: initial, ...others } = FIELD(field);
  const read = fieldType(type, precision, scale);
  return { name, type: read, ...others, ...(initial && { defaultValue: defaultOf(read, initial) }) };
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

function readIndex(index: Node, known: Reader<string>): EntityIndex {
  if (typeof index.value === 'string') return { fields: [{ name: known(index) }] };
  const readPart = objectOf({ name: known }, { descending: boolean });
  const fields = listOf((part) => (typeof part.value === 'string' ? { name: known(part) } : readPart(part)));
  return objectOf({ fields }, { name: text, unique: boolean })(index);
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
