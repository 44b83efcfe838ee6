/** Where the imports of the process store records, and where their positions are. Lives where changes run. */
import type { Clock } from '../../../../base/clock.ts';
import { gridError } from '../../../../base/errors.ts';
import type { FoundImport, ImportSink, ImportStore } from '../../../../bulk/import-sink.ts';
import type { StoredImport } from '../../../../bulk/progress.ts';
import type { ImportRequest } from '../../../../grid/bulk.ts';
import { EngineCatalog } from '../../catalog/engine-catalog.ts';
import type { WriteLogBack } from '../../storage/checkpoints.ts';
import { DATA_DATABASE, databaseOf } from '../../storage/databases.ts';
import { reading } from '../../storage/storage-failures.ts';
import { whileLocked } from '../../storage/write-transactions.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ChangeChannel } from '../../writer/changes.ts';
import { EntryTarget, type EntryTargetOptions } from './entry-target.ts';
import { ImportConnection, type PrepareImporting } from './import-connection.ts';
import { readImport, removeImport } from './import-records.ts';
import { Staging } from './staging.ts';
import { TableTarget } from './table-target.ts';
import { type RunWork, TransactionSink } from './transaction-sink.ts';
import type { TransactionTarget } from './transaction-target.ts';

export interface EmbeddedImportStoreOptions extends Pick<EntryTargetOptions, 'serviceName' | 'onReceive' | 'onExpiry'> {
  readonly thread: EngineThread;
  readonly changes: ChangeChannel;
  readonly clock: Clock;
  readonly writeLogBack: WriteLogBack;
  /** Prepares the connections of imports; undefined if their logs cannot be bounded. */
  readonly prepareWriting: PrepareImporting | undefined;
  /** Whether the service is stopping, so that imports end. */
  readonly isStopping: () => boolean;
  /** Runs code that may take this long; the process is ended if it takes longer. */
  readonly runWork: RunWork;
}

export class EmbeddedImportStore implements ImportStore {
  readonly #options: EmbeddedImportStoreOptions;
  readonly #catalog: EngineCatalog;
  readonly #connections = new Map<number, ImportConnection>();

  constructor(options: EmbeddedImportStoreOptions) {
    this.#options = options;
    this.#catalog = new EngineCatalog(options.thread, () => [], 'plain');
  }

  check(): void {
    if (this.#options.thread.shared.isInactive()) throw gridError('INACTIVE');
  }

  async find(request: ImportRequest): Promise<FoundImport> {
    // An atomic import has no id.
    if (request.isAtomic) return { stored: undefined, open: () => this.#openStaged(request) };
    const { id, owner } = request;
    const target = this.#target(request, undefined);
    const stored = id === undefined ? undefined : readImport(this.#connect(target.database), owner, id);
    return { stored, open: async () => this.#sink(request, target, undefined) };
  }

  async read(owner: string, id: string): Promise<StoredImport | undefined> {
    return this.#locate(owner, id)?.stored;
  }

  async remove(owner: string, id: string): Promise<boolean> {
    const found = this.#locate(owner, id);
    if (found === undefined) return false;
    const { connection } = found;
    const remove = () => removeImport(connection, owner, id);
    await whileLocked(this.#options.thread.shared, 'rows', () => connection.transact(remove, true));
    return true;
  }

  /** Ends imports to non-persistent regions, before their files are removed. */
  releaseRegions(): void {
    for (const [number, connection] of this.#connections) {
      if (number === DATA_DATABASE) continue;
      connection.close();
      this.#connections.delete(number);
    }
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  async #openStaged(request: ImportRequest): Promise<ImportSink> {
    const staging = await this.#stage(request);
    try {
      return this.#sink(request, this.#target(request, staging), staging);
    } catch (error) {
      void staging.discard().catch(() => {});
      throw error;
    }
  }

  /** Creates the table in which an atomic import stages its rows. */
  #stage({ target, onDuplicate }: ImportRequest): Promise<Staging> {
    const { thread, changes, onExpiry } = this.#options;
    if (!thread.shared.isActive()) throw gridError('READ_ONLY', 'cache operation', target.cache);
    const cache = target.kind === 'cache' ? target.cache : this.#catalog.tableNamed(target.name, target.cache).cache;
    const connection = this.#connect(thread.registry.require(cache).database);
    return Staging.begin({ thread, connection, changes, onExpiry }, cache, onDuplicate);
  }

  #target(request: ImportRequest, staging: Staging | undefined): TransactionTarget {
    const { thread, onReceive } = this.#options;
    const connect = (number: number) => this.#connect(number);
    const { target } = request;
    if (target.kind === 'cache') return new EntryTarget({ ...this.#options, connect, staging }, request, target);
    const table = this.#catalog.tableNamed(target.name, target.cache);
    return new TableTarget({ thread, catalog: this.#catalog, connect, staging, onReceive }, request, table);
  }

  #sink(request: ImportRequest, target: TransactionTarget, staging: Staging | undefined): ImportSink {
    return new TransactionSink(
      { ...this.#options, request, connection: this.#connect(target.database), staging },
      target,
    );
  }

  /** Returns the import of an owner with the connection to the file that has it. */
  #locate(owner: string, id: string): { connection: ImportConnection; stored: StoredImport } | undefined {
    for (const number of this.#databases()) {
      const connection = this.#connect(number);
      const stored = readImport(connection, owner, id);
      if (stored !== undefined) return { connection, stored };
    }
    return undefined;
  }

  #databases(): number[] {
    const { thread } = this.#options;
    return [
      DATA_DATABASE,
      ...thread.reads.files.temporaryRegions.map(({ name }) => databaseOf(thread.reads.files, name)),
    ];
  }

  #connect(number: number): ImportConnection {
    const { thread, writeLogBack, prepareWriting } = this.#options;
    const epoch = thread.shared.epoch();
    const open = this.#connections.get(number);
    if (open !== undefined && (number === DATA_DATABASE || open.epoch === epoch)) return open;
    open?.close();
    const connection = reading(
      () => new ImportConnection(thread.reads, number, epoch, thread.shared, writeLogBack, prepareWriting),
    );
    this.#connections.set(number, connection);
    return connection;
  }
}
