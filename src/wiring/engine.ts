/** Opens the configured engine. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { objectStoreEnvironment } from '../base/child-environment.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { gridError } from '../base/errors.ts';
import type { FailoverSignals } from '../base/failover-state.ts';
import type { FailoverStatus } from '../base/failover-status.ts';
import type { SharedArea } from '../base/shared-areas.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { BackupChecks } from '../engines/embedded/backup/backup-checks.ts';
import { BACKUP_PROCESS_ARGUMENT } from '../engines/embedded/backup/backup-messages.ts';
import { BackupRunner } from '../engines/embedded/backup/backup-runner.ts';
import {
  ContinuousBackup,
  type ShippingChild,
  type ShippingTerm,
} from '../engines/embedded/backup/continuous/continuous-backup.ts';
import {
  SHIPPING_PROCESS_ARGUMENT,
  type ShippingFailover,
} from '../engines/embedded/backup/continuous/shipping-messages.ts';
import { EmbeddedBulk } from '../engines/embedded/dispatch/embedded-bulk.ts';
import { EmbeddedTransactions } from '../engines/embedded/dispatch/embedded-transactions.ts';
import { StatementKills } from '../engines/embedded/dispatch/statement-kills.ts';
import { ProcessEnded, StatementRouter } from '../engines/embedded/dispatch/statement-router.ts';
import { type StatementAdmission, StatementSlots } from '../engines/embedded/dispatch/statement-slots.ts';
import { type EmbeddedGrid, type EmbeddedOptions, openEmbeddedGrid } from '../engines/embedded/embedded-grid.ts';
import { openGuardLibrary } from '../engines/embedded/native/guard-library.ts';
import { collectFrames } from '../engines/embedded/native/log-frames.ts';
import {
  createQueryAreas,
  SharedQueryState,
  STATEMENT_PROCESSES,
  WRITING_PROCESS,
} from '../engines/embedded/shared/shared-query-state.ts';
import type { StatementProcesses } from '../engines/embedded/shared/statement-protocol.ts';
import { DATA_FILE, type FolderLock } from '../engines/embedded/storage/data-folder.ts';
import { BACKUP_CHECK_FOLDER, RESTORE_CHECK_FOLDER } from '../engines/embedded/storage/private-files.ts';
import { ProcessFolder } from '../engines/embedded/storage/temporary-folders.ts';
import type { EmbeddedSettings } from '../engines/embedded/thread/embedded-settings.ts';
import { type QueriesFactory, rulesOf } from '../engines/embedded/thread/engine-thread.ts';
import type { Bulk } from '../grid/bulk.ts';
import type { Region } from '../grid/cache-rules.ts';
import type { Grid } from '../grid/grid.ts';
import { StatementProcessClient } from '../processes/statement/statement-process-client.ts';
import { StatementProcessOwner } from '../processes/statement/statement-processes.ts';
import type { Log } from '../service/monitoring/log.ts';
import { ownCommand } from './launch.ts';
import type { OpenEngine } from './open-engine.ts';
import { isRunning } from './running-process.ts';
import { seedsAgain } from './seeds.ts';

/** A primary's term, which has begun before its engine is open. */
export interface PrimaryTerm {
  /** Its number. */
  readonly epoch: number;
  /** The data folder's lock. */
  readonly lock: FolderLock;
  /** The shipper, which has created the first object of the term. */
  readonly continuous: ContinuousBackup;
  /** The shared state of the term's threads. */
  readonly state: SharedArea;
  readonly signals: FailoverSignals;
  /** The service's report on itself. */
  readonly status: () => FailoverStatus;
}

/** Number of slots for threads other than HTTP threads: statement processes, and restarted threads. */
const FURTHER_THREADS = STATEMENT_PROCESSES + 2;

