/** The port's system records. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { MaybePromise, RecordKind, Records } from '../../../grid/grid.ts';
import { DATA_DATABASE, type ReadConnections } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { reading } from '../storage/storage-failures.ts';
import type { ChangeChannel, PendingRecord } from '../writer/changes.ts';

interface StoredRecord {
  readonly id: string;
  readonly content: string;
}

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

  list(kind: RecordKind): MaybePromise<readonly StoredRecord[]> {
    if (kind !== 'session' || !this.#shared.hasPendingSessions()) return this.#listStored(kind);
    return this.#changes
      .submit('listPendingSessions', {})
      .then((pending) => withPending(this.#listStored('session'), pending));
  }

  #listStored(kind: RecordKind): readonly StoredRecord[] {
    return reading(() =>
      this.#database()
        .query<StoredRecord, [string, number]>(
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

/** Returns the stored records with those that wait to be stored, and without those that wait to be removed. */
function withPending(stored: readonly StoredRecord[], pending: readonly PendingRecord[]): StoredRecord[] {
  const contents = new Map<string, string | undefined>(stored.map(({ id, content }) => [id, content]));
  for (const { id, content } of pending) contents.set(id, content);
  return [...contents].flatMap(([id, content]) => (content === undefined ? [] : [{ id, content }]));
}
