/**
 * Finds the rows of idempotency keys: each key's hash with its database number and its position. A map of the keys
 * themselves would need several times the memory. Its entries may be out of date, so callers compare the row.
 */

/** A row's location. */
export interface RecordLocation {
  readonly database: number;
  readonly position: number;
}

/** A row, its key and whose share of the keys it uses. */
export interface IndexedKey extends RecordLocation {
  readonly id: string;
  readonly tenant: string;
}

/** A predicate on a row and a key. */
export type RowTest = (location: RecordLocation, id: string) => boolean;

/** More than the number of databases (EMBEDDED_BOUNDS.temporaryRegions). */
const DATABASES = 64;

export class KeyIndex {
  /** By hash: position times {@link DATABASES} plus the database number. */
  readonly #locations = new Map<number, number>();
  /** By key, if another key has the same hash. */
  readonly #others = new Map<string, number>();
  /** By database and tenant: the number of rows. */
  readonly #counts = new Map<number, Map<string, number>>();
  #size = 0;
  #lastId = '';
  #lastHash = 0;

  /** The number of rows. */
  get size(): number {
    return this.#size;
  }

  /** Returns a tenant's number of rows. */
  countOf(tenant: string): number {
    let count = 0;
    for (const counts of this.#counts.values()) count += counts.get(tenant) ?? 0;
    return count;
  }

  /** Returns where a key's row may be; `isOf` says whether it is there. */
  find(id: string, isOf: RowTest): RecordLocation | undefined {
    const known = this.#locations.get(this.#hashOf(id));
    const location = known === undefined ? undefined : decode(known);
    if (location !== undefined && isOf(location, id)) return location;
    if (this.#others.size === 0) return undefined;
    const other = this.#others.get(id);
    return other === undefined ? undefined : decode(other);
  }

  /** Adds a key. `hasOther` says whether a location has another stored key with the same hash. */
  add({ id, tenant, database, position }: IndexedKey, hasOther: RowTest): void {
    const hash = this.#hashOf(id);
    const known = this.#locations.get(hash);
    const location = position * DATABASES + database;
    if (known !== undefined && hasOther(decode(known), id)) this.#others.set(id, location);
    else this.#locations.set(hash, location);
    this.#size++;
    const counts = this.#counts.get(database);
    if (counts === undefined) this.#counts.set(database, new Map([[tenant, 1]]));
    else counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }

  /** Removes a row. A later one of the same key stays. */
  remove({ id, tenant, database, position }: IndexedKey): void {
    const location = position * DATABASES + database;
    const hash = this.#hashOf(id);
    const counts = this.#counts.get(database);
    const count = counts?.get(tenant) ?? 0;
    if (count === 0) return;
    this.#size--;
    if (count > 1) counts?.set(tenant, count - 1);
    else counts?.delete(tenant);
    if (this.#locations.get(hash) === location) this.#locations.delete(hash);
    if (this.#others.get(id) === location) this.#others.delete(id);
  }

  /** Removes all rows of a database. */
  removeAll(database: number): void {
    for (const count of this.#counts.get(database)?.values() ?? []) this.#size -= count;
    this.#counts.delete(database);
    for (const [hash, location] of this.#locations) {
      if (decode(location).database === database) this.#locations.delete(hash);
    }
    for (const [id, location] of this.#others) if (decode(location).database === database) this.#others.delete(id);
  }

  /** Returns the hash of a key, for looking it up before adding it. */
  #hashOf(id: string): number {
    if (id !== this.#lastId) {
      this.#lastHash = hashOfKey(id);
      this.#lastId = id;
    }
    return this.#lastHash;
  }
}

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Ids are digests, and this many characters are as unique as all of them; the ids of a batch's commands have a suffix.
 */
const DIGEST_CHARACTERS = 22;
const HASHED_CHARACTERS = 8;

/** Returns the hash of a key (FNV-1a). The runtime's hashes copy the string first. */
export function hashOfKey(id: string): number {
  let hash = FNV_BASIS;
  const end = Math.min(id.length, HASHED_CHARACTERS);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ id.charCodeAt(at), FNV_PRIME);
  for (let at = DIGEST_CHARACTERS; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), FNV_PRIME);
  return hash;
}

function decode(location: number): RecordLocation {
  return { database: location % DATABASES, position: Math.floor(location / DATABASES) };
}
