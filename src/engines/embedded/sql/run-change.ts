/** Runs prepared changes on a connection that may write. */
import type { Value } from '../../../values/value.ts';
import type { Binding } from '../storage/value-storage.ts';
import type { FunctionRegister } from './native-function.ts';
import { bindArguments, type PreparedChange } from './statement.ts';

/** A statement of the connection, kept by its text. */
export interface ChangeRunner {
  /** Parameters that the text has, and what a run changed. */
  readonly paramsCount: number;
  run(...bindings: Binding[]): { readonly changes: number };
}

export interface ChangeConnection {
  readonly register: FunctionRegister;
  /** The statement of a text; the functions that it needs are registered. */
  statement(sql: string): ChangeRunner;
}

export interface ChangeResult {
  /** What the client is told. */
  readonly updated: bigint;
  /** By how many rows the entry table has grown. */
  readonly addedRows: number;
}

/**
 * Runs the change. It is all or nothing when the caller has begun a savepoint and rolls it back on a throw; a change
 * of one step is so by itself. `surroundings.environment` of the register must have been set.
 */
export function runChange(
  prepared: PreparedChange,
  args: readonly Value[],
  nowMs: number,
  connection: ChangeConnection,
): ChangeResult {
  const bindings = bindArguments(prepared, args, nowMs);
  connection.register.ensure(prepared.functions);
  const { context } = connection.register;
  let updated = 0;
  let addedRows = 0;
  for (const { sql, effect } of prepared.steps) {
    context.replacedRows = 0;
    const runner = connection.statement(sql);
    const { changes } = runner.run(...bindings.slice(0, runner.paramsCount));
    if (effect === 'none') continue;
    updated += changes;
    if (effect === 'store') addedRows += changes - context.replacedRows;
    if (effect === 'remove') addedRows -= changes;
  }
  return { updated: BigInt(updated), addedRows };
}
