/** One running import of {@link BatchedBulk}. */
import type { ByteSource } from '../../base/byte-source.ts';
import type { Clock } from '../../base/clock.ts';
import { type ErrorCode, fail, GridError } from '../../base/errors.ts';
import type { ImportReport, ImportRequest } from '../../grid/bulk.ts';
import { type Progress, parametersOf, type StoredImport } from '../progress.ts';
import { type Counts, countRejected, type QueuedRecord, queuedRecord } from '../queued-records.ts';
import type { RecordReader, SourceField, SourceRecord, TargetColumns } from '../records.ts';
import { rejection } from '../rejection.ts';
import { sourceReader } from '../source-reader.ts';

/** What happened to a record: stored, skipped, or the reason why it was rejected. */
export type RecordResult = 'stored' | 'skipped' | { readonly reason: string };

/** Stores converted records. */
export interface BatchedTarget<Prepared = unknown> {
  readonly columns: TargetColumns;
  /** Checks the columns that a source has. Throws IMPORT_COLUMN_REQUIRED. */
  checkColumns(names: readonly string[]): void;
  /** Converts a record. Throws an error of `rejection`. */
  prepare(fields: readonly SourceField[]): Prepared;
  /** Stores records, and returns what happened to each. Throws what does not concern one of them. */
  store(batch: readonly Prepared[]): Promise<readonly RecordResult[]>;
}

/** Bytes that are read before their records are stored, so that other requests go on. */
const PART_BYTES = 32 * 1_024;
/** Records that are stored together. */
const BATCH_RECORDS = 500;
/** Time between two stores of the position. */
const SAVE_MS = 1_000;

export interface BatchedImportParts {
  readonly request: ImportRequest;
  readonly target: BatchedTarget;
  readonly clock: Clock;
  readonly recordBytes: number;
  readonly start: Progress;
  readonly header: readonly string[] | undefined;
  /** Stores the position, if the import has an id. */
  save(stored: StoredImport): Promise<void>;
}

export class BatchedImport {
  readonly #parts: BatchedImportParts;
  readonly #reader: RecordReader;
  readonly #counts: Counts;
  #header: readonly string[] | undefined;
  #savedMs: number;

  constructor(parts: BatchedImportParts) {
    const { request, target, start, clock, recordBytes } = parts;
    this.#parts = parts;
    this.#counts = { ...start };
    this.#header = parts.header;
    this.#savedMs = clock.monotonicMs();
    this.#reader = sourceReader(request, {
      columns: target.columns,
      start,
      recordBytes,
      header: parts.header,
      checkColumns: (names) => target.checkColumns(names),
      onHeader: (names) => {
        this.#header = names;
      },
    });
  }

  /** What has been stored, as far as the engine has acknowledged it. */
  get report(): ImportReport {
    return { importId: this.#parts.request.id ?? null, ...this.#counts };
  }

  /** Imports the records of a source. Throws GridError after it has stored the position. */
  async run(source: ByteSource): Promise<void> {
    const { request } = this.#parts;
    try {
      await this.#read(source);
      await this.#store(request.isLast ? this.#reader.end() : this.#reader.suspend());
      if (request.isLast) this.#counts.state = 'done';
    } finally {
      await this.#save();
    }
  }

  async #read(source: ByteSource): Promise<void> {
    const { request, start, clock } = this.#parts;
    let surplus = start.offset - request.offset;
    for (let bytes = await source.read(); bytes !== undefined; bytes = await source.read()) {
      const skipped = Math.min(surplus, bytes.length);
      surplus -= skipped;
      for (let from = skipped; from < bytes.length; from += PART_BYTES) {
        await this.#store(this.#reader.feed(bytes.subarray(from, from + PART_BYTES)));
        await new Promise<void>((resolve) => clock.endOfTick(resolve));
      }
    }
  }

  async #store(records: readonly SourceRecord[]): Promise<void> {
    const prepare = (fields: readonly SourceField[]) => this.#parts.target.prepare(fields);
    for (let from = 0; from < records.length; from += BATCH_RECORDS) {
      const batch = records.slice(from, from + BATCH_RECORDS);
      await this.#storeBatch(
        batch.map((record) => queuedRecord(record, this.#parts.target.columns, prepare, rejection)),
      );
      if (this.#parts.clock.monotonicMs() - this.#savedMs >= SAVE_MS) await this.#save();
    }
  }

  async #storeBatch(queue: readonly QueuedRecord<unknown>[]): Promise<void> {
    const { request, target } = this.#parts;
    const rejected = queue.findIndex(({ reason }) => reason !== undefined);
    // Nothing after the first rejected record is sent if that ends the import.
    const sent = request.onError === 'stop' && rejected >= 0 ? queue.slice(0, rejected + 1) : queue;
    const good = sent.filter(({ reason }) => reason === undefined);
    const results = good.length === 0 ? [] : await target.store(good.map(({ prepared }) => prepared));
    let at = 0;
    for (const { record, reason } of sent) this.#count(record, reason === undefined ? results[at++] : { reason });
  }

  /** Counts what happened to a record. Throws IMPORT_REJECTED. */
  #count(record: SourceRecord, result: RecordResult | undefined): void {
    const counts = this.#counts;
    if (result === undefined) throw new TypeError('a record has no result');
    if (result === 'stored') counts.rows++;
    else if (result === 'skipped') counts.skipped++;
    else {
      if (this.#parts.request.onError === 'stop') throw fail('IMPORT_REJECTED', record.line, result.reason);
      countRejected(counts, record, result.reason);
    }
    counts.offset = record.endOffset;
    counts.line = record.endLine;
  }

  async #save(): Promise<void> {
    const { save, request } = this.#parts;
    this.#savedMs = this.#parts.clock.monotonicMs();
    await save({ parameters: parametersOf(request), header: this.#header, progress: this.#counts });
  }
}

/** Runs an action on all items, several at once, and returns their results in order. */
export async function several<T, R>(items: readonly T[], count: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += count) {
    results.push(...(await Promise.all(items.slice(from, from + count).map(run))));
  }
  return results;
}

const STATEMENT_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SQL', 'SQL_CONFLICT']);

/** Returns the result of a record whose store failed. Throws an error that does not concern the record. */
export function failureOf(error: unknown): RecordResult {
  const isOfStatement = error instanceof GridError && STATEMENT_ERRORS.has(error.code);
  const reason = rejection(error) ?? (isOfStatement ? error.message : undefined);
  if (reason === undefined) throw error;
  return { reason };
}
