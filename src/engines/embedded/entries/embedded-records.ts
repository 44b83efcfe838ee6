/** The port's system records. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { MaybePromise, RecordKind, Records } from '../../../grid/grid.ts';
import { DATA_DATABASE, type ReadConnections } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { reading } from '../storage/storage-failures.ts';
import type { ChangeChannel } from '../writer/changes.ts';

export class EmbeddedRecords implements Records {
  readonly #reads: ReadConnections;
  readonly #shared: SharedState;
  readonly #changes: ChangeChannel;
  readonly #clock: Clock;

  constructor(reads: ReadConnections, shared: SharedState, changes: ChangeChannel, clock: Clock) {
    this.#reads = reads;
    this.#shared = shared;
    this.#changes = changes;
    this.#clock = clock;
  }

  get(kind: RecordKind, id: string): MaybePromise<string | undefined> {
    if (kind !== 'session' || !this.#shared.hasPendingSessions()) return this.#read(kind, id);
    return this.#changes
      .submit('findPendingSession', { id })
      .then((pending) => (pending === null ? this.#read(kind, id) : pending));
  }

  #read(kind: RecordKind, id: string): string | undefined {
    return reading(() => {
      const row = this.#database()
        .query<{ content: string }, [string, string, number]>(
          'SELECT content FROM records WHERE kind = ? AND id = ? AND (exp IS NULL OR exp > ?)',
        )
        .get(kind, id, this.#clock.nowMs());
      return row?.content;
    });
  }

  put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void> {
    return this.#changes.submit('putRecord', { kind, id, content, expiresAtMs });
  }

  add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    return this.#changes.submit('addRecord', { kind, id, content, expiresAtMs });
  }

  replace(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    return this.#changes.submit('replaceRecord', { kind, id, content, expiresAtMs });
  }

  remove(kind: RecordKind, id: string): Promise<string | undefined> {
    return this.#changes.submit('removeRecord', { kind, id });
  }

  list(kind: RecordKind): Array<{ readonly id: string; readonly content: string }> {
    return reading(() =>
      this.#database()
        .query<{ id: string; content: string }, [string, number]>(
          'SELECT id, content FROM records WHERE kind = ? AND (exp IS NULL OR exp > ?) ORDER BY id',
        )
        .all(kind, this.#clock.nowMs()),
    );
  }

  #database(): Database {
    const connection = this.#reads.get(DATA_DATABASE);
    connection.refresh();
    return connection.database;
  }
}
