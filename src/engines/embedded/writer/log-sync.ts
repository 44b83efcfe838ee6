/**
 * Syncs the data file's log for commits that did not wait for the disk: those to regions with a sync interval. A
 * durable commit also syncs all earlier ones.
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Region } from '../../../grid/cache-rules.ts';

export class LogSync {
  /** Whether a region has a sync interval. */
  readonly isUsed: boolean;
  readonly #regions: ReadonlyMap<string, Region>;
  readonly #clock: Clock;
  readonly #sync: () => void;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  /** `sync` requests a durable commit. */
  constructor(regions: ReadonlyMap<string, Region>, clock: Clock, sync: () => void) {
    this.isUsed = [...regions.values()].some(({ syncIntervalMs }) => syncIntervalMs > 0);
    this.#regions = regions;
    this.#clock = clock;
    this.#sync = sync;
  }

  /** Returns how long changes of a region may be acknowledged without being on disk, in ms, or 0 for not at all. */
  intervalMs(region: string): number {
    return this.#regions.get(region)?.syncIntervalMs ?? 0;
  }

  /** Whether commits have not been synced yet. */
  get isPending(): boolean {
    return this.#dueMs < Number.POSITIVE_INFINITY;
  }

  /** Records a commit whose changes may remain unsynced for this long; 0 if it was durable. */
  committed(intervalMs: number): void {
    if (intervalMs === 0) {
      this.stop();
      return;
    }
    const dueMs = this.#clock.monotonicMs() + intervalMs;
    if (dueMs >= this.#dueMs) return;
    this.#timer?.cancel();
    this.#dueMs = dueMs;
    this.#timer = this.#clock.after(intervalMs, () => {
      // Until a durable commit, the next commit without one sets the timer again.
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#sync();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }
}
