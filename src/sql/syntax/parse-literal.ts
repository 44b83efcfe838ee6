/** Parses literals: strings, dates and times, constants and parameters. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailureAt } from '../../base/sql-errors.ts';
import { hexToBytes } from '../types/convert.ts';
import { parseDate, parseTime, parseTimestamp } from '../types/date-time.ts';
import { formatZoned, parseZoned } from '../types/zoned-timestamp.ts';
import type { Expression } from './ast.ts';
import { literal } from './number-literal.ts';
import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokenizer.ts';

export function stringLiteral(reader: TokenReader, token: Token): Expression {
  reader.advance();
  return literal({ name: 'VARCHAR' }, token.text, token);
}

/** Parses `?` or `?3`. */
export function parseParameter(reader: TokenReader, token: Token): Expression {
  reader.advance();
  if (token.text === '') {
    reader.parameterCount += 1;
    return { kind: 'parameter', index: reader.parameterCount - 1, at: token.start };
  }
  const index = Number(token.text) - 1;
  if (index < 0 || index >= SQL_BOUNDS.parameters) {
    throw sqlFailureAt({ at: token.start }, 'INVALID_VALUE', token.text, 'parameter index');
  }
  reader.parameterCount = Math.max(reader.parameterCount, index + 1);
  return { kind: 'parameter', index, at: token.start };
}

/** Parses a literal that begins with a word. Returns undefined if the word does not begin one. */
export function parseKeywordLiteral(reader: TokenReader, token: Token): Expression | undefined {
  const nextIsString = reader.peek(1).kind === 'string';
  switch (token.text) {
    case 'TRUE':
    case 'FALSE':
      reader.advance();
      return literal({ name: 'BOOLEAN' }, token.text === 'TRUE', token);
    case 'NULL':
      reader.advance();
      return literal({ name: 'NULL' }, null, token);
    case 'X':
      if (!nextIsString) return undefined;
      reader.advance();
      return literal({ name: 'BINARY' }, hexToBytes(joinedStrings(reader)), token);
    case 'N':
      if (!nextIsString) return undefined;
      reader.advance();
      return stringLiteral(reader, reader.token);
    case 'E':
      if (!nextIsString) return undefined;
      reader.advance();
      // Ignite knows no other escape.
      return literal({ name: 'VARCHAR' }, reader.readString().replaceAll('\\\\', '\\'), token);
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
      return parseTemporal(reader, token.text, token);
    case 'D':
    case 'T':
    case 'TS':
      if (!nextIsString) return undefined;
      reader.advance();
      return temporalLiteral(SHORT_NAMES[token.text], reader.readString(), token);
    default:
      return undefined;
  }
}

/** The types of `D '..'` and `{d '..'}`. */
const SHORT_NAMES = { D: 'DATE', T: 'TIME', TS: 'TIMESTAMP' } as const;

/** Parses the rest of `{d '2020-01-02'}`, `{t ..}` and `{ts ..}`. */
export function parseLiteralEscape(reader: TokenReader): Expression {
  const { token } = reader;
  const kinds: Readonly<Record<string, 'DATE' | 'TIME' | 'TIMESTAMP'>> = SHORT_NAMES;
  const kind = kinds[token.text];
  if (kind === undefined) throw reader.syntaxError('D', 'T', 'TS', 'FN');
  reader.advance();
  const text = reader.readString();
  reader.read('}');
  return temporalLiteral(kind, text, token);
}

/** Parses adjacent strings, which form one. */
function joinedStrings(reader: TokenReader): string {
  let text = reader.readString();
  while (reader.token.kind === 'string') text += reader.readString();
  return text;
}

function parseTemporal(reader: TokenReader, kind: 'DATE' | 'TIME' | 'TIMESTAMP', token: Token): Expression | undefined {
  const without = reader.isAhead(1, 'WITHOUT');
  const withZone = kind === 'TIMESTAMP' && reader.isAhead(1, 'WITH') && reader.isAhead(2, 'TIME');
  if (!without && !withZone && reader.peek(1).kind !== 'string') return undefined;
  reader.advance();
  if (withZone) {
    reader.readAll('WITH', 'TIME', 'ZONE');
    return literal({ name: 'TIMESTAMP_TZ' }, formatZoned(parseZoned(reader.readString())), token);
  }
  if (without) reader.readAll('WITHOUT', 'TIME', 'ZONE');
  return temporalLiteral(kind, reader.readString(), token);
}

function temporalLiteral(kind: 'DATE' | 'TIME' | 'TIMESTAMP', text: string, token: Token): Expression {
  const readers = { DATE: parseDate, TIME: parseTime, TIMESTAMP: parseTimestamp };
  return literal({ name: kind }, readers[kind](text), token);
}
