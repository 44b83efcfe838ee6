/** The rows that have just changed, by their keys, for a grid that marks them. */
import { signal } from '@preact/signals';
import { type Change, keyText } from './change-log.ts';

/** How long a row is marked. */
const MARKED_MS = 2_000;
/** More rows than are in view need no mark. */
const MAX_ROWS = 2_000;

interface Mark {
  readonly number: number;
  readonly untilMs: number;
}

export class ChangedRows {
  /** Grows when marks begin or end. */
  readonly version = signal(0);
  readonly #marks = new Map<string, Mark>();

  /** Marks the rows of changes, and removes expired marks. */
  note(changes: readonly Change[], nowMs: number): void {
    for (const { identity, number } of changes.slice(-MAX_ROWS)) {
      if (identity === undefined) continue;
      // The latest last, so the oldest are dropped.
      this.#marks.delete(identity);
      this.#marks.set(identity, { number, untilMs: nowMs + MARKED_MS });
    }
    for (const [identity, { untilMs }] of this.#marks) {
      if (untilMs > nowMs && this.#marks.size <= MAX_ROWS) break;
      this.#marks.delete(identity);
    }
    this.version.value++;
  }

  /** Returns the number of the change of a row that is marked, or undefined for other rows. */
  markOf(key: readonly unknown[]): number | undefined {
    return this.#marks.get(keyText(key))?.number;
  }
}
