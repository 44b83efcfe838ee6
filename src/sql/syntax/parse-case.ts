/** Parses CASE expressions. */

import type { ArgumentParser } from './argument-parser.ts';
import type { Expression } from './ast.ts';
import type { TokenReader } from './token-reader.ts';

/** Distinguishes CASE from a column of that name, because it is not a reserved word. */
export function isCase(reader: TokenReader): boolean {
  const next = reader.peek(1);
  return next.kind !== 'end' && !(next.kind === 'symbol' && ![`(`, '-', '+', '{'].includes(next.text));
}

/** Parses CASE. */
export function parseCase(parser: ArgumentParser): Expression {
  const { reader } = parser;
  reader.read('CASE');
  const operand = reader.is('WHEN') ? undefined : parser.parse();
  const branches: Array<{ when: Expression; result: Expression }> = [];
  reader.read('WHEN');
  do {
    const when = parser.parse();
    reader.read('THEN');
    branches.push({ when, result: parser.parse() });
  } while (reader.readIf('WHEN'));
  const otherwise = reader.readIf('ELSE') ? parser.parse() : undefined;
  reader.read('END');
  reader.readIf('CASE');
  return { kind: 'case', operand, branches, otherwise };
}
