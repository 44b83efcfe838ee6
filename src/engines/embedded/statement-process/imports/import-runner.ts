/** Runs the imports of the process, each in turn for a part of its source. Lives where changes run. */
import type { Clock } from '../../../../base/clock.ts';
import { fail } from '../../../../base/errors.ts';
import { fitsReserve, TenantUsage } from '../../../../base/shares.ts';
import { differingParameter, NO_PROGRESS, parametersOf, type StoredImport } from '../../../../bulk/progress.ts';
import type { ImportReport, ImportRequest } from '../../../../grid/bulk.ts';
import { EngineCatalog } from '../../catalog/engine-catalog.ts';
import type { ImportEnd, ImportMethods, SentFailure } from '../../shared/import-protocol.ts';
import type { WriteLogBack } from '../../storage/checkpoints.ts';
import { DATA_DATABASE, databaseOf } from '../../storage/databases.ts';
import { reading } from '../../storage/storage-failures.ts';
import { whileLocked } from '../../storage/write-transactions.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ChangeChannel } from '../../writer/changes.ts';
import { EntrySink, type EntrySinkParts } from './entry-sink.ts';
import { ImportConnection, type PrepareImporting } from './import-connection.ts';
import { readImport, removeImport } from './import-records.ts';
import { ImportSession, type RunWork } from './import-session.ts';
import type { ImportSink } from './import-sink.ts';
import { Staging } from './staging.ts';
import { TableSink } from './table-sink.ts';

export interface ImportRunnerOptions extends Pick<EntrySinkParts, 'serviceName' | 'onReceive' | 'onExpiry'> {
  readonly thread: EngineThread;
  readonly changes: ChangeChannel;
  readonly clock: Clock;
  readonly writeLogBack: WriteLogBack;
  /** Prepares the connections of imports; undefined: their logs cannot be bounded. */
  readonly prepareWriting: PrepareImporting | undefined;
  /** Whether the service stops, so that imports end. */
  readonly isStopping: () => boolean;
  /** Runs what may take so long, and is ended with the process if it takes longer. */
  readonly runWork: RunWork;
  /** Called when an import has ended. */
  readonly onEnd: () => void;
}

/** A running import, whose records have a type that only it knows. */
type AnySession = Pick<ImportSession<unknown>, 'failure' | 'report' | 'feed' | 'end' | 'abort' | 'close'>;

interface Running {
  readonly request: ImportRequest;
  readonly session: AnySession;
  readonly staging: Staging | undefined;
}

export class ImportRunner {
  readonly #options: ImportRunnerOptions;
  readonly #catalog: EngineCatalog;
  readonly #running = new Map<number, Running>();
  readonly #shares = new TenantUsage();
  readonly #connections = new Map<number, ImportConnection>();
  #lastNumber = 0;

  constructor(options: ImportRunnerOptions) {
    this.#options = options;
    this.#catalog = new EngineCatalog(options.thread, () => [], 'plain');
  }

  get isImporting(): boolean {
    return this.#running.size > 0;
  }

