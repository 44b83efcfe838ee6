/** Expands the condition of a type query (qryexe) into a statement. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { type Token, tokenize } from '../syntax/tokenizer.ts';
import type { SqlTable } from './catalog.ts';
import { deparseName } from './deparser.ts';

/**
 * Returns `SELECT _KEY, _VAL FROM table WHERE condition`. The text is a condition, or begins with WHERE or a later
 * clause, FROM, `SELECT *` or `SELECT alias.*`. Throws for a SELECT of columns.
 */
export function typeQueryText(text: string, table: SqlTable): string {
  const tokens = tokenize(text);
  const [first] = tokens;
  const name = `${deparseName(table.schema)}.${deparseName(table.name)}`;
  const word = first?.kind === 'word' ? first.text : '';
  const select = (alias: string | undefined, rest: string): string => {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return `SELECT ${prefix}_KEY, ${prefix}_VAL ${rest}`;
  };
  switch (word) {
    case 'SELECT': {
      const { alias, rest } = readSelect(tokens, text);
      return select(alias ?? qualifier(tokens, text), rest);
    }
    case 'FROM':
      return select(qualifier(tokens, text), text);
    case 'WHERE':
    case 'ORDER':
    case 'GROUP':
    case 'LIMIT':
    case 'OFFSET':
    case 'FETCH':
    case 'UNION':
    case 'HAVING':
      return select(undefined, `FROM ${name} ${text}`);
    default:
      return select(undefined, `FROM ${name} WHERE ${text}`);
  }
}

function readSelect(
  tokens: readonly Token[],
  text: string,
): { readonly alias: string | undefined; readonly rest: string } {
  const [, second, third, fourth] = tokens;
  if (second?.text === '*' && second.kind === 'symbol') return { alias: undefined, rest: text.slice(second.end) };
  if (third?.text === '.' && fourth?.text === '*' && second !== undefined) {
    return { alias: text.slice(second.start, second.end), rest: text.slice(fourth.end) };
  }
  throw sqlFailure('TYPE_QUERY', text);
}

/** Returns the alias or name of the first table after FROM. In a join, an unqualified `_KEY` would be ambiguous. */
function qualifier(tokens: readonly Token[], text: string): string | undefined {
  const from = tokens.findIndex((token) => token.kind === 'word' && token.text === 'FROM');
  if (from < 0) return undefined;
  let at = from + 1;
  const isNameAt = (place: number): boolean => ['word', 'quoted'].includes(tokens[place]?.kind ?? '');
  if (!isNameAt(at)) return undefined;
  while (tokens[at + 1]?.text === '.' && isNameAt(at + 2)) at += 2;
  const next = tokens[at + 1];
  if (next?.kind === 'word' && next.text === 'AS') at += 2;
  else if (next !== undefined && isAlias(next)) at += 1;
  const token = tokens[at];
  return token === undefined ? undefined : text.slice(token.start, token.end);
}

const CLAUSES = new Set([
  'WHERE',
  'ORDER',
  'GROUP',
  'LIMIT',
  'OFFSET',
  'FETCH',
  'UNION',
  'HAVING',
  'INNER',
  'LEFT',
  'RIGHT',
  'JOIN',
  'CROSS',
  'NATURAL',
  'USE',
  'FULL',
  'ON',
]);

function isAlias(token: Token): boolean {
  return token.kind === 'quoted' || (token.kind === 'word' && !CLAUSES.has(token.text));
}