/** An engine's reports while it opens and runs. */
interface EngineEvents {
  /** A statement process was replaced. */
  readonly onStuck?: () => void;
  /** From then on, it occupies this thread for long. */
  readonly onLongStart?: (() => void) | undefined;
}

/** Opens the engine; additional threads are started with `argv`. */
export async function openEngine(
  configuration: Configuration,
  argv: readonly string[],
  clock: Clock,
  log: Log,
  events: EngineEvents = {},
  term?: PrimaryTerm,
): Promise<OpenEngine> {
  // Loaded on demand: most services use the embedded engine.
  if (configuration.engine.kind === 'cluster') {
    const { openClusterEngine } = await import('./cluster-engine.ts');
    return openClusterEngine(configuration, clock, log);
  }
  const processFolder = new ProcessFolder(process.pid, isRunning);
  try {
    const opened = await openEmbedded(configuration, argv, clock, log, events, processFolder, term);
    if (opened.commitCounts !== undefined) term?.continuous.countIn(opened.commitCounts);
    return opened;
  } catch (error) {
    processFolder.remove();
    throw error;
  }
}

async function openEmbedded(
  configuration: Configuration,
  argv: readonly string[],
  clock: Clock,
  log: Log,
  { onStuck = () => {}, onLongStart }: EngineEvents,
  processFolder: ProcessFolder,
  term: PrimaryTerm | undefined,
): Promise<OpenEngine> {
  const { create: createArea } = processFolder.memory;
  const statementProcesses = new StatementProcessClient(clock, (index) => owner.address(index));
  const queryState = new SharedQueryState(createQueryAreas(createArea));
  const slots = new StatementSlots({
    clock,
    queryState,
    readers: configuration.query.processes,
    maxWaiting: configuration.limits.requestsWaiting,
    targetMs: configuration.limits.queueMs,
    start: (thread) => void statementProcesses.channel(thread).catch(() => {}),
  });
  const library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  if (library.path === undefined)
    log.warn('A statement that does not end in time is ended with its process', { reason: library.reason });
  const regions = [...rulesOf(embeddedSettings(configuration)).regions.values()];
  const embedded = await openEmbeddedGrid({
    ...embeddedSettings(configuration),
    async beforeFilesClose() {
      // While the process has the files open, closing them leaves the log: the next startup ships the rest.
      if ((await continuous?.finish()) === true) await continuous?.end();
    },
    afterActivation: seedsAgain(configuration, () => grid, log),
    ...{ processId: process.pid, clock },
    log: (level, text) => log[level](text),
    threads: configuration.workers + FURTHER_THREADS,
    ...{ createArea, onLongStart },
    prepareWriting: prepareWritingWith(library.path),
    lock: term?.lock,
    epoch: term?.epoch,
    isSyncedByShipping: term !== undefined && configuration.backup.continuous?.failover?.acknowledge === 'remote',
    queries: queriesOf(configuration, clock, statementProcesses, queryState, slots, library.path),
  });
  const grid = { ...embedded, bulk: bulkOf(statementProcesses, queryState, clock) };
  const continuous = term?.continuous ?? continuousOf(configuration, clock, log);
  const owner = new StatementProcessOwner({
    ...{ grid, configuration, argv, clock, log, queryState },
    ...{ library, processFolder, continuous, onStuck },
  });
  owner.addClient((end) => statementProcesses.ended(end));
  return {
    grid,
    backups: backupsOf(configuration, grid, regions, clock),
    ...backupChecksOf(configuration, clock),
    continuous: () => continuous?.status(),
    commitCounts: grid.commitCounts,
    shares: {
      queryState: queryState.areas,
      guardLibrary: library.path,
      slots,
      connect: (channel) => grid.connect(channel),
      disconnect: (channel) => grid.disconnect(channel),
      addClient: (onProcessEnd) => owner.addClient(onProcessEnd),
      processAddress: (index) => owner.address(index),
      setServiceInfo(info) {
        owner.serviceInfo = info;
      },
    },
    syncIntervals: syncIntervalsOf(regions),
    openCursors: () => queryState.openCursors(),
    endOf: (isOwner) => endStatementsOf(isOwner, grid, queryState),
    statements: () => queryState.report(clock.nowMs()),
    storage: () => grid.storage(),
    writeNewBack: () => owner.writeNewBack(),
    evictedCursors: () => queryState.evictedCursors(),
    queues: () => ({ statements: slots.statistics(), changes: grid.writer.statistics() }),
    cancel: () => queryState.stop(),
    async close() {
      await owner.stop();
      await grid.close();
      await continuous?.end();
      library.release();
      processFolder.remove();
    },
  };
}

