/** Sources of credentials: variables, a file, and roles. The services of roles are real ones, over sockets. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../../test/fixtures/base/manual-clock.ts';
import type { Environment } from '../../../../base/child-environment.ts';
import { systemClock, type Timer } from '../../../../base/clock.ts';
import { S3Client } from './s3-client.ts';
import { credentialsOf, RenewedCredentials } from './s3-credentials.ts';

let folder = '';
/** No file of this machine's user is read, and no service of this machine is asked. */
let none: Environment = {};
const servers: Bun.Server<undefined>[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-credentials-'));
  none = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a service that answers requests for `METHOD PATH`; the rest is not found. Returns its origin. */
function serve(answers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>>): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      return answers[`${request.method} ${pathname}`]?.(request) ?? new Response('secret', { status: 404 });
    },
  });
  servers.push(server);
  return server.url.origin;
}

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const EXPIRES = '2030-01-01T00:00:00Z';
const given = (id: string, expires = EXPIRES) =>
  Response.json({ Code: 'Success', AccessKeyId: id, SecretAccessKey: 'secret', Token: 'token', Expiration: expires });
const ofRole = (id: string) => ({
  accessKeyId: id,
  secretAccessKey: 'secret',
  sessionToken: 'token',
  expiresAtMs: Date.parse(EXPIRES),
});

test('credentials are those of the environment, else of a profile in a file', async () => {
  const file = fileOf(
    'credentials',
    '[default]\naws_access_key_id = a\naws_secret_access_key = b\n[other]\naws_access_key_id=c\r\naws_secret_access_key=d==\r\naws_session_token=e\n',
  );
  const variables = { ...none, AWS_SHARED_CREDENTIALS_FILE: file };
  const set = { ...variables, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };
  expect(await credentialsOf(set)).toEqual({ accessKeyId: 'x', secretAccessKey: 'y' });
  expect(await credentialsOf(variables)).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
  expect(await credentialsOf({ ...variables, AWS_PROFILE: 'other' })).toEqual({
    accessKeyId: 'c',
    secretAccessKey: 'd==',
    sessionToken: 'e',
  });
  await expect(credentialsOf({ ...variables, AWS_PROFILE: 'none' })).rejects.toThrow('there are no credentials');
  await expect(credentialsOf(none)).rejects.toThrow('there are no credentials');
});

describe('a role', () => {
  test('of the machine, by a token', async () => {
    const roles = '/latest/meta-data/iam/security-credentials/';
    const withToken = (answer: () => Response) => (request: Request) =>
      request.headers.get('x-aws-ec2-metadata-token') === 'session' ? answer() : new Response('', { status: 401 });
    let name = 'backups';
    const origin = serve({
      'PUT /latest/api/token': ({ headers }) =>
        new Response(headers.get('x-aws-ec2-metadata-token-ttl-seconds') === '21600' ? 'session' : ''),
      [`GET ${roles}`]: withToken(() => new Response(name, { status: name === '' ? 404 : 200 })),
      [`GET ${roles}backups`]: withToken(() => given('machine')),
    });
    const environment = { HOME: folder, AWS_EC2_METADATA_SERVICE_ENDPOINT: origin };
    expect(await credentialsOf(environment)).toEqual(ofRole('machine'));
    name = 'other';
    await expect(credentialsOf(environment)).rejects.toThrow(/role of the machine could not be read: .* answered 404/);
    name = '';
    await expect(credentialsOf(environment)).rejects.toThrow('this machine has no role');
    const away = { ...environment, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' };
    await expect(credentialsOf(away)).rejects.toThrow('this machine has no role');
  });

  test('of a container, with the token of a variable or of a file that is replaced', async () => {
    const origin = serve({
      'GET /v1': ({ headers }) => given(headers.get('authorization') ?? 'nobody'),
      'GET /empty': () => Response.json({}),
    });
    const environment = { ...none, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/v1` };
    expect(await credentialsOf(environment)).toEqual(ofRole('nobody'));
    const token = { ...environment, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'of the variable' };
    expect(await credentialsOf(token)).toEqual(ofRole('of the variable'));
    const file = { ...token, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: fileOf('token', 'first\n') };
    expect(await credentialsOf(file)).toEqual(ofRole('first'));
    fileOf('token', 'second\n');
    expect(await credentialsOf(file)).toEqual(ofRole('second'));
    const elsewhere = { ...none, AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.com/v1' };
    await expect(credentialsOf(elsewhere)).rejects.toThrow('AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL');
    const empty = { ...none, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/empty` };
    await expect(credentialsOf(empty)).rejects.toThrow('the answer has none');
  });

  test('of a web identity, whose token is read each time', async () => {
    const asked: Record<string, string>[] = [];
    const origin = serve({
      'POST /': async (request) => {
        asked.push(Object.fromEntries(new URLSearchParams(await request.text())));
        const keys = '<AccessKeyId>web</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>';
        const rest = `<SessionToken>token</SessionToken><Expiration>${EXPIRES}</Expiration>`;
        return new Response(`<AssumeRoleWithWebIdentityResult><Credentials>${keys}${rest}</Credentials>`);
      },
    });
    const environment = {
      ...none,
      AWS_WEB_IDENTITY_TOKEN_FILE: fileOf('token', 'first'),
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/backups',
      AWS_ROLE_SESSION_NAME: 'shop',
      AWS_ENDPOINT_URL_STS: origin,
    };
    expect(await credentialsOf(environment)).toEqual(ofRole('web'));
    fileOf('token', 'second');
    await credentialsOf(environment);
    expect(asked.map(({ WebIdentityToken }) => WebIdentityToken)).toEqual(['first', 'second']);
    expect(asked[0]).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: 'arn:aws:iam::1:role/backups',
      RoleSessionName: 'shop',
    });
    const denied = { ...environment, AWS_ENDPOINT_URL_STS: `${origin}/denied` };
    const failure = await credentialsOf(denied).catch((error: unknown) => String(error));
    expect(failure).toMatch(/role arn:aws:iam::1:role\/backups could not be read: 127.0.0.1:\d+ answered 404$/);
    rmSync(join(folder, 'token'));
    await expect(credentialsOf(environment)).rejects.toThrow('cannot be read (AWS_WEB_IDENTITY_TOKEN_FILE): ENOENT');
  });
});

