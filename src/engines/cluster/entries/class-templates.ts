/**
 * Finds the classes that the nodes have. Ignite's HTTP interface maps the JSON of a class onto an instance of it:
 * fields that are missing in JSON have their initial values, members that the class does not have are dropped, and the
 * fields are in the class's order. The metadata of types shows neither whether a class exists nor its initial values,
 * but a new instance does. A node creates one when it reads a binary object with the class's name and no fields, and
 * writes it with all fields (and registers the type) when it is stored. Ignite's own processor of INSERT statements
 * stores it.
 */

import { LRUCache } from 'lru-cache';
import { randomBytes } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import { text, type Value } from '../../../values/value.ts';
import type { Instance } from '../binary/class-mapping.ts';
import { encodeValue } from '../binary/encoder.ts';
import { hashOfText } from '../binary/java-hash.ts';
import { writeNamed } from '../binary/objects.ts';
import type { Pool } from '../connections/pool.ts';
import { MODE, ownCache } from '../operations/cache-configuration.ts';
import { type CacheTarget, ENTRY, writeCacheHeader } from '../operations/entry-operations.ts';
import { UNCHANGED_MS } from '../operations/expiry.ts';
import { CACHE } from '../operations/grid-operations.ts';
import { nothing, type Operation, type Session } from '../operations/operation.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { FEATURE } from '../protocol/features.ts';
import { NodeError, STATUS } from '../protocol/status.ts';
import { writeString } from '../protocol/strings.ts';
import { CODE } from '../protocol/type-codes.ts';
import { selectAll, stringOf } from '../topology/system-sql.ts';
import { type ClassField, FieldClasses, type FieldProbes } from './field-classes.ts';

/** Stores its field `val` if there is no entry. */
const PROCESSOR = 'org.apache.ignite.internal.processors.query.h2.DmlStatementsProcessor$InsertEntryProcessor';
const PROCESSOR_FIELD = 'val';
const PLATFORM_JAVA = 1;
const SCRATCH_PREFIX = 'svc-sys-class-';

interface InstanceArgs extends CacheTarget {
  readonly key: string;
  readonly className: string;
  /** A field that is set before. */
  readonly field?: { readonly name: string; write(writer: ByteWriter, session: Session): void };
}

/** Stores a new instance of a class, except for one field, under a key. */
const STORE_INSTANCE: Operation<InstanceArgs, void> = {
  name: 'invoke',
  code: 1024,
  retry: 'idempotent',
  write(writer, args, session) {
    const { className, field } = args;
    writeCacheHeader(writer, args);
    writeString(writer, args.key);
    writeNamed(writer, PROCESSOR, [PROCESSOR_FIELD], () => {
      if (field === undefined) writeNamed(writer, className, [], () => {});
      else writeNamed(writer, className, [field.name], () => field.write(writer, session));
    });
    writer.u8(PLATFORM_JAVA);
    writer.i32(0);
  },
  read: nothing,
};

const CACHED_CLASSES = 10_000;
/** Classes that are offered to a field at most. */
const MAX_CANDIDATES = 100;
/** An enumeration that every node has. Nodes read a constant as the one of the field's class with the same ordinal. */
const FOREIGN_ENUM = 'org.apache.ignite.cache.CacheMode';

function writeForeignConstant(writer: ByteWriter): void {
  writer.u8(CODE.ENUM);
  writer.i32(0);
  writeString(writer, FOREIGN_ENUM);
  writer.i32(0);
}

/** Looks up the classes that the nodes have, and caches a new instance of each. */
export class ClassTemplates {
  readonly #pool: Pool;
  /** Clients choose the names, so the cache is bounded. */
  readonly #known = new LRUCache<string, Instance | 'none'>({ max: CACHED_CLASSES });
  readonly #lookups = new Map<string, Promise<Instance | 'none'>>();
  readonly #fields = new FieldClasses();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns what is known about the class; undefined when it has not been looked up. */
  peek(className: string): Instance | 'none' | undefined {
    return this.#known.get(className);
  }

  /** Returns a new instance of the class; `none` if the nodes do not have the class, or it serializes itself. */
  find(className: string, cacheId: number): Promise<Instance | 'none'> {
    const known = this.#known.get(className);
    if (known) return Promise.resolve(known);
    const running = this.#lookups.get(className);
    if (running) return running;
    const lookup = this.#lookUp(className, cacheId).finally(() => this.#lookups.delete(className));
    this.#lookups.set(className, lookup);
    return lookup;
  }

