/** Settings for JSON Web Tokens: which are valid, and whom they authenticate. */

/** Algorithms with a public key. With a shared key, anyone who verifies tokens could also create them. */
export const JWT_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

export interface JwtSettings {
  /** URL or absolute path of the JSON Web Key Set. */
  readonly keys: string;
  readonly issuer: string;
  /** Accepted audiences; at least one. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** The claim with the user's name. */
  readonly userClaim: string;
  /** `separate`: users of tokens have a prefix and no account. `stored`: they are users of the service. */
  readonly users: 'separate' | 'stored';
  /** The claim with the user's groups or roles; if undefined, the configuration decides by the name. */
  readonly rolesClaim: string | undefined;
  /** Roles of the service by the claim's value. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
}

/** The prefix of users without an account, so that none can have the administrator's name. */
export const SEPARATE_PREFIX = 'jwt:';
