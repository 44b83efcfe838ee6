/** Functions of JSON over the values of entries, of tables and over texts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { Random } from '../../../../test/simulation/random.ts';
import type { QueryEntity } from '../../../grid/grid.ts';
import { readCustom } from '../../../values/custom.ts';
import { formatText, type JsonNode, readJson, writeNode } from '../../../values/json.ts';
import { type Field, text, type Value } from '../../../values/value.ts';

let sql: SqlGrid;

const ANN =
  '{"name":"Ann","born":1990,"home":{"city":"Oslo","a.b":1},"tags":["x",{"y":1.50}],"long":12345678901234567890,' +
  '"none":null,"rate":0.1,"ok":true,"day":"2020-01-02"}';
const BOB =
  '{"name":"Bob","born":1980.5,"home":{"city":"Bergen"},"exp":1e2,"dec":0.10000000000000000000001,"x":1,"x":2}';

beforeAll(async () => {
  const keyOnly: QueryEntity = {
    keyType: 'integer',
    valueType: 'Bare',
    keyFields: ['id'],
    fields: [{ name: 'id', type: { kind: 'scalar', type: 'integer' } }],
  };
  sql = await openSqlGrid({ caches: [{ name: 'bare', entities: [keyOnly] }] });
  await sql.grid.caches.getOrCreate('people', {});
  const entries = entriesOf(sql.grid);
  const types = { find: (name: string) => sql.grid.types.find(name, 'people') };
  await entries.put('people', text('ann'), readCustom('Person', ANN, types));
  await entries.put('people', text('bob'), text(BOB));
  await entries.put('people', text('cat'), text('no JSON'));
  await entries.put('people', text('dog'), { type: 'integer', data: 5 });
  for (const [data, json] of ['{}', '{"a":1}'].entries())
    await entries.put('bare', { type: 'integer', data }, readCustom('Bare', json, types));
  await sql.run(
    'CREATE TABLE Pet(id INT PRIMARY KEY, name VARCHAR, doc VARCHAR) WITH "VALUE_TYPE=Pet,CACHE_NAME=pets"',
  );
  await sql.run(`INSERT INTO Pet VALUES (1, 'Rex', '{"age":3}'), (2, 'Tom', NULL), (3, 'Jo', '[')`);
});
afterAll(() => sql.close());

/** Returns the rows, or the error; of one column its values. */
async function answer(statement: string, args: readonly string[] = []): Promise<unknown> {
  try {
    const rows: unknown[][] = JSON.parse((await sql.run(statement, args)).json);
    return rows.every((row) => row.length === 1) ? rows.flat() : rows;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

test('find nothing in an object without fields', async () => {
  const expressions = ["JSON_VALUE(_val, '$.a')", "JSON_EXISTS(_val, '$.a')", "_val ->> 'a'", "JSON_QUERY(_val, '$')"];
  expect(await answer(`SELECT ${expressions.join(', ')} FROM "bare".ENTRIES ORDER BY _key`)).toEqual([
    [null, false, null, '{}'],
    ['1', true, '1', '{"a":1}'],
  ]);
});

/** An expression, and its values for the entries ann, bob, cat and dog; or an error of it. */
const EXPRESSIONS: ReadonlyArray<readonly [expression: string, values: readonly unknown[] | string]> = [
  ["JSON_VALUE(_val, '$.name')", ['Ann', 'Bob', null, null]],
  ["JSON_VALUE(_val, '$.home.city' RETURNING VARCHAR)", ['Oslo', 'Bergen', null, null]],
  ["JSON_VALUE(_val, '$.home.city' RETURNING VARCHAR(2))", ['Os', 'Be', null, null]],
  [`JSON_VALUE(_val, '$."home"."a.b"' RETURNING INT)`, [1, null, null, null]],
  ["JSON_VALUE(_val, '$.born' RETURNING INT)", [1990, 1981, null, null]],
  ["JSON_VALUE(_val, '$.born')", ['1990', '1980.5', null, null]],
  ["JSON_VALUE(_val, '$.ok' RETURNING BOOLEAN)", [true, null, null, null]],
  ["JSON_VALUE(_val, '$.ok')", ['true', null, null, null]],
  ["JSON_VALUE(_val, '$.day' RETURNING DATE)", ['2020-01-02', null, null, null]],
  ["JSON_VALUE(_val, '$.tags[1].y' RETURNING DECIMAL(9, 1))", [1.5, null, null, null]],
  ["JSON_VALUE(_val, '$.tags[last].y')", ['1.5', null, null, null]],
  ["JSON_VALUE(_val, '$.tags[last - 1]')", ['x', null, null, null]],
  ["JSON_VALUE(_val, '$.x')", [null, '2', null, null]],
  ["JSON_VALUE(_val, '$' RETURNING INT)", [null, null, null, 5]],
  ["JSON_VALUE(_val, '$.none' DEFAULT 'empty' ON EMPTY)", [null, 'empty', null, 'empty']],
  ["JSON_VALUE(_val, '$.name' RETURNING INT DEFAULT -1 ON ERROR)", [-1, -1, -1, null]],
  ["JSON_VALUE(_val, '$.home' DEFAULT 'e' ON EMPTY DEFAULT 'x' ON ERROR)", ['x', 'x', 'x', 'e']],
  ["JSON_VALUE(_val, '$.none' ERROR ON EMPTY)", 'The path leads to nothing'],
  ["JSON_VALUE(_val, '$.home' ERROR ON ERROR)", 'JSON_QUERY returns it'],
  ["JSON_VALUE(_val, '$.name' RETURNING INT ERROR ON ERROR)", 'Data conversion error converting "Ann"'],
  ["JSON_VALUE(_val, '$.a' NULL ON EMPTY ERROR ON ERROR)", 'The text is no JSON'],
  ["JSON_VALUE(_val, 'name')", 'The path "name" is invalid at character 1'],
  ["JSON_VALUE(_val, '$.a..b')", 'is invalid at character 4'],
  ["JSON_VALUE(_val, '$.*')", 'is invalid at character 2'],
  ["JSON_VALUE(_val, '$[-1]')", 'is invalid at character 2'],
  ['JSON_VALUE(_val)', 'Syntax error'],
  ['JSON_VALUE(_val, NULL)', [null, null, null, null]],
  ["JSON_QUERY(_val, '$.tags')", ['["x",{"y":1.5}]', null, null, null]],
  ["JSON_QUERY(_val, '$.home')", ['{"city":"Oslo","a.b":1}', '{"city":"Bergen"}', null, null]],
  ["JSON_QUERY(_val, '$.name')", [null, null, null, null]],
  ["JSON_QUERY(_val, '$.name' ERROR ON ERROR)", 'JSON_VALUE returns it'],
  ["JSON_QUERY(_val, '$.tags' ERROR ON EMPTY)", 'The path leads to nothing'],
  ["JSON_EXISTS(_val, '$.none')", [true, false, false, false]],
  ["JSON_EXISTS(_val, '$.home.city')", [true, true, false, false]],
  ["JSON_ARRAY_LENGTH(_val, '$.tags')", [2, null, null, null]],
  ["JSON_ARRAY_LENGTH(_val -> 'tags')", [2, null, null, null]],
  ['JSON_ARRAY_LENGTH(_val)', [null, null, null, null]],
  ["_val -> 'home'", ['{"city":"Oslo","a.b":1}', '{"city":"Bergen"}', null, null]],
  ["_val -> 'name'", ['"Ann"', '"Bob"', null, null]],
  ["_val ->> 'name'", ['Ann', 'Bob', null, null]],
  ["_val -> 'home' ->> 'city'", ['Oslo', 'Bergen', null, null]],
  ["_val -> 'tags' -> 1 ->> 'y'", ['1.5', null, null, null]],
  ["_val -> 'tags' ->> -1", ['{"y":1.5}', null, null, null]],
  ["_val -> 'tags' -> '0'", [null, null, null, null]],
  ["_val -> 'none'", ['null', null, null, null]],
  ["_val ->> 'none'", [null, null, null, null]],
  ["_val ->> 'long'", ['12345678901234567890', null, null, null]],
  ["JSON_VALUE(_val, '$.dec' RETURNING DECIMAL)::VARCHAR", [null, '0.10000000000000000000001', null, null]],
  ["(_val ->> 'exp')", [null, '1e2', null, null]],
  ["_val ->> 'name' || '!'", ['Ann!', 'Bob!', null, null]],
  ["_val ->> LOWER('NAME')", ['Ann', 'Bob', null, null]],
  ["_val ->> SUBSTR(_key || 'name', 4)", ['Ann', 'Bob', null, null]],
  ["CASE WHEN _val ->> 'born' > '1985' THEN 1 ELSE 0 END", [1, 0, 0, 0]],
  ["JSON_VALUE(CAST(_val AS VARCHAR), '$.name')", ['Ann', 'Bob', null, null]],
];

test.each(EXPRESSIONS)('%s', async (expression, expected) => {
  const found = await answer(`SELECT ${expression} FROM "people".ENTRIES ORDER BY _key`);
  if (typeof expected === 'string') expect(found).toContain(expected);
  else expect(found).toEqual([...expected]);
});

const STATEMENTS: ReadonlyArray<readonly [statement: string, rows: readonly unknown[], args?: readonly string[]]> = [
  [`SELECT _key FROM "people".ENTRIES WHERE JSON_VALUE(_val, '$.home.city') = ?`, ['ann'], ['Oslo']],
  [`SELECT _key FROM "people".ENTRIES WHERE JSON_VALUE(_val, ?) = 'Oslo'`, ['ann'], ['$.home.city']],
  [`SELECT _key FROM "people".ENTRIES WHERE JSON_VALUE(_val, '$.born' RETURNING INT) < 1990`, ['bob']],
  [
    `SELECT _key FROM "people".ENTRIES ORDER BY JSON_VALUE(_val, '$.born' RETURNING INT) DESC NULLS LAST, _key`,
    ['ann', 'bob', 'cat', 'dog'],
  ],
  [
    `SELECT _val ->> 'name' AS N, COUNT(*) FROM "people".ENTRIES GROUP BY _val ->> 'name' ORDER BY N`,
    [
      [null, 2],
      ['Ann', 1],
      ['Bob', 1],
    ],
  ],
  [`SELECT MAX(JSON_VALUE(_val, '$.born' RETURNING DECIMAL)) FROM "people".ENTRIES`, [1990]],
  // Over the values and columns of a table.
  [`SELECT _val ->> 'NAME' FROM Pet ORDER BY id`, ['Rex', 'Tom', 'Jo']],
  [`SELECT _val ->> 'NAME' FROM "pets".ENTRIES ORDER BY _key`, ['Rex', 'Tom', 'Jo']],
  ["SELECT JSON_VALUE(doc, '$.age' RETURNING INT) FROM Pet ORDER BY id", [3, null, null]],
  // Over constants and arguments.
  [`SELECT '{"a":{"b":[1,2]}}' -> 'a' -> 'b' ->> 1`, ['2']],
  [`SELECT JSON_VALUE(?, '$.a' RETURNING BIGINT)::VARCHAR`, ['9007199254740993'], ['{"a":9007199254740993}']],
  ["SELECT JSON_VALUE(NULL, '$.a')", [null]],
  [`SELECT JSON_EXISTS('{"a":null}', '$.a')`, [true]],
  ["SELECT JSON_EXTRACT_PATH_TEXT('[[5]]', 0, 0)", ['5']],
];

test.each(STATEMENTS)('%s', async (statement, expected, args = []) => {
  expect(await answer(statement, args)).toEqual([...expected]);
});

test('results are named as they are written', async () => {
  const { columns } = await sql.run(
    `SELECT JSON_VALUE(_val, '$.a' RETURNING INT DEFAULT 1 ON EMPTY ERROR ON ERROR), JSON_QUERY(_val, '$.b') FROM "people".ENTRIES WHERE _key = 'ann'`,
  );
  expect(columns.map(({ fieldName }) => fieldName)).toEqual([
    "JSON_VALUE(_VAL, '$.a' RETURNING INTEGER DEFAULT 1 ON EMPTY ERROR ON ERROR)",
    "JSON_QUERY(_VAL, '$.b')",
  ]);
});

describe('random objects', () => {
  const seed = Number(process.env.SVC_SEED ?? 1);
  const random = new Random(seed);
  const NAMES = ['a', 'b', 'c d', 'é', '"q"', 'a.b', '0'];

  function scalar(): Value {
    return random.pick([
      () => text(random.pick(['', 'x', '"', 'ø\u{1F600}', '{"a":1}'])),
      (): Value => ({ type: 'integer', data: random.below(1000) - 500 }),
      (): Value => ({ type: 'long', data: BigInt(random.below(2 ** 31)) ** 2n }),
      (): Value => ({ type: 'decimal', data: { unscaled: BigInt(random.below(10_000)), scale: random.below(6) } }),
      (): Value => ({ type: 'double', data: random.below(1000) / 8 }),
      (): Value => ({ type: 'boolean', data: random.below(2) === 0 }),
      (): Value => ({ type: 'uuid', data: '00000000-0000-0001-0000-000000000002' }),
      (): Value => ({ type: 'null' }),
    ])();
  }

  function fieldsOf(depth: number): Field[] {
    return NAMES.filter(() => random.below(2) === 0).map((name) => ({ name, value: randomValue(depth) }));
  }

  function randomValue(depth: number): Value {
    const kind = depth === 0 ? 0 : random.below(4);
    if (kind === 1) return { type: 'object', typeName: 'Inner', fields: fieldsOf(depth - 1) };
    if (kind === 2) return { type: 'list', data: [randomValue(depth - 1), randomValue(depth - 1)] };
    if (kind === 3) return { type: 'map', data: fieldsOf(depth - 1).map(({ name, value }) => [text(name), value]) };
    return scalar();
  }

  /** Returns the paths of a JSON value and their items. */
  function pathsOf(node: JsonNode, path: readonly (string | number)[]): Array<readonly [typeof path, JsonNode]> {
    const own = path.length === 0 ? [] : [[path, node] as const];
    if (node.kind === 'object')
      return [...own, ...[...node.members].flatMap(([name, of]) => pathsOf(of, [...path, name]))];
    return node.kind === 'array' ? [...own, ...node.items.flatMap((of, at) => pathsOf(of, [...path, at]))] : own;
  }

  test(`a path leads to what get shows there, whether it is stored as an object or as JSON, seed ${seed}`, async () => {
    await sql.grid.caches.getOrCreate('random', {});
    const entries = entriesOf(sql.grid);
    let compared = 0;
    for (let run = 0; run < 8; run++) {
      await entries.put('random', text('object'), { type: 'object', typeName: 'Outer', fields: fieldsOf(3) });
      const stored = await entries.get('random', text('object'));
      const json = stored === undefined ? '' : formatText(stored);
      await entries.put('random', text('text'), text(json));
      for (const [path, item] of pathsOf(readJson(json), [])) {
        const steps = path.map((step) => (typeof step === 'number' ? String(step) : `'${step}'`)).join(' -> ');
        const parts = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`));
        const sqlPath = `$${parts.join('')}`;
        const isCompound = item.kind === 'object' || item.kind === 'array';
        const shown = isCompound ? 'JSON_QUERY' : 'JSON_VALUE';
        const found = await answer(
          `SELECT _val -> ${steps}, ${shown}(_val, '${sqlPath}'), JSON_EXISTS(_val, '${sqlPath}') FROM "random".ENTRIES`,
        );
        const scalarText = item.kind === 'string' ? item.value : item.kind === 'null' ? null : writeNode(item);
        const row = [writeNode(item), scalarText, true];
        expect([seed, json, sqlPath, found]).toEqual([seed, json, sqlPath, [row, row]]);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(30);
  }, 30_000);
});
