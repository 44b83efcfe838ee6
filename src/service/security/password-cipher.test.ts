import { expect, test } from 'bun:test';
import { PasswordCipher } from './password-cipher.ts';

test('what is sealed can be opened by whoever has the same secret', () => {
  expect(new PasswordCipher('secret').open(new PasswordCipher('secret').cipher('pässword'))).toBe('pässword');
  expect(new PasswordCipher('secret').open(new PasswordCipher('secret').cipher(''))).toBe('');
});

test('nobody else opens it', () => {
  expect(new PasswordCipher('other').open(new PasswordCipher('secret').cipher('password'))).toBeUndefined();
});

test('a damaged seal does not open', () => {
  const cipher = new PasswordCipher('secret');
  const encrypted = Buffer.from(cipher.cipher('password'), 'base64');
  encrypted[encrypted.length - 1] = (encrypted.at(-1) ?? 0) ^ 1;
  expect(cipher.open(encrypted.toString('base64'))).toBeUndefined();
  expect(cipher.open('AAAA')).toBeUndefined();
});

test('the same text is sealed differently each time', () => {
  const cipher = new PasswordCipher('secret');
  expect(cipher.cipher('password')).not.toBe(cipher.cipher('password'));
});
