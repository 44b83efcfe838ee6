/** The contents of a grid in memory, to which tests return: caches, tables, entries and counters. */
import type { CacheDefinition, Counter, Grid, ScannedEntry } from '../grid/grid.ts';

export class GridSnapshot {
  readonly #grid: Grid;
  readonly #caches: ReadonlyMap<string, { readonly definition: CacheDefinition; readonly entries: ScannedEntry[] }>;
  readonly #counters: readonly Counter[];

  private constructor(
    grid: Grid,
    caches: ReadonlyMap<string, { readonly definition: CacheDefinition; readonly entries: ScannedEntry[] }>,
    counters: readonly Counter[],
  ) {
    this.#grid = grid;
    this.#caches = caches;
    this.#counters = counters;
  }

  /** Reads the whole grid. */
  static async of(grid: Grid): Promise<GridSnapshot> {
    const caches = new Map<string, { definition: CacheDefinition; entries: ScannedEntry[] }>();
    for (const definition of await grid.caches.list()) {
      const entries: ScannedEntry[] = [];
      for await (const batch of grid.transfer.scan(definition.name)) entries.push(...batch.entries);
      caches.set(definition.name, { definition, entries });
    }
    return new GridSnapshot(grid, caches, await grid.transfer.counters([]));
  }

  /**
   * Restores the grid. Entries have the time to live that they had at the snapshot. A cache that is new or whose
   * definition has changed is destroyed; one that is gone or has changed is recreated. Changes by key share one commit.
   */
  async restore(): Promise<void> {
    const { caches, port } = this.#grid;
    const present = new Map((await caches.list()).map((definition) => [definition.name, definition]));
    for (const [name, definition] of present) {
      const kept = this.#caches.get(name)?.definition;
      if (kept !== undefined && Bun.deepEquals(kept, definition)) continue;
      await caches.destroy(name);
      present.delete(name);
    }
    for (const [name, { definition }] of this.#caches) {
      if (!present.has(name)) await this.#grid.transfer.define(definition);
    }
    const changes: unknown[] = [];
    for (const [cache, { entries: kept }] of this.#caches) {
      changes.push(port.call({ kind: 'clear', cache }, {}));
      const lasting = kept.filter(({ ttlMs }) => ttlMs === undefined);
      if (lasting.length > 0) changes.push(port.call({ kind: 'putAll', cache, entries: lasting, ttlMs: null }, {}));
      for (const { key, value, ttlMs } of kept) {
        if (ttlMs !== undefined) changes.push(port.call({ kind: 'put', cache, key, value, ttlMs }, {}));
      }
    }
    changes.push(...(await this.#counterChanges()));
    await Promise.all(changes);
  }

  /** A new counter begins at 0 again: no call of the grid removes one. */
  async #counterChanges(): Promise<readonly unknown[]> {
    const kept = new Map(this.#counters.map(({ name, value }) => [name, value]));
    const present = await this.#grid.transfer.counters([]);
    return present.flatMap(({ name, value }) => {
      const difference = (kept.get(name) ?? 0n) - value;
      if (difference === 0n) return [];
      return [this.#grid.port.call({ kind: 'addToCounter', name, delta: difference, initial: 0n }, {})];
    });
  }
}
