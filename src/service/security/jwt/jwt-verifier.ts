/**
 * Authenticates by JSON Web Token (RFC 7519, OpenID Connect). Verifying a signature is expensive, so each thread caches
 * the tokens that it has verified. The library is loaded with the first token.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { JWT_BOUNDS } from '../../../base/limits.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Caller } from '../../../commands/context.ts';
import type { FindAccount } from '../accounts.ts';
import { userIdOf } from '../directory.ts';
import { isDisguised } from '../disguised-names.ts';
import type { KeyAttempts } from '../key-attempts.ts';
import type { SecurityEpoch } from '../security-epoch.ts';
import { type JwtKeys, keysIn } from './jwt-keys.ts';
import { type JwtSettings, SEPARATE_PREFIX } from './jwt-settings.ts';
import { usableKeys } from './usable-keys.ts';

type Jose = typeof import('jose');
type Claims = Readonly<Record<string, unknown>>;
type Resolver = ReturnType<Jose['createLocalJWKSet']>;

export interface JwtVerifierOptions {
  readonly settings: JwtSettings;
  readonly keys: JwtKeys;
  readonly findAccount: FindAccount;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly keyAttempts: KeyAttempts;
  /** Time in ms for which a thread trusts what it knows about an account; see {@link SessionOptions.trustMs}. */
  readonly trustMs: number;
}

const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Reports whether a string has the form of a JSON Web Token, whose header is a JSON object. */
export function isJwt(text: string): boolean {
  return text.startsWith('eyJ') && text.length <= JWT_BOUNDS.tokenCharacters && FORM.test(text);
}

interface VerifiedToken {
  readonly caller: Caller;
  readonly untilMs: number;
  epoch: number;
  trustedUntilMs: number;
}

interface LoadedKeys {
  readonly version: number;
  readonly loadedMs: number;
  readonly resolve: Resolver;
}

export class JwtVerifier {
  readonly #options: JwtVerifierOptions;
  /** By token. */
  readonly #verified = new LRUCache<string, VerifiedToken>({ max: JWT_BOUNDS.verifiedTokens });
  readonly #verifying = new Map<string, Promise<Caller>>();
  #keys: LoadedKeys | undefined;

  constructor(options: JwtVerifierOptions) {
    this.#options = options;
  }

  /**
   * Returns the caller that a token authenticates. `addressOf` returns the client's address. Throws JWT_INVALID,
   * JWT_KEYS_UNAVAILABLE, TOO_MANY_ATTEMPTS and OVERLOADED.
   */
  find(token: string, addressOf: () => string): MaybePromise<Caller> {
    const verified = this.#current(token);
    if (verified === undefined) return this.#verifyOnce(token, addressOf());
    if (this.#isTrusted(verified)) return verified.caller;
    return chain(this.#callerOf(verified.caller.user, verified.caller.roles), (caller) => {
      if (caller === undefined) throw gridError('JWT_INVALID', 'its user does not exist');
      return this.#remember(token, caller, verified.untilMs).caller;
    });
  }

  /** Returns the caller that a token authenticates if this thread has verified it. */
  cached(token: string): Caller | undefined {
    const verified = this.#current(token);
    return verified !== undefined && this.#isTrusted(verified) ? verified.caller : undefined;
  }

