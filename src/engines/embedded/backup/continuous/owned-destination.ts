/** A destination whose objects are known, because only its owner creates and removes them. */
import type { Destination, ObjectName, Ownership, ShippingOwner, StoredObject } from './destination.ts';
import { fileNameOf } from './destination.ts';

export class OwnedDestination implements Destination {
  readonly #destination: Destination;
  readonly #ownership: Ownership;
  readonly #objects = new Map<string, StoredObject>();

  private constructor(destination: Destination, ownership: Ownership, objects: readonly StoredObject[]) {
    this.#destination = destination;
    this.#ownership = ownership;
    for (const object of objects) this.#objects.set(keyOf(object), object);
  }

  /** Lists the objects, once. Every change checks the ownership. */
  static async open(destination: Destination, ownership: Ownership): Promise<OwnedDestination> {
    return new OwnedDestination(destination, ownership, await destination.objects());
  }

  async names(): Promise<ObjectName[]> {
    return this.objects();
  }

  async objects(): Promise<StoredObject[]> {
    return [...this.#objects.values()];
  }

  read(name: ObjectName): AsyncIterable<Uint8Array> {
    return this.#destination.read(name);
  }

  async create(name: ObjectName, timestampMs: number, chunks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
    this.#ownership.check();
    const bytes = await this.#destination.create(name, timestampMs, chunks);
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
