/** Who carries out each change, and in which database: the writer's table, complete by name. */

import type { Structure } from '../ddl/structure.ts';
import type { WriterStatements } from '../queries/writer-statements.ts';
import { DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { ChangeName, Changes, EntryChanges, StructureChanges, SystemChanges } from './changes.ts';
import { ENTRY_CHANGES } from './entry-changes.ts';
import type { EntryWriters } from './entry-writers.ts';
import type { SystemWriter } from './system-writer.ts';

export interface ExecutorParts {
  readonly connections: WriteConnections;
  readonly entries: EntryWriters;
  readonly system: SystemWriter;
  readonly structure: Structure;
  readonly statements: WriterStatements;
}

export interface Executor<N extends ChangeName> {
  /** Number of the database it changes; undefined: it has a commit of its own. Refuses by state and cache. */
  database(parts: ExecutorParts, question: Changes[N]['question']): number | undefined;
  run(parts: ExecutorParts, question: Changes[N]['question']): Changes[N]['answer'];
}

function entry<N extends keyof EntryChanges>(name: N): Executor<N> {
  return {
    database: ({ entries }, { cache }) => entries.require(cache).database,
    run: ({ entries }, question) => ENTRY_CHANGES[name](entries.of(question.cache), question),
  };
}

function record<N extends keyof SystemChanges>(
  run: (system: SystemWriter, question: SystemChanges[N]['question']) => SystemChanges[N]['answer'],
): Executor<N> {
  return { database: () => DATA_DATABASE, run: ({ system }, question) => run(system, question) };
}

function structural<N extends keyof StructureChanges>(
  run: (structure: Structure, question: StructureChanges[N]['question']) => StructureChanges[N]['answer'],
): Executor<N> {
  return { database: () => undefined, run: ({ structure }, question) => run(structure, question) };
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
    database: ({ statements, connections }, question) =>
      databaseOf(connections.files, statements.prepare(question).target.region),
    run({ statements, connections, entries }, question) {
      const prepared = statements.prepare(question);
      const { target } = prepared;
      const { database } = connections.get(databaseOf(connections.files, target.region));
      const { updated, addedRows } = statements.run(question, prepared, database);
      const { pending } = entries.of(target.cache);
      pending.entries += addedRows;
      pending.writes += Number(updated);
      return updated;
    },
  },
  sweep: {
    database: ({ entries }, { cache }) => entries.requireForSweep(cache).database,
    run: ({ entries }, question) => ENTRY_CHANGES.sweep(entries.forSweep(question.cache), question),
  },
  addToCounter: {
    database({ system }) {
      system.checkCounterState();
      return system.countersDatabase;
    },
    run: ({ system }, question) => system.addToCounter(question),
  },
  putRecord: record<'putRecord'>((system, question) => system.putRecord(question)),
  addRecord: record<'addRecord'>((system, question) => system.addRecord(question)),
  removeRecord: record<'removeRecord'>((system, question) => system.removeRecord(question)),
  sweepRecords: record<'sweepRecords'>((system) => system.sweepRecords()),
  createCache: structural<'createCache'>((structure, question) => structure.createCache(question)),
  defineCache: structural<'defineCache'>((structure, question) => structure.defineCache(question)),
  destroyCache: structural<'destroyCache'>((structure, question) => structure.destroyCache(question)),
  runDdl: structural<'runDdl'>((structure, question) => structure.runDdl(question)),
  planIndex: structural<'planIndex'>((structure, question) => structure.planIndex(question)),
  setState: structural<'setState'>((structure, question) => structure.setState(question)),
};
