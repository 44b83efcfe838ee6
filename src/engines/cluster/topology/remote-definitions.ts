/** Converts between the cluster's cache configurations and the port's definitions. */
import { LRUCache } from 'lru-cache';
import { GridError, gridError } from '../../../base/errors.ts';
import type { CacheDefinition, EntityField, QueryEntity } from '../../../grid/grid.ts';
import { SCALAR_TRAITS } from '../../../values/scalar-traits.ts';
import { arrayClassOf, resolveType } from '../../../values/type-names.ts';
import { type FieldType, NULL } from '../../../values/value.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { Pool } from '../connections/pool.ts';
import {
  ATOMICITY,
  type CacheCreation,
  MODE,
  type RemoteCache,
  type RemoteEntity,
  type RemoteField,
  type TypeRules,
  WRITE_MODES,
} from '../operations/cache-configuration.ts';
import { type Expiry, UNCHANGED_MS } from '../operations/expiry.ts';
import { CACHE } from '../operations/grid-operations.ts';
import { NodeError, STATUS, toGridError } from '../protocol/status.ts';

/** Prefix of Ignite's own caches. */
const SYSTEM_PREFIX = 'ignite-';
/** Prefix of the service's own caches. */
export const RESERVED_PREFIX = 'svc-sys-';
const CACHED_DEFINITIONS = 20_000;
const FRESH_MS = 1_000;
const NO_RULES: TypeRules = { entities: [], keyConfiguration: [] };

/** Returns the id of the cache in the protocol. Throws CACHE_IS_SYSTEM. */
export function cacheIdOf(name: string): number {
  if (isSystemName(name)) throw gridError('CACHE_IS_SYSTEM', name);
  return hashOfText(name);
}

export function isSystemName(name: string): boolean {
  return name.startsWith(SYSTEM_PREFIX) || name.startsWith(RESERVED_PREFIX);
}

interface Known {
  readonly remote: RemoteCache | undefined;
  readonly definition: CacheDefinition | undefined;
  readonly loadedMs: number;
}

export class RemoteDefinitions {
  readonly #pool: Pool;
  readonly #nowMs: () => number;
  readonly #defaultCache: string;
  readonly #isPersistent: (region: string | undefined) => boolean | undefined;
  readonly #defaultRegion: () => string;
  /** Clients choose the names, so the cache is bounded. */
  readonly #known = new LRUCache<string, Known>({ max: CACHED_DEFINITIONS });
  readonly #loads = new Map<string, Promise<Known>>();
  /** The last definition of every cache not known to be destroyed. */
  readonly #last = new Map<string, CacheDefinition>();
  /** Type rules of caches, kept until the cache or its structure changes. */
  readonly #typeRules = new Map<string, TypeRules>();

  constructor(
    pool: Pool,
    nowMs: () => number,
    defaultCache: string,
    regions: { isPersistent(region: string | undefined): boolean | undefined; defaultName(): string },
  ) {
    this.#pool = pool;
    this.#nowMs = nowMs;
    this.#defaultCache = defaultCache;
    this.#isPersistent = (region) => regions.isPersistent(region);
    this.#defaultRegion = () => regions.defaultName();
  }