const HOUR_MS = 3_600_000;

test('they are replaced five minutes before they expire, once for all requests, and kept while that fails', async () => {
  const clock = new ManualClock();
  const startMs = clock.nowMs();
  let loads = 0;
  let fails = false;
  const credentials = new RenewedCredentials(async () => {
    loads++;
    if (fails) throw new Error('no answer');
    return { accessKeyId: `${loads}`, secretAccessKey: '', expiresAtMs: clock.nowMs() + HOUR_MS };
  }, clock);
  const idNow = async () => (await credentials.get()).accessKeyId;
  const at = (minutes: number) => clock.advance(startMs + minutes * 60_000 - clock.nowMs());
  expect(await Promise.all([idNow(), idNow(), idNow()])).toEqual(['1', '1', '1']);
  at(54);
  expect(await idNow()).toBe('1');
  at(55);
  expect(await Promise.all([idNow(), idNow()])).toEqual(['2', '2']);
  fails = true;
  at(111);
  expect([await idNow(), await idNow(), loads]).toEqual(['2', '2', 3]);
  at(112);
  expect([await idNow(), loads]).toEqual(['2', 4]);
  at(115);
  await expect(idNow()).rejects.toThrow('no answer');
  fails = false;
  expect(await idNow()).toBe('6');
  credentials.expire();
  expect(await idNow()).toBe('7');
});

/** The time is set manually; pauses between attempts are real. */
class SetClock extends ManualClock {
  override after(delayMs: number, action: () => void): Timer {
    return systemClock.after(delayMs, action);
  }
}

test('requests to a store are signed with the credentials that are valid, over a renewal', async () => {
  const clock = new SetClock();
  let given = 0;
  const signed: string[] = [];
  const endpoint = serve({
    'GET /role': () =>
      Response.json({
        AccessKeyId: `id${++given}`,
        SecretAccessKey: 'secret',
        Token: 'token',
        Expiration: new Date(clock.nowMs() + HOUR_MS).toISOString(),
      }),
    'DELETE /bucket/key': ({ headers }) => {
      signed.push(`${/Credential=(\w+)/.exec(headers.get('authorization') ?? '')?.[1]}`);
      expect(headers.get('x-amz-security-token')).toBe('token');
      return new Response(null, { status: 204 });
    },
  });
  const environment = { ...none, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${endpoint}/role` };
  const location = { endpoint, region: 'r', bucket: 'bucket', isPathStyle: true };
  const client = new S3Client({ location, credentials: () => credentialsOf(environment), clock });
  await Promise.all([client.remove('key'), client.remove('key')]);
  clock.advance(HOUR_MS - 6 * 60_000);
  await client.remove('key');
  clock.advance(60_000);
  await client.remove('key');
  expect(signed).toEqual(['id1', 'id1', 'id1', 'id2']);
});
