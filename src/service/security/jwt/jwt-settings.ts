/** Settings of JSON Web Tokens: which are valid, and for whom they speak. */

/** Algorithms with a public key. With a shared one, whoever verifies tokens could also make them. */
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
  /** The claim with the name of the user. */
  readonly userClaim: string;
  /** `separate`: users of tokens have a prefix and no account. `stored`: they are users of the service. */
  readonly users: 'separate' | 'stored';
  /** The claim with the groups or roles of the user; undefined: the configuration decides by the name. */
  readonly rolesClaim: string | undefined;
  /** Roles of the service by value of that claim. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
}

/** Begins the names of users who have no account, so that nobody can be named like the administrator elsewhere. */
export const SEPARATE_PREFIX = 'jwt:';
