/**
 * Finds the classes that the nodes have. Ignite's HTTP interface maps the JSON of a class onto an instance of it:
 * fields missing in JSON have their initial values, members that the class does not have are dropped, and the fields
 * are in the class's order. Type metadata shows neither whether a class exists nor its initial values, but a new
 * instance does. A node creates one when it reads a binary object with the class's name and no fields, and writes it
 * with all fields (and registers the type) when it is stored. Ignite's own processor of INSERT statements stores it.
 */

import { LRUCache } from 'lru-cache';
import { GridError } from '../../../base/errors.ts';
import { text, type Value } from '../../../values/value.ts';
import type { Instance } from '../binary/class-mapping.ts';
import { encodeValue } from '../binary/encoder.ts';
import { writeNamed } from '../binary/objects.ts';
import type { Pool } from '../connections/pool.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { UNCHANGED_MS } from '../operations/expiry.ts';
import { type InstanceArgs, STORE_INSTANCE, writeForeignConstant } from '../operations/instance-operation.ts';
import type { Session } from '../operations/operation.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { FEATURE } from '../protocol/features.ts';
import { NodeError, STATUS } from '../protocol/status.ts';
import { selectAll, stringOf } from '../topology/system-sql.ts';
import { type ClassField, FieldClasses, type FieldProbes } from './field-classes.ts';
import { ProbeLocation, uniqueName } from './probe-place.ts';

const CACHED_CLASSES = 10_000;
/** Maximum number of classes tried for a field. */
const MAX_CANDIDATES = 100;
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

  /** Returns the known facts about the class, or undefined if it has not been looked up. */
  peek(className: string): Instance | 'none' | undefined {
    return this.#known.get(className);
  }

  /** Returns a new instance of the class, or `none` if the nodes do not have the class, or it serializes itself. */
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
   * Returns a value in the form of a field's declared class. The field is null in a new instance of its class. Throws
   * ConversionFailure.
   */
  async convert(field: ClassField, value: Value, cacheId: number): Promise<Value> {
    const place = new ProbeLocation(this.#pool, cacheId);
    try {
      return await this.#fields.convert(field, value, this.#probes(place));
    } finally {
      await place.close();
    }
  }

  #probes(place: ProbeLocation): FieldProbes {
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

  /** Allows missing classes to be looked up again. Called when nodes have joined. */
  forgetMissing(): void {
    this.#fields.forget();
    for (const [name, known] of [...this.#known]) if (known === 'none') this.#known.delete(name);
  }

  async #lookUp(className: string, cacheId: number): Promise<Instance | 'none'> {
    const place = new ProbeLocation(this.#pool, cacheId);
    try {
      const connection = await this.#pool.acquire();
      const found = connection.features.has(FEATURE.CACHE_INVOKE) && (await this.#exists(className, place));
      const instance = found ? await this.#read(className) : 'none';
      this.#known.set(className, instance);
      return instance;
    } catch (error) {
      // The cluster currently rejects all requests; the next operation reports why.
      if (error instanceof NodeError || error instanceof GridError) return 'none';
      throw error;
    } finally {
      await place.close();
    }
  }

  /**
   * Reports whether the nodes have the class, and its field accepts the value. The created instance
   * expires immediately.
   */
  async #exists(className: string, place: ProbeLocation, field?: InstanceArgs['field']): Promise<boolean> {
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
    const place = new ProbeLocation(this.#pool, 0);
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
