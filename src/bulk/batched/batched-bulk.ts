/** Imports for an engine without its own: records are stored in batches with the port's operations. */
import type { ByteSource } from '../../base/byte-source.ts';
import { gridError } from '../../base/errors.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import type { Bulk, ImportReport, ImportRequest } from '../../grid/bulk.ts';
import type { Grid } from '../../grid/grid.ts';
import { importFrom } from '../import-host.ts';
import type { FoundImport, ImportSink, ImportStore } from '../import-sink.ts';
import { Imports } from '../imports.ts';
import type { StoredImport } from '../progress.ts';
import { BatchSink } from './batch-sink.ts';
import { type EntryTargetOptions, entryTarget } from './entry-target.ts';
import { tableTarget } from './table-target.ts';

export interface BatchedBulkOptions extends EntryTargetOptions {
  readonly grid: Pick<Grid, 'port' | 'caches' | 'queries' | 'types'>;
  /** The position store, independent of the process that runs the import. */
  readonly records: Grid['records'];
}

export class BatchedBulk implements Bulk {
  readonly #store: BatchedStore;
  readonly #imports: Imports;

  constructor(options: BatchedBulkOptions) {
    this.#store = new BatchedStore(options);
    this.#imports = new Imports({ store: this.#store, clock: options.clock, limits: options.limits });
  }

  checkSupport(request: ImportRequest): void {
    this.#store.check(request);
  }

  importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport> {
    return importFrom(this.#imports, request, source);
  }

  importState(id: string, owner: string): Promise<ImportReport> {
    return this.#imports.state({ id, owner });
  }

  discardImport(id: string, owner: string): Promise<void> {
    return this.#imports.discard({ id, owner });
  }
}

class BatchedStore implements ImportStore {
  readonly #options: BatchedBulkOptions;

  constructor(options: BatchedBulkOptions) {
    this.#options = options;
  }

  check({ id, isAtomic, onDuplicate }: ImportRequest): void {
    if (isAtomic) {
      throw gridError(
        'NOT_SUPPORTED',
        'atomic imports',
        'the cluster engine stores records in batches, not in one transaction',
      );
    }
    if (id !== undefined && onDuplicate === 'error') throw gridError('IMPORT_REPEATS');
  }

  async find(request: ImportRequest): Promise<FoundImport> {
    const { id, owner } = request;
    const stored = id === undefined ? undefined : await this.read(owner, id);
    return { stored, open: () => this.#open(request) };
  }

  async read(owner: string, id: string): Promise<StoredImport | undefined> {
    const content = await this.#options.records.get('setting', recordOf(owner, id));
    return content === undefined ? undefined : (JSON.parse(content) as StoredImport);
  }

  async remove(owner: string, id: string): Promise<boolean> {
    return (await this.#options.records.remove('setting', recordOf(owner, id))) !== undefined;
  }

  async #open(request: ImportRequest): Promise<ImportSink> {
    const { clock, grid, onReceive } = this.#options;
    const { target } = request;
    return new BatchSink({
      target:
        target.kind === 'cache'
          ? await entryTarget(this.#options, request, target)
          : await tableTarget(grid, request, target, onReceive),
      clock,
      save: (position) => this.#save(request, position),
    });
  }

  async #save({ owner, id }: ImportRequest, position: StoredImport): Promise<void> {
    if (id === undefined) return;
    const { records, clock } = this.#options;
    const expiresMs = clock.nowMs() + IMPORT_BOUNDS.rememberedMs;
    await records.put('setting', recordOf(owner, id), JSON.stringify(position), expiresMs);
  }
}

/** Returns the id of the record with an import's position. */
function recordOf(owner: string, id: string): string {
  return `import ${JSON.stringify([owner, id])}`;
}
