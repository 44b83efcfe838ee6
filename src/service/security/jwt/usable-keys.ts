/**
 * Selects the keys of a JSON Web Key Set that can verify tokens. An unusable key must not break the verification of
 * tokens signed with others.
 */
import type { JWK } from 'jose';
import { errorText } from '../../../base/errors.ts';

type Jose = typeof import('jose');

/** Algorithms tried for a key that does not name one; ES by its curve. */
const TRIED: Readonly<Record<string, string>> = { RSA: 'RS256', OKP: 'EdDSA' };
const OF_CURVE: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export interface UsableKeys {
  readonly keys: readonly JWK[];
  /** The other signature keys, with the reason. */
  readonly unusable: readonly string[];
}

export async function usableKeys(candidates: readonly unknown[]): Promise<UsableKeys> {
  const jose = await import('jose');
  const keys: JWK[] = [];
  const unusable: string[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (isForEncryption(candidate)) continue;
    const key = isKey(candidate) ? candidate : undefined;
    const reason = key === undefined ? 'it is no JSON object with a kty' : await problemOf(key, jose);
    if (key !== undefined && reason === undefined) keys.push(key);
    else unusable.push(`${nameOf(candidate, at)}: ${reason}`);
  }
  return { keys, unusable };
}

function isKey(candidate: unknown): candidate is JWK {
  return typeof candidate === 'object' && candidate !== null && 'kty' in candidate && typeof candidate.kty === 'string';
}

/** Issuers publish encryption keys in the same set. */
function isForEncryption(candidate: unknown): boolean {
  return isKey(candidate) && candidate.use === 'enc';
}

function nameOf(candidate: unknown, at: number): string {
  const kid = isKey(candidate) ? candidate.kid : undefined;
  return typeof kid === 'string' ? `key ${JSON.stringify(kid)}` : `key ${at + 1}`;
}

/** Returns the reason why a key cannot verify a token, or undefined if it can. */
async function problemOf(candidate: JWK, jose: Jose): Promise<string | undefined> {
  const { kty, crv, d, alg } = candidate;
  if (kty === 'oct') return 'it is a shared secret, with which anybody could make tokens';
  if (d !== undefined) return 'it is a private key';
  const malformed = (['n', 'e', 'x', 'y'] as const).find((name) => {
    const value = candidate[name];
    return value !== undefined && !(typeof value === 'string' && BASE64URL.test(value));
  });
  if (malformed !== undefined) return `its member ${malformed} is not base64url (it has no +, / and =)`;
  const algorithm = typeof alg === 'string' ? alg : (TRIED[kty ?? ''] ?? OF_CURVE[crv ?? '']);
  if (algorithm === undefined) return `its type ${kty}${typeof crv === 'string' ? ` ${crv}` : ''} is not supported`;
  try {
    const imported = await jose.importJWK(candidate, algorithm);
    const header = jose.base64url.encode(JSON.stringify({ alg: algorithm }));
    await jose.compactVerify(`${header}.e30.AAAA`, imported);
  } catch (error) {
    if (error instanceof jose.errors.JWSSignatureVerificationFailed) return undefined;
    return errorText(error);
  }
  return undefined;
}
