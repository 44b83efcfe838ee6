/**
 * Sessions that wait to be stored while a long statement holds the write lock. They are valid immediately: otherwise
 * logging in would be impossible, even in order to end that statement, which may take as long as building an index
 * (bench/RESULTS-SCALE.md). A crash in the meantime ends them. All threads find and list them: a number in shared
 * memory says whether there are any, and the writer's thread returns them.
 */
import type { Clock } from '../../../base/clock.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { PendingRecord } from './changes.ts';

interface PendingSession {
  /** undefined if removed. */
  readonly content: string | undefined;
  readonly expiresAtMs: number;
}

/** Maximum number of sessions, each of a few hundred bytes. The rest wait for the lock. */
const MAX_PENDING = 10_000;

export class PendingSessions {
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, PendingSession>();

  constructor(shared: SharedState, clock: Clock) {
    this.#shared = shared;
    this.#clock = clock;
  }

  /** Records a session or, with `content` undefined, its removal. Returns false if there are too many. */
  note(id: string, content: string | undefined, expiresAtMs = Number.POSITIVE_INFINITY): boolean {
    if (this.#sessions.size >= MAX_PENDING && !this.#sessions.has(id)) return false;
    this.#sessions.set(id, { content, expiresAtMs });
    this.#shared.setPendingSessions(this.#sessions.size);
    return true;
  }

  /** Returns a session that waits or was removed, or null if the stored records decide. */
  find(id: string): string | undefined | null {
    const session = this.#sessions.get(id);
    if (session === undefined) return null;
    return session.expiresAtMs > this.#clock.nowMs() ? session.content : undefined;
  }

  /** Returns all sessions that wait or were removed. */
  list(): readonly PendingRecord[] {
    return [...this.#sessions.keys()].map((id) => ({ id, content: this.find(id) ?? undefined }));
  }

  /** Called when they have been stored. */
  clear(): void {
    if (this.#sessions.size === 0) return;
    this.#sessions.clear();
    this.#shared.setPendingSessions(0);
  }
}
