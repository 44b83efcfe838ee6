import { expect, test } from 'bun:test';
import { Seal } from './seal.ts';

test('what is sealed can be opened by whoever has the same secret', () => {
  expect(new Seal('secret').open(new Seal('secret').seal('pässword'))).toBe('pässword');
  expect(new Seal('secret').open(new Seal('secret').seal(''))).toBe('');
});

test('nobody else opens it', () => {
  expect(new Seal('other').open(new Seal('secret').seal('password'))).toBeUndefined();
});

test('a damaged seal does not open', () => {
  const seal = new Seal('secret');
  const sealed = Buffer.from(seal.seal('password'), 'base64');
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  expect(seal.open(sealed.toString('base64'))).toBeUndefined();
  expect(seal.open('AAAA')).toBeUndefined();
});

test('the same text is sealed differently each time', () => {
  const seal = new Seal('secret');
  expect(seal.seal('password')).not.toBe(seal.seal('password'));
});
