/**
 * One running import: reads the records of its source and stores them in short transactions, each with the position
 * after its last record. Other changes go on between two transactions.
 */

import type { Clock } from '../../../../base/clock.ts';
import { fail, GridError } from '../../../../base/errors.ts';
import { NO_PROGRESS, type Progress, parametersOf, type StoredImport } from '../../../../bulk/progress.ts';
import { type Counts, countRejected, type QueuedRecord, queuedRecord } from '../../../../bulk/queued-records.ts';
import type { RecordReader, SourceField, SourceRecord } from '../../../../bulk/records.ts';
import { sourceReader } from '../../../../bulk/source-reader.ts';
import type { ImportReport, ImportRequest } from '../../../../grid/bulk.ts';
import type { SentFailure } from '../../shared/import-protocol.ts';
import { touch } from '../../storage/databases.ts';
import type { SpaceUse } from '../../storage/disk-space.ts';
import { storageFailure } from '../../storage/storage-failures.ts';
import { whileLocked } from '../../storage/write-transactions.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ImportConnection } from './import-connection.ts';
import { forgetImports, writeImport } from './import-records.ts';
import { type ImportSink, rejectionOf } from './import-sink.ts';
import type { Applied, Staging } from './staging.ts';

/** Bytes that are read before their records are stored: fewer while reading them takes long. */
const PART_BYTES = { most: 64 * 1_024, least: 1_024 };
/** Time that reading a part should take: other changes of this thread wait for it. */
const PART_MS = { most: 8, least: 2 };
/** Time after which a transaction ends: other changes wait for it. */
const TRANSACTION_MS = 0.4;
/** Time between two measurements of the space on the disk: a transaction adds little. */
const MEASURE_MS = 5;
/** Records that are stored before the clock is read again. */
const RECORDS_PER_CHECK = 16;
/** Time that the records of an atomic import may take that are added to others: at least, and by their number. */
const MERGE_MS = 10_000;
const MERGED_ROWS_PER_MS = 10;
/** Time between two commits that wait for the disk. */
const DURABLE_MS = 1_000;

/** Runs code that keeps the thread for long: it is ended with its process if it has not ended in that time. */
export type RunWork = <T>(limitMs: number, action: () => T) => T;

export interface ImportSessionParts {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly request: ImportRequest;
  readonly connection: ImportConnection;
  /** The import as an earlier request left it. */
  readonly stored: StoredImport | undefined;
  readonly start: Progress;
  readonly isStopping: () => boolean;
  readonly runWork: RunWork;
  /** Where an atomic import stages its records. */
  readonly staging: Staging | undefined;
}

export class ImportSession<Prepared> {
  readonly #parts: ImportSessionParts;
  readonly #sink: ImportSink<Prepared>;
  readonly #reader: RecordReader;
  readonly #parameters;
  #header: readonly string[] | undefined;
  /** Bytes at the beginning of the body whose records are stored already. */
  #surplusBytes: number;
  #progress: Progress;
  /** What is on disk for certain. */
  #durable: Progress;
  #durableMs: number;
  /** When the space is measured next, by the monotonic clock. */
  #measureMs = 0;
  #failure: SentFailure | undefined;
  #ended = false;
  #isApplied = false;
  #partBytes = PART_BYTES.most;

  constructor(parts: ImportSessionParts, sink: ImportSink<Prepared>) {
    const { request, stored, start, clock } = parts;
    this.#parts = parts;
    this.#sink = sink;
    this.#parameters = parametersOf(request);
    this.#header = stored?.header;
    this.#surplusBytes = start.offset - request.offset;
    this.#progress = start;
    this.#durable = start;
    this.#durableMs = clock.monotonicMs();
    this.#reader = this.#createReader();
  }

  /** The error that ended the import. */
  get failure(): SentFailure | undefined {
    return this.#failure;
  }

