/**
 * Opens the embedded engine: in the thread that owns the data folder and writes, and in threads that only read.
 * DESIGN.md gives the reasons.
 */

import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, randomUuid, sleep } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { DEFAULT_LIMITS, EMBEDDED_BOUNDS } from '../../base/limits.ts';
import type { CreateArea, SharedArea } from '../../base/shared-areas.ts';
import type { CacheRules } from '../../grid/cache-rules.ts';
import { consumersBytes } from '../../grid/change-consumers.ts';
import { DEFAULT_REGION } from '../../grid/declarations.ts';
import { CLUSTER_STATES, type ClusterState, type Grid } from '../../grid/grid.ts';
import type { StorageReport } from '../../grid/storage-report.ts';
import { dropOrphanedIndexes, removeDeadCaches } from './ddl/staged-cache.ts';
import { Structure } from './ddl/structure.ts';
import { OnDemandStatements } from './dispatch/on-demand-statements.ts';
import { Checkpoints, logBytes } from './storage/checkpoints.ts';
import {
  checkDataFile,
  DATA_FILE,
  type FolderLock,
  folderFailure,
  holdFolder,
  isHeld,
  lockFolder,
  storeFiles,
} from './storage/data-folder.ts';
import {
  type DatabaseFile,
  type DatabaseFiles,
  databaseOf,
  openForWriting,
  openWithoutCheckpoints,
  regionFiles,
} from './storage/databases.ts';
import { decodeDefinition } from './storage/definitions.ts';
import { DiskSpace, isDiskShort } from './storage/disk-space.ts';
import { DEFAULT_RETENTION, identifyFeedFile, skipPositions } from './storage/feed-tables.ts';
import { FileWatch } from './storage/file-watch.ts';
import type { Log } from './storage/log.ts';
import { createPrivateFile } from './storage/private-files.ts';
import { checkRestored } from './storage/restored-regions.ts';
import { checkContents, isMigrationLong, migrateDataFile, schemaVersionOf } from './storage/schema.ts';
import { readSetting, writeSetting } from './storage/settings.ts';
import { createSharedMemory } from './storage/shared-state.ts';
import { createRegionsFolder, removeRegionsFolder } from './storage/temporary-folders.ts';
import { WriteTypeNames } from './storage/type-names.ts';
import { type PrepareWriting, WriteConnections } from './storage/write-connections.ts';
import type { NodeIdentity } from './thread/embedded-cluster.ts';
import type { EmbeddedSettings } from './thread/embedded-settings.ts';
import { EngineThread, type QueriesFactory, rulesOf, type ThreadSetup } from './thread/engine-thread.ts';
import { decodeRequest, type SentChanges } from './writer/change-messages.ts';
import type { ChangeChannel, ChangeName, Changes } from './writer/changes.ts';
import { EntryWriters } from './writer/entry-writers.ts';
import { EXECUTORS } from './writer/executors.ts';
import { FeedTrimmer } from './writer/feed-trimmer.ts';
import { IdempotentWriter } from './writer/idempotent-writer.ts';
import { PendingSessions } from './writer/pending-sessions.ts';
import { Deadlines, Sweeper } from './writer/sweeper.ts';
import { SystemWriter } from './writer/system-writer.ts';
import { Writer } from './writer/writer.ts';

