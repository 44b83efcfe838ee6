/** Defines how the writer runs each change, and in which database. */
import type { Database } from 'bun:sqlite';
import {
  type Call,
  type CallResult,
  type ChangeKind,
  type EntryChangeKind,
  forEntryChanges,
} from '../../../grid/calls.ts';
import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import type { Structure } from '../ddl/structure.ts';
import type { Change, StructureChanges } from '../ddl/structure-changes.ts';
import type { PreparedChange } from '../sql/statement.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import { trimFeed } from '../storage/feed-tables.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { CallChanges, ChangeName, Changes, IdempotentChanges, RecordChanges, SentStatement } from './changes.ts';
import { ENTRY_CHANGES, ENTRY_STEPS } from './entry-changes.ts';
import type { EntryWriters } from './entry-writers.ts';
import type { IdempotentWriter } from './idempotent-writer.ts';
import type { LogSync } from './log-sync.ts';
import type { PendingSessions } from './pending-sessions.ts';
import type { Steps } from './steps.ts';
import type { SystemWriter } from './system-writer.ts';

/** The effect of a change by key. */
export interface StatementResult {
  readonly updated: bigint;
  readonly addedRows: number;
  /** The error for the client, although the stored rows stay. */
  readonly failure?: unknown;
}

/** Runs changes by key in SQL on the writer's connections. */
export interface StatementExecutor {
  /** Prepares the change. Throws INACTIVE or READ_ONLY depending on the cluster's state. */
  prepare(statement: SentStatement): PreparedChange;
  /** Returns the change that was prepared last: no definition changes before the change's batch has run. */
  prepared(statement: SentStatement): PreparedChange;
  /** Runs it atomically, inside the transaction that the writer has begun on `database`. */
  run(statement: SentStatement, prepared: PreparedChange, database: Database, entries: EntryWriters): StatementResult;
}

export interface ExecutorOptions {
  readonly connections: WriteConnections;
  readonly entries: EntryWriters;
  readonly system: SystemWriter;
  readonly structure: Structure;
  /** `ready` loads their code, and returns undefined once loaded. */
  readonly statements: StatementExecutor & { ready(): Promise<void> | undefined };
  readonly shared: SharedState;
  readonly pendingSessions: PendingSessions;
  readonly once: IdempotentWriter;
  readonly logSync: LogSync;
}

/** Runs one kind of change. */
interface ExecutorOf<C extends Change<unknown, unknown>> {
  /**
   * Returns the number of the database that it changes, or undefined if it commits separately. Throws INACTIVE or
   * READ_ONLY depending on the cluster's state, then CACHE_NOT_FOUND.
   */
  database(options: ExecutorOptions, request: C['request']): number | undefined;
  run(options: ExecutorOptions, request: C['request']): C['response'];
  /** Does the same in steps; returns undefined if it is short. If this is undefined, all are short. */
  steps?(options: ExecutorOptions, request: C['request']): Steps<C['response']> | undefined;
  /** Returns the response that is sent before the change can run, while another thread holds the write lock. */
  beforeLock?(options: ExecutorOptions, request: C['request']): EarlyResponse<C['response']> | undefined;
  /** Returns a promise that must resolve before the change can run, or undefined if it can run at once. */
  ready?(options: ExecutorOptions): Promise<void> | undefined;
  /**
   * Returns how long the change may be acknowledged without being on disk, in ms, or 0 for not at all. If undefined,
   * not at all.
   */
  unsyncedMs?(options: ExecutorOptions, request: C['request']): number;
}

/** A response sent while another thread holds the write lock. */
export interface EarlyResponse<Res> {
  readonly response: Res;
  /** Whether the change still runs once the lock is released. */
  readonly isQueued: boolean;
}

export type Executor<N extends ChangeName> = ExecutorOf<Changes[N]>;

/** The methods that run changes, by name. */
type Handlers<C extends Readonly<Record<keyof C, Change<unknown, unknown>>>> = {
  readonly [N in keyof C]: (request: C[N]['request']) => C[N]['response'];
};

function unsyncedMsOf({ definition }: CacheHandle, logSync: LogSync): number {
  return logSync.intervalMs(definition.region);
}

const entryChange = {
  database: ({ entries }: ExecutorOptions, { cache }: Call<EntryChangeKind>) => entries.require(cache).database,
  run<K extends EntryChangeKind>({ entries }: ExecutorOptions, call: Call<K>): CallResult<K> {
    return ENTRY_CHANGES[call.kind](entries.of(call.cache), call);
  },
  unsyncedMs: ({ entries, logSync }: ExecutorOptions, { cache }: Call<EntryChangeKind>) =>
    unsyncedMsOf(entries.require(cache), logSync),
};

