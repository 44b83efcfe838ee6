/**
 * Stores an import's records in batches, which are not transactions. The position is stored after its batches, at most
 * once a second, so an interruption can repeat the records of the last second.
 */
import type { Clock } from '../../base/clock.ts';
import { type ErrorCode, GridError } from '../../base/errors.ts';
import type { ImportBatch, ImportSink, RecordResult, RecordTarget, StoredBatch } from '../import-sink.ts';
import type { Progress, StoredImport } from '../progress.ts';
import type { QueuedRecord } from '../queued-records.ts';
import { rejection } from '../rejection.ts';

/** Stores converted records. */
export interface BatchedTarget<Prepared = unknown> extends RecordTarget<Prepared> {
  /** Stores records, and returns the outcome of each. Throws errors that do not concern one of them. */
  store(batch: readonly Prepared[]): Promise<readonly RecordResult[]>;
}

/** Number of records stored together. */
const BATCH_RECORDS = 500;
/** Time between stores of the position. */
const SAVE_MS = 1_000;

export interface BatchSinkOptions {
  readonly target: BatchedTarget;
  readonly clock: Clock;
  /** Stores the position, if the import has an id. */
  save(position: StoredImport): Promise<void>;
}

export class BatchSink implements ImportSink {
  readonly target: BatchedTarget;
  readonly rejectionOf = rejection;
  readonly #options: BatchSinkOptions;
  #savedMs: number;

  constructor(options: BatchSinkOptions) {
    this.target = options.target;
    this.#options = options;
    this.#savedMs = options.clock.monotonicMs();
  }

  async store(queue: readonly QueuedRecord<unknown>[], from: number, batch: ImportBatch): Promise<StoredBatch> {
    const { clock } = this.#options;
    const next = Math.min(queue.length, from + BATCH_RECORDS);
    const sent = queue.slice(from, next);
    const good = sent.filter(({ reason }) => reason === undefined);
    const results = good.length === 0 ? [] : await this.target.store(good.map(({ prepared }) => prepared));
    let at = 0;
    for (const { record, reason } of sent) {
      const result = reason === undefined ? results[at++] : { reason };
      if (result === undefined) throw new TypeError('a record has no result');
      if (!batch.count(record, result)) break;
    }
    if (clock.monotonicMs() - this.#savedMs >= SAVE_MS) await this.#save(batch.position());
    return { next, isDurable: true };
  }

  complete(position: StoredImport): Promise<Progress> {
    return this.#save(position);
  }

  abort(position: StoredImport): Promise<Progress> {
    return this.#save(position);
  }

  close(): void {}

  async #save(position: StoredImport): Promise<Progress> {
    const { save, clock } = this.#options;
    this.#savedMs = clock.monotonicMs();
    await save(position);
    return position.progress;
  }
}

/** Runs an action on all items, several concurrently, and returns their results in order. */
export async function several<T, R>(items: readonly T[], count: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += count) {
    results.push(...(await Promise.all(items.slice(from, from + count).map(run))));
  }
  return results;
}

const STATEMENT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SQL', 'SQL_CONFLICT']);

/** Returns the outcome of a record that could not be stored. Throws an error that does not concern the record. */
export function failureOf(error: unknown): RecordResult {
  const isOfStatement = error instanceof GridError && STATEMENT_ERRORS.has(error.code);
  const reason = rejection(error) ?? (isOfStatement ? error.message : undefined);
  if (reason === undefined) throw error;
  return { reason };
}