export interface EmbeddedOptions extends EmbeddedSettings {
  readonly clock: Clock;
  readonly log?: Log;
  /** The number of reading threads, including this one. Default 1. */
  readonly threads?: number;
  readonly queries?: QueriesFactory;
  /** Id of this process. Others report it if they find the folder in use. */
  readonly processId?: number;
  /** Called at the end, after the last commit and before the files are closed. */
  readonly beforeFilesClose?: (() => Promise<void>) | undefined;
  /** Called after the cluster's state has changed to ACTIVE; the change is acknowledged when the promise resolves. */
  readonly afterActivation?: (() => Promise<void>) | undefined;
  /** Called before startup converts enough entries to keep this thread busy for long. */
  readonly onLongStart?: (() => void) | undefined;
  /** Creates the memory that threads and processes share. */
  readonly createArea?: CreateArea | undefined;
  /** Prepares writing connections. */
  readonly prepareWriting?: PrepareWriting | undefined;
  /** The data folder's lock, which the caller holds and releases; acquired here if undefined. */
  readonly lock?: FolderLock | undefined;
  /** The id of a new database; a new one if undefined. */
  readonly databaseId?: string | undefined;
  /** The epoch of a primary that others may follow, with which its node id ends, or undefined if none may. */
  readonly epoch?: number | undefined;
  /** Whether the shipping process syncs the log before changes are answered, so that commits do not wait for a sync. */
  readonly isSyncedByShipping?: boolean | undefined;
}

/** The engine in the thread that writes. */
export interface EmbeddedGrid extends Grid {
  /** For queries and other code that changes rows directly. */
  readonly writer: Writer;
  readonly thread: EngineThread;
  /** Where commits are counted; see `commitsIn`. */
  readonly commitCounts: SharedArea;
  /**
   * Adds a reading thread, and runs the changes that it sends over the channel. Send the result to the thread, which
   * passes it to `openEmbeddedReader`.
   */
  connect(channel: WriterEnd): ThreadSetup;
  /** Removes a thread that has ended, so that a new thread can use its number. */
  disconnect(channel: WriterEnd): void;
  /** Returns the sizes of the write-ahead logs in bytes, by database number. */
  logBytes(): ReadonlyMap<number, number>;
  /** Reports files, commits and free space. */
  storage(): StorageReport;
  /** Returns by how many bytes writing the log back lengthens the data file. */
  promisedBytes(): number;
  /** Whether so little of the disk is left that removals may lack space for their log. */
  isDiskShort(): boolean;
  /** Returns the paths of the open databases by number. */
  databasePaths(): ReadonlyMap<number, string>;
  /** Schedules the removal of a cache's expired entries from this time on. */
  expectExpiry(cache: string, atMs: number): void;
  /** Removes all expired entries now. */
  sweep(): Promise<void>;
  /** Removes the changes that the change feed no longer keeps. */
  trimChangeFeed(): Promise<void>;
  /** Returns the existing database files. */
  databaseFiles(): readonly DatabaseFile[];
  /** Runs `action` while nothing is written, with the existing database files. */
  whileUnwritten(action: (files: readonly DatabaseFile[]) => Promise<void>): Promise<void>;
  /**
   * Writes the log of a store created by this startup back, after its first users were stored: without them, the
   * next startup would create others. If a continuous backup keeps the log, the caller does so later. Returns
   * whether the store is new.
   */
  writeNewBack(): boolean;
  /** Reports whether the write-ahead logs grow because {@link pauseCheckpoints} has been called. */
  areCheckpointsPaused(): boolean;
  /** Lets the write-ahead logs grow until the returned function is called. */
  pauseCheckpoints(): () => void;
}

/** The writer's end of the channel to another thread. */
export interface WriterEnd {
  serve<N extends ChangeName>(
    name: N,
    handler: (request: SentChanges[N]['request']) => Promise<SentChanges[N]['response']>,
  ): void;
  call(name: 'releaseRegions', request: null): Promise<null>;
}

/**
 * Opens the data folder, which no other process may use at the same time, and its data file. Errors for an unusable
 * folder or file name it.
 */
