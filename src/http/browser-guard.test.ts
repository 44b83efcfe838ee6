import { expect, test } from 'bun:test';
import { startEcho } from '../../test/fixtures/http/echo.ts';
import { BrowserGuard } from './browser-guard.ts';
import { HeaderTable } from './head/head.ts';

type Case = readonly [title: string, authority: string, headers: Record<string, string>, passes: boolean];

function check(title: string, guard: BrowserGuard, cases: readonly Case[]): void {
  for (const [what, authority, headers, passes] of cases) {
    test(`${title}: ${what} ${passes ? 'passes' : 'is rejected'}`, () => {
      const attempt = () => guard.check(new HeaderTable(headers), authority);
      if (passes) expect(attempt).not.toThrow();
      else expect(attempt).toThrow(expect.objectContaining({ code: 'ORIGIN_FORBIDDEN' }));
    });
  }
}

const OPTIONS = { origins: [], hosts: [], loopbackOnly: true, host: 'localhost', ambientRights: false };
const BASIC = { authorization: 'Basic c3ZjOnN2Yw==' };

check('on loopback', new BrowserGuard(OPTIONS), [
  ['a script', 'localhost:8080', {}, true],
  ['another port, as through a tunnel', 'localhost:9000', {}, true],
  ['an address', '127.0.0.1:8080', {}, true],
  ['an IPv6 address', '[::1]:8080', {}, true],
  ['an address of a container', '172.17.0.2', {}, true],
  ['no Host', '', {}, true],
  ['a name below localhost', 'grid.localhost:8080', {}, true],
  ['a name with a closing dot', 'localhost.:8080', {}, true],
  ['a foreign name', 'evil.example:8080', {}, false],
  ['a name that begins like localhost', 'localhost.evil.example', {}, false],
  ['a page of the service itself', 'localhost:8080', { origin: 'http://localhost:8080' }, true],
  ['a page of another port', 'localhost:8080', { origin: 'http://localhost:3000' }, false],
  ['a page of another site', 'localhost:8080', { origin: 'https://evil.example' }, false],
  ['a page without an origin', 'localhost:8080', { origin: 'null' }, false],
  ['an address typed by the user', 'localhost:8080', { 'sec-fetch-site': 'none' }, true],
  ['the same origin', 'localhost:8080', { 'sec-fetch-site': 'same-origin' }, true],
  ['a link of another site', 'localhost:8080', { 'sec-fetch-site': 'cross-site' }, false],
  ['a sister site', 'localhost:8080', { 'sec-fetch-site': 'same-site' }, false],
]);

check(
  'with origins and hosts',
  new BrowserGuard({ ...OPTIONS, origins: ['https://app.example/'], hosts: ['Grid.example'] }),
  [
    ['a configured origin', 'localhost:8080', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, true],
    ['another origin', 'localhost:8080', { origin: 'https://app.example.evil' }, false],
    ['the same host with another scheme', 'localhost:8080', { origin: 'http://app.example' }, false],
    ['a configured host', 'grid.example:8080', {}, true],
    ['another host', 'other.example:8080', {}, false],
  ],
);

check('listening for others', new BrowserGuard({ ...OPTIONS, loopbackOnly: false, host: '0.0.0.0' }), [
  ['any host name', 'grid.example:8080', {}, true],
  ['a page of another site', 'grid.example:8080', { origin: 'https://evil.example' }, false],
]);

check(
  'with hosts, listening for others',
  new BrowserGuard({ ...OPTIONS, loopbackOnly: false, hosts: ['grid.example'] }),
  [
    ['a configured host', 'grid.example:8080', {}, true],
    ['an address', '192.0.2.7:8080', {}, true],
    ['another host', 'evil.example:8080', {}, false],
  ],
);

check('with every host', new BrowserGuard({ ...OPTIONS, loopbackOnly: false, hosts: ['*'] }), [
  ['any host', 'any.example:8080', {}, true],
]);

const FOREIGN = { referer: 'https://evil.example/page?x=1' };
const ALLOWED = { origins: ['https://app.example'] };

check('with credentials of its own', new BrowserGuard({ ...OPTIONS, ...ALLOWED }), [
  ['a foreign Referer', 'localhost:8080', FOREIGN, true],
  ['a foreign Referer with a Bearer token', 'localhost:8080', { ...FOREIGN, authorization: 'Bearer x' }, true],
  ['a foreign Referer with Basic credentials', 'localhost:8080', { ...FOREIGN, ...BASIC }, false],
  ['an own Referer with Basic credentials', 'localhost:8080', { ...BASIC, referer: 'http://localhost:8080/a' }, true],
  ['an allowed Referer with Basic credentials', 'localhost:8080', { ...BASIC, referer: 'https://app.example/' }, true],
  ['a Referer that is no web page', 'localhost:8080', { ...BASIC, referer: 'about:blank' }, true],
]);

check('with ambient rights', new BrowserGuard({ ...OPTIONS, ...ALLOWED, ambientRights: true }), [
  ['a foreign Referer', 'localhost:8080', FOREIGN, false],
  ['a foreign Referer beside the same site', 'localhost:8080', { ...FOREIGN, 'sec-fetch-site': 'same-origin' }, true],
  ['an own Referer', 'localhost:8080', { referer: 'http://localhost:8080' }, true],
  ['an allowed Referer', 'localhost:8080', { referer: 'https://app.example/page' }, true],
]);

check('with every origin', new BrowserGuard({ ...OPTIONS, origins: ['*'] }), [
  ['any page', 'localhost:8080', { origin: 'https://any.example' }, true],
  ['any link', 'localhost:8080', { 'sec-fetch-site': 'cross-site' }, true],
]);

test('a page of a configured origin can read responses and send preflighted requests', async () => {
  await using server = await startEcho({ settings: { origins: ['https://app.example'] } });
  const headers = { Origin: 'https://app.example' };
  const answer = await fetch(`${server.url}?cmd=echo`, { headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(answer.headers.get('vary')).toBe('Origin');
  const rejected = await fetch(`${server.url}?cmd=none`, { headers });
  expect(rejected.headers.get('access-control-allow-origin')).toBe('https://app.example');
  const preflight = await fetch(server.url, {
    method: 'OPTIONS',
    headers: { ...headers, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Private-Network': 'true' },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers':
      'Content-Type, Accept, Authorization, Prefer, X-Signature, Idempotency-Key, If-Match, If-None-Match, Wait-For-Position',
    'access-control-allow-private-network': 'true',
    allow: 'GET, POST, OPTIONS',
  });
  const foreign = await fetch(server.url, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } });
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test('the answer for any origin has its printable characters only, so that it cannot end its line', () => {
  const guard = new BrowserGuard({ ...OPTIONS, origins: ['*'] });
  const allowed = guard.check(new HeaderTable({ origin: 'http://\t\u00e4\r\n\u010dapp.example' }), 'localhost:8080');
  expect(allowed?.['Access-Control-Allow-Origin']).toBe('http://app.example');
});
