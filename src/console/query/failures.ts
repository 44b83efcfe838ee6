/** Errors of statements: what is wrong, and where. */
import type { Translated } from './parameters.ts';
import { tokensOf } from './tokens.ts';

/** A part of the editor's text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface StatementFailure {
  readonly message: string;
  /** Undefined: nowhere, or it is not known. */
  readonly place: Place | undefined;
  readonly remedy: string | undefined;
  /** The path of a page of the service. */
  readonly documentation: string | undefined;
}

interface ReportedFailure {
  readonly message: string;
  /** From 1. */
  readonly position?: number | undefined;
  readonly remedy?: string | undefined;
  readonly documentation?: string | undefined;
}

export interface SentStatement {
  /** The text of the editor. */
  readonly text: string;
  readonly translated: Translated;
  /** What was sent before the statement. */
  readonly prefix: string;
}

/** Returns the position in what was sent, from 0; undefined if the error does not tell. */
function sentPosition({ position }: ReportedFailure, { translated, prefix }: SentStatement) {
  const sent = position === undefined ? undefined : Number(position) - 1;
  return sent === undefined || sent > prefix.length + translated.sql.length ? undefined : sent - prefix.length;
}

/** Returns an error of a statement with its place in the editor: the token at its position. */
export function failureIn(reported: ReportedFailure, sent: SentStatement): StatementFailure {
  const { text, translated } = sent;
  const position = sentPosition(reported, sent);
  const { message, remedy, documentation } = reported;
  const rest = { message, remedy, documentation };
  if (position === undefined) return { ...rest, place: undefined };
  const at = translated.positionOf(Math.max(0, position));
  const end = translated.positionOf(translated.sql.length);
  const tokens = tokensOf(text).filter(({ from, to }) => from < end && to > translated.positionOf(0));
  const found = tokens.find((token) => token.to > at) ?? tokens.at(-1);
  return { ...rest, place: found === undefined ? undefined : { from: found.from, to: found.to } };
}