export async function openEmbeddedGrid(options: EmbeddedOptions): Promise<EmbeddedGrid> {
  const {
    clock,
    log = () => undefined,
    threads = 1,
    queries,
    processId,
    beforeFilesClose,
    afterActivation,
    createArea,
    prepareWriting,
    lock: heldLock,
    databaseId,
    epoch,
    isSyncedByShipping,
    onLongStart = () => undefined,
    ...settings
  } = options;
  const { dataDir, version } = settings;
  const owner = processId === undefined ? undefined : { processId, startedAtMs: clock.nowMs(), version, locked: true };
  const lock = heldLock ?? lockFolder(dataDir, log, owner);
  const held = new DisposableStack();
  if (heldLock === undefined) held.defer(() => lock.release());
  try {
    await awaitProcesses(dataDir, clock);
    held.defer(holdFolder(dataDir));
    checkRestored(dataDir);
    checkDataFile(dataDir, lock.isCreated);
    const opened = openOwner(settings, lock.isCreated, {
      ...{ clock, log, threads, createArea, prepareWriting, databaseId, epoch, isSyncedByShipping, onLongStart },
    });
    lock.recordCreation();
    return ownerGrid(opened, queries, { beforeFilesClose, afterActivation }, () => held.dispose());
  } catch (error) {
    held.dispose();
    throw folderFailure(error, dataDir);
  }
}

/** How long startup waits for the processes of a service that has ended, which end with it, and between checks. */
const PROCESSES_WAIT_MS = 5_000;
const PROCESSES_POLL_MS = 10;

/** Waits until all processes of a service that previously used the folder have ended. Throws FOLDER_IN_USE. */
export async function awaitProcesses(folder: string, clock: Clock): Promise<void> {
  const endMs = clock.monotonicMs() + PROCESSES_WAIT_MS;
  while (isHeld(folder)) {
    if (clock.monotonicMs() >= endMs) throw gridError('FOLDER_IN_USE', folder, undefined);
    await sleep(clock, PROCESSES_POLL_MS);
  }
}

/** How reports name the file shared by all persistent regions. */
const DATA_FILE_REGION = 'data';

/** The parts of the engine in the thread that owns the data folder. */
interface Owner {
  readonly thread: EngineThread;
  readonly setup: ThreadSetup;
  readonly writer: Writer;
  readonly deadlines: Deadlines;
  readonly sweeper: Sweeper;
  readonly feed: FeedTrimmer;
  readonly diskSpace: DiskSpace;
  readonly fileWatch: FileWatch;
  readonly connections: WriteConnections;
  readonly entries: EntryWriters;
  readonly checkpoints: Checkpoints;
  /** Whether this startup has created the store. */
  readonly isNew: boolean;
}

interface OwnerOptions
  extends Pick<EmbeddedOptions, 'createArea' | 'prepareWriting' | 'databaseId' | 'epoch' | 'isSyncedByShipping'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly threads: number;
  readonly onLongStart: () => void;
}

