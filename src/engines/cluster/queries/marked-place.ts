/** Finds the location that a node marks with `[*]` in the statement that its error quotes. */
import { SqlFailure } from '../../../base/sql-failure.ts';
import { Scanner } from '../../../sql/syntax/tokenizer.ts';

/** H2 doubles the quotes of the statement that it quotes, and Ignite's own parser does not. */
const OF_H2 = /Syntax error in SQL statement "((?:[^"]|"")*)"/;
const OF_IGNITE = /Failed to parse SQL statement "([\s\S]*?\[\*\][\s\S]*?)": /;
const MARK = '[*]';

/** Returns the character of the statement that a node's error marks, from 1, or undefined if it marks none. */
export function markedPosition(message: string, sql: string): number | undefined {
  const quotedByH2 = OF_H2.exec(message)?.[1]?.replaceAll('""', '"');
  const quoted = quotedByH2 ?? OF_IGNITE.exec(message)?.[1];
  const offset = quoted === undefined ? undefined : offsetOfMark(quoted, sql);
  if (offset === undefined) return undefined;
  // H2 marks the end of the token, Ignite its beginning.
  const start = quotedByH2 === undefined ? offset : startOfToken(sql, offset);
  return Math.min(start, sql.length) + 1;
}

/**
 * Returns the offset of a mark in `sql`. A node quotes the statement, the rest of it, or one that ends with it, with
 * words in upper case and without comments. Returns undefined if it quotes another text.
 */
function offsetOfMark(quoted: string, sql: string): number | undefined {
  for (let mark = quoted.indexOf(MARK); mark >= 0; mark = quoted.indexOf(MARK, mark + 1)) {
    const shown = (quoted.slice(0, mark) + quoted.slice(mark + MARK.length)).trimEnd();
    const shift = sql.trimEnd().length - shown.length;
    const offset = mark + shift;
    if (offset >= 0 && isShownAs(sql.slice(Math.max(0, shift)), shown.slice(Math.max(0, -shift)))) return offset;
  }
  return undefined;
}

function isShownAs(sql: string, shown: string): boolean {
  for (let at = 0; at < shown.length; at += 1) {
    const character = shown.charAt(at);
    if (character !== ' ' && character.toUpperCase() !== sql.charAt(at).toUpperCase()) return false;
  }
  return true;
}

/**
 * Returns the offset of the token that ends at `end`, or `end` if none does, or if the token that begins
 * there has no end.
 */
function startOfToken(sql: string, end: number): number {
  const scanner = new Scanner(sql);
  try {
    while (scanner.next() !== 'end') {
      if (scanner.end < end) continue;
      const { start } = scanner;
      if (scanner.end > end) return end;
      scanner.next();
      return start;
    }
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
  }
  return end;
}