/** Returns the number of the database with the counters. Throws INACTIVE. */
function countersDatabase({ system }: ExecutorOptions): number {
  system.checkCounterState();
  return system.countersDatabase;
}

/** Runs the calls of the port that change something. */
const CALLS: { readonly [K in ChangeKind]: ExecutorOf<CallChanges[K]> } = {
  ...forEntryChanges(entryChange),
  putAll: {
    ...entryChange,
    *steps({ entries }, call) {
      yield* ENTRY_STEPS.putAll(entries.of(call.cache), call);
    },
  },
  removeAll: {
    ...entryChange,
    *steps({ entries }, call) {
      yield* ENTRY_STEPS.removeAll(entries.of(call.cache), call);
    },
  },
  addToCounter: {
    database: countersDatabase,
    run: ({ system }, call) => system.addToCounter(call),
    unsyncedMs: ({ logSync }) => logSync.intervalMs(DEFAULT_REGION),
  },
  persistCounter: {
    database: countersDatabase,
    run: ({ system }, call) => system.persistCounter(call),
  },
};

function runCall<K extends ChangeKind>(options: ExecutorOptions, call: Call<K>): CallResult<K> {
  return CALLS[call.kind].run(options, call);
}

function stepsOfCall<K extends ChangeKind>(options: ExecutorOptions, call: Call<K>): Steps<CallResult<K>> | undefined {
  return CALLS[call.kind].steps?.(options, call);
}

/**
 * Returns the database that a call changes, or the one with its key: a result is kept whatever happens to the cache.
 */
function databaseOfOnce<K extends ChangeKind>(options: ExecutorOptions, call: Call<K>, key: IdempotencyKey) {
  try {
    return CALLS[call.kind].database(options, call);
  } catch (error) {
    const kept = options.once.databaseOf(key);
    if (kept === undefined) throw error;
    return kept;
  }
}

function recordExecutor<N extends keyof RecordChanges>(name: N): ExecutorOf<RecordChanges[N]> {
  return {
    database: () => DATA_DATABASE,
    run({ system }, request) {
      const handlers: Handlers<RecordChanges> = system;
      return handlers[name](request);
    },
  };
}

function structureExecutor<N extends keyof StructureChanges>(name: N): ExecutorOf<StructureChanges[N]> {
  return {
    database: () => undefined,
    run({ structure }, request) {
      const handlers: Handlers<StructureChanges> = structure;
      return handlers[name](request);
    },
  };
}

function idempotentExecutor<N extends 'beginOnce' | 'completeOnce' | 'discardOnce'>(
  name: N,
): ExecutorOf<IdempotentChanges[N]> {
  return {
    database: () => DATA_DATABASE,
    run({ once }, request) {
      const handlers: Handlers<Pick<IdempotentChanges, 'beginOnce' | 'completeOnce' | 'discardOnce'>> = once;
      return handlers[name](request);
    },
    ready: ({ once }) => once.ready(),
  };
}

/** Records running transactions immediately, because the transaction may hold the write lock. */
function claimExecutor<N extends 'claimKey' | 'releaseKey'>(name: N): ExecutorOf<IdempotentChanges[N]> {
  const run: ExecutorOf<IdempotentChanges[N]>['run'] = ({ once }, request) => {
    const handlers: Handlers<Pick<IdempotentChanges, 'claimKey' | 'releaseKey'>> = once;
    return handlers[name](request);
  };
  return {
    database: () => undefined,
    run,
    beforeLock: (options, request) => ({ response: run(options, request), isQueued: false }),
    ready: ({ once }) => once.ready(),
  };
}

/** Returns a session, which may wait to be stored. */
function currentSession({ system, pendingSessions }: ExecutorOptions, id: string): string | undefined {
  const pending = pendingSessions.find(id);
  return pending === null ? system.readRecord('session', id) : pending;
}