  get report(): ImportReport {
    const { request, staging } = this.#parts;
    const importId = request.id ?? null;
    // What an atomic import has staged is nothing before the end.
    if (staging !== undefined && !this.#isApplied) return { importId, ...NO_PROGRESS };
    return { importId, ...this.#durable };
  }

  /** Reads bytes of the body and stores their records. Returns false when the import has ended. */
  async feed(bytes: Uint8Array): Promise<boolean> {
    const surplus = Math.min(this.#surplusBytes, bytes.length);
    this.#surplusBytes -= surplus;
    for (let from = surplus; from < bytes.length && !this.#ended; ) {
      const part = bytes.subarray(from, from + this.#partBytes);
      from += part.length;
      await this.#store(() => this.#reader.feed(part));
      // Other imports and changes of this thread go on.
      await new Promise<void>((resolve) => this.#parts.clock.endOfTick(resolve));
    }
    return !this.#ended;
  }

  /** Ends the body, and the source if it is its last one. */
  async end(): Promise<void> {
    if (this.#ended) return;
    const { isLast } = this.#parts.request;
    await this.#store(() => (isLast ? this.#reader.end() : this.#reader.suspend()));
    const { staging } = this.#parts;
    if (this.#failure === undefined) {
      if (staging === undefined) await this.#complete(isLast ? 'done' : 'open');
      else await this.#apply(staging);
    }
    this.#ended = true;
  }

  /** Ends the import before its source, because of an error. */
  async abort(failure: SentFailure): Promise<void> {
    this.#ended = true;
    this.#failure ??= failure;
    if (this.#parts.staging !== undefined) return;
    await this.#complete('open').catch(() => {
      // The report says what was on disk before.
    });
  }

  close(): void {
    this.#ended = true;
    this.#sink.close();
  }

  #createReader(): RecordReader {
    const { request, start, thread } = this.#parts;
    return sourceReader(request, {
      columns: this.#sink.columns,
      start,
      recordBytes: thread.limits.importRecordBytes,
      header: this.#header,
      checkColumns: (names) => this.#sink.checkColumns(names),
      onHeader: (names) => {
        this.#header = names;
      },
    });
  }

  /** Stores the records that `read` returns. Ends the import when it fails. */
  async #store(read: () => readonly SourceRecord[]): Promise<void> {
    try {
      const { clock } = this.#parts;
      const startMs = clock.monotonicMs();
      const queue = this.#prepare(read());
      this.#adjustParts(clock.monotonicMs() - startMs);
      for (let at = 0; at < queue.length && !this.#ended; ) at = await this.#transact(queue, at);
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
      this.#failure ??= error;
    }
    if (this.#failure !== undefined) await this.abort(this.#failure);
  }

  #adjustParts(tookMs: number): void {
    if (tookMs > PART_MS.most) this.#partBytes = Math.max(PART_BYTES.least, Math.floor(this.#partBytes / 2));
    else if (tookMs < PART_MS.least) this.#partBytes = Math.min(PART_BYTES.most, this.#partBytes * 2);
  }

  #prepare(records: readonly SourceRecord[]): QueuedRecord<Prepared>[] {
    const prepare = (fields: readonly SourceField[]) => this.#sink.prepare(fields);
    const queue: QueuedRecord<Prepared>[] = [];
    for (const record of records) {
      const queued = queuedRecord(record, this.#sink.columns, prepare, rejectionOf);
      queue.push(queued);
      if (queued.reason !== undefined && this.#parts.request.onError === 'stop') break;
    }
    return queue;
  }

  /** Stores records from an index on for as long as a transaction may last. Returns the index of the next one. */
  async #transact(queue: readonly QueuedRecord<Prepared>[], from: number): Promise<number> {
    const { clock, connection, isStopping } = this.#parts;
    if (isStopping()) throw fail('STOPPING');
    const { staging } = this.#parts;
    const isDurable = staging === undefined && clock.monotonicMs() - this.#durableMs >= DURABLE_MS;
    const counts: Counts = { ...this.#progress };
    let at = from;
    let failure: GridError | undefined;
    await this.#locked(isDurable, true, () => {
      const endMs = clock.monotonicMs() + TRANSACTION_MS;
      for (let done = 0; at < queue.length; at++) {
        const queued = queue[at];
        if (queued === undefined || (++done % RECORDS_PER_CHECK === 0 && clock.monotonicMs() > endMs)) break;
        failure = this.#storeRecord(queued, counts);
        if (failure !== undefined) break;
      }
      this.#sink.end();
      this.#writeProgress(counts);
    });
    this.#progress = counts;
    if (isDurable) this.#noteDurable();
    await connection.checkpointAfter(at - from);
    staging?.checkRows(counts.rows);
    if (failure !== undefined) throw failure;
    return at;
  }

  /** Stores a record. Returns the error that ends the import. */
  #storeRecord({ record, prepared, reason }: QueuedRecord<Prepared>, counts: Counts): GridError | undefined {
    let rejected = reason;
    if (prepared !== undefined) {
      try {
        if (this.#sink.store(prepared) === 'stored') counts.rows++;
        else counts.skipped++;
      } catch (error) {
        rejected = rejectionOf(error);
        if (rejected === undefined) throw error;
      }
    }
    if (rejected !== undefined) {
      if (this.#parts.request.onError === 'stop') return fail('IMPORT_REJECTED', record.line, rejected);
      countRejected(counts, record, rejected);
    }
    counts.offset = record.endOffset;
    counts.line = record.endLine;
    return undefined;
  }

  /** Makes the staged records of an atomic import visible. */
  async #apply(staging: Staging): Promise<void> {
    const { rows, skipped } = this.#progress;
    try {
      let applied: Applied = { rows, skipped: 0 };
      if (!(await staging.swap())) {
        this.#measureMs = 0;
        await this.#locked(true, true, () => {
          const limitMs = Math.max(MERGE_MS, rows / MERGED_ROWS_PER_MS);
          applied = this.#parts.runWork(limitMs, () => staging.merge(rows));
        });
      }
      this.#isApplied = true;
      this.#progress = {
        ...this.#progress,
        state: 'done',
        rows: applied.rows,
        skipped: skipped + applied.skipped,
      };
      // The commit of a swap or merge waits for the disk.
      this.#noteDurable();
      staging.applied();
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
      this.#failure = error;
    }
  }

