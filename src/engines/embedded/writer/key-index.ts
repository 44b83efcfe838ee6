/**
 * Finds the rows of idempotency keys: the hash of each key with the number of its database and its position, about 50
 * bytes for each. What it says may be out of date, so that whoever asks compares the row.
 */

/** Where a row is. */
export interface KeptLocation {
  readonly database: number;
  readonly position: number;
}

/** More than the numbers of databases (EMBEDDED_BOUNDS.temporaryRegions). */
const DATABASES = 64;

export class KeyIndex {
  /** By hash: position times {@link DATABASES} plus the number of the database. */
  readonly #locations = new Map<number, number>();
  /** By key, for those whose hash another one has. */
  readonly #others = new Map<string, number>();

  get size(): number {
    return this.#locations.size + this.#others.size;
  }

  /** Returns where the row of a key may be; `isOf` says whether it is there. */
  find(id: string, isOf: (location: KeptLocation) => boolean): KeptLocation | undefined {
    const known = this.#locations.get(hashOf(id));
    const location = known === undefined ? undefined : decode(known);
    if (location !== undefined && isOf(location)) return location;
    if (this.#others.size === 0) return undefined;
    const other = this.#others.get(id);
    return other === undefined ? undefined : decode(other);
  }

  /** Adds a row. `hasOther` says whether a location has the row of another key that is still kept. */
  add(id: string, { database, position }: KeptLocation, hasOther: (location: KeptLocation) => boolean): void {
    const hash = hashOf(id);
    const known = this.#locations.get(hash);
    const location = position * DATABASES + database;
    if (known !== undefined && hasOther(decode(known))) this.#others.set(id, location);
    else this.#locations.set(hash, location);
  }

  /** Removes a row, unless the key has a later one. */
  remove(id: string, { database, position }: KeptLocation): void {
    const location = position * DATABASES + database;
    const hash = hashOf(id);
    if (this.#locations.get(hash) === location) this.#locations.delete(hash);
    if (this.#others.get(id) === location) this.#others.delete(id);
  }
}

function hashOf(id: string): number {
  return Bun.hash.xxHash32(id) | 0;
}

function decode(location: number): KeptLocation {
  return { database: location % DATABASES, position: Math.floor(location / DATABASES) };
}
