/** Blocks of cells on the clipboard, and what pasting them would change. */
import { describe, expect, test } from 'bun:test';
import { entryKind } from '../../../src/console/caches/entry-kind.ts';
import { blockOf, inverseOf, mayAdd, type PasteMode, planOf } from '../../../src/console/caches/paste-plan.ts';
import { deleteRowsOf, insertOf, isIncomplete, updateOf } from '../../../src/console/caches/row-change.ts';
import type { Statement } from '../../../src/console/caches/row-query.ts';
import { statementPreview } from '../../../src/console/caches/shown-statement.ts';
import type { RowKind, StoredColumn } from '../../../src/console/caches/stored-rows.ts';
import { pastedCells } from '../../../src/console/rows/pasted-cells.ts';
import type { RowTexts } from '../../../src/console/rows/row.ts';

test.each([
  ['a', undefined],
  ['a, b', undefined],
  ['a\tb', [['a', 'b']]],
  [
    'a\tb\nc\td',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a\tb\r\n\td\r\n',
    [
      ['a', 'b'],
      ['', 'd'],
    ],
  ],
  ['"a\tb"\t"c ""d""\ne"', [['a\tb', 'c "d"\ne']]],
  [
    'a,b\nc,"d, e"\n',
    [
      ['a', 'b'],
      ['c', 'd, e'],
    ],
  ],
  [
    '1;2,5\n3;4,5',
    [
      ['1', '2,5'],
      ['3', '4,5'],
    ],
  ],
  ['one\ntwo, three', [['one'], ['two, three']]],
  ['a "b"\tc', [['a "b"', 'c']]],
] as const)('cells of %j', (text, cells) => {
  expect(pastedCells(text)).toEqual(cells as unknown as string[][]);
});

const column = (name: string, type: string, others: Partial<StoredColumn> = {}): StoredColumn => ({
  ...{ name, type: `java.lang.${type}`, sqlType: type.toUpperCase() },
  ...{ isKey: false, isNullable: true, defaultValue: null },
  ...others,
});
const shape = {
  table: { schema: 'PUBLIC', name: 'SALE' },
  columns: [
    column('ID', 'Integer', { isKey: true, isNullable: false }),
    column('SHOP', 'String'),
    column('N', 'Integer'),
    column('KIND', 'String', { defaultValue: 'shop' }),
  ],
};
const ARGUMENTS: Readonly<Record<string, string>> = { 'java.lang.Integer': 'int', 'java.lang.String': 'string' };
const changeOf = ({ sql, args }: Statement) => {
  return { cmd: 'qryfldexe', params: {}, text: statementPreview(sql, args), nothingChanged: '' };
};
/** As the one of tables, which needs a page. */
const kind: RowKind = {
  ...entryKind('SALE'),
  columns: shape.columns,
  newRow: {},
  typeOf: ({ type }) => ({ type, title: type, argument: ARGUMENTS[type] ?? '' }),
  whyFixed: ({ isKey }, before) => (isKey && before !== undefined ? 'A key cannot be changed.' : undefined),
  updateOf: (before, after) => {
    const statement = updateOf(shape, before, after);
    return statement && changeOf(statement);
  },
  insertOf: (row) => (isIncomplete(shape, row) ? undefined : changeOf(insertOf(shape, row))),
  deletionsOf: (rows) => [changeOf(deleteRowsOf(shape, rows))],
};
const ROWS: readonly RowTexts[] = [
  { ID: '1', SHOP: 'Oslo', N: '5', KIND: 'shop' },
  { ID: '2', SHOP: 'Rome', N: null, KIND: 'shop' },
];

function plan(text: string, from: number, mode: PasteMode = 'change') {
  const block = blockOf(pastedCells(text) ?? [], kind.columns, kind.columns.slice(from));
  return planOf(kind, block, { mode, rows: ROWS, first: 0 });
}

describe('what pasting would do', () => {
  test('changes values from the active cell on, those alone that differ', () => {
    const { rows, problems } = plan('Oslo\t6\nParis\t', 1);
    expect(problems).toEqual([]);
    expect(rows.map(({ number, cells }) => [number, cells])).toEqual([
      [1, [{ column: 'N', before: '5', after: '6' }]],
      [2, [{ column: 'SHOP', before: 'Rome', after: 'Paris' }]],
    ]);
    expect(rows[0]?.change.text).toBe(
      `UPDATE "PUBLIC"."SALE" SET "N" = 6 WHERE "ID" = 1 AND "SHOP" = 'Oslo' AND "N" = 5 AND "KIND" = 'shop'`,
    );
    expect(rows[0] && inverseOf(kind, rows[0])?.text).toContain(
      `SET "N" = 5 WHERE "ID" = 1 AND "SHOP" = 'Oslo' AND "N" = 6`,
    );
  });

  test('finds the columns that the first line names, as a copy of rows has them', () => {
    const { rows, problems } = plan('N\tID\n7\t1\n8\t2', 3);
    expect(problems).toEqual([]);
    expect(rows.map(({ after }) => after.N)).toEqual(['7', '8']);
  });

  test('names values that do not fit, keys that would change, and columns that are not there', () => {
    expect(plan('many\t1\n2\t3', 2).problems).toEqual(['Row 1: N (INTEGER) needs a whole number, not "many".']);
    const marked = plan('many\t1\n2\t3', 2).rows.flatMap(({ cells }) => cells);
    expect(marked.map(({ problem }) => problem)).toEqual([
      'N (INTEGER) needs a whole number, not "many".',
      undefined,
      undefined,
      undefined,
    ]);
    expect(plan('3\tOslo', 0).problems).toEqual(['Row 1: A key cannot be changed.']);
    expect(plan('a\tb', 3).problems).toEqual(['The block is 1 column too wide.']);
  });

  test('adds lines behind the last row, and all of them where they are new', () => {
    const beyond = plan('1\tOslo\n2\tRome\n3\tParis', 0);
    expect(beyond.problems).toEqual([]);
    expect(beyond.rows.map(({ number, change }) => [number, change.text])).toEqual([
      [undefined, `INSERT INTO "PUBLIC"."SALE" ("ID", "SHOP") VALUES (3, 'Paris')`],
    ]);
    // The default of a column, which is not known, is not a condition.
    expect(beyond.rows[0] && inverseOf(kind, beyond.rows[0])?.text).toBe(
      `DELETE FROM "PUBLIC"."SALE" WHERE "ID" = 3 AND "SHOP" = 'Paris' AND "N" IS NULL`,
    );
    expect(plan('8\ta\n9\tb', 0, 'add').rows.map(({ after }) => after.ID)).toEqual(['8', '9']);
    expect(plan('a\n\nb', 1).problems).toEqual(['Line 3: the row needs a value.']);
    const withoutKey = blockOf([['a', '1']], kind.columns, kind.columns.slice(1));
    expect(mayAdd(withoutKey, kind)).toBe(false);
  });

  test('changes values of entries by their types, and leaves what is derived', () => {
    const entries = entryKind('stock');
    const row = { Key: 'a', 'Key type': 'string', Value: '1', 'Value type': 'long', Expires: '–' };
    const block = blockOf([['a', 'string', '2', 'long', 'never']], entries.columns, entries.columns);
    const { rows, problems } = planOf(entries, block, { mode: 'change', rows: [row], first: 0 });
    expect(problems).toEqual([]);
    expect(rows.map(({ change: { cmd, params } }) => [cmd, params.val, params.val2])).toEqual([['cas', '2', '1']]);
  });
});
