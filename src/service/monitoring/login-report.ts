/** Statistics of logins and wrong credentials. */

export const CREDENTIALS = ['password', 'api_key', 'jwt'] as const;
export type Credential = (typeof CREDENTIALS)[number];
/** `throttled`: rejected unchecked, because too many earlier ones were wrong or too many are being checked. */
export const LOGIN_FAILURES = ['wrong', 'throttled'] as const;
export type LoginFailure = (typeof LOGIN_FAILURES)[number];

export interface LoginReport {
  /** Accepted passwords. */
  readonly accepted: number;
  readonly failures: Readonly<Record<Credential, Readonly<Record<LoginFailure, number>>>>;
}
