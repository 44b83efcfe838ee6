/** Refusals of statements: where in the text, and what would have been right. */
import { nearestNames } from '../../base/nearest.ts';
import { SqlFailure } from './sql-types.ts';

/** A refusal that knows the place in the statement and the nearest name that exists. */
export class StatementFailure extends SqlFailure {
  /** Offset of the place in the statement's text, from 0; undefined where there is none. */
  readonly at: number | undefined;
  readonly suggestion: string | undefined;

  constructor(
    text: string,
    h2Code: number | undefined,
    options: { at?: number; suggestion?: string | undefined; kind?: SqlFailure['kind'] } = {},
  ) {
    super(text, h2Code, options.kind);
    this.name = 'StatementFailure';
    this.at = options.at;
    this.suggestion = options.suggestion;
  }
}

/** A refusal without a code: Ignite's own sentence, behind which nothing stands. */
export function refusal(text: string, kind: SqlFailure['kind'] = 'statement'): StatementFailure {
  return new StatementFailure(text, undefined, { kind });
}

/**
 * The whole text of a refusal for the client: Ignite's sentence, the statement and the code, and behind them
 * what helps to mend it.
 */
export function describeFailure(failure: SqlFailure, statement: string): string {
  const hints: string[] = [];
  if (failure instanceof StatementFailure) {
    if (failure.at !== undefined) hints.push(`at ${placeOf(statement, failure.at)}`);
    if (failure.suggestion !== undefined) hints.push(`did you mean ${failure.suggestion}?`);
  }
  const hint = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  if (failure.h2Code === undefined) return failure.message + hint;
  return `${failure.message}; SQL statement:\n${statement} [${failure.h2Code}-197]${hint}`;
}

function placeOf(statement: string, at: number): string {
  const before = statement.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** The nearest name that there is; undefined when none is near. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names)[0];
}

export function tableNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Table "${name}" not found`, 42102, { at, suggestion, kind: 'notFound' });
}

export function columnNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Column "${name}" not found`, 42122, { at, suggestion, kind: 'notFound' });
}

export function schemaNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Schema "${name}" not found`, 90079, { at, suggestion, kind: 'notFound' });
}

export function functionNotFound(name: string, at: number, suggestion?: string): StatementFailure {
  return new StatementFailure(`Function "${name}" not found`, 90022, { at, suggestion, kind: 'notFound' });
}

export function columnCountMismatch(): StatementFailure {
  return new StatementFailure('Column count does not match', 21002);
}