  /**
   * Returns a value as the declared class of a field has it. The field is null in a fresh instance of its class. Throws
   * ConversionFailure.
   */
  async convert(field: ClassField, value: Value, cacheId: number): Promise<Value> {
    const place = new ProbePlace(this.#pool, cacheId);
    try {
      return await this.#fields.convert(field, value, this.#probes(place));
    } finally {
      await place.close();
    }
  }

  #probes(place: ProbePlace): FieldProbes {
    const accepts = ({ className, name }: ClassField, write: (writer: ByteWriter, session: Session) => void) =>
      this.#exists(className, place, { name, write });
    return {
      accepts: (field, value) => accepts(field, (writer, { context }) => encodeValue(writer, value, context)),
      acceptsInstance: (field, className) => accepts(field, (writer) => writeNamed(writer, className, [], () => {})),
      enumerationOf: async ({ className, name }) => {
        const instance = await this.#read(className, { name, write: writeForeignConstant });
        const value = instance === 'none' ? undefined : instance.fields.find((each) => each.name === name)?.value;
        return value?.type === 'enum' ? value.typeName : undefined;
      },
      classesWith: (names) => this.#classesWith(names),
    };
  }

  async #classesWith(names: readonly string[]): Promise<readonly string[]> {
    const rows = await selectAll(this.#pool, 'select TYPE_NAME, FIELDS from SYS.BINARY_METADATA where IS_ENUM = false');
    const known = rows.map(([name, fields]) => ({ name: stringOf(name), fields: stringOf(fields) }));
    const fitting = known.filter(({ fields }) => names.every((name) => fields.includes(name)));
    return fitting.slice(0, MAX_CANDIDATES).map(({ name }) => name);
  }

  /** Lets missing classes be looked up again. Called when nodes have joined. */
  forgetMissing(): void {
    this.#fields.forget();
    for (const [name, known] of [...this.#known]) if (known === 'none') this.#known.delete(name);
  }

  async #lookUp(className: string, cacheId: number): Promise<Instance | 'none'> {
    const place = new ProbePlace(this.#pool, cacheId);
    try {
      const connection = await this.#pool.acquire();
      const found = connection.features.has(FEATURE.CACHE_INVOKE) && (await this.#exists(className, place));
      const instance = found ? await this.#read(className) : 'none';
      this.#known.set(className, instance);
      return instance;
    } catch (error) {
      // The cluster rejects all requests now; the next operation reports why.
      if (error instanceof NodeError || error instanceof GridError) return 'none';
      throw error;
    } finally {
      await place.close();
    }
  }

  /**
   * Reports whether the nodes have the class, and its field accepts the value. The instance that this creates expires
   * immediately.
   */
  async #exists(className: string, place: ProbePlace, field?: InstanceArgs['field']): Promise<boolean> {
    const expiry = { createMs: 0n, updateMs: 0n, accessMs: UNCHANGED_MS };
    try {
      const instance = { cacheId: place.cacheId, expiry, key: uniqueName(), className, ...(field && { field }) };
      await this.#pool.call(STORE_INSTANCE, instance);
      return true;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (/Failed to deserialize/.test(error.message)) return false;
      if (place.isTemporary) {
        if (error.status === STATUS.PROCESSOR_FAILED) return false;
        throw error;
      }
      await place.leaveCache();
      return this.#exists(className, place, field);
    }
  }

  /** Reads an instance from a temporary cache, so that no other cache ever contains one. */
  async #read(className: string, field?: InstanceArgs['field']): Promise<Instance | 'none'> {
    const place = new ProbePlace(this.#pool, 0);
    await place.leaveCache();
    try {
      const { cacheId } = place;
      await this.#pool.call(STORE_INSTANCE, { cacheId, key: className, className, ...(field && { field }) });
      const value = await this.#pool.call(ENTRY.get, { cacheId, key: text(className) });
      return value?.type === 'object' && value.typeName === className ? value : 'none';
    } finally {
      await place.close();
    }
  }
}

/**
 * Where nodes create instances: in the cache that is written to, which costs one request, or in a temporary one. A
 * cache with SQL types rejects the keys of the instances.
 */
class ProbePlace {
  readonly #pool: Pool;
  #cacheId: number;
  #isTemporary = false;

  constructor(pool: Pool, cacheId: number) {
    this.#pool = pool;
    this.#cacheId = cacheId;
  }

  get cacheId(): number {
    return this.#cacheId;
  }

  get isTemporary(): boolean {
    return this.#isTemporary;
  }

  /** Creates the temporary cache. */
  async leaveCache(): Promise<void> {
    const name = uniqueName();
    const creation = ownCache(name, MODE.PARTITIONED);
    await this.#pool.call(CACHE.getOrCreate, creation, undefined, undefined, CLUSTER_BOUNDS.changeMs);
    this.#cacheId = hashOfText(name);
    this.#isTemporary = true;
  }

  /** Destroys the temporary cache, if there is one. */
  async close(): Promise<void> {
    if (!this.#isTemporary) return;
    await this.#pool.call(CACHE.destroy, this.#cacheId, undefined, undefined, CLUSTER_BOUNDS.changeMs);
  }
}

function uniqueName(): string {
  return SCRATCH_PREFIX + Buffer.from(randomBytes(8)).toString('hex');
}
