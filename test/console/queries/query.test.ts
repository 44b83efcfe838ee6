/** How the screen Query interprets SQL text: statements, parameters, names, errors, plans, copies, plots. */
import { describe, expect, test } from 'bun:test';
import { Decimal } from '../../../src/client/exact-json.ts';
import { LineCount } from '../../../src/console/elements/line-count.ts';
import {
  isTablePlace,
  proposalsAt,
  type Schemas,
  tablesIn,
  writtenName,
} from '../../../src/console/query/completion.ts';
import { failureIn } from '../../../src/console/query/failures.ts';
import { keysOf, parametersIn, translate } from '../../../src/console/query/parameters.ts';
import { parsePlan } from '../../../src/console/query/plan-steps.ts';
import { choosePlot } from '../../../src/console/query/plot-choice.ts';
import {
  chosenStatements,
  explainedIn,
  kindOfStatement,
  statementsOf,
  titleOfStatement,
} from '../../../src/console/query/statements.ts';
import { COPY_FORMATS } from '../../../src/console/rows/row-texts.ts';
import { viewsOf } from '../../../src/console/rows/value-views.ts';

/** Returns a text without the mark |, and the position of the mark. */
function marked(text: string): { readonly text: string; readonly at: number } {
  return { text: text.replace('|', ''), at: text.indexOf('|') };
}

