/** A statement process: its startup and the methods that it serves. */
import { SQLiteError } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import type { Limits } from '../../../base/limits.ts';
import { type ChannelPort, RpcChannel } from '../../../base/rpc-channel.ts';
import type { StatementBudget } from '../../../grid/statement-budget.ts';
import type { Value } from '../../../values/value.ts';
import type { VirtualTables } from '../catalog/engine-catalog.ts';
import { loadLogLimiter } from '../native/log-frames.ts';
import { maxRowBytes, StatementGuard } from '../native/statement-guard.ts';
import { type QueryAreas, SharedQueryState, WRITING_PROCESS } from '../shared/shared-query-state.ts';
import type { InfoMethods, ReportMethods, StatementMethods } from '../shared/statement-protocol.ts';
import { checkpointRequests, type LogState } from '../storage/checkpoints.ts';
import { reading, storageFailure } from '../storage/storage-failures.ts';
import type { ServiceInfo } from '../system-views/service-info.ts';
import type { ReaderMethods } from '../thread/embedded-reader.ts';
import { EngineThread, type ThreadSetup } from '../thread/engine-thread.ts';
import type { SentChanges } from '../writer/change-messages.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { EmbeddedImports, EmbeddedImportsOptions } from './imports/embedded-imports.ts';
import { PageQueue } from './page-queue.ts';
import type { FindPredicate } from './scan-rows.ts';
import { StatementServer } from './statement-server.ts';
import type { AnalyzedTable } from './statistics.ts';

/** The first message to a statement process. The ports of its clients follow. */
export interface StatementServerStart {
  readonly setup: ThreadSetup;
  readonly index: number;
  readonly queryAreas: QueryAreas;
  readonly maxCursors: number;
  readonly idleMs: number;
  readonly budget: StatementBudget;
  /** Library of the statement guard; if undefined, a statement that does not end is ended with its process. */
  readonly guardLibrary: string | undefined;
  readonly slowMs: number;
}

/** The methods that the writer's thread serves for a statement process. */
export type OwnerMethods = SentChanges & ReportMethods & InfoMethods & StartMethods;
type StartMethods = {
  /** Reports that clients can connect. */
  readonly ready: { readonly request: { readonly memoryIsBounded: boolean }; readonly response: null };
  /** Asks the process for changes to analyse a table. */
  readonly analyze: { readonly request: AnalyzedTable; readonly response: null };
  /** Writes a database's log back, or all logs if null. */
  readonly writeLogBack: { readonly request: { readonly database: number | null }; readonly response: LogState };
};
/** The methods that a statement process serves for the writer's thread. */
export type OwnedMethods = ReaderMethods & {
  /** Frees snapshots that hold back the write-ahead log. */
  readonly detachCursors: { readonly request: null; readonly response: null };
  /** Closes a holder's cursor. Returns false if this thread has no idle one. */
  readonly evictCursor: { readonly request: { readonly holder: string }; readonly response: boolean };
  /** Analyses a table unless another thread writes. */
  readonly analyze: { readonly request: AnalyzedTable; readonly response: null };
  /** Resolves when the process takes messages. */
  readonly ping: { readonly request: null; readonly response: null };
  /** Serves clients at another path as well: something has removed the socket. */
  readonly listen: { readonly request: { readonly socket: string }; readonly response: null };
  /** Resolves after the response to the running statement. */
  readonly stop: { readonly request: null; readonly response: null };
};

type StatementChannelServer = RpcChannel<Record<string, never>, StatementMethods>;

export interface StatementProcess {
  /** Serves the requests that arrive over the port. */
  serve(port: ChannelPort): void;
  /** Reports that it serves requests, and whether the kernel limits the memory of its process. */
  ready(memoryIsBounded: boolean): void;
  /** Closes its files. A process ends without it: the last one to close a database writes its log back. */
  close(): void;
}

