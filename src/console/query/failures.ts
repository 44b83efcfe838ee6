/** Errors of statements: what is wrong, and where. */
import type { ErrorDetails } from '../../client/failures.ts';
import type { Translated } from './parameters.ts';
import { tokensOf } from './tokens.ts';

/** A part of the editor's text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export interface StatementFailure extends Pick<ErrorDetails, 'remedy' | 'documentation'> {
  readonly message: string;
  /** Undefined if nowhere, or not known. */
  readonly place: TextRange | undefined;
}

export interface SentStatement {
  /** The text of the editor. */
  readonly text: string;
  readonly translated: Translated;
  /** The text that was sent before the statement. */
  readonly prefix: string;
}

/** Returns an error of a statement with its place in the editor: the token at its position. */
export function failureIn(
  { position, ...rest }: Omit<StatementFailure, 'place'> & Pick<ErrorDetails, 'position'>,
  { text, translated, prefix }: SentStatement,
): StatementFailure {
  const { sql, positionOf } = translated;
  const sent = position === undefined ? undefined : Number(position) - 1 - prefix.length;
  if (sent === undefined || sent > sql.length) return { ...rest, place: undefined };
  const at = positionOf(Math.max(0, sent));
  const tokens = tokensOf(text).filter(({ from, to }) => from < positionOf(sql.length) && to > positionOf(0));
  const found = tokens.find(({ to }) => to > at) ?? tokens.at(-1);
  return { ...rest, place: found && { from: found.from, to: found.to } };
}
