import { expect, test } from 'bun:test';
import { objectIn, pageOf } from './pages.ts';

const NAMES = ['{"a":', ',"\\"b\\n":', ',"c":'];
const page = (items: string) =>
  `{"fieldsMetadata":[{"fieldName":"\\"items\\":["}],"queryId":1,"items":[${items}],"last":true}`;

test.each([
  ['', '[]'],
  ['[1,2,3]', '[{"a":1,"\\"b\\n":2,"c":3}]'],
  ['[-1.50,null,true],[0,"x",false]', '[{"a":-1.50,"\\"b\\n":null,"c":true},{"a":0,"\\"b\\n":"x","c":false}]'],
  ['["","],[",","]', '[{"a":"","\\"b\\n":"],[","c":","}]'],
  ['["\\\\","\\"","\\\\\\""]', '[{"a":"\\\\","\\"b\\n":"\\"","c":"\\\\\\""}]'],
  ['[[1,"]"],{"x":["}"]},[]]', '[{"a":[1,"]"],"\\"b\\n":{"x":["}"]},"c":[]}]'],
])('the rows %s are the objects %s', (items, objects) => {
  const shape = { limit: 9, members: NAMES, hidden: 0 };
  expect(pageOf(page(items), 'application/json', shape)).toEqual({ body: objects, last: undefined });
  const lines = pageOf(page(items), 'application/x-ndjson', shape).body;
  expect(`[${lines.trimEnd().replaceAll('\n', ',')}]`).toBe(objects);
  expect(JSON.parse(objects)).toHaveLength(lines.split('\n').length - 1);
});

test('a page ends before the row that tells whether others follow, and without its hidden columns', () => {
  const shape = { limit: 1, members: NAMES, hidden: 1 };
  const found = pageOf(page('[1,"x\\n",2.50],[2,"y",null]'), 'application/json', shape);
  expect(found.body).toBe('[{"a":1,"\\"b\\n":"x\\n"}]');
  expect([0, 1, 2].map((index) => found.last?.(index))).toEqual(['1', 'x\n', '2.50']);
  const csv = pageOf('a,b,c\r\n1,"x,\r\n""",\r\n2,y,z\r\n', 'text/csv', shape);
  expect(csv.body).toBe('a,b\r\n1,"x,\r\n"""\r\n');
  expect([0, 1, 2].map((index) => csv.last?.(index))).toEqual(['1', 'x,\r\n"', null]);
});

test('the only row', () => {
  expect(objectIn(page('[1,2,3]'), NAMES)).toBe('{"a":1,"\\"b\\n":2,"c":3}');
  expect(objectIn(page(''), NAMES)).toBeUndefined();
});