/** Configured functions that scans, imports and responses call. */
export interface StatementExtensions extends Pick<EmbeddedImportsOptions, 'serviceName' | 'onReceive'> {
  readonly findPredicate: FindPredicate;
  /** Serves the clients that connect to a socket. */
  readonly listen: (socket: string, serve: (port: ChannelPort) => void) => void;
  readonly onSend: ((value: Value) => Value) | undefined;
  /** Reports whether earlier statements have used enough of the process's memory that it should be replaced. */
  readonly isDueForRecycling?: (() => boolean) | undefined;
  /** Creates the system views over the service's data. */
  readonly systemTables: (service: () => ServiceInfo) => VirtualTables;
}

/** Opens the engine in this thread. `owner` is the port to the writer's thread. */
export function startStatementProcess(
  start: StatementServerStart,
  owner: ChannelPort,
  clock: Clock,
  extensions: StatementExtensions,
): StatementProcess {
  const { setup, queryAreas, guardLibrary, ...settings } = start;
  const queryState = new SharedQueryState(queryAreas, start.index);
  const channel = new RpcChannel<OwnerMethods, OwnedMethods>(owner, clock);
  const thread = new EngineThread(setup, clock);
  const info = serviceInfoOver(() => channel.call('serviceInfo', null), queryState, clock);
  const { systemTables, serviceName, onReceive, isDueForRecycling, listen, ...configured } = extensions;
  const stopping = (): boolean => queryState.isStopping();
  const onExpiry = (cache: string, atMs: number): void => {
    channel.call('expectExpiry', { cache, atMs }).catch(() => {});
  };
  const changes: ChangeChannel = { submit: (name, request) => channel.call(name, request) };
  const writeLogBack = (database: number | null): Promise<LogState> => channel.call('writeLogBack', { database });
  const imports = importsOf({
    ...{ thread, clock, changes, writeLogBack, onExpiry, serviceName, onReceive },
    prepareWriting: guardLibrary === undefined ? undefined : (database) => loadLogLimiter(database, guardLibrary),
    isStopping: stopping,
    runWork: (limitMs, action) => queryState.runWork(start.index, limitMs, action),
    onEnd: () => recycle(),
  });
  const recycle = (): void => {
    // Changes would wait for an import that takes hours.
    if (imports.opened?.isImporting !== true && isDueForRecycling?.() === true) queryState.drain(start.index);
  };
  const statements = new StatementServer({
    guard:
      guardLibrary === undefined ? undefined : guardOf(guardLibrary, queryState, start.index, thread.limits, clock),
    thread,
    clock,
    changes,
    requestCheckpoint: checkpointRequests(writeLogBack, clock),
    queryState,
    virtualTables: systemTables(info.known),
    readServiceInfo: info.read,
    report: (slow) => void channel.call('slowStatement', slow).catch(() => {}),
    analyzeElsewhere: start.index !== WRITING_PROCESS ? (table) => channel.call('analyze', table) : undefined,
    onEvicted: (user) => void channel.call('cursorEvicted', { user }).catch(() => {}),
    onExpiry,
    onFreed: recycle,
    evictElsewhere: (holder) => void channel.call('evictCursor', { holder }).catch(() => {}),
    ...settings,
    ...configured,
  });
  channel.serve('releaseRegions', () => {
    thread.readers.releaseTemporary();
    statements.releaseRegions();
    imports.opened?.releaseRegions();
    return null;
  });
  channel.serve('detachCursors', async () => {
    await statements.detachCursors();
    return null;
  });
  channel.serve('evictCursor', ({ holder }) => statements.cursors.evict(holder));
  channel.serve('analyze', async (table) => {
    await statements.analyze(table);
    return null;
  });
  channel.serve('stop', () => null);
  channel.serve('ping', () => null);
  const pages = new PageQueue(clock);
  const serve = (port: ChannelPort): void => {
    const server = new RpcChannel<Record<string, never>, StatementMethods>(port, clock);
    serveImports(server, () => imports.open());
    serveStatements(server, statements, pages, queryState);
  };
  channel.serve('listen', ({ socket }) => {
    listen(socket, serve);
    return null;
  });
  return {
    serve,
    ready(memoryIsBounded) {
      queryState.ready(start.index);
      void channel.call('ready', { memoryIsBounded }).catch(() => {});
    },
    close() {
      statements.close();
      imports.opened?.close();
      thread.close();
    },
  };
}

