/** A destination whose objects are known, because only its owner creates and removes them. */
import type { Destination, ObjectName, Ownership, ShippingOwner, StoredObject } from './destination.ts';
import { fileNameOf, LOWEST_LEVEL } from './destination.ts';

export class OwnedDestination implements Destination {
  readonly #destination: Destination;
  readonly #ownership: Ownership;
  readonly #objects = new Map<string, StoredObject>();

  private constructor(destination: Destination, ownership: Ownership, objects: readonly StoredObject[]) {
    this.#destination = destination;
    this.#ownership = ownership;
    for (const object of objects) this.#objects.set(keyOf(object), object);
  }

  /**
   * Lists the objects, once. Every change checks the ownership. Reads the exact times of those that are still to be
   * merged into steps; for the others, when the store received them is exact enough.
   */
  static async open(destination: Destination, ownership: Ownership): Promise<OwnedDestination> {
    const objects = await destination.objects();
    const owned = new OwnedDestination(destination, ownership, objects);
    const isUnmerged = ({ level, last }: StoredObject): boolean =>
      level > LOWEST_LEVEL && !objects.some((other) => other.level === level + 1 && other.last >= last);
    for (const object of await destination.withTimes(objects.filter(isUnmerged))) {
      owned.#objects.set(keyOf(object), object);
    }
    return owned;
  }

  async objects(): Promise<StoredObject[]> {
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