export const EXECUTORS: { readonly [N in ChangeName]: Executor<N> } = {
  ...CALLS,
  runStatement: {
    ready: ({ statements }) => statements.ready(),
    database: ({ statements }, request) => statements.prepare(request).target.database,
    run({ statements, connections, entries, shared }, request) {
      const prepared = statements.prepared(request);
      const { target } = prepared;
      if (prepared.change !== 'delete') checkDiskSpace(shared, target.database);
      const { database } = connections.get(target.database);
      const writer = entries.of(target.cache);
      const { updated, addedRows, failure } = statements.run(request, prepared, database, entries);
      const { pending } = writer;
      pending.entries += addedRows;
      pending.writes += Number(updated);
      // The transaction continues, and the rows stay.
      if (failure !== undefined) throw failure;
      return updated;
    },
    unsyncedMs: ({ statements, logSync }, request) => logSync.intervalMs(statements.prepared(request).target.region),
  },
  sweep: {
    database: ({ entries }, { cache }) => entries.requireForReading(cache).database,
    run: ({ entries }, request) => entries.forReading(request.cache).sweep(request.rows),
    unsyncedMs: ({ entries, logSync }, { cache }) => unsyncedMsOf(entries.requireForReading(cache), logSync),
  },
  slide: {
    database: ({ entries }, { cache }) => entries.require(cache).database,
    run({ entries }, { cache, keys }) {
      entries.of(cache).slide(keys);
      return undefined;
    },
    unsyncedMs: ({ entries, logSync }, { cache }) => unsyncedMsOf(entries.require(cache), logSync),
  },
  sweepCounters: {
    database: countersDatabase,
    run: ({ system }, request) => system.sweepCounters(request),
  },
  putRecord: {
    ...recordExecutor('putRecord'),
    beforeLock({ pendingSessions }, { kind, id, content, expiresAtMs }) {
      if (kind !== 'session' || !pendingSessions.note(id, content, expiresAtMs)) return undefined;
      return { response: undefined, isQueued: true };
    },
  },
  addRecord: recordExecutor('addRecord'),
  replaceRecord: {
    database: () => DATA_DATABASE,
    run({ system, pendingSessions }, request) {
      // The stored session may have expired since the response that was sent while another thread held the lock.
      const isPending = request.kind === 'session' && typeof pendingSessions.find(request.id) === 'string';
      return system.replaceRecord(request, isPending);
    },
    beforeLock(options, { kind, id, content, expiresAtMs }) {
      if (kind !== 'session') return undefined;
      if (currentSession(options, id) === undefined) return { response: false, isQueued: false };
      return options.pendingSessions.note(id, content, expiresAtMs) ? { response: true, isQueued: true } : undefined;
    },
  },
  removeRecord: {
    ...recordExecutor('removeRecord'),
    beforeLock(options, { kind, id }) {
      if (kind !== 'session') return undefined;
      const response = currentSession(options, id);
      return options.pendingSessions.note(id, undefined) ? { response, isQueued: true } : undefined;
    },
  },
  findPendingSession: {
    database: () => DATA_DATABASE,
    run: () => null,
    beforeLock: ({ pendingSessions }, { id }) => ({ response: pendingSessions.find(id), isQueued: false }),
  },
  listPendingSessions: {
    database: () => DATA_DATABASE,
    // Those that waited when it was sent were stored with the changes before it.
    run: () => [],
    beforeLock: ({ pendingSessions }) => ({ response: pendingSessions.list(), isQueued: false }),
  },
  sweepRecords: recordExecutor('sweepRecords'),
  syncLog: recordExecutor('syncLog'),
  callOnce: {
    database: (options, { call, key }) => databaseOfOnce(options, call, key),
    run: (options, { call, key }) => options.once.call(key, () => runCall(options, call)),
    steps(options, { call, key }) {
      const steps = stepsOfCall(options, call);
      return steps && options.once.callInSteps(key, steps);
    },
    ready: ({ once }) => once.ready(),
  },
  beginOnce: idempotentExecutor('beginOnce'),
  completeOnce: idempotentExecutor('completeOnce'),
  discardOnce: idempotentExecutor('discardOnce'),
  claimKey: claimExecutor('claimKey'),
  releaseKey: claimExecutor('releaseKey'),
  sweepKeys: {
    database: (_, { database }) => database,
    run: ({ once }, request) => once.sweepKeys(request),
  },
  createCache: structureExecutor('createCache'),
  defineCache: structureExecutor('defineCache'),
  destroyCache: structureExecutor('destroyCache'),
  stageCache: structureExecutor('stageCache'),
  swapCache: structureExecutor('swapCache'),
  dropStaged: structureExecutor('dropStaged'),
  removeDropped: structureExecutor('removeDropped'),
  runDdl: structureExecutor('runDdl'),
  previewDdl: structureExecutor('previewDdl'),
  planColumns: structureExecutor('planColumns'),
  planIndex: structureExecutor('planIndex'),
  removeIndex: structureExecutor('removeIndex'),
  recordCache: structureExecutor('recordCache'),
  setState: structureExecutor('setState'),
  trimFeed: {
    database: (_, { database }) => database,
    run: ({ connections }, { database, retention, nowMs, rows }) =>
      trimFeed(connections.get(database), retention, nowMs, rows),
  },
};
