/**
 * Fuzzes parser and binder: a statement is prepared or rejected with a text, comments do not change what it means, and
 * SQLite accepts the generated SQL.
 */

import { SqlFailure } from '../../../src/base/sql-failure.ts';
import type { Prepared } from '../../../src/engines/embedded/sql/statement.ts';
import { tokenize } from '../../../src/sql/syntax/tokenizer.ts';
import { SqlStore } from '../../fixtures/embedded/sql-store.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { smallerTexts } from './mutations.ts';
import { DEFINITIONS, generateStatement } from './sql-grammar.ts';

/** Returns the prepared statement; throws an SqlFailure for a statement that it rejects. */
export type Preparer = (statement: string) => Prepared;

/** Statements that one store compiles: each leaves functions on the store's connection. */
const STATEMENTS_PER_STORE = 5_000;
let shared: SqlStore | undefined;
let compiled = 0;

/** Returns the store whose tables the statements name. */
function store(): SqlStore {
  if (shared !== undefined && compiled < STATEMENTS_PER_STORE) return shared;
  shared?.database.close();
  shared = new SqlStore();
  compiled = 0;
  for (const definition of DEFINITIONS) shared.run(definition);
  return shared;
}

/** Prepares statements with the service's code. */
export const servicePreparer: Preparer = (statement) => store().prepare(statement);

export function statementsFuzzer(prepare: Preparer = servicePreparer): Fuzzer<string> {
  return {
    name: 'sql-statements',
    generate: generateStatement,
    check(text) {
      const prepared = accepted(prepare, text);
      const commented = withComments(text);
      if (commented !== undefined) {
        const other = accepted(prepare, commented);
        mustEqual(other && shapeOf(other), prepared && shapeOf(prepared), 'statement with comments');
      }
      if (prepared?.kind === 'query') compile(prepared);
    },
    smaller: smallerTexts,
    show: (text) => JSON.stringify(text),
  };
}

function accepted(prepare: Preparer, text: string): Prepared | undefined {
  try {
    return prepare(text);
  } catch (error) {
    if (error instanceof SqlFailure) return undefined;
    throw error;
  }
}

/** Returns the statement with comments instead of blanks, or undefined for a text that has no tokens. */
function withComments(text: string): string | undefined {
  try {
    let result = '';
    let at = 0;
    for (const { start, end } of tokenize(text)) {
      // Nothing may come between tokens that touch: x'00' is one literal.
      result += `${start > at ? " /* ' */ " : ''}${text.slice(start, end)}`;
      at = end;
    }
    return result;
  } catch {
    return undefined;
  }
}

/** Returns the properties that do not depend on comments and blanks. */
function shapeOf(prepared: Prepared): unknown {
  switch (prepared.kind) {
    case 'query':
    case 'explain':
      return [prepared.kind, prepared.sql, prepared.byKey, prepared.parameterCount];
    case 'change':
      return [prepared.kind, prepared.change, prepared.byKey, prepared.steps.length, prepared.parameterCount];
    case 'ddl':
      return [prepared.kind, prepared.statement.kind];
  }
}

/** Throws unless SQLite accepts the query. Exceeding SQLite's own size limits is not a fault. */
function compile(prepared: Extract<Prepared, { kind: 'query' }>): void {
  try {
    compiled++;
    const args = Array.from({ length: prepared.parameterCount }, () => '1');
    store().execute({ ...prepared, kind: 'explain', analyze: false }, args);
  } catch (error) {
    if (error instanceof SqlFailure) return;
    const message = error instanceof Error ? error.message : String(error);
    if (/too (?:large|many|deep|big)|parser stack|maximum depth/i.test(message)) return;
    throw new Error(`SQLite: ${message} in ${prepared.sql}`);
  }
}
