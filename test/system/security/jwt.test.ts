/** JSON Web Tokens over sockets: real signatures, keys from a real server or a file, rotation, users and roles. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { freePort } from '../../free-port.ts';
import { WORKERS } from '../modes.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const ISSUER = 'https://login.example/';
const AUDIENCE = 'svc-test';
const ADMIN = { 'svc.login': 'svc', 'svc.password': 'pw-svc' };

interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly jwk: object;
}

async function newSigner(kid: string, alg: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Returns an RSA key of 1,024 bits, which the library does not generate. */
async function newShortKey(): Promise<object> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256', use: 'sig' };
}

interface TokenOptions {
  readonly claims?: JWTPayload;
  readonly issuer?: string;
  readonly audience?: string;
  /** Seconds from now. */
  readonly expires?: number | null;
  readonly begins?: number;
}

function tokenOf(signer: Signer, subject: string, parts: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const jwt = new SignJWT(parts.claims ?? {})
    .setProtectedHeader({ alg: signer.alg, kid: signer.kid })
    .setSubject(subject)
    .setIssuer(parts.issuer ?? ISSUER)
    .setAudience(parts.audience ?? AUDIENCE);
  if (parts.expires !== null) jwt.setExpirationTime(now + (parts.expires ?? 300));
  if (parts.begins !== undefined) jwt.setNotBefore(now + parts.begins);
  return jwt.sign(signer.privateKey);
}

