/** Entries and counters of a transaction, on the writable connection of the process for changes. */

import { type Call, type CallResult, type EntryKind, isOnEntries, isReadOfEntries } from '../../../../grid/calls.ts';
import { DEFAULT_REGION } from '../../../../grid/declarations.ts';
import type { KeyedCall } from '../../../../grid/transactions.ts';
import type { Value } from '../../../../values/value.ts';
import { SlidingExpiry } from '../../entries/sliding-expiry.ts';
import { statementEntries } from '../../shared/statement-entries.ts';
import type { PlainResult } from '../../shared/statement-protocol.ts';
import type { PreparedChange } from '../../sql/statement.ts';
import type { WritableDatabase } from '../../storage/databases.ts';
import { attachedPrefix, databaseOf } from '../../storage/databases.ts';
import { WriteTypeNames } from '../../storage/type-names.ts';
import type { WritableDatabases } from '../../storage/write-connections.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ChangeChannel } from '../../writer/changes.ts';
import { ENTRY_CHANGES } from '../../writer/entry-changes.ts';
import { ENTRY_READS } from '../../writer/entry-reads.ts';
import type { EntryWriter } from '../../writer/entry-writer.ts';
import { EntryWriters } from '../../writer/entry-writers.ts';
import type { StatementEntries } from '../../writer/statement-entries.ts';
import { SystemWriter } from '../../writer/system-writer.ts';
import type { SqlConnection } from '../sql-connection.ts';

const ON_ENTRIES: { readonly [K in EntryKind]: (cache: EntryWriter, call: Call<K>) => CallResult<K> } = {
  ...ENTRY_READS,
  ...ENTRY_CHANGES,
};

/** A region and the number of the database that holds it. */
export interface DataLocation {
  readonly database: number;
  readonly region: string;
}

export class TransactionEntries {
  readonly #thread: EngineThread;
  readonly #connection: () => SqlConnection;
  readonly #names: WriteTypeNames;
  readonly #writers: EntryWriters;
  readonly #system: SystemWriter;
  readonly #sliding: SlidingExpiry;
  /** The entries of caches with sliding expiry that this transaction has read. */
  readonly #read: Array<readonly [cache: string, key: Value]> = [];

  /** `connection` returns the transaction's connection, to which the files of its caches are attached. */
  constructor(
    thread: EngineThread,
    connection: () => SqlConnection,
    changes: ChangeChannel,
    onExpiry: (cache: string, atMs: number) => void,
  ) {
    const { shared, rules, metrics, clock, reads, registry } = thread;
    this.#thread = thread;
    this.#connection = connection;
    this.#sliding = new SlidingExpiry(changes, clock);
    this.#names = new WriteTypeNames(() => connection().database, shared);
    const connections: WritableDatabases = { get: (number) => this.target(number) };
    const names = this.#names;
    this.#writers = new EntryWriters({ connections, registry, names, rules, shared, metrics, clock, onExpiry });
    this.#system = new SystemWriter(connections, shared, clock, {
      countersDatabase: databaseOf(reads.files, DEFAULT_REGION),
      maxCounters: thread.limits.counters,
    });
  }

  /** Returns a database file as the transaction's connection names it. */
  target(number: number): WritableDatabase {
    const prefix = attachedPrefix(number);
    return { database: this.#connection().database, prefix };
  }

  /** Returns where a call reads or writes. Throws INACTIVE, READ_ONLY and CACHE_NOT_FOUND. */
  placeOf(call: KeyedCall): DataLocation {
    if (!isOnEntries(call)) {
      this.#system.checkCounterState();
      return { database: this.#system.countersDatabase, region: DEFAULT_REGION };
    }
    const { cache } = call;
    const handle = isReadOfEntries(call.kind) ? this.#writers.requireForReading(cache) : this.#writers.require(cache);
    return { database: handle.database, region: handle.definition.region };
  }

  /** Stores the type names of keys and values, so that a transaction on another file stores none. */
  storeTypeNames(call: KeyedCall): void {
    for (const field of Object.values(call)) {
      for (const each of Array.isArray(field) ? field : [field]) this.#storeNamesIn(each);
    }
  }

  #storeNamesIn(argument: unknown): void {
    if (isEntry(argument)) {
      this.#storeNamesIn(argument.key);
      this.#storeNamesIn(argument.value);
    } else if (isObject(argument)) this.#names.idOf(argument.typeName);
  }

  /** Runs a call. Reads in caches with sliding expiry move deadlines after the commit. */
  run(call: KeyedCall): PlainResult {
    if (!isOnEntries(call)) return this.#system.addToCounter(call);
    const result = this.#run(call);
    if (call.kind === 'get') this.#noteReads(call.cache, [call.key]);
    if (call.kind === 'getAll' || call.kind === 'getAllAsText') this.#noteReads(call.cache, call.keys);
    return result;
  }

  #run<K extends EntryKind>(call: Call<K>): CallResult<K> {
    const writer = isReadOfEntries(call.kind) ? this.#writers.forReading(call.cache) : this.#writers.of(call.cache);
    return ON_ENTRIES[call.kind](writer, call);
  }

  #noteReads(cache: string, keys: readonly Value[]): void {
    const { sliding } = this.#writers.requireForReading(cache).definition;
    if (sliding === true) for (const key of keys) this.#read.push([cache, key]);
  }

  /** Returns the writer for the entries of a change, or undefined for a change of rows. */
  ofStatement(statement: PreparedChange): StatementEntries | undefined {
    return statementEntries(this.#thread, statement, this.#writers);
  }

  /** Counts a statement's changes. */
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
