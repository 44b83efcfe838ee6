/** Credentials for an object store: from the usual variables, the usual file, or the machine's role. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../../base/child-environment.ts';
import type { Clock } from '../../../../base/clock.ts';
import { CredentialsMissing } from './s3-errors.ts';
import { roleCredentials, type S3Credentials } from './s3-roles.ts';

/**
 * Returns the credentials from the first of these that exists: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
 * `AWS_SESSION_TOKEN`; a profile in `AWS_SHARED_CREDENTIALS_FILE`; a role ({@link roleCredentials}). If there are none,
 * throws CredentialsMissing, which says what is missing.
 */
export async function credentialsOf(environment: Environment): Promise<S3Credentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  if (accessKeyId && secretAccessKey) return withToken(accessKeyId, secretAccessKey, sessionToken);
  const file = environment.AWS_SHARED_CREDENTIALS_FILE || join(environment.HOME ?? homedir(), '.aws/credentials');
  const profile = environment.AWS_PROFILE || 'default';
  const values = profileOf(file, profile);
  const id = values?.get('aws_access_key_id');
  const secret = values?.get('aws_secret_access_key');
  if (id !== undefined && secret !== undefined) return withToken(id, secret, values?.get('aws_session_token'));
  const role = environment.AWS_PROFILE ? undefined : await roleCredentials(environment);
  if (role !== undefined) return role;
  throw new CredentialsMissing(
    'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile ' +
      `${profile} in ${file} (AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE); this machine has no role`,
  );
}

/** Time before expiry from which credentials are replaced. */
const REPLACE_MS = 5 * 60_000;
/** Time between attempts to replace credentials that are still valid. */
const RETRY_MS = 30_000;

/** Credentials that are loaded on demand, and again before they expire. */
export class RenewedCredentials {
  readonly #load: () => S3Credentials | Promise<S3Credentials>;
  readonly #clock: Clock;
  #current: S3Credentials | undefined;
  #replaceAtMs = 0;
  /** Concurrent requests wait for one load. */
  #loading: Promise<S3Credentials> | undefined;

  constructor(load: () => S3Credentials | Promise<S3Credentials>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /** Returns credentials: the same ones until they are replaced. Rejects if loading them fails. */
  async get(): Promise<S3Credentials> {
    if (this.#current !== undefined && this.#clock.nowMs() < this.#replaceAtMs) return this.#current;
    this.#loading ??= this.#replaced().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Loads them again, because the store says that they have expired. */
  expire(): void {
    this.#current = undefined;
  }

  async #replaced(): Promise<S3Credentials> {
    const before = this.#current;
    try {
      const loaded = await this.#load();
      this.#current = loaded;
      // A role may provide credentials that are about to expire, until it has new ones.
      const earliestMs = this.#clock.nowMs() + RETRY_MS;
      this.#replaceAtMs = Math.max(earliestMs, (loaded.expiresAtMs ?? Number.POSITIVE_INFINITY) - REPLACE_MS);
      return loaded;
    } catch (error) {
      const nowMs = this.#clock.nowMs();
      if (before?.expiresAtMs === undefined || nowMs >= before.expiresAtMs) throw error;
      this.#current = before;
      this.#replaceAtMs = Math.min(nowMs + RETRY_MS, before.expiresAtMs);
      return before;
    }
  }
}

function withToken(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): S3Credentials {
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** Returns a section's values, or undefined if there is no file, or it has no such section. */
function profileOf(file: string, profile: string): ReadonlyMap<string, string> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  let values: Map<string, string> | undefined;
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (name !== undefined) section = name;
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) ?? [];
    if (section !== profile || key === undefined || value === undefined) continue;
    values ??= new Map();
    values.set(key.toLowerCase(), value);
  }
  return values;
}
