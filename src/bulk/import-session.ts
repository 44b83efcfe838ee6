/** One running import: reads its source's records and stores them in batches of the engine's size. */
import type { Clock } from '../base/clock.ts';
import { GridError, gridError } from '../base/errors.ts';
import type { ImportReport, ImportRequest } from '../grid/bulk.ts';
import type { ImportEnd, SentFailure } from './import-host.ts';
import type { ImportSink } from './import-sink.ts';
import { NO_PROGRESS, type Progress, parametersOf, type StoredImport } from './progress.ts';
import { type Counts, countRejected, type QueuedRecord, queuedRecord } from './queued-records.ts';
import type { RecordReader, SourceField, SourceRecord } from './records.ts';
import { sourceReader } from './source-reader.ts';

/** Number of bytes read before their records are stored; fewer if reading them takes long. */
const PART_BYTES = { most: 64 * 1_024, least: 1_024 };
/** Target time for reading a part, because this thread's other changes wait for it. */
const PART_MS = { most: 8, least: 2 };

export interface ImportSessionOptions {
  readonly clock: Clock;
  readonly request: ImportRequest;
  readonly recordBytes: number;
  /** The import as an earlier request left it. */
  readonly stored: StoredImport | undefined;
  readonly start: Progress;
}

export class ImportSession<Prepared = unknown> {
  readonly #options: ImportSessionOptions;
  readonly #sink: ImportSink<Prepared>;
  readonly #reader: RecordReader;
  readonly #parameters;
  #header: readonly string[] | undefined;
  /** Bytes at the beginning of the body whose records are already stored. */
  #surplusBytes: number;
  #progress: Progress;
  /** The progress that is certainly on disk. */
  #durable: Progress;
  #failure: SentFailure | undefined;
  #ended = false;
  #partBytes = PART_BYTES.most;

  /** Throws IMPORT_COLUMN_UNKNOWN, IMPORT_COLUMN_REPEATED, IMPORT_COLUMN_REQUIRED. */
  constructor(options: ImportSessionOptions, sink: ImportSink<Prepared>) {
    const { request, stored, start } = options;
    this.#options = options;
    this.#sink = sink;
    this.#parameters = parametersOf(request);
    this.#header = stored?.header;
    this.#surplusBytes = start.offset - request.offset;
    this.#progress = start;
    this.#durable = start;
    this.#reader = this.#createReader();
  }