function openOwner(
  settings: EmbeddedSettings,
  isCreated: boolean,
  { clock, log, threads, createArea, prepareWriting, databaseId, epoch, isSyncedByShipping, onLongStart }: OwnerOptions,
): Owner {
  const rules = rulesOf(settings);
  const path = join(settings.dataDir, DATA_FILE);
  createPrivateFile(path);
  const keepsLog = settings.keepsLog === true;
  const database = keepsLog ? openWithoutCheckpoints(path, true) : openForWriting(path, true);
  try {
    // Nothing relies on a new file before it is open, so its first commits share one sync.
    checkContents(database, settings.dataDir, isCreated);
    const isNew = schemaVersionOf(database) === 0;
    if (isNew) database.run('PRAGMA synchronous = NORMAL');
    if (isMigrationLong(database)) onLongStart();
    const { from, to } = migrateDataFile(database, settings.dataDir, settings.version);
    if (from > 0 && from < to) log('info', `Migrated the data folder from schema version ${from} to ${to}`);
    removeDeadCaches(database);
    dropOrphanedIndexes(database);
    identifyFeedFile(database);
    const files = openFiles(database, settings, rules);
    checkRegions(database, rules);
    const limits = settings.limits ?? DEFAULT_LIMITS;
    const memory = createSharedMemory(
      threads,
      slotsOf(database, rules),
      consumersBytes(limits.changeConsumers),
      createArea,
    );
    const identity = readIdentity(database, settings, { databaseId, epoch });
    const setup: ThreadSetup = { settings, files, identity, memory, thread: 0 };
    const thread = new EngineThread(setup, clock);
    const { shared, metrics, reads, registry } = thread;
    shared.clusterState = readState(database);
    reads.readLatestOn(database);

    const connections = new WriteConnections(reads, database, shared, prepareWriting);
    const names = new WriteTypeNames(() => database, shared);
    const deadlines = new Deadlines();
    const entries = new EntryWriters({
      ...{ connections, registry, names, rules, shared, metrics, clock },
      onExpiry: (cache, atMs) => deadlines.expect(cache, atMs),
    });
    const system = new SystemWriter(connections, shared, clock, {
      countersDatabase: databaseOf(files, DEFAULT_REGION),
      maxCounters: limits.counters,
    });
    const statements = new OnDemandStatements(thread, clock);
    const once = new IdempotentWriter(connections, clock, thread.limits);
    const structure = new Structure({
      connections,
      registry,
      shared,
      metrics,
      rules,
      clock,
      names,
      log,
      onLongStart,
      defaultCache: thread.defaultCache,
      releaseStatements: (cache) => entries.release(cache),
      onRegionsEnd: () => {
        thread.readers.releaseTemporary();
        statements.release();
        once.regionsEnded();
      },
    });
    const diskSpace = new DiskSpace({ database, space: connections.space, shared, clock, log });
    const checkpoints = new Checkpoints(connections, reads.batch, clock, log, keepsLog);
    const writer = new Writer({
      clock,
      regions: rules.regions,
      log,
      pendingSessions: new PendingSessions(shared, clock),
      shared,
      connections,
      entries,
      system,
      structure,
      statements,
      names,
      checkpoints,
      diskSpace,
      once,
      isSyncedByShipping: isSyncedByShipping === true,
    });
    const temporaryRegions = files.temporaryRegions.length;
    const sweeper = new Sweeper({ clock, changes: writer, deadlines, shared, log, temporaryRegions });
    const feed = new FeedTrimmer({
      ...{ clock, log, connections, changes: writer },
      retention: settings.changeFeed ?? DEFAULT_RETENTION,
    });
    if (writer.syncsLater) connections.data.transact(() => skipPositions(connections.data));
    if (!shared.isInactive()) structure.openTemporary();
    for (const unfit of structure.declare(settings.caches ?? [])) log('error', unfit);
    if (isNew) {
      database.run('PRAGMA synchronous = FULL');
      connections.data.transact(() => writeSetting(database, 'programVersion', settings.version));
      // Whatever happens to the log, the file shows that there is a store.
      checkpoints.checkpoint();
    }
    sweeper.start(registry);
    feed.start();
    once.start();
    diskSpace.start();
    const regionPaths = () => (shared.isInactive() ? [] : regionFiles(files, shared.epoch()));
    const fileWatch = new FileWatch({ paths: storeFiles(settings.dataDir), regionPaths, shared, clock, log });
    fileWatch.start();
    return {
      ...{ thread, setup, writer, deadlines, sweeper, feed, diskSpace, fileWatch },
      ...{ connections, entries, checkpoints, isNew },
    };
  } catch (error) {
    database.close(true);
    throw error;
  }
}

/** Returns how many caches need a slot in shared memory: a file may have more than the limit on creating them. */
function slotsOf(database: Database, { maxCaches }: CacheRules): number {
  const row = database
    .query<{ slots: bigint | null }, []>('SELECT max(slot) + 1 AS slots FROM caches WHERE live = 1')
    .get();
  return Math.max(maxCaches, Number(row?.slots ?? 0));
}

