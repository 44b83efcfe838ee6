/** Queries of rows `(a, b)`, with which rows are compared. */
import type { Expression, Query, QueryBody } from '../syntax/ast.ts';

/**
 * Returns a query with the columns of its rows, `SELECT a, b` for `SELECT (a, b)`, if each operand of a set operation
 * returns rows of that length.
 */
export function asRows(query: Query, length: number): Query {
  const body = bodyAsRows(query.body, length);
  return body === undefined ? query : { ...query, body };
}

/** Returns undefined unless the only column of every row is a row of that length. */
function bodyAsRows(body: QueryBody, length: number): QueryBody | undefined {
  switch (body.kind) {
    case 'select': {
      const [only] = body.items;
      if (body.items.length !== 1 || only?.kind !== 'expression' || !isRowOf(only.expression, length)) return undefined;
      return { ...body, items: only.expression.items.map((expression) => ({ ...only, expression, alias: undefined })) };
    }
    case 'values': {
      const rows = body.rows.map(([only, ...others]) =>
        only !== undefined && others.length === 0 && isRowOf(only, length) ? only.items : undefined,
      );
      const known = rows.filter((row) => row !== undefined);
      return known.length === rows.length ? { ...body, rows: known } : undefined;
    }
    case 'setOperation': {
      const [left, right] = [bodyAsRows(body.left, length), bodyAsRows(body.right, length)];
      return left && right && { ...body, left, right };
    }
    case 'nested': {
      const inside = bodyAsRows(body.query.body, length);
      return inside && { ...body, query: { ...body.query, body: inside } };
    }
  }
}

function isRowOf(expression: Expression, length: number): expression is Extract<Expression, { kind: 'row' }> {
  return expression.kind === 'row' && expression.items.length === length;
}
