/**
 * What the cluster knows of binary types: names, fields, schemas. A type's metadata is cluster-wide and permanent;
 * here is a copy of what was needed so far. An object cannot be read without its schema, nor written before its
 * schema is registered (a reader on another node would wait for it).
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

/** How the metadata is fetched and stored. */
export interface BinaryTypeSource {
  fetchType(typeId: number): Promise<BinaryType | undefined>;
  storeType(type: BinaryType): Promise<void>;
}

/** Thrown by a decoder that met a type or schema that has to be fetched first. */
export class TypeNeeded extends Error {
  readonly typeId: number;

  constructor(typeId: number) {
    super(`The metadata of type ${typeId} is needed.`);
    this.name = 'TypeNeeded';
    this.typeId = typeId;
  }
}

/** The ids that a type's name and field names make, in this order. */
export interface Shape {
  readonly typeId: number;
  readonly fieldIds: readonly number[];
  readonly schemaId: number;
  /** True once the cluster has this schema and the types of its fields. */
  registered: boolean;
}

/** How type names become ids: the full name, or its last part (the cluster's configuration says which). */
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
  /** Schemas that a fetch did not bring, so that the same read does not ask for them again and again. */
  readonly #missingSchemas = new Set<string>();
  readonly #fetches = new Map<number, Promise<void>>();
  readonly #shapes = new LRUCache<string, Shape>({ max: CACHED_SHAPES });
  mapper: NameMapper = 'full';
  /** False: footers carry field ids. */
  compactFooter = true;

  constructor(source: BinaryTypeSource) {
    this.#source = source;
  }

  typeIdOf(typeName: string): number {
    if (this.mapper === 'full') return hashOfLowerCase(typeName);
    return hashOfLowerCase(typeName.slice(Math.max(...['.', '$', '+'].map((mark) => typeName.lastIndexOf(mark))) + 1));
  }

  /** The type as known here; null: the cluster does not have it. Throws {@link TypeNeeded} when nobody asked yet. */
  require(typeId: number): BinaryType | null {
    const type = this.#types.get(typeId);
    if (type === undefined) throw new TypeNeeded(typeId);
    return type;
  }

  /** The type as known here, without asking the cluster. */
  peek(typeId: number): BinaryType | null | undefined {
    return this.#types.get(typeId);
  }

  /** Field ids of a schema; undefined when the cluster does not have it. Throws {@link TypeNeeded}. */
  schemaOf(typeId: number, schemaId: number): readonly number[] | undefined {
    const type = this.require(typeId);
    const schema = type?.schemas.get(schemaId);
    if (schema || this.#missingSchemas.has(`${typeId}/${schemaId}`)) return schema;
    if (type === null) return undefined;
    this.#missingSchemas.add(`${typeId}/${schemaId}`);
    throw new TypeNeeded(typeId);
  }

  /** Called when a read has ended: the next one asks again. */
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

  /** Asks the cluster (again) for the type's metadata. Callers at the same time share one question. */
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

  /** Stores the type in the cluster, which merges it with what it has, and fetches the result. */
  async register(type: BinaryType): Promise<void> {
    await this.#source.storeType(type);
    await this.fetch(type.typeId);
  }

  /**
   * Tells a cluster that came back what was known of its types; it may have lost them. A type that it has otherwise now
   * is asked for again at its next use.
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
