/** Who carries out each change, and in which database: the writer's table, complete by name. */
import type { Database } from 'bun:sqlite';
import type { Structure } from '../ddl/structure.ts';
import type { StructureChanges } from '../ddl/structure-changes.ts';
import type { PreparedChange } from '../sql/statement.ts';
import { DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { ChangeName, Changes, EntryChanges, SentStatement, SystemChanges } from './changes.ts';
import { ENTRY_CHANGES } from './entry-changes.ts';
import type { EntryWriters } from './entry-writers.ts';
import type { SystemWriter } from './system-writer.ts';

/** Runs changes by key in SQL on the writer's connections. */
export interface StatementExecutor {
  /** Prepares the change. Throws by the cluster's state. */
  prepare(statement: SentStatement): PreparedChange;
  /** Runs it inside the transaction that the writer has begun on `database`; all or nothing. */
  run(statement: SentStatement, prepared: PreparedChange, database: Database): { updated: bigint; addedRows: number };
}

export interface ExecutorParts {
  readonly connections: WriteConnections;
  readonly entries: EntryWriters;
  readonly system: SystemWriter;
  readonly structure: Structure;
  readonly statements: StatementExecutor;
}

export interface Executor<N extends ChangeName> {
  /** Number of the database it changes; undefined: it has a commit of its own. Refuses by state and cache. */
  database(parts: ExecutorParts, request: Changes[N]['request']): number | undefined;
  run(parts: ExecutorParts, request: Changes[N]['request']): Changes[N]['response'];
}

function entry<N extends keyof EntryChanges>(name: N): Executor<N> {
  return {
    database: ({ entries }, { cache }) => entries.require(cache).database,
    run: ({ entries }, request) => ENTRY_CHANGES[name](entries.of(request.cache), request),
  };
}

function record<N extends keyof SystemChanges>(
  run: (system: SystemWriter, request: SystemChanges[N]['request']) => SystemChanges[N]['response'],
): Executor<N> {
  return { database: () => DATA_DATABASE, run: ({ system }, request) => run(system, request) };
}

function structural<N extends keyof StructureChanges>(
  run: (structure: Structure, request: StructureChanges[N]['request']) => StructureChanges[N]['response'],
): Executor<N> {
  return { database: () => undefined, run: ({ structure }, request) => run(structure, request) };
}

export const EXECUTORS: { readonly [N in ChangeName]: Executor<N> } = {
  put: entry('put'),
  putAll: entry('putAll'),
  putIfAbsent: entry('putIfAbsent'),
  getAndPut: entry('getAndPut'),
  getAndPutIfAbsent: entry('getAndPutIfAbsent'),
  replace: entry('replace'),
  getAndReplace: entry('getAndReplace'),
  replaceIfEquals: entry('replaceIfEquals'),
  remove: entry('remove'),
  getAndRemove: entry('getAndRemove'),
  removeIfEquals: entry('removeIfEquals'),
  removeAll: entry('removeAll'),
  clear: entry('clear'),
  append: entry('append'),
  prepend: entry('prepend'),
  updateTtl: entry('updateTtl'),
  runStatement: {
    database: ({ statements, connections }, request) =>
      databaseOf(connections.files, statements.prepare(request).target.region),
    run({ statements, connections, entries }, request) {
      const prepared = statements.prepare(request);
      const { target } = prepared;
      const { database } = connections.get(databaseOf(connections.files, target.region));
      const { updated, addedRows } = statements.run(request, prepared, database);
      const { pending } = entries.of(target.cache);
      pending.entries += addedRows;
      pending.writes += Number(updated);
      return updated;
    },
  },
  sweep: {
    database: ({ entries }, { cache }) => entries.requireForSweep(cache).database,
    run: ({ entries }, request) => ENTRY_CHANGES.sweep(entries.forSweep(request.cache), request),
  },
  addToCounter: {
    database({ system }) {
      system.checkCounterState();
      return system.countersDatabase;
    },
    run: ({ system }, request) => system.addToCounter(request),
  },
  putRecord: record<'putRecord'>((system, request) => system.putRecord(request)),
  addRecord: record<'addRecord'>((system, request) => system.addRecord(request)),
  removeRecord: record<'removeRecord'>((system, request) => system.removeRecord(request)),
  sweepRecords: record<'sweepRecords'>((system) => system.sweepRecords()),
  createCache: structural<'createCache'>((structure, request) => structure.createCache(request)),
  defineCache: structural<'defineCache'>((structure, request) => structure.defineCache(request)),
  destroyCache: structural<'destroyCache'>((structure, request) => structure.destroyCache(request)),
  runDdl: structural<'runDdl'>((structure, request) => structure.runDdl(request)),
  planIndex: structural<'planIndex'>((structure, request) => structure.planIndex(request)),
  setState: structural<'setState'>((structure, request) => structure.setState(request)),
};
