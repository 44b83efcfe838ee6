/**
 * A hash table of numbers by 32-bit hashes, in typed arrays. The garbage collector visits a `Map` that was changed as a
 * whole, at each of its short collections: with half a million keys, these took longer than the changes themselves.
 */

/** The table grows in segments, chosen by the highest bits of a hash, so that no growth takes long. */
const SEGMENTS = 64;
const SEGMENT_SHIFT = 26;
const FEWEST_SLOTS = 16;
/** A segment grows when a greater part of it is used. */
const LARGEST_LOAD = 0.75;
/** Marks an unused slot: no location is zero. */
const UNUSED = 0;

/** Open addressing with linear probing. Hashes and locations alternate, so that both are in one line of the cache. */
class Segment {
  #slots = new Float64Array(2 * FEWEST_SLOTS);
  /** Used slots. */
  #used = 0;

  get(hash: number): number | undefined {
    const location = this.#slots[this.#slotOf(hash) + 1];
    return location === UNUSED ? undefined : location;
  }

  set(hash: number, location: number): void {
    let slot = this.#slotOf(hash);
    if (this.#slots[slot + 1] === UNUSED) {
      if (this.#used >= (this.#slots.length / 2) * LARGEST_LOAD) {
        this.#grow();
        slot = this.#slotOf(hash);
      }
      this.#used++;
      this.#slots[slot] = hash;
    }
    this.#slots[slot + 1] = location;
  }

  delete(hash: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let free = this.#slotOf(hash);
    if (slots[free + 1] === UNUSED) return;
    this.#used--;
    // Later entries move forward, so that none is after an unused slot.
    for (let slot = (free + 2) & mask; slots[slot + 1] !== UNUSED; slot = (slot + 2) & mask) {
      const first = ((slots[slot] ?? 0) * 2) & mask;
      if (((slot - first) & mask) < ((slot - free) & mask)) continue;
      slots[free] = slots[slot] ?? 0;
      slots[free + 1] = slots[slot + 1] ?? UNUSED;
      free = slot;
    }
    slots[free + 1] = UNUSED;
  }

  /** Removes the entries whose locations `isRemoved` accepts. */
  deleteWhere(isRemoved: (location: number) => boolean): void {
    const removed: number[] = [];
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const location = this.#slots[slot + 1] ?? UNUSED;
      if (location !== UNUSED && isRemoved(location)) removed.push(this.#slots[slot] ?? 0);
    }
    for (const hash of removed) this.delete(hash);
  }

  /** Returns where the slot of a hash begins, or the unused one where it belongs. */
  #slotOf(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash * 2) & mask;
    while (slots[slot + 1] !== UNUSED && slots[slot] !== hash) slot = (slot + 2) & mask;
    return slot;
  }

  #grow(): void {
    const former = this.#slots;
    this.#slots = new Float64Array(former.length * 2);
    for (let at = 0; at < former.length; at += 2) {
      const location = former[at + 1] ?? UNUSED;
      if (location === UNUSED) continue;
      const hash = former[at] ?? 0;
      const slot = this.#slotOf(hash);
      this.#slots[slot] = hash;
      this.#slots[slot + 1] = location;
    }
  }
}

export class LocationTable {
  readonly #segments: Array<Segment | undefined> = Array.from({ length: SEGMENTS }, () => undefined);

  /** Returns the location of a hash, a 32-bit integer. */
  get(hash: number): number | undefined {
    return this.#segments[hash >>> SEGMENT_SHIFT]?.get(hash);
  }

  /** Sets the location of a hash: a number other than zero. */
  set(hash: number, location: number): void {
    const at = hash >>> SEGMENT_SHIFT;
    let segment = this.#segments[at];
    if (segment === undefined) {
      segment = new Segment();
      this.#segments[at] = segment;
    }
    segment.set(hash, location);
  }

  delete(hash: number): void {
    this.#segments[hash >>> SEGMENT_SHIFT]?.delete(hash);
  }

  /** Removes the entries whose locations `isRemoved` accepts. */
  deleteWhere(isRemoved: (location: number) => boolean): void {
    for (const segment of this.#segments) segment?.deleteWhere(isRemoved);
  }
}
