import { describe, expect, test } from 'bun:test';
import { namedTables } from './table-names.ts';

describe('namedTables', () => {
  const cases: ReadonlyArray<readonly [written: string, tables: ReadonlyArray<readonly [string | undefined, string]>]> =
    [
      ['T', [[undefined, 'T']]],
      [
        'person',
        [
          [undefined, 'PERSON'],
          [undefined, 'person'],
        ],
      ],
      ['"person"', [[undefined, 'person']]],
      ['"a""b.c"', [[undefined, 'a"b.c']]],
      ['S.T', [['S', 'T']]],
      ['"s"."t"', [['s', 't']]],
      [
        'a..b',
        [
          [undefined, 'A..B'],
          [undefined, 'a..b'],
        ],
      ],
      ['A"B"C', [[undefined, 'A"B"C']]],
      ['a.b.c', []],
      [`a${'.a'.repeat(500_000)}`, []],
    ];
  for (const [written, tables] of cases) {
    test(written.slice(0, 20), () => {
      expect(namedTables(written)).toEqual(tables.map(([schema, name]) => ({ schema, name })));
    });
  }
});
