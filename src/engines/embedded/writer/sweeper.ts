/**
 * Removes expired entries and the rows of destroyed caches in the background, a small number at a time between the
 * changes of clients. Clients see no difference: every operation treats an expired entry as absent.
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import type { CacheRegistry } from '../ddl/cache-registry.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { Log } from '../storage/log.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { ChangeChannel } from './changes.ts';

/** Time between two searches for expired entries. */
const INTERVAL_MS = 500;
const ROWS_PER_CHANGE = 500;
/** Time between two searches for expired records, counters and idempotency keys. */
const RECORDS_INTERVAL_MS = 60_000;

export class Sweeper {
  readonly #clock: Clock;
  readonly #changes: ChangeChannel;
  readonly #shared: SharedState;
  readonly #log: Log;
  /** The number of regions with files of their own. */
  readonly #temporaryRegions: number;
  /** By cache: its earliest deadline, or an earlier time. */
  readonly #deadlines = new Map<string, number>();
  #timers: Timer[] = [];
  #last: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(clock: Clock, changes: ChangeChannel, shared: SharedState, temporaryRegions: number, log: Log) {
    this.#temporaryRegions = temporaryRegions;
    this.#clock = clock;
    this.#changes = changes;
    this.#shared = shared;
    this.#log = log;
  }

  /** Starts the timers. Checks every cache once, because entries of an earlier start may have a deadline. */
  start(registry: CacheRegistry): void {
    for (const cache of registry.all()) this.expect(cache.definition.name, 0);
    this.#timers = [
      this.#clock.every(INTERVAL_MS, () => {
        if (this.#pending === 0) void this.sweep();
      }),
      this.#clock.every(RECORDS_INTERVAL_MS, () => {
        // Statements set the deadlines of rows without telling the sweeper.
        for (const { definition } of registry.all())
          if (definition.ttlMs !== undefined) this.expect(definition.name, 0);
        void this.#try(() => this.#changes.submit('sweepRecords', {}));
        void this.#try(async () => {
          while (await this.#changes.submit('sweepCounters', { rows: ROWS_PER_CHANGE }));
        });
        for (let database = 0; database <= this.#temporaryRegions; database++) {
          void this.#try(() => this.#sweepKeys(database));
        }
      }),
    ];
  }

  /** Notes that an entry of the cache expires at `atMs`. */
  expect(cache: string, atMs: number): void {
    const known = this.#deadlines.get(cache);
    if (known === undefined || atMs < known) this.#deadlines.set(cache, atMs);
  }

  /** Removes all entries that have expired by now. Changes of clients run between the slices. */
  sweep(): Promise<void> {
    this.#pending++;
    this.#last = this.#last.then(() => this.#sweepAll()).finally(() => this.#pending--);
    return this.#last;
  }

  /** Removes the expired idempotency keys of a database file. Those of a region are gone while it is inactive. */
  async #sweepKeys(database: number): Promise<void> {
    if (database !== DATA_DATABASE && this.#shared.isInactive()) return;
    while (await this.#changes.submit('sweepKeys', { database, keys: ROWS_PER_CHANGE }));
  }

  async #sweepAll(): Promise<void> {
    if (this.#shared.isInactive()) return;
    await this.#try(async () => {
      while (await this.#changes.submit('removeDropped', {}));
    });
    const nowMs = this.#clock.nowMs();
    for (const [cache, deadline] of [...this.#deadlines]) {
      if (deadline > nowMs) continue;
      this.#deadlines.delete(cache);
      await this.#try(
        async () => {
          let next: number | undefined;
          do {
            next = await this.#changes.submit('sweep', { cache, rows: ROWS_PER_CHANGE });
          } while (next !== undefined && next <= nowMs);
          if (next !== undefined) this.expect(cache, next);
        },
        () => this.expect(cache, deadline),
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
      this.#log('error', `Expired entries could not be removed: ${String(error)}`);
      onFailure();
    }
  }
}
