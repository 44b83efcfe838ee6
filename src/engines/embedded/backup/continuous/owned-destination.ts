/** A destination whose objects are known, because only its owner creates and removes them from now on. */
import type { Destination, ObjectName, Ownership, ShippingOwner, StoredObject } from './destination.ts';
import { fileNameOf, LOWEST_LEVEL } from './destination.ts';

export class OwnedDestination implements Destination {
  readonly #destination: Destination;
  readonly #ownership: Ownership;
  readonly #objects = new Map<string, StoredObject>();
  #isListed = false;

  /** Every change checks the ownership. */
  constructor(destination: Destination, ownership: Ownership) {
    this.#destination = destination;
    this.#ownership = ownership;
  }

  /**
   * Lists the objects again: a request of an earlier owner may have been executed after the last listing. Nothing else
   * may be removed in the meantime. Reads the exact times of those still to be merged into steps; for the others, the
   * time at which the store received them is exact enough.
   */
  async relist(): Promise<void> {
    const known = [...this.#objects.keys()];
    const objects = await this.#destination.objects();
    const listed = new Set(objects.map(keyOf));
    for (const key of known) if (!listed.has(key)) this.#objects.delete(key);
    const added = objects.filter((each) => !this.#objects.has(keyOf(each)));
    const isUnmerged = ({ level, last }: StoredObject): boolean =>
      level > LOWEST_LEVEL && !objects.some((other) => other.level === level + 1 && other.last >= last);
    for (const object of added) this.#objects.set(keyOf(object), object);
    for (const object of await this.#destination.withTimes(added.filter(isUnmerged))) {
      this.#objects.set(keyOf(object), object);
    }
    this.#isListed = true;
  }

  /** Lists them the first time. */
  async objects(): Promise<StoredObject[]> {
    if (!this.#isListed) await this.relist();
    return [...this.#objects.values()];
  }

  withTimes(objects: readonly StoredObject[]): Promise<StoredObject[]> {
    return this.#destination.withTimes(objects);
  }

  read(name: ObjectName, acceptsPlain?: boolean): AsyncIterable<Uint8Array> {
    return this.#destination.read(name, acceptsPlain);
  }

  async create(
    name: ObjectName,
    timestampMs: number,
    chunks: AsyncIterable<Uint8Array>,
    sources?: readonly ObjectName[],
  ): Promise<number | undefined> {
    this.#ownership.check();
    const bytes = await this.#destination.create(name, timestampMs, chunks, sources);
    const { level, first, last } = name;
    if (bytes !== undefined) this.#objects.set(keyOf(name), { level, first, last, bytes, timestampMs });
    return bytes;
  }

  async remove(name: ObjectName): Promise<void> {
    this.#ownership.check();
    await this.#destination.remove(name);
    this.#objects.delete(keyOf(name));
  }

  acquire(owner: ShippingOwner): Promise<Ownership> {
    return this.#destination.acquire(owner);
  }
}

function keyOf(name: ObjectName): string {
  return `${name.level}/${fileNameOf(name)}`;
}
