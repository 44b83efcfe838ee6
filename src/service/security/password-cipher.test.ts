import { expect, test } from 'bun:test';
import { PasswordCipher } from './password-cipher.ts';

test('a service with the same secret decrypts a password', () => {
  expect(new PasswordCipher('secret').decrypt(new PasswordCipher('secret').encrypt('pässword'))).toBe('pässword');
  expect(new PasswordCipher('secret').decrypt(new PasswordCipher('secret').encrypt(''))).toBe('');
});

test('a service with another secret does not', () => {
  expect(new PasswordCipher('other').decrypt(new PasswordCipher('secret').encrypt('password'))).toBeUndefined();
});

test('a damaged cipher text is not decrypted', () => {
  const cipher = new PasswordCipher('secret');
  const encrypted = Buffer.from(cipher.encrypt('password'), 'base64');
  encrypted[encrypted.length - 1] = (encrypted.at(-1) ?? 0) ^ 1;
  expect(cipher.decrypt(encrypted.toString('base64'))).toBeUndefined();
  expect(cipher.decrypt('AAAA')).toBeUndefined();
});

test('the same password has another cipher text each time', () => {
  const cipher = new PasswordCipher('secret');
  expect(cipher.encrypt('password')).not.toBe(cipher.encrypt('password'));
});
