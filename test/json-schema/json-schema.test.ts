import { expect, test } from 'bun:test';
import { misfits, type Schema } from './json-schema.ts';

const PAIR: Schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };

test.each<[title: string, schema: Schema, value: unknown, complaint: string | undefined]>([
  ['a value of the type', { type: 'string' }, 'x', undefined],
  ['a value of another', { type: 'string' }, 1, 'response is no string'],
  ['one of two types', { type: ['string', 'null'] }, null, undefined],
  ['a fraction is no integer', { type: 'integer' }, 1.5, 'is no integer'],
  ['a missing member', PAIR, {}, 'response.a is missing'],
  ['a wrong member', PAIR, { a: 'x' }, 'response.a is no integer'],
  ['a member more', { ...PAIR, additionalProperties: false }, { a: 1, b: 2 }, 'response.b is not declared'],
  ['a typed member more', { additionalProperties: { type: 'string' } }, { b: 2 }, 'response.b is no string'],
  ['an element', { type: 'array', items: PAIR }, [{ a: 1 }, { a: 'x' }], 'response[1].a is no integer'],
  ['one form', { oneOf: [PAIR, { type: 'null' }] }, null, undefined],
  ['no form', { oneOf: [PAIR, { type: 'null' }] }, 'x', 'fits 0 of the forms'],
  ['a constant', { const: true }, false, 'response is not true'],
])('%s', (_title, schema, value, complaint) => {
  const found = misfits(schema, value);
  if (complaint === undefined) expect(found).toEqual([]);
  else expect(found.join()).toContain(complaint);
});

test('a keyword that is not known is no silent success', () => {
  expect(() => misfits({ multipleOf: 2 }, 3)).toThrow('multipleOf');
});
