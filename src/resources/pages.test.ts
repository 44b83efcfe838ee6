import { expect, test } from 'bun:test';
import { pageOf } from './pages.ts';

test.each([
  [[], '[]', ''],
  [['{"a":-1.50,"b\\n":null}'], '[{"a":-1.50,"b\\n":null}]', '{"a":-1.50,"b\\n":null}\n'],
  [['{"a":"},{"}', '{"a":[1,"\\n"]}'], '[{"a":"},{"},\n{"a":[1,"\\n"]}]', '{"a":"},{"}\n{"a":[1,"\\n"]}\n'],
])('the rows %j are the array %s', (rows, array, lines) => {
  const shape = { limit: 9, hidden: [] };
  expect(pageOf(array, rows.length, 'objects', shape)).toEqual({ body: array, last: undefined });
  expect(pageOf(lines, rows.length, 'ndjson', shape)).toEqual({ body: lines, last: undefined });
});

test('a page ends before the row that tells whether others follow, and without its hidden columns', () => {
  const shape = { limit: 2, hidden: ['c', 'd'] };
  const rows = [
    '{"a":"\\n,\\"c\\":1","b":{"c":1},"c":2.50,"d":null}',
    '{"a":"x","b":{"x":1,"c":1},"c":0.10,"d":"\\"}"}',
    '{"a":"y","b":null,"c":0,"d":""}',
  ];
  const found = pageOf(`[${rows.join(',\n')}]`, 3, 'objects', shape);
  expect(found.body).toBe('[{"a":"\\n,\\"c\\":1","b":{"c":1}},\n{"a":"x","b":{"x":1,"c":1}}]');
  expect([0, 2, 3].map((index) => found.last?.(index))).toEqual(['x', '0.10', '"}']);
  const lines = rows.map((row) => `${row}\n`);
  const shown = '{"a":"\\n,\\"c\\":1","b":{"c":1}}\n{"a":"x","b":{"x":1,"c":1}}\n';
  expect(pageOf(lines.slice(0, 2).join(''), 2, 'ndjson', shape)).toEqual({ body: shown, last: undefined });
  const followed = pageOf(lines.join(''), 3, 'ndjson', shape);
  expect(followed.body).toBe(shown);
  expect([0, 2, 3].map((index) => followed.last?.(index))).toEqual(['x', '0.10', '"}']);
  expect(
    pageOf('[{"a":1,"c":null,"d":2},\n{"a":2,"c":1,"d":2}]', 2, 'objects', { ...shape, limit: 1 }).last?.(1),
  ).toBeNull();
  expect(pageOf('[]', 0, 'objects', shape)).toEqual({ body: '[]', last: undefined });
  expect(pageOf('', 0, 'ndjson', shape)).toEqual({ body: '', last: undefined });
});

test('a page of CSV', () => {
  const text = 'a,b,c\r\n1,"x,\r\n""",\r\n2,y,z\r\n';
  const csv = pageOf(text, 2, 'csv', { limit: 1, hidden: ['c'] });
  expect(csv.body).toBe('a,b\r\n1,"x,\r\n"""\r\n');
  expect([0, 1, 2].map((index) => csv.last?.(index))).toEqual(['1', 'x,\r\n"', null]);
  expect(pageOf(text, 2, 'csv', { limit: 2, hidden: [] })).toEqual({ body: text, last: undefined });
});
