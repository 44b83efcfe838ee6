/** Requests and imports read the exact form, and reject anything that is not one. */
import { expect, test } from 'bun:test';
import { decodeTyped } from './decode-parameter.ts';
import { writeExact } from './exact-values.ts';

const TYPES = { find: () => undefined };
const read = (json: string): string | undefined => writeExact(decodeTyped(json, 'SvcValue', TYPES, 'svc', 'val'));

test.each([
  '{"list":[{"long":"1"}],"kind":"hashSet"}',
  '{"map":[[{"integer":"1"},null]],"kind":"treeMap"}',
  '{"array":"integer","items":[{"integer":"1"},null]}',
  '{"array":"object","items":[{"string":"a"}],"componentClass":"org.example.A"}',
  '{"object":"P","fields":[["a",{"uuid":"00000000-0000-0000-0000-000000000001"}]]}',
  '{"enum":"E","ordinal":-1,"name":"A"}',
])('reads %s', (json) => {
  expect(read(json)).toBe(json);
});

test.each([
  ['{"array":"integer","items":[{"string":"x"}]}', 'an item of the type integer is expected'],
  ['{"list":[{"integer":"1"},{"integer":"1"}],"kind":"treeSet"}', 'an item of a set is repeated'],
  ['{"map":[[{"integer":"1"},null],[{"integer":"1"},null]]}', 'a key of a map is repeated'],
  ['{"object":"P","fields":[["a",null],["a",null]]}', 'a field of an object is repeated'],
  ['{"object":"","fields":[]}', 'the name of a type is expected'],
  ['{"enum":"E","ordinal":1e400}', 'not a whole number'],
  ['{"enum":"E","ordinal":2147483648}', 'not between'],
  ['{"opaque":"x"}', 'the name of a type is expected'],
  ['5', 'an object is expected'],
])('rejects %s', (json, reason) => {
  expect(() => read(json)).toThrow(reason);
});
