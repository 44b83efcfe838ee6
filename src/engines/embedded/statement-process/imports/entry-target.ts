/** Stores an import's records as entries of a cache, as put does. */
import { gridError } from '../../../../base/errors.ts';
import {
  checkEntryColumns,
  decodeEntry,
  ENTRY_COLUMNS,
  type EntryDecoderOptions,
  type ImportedEntry,
} from '../../../../bulk/entry-records.ts';
import type { SourceField } from '../../../../bulk/records.ts';
import type { ImportRequest, ImportTarget } from '../../../../grid/bulk.ts';
import { formatText } from '../../../../values/json.ts';
import type { Value } from '../../../../values/value.ts';
import type { CacheHandle } from '../../ddl/cache-registry.ts';
import { DATA_DATABASE } from '../../storage/databases.ts';
import { checkDiskSpace } from '../../storage/disk-space.ts';
import { checkRegionSize } from '../../storage/region-space.ts';
import { WriteTypeNames } from '../../storage/type-names.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import { EntryWriter } from '../../writer/entry-writer.ts';
import type { ImportConnection } from './import-connection.ts';
import type { Staging } from './staging.ts';
import type { Stored, TransactionTarget } from './transaction-target.ts';

export interface EntryTargetOptions {
  readonly thread: EngineThread;
  readonly connect: (database: number) => ImportConnection;
  /** The table in which the entries are staged; the cache's if undefined. */
  readonly staging?: Staging | undefined;
  /** The type name of UUIDs with a counter. */
  readonly serviceName: string;
  /** Converts every key and value received (the configured message interceptor). */
  readonly onReceive: ((value: Value) => Value) | undefined;
  /** Schedules the removal of a cache's expired entries from this time on. */
  readonly onExpiry: (cache: string, atMs: number) => void;
}

type CacheTarget = Extract<ImportTarget, { kind: 'cache' }>;

export class EntryTarget implements TransactionTarget<ImportedEntry> {
  readonly columns = ENTRY_COLUMNS;
  readonly database: number;
  readonly #options: EntryTargetOptions;
  readonly #request: ImportRequest;
  readonly #target: CacheTarget;
  readonly #connection: ImportConnection;
  readonly #names: WriteTypeNames;
  readonly #decoder: EntryDecoderOptions;
  #writer: EntryWriter | undefined;
  /** The cache for which the writer was opened. */
  #opened: CacheHandle | undefined;

  constructor(options: EntryTargetOptions, request: ImportRequest, target: CacheTarget) {
    const { thread, connect } = options;
    this.#options = options;
    this.#request = request;
    this.#target = target;
    const { database } = thread.registry.require(target.cache);
    this.database = database;
    this.#connection = connect(database);
    // Objects may have types that are new to the cache.
    this.#names = new WriteTypeNames(() => connect(DATA_DATABASE).database, thread.shared);
    this.#decoder = {
      ...target,
      types: { find: (typeName) => thread.findType(typeName, target.cache) },
      serviceName: options.serviceName,
      limits: thread.limits,
      onReceive: options.onReceive,
    };
  }

  checkColumns(names: readonly string[]): void {
    checkEntryColumns(names);
  }

  prepare(fields: readonly SourceField[]): ImportedEntry {
    return decodeEntry(fields, this.#decoder);
  }

  begin(): void {
    const { thread } = this.#options;
    const { shared } = thread;
    const { cache } = this.#target;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (!shared.isActive()) throw gridError('READ_ONLY', 'cache operation', cache);
    const handle = thread.registry.require(cache);
    if (handle.database !== this.database) throw gridError('IMPORT_TABLE_CHANGED', cache);
    checkDiskSpace(shared, this.database);
    checkRegionSize(this.#connection.database, thread.regions.get(handle.definition.region));
    if (this.#opened !== handle) this.#open(handle);
  }

  store({ key, value, expiresMs }: ImportedEntry): Stored {
    const writer = this.#required();
    const { onDuplicate } = this.#request;
    const nowMs = this.#options.thread.clock.nowMs();
    if (typeof expiresMs === 'number' && expiresMs <= nowMs) return 'skipped';
    if (onDuplicate !== 'replace' && writer.find(writer.key(key)).live) {
      if (onDuplicate === 'skip') return 'skipped';
      throw gridError('KEY_EXISTS', formatText(key));
    }
    if (typeof expiresMs === 'number') writer.putUntil(key, value, expiresMs);
    else writer.put(key, value, expiresMs === null ? null : this.#target.ttlMs);
    return 'stored';
  }

  end(): void {
    const { handle, pending } = this.#required();
    this.#connection.addEntries(handle.id, pending.entries);
  }

  committed(): void {
    this.#names.committed();
    const writer = this.#writer;
    if (writer === undefined) return;
    const { handle, pending, earliestExpiry } = writer;
    const { thread, onExpiry } = this.#options;
    if (pending.writes > 0 && this.#options.staging === undefined)
      thread.metrics.countWrites(handle.slot, pending.writes, thread.clock.nowMs());
    if (earliestExpiry !== undefined) onExpiry(handle.definition.name, earliestExpiry);
    writer.resetPendingStatistics();
  }

  rolledBack(): void {
    this.#names.rolledBack();
    this.#writer?.rolledBack();
  }

  close(): void {
    this.#writer?.finalize();
    this.#writer = undefined;
  }

  #required(): EntryWriter {
    if (this.#writer === undefined) throw new TypeError('the import has not begun a transaction');
    return this.#writer;
  }

  #open(handle: CacheHandle): void {
    const { thread } = this.#options;
    this.#writer?.finalize();
    const target = { database: this.#connection.database, prefix: '' };
    const { staging } = this.#options;
    this.#opened = handle;
    const own = staging === undefined ? handle : { ...handle, id: staging.id, table: staging.table };
    this.#writer = new EntryWriter(target, own, this.#names, thread.clock, thread.shared, undefined);
  }
}
