import { expect, test } from 'bun:test';
import { type Schema, schemaErrors } from './json-schema.ts';

const PAIR: Schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };

test.each<[title: string, schema: Schema, value: unknown, error: string | undefined]>([
  ['a value of the type', { type: 'string' }, 'x', undefined],
  ['a value of another type', { type: 'string' }, 1, 'must be string'],
  ['one of two types', { type: ['string', 'null'] }, null, undefined],
  ['a fraction where an integer is expected', { type: 'integer' }, 1.5, 'must be integer'],
  ['a missing member', PAIR, {}, "must have required property 'a'"],
  ['a wrong member', PAIR, { a: 'x' }, '/a must be integer'],
  ['an undeclared member', { ...PAIR, additionalProperties: false }, { a: 1, b: 2 }, '"additionalProperty":"b"'],
  ['an element', { type: 'array', items: PAIR }, [{ a: 1 }, { a: 'x' }], '/1/a must be integer'],
  ['one alternative', { oneOf: [PAIR, { type: 'null' }] }, null, undefined],
  ['no alternative', { oneOf: [PAIR, { type: 'null' }] }, 'x', 'must match exactly one schema in oneOf'],
  ['a constant', { const: true }, false, 'must be equal to constant'],
])('schemaErrors reports %s', (_title, schema, value, error) => {
  const found = schemaErrors(schema, value);
  if (error === undefined) expect(found).toEqual([]);
  else expect(found.join()).toContain(error);
});

test('schemaErrors rejects a schema with an unknown keyword', () => {
  expect(() => schemaErrors({ mutlipleOf: 2 }, 3)).toThrow('mutlipleOf');
});
