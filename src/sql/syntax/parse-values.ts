/** Parses rows of values. */

import type { Expression, QueryBody } from './ast.ts';
import type { ExpressionParser } from './parse-expression.ts';

export function parseValues(parser: ExpressionParser): QueryBody {
  const at = parser.reader.read('VALUES').start;
  return { kind: 'values', rows: parseRows(parser), at };
}

/** Parses `(a, b), (c, d)`. A row of one value needs no parentheses. */
export function parseRows(parser: ExpressionParser): Array<readonly Expression[]> {
  const { reader } = parser;
  const rows: Array<readonly Expression[]> = [];
  do {
    if (reader.is('(')) {
      reader.read('(');
      const row = reader.is(')') ? [] : parser.parseList();
      reader.read(')');
      rows.push(row);
    } else {
      rows.push([parser.parse()]);
    }
  } while (reader.readIf(','));
  return rows;
}