function prepareWritingWith(library: string | undefined): EmbeddedOptions['prepareWriting'] {
  return library === undefined ? undefined : (database) => collectFrames(database, library);
}

/** Returns the times between syncs of the persistent regions. */
function syncIntervalsOf(regions: readonly Region[]): ReadonlyMap<string, number> {
  return new Map(
    regions.flatMap(({ name, persistent, syncIntervalMs }) => (persistent ? [[name, syncIntervalMs]] : [])),
  );
}

/** Ends the statements and the cursors of owners. */
function endStatementsOf(
  isOwner: (owner: string) => boolean,
  { queries }: Grid,
  { statements }: SharedQueryState,
): void {
  for (const { id, owner } of statements.list()) {
    if (!isOwner(owner)) continue;
    const killed = queries.kill({ nodeId: undefined, number: id }, { owner, isAdministrator: true });
    // It may have ended in the meantime.
    Promise.resolve(killed).catch(() => undefined);
  }
}

function backupsOf(
  { backup, minFreeBytes }: Configuration,
  grid: EmbeddedGrid,
  regions: readonly Region[],
  clock: Clock,
): BackupRunner {
  return new BackupRunner({
    grid,
    clock,
    command: ownCommand(BACKUP_PROCESS_ARGUMENT),
    environment: objectStoreEnvironment(process.env),
    program: PRODUCT_VERSION,
    regions: regions.map(({ name, persistent }) => ({ name, persistent })),
    bytesPerSecond: backup.bytesPerSecond,
    keyFile: backup.keyFile,
    minFreeBytes,
  });
}

/** Creates the shipper, if there is one. `term`: the term of a primary that others may follow. */
export function continuousOf(
  configuration: Configuration,
  clock: Clock,
  log: Log,
  term?: {
    readonly shipping: ShippingTerm;
    readonly failover: ShippingFailover;
    readonly pageHashes: Uint8Array | undefined;
    readonly position: string | undefined;
    readonly process: ShippingChild | undefined;
  },
): ContinuousBackup | undefined {
  const { dataDir, backup, minFreeBytes } = configuration;
  if (backup.continuous === undefined) return undefined;
  const { maxLogBytes, verifyIntervalMs: _, failover: __, ...continuous } = backup.continuous;
  return new ContinuousBackup({
    request: {
      path: join(dataDir, DATA_FILE),
      folder: dataDir,
      ...continuous,
      keyFile: backup.keyFile,
      bytesPerSecond: backup.bytesPerSecond,
      minFreeBytes,
      processId: process.pid,
      failover: term?.failover,
      pageHashes: term?.pageHashes,
      position: term?.position,
    },
    term: term?.shipping,
    process: term?.process,
    maxLogBytes,
    command: ownCommand(SHIPPING_PROCESS_ARGUMENT),
    environment: objectStoreEnvironment(process.env),
    clock,
    log: (level, text) => log[level](text),
  });
}

