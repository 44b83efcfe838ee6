import { beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { usableKeys } from './usable-keys.ts';

const keys = new Map<string, JWK>();
beforeAll(async () => {
  for (const alg of ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(alg, await exportJWK(publicKey));
    keys.set(`private ${alg}`, await exportJWK(privateKey));
  }
  for (const modulusLength of [1024, 2040]) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
    keys.set(String(modulusLength), { kty: 'RSA', ...publicKey.export({ format: 'jwk' }) });
  }
});
const key = (name: string, changes: object = {}): JWK => ({ kty: '', ...keys.get(name), ...changes });

describe('a key that verifies tokens', () => {
  const CASES: ReadonlyArray<readonly [title: string, create: () => JWK]> = [
    ...['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA'].map((alg) => [alg, () => key(alg)] as const),
    ['with an algorithm', () => key('RS256', { alg: 'PS512', use: 'sig', kid: 'k' })],
  ];
  for (const [title, create] of CASES) {
    test(title, async () => {
      const candidate = create();
      expect(await usableKeys([candidate])).toEqual({ keys: [candidate], unusable: [] });
    });
  }
});

describe('a key that verifies none is left out by name', () => {
  const CASES: ReadonlyArray<readonly [title: string, create: () => unknown, reason: RegExp]> = [
    ['base64', () => key('RS256', { kid: 'a', n: 'ab+/' }), /^key "a": its member n is not base64url/],
    ['padding', () => key('ES256', { x: 'ab==' }), /^key 1: its member x is not base64url/],
    ['an empty member', () => key('RS256', { n: '' }), /its member n/],
    ['1,024 bits', () => key('1024'), /2048 bits/],
    ['2,040 bits', () => key('2040'), /2048 bits/],
    ['a point off the curve', () => key('ES256', { x: key64(1), y: key64(2) }), /^key 1: ./],
    ['an unknown curve', () => key('ES256', { crv: 'P-999' }), /its type EC P-999 is not supported/],
    ['an unknown algorithm', () => key('RS256', { alg: 'XX' }), /^key 1: ./],
    ['an algorithm of another type', () => key('RS256', { alg: 'ES256' }), /^key 1: ./],
    ['a missing member', () => key('RS256', { n: undefined }), /^key 1: ./],
    ['a private key', () => key('private ES256'), /a private key/],
    ['a secret', () => ({ kty: 'oct', k: 'AAAA' }), /a shared secret/],
    ['no key', () => 5, /no JSON object/],
    ['null', () => null, /no JSON object/],
  ];
  const key64 = (value: number): string => Buffer.alloc(32, value).toString('base64url');
  for (const [title, create, reason] of CASES) {
    test(title, async () => {
      const good = key('RS256');
      const { keys: usable, unusable } = await usableKeys([create(), good]);
      expect([usable, unusable]).toEqual([[good], [expect.stringMatching(reason)]]);
    });
  }
});

test('keys for encryption are left out without a word', async () => {
  expect(await usableKeys([key('RS256', { use: 'enc', alg: 'RSA-OAEP' })])).toEqual({ keys: [], unusable: [] });
});