/** A key server whose responses can be set. */
function keyServer(port = 0) {
  let answer: () => Response = () => new Response('', { status: 500 });
  let requests = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch() {
      requests++;
      return answer();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/keys`,
    requests: () => requests,
    serve(signers: readonly Signer[]) {
      answer = () => Response.json({ keys: signers.map(({ jwk }) => jwk) });
    },
    respond(response: () => Response) {
      answer = response;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function startWith(options: object, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const config = join(newFolder(), 'svc.config.ts');
  const declared = {
    authentication: true,
    adminPassword: 'pw-svc',
    users: [{ name: 'ann', password: 'pw-ann' }],
    caches: [{ name: 'orders', entries: [{ key: '1', value: 'a' }] }],
    permissions: {
      roles: { reader: { caches: { orders: 'read' } }, nothing: { commands: ['noop'] } },
      users: { 'jwt:rita': ['reader'] },
    },
    ...options,
  };
  writeFileSync(config, `export default ${JSON.stringify(declared)};`);
  return startService({ args: ['--config', config], env });
}

const ask = (service: ServiceProcess, token: string, params: Record<string, string | number> = { cmd: 'noop' }) =>
  service.send(queryOf(params), { headers: { Authorization: `Bearer ${token}` } });
const outcome = ({ successStatus, error }: Answer) => [successStatus, error];
const invalid = (reason: string) => [2, `The JSON Web Token is not accepted: ${reason}`];
const GET = { cmd: 'get', cacheName: 'orders', key: 1 };
const PUT = { cmd: 'put', cacheName: 'orders', key: 2, val: 'b' };

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    const keys = keyServer();
    let service: ServiceProcess;
    let rsa: Signer;
    let signers: readonly Signer[];
    beforeAll(async () => {
      rsa = await newSigner('rsa', 'RS256');
      signers = [rsa, await newSigner('ec', 'ES256'), await newSigner('ed', 'EdDSA'), await newSigner('ps', 'PS256')];
      keys.serve(signers);
      const jwt = { keys: keys.url, issuer: ISSUER, audience: [AUDIENCE, 'other'], clockToleranceSeconds: 5 };
      service = await startWith({ jwt, login: { maxFailures: 20 } }, { SVC_WORKERS: workers });
    }, 60_000);
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      keys[Symbol.dispose]();
    });

    test('tokens of every algorithm are accepted, and their users need no account', async () => {
      for (const signer of signers) {
        const token = await tokenOf(signer, 'bob');
        const answers = await Promise.all(Array.from({ length: 8 }, () => ask(service, token, PUT)));
        expect(answers.map(outcome)).toEqual(Array(8).fill([0, null]));
        expect(answers[0]?.sessionToken).toBeNull();
      }
      const authenticated = await ask(service, await tokenOf(rsa, 'bob'), { cmd: 'authenticate' });
      expect([authenticated.response, authenticated.sessionToken]).toEqual([true, null]);
      // One request for the keys served all threads and tokens.
      expect(keys.requests()).toBe(1);
    });

    test('a user with a role has the rights of that role', async () => {
      const token = await tokenOf(rsa, 'rita');
      expect((await ask(service, token, GET)).response).toBe('a');
      expect((await ask(service, token, PUT)).error).toBe(
        'Authorization failed [user=jwt:rita, missing=put on cache orders]',
      );
    });

    test('a token for the name of the administrator is another user', async () => {
      const token = await tokenOf(rsa, 'svc');
      for (const params of [
        { cmd: 'adduser', user: 'eve', password: 'x' },
        { cmd: 'setstate', state: 'INACTIVE' },
        { cmd: 'apikeyadd', name: 'k' },
        { cmd: 'apikeyadd', name: 'k', user: 'svc' },
        { cmd: 'updateuser', user: 'svc', password: 'x' },
        { cmd: 'updateuser', user: 'jwt:svc', password: 'x' },
      ]) {
        expect([params.cmd, (await ask(service, token, params)).successStatus === 0]).toEqual([params.cmd, false]);
      }
      expect((await service.send(queryOf({ cmd: 'state', ...ADMIN }))).response).toBe('ACTIVE');
    });

    const rejections: ReadonlyArray<readonly [string, () => Promise<string>, string]> = [
      ['an expired token', () => tokenOf(rsa, 'a', { expires: -10 }), 'it has expired'],
      ['one without an expiry', () => tokenOf(rsa, 'a', { expires: null }), 'it has no claim exp'],
      [
        'one whose expiry is a text',
        () => tokenOf(rsa, 'a', { expires: null, claims: JSON.parse('{"exp":"soon"}') }),
        'the claim exp is not a time: soon',
      ],
      ['one that begins later', () => tokenOf(rsa, 'a', { begins: 60 }), 'it is not valid yet (nbf)'],
      [
        'another issuer',
        () => tokenOf(rsa, 'a', { issuer: 'https://login.example' }),
        'the claim iss is https://login.example, expected https://login.example/',
      ],
      [
        'another audience',
        () => tokenOf(rsa, 'a', { audience: 'x' }),
        'the claim aud is x, expected svc-test or other',
      ],
      ['an empty name', () => tokenOf(rsa, ''), 'the claim sub names no user'],
      ['a name with a line end', () => tokenOf(rsa, 'a\nb'), 'the claim sub names no user'],
      ['an invisible character', () => tokenOf(rsa, 'ri\u200bta'), 'the claim sub names no user'],
      ['a change of direction', () => tokenOf(rsa, 'rita\u202e'), 'the claim sub names no user'],
      ['full-width letters', () => tokenOf(rsa, '\uff52ita'), 'the claim sub names no user'],
      ['a long name', () => tokenOf(rsa, 'n'.repeat(256)), 'the claim sub names no user'],
      [
        'an algorithm that is not allowed',
        async () => tokenOf(await newSigner('rsa', 'RS512'), 'a'),
        'its algorithm is not allowed',
      ],
      ['another key', async () => tokenOf(await newSigner('rsa', 'RS256'), 'a'), 'its signature is wrong'],
      ['an unknown key', async () => tokenOf(await newSigner('none', 'RS256'), 'a'), 'no key fits it'],
      ['no kid where several keys fit', () => tokenOf({ ...rsa, kid: 'gone' }, 'a'), 'no key fits it'],
      ['no signature', async () => unsigned({ alg: 'none' }), 'its algorithm is not allowed'],
      [
        'an HMAC with the public key',
        async () => unsigned({ alg: 'HS256', kid: 'rsa' }),
        'its algorithm is not allowed',
      ],
      ['claims that were changed', changed, 'its signature is wrong'],
    ];
    const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = (header: object) =>
      [base64(header), base64({ iss: ISSUER, aud: AUDIENCE, sub: 'a', exp: 9_999_999_999 }), 'AA'].join('.');
    async function changed(): Promise<string> {
      const [header, , signature] = (await tokenOf(rsa, 'a')).split('.');
      return [header, base64({ iss: ISSUER, aud: AUDIENCE, sub: 'b', exp: 9_999_999_999 }), signature].join('.');
    }
    for (const [title, create, reason] of rejections) {
      test(`rejects ${title}`, async () =>
        expect(outcome(await ask(service, await create()))).toEqual(invalid(reason)));
    }

    test('wrong tokens are slowed down, valid ones are not', async () => {
      const other = await newSigner('rsa', 'RS256');
      const wrong = await Promise.all(Array.from({ length: 40 }, (_, at) => tokenOf(other, `a${at}`)));
      const answers = await Promise.all(wrong.map((token) => ask(service, token)));
      const texts = new Set(answers.map(({ error }) => error?.replace(/\d+/, 'N')));
      expect([...texts].sort()).toEqual([
        'The JSON Web Token is not accepted: its signature is wrong',
        'Too many failed attempts to log in, try again in N s',
      ]);
      expect(outcome(await ask(service, await tokenOf(rsa, 'bob')))).toEqual([0, null]);
    });

    test('texts that are no tokens are no credentials', async () => {
      for (const text of ['eyJ', 'eyJ.a', 'a.b.c', `eyJ.${'a'.repeat(9_000)}.b`]) {
        const { successStatus, error } = await ask(service, text);
        expect([successStatus, error]).toEqual([2, expect.stringContaining('nor a session token')]);
      }
    });

    test('a token ends at its expiry, also on threads that have verified it', async () => {
      const token = await tokenOf(rsa, 'short', { expires: -4 });
      expect(outcome(await ask(service, token))).toEqual([0, null]);
      await Bun.sleep(1_500);
      const { successStatus, error } = await ask(service, token);
      expect([successStatus, error]).toEqual([2, expect.stringMatching(/it has expired|^Too many failed attempts/)]);
    });
  });
}

describe('keys', () => {
  const jwt = { issuer: ISSUER, audience: [AUDIENCE] };

  test('of a file are read again when it changes, with the former tokens verified by then', async () => {
    const [first, second] = [await newSigner('1', 'ES256'), await newSigner('2', 'ES256')];
    const file = join(newFolder(), 'keys.json');
    writeFileSync(file, JSON.stringify({ keys: [first.jwk] }));
    await using service = await startWith({ jwt: { ...jwt, keys: file } });
    expect(outcome(await ask(service, await tokenOf(first, 'a')))).toEqual([0, null]);
    expect(outcome(await ask(service, await tokenOf(second, 'a')))).toEqual(invalid('no key fits it'));
    writeFileSync(file, JSON.stringify({ keys: [second.jwk] }));
    await Bun.sleep(1_100);
    expect(outcome(await ask(service, await tokenOf(second, 'a')))).toEqual([0, null]);
    expect(outcome(await ask(service, await tokenOf(first, 'b')))).toEqual(invalid('no key fits it'));
  }, 30_000);

  test('of a server that cannot be reached, or answers nonsense, keep the service running', async () => {
    const port = freePort();
    const signer = await newSigner('1', 'ES256');
    await using service = await startWith({ jwt: { ...jwt, keys: `http://127.0.0.1:${port}/keys` } });
    const answer = await ask(service, await tokenOf(signer, 'a'), { cmd: 'noop', httpStatus: 'true' });
    expect([answer.http, ...outcome(answer)]).toEqual([503, 1, expect.stringContaining('are not available')]);
    expect((await service.send(queryOf({ cmd: 'noop', ...ADMIN }))).successStatus).toBe(0);
    for (const [response, reason] of [
      [() => new Response('<html>'), /JSON/],
      [() => Response.json({ keys: Array(101).fill(signer.jwk) }), /more than 100 keys/],
      [() => Response.json([signer.jwk]), /no list/],
      [() => new Response(`{"keys":[${' '.repeat(300_000)}]}`), /more than 262144 bytes/],
      [() => new Response('', { status: 302, headers: { Location: '/other' } }), /redirect/i],
    ] as const) {
      using keys = keyServer();
      keys.respond(response);
      await using other = await startWith({ jwt: { ...jwt, keys: keys.url } });
      expect((await ask(other, await tokenOf(signer, 'a'))).error).toContain('are not available');
      const log = await other.command(queryOf({ cmd: 'log', ...ADMIN }));
      expect(JSON.stringify(log)).toMatch(reason);
    }
  }, 60_000);
});

