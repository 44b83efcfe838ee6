import { expect, test } from 'bun:test';
import { pageOf } from './pages.ts';

test.each([
  ['', '[]'],
  ['{"a":-1.50,"b\\n":null}\n', '[{"a":-1.50,"b\\n":null}]'],
  ['{"a":"},{"}\n{"a":[1,"\\n"]}\n', '[{"a":"},{"},{"a":[1,"\\n"]}]'],
])('the lines %j are the array %s', (lines, array) => {
  const shape = { limit: 9, hidden: [] };
  expect(pageOf(lines, 'application/json', shape)).toEqual({ body: array, last: undefined });
  expect(pageOf(lines, 'application/x-ndjson', shape)).toEqual({ body: lines, last: undefined });
});

test('a page ends before the row that tells whether others follow, and without its hidden columns', () => {
  const shape = { limit: 2, hidden: ['c', 'd'] };
  const lines = [
    '{"a":"\\n,\\"c\\":1","b":{"c":1},"c":2.50,"d":null}',
    '{"a":"x","b":{"x":1,"c":1},"c":0.10,"d":"\\"}"}',
    '{"a":"y","b":null,"c":0,"d":""}',
  ].map((line) => `${line}\n`);
  const found = pageOf(lines.join(''), 'application/json', shape);
  expect(found.body).toBe('[{"a":"\\n,\\"c\\":1","b":{"c":1}},{"a":"x","b":{"x":1,"c":1}}]');
  expect([0, 2, 3].map((index) => found.last?.(index))).toEqual(['x', '0.10', '"}']);
  expect(pageOf(lines.slice(0, 2).join(''), 'application/x-ndjson', shape)).toEqual({
    body: '{"a":"\\n,\\"c\\":1","b":{"c":1}}\n{"a":"x","b":{"x":1,"c":1}}\n',
    last: undefined,
  });
  expect(pageOf('{"a":1,"c":null,"d":2}\n{"a":2,"c":1,"d":2}\n', '', { ...shape, limit: 1 }).last?.(1)).toBeNull();
});

test('a page of CSV', () => {
  const csv = pageOf('a,b,c\r\n1,"x,\r\n""",\r\n2,y,z\r\n', 'text/csv', { limit: 1, hidden: ['c'] });
  expect(csv.body).toBe('a,b\r\n1,"x,\r\n"""\r\n');
  expect([0, 1, 2].map((index) => csv.last?.(index))).toEqual(['1', 'x,\r\n"', null]);
});
