/** Reads of counters on the connections of a thread. */
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { Call } from '../../../grid/calls.ts';
import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import { databaseOf, type ReadConnections } from '../storage/databases.ts';
import { remainingMs } from '../storage/deadlines.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { reading } from '../storage/storage-failures.ts';
import { encodeText, type StorageValue } from '../storage/value-storage.ts';

export class CounterReads {
  readonly #reads: ReadConnections;
  readonly #shared: SharedState;
  readonly #clock: Clock;

  constructor(reads: ReadConnections, shared: SharedState, clock: Clock) {
    this.#reads = reads;
    this.#shared = shared;
    this.#clock = clock;
  }

  timeToLive({ name }: Call<'counterTimeToLive'>): bigint | null | undefined {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    return reading(() => {
      const connection = this.#reads.get(databaseOf(this.#reads.files, DEFAULT_REGION));
      connection.refresh();
      const nowMs = this.#clock.nowMs();
      const row = connection.database
        .query<{ exp: bigint | null }, [StorageValue, number]>(
          'SELECT exp FROM counters WHERE name = ? AND (exp IS NULL OR exp > ?)',
        )
        .get(encodeText(name), nowMs);
      if (row === null) return undefined;
      return row.exp === null ? null : remainingMs(row.exp, nowMs);
    });
  }
}
