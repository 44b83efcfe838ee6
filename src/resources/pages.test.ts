import { expect, test } from 'bun:test';
import { type PageFormat, type PageShape, pageOf } from './pages.ts';

const labelsOf = (...names: readonly string[]) => names.map((name) => `,"${name}":`);

/** Returns a page with its body as one text. */
function read(text: string, rowCount: number, format: PageFormat, shape: PageShape) {
  const { body, last } = pageOf(text, rowCount, format, shape);
  return { body: typeof body === 'string' ? body : body.join(''), last };
}

test.each([
  [[], '[]', ''],
  [['{"a":-1.50,"b\\n":null}'], '[{"a":-1.50,"b\\n":null}]', '{"a":-1.50,"b\\n":null}\n'],
  [['{"a":"},{"}', '{"a":[1,"\\n"]}'], '[{"a":"},{"},\n{"a":[1,"\\n"]}]', '{"a":"},{"}\n{"a":[1,"\\n"]}\n'],
])('the rows %j are the array %s', (rows, array, lines) => {
  const shape = { limit: 9, labels: labelsOf('a', 'b'), hidden: 0 };
  expect(read(array, rows.length, 'objects', shape)).toEqual({ body: array, last: undefined });
  expect(read(lines, rows.length, 'ndjson', shape)).toEqual({ body: lines, last: undefined });
});

test('a page ends before the row that tells whether others follow, and without its hidden columns', () => {
  const shape = { limit: 2, labels: labelsOf('a', 'b', 'c', 'd'), hidden: 2 };
  const rows = [
    '{"a":"\\n,\\"c\\":1","b":{"c":1},"c":2.50,"d":null}',
    '{"a":"x","b":{"x":1,"c":1},"c":0.10,"d":"\\"}"}',
    '{"a":"y","b":null,"c":0,"d":""}',
  ];
  const found = read(`[${rows.join(',\n')}]`, 3, 'objects', shape);
  expect(found.body).toBe('[{"a":"\\n,\\"c\\":1","b":{"c":1}},\n{"a":"x","b":{"x":1,"c":1}}]');
  expect([0, 2, 3].map((index) => found.last?.(index))).toEqual(['"x"', '0.10', '"\\"}"']);
  const lines = rows.map((row) => `${row}\n`);
  const shown = '{"a":"\\n,\\"c\\":1","b":{"c":1}}\n{"a":"x","b":{"x":1,"c":1}}\n';
  expect(read(lines.slice(0, 2).join(''), 2, 'ndjson', shape)).toEqual({ body: shown, last: undefined });
  const followed = read(lines.join(''), 3, 'ndjson', shape);
  expect(followed.body).toBe(shown);
  expect([0, 2, 3].map((index) => followed.last?.(index))).toEqual(['"x"', '0.10', '"\\"}"']);
  const scalars = { limit: 1, labels: labelsOf('a', 'c', 'd'), hidden: 2 };
  const first = read('[{"a":1,"c":null,"d":1e5},\n{"a":2,"c":1,"d":2}]', 2, 'objects', scalars).last;
  expect([0, 1, 2].map((index) => first?.(index))).toEqual(['1', 'null', '1e5']);
  expect(read('[]', 0, 'objects', shape)).toEqual({ body: '[]', last: undefined });
  expect(read('', 0, 'ndjson', shape)).toEqual({ body: '', last: undefined });
});

test('a page of CSV', () => {
  const text = 'a,b,c\r\n1,"x,\r\n""",\r\n2,y,z\r\n';
  const csv = read(text, 2, 'csv', { limit: 1, labels: labelsOf('a', 'b', 'c'), hidden: 1 });
  expect(csv.body).toBe('a,b\r\n1,"x,\r\n"""\r\n');
  expect([0, 1, 2].map((index) => csv.last?.(index))).toEqual(['"1"', '"x,\\r\\n\\""', 'null']);
  const whole = { labels: labelsOf('a', 'b', 'c'), hidden: 0 };
  expect(read(text, 2, 'csv', { ...whole, limit: 2 })).toEqual({ body: text, last: undefined });
  const shown = 'a,b\r\n"1\r\n2","\r\n"\r\n';
  const followed = read(`${shown}"x\r\n""y""","\r\n"""\r\n`, 2, 'csv', { ...whole, limit: 1 });
  expect(followed.body).toBe(shown);
  expect([0, 1].map((index) => followed.last?.(index))).toEqual(['"1\\r\\n2"', '"\\r\\n"']);
});