/** Creates the backup verifier, and the checks that the continuous backup restores. */
function backupChecksOf(
  { dataDir, backup: { keyFile, continuous, bytesPerSecond }, minFreeBytes }: Configuration,
  clock: Clock,
): Pick<OpenEngine, 'backupReader' | 'checkRestore'> {
  const common = { keyFile, minFreeBytes, program: PRODUCT_VERSION };
  const checkFolder = join(dataDir, BACKUP_CHECK_FOLDER);
  const folder = join(dataDir, RESTORE_CHECK_FOLDER);
  // A service that was killed may have left them.
  for (const left of [checkFolder, folder]) rmSync(left, { recursive: true, force: true });
  const command = ownCommand(SHIPPING_PROCESS_ARGUMENT);
  const checks = new BackupChecks(
    { command, environment: objectStoreEnvironment(process.env), clock },
    { ...common, folder: checkFolder },
  );
  if (continuous === undefined) return { backupReader: checks, checkRestore: undefined };
  const { url } = continuous;
  return {
    backupReader: checks,
    checkRestore: (atMs, signal) => checks.checkRestore({ ...common, url, folder, bytesPerSecond, atMs }, signal),
  };
}

/** Pause before a process that is being ended is replaced, in ms. */
const REPLACED_MS = 20;

/** Creates the imports of an HTTP thread. They run in the process for changes. */
export function bulkOf(processes: StatementProcesses, queryState: SharedQueryState, clock: Clock): Bulk {
  return new EmbeddedBulk(async (action) => {
    while (!queryState.requestSent(WRITING_PROCESS)) await sleep(clock, REPLACED_MS);
    try {
      const channel = await processes.channel(WRITING_PROCESS);
      return await action({
        call: async (name, request) => {
          try {
            return await channel.call(name, request);
          } catch (error) {
            // It may have been ended because of another user's statement.
            throw error instanceof ProcessEnded ? gridError('QUERY_LOST') : error;
          }
        },
      });
    } finally {
      queryState.requestEnded(WRITING_PROCESS);
    }
  });
}

/** Creates the queries of an HTTP thread. */
export function queriesOf(
  { interceptor, query }: Configuration,
  clock: Clock,
  processes: StatementProcesses,
  queryState: SharedQueryState,
  slots: StatementAdmission,
  guardLibrary: string | undefined,
): QueriesFactory {
  const onSend = interceptor?.onSend?.bind(interceptor);
  return (thread, changes) => {
    const kills = new StatementKills({ queryState, processes, clock, nodeId: thread.identity.nodeId });
    const router = new StatementRouter({
      kills,
      processes,
      queryState,
      clock,
      readers: query.processes,
      slots,
      budget: query,
      // Loading this code at startup would delay the first response.
      async loadLocal() {
        const { loadStatementCode } = await import('../engines/embedded/dispatch/statement-code.ts');
        await loadStatementCode(clock);
        const [{ localQueries }, { systemTables }] = await Promise.all([
          import('../engines/embedded/dispatch/local-queries.ts'),
          import('./system-tables.ts'),
        ]);
        return localQueries({
          thread,
          clock,
          changes,
          virtualTables: systemTables,
          onSend,
          budget: query,
          kill: (sql, id, killer) => kills.killBySql(sql, id, killer),
          statisticsVersion: () => queryState.statisticsVersion(),
          history: queryState.history,
          guardLibrary,
        });
      },
    });
    return {
      queries: router,
      transactions: new EmbeddedTransactions(router, changes, onSend),
    };
  };
}

/** Returns the options of the embedded engine. */
export function embeddedSettings(configuration: Configuration): EmbeddedSettings {
  const { dataDir, defaultCache, regions, templates, caches, classes, limits, minFreeBytes, changeFeed } =
    configuration;
  return {
    dataDir,
    version: PRODUCT_VERSION,
    nodeName: configuration.serviceName,
    defaultCache,
    regions,
    templates,
    caches,
    classes,
    limits,
    minFreeBytes,
    // Rows 27, 51 and 57 of docs/differences.md.
    asIgnite: configuration.compatibility === 'reference',
    changeFeed,
    keepsLog: configuration.backup.continuous !== undefined,
  };
}