/** Returns whether the change closes non-persistent regions, with the cursors over their caches. */
function removesRegions<N extends ChangeName>(name: N, request: Changes[N]['request']): boolean {
  return name === 'setState' && 'state' in request && request.state === 'INACTIVE';
}

function activates<N extends ChangeName>(name: N, request: Changes[N]['request']): boolean {
  return name === 'setState' && 'state' in request && request.state === 'ACTIVE';
}

function ownerGrid(
  owner: Owner,
  queries: QueriesFactory | undefined,
  { beforeFilesClose, afterActivation }: Pick<EmbeddedOptions, 'beforeFilesClose' | 'afterActivation'>,
  release: () => void,
): EmbeddedGrid {
  const { thread, setup, writer, deadlines, sweeper, feed, diskSpace, fileWatch } = owner;
  const { connections, entries, checkpoints, isNew } = owner;
  const { shared } = thread;
  /** The channels to the other threads, with their numbers. */
  const channels = new Map<WriterEnd, number>();
  const changes: ChangeChannel = {
    submit(name, request) {
      const response = writer.submit(name, request);
      if (activates(name, request)) return activated(response);
      return removesRegions(name, request) ? afterRelease(response) : response;
    },
  };
  async function activated<T>(pending: Promise<T>): Promise<T> {
    const response = await pending;
    await afterActivation?.();
    return response;
  }
  /** Resolves with the response when every thread has closed the regions that a change of state removed. */
  async function afterRelease<T>(pending: Promise<T>): Promise<T> {
    const response = await pending;
    await Promise.allSettled([...channels.keys()].map((channel) => channel.call('releaseRegions', null)));
    return response;
  }
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    for (const each of [sweeper, feed, diskSpace, fileWatch]) each.stop();
    await writer.close();
    await beforeFilesClose?.();
    thread.close();
    entries.release();
    connections.close();
    if (setup.files.temporaryDir !== '') removeRegionsFolder(setup.files.temporaryDir);
    release();
  }
  const grid = thread.grid(changes, queries, () => {
    closing ??= close();
    return closing;
  });
  const databaseFiles = (): readonly DatabaseFile[] =>
    connections.all().map(([number, { path }]) => ({ path, region: connections.region(number)?.name ?? null }));
  return {
    ...grid,
    writer,
    thread,
    commitCounts: setup.memory.integers,
    databasePaths: () => new Map(connections.all().map(([number, { path }]) => [number, path])),
    logBytes: () => new Map(connections.all().map(([number, connection]) => [number, logBytes(connection)])),
    storage: () => storageReport(owner),
    promisedBytes: () => diskSpace.last?.promisedBytes ?? 0,
    isDiskShort: () => diskSpace.last !== undefined && isDiskShort(diskSpace.last),
    expectExpiry: (cache, atMs) => deadlines.expect(cache, atMs),
    sweep: () => sweeper.sweep(),
    trimChangeFeed: () => feed.trim(),
    connect(channel) {
      const number = freeNumber(new Set(channels.values()), setup.memory.threads);
      channels.set(channel, number);
      for (const name of CHANGE_NAMES) serve(channel, changes, name);
      return { ...setup, thread: number };
    },
    disconnect(channel) {
      const thread = channels.get(channel);
      if (thread === undefined) return;
      channels.delete(channel);
      // Its commits are unknown, so every reader begins a new snapshot.
      if (shared.writeLock.releaseOf(thread)) for (const [number] of connections.all()) shared.committed(number);
    },
    databaseFiles,
    whileUnwritten: (action) =>
      writer.withWriteLock(async () => {
        await action(databaseFiles());
        return [];
      }),
    writeNewBack() {
      if (isNew && setup.settings.keepsLog !== true) checkpoints.checkpoint();
      return isNew;
    },
    areCheckpointsPaused: () => checkpoints.isPaused,
    pauseCheckpoints: () => checkpoints.pause(),
  };
}

