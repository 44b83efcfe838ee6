import { describe, expect, test } from 'bun:test';
import { StatementSplitter } from './statement-splitter.ts';

const CASES: ReadonlyArray<
  readonly [title: string, script: string, expected: ReadonlyArray<readonly [number, string]>]
> = [
  [
    'two statements',
    'SELECT 1; SELECT 2;',
    [
      [1, 'SELECT 1'],
      [1, 'SELECT 2'],
    ],
  ],
  [
    'the last one without a semicolon',
    'SELECT 1;\n\nSELECT 2\n',
    [
      [1, 'SELECT 1'],
      [3, 'SELECT 2'],
    ],
  ],
  ['a semicolon in a string', "SELECT 'a;b', 'it''s;';", [[1, "SELECT 'a;b', 'it''s;'"]]],
  ['in a name', 'SELECT "a;b" FROM `c;d`;', [[1, 'SELECT "a;b" FROM `c;d`']]],
  ['in $$ quotes', "SELECT $$it's; so$$;", [[1, "SELECT $$it's; so$$"]]],
  ['in comments', 'SELECT /* ; */ 1 -- ;\n + 2;', [[1, 'SELECT /* ; */ 1 -- ;\n + 2']]],
  ['comments around', '-- first\n/* a\nb */ SELECT 1; -- last\n', [[3, 'SELECT 1']]],
  ['empty statements', ';;\n; SELECT 1;;', [[2, 'SELECT 1']]],
  [
    'an unknown character',
    'SELECT \\ 1; SELECT 2;',
    [
      [1, 'SELECT \\ 1'],
      [1, 'SELECT 2'],
    ],
  ],
  ['an unclosed string', "SELECT 'a; SELECT 2;", [[1, "SELECT 'a; SELECT 2;"]]],
];

describe('StatementSplitter', () => {
  for (const [title, script, expected] of CASES) {
    test(title, () => {
      for (const size of [1, 2, 3, 1_000]) {
        const splitter = new StatementSplitter();
        const found = (script.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).flatMap((part) => splitter.add(part));
        const all = [...found, ...splitter.end()];
        expect([size, all.map(({ line, text }) => [line, text])]).toEqual([size, expected.map((each) => [...each])]);
      }
    });
  }

  test('says whether a statement waits for its end', () => {
    const splitter = new StatementSplitter();
    splitter.add('SELECT 1; -- more\n');
    expect(splitter.isEmpty).toBe(true);
    splitter.add('SELECT');
    expect(splitter.isEmpty).toBe(false);
    splitter.reset();
    expect(splitter.isEmpty).toBe(true);
  });

  test('reads a statement of 20 MB in chunks in linear time', () => {
    const splitter = new StatementSplitter();
    const chunk = `'${'x;'.repeat(30_000)}',\n`;
    const startMs = performance.now();
    splitter.add('INSERT INTO t VALUES (');
    for (let index = 0; index < 330; index++) splitter.add(chunk);
    expect([...splitter.add('1);'), ...splitter.end()]).toHaveLength(1);
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});
