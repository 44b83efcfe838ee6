/** Failures of SQL statements, and how a client sees them. */
import { type ErrorCode, shortened } from './errors.ts';
import { nearestNames } from './nearest.ts';

/** The meaning of a failure for a client: `notFound` and `conflict` have separate error codes. */
export type SqlFailureKind = 'statement' | 'notFound' | 'conflict';

/** The error codes by kind. */
export const SQL_FAILURE_CODES: Readonly<Record<SqlFailureKind, ErrorCode>> = {
  statement: 'SQL',
  notFound: 'SQL_OBJECT_NOT_FOUND',
  conflict: 'SQL_CONFLICT',
};

/** Where in a statement an error is, and the name that was probably meant. */
export interface ErrorLocation {
  /** Offset in the statement's text, from 0. */
  readonly at?: number | undefined;
  readonly suggestion?: string | undefined;
  /** The conversion that failed: the target's title and, if it is a string, the value. */
  readonly conversion?: { readonly target: string; readonly text: string | undefined } | undefined;
  /** Number of the argument that was converted, from 1. */
  readonly argument?: number | undefined;
  /** Column whose stored value was converted. */
  readonly source?: string | undefined;
  /** Column for which a value was converted. */
  readonly column?: string | undefined;
  /** Another identification of the culprit, such as a table. */
  readonly about?: string | undefined;
}

/** Values up to this length are searched for in the statement. */
const SOUGHT_CHARACTERS = 1_000;
/** Statements up to this length are searched for the column of a conversion. */
const SEARCHED_CHARACTERS = 100_000;
/** H2's code for a column that does not exist. */
const NO_COLUMN = 42122;
/** Number of characters after a column in which `AS` or `::` indicates a cast. */
const CAST_CONTEXT = 100;

/**
 * A failure caused by a statement. `message` is the sentence without the `; SQL statement:\n... [code-197]` that {@link
 * describeFailure} appends when `h2Code` is set.
 */
export class SqlFailure extends Error {
  readonly h2Code: number | undefined;
  readonly kind: SqlFailureKind;
  #place: ErrorLocation;

  constructor(text: string, h2Code?: number, kind: SqlFailureKind = 'statement', place: ErrorLocation = {}) {
    super(text);
    this.name = 'SqlFailure';
    this.h2Code = h2Code;
    this.kind = kind;
    this.#place = place;
  }

  get place(): ErrorLocation {
    return this.#place;
  }

  /** Adds the location to the failure, unless a more exact one is known, and returns it. */
  within(place: ErrorLocation): this {
    this.#place = { ...place, ...this.#place };
    return this;
  }
}

/**
 * Returns the text that a client sees: Ignite's sentence, the statement, the code, then the location and a suggestion.
 */
export function describeFailure(failure: SqlFailure, statement: string): string {
  const { suggestion, about } = failure.place;
  const at = offsetOf(failure, statement);
  const hints: string[] = [];
  if (at !== undefined) hints.push(`at ${lineAndColumn(statement, at)}`);
  const conversion = conversionHint(failure.place);
  if (conversion !== undefined) hints.push(conversion);
  if (about !== undefined) hints.push(about);
  if (suggestion !== undefined) hints.push(`did you mean ${suggestion}?`);
  else if (failure.h2Code === NO_COLUMN && at !== undefined && statement[at] === '"')
    hints.push('double quotes are for names, single quotes for texts');
  const hint = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  if (failure.h2Code === undefined) return failure.message + hint;
  return `${failure.message}; SQL statement:\n${shortened(statement)} [${failure.h2Code}-197]${hint}`;
}

/** Returns the character of the statement that the failure is about, from 1, or undefined if it is ambiguous. */
export function positionOf(failure: SqlFailure, statement: string): number | undefined {
  const at = offsetOf(failure, statement);
  return at === undefined ? undefined : at + 1;
}

function offsetOf({ place }: SqlFailure, statement: string): number | undefined {
  return place.at ?? positionOfOperand(place, statement);
}

/** Returns the position of the value that could not be converted, if it is unambiguous. */
function positionOfOperand({ conversion, argument, source }: ErrorLocation, statement: string): number | undefined {
  if (conversion === undefined || argument !== undefined) return undefined;
  return source === undefined ? positionOfValue(conversion.text, statement) : positionOfColumn(source, statement);
}

function positionOfValue(text: string | undefined, statement: string): number | undefined {
  if (text === undefined || text.length > SOUGHT_CHARACTERS) return undefined;
  const literal = `'${text.replaceAll("'", "''")}'`;
  const at = statement.indexOf(literal);
  return at >= 0 && !statement.includes(literal, at + 1) ? at : undefined;
}

/** Returns the position of a column that the statement mentions once, or casts once. */
function positionOfColumn(name: string, statement: string): number | undefined {
  if (statement.length > SEARCHED_CHARACTERS) return undefined;
  const text = statement.replaceAll(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (hidden) => ' '.repeat(hidden.length));
  const sought = `(?<![\\p{L}\\p{N}_$])${name.replaceAll(/[^\p{L}\p{N}_]/gu, '\\$&')}(?![\\p{L}\\p{N}_$])`;
  const places = [...text.matchAll(new RegExp(sought, 'giu'))];
  if (places.length === 1) return places[0]?.index;
  const casts = places.filter(({ index, 0: found }) => {
    const behind = text.slice(index + found.length, index + found.length + CAST_CONTEXT);
    return /^"?\s*::/.test(behind) || (/^"?\s+as\s/i.test(behind) && /\bcast\s*\([^()]*$/i.test(text.slice(0, index)));
  });
  return casts.length === 1 ? casts[0]?.index : undefined;
}

function conversionHint({ conversion, argument, source, column }: ErrorLocation): string | undefined {
  if (conversion === undefined) return undefined;
  let subject = '';
  if (argument !== undefined) subject = ` argument ${argument}`;
  else if (source !== undefined) subject = ` column ${source}`;
  return `converting${subject} to ${conversion.target}${column === undefined ? '' : ` for column ${column}`}`;
}

function lineAndColumn(statement: string, at: number): string {
  const before = statement.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** Returns the name most similar to `name`, or undefined if none is similar. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names)[0];
}