/**
 * Resolves like `promise`; a disk error becomes the one that clients see. A statement that begins after its thread has
 * been stopped finds closed files.
 */
async function asClientsSee<T>(promise: Promise<T>, queryState: SharedQueryState): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (queryState.isStopping() && !(error instanceof GridError || error instanceof SQLiteError))
      throw gridError('STOPPING');
    throw storageFailure(error);
  }
}

function serveStatements(
  server: StatementChannelServer,
  statements: StatementServer,
  pages: PageQueue,
  queryState: SharedQueryState,
): void {
  server.serve('execute', (query) => asClientsSee(statements.execute(query), queryState));
  server.serve('transact', (transaction) => asClientsSee(statements.transact(transaction), queryState));
  const { cursors } = statements;
  server.serve('fetch', (request) =>
    pages.write(cursors.tenantOf(request), () => reading(() => statements.fetch(request))),
  );
  server.serve('more', (request) => pages.write(cursors.tenantOf(request), () => reading(() => cursors.more(request))));
  server.serve('close', ({ queryId, owner }) => {
    statements.cursors.close(queryId, owner);
    return null;
  });
}

/** Returns the thread's imports, which only the process for changes opens, on first use. */
function importsOf(options: EmbeddedImportsOptions): {
  readonly opened: EmbeddedImports | undefined;
  open(): Promise<EmbeddedImports>;
} {
  let opened: EmbeddedImports | undefined;
  return {
    get opened() {
      return opened;
    },
    async open() {
      // Loaded on demand: most statement processes import nothing.
      const { EmbeddedImports: Loaded } = await import('./imports/embedded-imports.ts');
      opened ??= new Loaded(options);
      return opened;
    },
  };
}

/** Serves imports; `imports` opens the runner. */
function serveImports(server: StatementChannelServer, imports: () => Promise<EmbeddedImports>): void {
  server.serve('importBegin', async (request) => (await imports()).begin(request));
  server.serve('importFeed', async (request) => (await imports()).feed(request));
  server.serve('importEnd', async (request) => (await imports()).end(request));
  server.serve('importState', async (request) => (await imports()).state(request));
  server.serve('importDiscard', async (request) => {
    await (await imports()).discard(request);
    return null;
  });
}

function guardOf(
  library: string,
  queryState: SharedQueryState,
  index: number,
  limits: Limits,
  clock: Clock,
): StatementGuard {
  return new StatementGuard({
    library,
    memory: queryState.memory,
    blockOffset: queryState.guardOffset(index),
    stopOffset: queryState.stopOffset,
    lengthBytes: maxRowBytes(limits),
    clock,
  });
}

/**
 * Holds the service's data as of the last read. Two statements may read concurrently: each sees data at least as new
 * as its own read.
 */
function serviceInfoOver(
  request: () => Promise<ServiceInfo>,
  queryState: SharedQueryState,
  clock: Clock,
): { known(): ServiceInfo; read(): Promise<void> } {
  let known: ServiceInfo = {};
  return {
    known: () => known,
    async read() {
      const info = await request();
      const running = queryState.listStatements(clock.nowMs());
      known = {
        ...info,
        statements: running,
        history: queryState.history.list(),
        queries: running
          .filter(({ kind }) => kind === 'sql')
          .map(({ id, text, detail, startedAtMs, owner }) => ({ id, sql: text, schema: detail, startedAtMs, owner })),
        scans: running
          .filter(({ kind }) => kind === 'scan')
          .map(({ id, text, detail, startedAtMs, pageSize, owner }) => ({
            id,
            cache: text,
            startedAtMs,
            filter: detail === '' ? null : detail,
            pageSize,
            owner,
          })),
      };
    },
  };
}
