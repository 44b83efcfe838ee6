/** The rows of a table, and the statements that change them. */
import { tableTitle } from '../requests/catalog.ts';
import { argumentTypeOf } from '../rows/column-filter.ts';
import { parametersOf } from '../rows/result.ts';
import type { RowTexts } from '../rows/row.ts';
import { deleteRowsOf, insertOf, isIncomplete, type TableShape, updateOf } from './row-change.ts';
import { type Statement, tableNameOf } from './row-query.ts';
import { statementPreview } from './shown-statement.ts';
import type { Change, RowKind } from './stored-rows.ts';

/** Statements with more conditions would take the service long to parse. */
const ROWS_A_STATEMENT = 50;

function changeOf({ sql, args }: Statement): Change {
  return {
    cmd: 'qryfldexe',
    params: { ...parametersOf({ sql, args, schema: '' }), pageSize: 1 },
    text: statementPreview(sql, args),
    nothingChanged: 'Nothing was changed: the row has changed since it was read, or is gone.',
  };
}

function chunksOf(rows: readonly RowTexts[]): ReadonlyArray<readonly RowTexts[]> {
  const count = Math.ceil(rows.length / ROWS_A_STATEMENT);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_A_STATEMENT, (at + 1) * ROWS_A_STATEMENT));
}

/** Returns where the columns of the key are in a row, in the order of their names. */
function keyColumnsOf(columns: TableShape['columns']): readonly number[] {
  const keys = columns.flatMap(({ isKey, name }, at) => (isKey ? [{ name, at }] : []));
  return keys.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ at }) => at);
}

export function tableKind(shape: TableShape): RowKind {
  const { table, columns } = shape;
  const keys = keyColumnsOf(columns);
  return {
    nouns: ['row', 'rows'],
    title: tableTitle(table.schema, table.name),
    isTable: true,
    layoutName: tableNameOf(table),
    columns,
    newRow: {},
    typeOf: (column) => ({
      type: column.type,
      title: column.sqlType,
      argument: argumentTypeOf(column) ?? 'string',
    }),
    whyFixed(column, before) {
      if (argumentTypeOf(column) === undefined) return 'The console cannot send values of this type.';
      if (!column.isKey || before === undefined) return undefined;
      return 'A key cannot be changed. Duplicate the row to store it under another key.';
    },
    canChange: () => true,
    updateOf(before, after) {
      const statement = updateOf(shape, before, after);
      return statement && changeOf(statement);
    },
    insertOf(row) {
      const statement = insertOf(shape, row);
      return isIncomplete(shape, row) || statement.args.length === 0 ? undefined : changeOf(statement);
    },
    deletionsOf: (rows) => chunksOf(rows).map((chunk) => changeOf(deleteRowsOf(shape, chunk))),
    identityOf: (row) => keys.map((at) => row[at]),
  };
}
