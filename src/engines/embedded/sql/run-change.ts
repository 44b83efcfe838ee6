/** Runs prepared changes on a writable connection. */

import type { SqlFailure } from '../../../base/sql-failure.ts';
import type { TableReader } from '../../../sql/binding/catalog.ts';
import type { Value } from '../../../values/value.ts';
import type { Binding } from '../storage/value-storage.ts';
import { bindArguments, bindingsOf } from './arguments.ts';
import type { Emptying } from './change-steps.ts';
import { keyExists } from './entry-table.ts';
import { type FunctionRegister, type NativeFunction, noteDuplicate } from './native-function.ts';
import type { PreparedChange } from './statement.ts';
import type { StorageRow } from './statement-cache.ts';

/** Stores the entries in the rows of a step, inside the running transaction. */
export interface EntryChanges {
  /** Stores an entry unless its key exists. In that case, returns the key as an error shows it. */
  insert(row: StorageRow): string | undefined;
  /** Stores an entry, or changes those parts of one that the row has. */
  put(row: StorageRow): void;
  /** Returns by how many entries the table has grown since the last call. */
  takeAdded(): number;
}

/** A cached statement of the connection. */
export interface ChangeRunner {
  /** Number of placeholders in the text. */
  readonly paramsCount: number;
  run(...bindings: Binding[]): { readonly changes: number };
  get(...bindings: Binding[]): StorageRow | null | undefined;
  iterate(...bindings: Binding[]): Iterable<StorageRow>;
}

export interface ChangeConnection {
  readonly register: FunctionRegister;
  /** Returns the statement of a text after registering the functions that it calls. */
  get(sql: string, functions: readonly NativeFunction[]): ChangeRunner;
}

export interface ChangeResult {
  /** The update count for the client. */
  readonly updated: bigint;
  /** Growth of the entry table in rows; negative when it shrank. */
  readonly addedRows: number;
  /**
   * The error for the client, although rows were stored and stay: with Ignite's semantics, an INSERT found
   * keys in the table.
   */
  readonly failure?: SqlFailure;
}

/** Runs the part that frees a whole table, which takes next to no space in the log. */
export type Freeing = (action: () => ChangeResult) => ChangeResult;

/**
 * Empties a table in one step, if it stores nothing but the rows to remove and expired entries: SQLite then frees its
 * pages without writing them to the log. Returns undefined for a table with other entries.
 */
function empty(
  { live, remove }: Emptying,
  bindings: readonly Binding[],
  connection: ChangeConnection,
  freeing: Freeing,
): ChangeResult | undefined {
  const counting = connection.get(live, []);
  const counts = counting.get(...bindingsOf(counting, bindings));
  const rows = Number(counts?.c0);
  if (rows !== Number(counts?.c1)) return undefined;
  return freeing(() => ({ updated: BigInt(rows), addedRows: -connection.get(remove, []).run().changes }));
}

/**
 * Runs the change. `freeing` runs a part that empties its table in one step; if undefined, rows are removed one by
 * one. A change of several steps is atomic only if the caller began a savepoint and rolls it back on an error. The
 * caller must have set `context.environment` of the register. `entries` stores a cache's entries; undefined if the
 * statement changes none.
 */
export function runChange(
  prepared: PreparedChange,
  args: readonly Value[],
  nowMs: number,
  reader: TableReader | undefined,
  connection: ChangeConnection,
  freeing?: Freeing,
  entries?: EntryChanges,
): ChangeResult {
  const bindings = bindArguments(prepared, args, nowMs, reader);
  const { context } = connection.register;
  const emptied = freeing && prepared.emptying && empty(prepared.emptying, bindings, connection, freeing);
  if (emptied !== undefined) return emptied;
  let updated = 0;
  let addedRows = 0;
  context.duplicates = undefined;
  for (const { sql, effect, entries: mode } of prepared.steps) {
    context.replacedRows = 0;
    const runner = connection.get(sql, prepared.functions);
    if (mode !== undefined) {
      if (entries === undefined) throw new TypeError('a change of entries without their writer');
      for (const row of runner.iterate(...bindingsOf(runner, bindings))) {
        context.poll();
        const existing = mode === 'put' ? entries.put(row) : entries.insert(row);
        if (existing === undefined) updated++;
        else if (mode === 'insert') throw keyExists(prepared.target, existing);
        else noteDuplicate(context, existing);
      }
      addedRows += entries.takeAdded();
      continue;
    }
    const { changes } = runner.run(...bindingsOf(runner, bindings));
    if (effect === 'none') continue;
    updated += changes;
    if (effect === 'store') addedRows += changes - context.replacedRows;
    if (effect === 'remove') addedRows -= changes;
  }
  const { duplicates } = context;
  const result = { updated: BigInt(updated), addedRows };
  return duplicates === undefined ? result : { ...result, failure: keyExists(prepared.target, duplicates) };
}
