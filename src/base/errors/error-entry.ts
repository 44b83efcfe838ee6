/** The form of error declarations. */

export interface ErrorEntry {
  /** successStatus of the contract: 2 authorization failure, 3 security check failure; 1, failure, if undefined. */
  readonly status?: 2 | 3;
  /** successStatus of Ignite, if different; for compatibility mode `reference`. */
  readonly igniteStatus?: 4;
  readonly http: number;
  /** The HTTP status is `http` even without `httpStatus=true`. */
  readonly httpAlways?: true;
  /** The same for a request with an idempotency key, whose client retries by HTTP status. */
  readonly httpWithKey?: true;
  /** Whether the text names the request: always, as the command says, or never if undefined. */
  readonly wrap?: 'always' | 'command';
  readonly text: (...details: never[]) => string;
  /** Returns the parameter that the error is about, as the client names it, from the arguments of the text. */
  readonly parameter?: (...details: never[]) => string | undefined;
  /** When the error occurs, for the documentation. */
  readonly cause: string;
  /** What the client should do instead, for the documentation. */
  readonly remedy: string;
  /** Returns a more specific remedy, from the arguments of the text. */
  readonly specificRemedy?: (...details: never[]) => string | undefined;
}

/** A separate text for an error that shares its code, and so its status and remedy, with others. */
export interface SpecificText {
  readonly code: string;
  readonly text: (...details: never[]) => string;
  readonly parameter?: ErrorEntry['parameter'];
  readonly specificRemedy?: ErrorEntry['specificRemedy'];
}

export type Text = string | number | bigint;

export function defineErrors<const T extends Record<string, ErrorEntry>>(entries: T): T {
  return entries;
}

export function defineTexts<const T extends Record<string, SpecificText>>(entries: T): T {
  return entries;
}

export const invalidUuid = (value: string, name?: string): string =>
  `Invalid UUID string: ${value}${name === undefined ? '' : ` (${name} must be a UUID)`}`;

export const notCombined = (first: string, second: string): string =>
  `The parameters ${first} and ${second} cannot be combined`;