  #current(token: string): VerifiedToken | undefined {
    const verified = this.#verified.get(token);
    return verified !== undefined && this.#options.clock.nowMs() < verified.untilMs ? verified : undefined;
  }

  /** A user without an account cannot be removed. */
  #isTrusted({ epoch, trustedUntilMs }: VerifiedToken): boolean {
    const { settings, epoch: current, clock } = this.#options;
    return settings.users === 'separate' || (epoch === current.current() && clock.nowMs() < trustedUntilMs);
  }

  /** Requests with the same token share one verification. */
  #verifyOnce(token: string, address: string): Promise<Caller> {
    const already = this.#verifying.get(token);
    if (already !== undefined) return already;
    if (this.#verifying.size >= JWT_BOUNDS.verifications) throw gridError('OVERLOADED', this.#verifying.size);
    const verifying = this.#verify(token, address).finally(() => this.#verifying.delete(token));
    this.#verifying.set(token, verifying);
    return verifying;
  }

  async #verify(token: string, address: string): Promise<Caller> {
    const { settings, clock, keyAttempts } = this.#options;
    const jose = await import('jose');
    let reason: string;
    try {
      const claims = await this.#claimsOf(token, jose);
      const user = userOf(claims, settings);
      const caller = user === undefined ? undefined : await this.#callerOf(user, rolesOf(claims, settings));
      if (caller !== undefined) {
        const expiresAtMs = (Number(claims.exp) + settings.clockToleranceSeconds) * 1000;
        return this.#remember(token, caller, Math.min(expiresAtMs, clock.nowMs() + JWT_BOUNDS.verifiedMs)).caller;
      }
      reason = user === undefined ? `the claim ${settings.userClaim} names no user` : 'its user does not exist';
    } catch (error) {
      if (!(error instanceof jose.errors.JOSEError)) throw error;
      reason = reasonOf(error, settings, jose);
    }
    await keyAttempts.failed('jwt', address);
    throw gridError('JWT_INVALID', reason);
  }

  async #claimsOf(token: string, jose: Jose): Promise<Claims> {
    try {
      return await this.#checkedClaims(token, jose, 0);
    } catch (error) {
      const known = this.#keys;
      if (!(error instanceof jose.errors.JWKSNoMatchingKey) || known === undefined) throw error;
      // The issuer may have a new key.
      return this.#checkedClaims(token, jose, known.version);
    }
  }

  async #checkedClaims(token: string, jose: Jose, after: number): Promise<Claims> {
    const { issuer, audiences, algorithms, clockToleranceSeconds } = this.#options.settings;
    const keys = await this.#keysAfter(jose, after);
    const options = {
      issuer,
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
      currentDate: new Date(this.#options.clock.nowMs()),
    };
    try {
      return (await jose.jwtVerify(token, keys.resolve, options)).payload;
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
      // Several keys may share an id, and a token needs none (RFC 7517, 4.5).
      for await (const key of error) {
        try {
          return (await jose.jwtVerify(token, key, options)).payload;
        } catch (wrong) {
          if (!(wrong instanceof jose.errors.JWSSignatureVerificationFailed)) throw wrong;
        }
      }
      throw new jose.errors.JWSSignatureVerificationFailed();
    }
  }

  async #keysAfter(jose: Jose, after: number): Promise<LoadedKeys> {
    const { keys, clock } = this.#options;
    const known = this.#keys;
    const nowMs = clock.monotonicMs();
    const isFresh = known !== undefined && nowMs - known.loadedMs < JWT_BOUNDS.threadKeysMs;
    if (isFresh && known.version > after) return known;
    const { version, text } = await keys.get(after);
    const resolve = known?.version === version ? known.resolve : await resolverOf(text, jose);
    this.#keys = { version, loadedMs: nowMs, resolve };
    return this.#keys;
  }

  /** Returns the caller, or undefined if the user must exist and does not. */
  #callerOf(user: string, roles: readonly string[] | undefined): MaybePromise<Caller | undefined> {
    const { settings, findAccount } = this.#options;
    const callerWith = (subjectId: string, assigned?: readonly string[]): Caller =>
      Object.freeze({
        user,
        token: null,
        subjectId,
        isExternal: true as const,
        assigned,
        ...(roles !== undefined && { roles }),
      });
    if (settings.users === 'separate') return callerWith(userIdOf(user));
    return chain(findAccount(user), (account) =>
      account === undefined ? undefined : callerWith(account.id, account.roles),
    );
  }

  #remember(token: string, caller: Caller, untilMs: number): VerifiedToken {
    const { epoch, clock, trustMs } = this.#options;
    const verified = { caller, untilMs, epoch: epoch.current(), trustedUntilMs: clock.nowMs() + trustMs };
    this.#verified.set(token, verified);
    return verified;
  }
}

/** Returns a token's user, or undefined if the claim is not a name. */
function userOf(claims: Claims, { userClaim, users }: JwtSettings): string | undefined {
  const name = claimOf(claims, userClaim);
  if (typeof name !== 'string' || name === '' || name.length > JWT_BOUNDS.nameCharacters) return undefined;
  // Names are part of log lines and error texts. A user of the service may have an older name.
  if (users === 'separate') return isDisguised(name) ? undefined : `${SEPARATE_PREFIX}${name}`;
  return /\p{Cc}/u.test(name) ? undefined : name;
}

/** Returns the roles that a token grants, or undefined if the configuration decides. */
function rolesOf(claims: Claims, { rolesClaim, roles }: JwtSettings): readonly string[] | undefined {
  if (rolesClaim === undefined) return undefined;
  const claim = claimOf(claims, rolesClaim);
  const values: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return [...new Set(values.flatMap((value) => (typeof value === 'string' ? (roles.get(value) ?? []) : [])))];
}

/** Returns a claim by its name, which may contain dots, or by its path: `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/** Returns the keys that can verify tokens. */
async function resolverOf(text: string, jose: Jose): Promise<Resolver> {
  const { keys } = await usableKeys(keysIn(text));
  return jose.createLocalJWKSet({ keys: [...keys] });
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not allowed',
  ERR_JWKS_NO_MATCHING_KEY: 'no key fits it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
};

type JoseError = InstanceType<Jose['errors']['JOSEError']>;

function reasonOf(error: JoseError, { issuer, audiences }: JwtSettings, jose: Jose): string {
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    const { claim, reason, payload } = error;
    if (reason === 'missing') return `it has no claim ${claim}`;
    if (reason === 'invalid') return `the claim ${claim} is not a time: ${shown(payload[claim])}`;
    if (claim === 'nbf') return 'it is not valid yet (nbf)';
    const expected = claim === 'iss' ? issuer : claim === 'aud' ? audiences.join(' or ') : undefined;
    if (expected === undefined) return `the claim ${claim} is not as expected`;
    return `the claim ${claim} is ${shown(payload[claim])}, expected ${expected}`;
  }
  return REASONS[error.code] ?? 'it is malformed';
}

/** Maximum number of characters that an error shows of a claim. */
const SHOWN_CHARACTERS = 200;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'absent');
  return text.slice(0, SHOWN_CHARACTERS).replace(/\p{Cc}/gu, ' ');
}