describe('statements', () => {
  test.each([
    ['SELECT 1', ['SELECT 1']],
    [' SELECT 1 ;\n\n SELECT 2; ', ['SELECT 1', 'SELECT 2']],
    ['SELECT \';\' AS a; SELECT ";" FROM b', ["SELECT ';' AS a", 'SELECT ";" FROM b']],
    ["SELECT 'it''s;' -- no; end\n + 1; SELECT 2", ["SELECT 'it''s;' -- no; end\n + 1", 'SELECT 2']],
    ['/* a; b */ SELECT 1; // c; d\n', ['/* a; b */ SELECT 1']],
    ["SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]],
    [' ; ;; -- nothing', []],
  ])('of %j', (text, expected) => {
    const found = statementsOf(text);
    expect(found.map(({ sql }) => sql)).toEqual(expected);
    for (const { from, to, sql } of found) expect(text.slice(from, to)).toBe(sql);
  });

  test.each([
    ['SEL|ECT 1; SELECT 2', 'SELECT 1'],
    ['SELECT 1;| SELECT 2', 'SELECT 1'],
    ['SELECT 1; SELECT 2|', 'SELECT 2'],
    ['SELECT 1; SELECT 2;\n|', 'SELECT 2'],
    [' |  SELECT 1; SELECT 2', 'SELECT 1'],
  ])('at the cursor of %j: %s', (mark, expected) => {
    const { text, at } = marked(mark);
    expect(chosenStatements(text, at, at).map(({ sql }) => sql)).toEqual([expected]);
  });

  test('of a selection are those within it, at their places', () => {
    const text = 'SELECT 1; SELECT 2; SELECT 3';
    expect(chosenStatements(text, 10, text.length)).toEqual([
      { from: 10, to: 18, sql: 'SELECT 2' },
      { from: 20, to: 28, sql: 'SELECT 3' },
    ]);
    expect(chosenStatements(text, 7, 8)).toEqual([{ from: 7, to: 8, sql: '1' }]);
  });

  test.each([
    ['-- c\n (SELECT 1)', 'read'],
    ['with a as (select 1) select * from a', 'read'],
    ['drop table a', 'definition'],
    ['/* x */ UPDATE a SET b = 1', 'change'],
  ] as const)('are of a kind: %j', (sql, kind) => {
    expect(kindOfStatement(sql)).toBe(kind);
  });

  test('have a short title', () => {
    expect(titleOfStatement('-- all\nSELECT *\n  FROM sale')).toBe('SELECT * FROM sale');
    expect(titleOfStatement(`SELECT ${'a'.repeat(99)}`)).toHaveLength(36);
  });
});

describe('parameters', () => {
  test('are names and question marks, not casts, texts or comments', () => {
    const text = "SELECT :a, x::int, ':no', ? -- :no\n FROM t WHERE b = :b AND c = :a AND d = ?";
    expect(keysOf(parametersIn(text))).toEqual(['a', '?1', 'b', '?2']);
  });

  test('are sent by position, and positions of errors are found again', () => {
    const text = 'SELECT 1; SELECT :first, :b FROM t WHERE c = :first';
    const { sql, keys, positionOf } = translate(text, 10, text.length);
    expect(sql).toBe('SELECT ?, ? FROM t WHERE c = ?');
    expect(keys).toEqual(['first', 'b', 'first']);
    for (const part of ['SELECT ', 'FROM', 't WHERE', 'WHERE', 'c =']) {
      expect(text.slice(positionOf(sql.indexOf(part)))).toStartWith(part);
    }
    expect(positionOf(sql.length)).toBe(text.length);
  });
});

describe('completion', () => {
  const schemas: Schemas = {
    PUBLIC: { SALE: ['ID', 'SHOP'], PEOPLE: ['ID', 'NAME'] },
    OTHER: { SALE: ['DAY'], 'odd name': ['x'] },
    SYS: { TABLES: ['TABLE_NAME'] },
  };

  test.each([
    ['SELECT 1 FROM sale', [['SALE', 'SALE']]],
    ['select * from Sale AS s, people p', [['SALE', 'S'], ['PEOPLE', 'P']]], // biome-ignore format: pairs
    ['SELECT 1 FROM sale s LEFT JOIN other.sale "t" ON 1 = 1', [['SALE', 'S'], ['SALE', 't']]], // biome-ignore format: pairs
    ['UPDATE sale SET id = 1', [['SALE', 'SALE']]],
    ['INSERT INTO sale (id) SELECT id FROM people WHERE 1 = 1', [['SALE', 'SALE'], ['PEOPLE', 'PEOPLE']]], // biome-ignore format: pairs
    ['SELECT 1 FROM (SELECT id FROM people) x', [['PEOPLE', 'PEOPLE']]],
    ["SELECT ' FROM a ' -- FROM b", []],
  ])('finds the tables of %s', (sql, expected) => {
    expect(tablesIn(sql).map(({ table, alias }) => [table, alias])).toEqual(expected as string[][]);
  });

  test.each([
    ['SELECT s.| FROM sale s', ['ID', 'SHOP']],
    ['SELECT S.sh| FROM sale s', ['ID', 'SHOP']],
    ['SELECT sale.| FROM sale', ['ID', 'SHOP']],
    ['SELECT o.| FROM other.sale o', ['DAY']],
    ['SELECT 1 FROM other.|', ['SALE', 'odd name']],
    ['SELECT other.sale.| FROM other.sale', ['DAY']],
    ['SELECT people.|', ['ID', 'NAME']],
    ['SELECT 1 FROM |', ['SALE', 'PEOPLE', 'PUBLIC', 'OTHER', 'SYS']],
    ['SELECT s| FROM sale s; SELECT name FROM people', ['ID', 'SHOP', 'S', 'SALE', 'PEOPLE', 'PUBLIC', 'OTHER', 'SYS']],
    ['SELECT nothing.|', []],
    ["SELECT 'a|", undefined],
    ['SELECT 1 -- a|', undefined],
    ['SELECT :a|', undefined],
    ['SELECT 1|', undefined],
  ])('proposes in %s', (mark, expected) => {
    const { text, at } = marked(mark);
    expect(proposalsAt(text, at, schemas)?.proposals.map(({ label }) => label)).toEqual(expected);
  });

  test.each([
    ['SELECT * FROM |', true],
    ['SELECT * FROM or|', true],
    ['SELECT * FROM -- which\n "Or|', true],
    ['DELETE FROM s|', true],
    ['SELECT * FROM sale |', false],
    ['SELECT * FROM sale o|', false],
    ['SELECT * FROM (s|', false],
    ['from|', false],
    ["SELECT ' FROM |", false],
    ['|', false],
  ])('names a table at the place of %j: %p', (mark, expected) => {
    const { text, at } = marked(mark);
    expect(isTablePlace(text, at)).toBe(expected);
  });

  test.each([
    ['SHOP', 'sh', 'shop'],
    ['SHOP', '', 'shop'],
    ['SHOP', 'SH', 'SHOP'],
    ['SHOP', '"S', '"SHOP"'],
    ['odd "name"', 'o', '"odd ""name"""'],
    ['shop', 's', '"shop"'],
  ])('writes %s behind %j as %s', (name, typed, expected) => {
    expect(writtenName(name, typed)).toBe(expected);
  });
});

describe('errors', () => {
  test.each([
    ['SELECT 1; SELECT :a, |shopp FROM sale', 11, 'EXPLAIN SELECT ?, shopp FROM sale', 'shopp'],
    ['SELECT id FROM sale |WHERE', 26, 'SELECT id FROM sale WHERE', 'WHERE'],
  ])('are underlined in %s', (mark, position, sent, word) => {
    const { text } = marked(mark);
    const from = text.includes(';') ? text.indexOf(';') + 2 : 0;
    const translated = translate(text, from, text.length);
    const prefix = sent.startsWith('EXPLAIN ') ? 'EXPLAIN ' : '';
    expect(prefix + translated.sql).toBe(sent);
    const { place } = failureIn({ message: 'x', position: position + prefix.length }, { text, translated, prefix });
    expect(text.slice(place?.from, place?.to)).toBe(word);
  });

  test('are underlined nowhere without a position', () => {
    const text = "SELECT 'abc";
    const sent = { text, translated: translate(text, 0, text.length), prefix: '' };
    expect(failureIn({ message: 'Syntax error', position: 8 }, sent).place).toEqual({ from: 7, to: 11 });
    expect(failureIn({ message: 'The time limit is over.' }, sent).place).toBeUndefined();
  });
});

test.each([
  ['EXPLAIN SELECT 1', 'explain', 'SELECT 1'],
  ['/* a */ explain plan for -- b\n WITH a AS (SELECT 1)', 'explain', 'WITH a AS (SELECT 1)'],
  ['EXPLAIN ANALYZE SELECT 1', 'measure', 'SELECT 1'],
] as const)('%j is the mode %s of a statement', (sql, mode, explained) => {
  const text = `SELECT 0; ${sql}`;
  const place = { from: 10, to: text.length, sql };
  const found = explainedIn(place);
  expect(found).toMatchObject({ mode, place: { sql: explained } });
  expect(text.slice(found?.place.from, found?.place.to)).toBe(explained);
});

test.each(['SELECT 1', 'EXPLAIN', '"EXPLAIN" SELECT 1'])('%j explains no statement', (sql) => {
  expect(explainedIn({ from: 0, to: sql.length, sql })).toBeUndefined();
});

test('a plan is a tree with costs, advice and the number of rows', () => {
  const sql = 'SELECT *\nFROM sale';
  const lines = ['combines parts', '  first part', '    reads all rows of PUBLIC.SALE', '  sorts for ORDER BY'];
  const text = [sql, ...lines, 'rows: 7', 'advice: CREATE INDEX ON PUBLIC.SALE(SHOP)'].join('\n');
  const { statement, steps, advised, rowCount } = parsePlan(text, sql);
  expect([statement, advised, rowCount]).toEqual([sql, ['CREATE INDEX ON PUBLIC.SALE(SHOP)'], 7]);
  expect(steps).toHaveLength(1);
  const [first, second] = steps[0]?.steps ?? [];
  expect(first?.steps[0]).toMatchObject({ cost: 'table', table: 'PUBLIC.SALE' });
  expect(second?.cost).toBe('sort');
});

test.each([
  ['finds rows of PUBLIC.SALE by the primary key (ID = ?)', 'key'],
  ['finds rows of PUBLIC.SALE by index SALE_SHOP (SHOP = ?)', 'index'],
  ['finds rows of PUBLIC.SALE #2 by an index that is built for this statement (SHOP = ?)', 'table'],
  ['reads all rows of PUBLIC.SALE in the order of the primary key', 'index'],
  ['returns one row', 'other'],
] as const)('the step %s costs: %s', (line, cost) => {
  expect(parsePlan(`S\n${line}`, 'S').steps[0]?.cost).toBe(cost);
});

describe('rows are copied', () => {
  const column = (name: string, type: string) => ({ name, type, schema: 'PUBLIC', table: 'SALE' });
  const columns = [
    column('ID', 'java.lang.Long'),
    column('DAY', 'java.sql.Date'),
    column('NAME', 'java.lang.String'),
    column('RAW', '[B'),
  ];
  const rows = [
    [5n, '2026-01-02', 'O\'Hare, "a|b"\nc', 'qw=='],
    [new Decimal('1.50'), null, '', null],
  ];
  const texts = {
    CSV: 'ID,DAY,NAME,RAW\r\n5,2026-01-02,"O\'Hare, ""a|b""\nc",qw==\r\n1.50,,"",\r\n',
    JSON:
      '[\n  {"ID":5,"DAY":"2026-01-02","NAME":"O\'Hare, \\"a|b\\"\\nc","RAW":"qw=="},\n' +
      '  {"ID":1.50,"DAY":null,"NAME":"","RAW":null}\n]\n',
    Markdown:
      '| ID | DAY | NAME | RAW |\n| ---: | --- | --- | --- |\n' +
      '| 5 | 2026-01-02 | O\'Hare, "a\\|b"<br>c | qw== |\n| 1.50 |  |  |  |\n',
    INSERT:
      'INSERT INTO PUBLIC.SALE (ID, DAY, NAME, RAW) VALUES\n' +
      "  (5, DATE '2026-01-02', 'O''Hare, \"a|b\"\nc', X'ab'),\n  (1.50, NULL, '', NULL);\n",
  };
  test.each(['CSV', 'JSON', 'Markdown', 'INSERT'] as const)('as %s', (format) => {
    expect(COPY_FORMATS[format](columns, rows)).toBe(texts[format]);
  });

  test('with columns of one name, and from several tables', () => {
    const twice = [column('ID', 'java.lang.Long'), { ...column('ID', 'java.lang.Long'), table: 'OTHER' }];
    expect(COPY_FORMATS.JSON(twice, [[1, 2]])).toBe('[\n  {"ID":1,"ID_2":2}\n]\n');
    expect(COPY_FORMATS.INSERT(twice, [[1, 2]])).toStartWith('INSERT INTO result (ID, ID) VALUES');
  });
});

describe('a plot is chosen by the columns', () => {
  const types = { n: 'java.lang.Long', d: 'java.sql.Date', t: 'java.lang.String' } as const;
  const of = (text: string) =>
    text.split(' ').map((each) => {
      const [name = '', type = 'n'] = each.split(':');
      return { name, type: types[type as keyof typeof types] };
    });
  test.each([
    ['shop:t paid', { kind: 'bar', x: 0, y: 1 }],
    ['paid shop:t', { kind: 'bar', x: 1, y: 0 }],
    ['day:d paid', { kind: 'line', x: 0, y: 1 }],
    ['shop:t day:d paid', { kind: 'line', x: 1, y: 2 }],
    ['id name:t age', { kind: 'bar', x: 1, y: 2 }],
    ['x y', { kind: 'line', x: 0, y: 1 }],
    ['pay', { kind: 'histogram', x: 0, y: 0 }],
    ['shop:t day:d', undefined],
  ])('%s', (text, expected) => {
    expect(choosePlot(of(text))).toEqual(expected as ReturnType<typeof choosePlot>);
  });

  test('of which some cannot be drawn', () => {
    const columns = of('a b').map((column, at) => ({ ...column, isDrawable: at === 0 }));
    expect(choosePlot(columns)).toEqual({ kind: 'histogram', x: 0, y: 0 });
  });
});

test.each([
  ['text', 'java.lang.String', ['text', 'text']],
  ['{"a": [1]}', 'java.lang.String', ['json', '{\n  "a": [\n    1\n  ]\n}']],
  ['[not JSON', 'java.lang.String', ['text', '[not JSON']],
  ['{"id":9007199254740993}', 'java.lang.String', ['json', '{\n  "id": 9007199254740993\n}']],
  [{ a: 1.5 }, 'java.lang.Object', ['json', '{\n  "a": 1.5\n}']],
  ['AGFi/w==', '[B', ['hex', `000000  00 61 62 ff${' '.repeat(36)}  .ab.`]],
  [new Decimal('1.50'), 'java.math.BigDecimal', ['text', '1.50']],
  [null, 'java.lang.String', undefined],
] as const)('the value %j of %s is shown as it is read best', (value, type, expected) => {
  expect(viewsOf(value, type)?.views[0]).toEqual(expected);
});

test('rows of an export are counted, whichever way its bytes arrive', () => {
  const bytes = new TextEncoder().encode('ID,TEXT\r\n1,"a\nb ""c"""\r\n2,d\r\n');
  for (const size of [1, 3, 100]) {
    const lines = new LineCount();
    for (let at = 0; at < bytes.length; at += size) lines.add(bytes.subarray(at, at + size));
    expect(lines.count).toBe(3);
  }
});