function storageReport({ connections, writer, checkpoints, thread, diskSpace }: Owner): StorageReport {
  return {
    files: connections.all().map(([number, connection]) => ({
      region: connections.region(number)?.name ?? DATA_FILE_REGION,
      bytes: statSync(connection.path, { throwIfNoEntry: false })?.size ?? 0,
      logBytes: logBytes(connection),
    })),
    ...writer.commitStatistics(),
    checkpoints: checkpoints.statistics(),
    isDiskLow: thread.shared.isDiskLow(),
    reserveBytes: diskSpace.last?.reserveBytes,
    unfitEntries: thread.registry.unfitEntries(),
  };
}

/** Returns the lowest number from 1 that no thread has. */
function freeNumber(used: ReadonlySet<number>, threads: number): number {
  let number = 1;
  while (used.has(number)) number++;
  if (number >= threads) throw new RangeError(`thread ${number} exceeds the ${threads} threads of the grid`);
  return number;
}

const CHANGE_NAMES = Object.keys(EXECUTORS) as ChangeName[];

function serve<N extends ChangeName>(channel: WriterEnd, changes: ChangeChannel, name: N): void {
  channel.serve(name, (sent) => changes.submit(name, decodeRequest<Changes[N]['request']>(sent)));
}

function openFiles(
  database: Database,
  { dataDir, minFreeBytes, keepsLog = false }: EmbeddedSettings,
  rules: CacheRules,
): DatabaseFiles {
  const left = readSetting(database, 'temporaryDir');
  if (left !== undefined && left !== '') removeRegionsFolder(left);
  const temporaryRegions = [...rules.regions.values()].filter((region) => !region.persistent);
  const limit = EMBEDDED_BOUNDS.temporaryRegions;
  if (temporaryRegions.length > limit) throw gridError('TOO_MANY_REGIONS', limit);
  const temporaryDir = temporaryRegions.length > 0 ? createRegionsFolder() : '';
  if (temporaryDir !== left) writeSetting(database, 'temporaryDir', temporaryDir);
  return { dataDir, temporaryDir, temporaryRegions, minFreeBytes, keepsLog };
}

/** Throws if a changed configuration would make stored entries unreachable. */
function checkRegions(database: Database, rules: CacheRules): void {
  const rows = database.query<{ definition: string }, []>('SELECT definition FROM caches WHERE live = 1').all();
  for (const { definition } of rows.map((row) => decodeDefinition(row.definition))) {
    const region = rules.regions.get(definition.region);
    const inFile = definition.persistent;
    if (region && region.persistent === inFile) continue;
    throw region
      ? gridError('REGION_CHANGED', definition.region, definition.name, region.persistent)
      : gridError('REGION_REMOVED', definition.region, definition.name);
  }
}

function readIdentity(
  database: Database,
  settings: EmbeddedSettings,
  { databaseId, epoch }: Pick<EmbeddedOptions, 'databaseId' | 'epoch'>,
): NodeIdentity {
  const id = (name: 'nodeId' | 'consistentId'): string => {
    const known = readSetting(database, name);
    if (known !== undefined) return known;
    const created = (name === 'consistentId' ? databaseId : undefined) ?? randomUuid();
    writeSetting(database, name, created);
    return created;
  };
  return {
    nodeId: epoch === undefined ? id('nodeId') : nodeIdOf(id('nodeId'), epoch),
    consistentId: id('consistentId'),
    nodeName: settings.nodeName ?? null,
    version: settings.version,
  };
}

const EPOCH_DIGITS = 12;

/** Returns the node id for an epoch: services that take over from each other have the same data file. */
function nodeIdOf(stored: string, epoch: number): string {
  return stored.slice(0, -EPOCH_DIGITS) + epoch.toString(16).padStart(EPOCH_DIGITS, '0');
}

function readState(database: Database): ClusterState {
  const stored = readSetting(database, 'clusterState');
  return CLUSTER_STATES.find((state) => state === stored) ?? 'ACTIVE';
}
