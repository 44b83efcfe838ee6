/**
 * Credentials for the role of a machine, a container or a Kubernetes service account, found in the same way as by AWS's
 * programs. The packages that do so are much larger than these requests.
 */
import { readFileSync } from 'node:fs';
import type { Environment } from '../../../../base/child-environment.ts';
import { randomUuid } from '../../../../base/clock.ts';
import { ObjectStoreError } from './s3-errors.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they expire, in ms since 1970. */
  readonly expiresAtMs?: number;
}

/** Services on the machine respond immediately; if there is none, the address may be unreachable. */
const MACHINE_MS = 1_000;
const STS_MS = 5_000;
const TOKEN_SECONDS = 21_600;
const CONTAINER_ORIGIN = 'http://169.254.170.2';
const MACHINE_ORIGIN = 'http://169.254.169.254';
/** Hosts to which a token may be sent without TLS: the machine itself and the addresses of ECS and EKS. */
const CONTAINER_HOSTS = new Set([
  'localhost',
  '127.0.0.1',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
]);

/**
 * Returns the credentials for the first existing role: a web identity (Kubernetes), a container (ECS, EKS), the machine
 * (EC2), or undefined if there is none. Throws ObjectStoreError if one exists and does not respond properly.
 */
export async function roleCredentials(environment: Environment): Promise<S3Credentials | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: role } = environment;
  if (tokenFile && role) return webIdentity(tokenFile, role, environment);
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: url } = environment;
  if (path) return container(CONTAINER_ORIGIN + path, environment);
  if (url) return container(url, environment);
  return environment.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true' ? undefined : machine(environment);
}

async function webIdentity(tokenFile: string, role: string, environment: Environment): Promise<S3Credentials> {
  const what = `the role ${role}`;
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1';
  const endpoint = environment.AWS_ENDPOINT_URL_STS || `https://sts.${region}.amazonaws.com`;
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: environment.AWS_ROLE_SESSION_NAME || `svc-${randomUuid()}`,
    WebIdentityToken: secretOf(tokenFile, 'AWS_WEB_IDENTITY_TOKEN_FILE'),
  });
  const text = await answerOf(endpoint, what, { method: 'POST', body, timeoutMs: STS_MS });
  const element = (name: string): unknown => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return checked(what, {
    AccessKeyId: element('AccessKeyId'),
    SecretAccessKey: element('SecretAccessKey'),
    Token: element('SessionToken'),
    Expiration: element('Expiration'),
  });
}

async function container(url: string, environment: Environment): Promise<S3Credentials> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && CONTAINER_HOSTS.has(parsed.hostname))) {
    throw new ObjectStoreError(
      'AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or an http URL of this machine or of ECS or EKS',
    );
  }
  const file = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file
    ? secretOf(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
    : environment.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  const what = 'the role of the container';
  const headers = { ...(token && { Authorization: token }) };
  return checked(what, parsedJson(await answerOf(url, what, { headers, timeoutMs: MACHINE_MS })));
}

async function machine(environment: Environment): Promise<S3Credentials | undefined> {
  const origin = (environment.AWS_EC2_METADATA_SERVICE_ENDPOINT || MACHINE_ORIGIN).replace(/\/+$/, '');
  const what = 'the role of the machine';
  const limit = { timeoutMs: MACHINE_MS };
  let token: string;
  try {
    const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
    token = await answerOf(`${origin}/latest/api/token`, what, { method: 'PUT', headers, ...limit });
  } catch {
    // It is not an EC2 machine.
    return undefined;
  }
  const headers = { 'X-aws-ec2-metadata-token': token };
  const roles = `${origin}/latest/meta-data/iam/security-credentials/`;
  const names = await answerOf(roles, what, { headers, ...limit, isOptional: true });
  const [name = ''] = names.trim().split('\n');
  // The machine has no role.
  if (name === '') return undefined;
  return checked(what, parsedJson(await answerOf(roles + name, what, { headers, ...limit })));
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
  readonly timeoutMs: number;
  /** Whether there may be nothing at the address: the response is empty then. */
  readonly isOptional?: boolean;
}

/** Sends a request and returns the response. No message contains what was sent or received. */
async function answerOf(url: string, what: string, { timeoutMs, isOptional = false, ...init }: Asked): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return await response.text();
  } catch {
    throw new ObjectStoreError(`credentials of ${what} could not be read: ${hostOf(url)} does not answer`);
  }
  if (isOptional && response.status === 404) return '';
  throw new ObjectStoreError(`credentials of ${what} could not be read: ${hostOf(url)} answered ${response.status}`);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'its address';
}

function parsedJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function checked(
  what: string,
  { AccessKeyId, SecretAccessKey, Token, Expiration }: Readonly<Record<string, unknown>>,
): S3Credentials {
  const expiresAtMs = Date.parse(String(Expiration));
  const isComplete = [AccessKeyId, SecretAccessKey, Token].every((each) => typeof each === 'string' && each !== '');
  if (!isComplete || Number.isNaN(expiresAtMs)) {
    throw new ObjectStoreError(`credentials of ${what} could not be read: the answer has none`);
  }
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(Token),
    expiresAtMs,
  };
}

/** Reads a file that a program replaces from time to time. */
function secretOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ObjectStoreError(`${file} cannot be read (${variable}): ${code}`);
  }
}
