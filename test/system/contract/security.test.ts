/** The rules of the contract about authentication and signatures, over sockets (docs/spec/contract.md 5). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

let secured: ServiceProcess;
let signed: ServiceProcess;

beforeAll(async () => {
  secured = await startService({
    env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw', SVC_REST_SESSION_TIMEOUT: '1' },
  });
  signed = await startService({ env: { SVC_SECRET_KEY: 'key' } });
}, 60_000);
afterAll(async () => {
  await secured[Symbol.asyncDispose]();
  await signed[Symbol.asyncDispose]();
});

const login = (): Promise<Answer> => secured.send('cmd=authenticate&svc.login=svc&svc.password=pw');

describe('authentication', () => {
  test('authenticate returns true and a token [4.1.1, 4.1.3, 5.2]', async () => {
    const { response, sessionToken, successStatus } = await login();
    expect([response, successStatus]).toEqual([true, 0]);
    expect(sessionToken).toMatch(/^[0-9A-F]{32}$/);
  });

  test('credentials can come with any command [5.3]', async () => {
    const { response, sessionToken } = await secured.send('cmd=state&svc.login=svc&svc.password=pw');
    expect([response, sessionToken]).toEqual(['ACTIVE', expect.any(String)]);
  });

  test('a token is accepted by later commands [2.1.4, 5.5]', async () => {
    const { sessionToken } = await login();
    const answer = await secured.send(`cmd=state&sessionToken=${sessionToken}`);
    expect([answer.response, answer.sessionToken]).toEqual(['ACTIVE', sessionToken]);
  });

  test('without credentials the status is 2, with a null token and response [5.6, 7.2]', async () => {
    const { successStatus, sessionToken, response, error } = await secured.send('cmd=state');
    expect([successStatus, sessionToken, response]).toEqual([2, null, null]);
    expect(error).toContain('session token not found or invalid');
  });

  describe('a request that runs no command has HTTP 400', () => {
    const json = { 'Content-Type': 'application/json' };
    const large = `{"a":"${'x'.repeat(200_000)}","cmd":"state"`;
    const form = 'httpStatus=false&errors=text';
    const faults: ReadonlyArray<readonly [title: string, query: string, init: RequestInit, reason: string]> = [
      ['an unknown command', 'cmd=stat', {}, 'Did you mean state'],
      ['no command', '', {}, 'mandatory parameter in request: cmd'],
      ['an incomplete code', 'cmd=state&x=%zz', {}, 'Failed to read the request'],
      ['a body that is no JSON', form, { method: 'POST', headers: json, body: '{"cmd":"state"' }, 'Unexpected end'],
      ['a long body that is no JSON', form, { method: 'POST', headers: json, body: large }, 'Unexpected end'],
    ];
    test.each(faults)('%s', async (_title, query, init, reason) => {
      const outside = await secured.send(query, init);
      expect([outside.http, outside.successStatus, outside.sessionToken, outside.response]).toEqual([
        400,
        2,
        null,
        null,
      ]);
      expect(outside.error).toContain('session token not found or invalid');
      expect(outside.error).toContain(reason);

      const basic = { Authorization: `Basic ${btoa('svc:pw')}` };
      const inside = await secured.send(query, { ...init, headers: { ...init.headers, ...basic } });
      expect([inside.http, inside.successStatus]).toEqual([400, 1]);
      expect(inside.error).toContain(reason);
      expect(inside.error).not.toContain('session token');

      const wrong = { Authorization: `Basic ${btoa('svc:wrong')}` };
      const rejected = await secured.send(query, { ...init, headers: { ...init.headers, ...wrong } });
      // A long body is not read for a sender whose head has been rejected.
      expect([rejected.http, rejected.successStatus]).toEqual([init.body === large ? 200 : 400, 2]);
      expect(rejected.error).toContain('incorrect [userName=svc]');
    });

    test('also with an unknown token, which has status 1', async () => {
      const token = 'AB'.repeat(16);
      const { http, successStatus, error } = await secured.send(`cmd=stat&sessionToken=${token}`);
      expect([http, successStatus, error]).toEqual([400, 1, expect.stringContaining(`[sesTok=${token}]`)]);
    });

    test('with credentials as parameters it names the fault', async () => {
      const { http, successStatus, error } = await secured.send('cmd=stat&svc.login=svc&svc.password=pw');
      expect([http, successStatus, error]).toEqual([400, 1, expect.stringContaining('Did you mean state')]);
    });
  });

  test('wrong credentials have status 2 [2.1.8, 4.1.2]', async () => {
    const answer = await secured.send('cmd=authenticate&svc.login=svc&svc.password=wrong');
    expect([answer.successStatus, answer.sessionToken]).toEqual([2, null]);
  });

  test('an expired token has status 1 and a text with the token in brackets [3.4.1, 3.4.2, 5.9, 7.3]', async () => {
    const { sessionToken } = await login();
    await Bun.sleep(1_300);
    const answer = await secured.send(`cmd=state&sessionToken=${sessionToken}`);
    expect([answer.successStatus, answer.sessionToken, answer.response]).toEqual([1, null, null]);
    expect(answer.error).toContain('unknown session token');
    expect(answer.error).toContain(`[sesTok=${sessionToken}]`);
  });

  test('version needs credentials like every command [5.1]', async () => {
    expect((await secured.send('cmd=version')).successStatus).toBe(2);
  });
});

describe('signatures', () => {
  const sha1 = (text: string) => createHash('sha1').update(text).digest('base64');
  const askWith = (signature?: string) =>
    signed.send('cmd=version', signature === undefined ? {} : { headers: { 'X-Signature': signature } });

  test('a request without a signature has status 3 [2.1.9, 5.10]', async () => {
    const { http, successStatus } = await askWith();
    expect([http, successStatus]).toEqual([401, 3]);
  });

  test('the hash of the secret key is accepted [5.11]', async () => {
    expect((await askWith(`${Date.now()}:${sha1('key')}`)).successStatus).toBe(0);
  });

  test('the hash of the timestamp and the secret key is accepted [5.12]', async () => {
    const now = Date.now();
    expect((await askWith(`${now}:${sha1(`${now}:key`)}`)).successStatus).toBe(0);
  });

  test('another hash is rejected', async () => {
    expect((await askWith(`${Date.now()}:${sha1('other')}`)).successStatus).toBe(3);
  });
});
