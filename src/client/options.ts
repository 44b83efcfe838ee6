/** The options of a client, and the headers that follow from them. */
import type { RetryOptions } from './attempts.ts';
import { checkNames } from './parameters.ts';

export interface ClientOptions extends RetryOptions {
  /**
   * The endpoint: `http://localhost:8080/svc`. May be a comma-separated list of a primary and its standbys: the client
   * finds the primary, and sends nothing to any other address.
   */
  readonly url: string;
  /** Name and password; the client logs in when it is needed, and again when the session has expired. */
  readonly user?: string;
  readonly password?: string;
  /** API key or JSON Web Token, instead of a user. */
  readonly token?: string;
  /** Time limit of each request in milliseconds; default: none. */
  readonly timeoutMs?: number;
  /** Keys in one request of a bulk command, which is split beyond it; default 1,000. */
  readonly bulkKeys?: number;
  /** How responses write dates, times and timestamps: as Ignite does (`text`, the default), or as ISO 8601 (`iso`). */
  readonly dates?: 'text' | 'iso';
  /** Whether calls by key that a program makes in the same tick share a request; default false. */
  readonly batching?: boolean;
  /** Replaces the global fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

const NAMES: readonly string[] = [
  ...(['url', 'user', 'password', 'token', 'timeoutMs', 'bulkKeys', 'dates', 'batching', 'fetch'] as const),
  ...(['retries', 'retryMs'] as const),
] satisfies ReadonlyArray<keyof ClientOptions>;

const DATE_FORMS: readonly unknown[] = [undefined, 'text', 'iso'];

/**
 * Returns the header with what every request asks for: errors that are objects, and the rules of the contract. Services
 * ignore preferences that they do not know. Throws TypeError for options that do not exist.
 */
export function preferencesOf(options: ClientOptions): Readonly<Record<string, string>> {
  checkNames('the options of SvcClient', options, NAMES);
  const { dates } = options;
  if (!DATE_FORMS.includes(dates)) throw new TypeError(`dates must be text or iso, got ${JSON.stringify(dates)}`);
  const usual = 'errors=object, compatibility=contract';
  return { Prefer: dates === undefined ? usual : `${usual}, dates=${dates}` };
}