describe('users and roles', () => {
  const file = join(newFolder(), 'keys.json');
  let signer: Signer;
  beforeAll(async () => {
    signer = await newSigner('1', 'ES256');
    writeFileSync(file, JSON.stringify({ keys: [signer.jwk] }));
  });
  const jwt = { keys: file, issuer: ISSUER, audience: [AUDIENCE] };

  test('stored users, by another claim: their rights end with their account', async () => {
    await using service = await startWith({ jwt: { ...jwt, users: 'stored', userClaim: 'user.name' } });
    const tokenFor = (name: unknown) => tokenOf(signer, 'x', { claims: { user: { name } } });
    const token = await tokenFor('ann');
    expect((await ask(service, token, GET)).response).toBe('a');
    expect(outcome(await ask(service, await tokenFor('nobody')))).toEqual(invalid('its user does not exist'));
    expect(outcome(await ask(service, await tokenFor(5)))).toEqual(invalid('the claim user.name names no user'));
    for (const params of [
      { cmd: 'updateuser', user: 'ann', password: 'x' },
      { cmd: 'apikeyadd', name: 'k' },
    ]) {
      expect((await ask(service, token, params)).error).toContain('User management operations are not allowed');
    }
    await service.command(queryOf({ cmd: 'removeuser', user: 'ann', ...ADMIN }));
    expect(outcome(await ask(service, token))).toEqual(invalid('its user does not exist'));
  }, 30_000);

  test('roles of a claim replace those of the configuration', async () => {
    const roles = ['grid readers=reader', 'grid-admins=admin', 'grid-admins=reader'];
    await using service = await startWith({ jwt: { ...jwt, rolesClaim: 'realm.groups', roles } });
    const tokenFor = (groups: unknown) => tokenOf(signer, 'rita', { claims: { realm: { groups } } });
    const allowed = async (groups: unknown, params: Record<string, string | number>) =>
      (await ask(service, await tokenFor(groups), params)).successStatus === 0;
    expect(await allowed(['grid readers', 'others'], GET)).toBe(true);
    expect(await allowed(['grid readers'], PUT)).toBe(false);
    expect(await allowed(['grid-admins'], { cmd: 'adduser', user: 'carl', password: 'x' })).toBe(true);
    expect(await allowed('a grid-admins b', { cmd: 'removeuser', user: 'carl' })).toBe(true);
    for (const groups of [[], ['admin'], ['reader'], 5, { 'grid-admins': true }, undefined]) {
      expect([groups, await allowed(groups, GET)]).toEqual([groups, false]);
    }
  }, 30_000);

  test('keys that cannot be used are named at the start, and the others verify', async () => {
    const rsa = await newSigner('rsa', 'RS256');
    const same = await newSigner('same', 'RS256');
    const other = await newSigner('same', 'RS256');
    const { n = '', ...rest } = rsa.jwk as { n?: string };
    const broken = { ...rest, kid: 'broken', n: `${n.slice(0, -3)}+/=` };
    const short = await newShortKey();
    const file = join(newFolder(), 'keys.json');
    const keys = [broken, short, same.jwk, other.jwk, rsa.jwk, rsa.jwk, { kid: 'empty' }];
    writeFileSync(file, `\ufeff${JSON.stringify({ keys })}`);
    await using service = await startWith({ jwt: { ...jwt, keys: file } });
    await until('the keys are named', () => service.output().includes('cannot be used: '));
    const output = service.output();
    for (const text of [
      'key "broken": its member n is not base64url',
      'key "short": ',
      'key 7: it is no JSON object',
    ]) {
      expect(output).toContain(text);
    }
    for (const each of [same, other, rsa, signer]) {
      const { error } = await ask(service, await tokenOf(each, 'ann'));
      expect(error).toBe(each === signer ? 'The JSON Web Token is not accepted: no key fits it' : null);
    }
    // A token that matches a key only by the shared id.
    const third = await newSigner('same', 'RS256');
    expect(outcome(await ask(service, await tokenOf(third, 'ann')))).toEqual(invalid('its signature is wrong'));
    for (const kid of ['broken', 'short']) {
      expect(outcome(await ask(service, await tokenOf({ ...rsa, kid }, 'ann')))).toEqual(invalid('no key fits it'));
    }
  }, 30_000);

  test('keys that cannot be loaded are a line at the start', async () => {
    const file = join(newFolder(), 'missing.json');
    await using service = await startWith({ jwt: { ...jwt, keys: file } });
    const line = `JSON Web Tokens are rejected until their keys can be loaded from ${file}: there is no file ${file}\n`;
    await until('the line is printed', () => service.output().includes(line));
    expect((await ask(service, await tokenOf(signer, 'ann'))).error).toContain('are not available');
  }, 30_000);

  test('without the option, a token is not a credential', async () => {
    await using service = await startWith({});
    expect((await ask(service, await tokenOf(signer, 'ann'))).error).toContain('nor a session token');
  }, 30_000);
});
