/**
 * Determines which node holds a key. Partition maps of caches are refreshed when the cluster reports that partitions
 * have moved (docs/spec/ignite-wire.md 5).
 */
import type { Value } from '../../../values/value.ts';
import { type BinaryContext, DAY_MS } from '../binary/context.ts';
import { encodeValue } from '../binary/encoder.ts';
import { hashOfLong, hashOfText, partitionOf } from '../binary/java-hash.ts';
import { magnitudeBytes } from '../binary/magnitudes.ts';
import type { Pool } from '../connections/pool.ts';
import { AFFINITY } from '../operations/grid-operations.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';

/** The partitions of one cache. */
export interface Mapping {
  readonly owners: readonly string[];
  readonly affinityFields: ReadonlyMap<number, number>;
}

/** A mapping, or `replicated` if the cache is not partitioned by key. */
export type KnownMapping = Mapping | 'replicated';

const scratch = new DataView(new ArrayBuffer(8));

const NO_FIELDS: ReadonlyMap<number, number> = new Map();

/**
 * Computes Java's hash of a key, which determines its partition; undefined for keys whose hash cannot be computed here.
 * `affinityFields` contains the field that determines the partition, by type id.
 */
export function affinityHash(
  key: Value,
  affinityFields: ReadonlyMap<number, number>,
  context: BinaryContext,
): number | undefined {
  switch (key.type) {
    case 'byte':
    case 'short':
    case 'integer':
      return key.data;
    case 'long':
      return hashOfLong(key.data);
    case 'string':
      return hashOfText(key.data);
    case 'boolean':
      return key.data ? 1231 : 1237;
    case 'char':
      return key.data.charCodeAt(0);
    case 'float':
      scratch.setFloat32(0, key.data);
      return scratch.getInt32(0);
    case 'double':
      scratch.setFloat64(0, key.data);
      return hashOfLong(scratch.getBigInt64(0));
    case 'uuid': {
      const digits = key.data.replaceAll('-', '');
      return hashOfLong(BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`));
    }
    case 'date':
      return hashOfLong(BigInt(context.zone.toInstant(key.data * DAY_MS)));
    case 'time':
      return hashOfLong(BigInt(context.zone.toInstant(key.data)));
    case 'timestamp':
      return hashOfLong(BigInt(context.zone.toInstant(Number(floorDivide(key.data, 1_000_000n)))));
    case 'instant':
      return hashOfLong(BigInt(key.data));
    case 'decimal':
      return (Math.imul(31, hashOfBigInteger(key.data.unscaled)) + key.data.scale) | 0;
    case 'bigInteger':
      return hashOfBigInteger(key.data);
    case 'null':
      return 0;
    case 'enum':
      return (Math.imul(31, context.types.typeIdOf(key.typeName)) + key.ordinal) | 0;
    case 'gridUuid':
      return hashInHeader(key, context);
    case 'object': {
      const { typeId, fieldIds } = context.types.shapeOf(key.typeName, key.fields);
      const field = key.fields[fieldIds.indexOf(affinityFields.get(typeId) ?? 0)];
      return field ? affinityHash(field.value, NO_FIELDS, context) : hashInHeader(key, context);
    }
    case 'list':
      return key.data.reduce<number | undefined>((hash, element) => {
        const next = affinityHash(element, NO_FIELDS, context);
        return hash === undefined || next === undefined ? undefined : (Math.imul(31, hash) + next) | 0;
      }, 1);
    case 'map':
      return key.data.reduce<number | undefined>((hash, [name, element]) => {
        const left = affinityHash(name, NO_FIELDS, context);
        const right = affinityHash(element, NO_FIELDS, context);
        return hash === undefined || left === undefined || right === undefined
          ? undefined
          : (hash + (left ^ right)) | 0;
      }, 0);
    case 'bytes':
    case 'array':
    case 'opaque':
      return undefined;
  }
  key satisfies never;
}

/** Returns the hash in an object's header. */
function hashInHeader(key: Value, context: BinaryContext): number {
  const writer = new ByteWriter(256);
  encodeValue(writer, key, context);
  return writer.view().readInt32LE(8);
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

function hashOfBigInteger(value: bigint): number {
  const magnitude = magnitudeBytes(value < 0n ? -value : value);
  const padded = Buffer.concat([Buffer.alloc((4 - (magnitude.length % 4)) % 4), magnitude]);
  let hash = 0;
  for (let at = 0; at < padded.length; at += 4) hash = (Math.imul(31, hash) + padded.readInt32BE(at)) | 0;
  return value < 0n ? -hash | 0 : hash;
}

export class AffinityMap {
  readonly #pool: Pool;
  readonly #mappings = new Map<number, KnownMapping>();
  readonly #requested = new Set<number>();
  #stale = false;
  #refreshing: Promise<void> | undefined;
  /** Increases with every refresh, which invalidates data that was derived from the map. */
  version = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Returns the node that holds the primary copy of the key, to which requests go; undefined if it is not known.
   */
  preferredNode(cacheId: number, key: Value): string | undefined {
    const mapping = this.#mappings.get(cacheId);
    if (mapping === undefined || this.#stale) this.#request(cacheId);
    if (mapping === undefined) return undefined;
    return mapping === 'replicated' ? undefined : this.ownerOf(mapping, key);
  }

  /** Returns the cache's mapping, after fetching it if necessary; undefined if the cluster reports none. */
  async mappingOf(cacheId: number): Promise<KnownMapping | undefined> {
    if (this.#stale || !this.#mappings.has(cacheId)) {
      this.#requested.add(cacheId);
      await this.#refresh();
    }
    return this.#mappings.get(cacheId);
  }

  /** Returns the mapping if it is known and up to date. */
  knownMapping(cacheId: number): KnownMapping | undefined {
    return this.#stale ? undefined : this.#mappings.get(cacheId);
  }

  /** Returns the node of the key's primary copy under a mapping. */
  ownerOf(mapping: Mapping, key: Value): string | undefined {
    if (mapping.owners.length === 0) return undefined;
    const hash = affinityHash(key, mapping.affinityFields, this.#pool.context);
    return hash === undefined ? undefined : mapping.owners[partitionOf(hash, mapping.owners.length)];
  }

  /** Marks the map as outdated. It is used until the new one has arrived. */
  invalidate(): void {
    this.#stale = true;
    this.version++;
    this.#refreshQuietly();
  }

  /** Removes a destroyed cache; a new one of the same name may have another mapping. */
  forget(cacheId: number): void {
    this.#mappings.delete(cacheId);
    this.#requested.delete(cacheId);
    this.version++;
  }

  #request(cacheId: number): void {
    this.#requested.add(cacheId);
    if (!this.#refreshing) this.#refreshQuietly();
  }

  #refreshQuietly(): void {
    // Without a map, requests go to any node, which forwards them. The next request retries.
    this.#refresh().catch(() => {});
  }

  async #refresh(): Promise<void> {
    if (this.#refreshing) {
      await this.#refreshing.catch(() => {});
      return this.#isComplete() ? undefined : this.#refresh();
    }
    this.#refreshing = this.#load().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  #isComplete(): boolean {
    return !this.#stale && [...this.#requested].every((cacheId) => this.#mappings.has(cacheId));
  }

  async #load(): Promise<void> {
    if (this.#requested.size === 0) {
      this.#stale = false;
      return;
    }
    this.#stale = false;
    try {
      const { groups } = await this.#pool.call(AFFINITY.partitions, [...this.#requested]);
      const reported = new Set<number>();
      for (const group of groups) {
        for (const { cacheId, affinityFields } of group.caches) {
          reported.add(cacheId);
          this.#requested.add(cacheId);
          this.#mappings.set(cacheId, group.applicable ? { owners: group.owners, affinityFields } : 'replicated');
        }
      }
      for (const cacheId of [...this.#requested]) if (!reported.has(cacheId)) this.forget(cacheId);
      this.version++;
    } catch (error) {
      this.#stale = true;
      throw error;
    }
  }
}
