/** Counts the unexpired idempotency keys that this process has stored for each tenant. */

/** Keys that expire within the same minute are forgotten together. */
const SLOT_MS = 60_000;

export class RecentKeys {
  /** By the minute in which keys expire: their number by tenant. */
  readonly #slots = new Map<number, Map<string, number>>();

  add(tenant: string, expiresAtMs: number): void {
    const slot = Math.ceil(expiresAtMs / SLOT_MS);
    const counts = this.#slots.get(slot);
    if (counts === undefined) this.#slots.set(slot, new Map([[tenant, 1]]));
    else counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }

  countOf(tenant: string, nowMs: number): number {
    let count = 0;
    for (const [slot, counts] of this.#slots) {
      if (slot * SLOT_MS <= nowMs) this.#slots.delete(slot);
      else count += counts.get(tenant) ?? 0;
    }
    return count;
  }

  /** Forgets keys that have expired. */
  sweep(nowMs: number): void {
    for (const slot of this.#slots.keys()) if (slot * SLOT_MS <= nowMs) this.#slots.delete(slot);
  }
}