  /** Has everything that was stored written to the disk, with the state of the import. */
  async #complete(state: Progress['state']): Promise<void> {
    const progress = { ...this.#progress, state };
    const { connection } = this.#parts;
    await this.#locked(true, this.#failure === undefined, () => {
      // Only a change has a commit wait for the disk.
      touch(connection.database);
      this.#writeProgress(progress);
      forgetImports(connection, this.#parts.clock.nowMs());
    });
    this.#progress = progress;
    this.#noteDurable();
  }

  #noteDurable(): void {
    this.#durable = this.#progress;
    this.#durableMs = this.#parts.clock.monotonicMs();
  }

  #writeProgress(progress: Progress): void {
    const { connection, request, clock } = this.#parts;
    if (request.id === undefined) return;
    const stored = { parameters: this.#parameters, header: this.#header, progress };
    writeImport(connection, request.owner, request.id, stored, clock.nowMs());
  }

  /** Returns what a transaction does to the space. One of a fraction of a millisecond is not measured every time. */
  #spaceOf(stores: boolean): SpaceUse | undefined {
    const nowMs = this.#parts.clock.monotonicMs();
    if (!stores || nowMs < this.#measureMs) return undefined;
    this.#measureMs = nowMs + MEASURE_MS;
    return 'adds';
  }

  /** Runs `action` in a transaction while no other thread writes. `stores`: it stores records. */
  async #locked(isDurable: boolean, stores: boolean, action: () => void): Promise<void> {
    const { thread, connection } = this.#parts;
    const store = (): void => {
      // The files of regions that do not persist may be gone.
      if (connection.isOutdated(thread.shared)) throw fail(thread.shared.isInactive() ? 'INACTIVE' : 'REGION_LOST');
      if (stores) this.#sink.begin();
      connection.transact(action, isDurable, this.#spaceOf(stores));
      this.#sink.committed();
    };
    try {
      await whileLocked(thread.shared, 'rows', store);
    } catch (error) {
      this.#sink.rolledBack();
      throw storageFailure(error, thread.reads.files.temporaryRegions[connection.number - 1]);
    }
  }
}