  async begin(request: ImportRequest): Promise<number | ImportEnd> {
    const { thread } = this.#options;
    const { imports } = thread.limits;
    const { key } = request.tenant;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    if (!fitsReserve(imports, this.#running.size, this.#shares.of(key))) throw fail('IMPORTS_BUSY', imports);
    if (request.id !== undefined && this.#find(request.id, request.owner) !== undefined) {
      throw fail('IMPORT_IN_USE', request.id);
    }
    const staging = request.isAtomic ? await this.#stage(request) : undefined;
    const session = this.#openStaged(request, staging);
    if (!('feed' in session)) return session;
    const number = ++this.#lastNumber;
    this.#running.set(number, { request, session, staging });
    this.#shares.add(key);
    return number;
  }

  async feed({ number, bytes }: ImportMethods['importFeed']['request']): Promise<boolean> {
    const running = this.#running.get(number);
    return running === undefined ? false : running.session.feed(bytes);
  }

  async end({ number, failure }: ImportMethods['importEnd']['request']): Promise<ImportEnd> {
    const running = this.#running.get(number);
    if (running === undefined) throw fail('STOPPING');
    const { session, request, staging } = running;
    try {
      if (failure === undefined) await session.end();
      else await session.abort(failure);
      return { report: session.report, failure: session.failure && sent(session.failure) };
    } finally {
      session.close();
      this.#running.delete(number);
      this.#shares.remove(request.tenant.key);
      this.#discard(staging);
      this.#options.onEnd();
    }
  }

  state({ id, owner }: ImportMethods['importState']['request']): ImportReport {
    const running = this.#find(id, owner);
    if (running !== undefined) return running.session.report;
    for (const number of this.#databases()) {
      const found = readImport(this.#connect(number), owner, id);
      if (found !== undefined) return { importId: id, ...found.progress };
    }
    throw fail('IMPORT_NOT_FOUND', id);
  }

  async discard({ id, owner }: ImportMethods['importDiscard']['request']): Promise<void> {
    if (this.#find(id, owner) !== undefined) throw fail('IMPORT_IN_USE', id);
    const { shared } = this.#options.thread;
    for (const number of this.#databases()) {
      const connection = this.#connect(number);
      if (readImport(connection, owner, id) === undefined) continue;
      const remove = () => removeImport(connection, owner, id);
      await whileLocked(shared, 'rows', () => connection.transact(remove, true));
      return;
    }
    throw fail('IMPORT_NOT_FOUND', id);
  }

  /** Ends imports to regions that do not persist, before their files are removed. */
  releaseRegions(): void {
    for (const [number, connection] of this.#connections) {
      if (number === DATA_DATABASE) continue;
      connection.close();
      this.#connections.delete(number);
    }
  }

  close(): void {
    for (const { session } of this.#running.values()) session.close();
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }

  #find(id: string, owner: string): Running | undefined {
    return [...this.#running.values()].find(({ request }) => request.id === id && request.owner === owner);
  }

  /** Creates the table that an atomic import stages its rows in. */
  #stage({ target, onDuplicate }: ImportRequest): Promise<Staging> {
    const { thread, changes, onExpiry } = this.#options;
    if (!thread.shared.isActive()) throw fail('READ_ONLY', 'cache operation', target.cache);
    const cache = target.kind === 'cache' ? target.cache : this.#catalog.tableNamed(target.name, target.cache).cache;
    const connection = this.#connect(thread.registry.require(cache).database);
    return Staging.begin({ thread, connection, changes, onExpiry }, cache, onDuplicate);
  }

  #openStaged(request: ImportRequest, staging: Staging | undefined): AnySession | ImportEnd {
    try {
      return this.#open(request, staging);
    } catch (error) {
      this.#discard(staging);
      throw error;
    }
  }

  /** Removes what an import has staged. Nothing waits for it, and the next start removes what is left. */
  #discard(staging: Staging | undefined): void {
    void staging?.discard().catch(() => {});
  }

  #open(request: ImportRequest, staging: Staging | undefined): AnySession | ImportEnd {
    const { thread } = this.#options;
    const connect = (number: number) => this.#connect(number);
    const { target } = request;
    if (target.kind === 'cache') {
      const sink = new EntrySink({ ...this.#options, connect, staging }, request, target);
      return this.#continue(request, sink, staging);
    }
    const table = this.#catalog.tableNamed(target.name, target.cache);
    const { onReceive } = this.#options;
    const sink = new TableSink({ thread, catalog: this.#catalog, connect, staging, onReceive }, request, table);
    return this.#continue(request, sink, staging);
  }

  #continue<Prepared>(
    request: ImportRequest,
    sink: ImportSink<Prepared>,
    staging: Staging | undefined,
  ): AnySession | ImportEnd {
    const { thread, clock, isStopping, runWork } = this.#options;
    const connection = this.#connect(sink.database);
    const stored = this.#stored(connection, request);
    // Without an id the client alone knows the position.
    const start = stored?.progress ?? { ...NO_PROGRESS, offset: request.id === undefined ? request.offset : 0 };
    if (start.state === 'done') return { report: { importId: request.id ?? null, ...start }, failure: undefined };
    if (request.offset > start.offset) throw fail('IMPORT_POSITION', request.offset, start.offset);
    return new ImportSession({ thread, clock, request, connection, stored, start, isStopping, runWork, staging }, sink);
  }

  /** Returns the import as earlier requests left it. Throws IMPORT_CONFLICT when their parameters differ. */
  #stored(connection: ImportConnection, request: ImportRequest): StoredImport | undefined {
    const { id, owner } = request;
    if (id === undefined) return undefined;
    const stored = readImport(connection, owner, id);
    const differing = stored && differingParameter(stored.parameters, parametersOf(request));
    if (differing !== undefined) throw fail('IMPORT_CONFLICT', id, differing);
    return stored;
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

function sent({ code, message }: SentFailure): SentFailure {
  return { code, message };
}
