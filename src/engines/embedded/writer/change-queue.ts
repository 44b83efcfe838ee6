/**
 * The changes of clients that wait in this thread for a statement that holds the write lock. They are bounded by number
 * and time, and shared by claimants, because one client could otherwise fill the queue and keep all others out. The
 * writer itself does not know who asks for a change.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { WaitingEntries } from '../../../base/waiting-entries.ts';
import type { ChangeQueue } from '../../../grid/change-queue.ts';
import type { SharedState } from '../storage/shared-state.ts';

/** So many changes may wait for any time. */
const ALWAYS_ADMITTED = 256;

export class LockedChanges implements ChangeQueue {
  readonly #shared: SharedState;
  readonly #waiting: WaitingEntries;

  /** `targetMs`: longest expected wait of further changes. */
  constructor(shared: SharedState, clock: Clock, targetMs: number) {
    this.#shared = shared;
    this.#waiting = new WaitingEntries({ clock, targetMs, alwaysAdmitted: ALWAYS_ADMITTED });
  }

  isHeld(): boolean {
    return this.#shared.isStatementWriting();
  }

  enter(key: string): () => void {
    const entry = this.#waiting.enter(key);
    if (entry === undefined) {
      this.#shared.countRejectedChange();
      throw fail('OVERLOADED', this.#waiting.size);
    }
    return () => void this.#waiting.leave(entry);
  }
}
