/**
 * Imports on an engine that has none of its own: records are stored in batches by the operations of the port. A batch
 * is not a transaction. The position of an import is stored after its batches, at most once a second, so that an
 * interruption can repeat the records of the last second.
 */
import type { ByteSource } from '../../base/byte-source.ts';
import { fail, GridError } from '../../base/errors.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import { fitsReserve, TenantUsage } from '../../base/shares.ts';
import { type Bulk, ImportFailure, type ImportReport, type ImportRequest } from '../../grid/bulk.ts';
import type { Grid } from '../../grid/grid.ts';
import { differingParameter, NO_PROGRESS, parametersOf, type StoredImport } from '../progress.ts';
import { BatchedImport, type BatchedTarget } from './batched-import.ts';
import { type EntryTargetParts, entryTarget } from './entry-target.ts';
import { tableTarget } from './table-target.ts';

export interface BatchedBulkParts extends EntryTargetParts {
  readonly grid: Pick<Grid, 'port' | 'caches' | 'queries' | 'types'>;
  /** Where positions are stored, whoever runs the import. */
  readonly records: Grid['records'];
}

export class BatchedBulk implements Bulk {
  readonly #parts: BatchedBulkParts;
  /** The ids of running imports by their records; undefined for those without an id. */
  readonly #running = new Set<string>();
  readonly #shares = new TenantUsage();
  #count = 0;

  constructor(parts: BatchedBulkParts) {
    this.#parts = parts;
  }

  checkSupport({ id, isAtomic, onDuplicate }: ImportRequest): void {
    if (isAtomic) {
      throw fail(
        'NOT_SUPPORTED',
        'atomic imports',
        'the cluster engine stores records in batches, not in one transaction',
      );
    }
    if (id !== undefined && onDuplicate === 'error') throw fail('IMPORT_REPEATS');
  }

  async importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport> {
    const { limits } = this.#parts;
    const { id, owner, tenant } = request;
    this.checkSupport(request);
    if (!fitsReserve(limits.imports, this.#count, this.#shares.of(tenant.key))) {
      throw fail('IMPORTS_BUSY', limits.imports);
    }
    const record = id === undefined ? undefined : recordOf(owner, id);
    if (id !== undefined && record !== undefined && this.#running.has(record)) throw fail('IMPORT_IN_USE', id);
    this.#count++;
    this.#shares.add(tenant.key);
    if (record !== undefined) this.#running.add(record);
    try {
      return await this.#run(request, record, source);
    } finally {
      this.#count--;
      this.#shares.remove(tenant.key);
      if (record !== undefined) this.#running.delete(record);
    }
  }

  async importState(id: string, owner: string): Promise<ImportReport> {
    const stored = await this.#stored(recordOf(owner, id));
    if (stored === undefined) throw fail('IMPORT_NOT_FOUND', id);
    return { importId: id, ...stored.progress };
  }

  async discardImport(id: string, owner: string): Promise<void> {
    const record = recordOf(owner, id);
    if (this.#running.has(record)) throw fail('IMPORT_IN_USE', id);
    if ((await this.#parts.records.remove('setting', record)) === undefined) throw fail('IMPORT_NOT_FOUND', id);
  }

  async #run(request: ImportRequest, record: string | undefined, source: ByteSource): Promise<ImportReport> {
    const { clock, limits } = this.#parts;
    const stored = record === undefined ? undefined : await this.#stored(record);
    const { id } = request;
    const differing = stored && differingParameter(stored.parameters, parametersOf(request));
    if (id !== undefined && differing !== undefined) throw fail('IMPORT_CONFLICT', id, differing);
    const start = stored?.progress ?? { ...NO_PROGRESS, offset: id === undefined ? request.offset : 0 };
    if (start.state === 'done') return { importId: id ?? null, ...start };
    if (request.offset > start.offset) throw fail('IMPORT_POSITION', request.offset, start.offset);
    const job = new BatchedImport({
      request,
      target: await this.#target(request),
      clock,
      recordBytes: limits.importRecordBytes,
      start,
      header: stored?.header,
      save: (progress) => (record === undefined ? Promise.resolve() : this.#save(record, progress)),
    });
    try {
      await job.run(source);
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
      throw new ImportFailure(error, job.report);
    }
    return job.report;
  }

  #target(request: ImportRequest): Promise<BatchedTarget> {
    const { target } = request;
    return target.kind === 'cache'
      ? entryTarget(this.#parts, request, target)
      : tableTarget(this.#parts.grid, request, target, this.#parts.onReceive);
  }

  async #stored(record: string): Promise<StoredImport | undefined> {
    const content = await this.#parts.records.get('setting', record);
    return content === undefined ? undefined : (JSON.parse(content) as StoredImport);
  }

  #save(record: string, stored: StoredImport): Promise<void> {
    const { records, clock } = this.#parts;
    return records.put('setting', record, JSON.stringify(stored), clock.nowMs() + IMPORT_BOUNDS.rememberedMs);
  }
}

/** Returns the id of the record with the position of an import. */
function recordOf(owner: string, id: string): string {
  return `import ${JSON.stringify([owner, id])}`;
}