  /** Returns the cache's definition, at most a second old, or undefined if it does not exist. */
  async find(name: string): Promise<CacheDefinition | undefined> {
    if (name === '' || isSystemName(name)) return undefined;
    return (await this.#load(name)).definition;
  }

  /** Returns the cache's type rules as of the last structural change seen by this process. */
  typeRulesOf(name: string): TypeRules | Promise<TypeRules> {
    return this.#typeRules.get(name) ?? this.#load(name).then(({ remote }) => remote ?? NO_RULES);
  }

  /** Returns the caches that services of the cluster created for themselves, as {@link list} does. */
  listOwn(): Promise<readonly CacheDefinition[]> {
    return this.#list((name) => name.startsWith(RESERVED_PREFIX));
  }

  /** Returns all caches. For an inactive cluster, which reports none, returns the last known ones. */
  list(): Promise<readonly CacheDefinition[]> {
    return this.#list((name) => !isSystemName(name));
  }

  async #list(isListed: (name: string) => boolean): Promise<readonly CacheDefinition[]> {
    try {
      const all = await this.#pool.call(CACHE.names, undefined, undefined, {});
      const names = new Set(all.filter(isListed));
      await Promise.all([...names].map((name) => this.#load(name)));
      for (const name of [...this.#last.keys()]) if (isListed(name) && !names.has(name)) this.#last.delete(name);
    } catch (error) {
      if (!(error instanceof GridError) || error.code !== 'INACTIVE') throw error;
    }
    const last = [...this.#last.values()].filter(({ name }) => isListed(name));
    return last.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** Removes a destroyed cache. */
  remove(name: string): void {
    this.forget(name);
    this.#last.delete(name);
  }

  /** Drops the cached definition of one cache, or of all caches without a name. */
  forget(name?: string): void {
    if (name === undefined) {
      this.#known.clear();
      this.#typeRules.clear();
    } else {
      this.#known.delete(name);
      this.#typeRules.delete(name);
    }
  }

  async #load(name: string): Promise<Known> {
    const known = this.#known.get(name);
    if (known && this.#nowMs() - known.loadedMs < FRESH_MS) return known;
    const running = this.#loads.get(name);
    if (running) return running;
    const load = this.#fetch(name).finally(() => this.#loads.delete(name));
    this.#loads.set(name, load);
    return load;
  }

  async #fetch(name: string): Promise<Known> {
    const loadedMs = this.#nowMs();
    let remote: RemoteCache | undefined;
    try {
      remote = await this.#pool.call(CACHE.configuration, hashOfText(name));
    } catch (error) {
      if (!(error instanceof NodeError) || error.status !== STATUS.CACHE_NOT_FOUND) throw toGridError(error, {});
    }
    // Two names may share a hash; the other cache is not the requested one.
    if (remote && remote.name !== name) remote = undefined;
    const known = { remote, definition: remote && this.#toDefinition(remote), loadedMs };
    this.#known.set(name, known);
    if (known.definition) this.#last.set(name, known.definition);
    else this.#last.delete(name);
    if (remote) this.#typeRules.set(name, remote);
    return known;
  }

  #toDefinition(remote: RemoteCache): CacheDefinition {
    return {
      name: remote.name,
      mode: remote.mode === MODE.REPLICATED ? 'REPLICATED' : 'PARTITIONED',
      backups: remote.backups,
      region: remote.region ?? this.#defaultRegion(),
      group: remote.group,
      writeMode: WRITE_MODES[remote.writeMode] ?? 'FULL_SYNC',
      atomicity: remote.atomicity === ATOMICITY.TRANSACTIONAL ? 'TRANSACTIONAL' : 'ATOMIC',
      schema: schemaOf(remote) ?? (remote.name === this.#defaultCache ? 'PUBLIC' : undefined),
      entities: remote.entities.map((entity) => toEntity(entity, remote)),
      persistent: this.#isPersistent(remote.region),
      ...ttlOf(remote.expiry),
    };
  }
}

/** Returns the cache's SQL schema: a quoted name unchanged, any other in upper case, or else the cache's name. */
export function schemaOf(remote: RemoteCache): string | undefined {
  const { sqlSchema } = remote;
  if (sqlSchema?.startsWith('"')) return sqlSchema.slice(1, -1);
  if (sqlSchema !== undefined) return sqlSchema.toUpperCase();
  return remote.entities.length > 0 ? remote.name : undefined;
}

function toEntity(entity: RemoteEntity, { sqlSchema, keyConfiguration }: RemoteCache): QueryEntity {
  const fromSql = sqlSchema?.startsWith('"') === true;
  const affinityField = keyConfiguration.find(({ typeName }) => typeName === entity.keyType)?.affinityField;
  const keyFields = entity.fields.filter((field) => field.isKey || field.name === entity.keyField);
  return {
    keyType: typeNameOf(entity.keyType),
    valueType: typeNameOf(entity.valueType),
    ...(entity.tableName === undefined ? {} : { tableName: entity.tableName }),
    ...(keyFields.length === 0 ? {} : { keyFields: keyFields.map(({ name }) => name) }),
    fields: entity.fields.map((field) => toField(field, entity.aliases.get(field.name))),
    ...(affinityField !== undefined && { affinityField }),
    indexes: entity.indexes.map((index) => ({
      ...(index.name === undefined ? {} : { name: index.name }),
      fields: index.fields,
    })),
    ...(fromSql ? { fromSql } : {}),
  };
}

/** Returns a scalar's short name for its Java class; any other name unchanged. */
function typeNameOf(javaClass: string): string {
  const resolved = resolveType(javaClass, 'ignite');
  return resolved.kind === 'scalar' ? resolved.type : javaClass;
}

function toField(field: RemoteField, alias: string | undefined): EntityField {
  return {
    name: field.name,
    type: fieldTypeOf(field),
    ...(alias === undefined || alias === field.name ? {} : { alias }),
    ...(field.notNull ? { notNull: true } : {}),
    ...(field.defaultValue.type === 'null' ? {} : { defaultValue: field.defaultValue }),
  };
}

function fieldTypeOf({ javaType, precision, scale }: RemoteField): FieldType {
  const resolved = resolveType(javaType, 'ignite');
  const shape = resolved.kind === 'java' ? resolved.shape : undefined;
  const scalar = resolved.kind === 'scalar' ? resolved.type : shape?.kind === 'scalar' ? shape.type : undefined;
  if (scalar) {
    return {
      kind: 'scalar',
      type: scalar,
      ...(precision >= 0 ? { precision } : {}),
      ...(scale >= 0 ? { scale } : {}),
    };
  }
  if (shape?.kind === 'array' && shape.element !== 'object') return { kind: 'array', element: shape.element };
  if (shape?.kind === 'list' || shape?.kind === 'map') return { kind: shape.kind };
  return { kind: 'any' };
}

/** Returns the configuration of a new cache. `named` says which options the request itself sets. */
export function toCreation(
  definition: CacheDefinition,
  named: { readonly region: boolean; readonly statistics: boolean },
): CacheCreation {
  return {
    name: definition.name,
    mode: definition.mode === 'REPLICATED' ? MODE.REPLICATED : MODE.PARTITIONED,
    backups: definition.backups,
    atomicity: definition.atomicity === 'TRANSACTIONAL' ? ATOMICITY.TRANSACTIONAL : ATOMICITY.ATOMIC,
    writeMode: WRITE_MODES.indexOf(definition.writeMode),
    region: named.region ? definition.region : undefined,
    group: definition.group,
    sqlSchema: definition.schema === undefined || definition.schema === definition.name ? undefined : definition.schema,
    statistics: named.statistics,
    entities: definition.entities.map(toRemoteEntity),
    expiry: expiryOf(definition),
  };
}

function expiryOf({ ttlMs, sliding }: CacheDefinition): Expiry | undefined {
  if (ttlMs === undefined) return undefined;
  const ms = BigInt(ttlMs);
  return { createMs: ms, updateMs: ms, accessMs: sliding === true ? ms : UNCHANGED_MS };
}

/** Reverses {@link expiryOf}, as far as a definition can express an expiry policy that another client chose. */
function ttlOf(expiry: Expiry | undefined): Pick<CacheDefinition, 'ttlMs' | 'sliding'> {
  if (expiry === undefined || expiry.createMs <= 0n) return {};
  const ttlMs = Number(expiry.createMs);
  return expiry.accessMs > 0n ? { ttlMs, sliding: true } : { ttlMs };
}

function toRemoteEntity(entity: QueryEntity): RemoteEntity {
  const { keyFields = [] } = entity;
  const keyType = javaClassOfType(entity.keyType);
  const scalarKey = keyType !== entity.keyType;
  const tableName = entity.tableName ?? lastPart(entity.valueType);
  return {
    keyType,
    valueType: javaClassOfType(entity.valueType),
    tableName,
    keyField: scalarKey ? keyFields[0] : undefined,
    valueField: undefined,
    fields: entity.fields.map((field) => ({
      name: field.name,
      javaType: javaClassOfField(field.type),
      isKey: !scalarKey && keyFields.includes(field.name),
      notNull: field.notNull === true,
      defaultValue: field.defaultValue ?? NULL,
      precision: field.type.kind === 'scalar' ? (field.type.precision ?? -1) : -1,
      scale: field.type.kind === 'scalar' ? (field.type.scale ?? -1) : -1,
    })),
    aliases: new Map(entity.fields.flatMap(({ name, alias }) => (alias === undefined ? [] : [[name, alias] as const]))),
    indexes: (entity.indexes ?? []).map((index) => ({
      name: index.name,
      type: 0,
      inlineSize: -1,
      fields: index.fields.map(({ name, descending = false }) => ({ name, descending })),
    })),
  };
}

function javaClassOfType(name: string): string {
  const resolved = resolveType(name, 'ignite');
  return resolved.kind === 'scalar' ? SCALAR_TRAITS[resolved.type].javaClass : name;
}

function javaClassOfField(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return SCALAR_TRAITS[type.type].javaClass;
    case 'array':
      return arrayClassOf(type.element);
    case 'list':
      return 'java.util.ArrayList';
    case 'map':
      return 'java.util.HashMap';
    case 'any':
      return 'java.lang.Object';
  }
}

/** Returns the name after the last dot or dollar sign, a table's default name. */
export function lastPart(typeName: string): string {
  return typeName.slice(Math.max(typeName.lastIndexOf('.'), typeName.lastIndexOf('$')) + 1);
}
