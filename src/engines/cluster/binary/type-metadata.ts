/**
 * Caches the metadata of binary types: names, fields, schemas. Metadata is cluster-wide and permanent; the cache
 * contains what was needed so far. An object cannot be read without its schema, and must not be written before its
 * schema is registered, because a reader on another node would wait for it.
 */

import { LRUCache } from 'lru-cache';
import { NodeError } from '../protocol/status.ts';
import { hashOfLowerCase, schemaIdOf } from './java-hash.ts';

export interface BinaryField {
  readonly name: string;
  readonly typeCode: number;
  readonly id: number;
}

export interface BinaryType {
  readonly typeId: number;
  readonly name: string;
  readonly affinityField: string | undefined;
  readonly fields: readonly BinaryField[];
  readonly isEnum: boolean;
  /** Name of each ordinal. */
  readonly enumNames: ReadonlyMap<number, string>;
  /** Field ids of each schema, in the order of the data. */
  readonly schemas: ReadonlyMap<number, readonly number[]>;
}

/** Fetches metadata from the cluster and stores it there. */
export interface BinaryTypeSource {
  fetchType(typeId: number): Promise<BinaryType | undefined>;
  storeType(type: BinaryType): Promise<void>;
}

/** Thrown by a decoder that meets a type or schema whose metadata must be fetched first. */
export class TypeNeeded extends Error {
  readonly typeId: number;
  /** The schema that the known metadata of the type lacks, or undefined if the type is not known. */
  readonly schemaId: number | undefined;

  constructor(typeId: number, schemaId?: number) {
    super(`The metadata of type ${typeId} is needed.`);
    this.name = 'TypeNeeded';
    this.typeId = typeId;
    this.schemaId = schemaId;
  }
}

/** The ids that derive from a type's name and its ordered field names. */
export interface Shape {
  readonly typeId: number;
  readonly fieldIds: readonly number[];
  readonly schemaId: number;
  /** True once the cluster has this schema and the types of its fields. */
  registered: boolean;
}

/** The part of a type name that its id derives from, according to the cluster's configuration. */
export type NameMapper = 'full' | 'simple';

const CACHED_SHAPES = 10_000;
const SEPARATOR = '\u0000';

/** Names of field ids that the format itself uses without registering them. */
const PREDEFINED_FIELDS: ReadonlyMap<number, string> = new Map(
  ['val1', 'val2', 'key', 'val'].map((name) => [hashOfLowerCase(name), name]),
);

export class BinaryTypes {
  readonly #source: BinaryTypeSource;
  readonly #types = new Map<number, BinaryType | null>();
  /** Schemas that a fetch did not return, so that one read does not fetch them repeatedly. */
  readonly #missingSchemas = new Set<string>();
  readonly #fetches = new Map<number, Promise<void>>();
  readonly #shapes = new LRUCache<string, Shape>({ max: CACHED_SHAPES });
  mapper: NameMapper = 'full';
  /** Whether decoded objects show every field of their type, with null where they have none. */
  showsAllFields = false;
  /** False if footers contain field ids. */
  compactFooter = true;

  constructor(source: BinaryTypeSource) {
    this.#source = source;
  }

  typeIdOf(typeName: string): number {
    if (this.mapper === 'full') return hashOfLowerCase(typeName);
    return hashOfLowerCase(typeName.slice(Math.max(...['.', '$', '+'].map((mark) => typeName.lastIndexOf(mark))) + 1));
  }

  /**
   * Returns the type, or null if the cluster does not have it. Throws {@link TypeNeeded} if it has not been fetched.
   */
  require(typeId: number): BinaryType | null {
    const type = this.#types.get(typeId);
    if (type === undefined) throw new TypeNeeded(typeId);
    return type;
  }

  /**
   * Returns the type if it has been fetched: null if the cluster does not have it, undefined if it was not fetched.
   */
  peek(typeId: number): BinaryType | null | undefined {
    return this.#types.get(typeId);
  }

  /** Returns the field ids of a schema, or undefined if the cluster does not have it. Throws {@link TypeNeeded}. */
  schemaOf(typeId: number, schemaId: number): readonly number[] | undefined {
    const type = this.require(typeId);
    const schema = type?.schemas.get(schemaId);
    if (schema || this.#missingSchemas.has(`${typeId}/${schemaId}`)) return schema;
    if (type === null) return undefined;
    throw new TypeNeeded(typeId, schemaId);
  }

  /** Lets the next read fetch missing schemas again. Called when a read has ended. */
  forgetMissingSchemas(): void {
    this.#missingSchemas.clear();
  }

  fieldName(type: BinaryType | null, fieldId: number): string {
    const field = type?.fields.find((each) => each.id === fieldId);
    return field?.name ?? PREDEFINED_FIELDS.get(fieldId) ?? `#${fieldId}`;
  }

  shapeOf(typeName: string, fields: ReadonlyArray<{ readonly name: string }>): Shape {
    let key = typeName;
    for (const field of fields) key += SEPARATOR + field.name;
    const known = this.#shapes.get(key);
    if (known) return known;
    const fieldIds = fields.map((field) => hashOfLowerCase(field.name));
    const typeId = this.typeIdOf(typeName);
    const shape: Shape = { typeId, fieldIds, schemaId: schemaIdOf(fieldIds), registered: false };
    this.#shapes.set(key, shape);
    return shape;
  }

  /** Fetches the type's metadata, even if it is known. Concurrent callers share one request. */
  fetch(typeId: number): Promise<void> {
    const running = this.#fetches.get(typeId);
    if (running) return running;
    const fetch = this.#source
      .fetchType(typeId)
      .then((type) => {
        this.#types.set(typeId, type ?? null);
        for (const schemaId of type?.schemas.keys() ?? []) this.#missingSchemas.delete(`${typeId}/${schemaId}`);
      })
      .finally(() => this.#fetches.delete(typeId));
    this.#fetches.set(typeId, fetch);
    return fetch;
  }

  /** Fetches what a decoder needs. A schema that the cluster does not have is recorded as missing. */
  async fetchNeeded({ typeId, schemaId }: TypeNeeded): Promise<void> {
    // A fetch in progress may have begun before the schema was registered.
    const isOwn = !this.#fetches.has(typeId);
    await this.fetch(typeId);
    if (schemaId === undefined || this.#hasSchema(typeId, schemaId)) return;
    if (!isOwn) await this.fetch(typeId);
    if (!this.#hasSchema(typeId, schemaId)) this.#missingSchemas.add(`${typeId}/${schemaId}`);
  }

  #hasSchema(typeId: number, schemaId: number): boolean {
    return this.#types.get(typeId)?.schemas.has(schemaId) === true;
  }

  /** Stores the type in the cluster, which merges it with its own metadata, and fetches the result. */
  async register(type: BinaryType): Promise<void> {
    await this.#source.storeType(type);
    await this.fetch(type.typeId);
  }

  /**
   * Registers all known types again with a cluster that may have lost them. A type that the cluster now defines
   * differently is fetched on next use.
   */
  async restore(): Promise<void> {
    const known = [...this.#types.values()].filter((type) => type !== null);
    this.#types.clear();
    this.#missingSchemas.clear();
    this.#shapes.clear();
    for (const type of known) {
      try {
        await this.register(type);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
      }
    }
  }
}