  get report(): ImportReport {
    const { id, isAtomic } = this.#options.request;
    const importId = id ?? null;
    // Before the end, nothing that an atomic import has stored counts.
    if (isAtomic && this.#durable.state !== 'done') return { importId, ...NO_PROGRESS };
    return { importId, ...this.#durable };
  }

  /** Reads bytes of the body and stores their records. Returns false if the import has ended. */
  async feed(bytes: Uint8Array): Promise<boolean> {
    const surplus = Math.min(this.#surplusBytes, bytes.length);
    this.#surplusBytes -= surplus;
    for (let from = surplus; from < bytes.length && !this.#ended; ) {
      const part = bytes.subarray(from, from + this.#partBytes);
      from += part.length;
      await this.#store(() => this.#reader.feed(part));
      // Other imports and changes of this thread continue.
      await new Promise<void>((resolve) => this.#options.clock.endOfTick(resolve));
    }
    return !this.#ended;
  }

  /** Ends the body and, if it is the last one, the source; with `failure`, in its middle. */
  async end(failure: SentFailure | undefined): Promise<ImportEnd> {
    if (failure !== undefined) await this.#abort(failure);
    else if (!this.#ended) await this.#complete();
    this.#ended = true;
    return { report: this.report, failure: this.#failure && sent(this.#failure) };
  }

  /** Removes everything that the import has not used. */
  discard(): void {
    this.#sink.discard?.();
  }

  close(): void {
    this.#ended = true;
    this.#sink.close();
  }

  #createReader(): RecordReader {
    const { request, start, recordBytes } = this.#options;
    const { target } = this.#sink;
    return sourceReader(request, {
      columns: target.columns,
      start,
      recordBytes,
      header: this.#header,
      checkColumns: (names) => target.checkColumns(names),
      onHeader: (names) => {
        this.#header = names;
      },
    });
  }

  async #complete(): Promise<void> {
    const { isLast } = this.#options.request;
    await this.#store(() => (isLast ? this.#reader.end() : this.#reader.suspend()));
    if (this.#ended) return;
    try {
      this.#durable = await this.#sink.complete(this.#position(isLast ? 'done' : 'open'));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends the import before its source, because of an error. */
  async #abort(failure: SentFailure): Promise<void> {
    this.#ended = true;
    this.#failure ??= failure;
    try {
      this.#durable = await this.#sink.abort(this.#position('open'));
    } catch {
      // The report lists what was already on disk.
    }
  }

  /** Keeps the first error that ends the import. Throws a defect of the service. */
  #fail(error: unknown): void {
    if (!(error instanceof GridError)) throw error;
    this.#failure ??= error;
  }

  /** Stores the records that `read` returns. Ends the import if it fails. */
  async #store(read: () => readonly SourceRecord[]): Promise<void> {
    try {
      const { clock } = this.#options;
      const startMs = clock.monotonicMs();
      const queue = this.#prepare(read());
      this.#adjustParts(clock.monotonicMs() - startMs);
      for (let at = 0; at < queue.length && !this.#ended; ) at = await this.#storeBatch(queue, at);
    } catch (error) {
      this.#fail(error);
    }
    if (this.#failure !== undefined) await this.#abort(this.#failure);
  }

  #adjustParts(tookMs: number): void {
    if (tookMs > PART_MS.most) this.#partBytes = Math.max(PART_BYTES.least, Math.floor(this.#partBytes / 2));
    else if (tookMs < PART_MS.least) this.#partBytes = Math.min(PART_BYTES.most, this.#partBytes * 2);
  }

  /** Converts records, up to the first rejected one if that ends the import. */
  #prepare(records: readonly SourceRecord[]): QueuedRecord<Prepared>[] {
    const { target } = this.#sink;
    const prepare = (fields: readonly SourceField[]) => target.prepare(fields);
    const rejectionOf = (error: unknown) => this.#sink.rejectionOf(error);
    const queue: QueuedRecord<Prepared>[] = [];
    for (const record of records) {
      const queued = queuedRecord(record, target.columns, prepare, rejectionOf);
      queue.push(queued);
      if (queued.reason !== undefined && this.#options.request.onError === 'stop') break;
    }
    return queue;
  }

  /** Stores records from an index on. Returns the next record's index. Throws IMPORT_REJECTED. */
  async #storeBatch(queue: readonly QueuedRecord<Prepared>[], from: number): Promise<number> {
    const stops = this.#options.request.onError === 'stop';
    const counts: Counts = { ...this.#progress };
    let failure: GridError | undefined;
    const { next, isDurable } = await this.#sink.store(queue, from, {
      count(record, result) {
        if (failure !== undefined) return false;
        if (result === 'stored') counts.rows++;
        else if (result === 'skipped') counts.skipped++;
        else if (stops) failure = gridError('IMPORT_REJECTED', record.line, result.reason);
        else countRejected(counts, record, result.reason);
        if (failure !== undefined) return false;
        counts.offset = record.endOffset;
        counts.line = record.endLine;
        return true;
      },
      position: () => ({ parameters: this.#parameters, header: this.#header, progress: counts }),
    });
    this.#progress = counts;
    if (isDurable) this.#durable = counts;
    if (failure !== undefined) throw failure;
    return next;
  }

  #position(state: Progress['state']): StoredImport {
    return { parameters: this.#parameters, header: this.#header, progress: { ...this.#progress, state } };
  }
}

function sent({ code, message }: SentFailure): SentFailure {
  return { code, message };
}
