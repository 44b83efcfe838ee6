/**
 * Removes expired entries and the rows of destroyed caches in the background, a small number at a time between clients'
 * changes. Clients see no difference: every operation treats an expired entry as absent.
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import type { CacheRegistry } from '../ddl/cache-registry.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { Log } from '../storage/log.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { ChangeChannel } from './changes.ts';

/** Time between searches for expired entries. */
const INTERVAL_MS = 500;
const ROWS_PER_CHANGE = 500;
/** Time between searches for expired records, counters and idempotency keys. */
const RECORDS_INTERVAL_MS = 60_000;

/** When entries expire: each cache's earliest deadline, or an earlier time. */
export class Deadlines {
  readonly #earliest = new Map<string, number>();

  /** Records that an entry of the cache expires at `atMs`. */
  expect(cache: string, atMs: number): void {
    const known = this.#earliest.get(cache);
    if (known === undefined || atMs < known) this.#earliest.set(cache, atMs);
  }

  /** Removes and returns the caches, with their deadlines, whose entries may have expired by `nowMs`. */
  takeDue(nowMs: number): ReadonlyArray<readonly [cache: string, deadlineMs: number]> {
    const due = [...this.#earliest].filter(([, deadlineMs]) => deadlineMs <= nowMs);
    for (const [cache] of due) this.#earliest.delete(cache);
    return due;
  }
}

export interface SweeperOptions {
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly deadlines: Deadlines;
  readonly shared: SharedState;
  readonly log: Log;
  /** The number of regions with separate files. */
  readonly temporaryRegions: number;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #timers: Timer[] = [];
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Starts the timers. Checks every cache once, because entries from an earlier run may have a deadline. */
  start(registry: CacheRegistry): void {
    const { clock, changes, deadlines, temporaryRegions } = this.#options;
    for (const cache of registry.all()) deadlines.expect(cache.definition.name, 0);
    this.#timers = [
      clock.every(INTERVAL_MS, () => {
        if (this.#pending === 0) void this.sweep();
      }),
      clock.every(RECORDS_INTERVAL_MS, () => {
        // Statements set the deadlines of rows without telling the sweeper.
        for (const { definition } of registry.all())
          if (definition.ttlMs !== undefined) deadlines.expect(definition.name, 0);
        void this.#try(() => changes.submit('sweepRecords', {}));
        void this.#try(async () => {
          while (await changes.submit('sweepCounters', { rows: ROWS_PER_CHANGE }));
        });
        for (let database = 0; database <= temporaryRegions; database++) {
          void this.#try(() => this.#sweepKeys(database));
        }
      }),
    ];
  }

  /** Removes all entries that have expired by now. Clients' changes run between the slices. */
  sweep(): Promise<void> {
    this.#pending++;
    this.#last = this.#last.then(() => this.#sweepAll()).finally(() => this.#pending--);
    return this.#last;
  }

  /** Removes the expired idempotency keys of a database file. Those of a region are gone while it is inactive. */
  async #sweepKeys(database: number): Promise<void> {
    if (database !== DATA_DATABASE && this.#options.shared.isInactive()) return;
    while (await this.#options.changes.submit('sweepKeys', { database, keys: ROWS_PER_CHANGE }));
  }

  async #sweepAll(): Promise<void> {
    const { clock, changes, deadlines, shared } = this.#options;
    if (shared.isInactive()) return;
    await this.#try(async () => {
      while (await changes.submit('removeDropped', {}));
    });
    const nowMs = clock.nowMs();
    for (const [cache, deadlineMs] of deadlines.takeDue(nowMs)) {
      await this.#try(
        async () => {
          let next: number | undefined;
          do {
            next = await changes.submit('sweep', { cache, rows: ROWS_PER_CHANGE });
          } while (next !== undefined && next <= nowMs);
          if (next !== undefined) deadlines.expect(cache, next);
        },
        () => deadlines.expect(cache, deadlineMs),
      );
    }
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  /**
   * Runs `action`. Ignores errors of a destroyed cache or a shutdown. Logs all others and calls `onFailure`, so that
   * the next sweep retries.
   */
  async #try(action: () => Promise<unknown>, onFailure: () => void = () => {}): Promise<void> {
    try {
      await action();
    } catch (error) {
      const expected = error instanceof GridError && ['CACHE_NOT_FOUND', 'STOPPING', 'INACTIVE'].includes(error.code);
      if (expected) return;
      this.#options.log('error', `Expired entries could not be removed: ${String(error)}`);
      onFailure();
    }
  }
}
