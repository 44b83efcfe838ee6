/** Entries and counters of a transaction, on the writable connection of the query thread for changes. */

import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import { type EntryCall, isReadOfEntries, type TransactionCall } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import { CacheRegistry } from '../ddl/cache-registry.ts';
import { SlidingExpiry } from '../entries/sliding-expiry.ts';
import { attachedName, DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import type { WritableDatabase, WritableDatabases } from '../storage/write-connections.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { ENTRY_OPERATIONS } from '../writer/entry-operations.ts';
import { ENTRY_READS } from '../writer/entry-reads.ts';
import { EntryWriters } from '../writer/entry-writers.ts';
import { SystemWriter, WriteTypeNames } from '../writer/system-writer.ts';
import type { PlainResult } from './query-protocol.ts';
import type { SqlConnection } from './sql-connection.ts';

type CounterCall = Extract<TransactionCall, { kind: 'counter' }>;

/** A region and the number of the database that holds it. */
export interface DataPlace {
  readonly database: number;
  readonly region: string;
}

export class TransactionEntries {
  readonly #connection: () => SqlConnection;
  readonly #names: WriteTypeNames;
  readonly #writers: EntryWriters;
  readonly #system: SystemWriter;
  readonly #sliding: SlidingExpiry;
  /** The entries of caches with sliding expiry that this transaction has read. */
  readonly #read: Array<readonly [cache: string, key: Value]> = [];

  /** `connection` returns the connection of the transaction, to which the files of its caches are attached. */
  constructor(
    thread: EngineThread,
    connection: () => SqlConnection,
    changes: ChangeChannel,
    onExpiry: (cache: string, atMs: number) => void,
  ) {
    const { shared, rules, metrics, clock, reads } = thread;
    this.#connection = connection;
    this.#sliding = new SlidingExpiry(changes, clock);
    this.#names = new WriteTypeNames(() => connection().database, shared);
    const databases: WritableDatabases = { get: (number) => this.target(number) };
    const registry = new CacheRegistry(reads, shared, this.#names);
    this.#writers = new EntryWriters(databases, registry, rules, shared, metrics, clock, onExpiry);
    this.#system = new SystemWriter(databases, shared, clock, {
      countersDatabase: databaseOf(reads.files, DEFAULT_REGION),
      maxCounters: thread.limits.counters,
    });
  }

  /** Returns a database file as the connection of the transaction names it. */
  target(number: number): WritableDatabase {
    const prefix = number === DATA_DATABASE ? '' : `${attachedName(number)}.`;
    return { database: this.#connection().database, prefix };
  }

  /** Returns where a call reads or writes. Throws INACTIVE, READ_ONLY and CACHE_NOT_FOUND. */
  placeOf(call: EntryCall | CounterCall): DataPlace {
    if (call.kind === 'counter') {
      this.#system.checkCounterState();
      return { database: this.#system.countersDatabase, region: DEFAULT_REGION };
    }
    const [cache] = call.args;
    const handle = isReadOfEntries(call.name) ? this.#writers.requireForReading(cache) : this.#writers.require(cache);
    return { database: handle.database, region: handle.definition.region };
  }

  /** Stores the names of the types of keys and values, so that a transaction on another file stores none. */
  storeTypeNames(call: EntryCall): void {
    for (const argument of call.args) {
      for (const each of Array.isArray(argument) ? argument : [argument]) this.#storeNamesIn(each);
    }
  }

  #storeNamesIn(argument: unknown): void {
    if (isEntry(argument)) {
      this.#storeNamesIn(argument.key);
      this.#storeNamesIn(argument.value);
    } else if (isObject(argument)) this.#names.idOf(argument.typeName);
  }

  /** Runs a call. Reads in caches with sliding expiry move deadlines after the commit. */
  run(call: EntryCall | CounterCall): PlainResult {
    const result = this.#run(call);
    if (call.kind === 'entries' && (call.name === 'get' || call.name === 'getAll')) {
      const [cache, key] = call.args;
      const { sliding } = this.#writers.requireForReading(cache).definition;
      if (sliding === true) for (const each of Array.isArray(key) ? key : [key]) this.#read.push([cache, each]);
    }
    return result;
  }

  #run(call: EntryCall | CounterCall): PlainResult {
    if (call.kind === 'counter') {
      const [name, ...args] = call.args;
      return this.#system.addToCounter({ name, args });
    }
    const [cache, ...args] = call.args;
    // The port declares the arguments of each operation, and both tables implement it.
    if (isReadOfEntries(call.name)) {
      return Reflect.apply(Reflect.get(ENTRY_READS, call.name), undefined, [this.#writers.forReading(cache), ...args]);
    }
    return Reflect.apply(Reflect.get(ENTRY_OPERATIONS, call.name), undefined, [this.#writers.of(cache), ...args]);
  }

  /** Counts what a statement has changed. */
  countStatement(cache: string, updated: bigint, addedRows: number): void {
    const { pending } = this.#writers.of(cache);
    pending.entries += addedRows;
    pending.writes += Number(updated);
  }

  /** Stores the numbers of entries, before the commit. */
  writeCounts(database: number): void {
    this.#writers.writeCounts(this.target(database));
  }

  committed(): void {
    this.#writers.countCommitted();
    this.#names.committed();
    for (const [cache, key] of this.#read.splice(0)) this.#sliding.noteRead(cache, key);
  }

  rolledBack(): void {
    this.#writers.forget();
    this.#names.rolledBack();
    this.#read.length = 0;
  }

  /** Finalizes all statements, before the connection is closed. */
  release(): void {
    this.#writers.release();
  }
}

function isEntry(argument: unknown): argument is { readonly key: unknown; readonly value: unknown } {
  return typeof argument === 'object' && argument !== null && 'key' in argument && 'value' in argument;
}

function isObject(argument: unknown): argument is Extract<Value, { type: 'object' }> {
  return typeof argument === 'object' && argument !== null && 'typeName' in argument;
}
