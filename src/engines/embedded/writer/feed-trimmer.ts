/** Removes the changes that the change feed no longer keeps, a few at a time between clients' changes. */
import type { Clock, Timer } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import { type FeedRetention, feedEnd } from '../storage/feed-tables.ts';
import type { Log } from '../storage/log.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { ChangeChannel } from './changes.ts';

/** Time between checks of the oldest changes. */
const INTERVAL_MS = 2_000;
const ROWS_PER_CHANGE = 500;

export interface FeedTrimmerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly connections: WriteConnections;
  readonly changes: ChangeChannel;
  readonly retention: FeedRetention;
}

export class FeedTrimmer {
  readonly #options: FeedTrimmerOptions;
  #timer: Timer | undefined;
  #isRunning = false;

  constructor(options: FeedTrimmerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.every(INTERVAL_MS, () => {
      if (!this.#isRunning) void this.trim();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Removes all changes that are no longer kept. Logs failures; the next call tries again. */
  async trim(): Promise<void> {
    const { connections, changes, retention, clock, log } = this.#options;
    this.#isRunning = true;
    try {
      for (const [database, connection] of connections.all()) {
        const nowMs = clock.nowMs();
        // The read may see changes of a paused transaction, so the writer determines the end again.
        if (feedEnd(connection, retention, nowMs) === undefined) continue;
        while (await changes.submit('trimFeed', { database, retention, nowMs, rows: ROWS_PER_CHANGE }));
      }
    } catch (error) {
      const isExpected = error instanceof GridError && error.code === 'STOPPING';
      if (!isExpected) log('error', `The change feed could not be trimmed: ${String(error)}`);
    } finally {
      this.#isRunning = false;
    }
  }
}
