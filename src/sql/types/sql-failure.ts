/** Failures of SQL statements, and how a client sees them. */
import { type ErrorCode, shortened } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest.ts';

/** What a failure means to a client: `notFound` and `conflict` have error codes of their own. */
export type SqlFailureKind = 'statement' | 'notFound' | 'conflict';

/** The error codes of the kinds. */
export const SQL_FAILURE_CODES: Readonly<Record<SqlFailureKind, ErrorCode>> = {
  statement: 'SQL',
  notFound: 'SQL_OBJECT_NOT_FOUND',
  conflict: 'SQL_CONFLICT',
};

/** Where in a statement an error is, and the name that may have been meant. */
export interface ErrorPlace {
  /** Offset in the statement's text, from 0. */
  readonly at?: number | undefined;
  readonly suggestion?: string | undefined;
}

/**
 * A failure that a statement causes. `message` is the sentence without the `; SQL statement:\n... [code-197]` that
 * {@link describeFailure} appends when `h2Code` is set.
 */
export class SqlFailure extends Error {
  readonly h2Code: number | undefined;
  readonly kind: SqlFailureKind;
  readonly place: ErrorPlace;

  constructor(text: string, h2Code?: number, kind: SqlFailureKind = 'statement', place: ErrorPlace = {}) {
    super(text);
    this.name = 'SqlFailure';
    this.h2Code = h2Code;
    this.kind = kind;
    this.place = place;
  }
}

/** Returns the text that a client sees: Ignite's sentence, the statement, the code, then the place and a suggestion. */
export function describeFailure(failure: SqlFailure, statement: string): string {
  const { at, suggestion } = failure.place;
  const hints: string[] = [];
  if (at !== undefined) hints.push(`at ${lineAndColumn(statement, at)}`);
  if (suggestion !== undefined) hints.push(`did you mean ${suggestion}?`);
  const hint = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  if (failure.h2Code === undefined) return failure.message + hint;
  return `${failure.message}; SQL statement:\n${shortened(statement)} [${failure.h2Code}-197]${hint}`;
}

function lineAndColumn(statement: string, at: number): string {
  const before = statement.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** Returns the name most similar to `name`; undefined when none is similar. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names)[0];
}
