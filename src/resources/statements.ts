/** Runs statements for resources as commands, and reads their pages. */
import { GridError, gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { nearestNames } from '../base/nearest.ts';
import { namedTables, quotedTable } from '../grid/table-names.ts';
import type { Outcome } from '../service/request.ts';
import { answered, DRY_RUN_APPLIED, failureAnswer, preferencesOf, rejected } from './answers.ts';
import { execute, type ResourceCall } from './call.ts';
import type { PageFormat } from './pages.ts';
import { type Sql, sql, statementParameters } from './sql.ts';
import { allTables, findTable, type Table } from './tables.ts';

/** Runs a statement. Any outcome other than success is a response of the resource. */
export function runStatement(
  call: ResourceCall,
  statement: Sql,
  pageSize = 1,
  format?: PageFormat,
): MaybePromise<Outcome> {
  return chain(execute(call, 'qryfldexe', statementParameters(statement, pageSize), format), orFailure);
}

function orFailure(outcome: Outcome): Outcome {
  return outcome.successStatus === 0 ? outcome : failureAnswer(outcome);
}

/**
 * Runs a DML statement, or predicts its effect if the request prefers that. `text` is the input of {@link changedRows}.
 */
export function change(
  call: ResourceCall,
  statement: Sql,
  next: (outcome: Outcome, text: string) => MaybePromise<Outcome>,
): MaybePromise<Outcome> {
  if (preferencesOf(call.request).dryRun) {
    const params = statementParameters(statement, 1).set('of', 'qryfldexe');
    return chain(execute(call, 'dryrun', params), (outcome) => {
      if (outcome.successStatus !== 0) return failureAnswer(outcome);
      return answered(outcome, 200, outcome.response, DRY_RUN_APPLIED);
    });
  }
  // A response stored for repetition is a command's. Otherwise only the row is written.
  const format = call.request.header('idempotency-key') === null ? 'ndjson' : 'json';
  return chain(execute(call, 'qryfldexe', statementParameters(statement, 1), format), (outcome) => {
    if (outcome.successStatus !== 0) return failureAnswer(outcome);
    return chain(textOf(call, outcome), (text) => next(outcome, text));
  });
}

/** Returns the number in the only row of a change, which can be a string, from the row or from a page. */
export function changedRows(text: string): number {
  return Number(/(?:^\{"UPDATED":|"items":\[\[)"?(\d+)/.exec(text)?.[1] ?? 0);
}

/** Returns the number of rows in a page whose text has been read. */
export function rowCountOf({ page }: Outcome): number {
  return page?.end().rowCount ?? 0;
}

/** Returns a complete page. Throws LIMIT_EXCEEDED. */
export function textOf({ options }: ResourceCall, { response }: Outcome): MaybePromise<string> {
  return typeof response === 'string' ? response : collected(response, options.limits.batchResponseCharacters);
}

async function collected(chunks: AsyncIterable<string>, limit: number): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > limit)
      throw gridError('LIMIT_EXCEEDED', 'response characters', limit, `more than ${limit}`, 'batchResponseCharacters');
  }
  return text;
}

/**
 * Responds to a request for rows of the table that the address names. Problems in the request with regard to the
 * table's definition are only reported to callers who may read the table.
 */
export function withTable(call: ResourceCall, next: TableAnswer): MaybePromise<Outcome> {
  return chain(findTable(call.options, call.segments[0] ?? ''), (table) => answerOf(call, table, next));
}

/** Responds to a request for rows of a table. */
export type TableAnswer = (call: ResourceCall, table: Table) => MaybePromise<Outcome>;

function answerOf(call: ResourceCall, table: Table | undefined, next: TableAnswer): MaybePromise<Outcome> {
  if (table === undefined) {
    return afterReading(call, undefined, gridError('TABLE_NOT_FOUND', call.segments[0] ?? '', undefined));
  }
  try {
    const answer = next(call, table);
    if (!(answer instanceof Promise)) return withoutTelling(call, table, answer);
    return answer.then(
      (outcome) => withoutTelling(call, table, outcome),
      (error: unknown) => afterReading(call, table, error),
    );
  } catch (error) {
    return afterReading(call, table, error);
  }
}

/**
 * Returns an outcome, or, for a sender who may not read the table, the denial that it would get if the table
 * did not exist.
 */
function withoutTelling(call: ResourceCall, table: Table, outcome: Outcome): MaybePromise<Outcome> {
  if (outcome.failure?.code !== 'PERMISSION_DENIED') return outcome;
  return chain(readNothing(call, table.quoted), (read) =>
    read.failure?.code === 'PERMISSION_DENIED' ? denial(call, outcome) : outcome,
  );
}

/** Returns the denial for reading the table that the address names, whether or not it exists. */
function denial(call: ResourceCall, known: Outcome): MaybePromise<Outcome> {
  const [named] = namedTables(call.segments[0] ?? '');
  if (named === undefined) return known;
  return chain(readNothing(call, quotedTable(named)), (outcome) => (outcome.successStatus === 0 ? known : outcome));
}

function readNothing(call: ResourceCall, source: string): MaybePromise<Outcome> {
  return runStatement(call, sql(`SELECT 1 FROM ${source} WHERE 1 = 0`));
}

/** Responds with an error, or with the reason why the sender may not read the table. */
function afterReading(call: ResourceCall, table: Table | undefined, error: unknown): MaybePromise<Outcome> {
  if (!(error instanceof GridError)) throw error;
  const named = namedTables(call.segments[0] ?? '')[0];
  const source = table?.quoted ?? (named && quotedTable(named));
  if (source === undefined) throw error;
  return chain(readNothing(call, source), (outcome) => {
    const { failure } = outcome;
    if (table !== undefined && failure?.code === 'PERMISSION_DENIED') return denial(call, outcome);
    const isUnknown = failure?.code === 'SQL' || failure?.code === 'SQL_OBJECT_NOT_FOUND';
    if (table === undefined && isUnknown) return withNearest(call, error, outcome);
    return outcome.successStatus === 0 || isUnknown ? rejected(error, undefined, outcome) : outcome;
  });
}

/** Responds that the table does not exist, and suggests a similar one that the sender may read. */
async function withNearest(call: ResourceCall, error: GridError, outcome: Outcome): Promise<Outcome> {
  const [written = ''] = call.segments;
  const tables = await allTables(call.options);
  for (const name of nearestNames(written, tables.keys())) {
    const probe = await readNothing(call, tables.get(name)?.quoted ?? '');
    if (probe.successStatus === 0) return rejected(gridError('TABLE_NOT_FOUND', written, name), undefined, outcome);
  }
  return rejected(error, undefined, outcome);
}
