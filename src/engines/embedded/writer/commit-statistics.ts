/** Counts the commits of the writer: how long they take, and how many changes share one. */
import { type Distribution, Histogram } from '../../../base/histogram.ts';

/** From a commit to memory to one on a disk that is overloaded. */
const COMMIT_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];
const CHANGES_BOUNDS = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000];

export class CommitStatistics {
  readonly #commitMs = new Histogram(COMMIT_BOUNDS_MS);
  readonly #changes = new Histogram(CHANGES_BOUNDS);
  #rollbacks = 0;

  committed(durationMs: number, changes: number): void {
    this.#commitMs.record(durationMs);
    this.#changes.record(changes);
  }

  rolledBack(): void {
    this.#rollbacks++;
  }

  read(): { readonly commitMs: Distribution; readonly commitChanges: Distribution; readonly rollbacks: number } {
    return { commitMs: this.#commitMs.read(), commitChanges: this.#changes.read(), rollbacks: this.#rollbacks };
  }
}
