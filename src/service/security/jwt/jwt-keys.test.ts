import { afterEach, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { GridError } from '../../../base/errors.ts';
import { JWT_BOUNDS } from '../../../base/limits.ts';
import { keysIn, LoadedJwtKeys } from './jwt-keys.ts';

/** A server that answers with the text of `keys`, or with an error while that is undefined. */
function start() {
  const served: { keys: string | undefined; requests: number } = { keys: undefined, requests: 0 };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      served.requests++;
      return served.keys === undefined ? new Response('', { status: 500 }) : new Response(served.keys);
    },
  });
  opened.push(server);
  const clock = new ManualClock();
  const failures: string[] = [];
  const unusable: string[] = [];
  const onUnusable = (found: readonly string[]): void => void unusable.push(...found);
  const url = `http://127.0.0.1:${server.port}/`;
  const keys = new LoadedJwtKeys({ keys: url, clock, onUnusable, onFailure: (reason) => failures.push(reason) });
  return { served, clock, failures, unusable, keys };
}

const opened: Array<{ stop(force: boolean): unknown }> = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.stop(true);
});
const setOf = (kid: string) => JSON.stringify({ keys: [{ kid }] });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: unknown) => (error instanceof GridError ? error.code : String(error)),
  );

describe('keys from a URL', () => {
  test('are loaded once for many', async () => {
    const { served, keys } = start();
    served.keys = setOf('1');
    const all = await Promise.all([keys.get(0), keys.get(0), keys.get(0)]);
    for (const each of all) expect(each).toEqual({ version: 1, text: setOf('1') });
    expect(served.requests).toBe(1);
  });

  test('are loaded again for a token with another key, but not for each of many', async () => {
    const { served, clock, keys } = start();
    served.keys = setOf('1');
    await keys.get(0);
    served.keys = setOf('2');
    for (let each = 0; each < 100; each++) expect((await keys.get(1)).version).toBe(1);
    expect(served.requests).toBe(1);
    clock.advance(JWT_BOUNDS.urlCooldownMs);
    expect(await keys.get(1)).toEqual({ version: 2, text: setOf('2') });
    expect(served.requests).toBe(2);
  });

  test('that are none are reported, and replace the former ones', async () => {
    const { served, clock, failures, unusable, keys } = start();
    served.keys = setOf('1');
    await keys.get(0);
    unusable.length = 0;
    served.keys = '{"keys":[]}';
    clock.advance(JWT_BOUNDS.urlCooldownMs);
    expect(await keys.get(1)).toEqual({ version: 2, text: served.keys });
    expect([unusable, failures]).toEqual([['the list "keys" is empty'], []]);
  });

  test('are used while they are loaded again because of their age', async () => {
    const { served, clock, keys } = start();
    served.keys = setOf('1');
    await keys.get(0);
    served.keys = setOf('2');
    clock.advance(JWT_BOUNDS.urlMaxAgeMs);
    expect((await keys.get(0)).version).toBe(1);
    expect((await keys.get(1)).version).toBe(2);
    expect(served.requests).toBe(2);
  });

  test('stay when they cannot be loaded again, and come when the server answers', async () => {
    const { served, clock, failures, keys } = start();
    expect(await codeOf(keys.get(0))).toBe('JWT_KEYS_UNAVAILABLE');
    expect(await codeOf(keys.get(0))).toBe('JWT_KEYS_UNAVAILABLE');
    expect([served.requests, failures.length]).toEqual([1, 1]);
    served.keys = setOf('1');
    clock.advance(JWT_BOUNDS.urlCooldownMs);
    expect((await keys.get(0)).version).toBe(1);
    served.keys = undefined;
    clock.advance(JWT_BOUNDS.urlMaxAgeMs);
    expect((await keys.get(0)).version).toBe(1);
    expect((await keys.get(1)).version).toBe(1);
    expect(failures).toHaveLength(2);
  });
});

describe('what is no key set is said', () => {
  const CASES: ReadonlyArray<readonly [text: string, reason: RegExp]> = [
    ['<!DOCTYPE html><html></html>', /page of HTML/],
    ['-----BEGIN PUBLIC KEY-----', /PEM/],
    ['{"issuer":"https://a/","jwks_uri":"https://a/keys"}', /discovery document .*jwks_uri, https:\/\/a\/keys/],
    ['{"kty":"RSA"}', /a single key/],
    ['[{"kty":"RSA"}]', /JSON array/],
    ['"keys"', /no JSON object/],
    ['{"keys":{}}', /no list "keys"/],
    ['keys', /no JSON: /],
    ['', /it is empty/],
  ];
  for (const [text, reason] of CASES) test(JSON.stringify(text), () => expect(() => keysIn(text)).toThrow(reason));

  test('but a byte order mark is skipped', () => expect(keysIn('\ufeff{"keys":[]}')).toEqual([]));
});
