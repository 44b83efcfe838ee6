/** Credentials of an object store, from the usual variables or the usual file. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CredentialsMissing } from './s3-errors.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the credentials of `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, else those of a
 * profile in `AWS_SHARED_CREDENTIALS_FILE`. Throws CredentialsMissing, which says what is missing, without any of them.
 */
export function credentialsOf(environment: Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  if (accessKeyId && secretAccessKey) return withToken(accessKeyId, secretAccessKey, sessionToken);
  const file = environment.AWS_SHARED_CREDENTIALS_FILE || join(environment.HOME ?? homedir(), '.aws/credentials');
  const profile = environment.AWS_PROFILE || 'default';
  const values = profileOf(file, profile);
  const id = values?.get('aws_access_key_id');
  const secret = values?.get('aws_secret_access_key');
  if (id === undefined || secret === undefined) {
    throw new CredentialsMissing(
      'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile ' +
        `${profile} in ${file} (AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE)`,
    );
  }
  return withToken(id, secret, values?.get('aws_session_token'));
}

function withToken(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): S3Credentials {
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** Returns the values of a section; undefined: there is no file, or it has no such section. */
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
