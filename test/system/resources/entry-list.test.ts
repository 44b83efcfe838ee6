/** The entries of a cache that filters select, by their address. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { codeOf, send } from './resource-client.ts';

let service: ServiceProcess;

const PEOPLE: Readonly<Record<string, string>> = {
  ann: '{"name":"Ann","born":1990,"home":{"city":"Oslo"},"tags":["x","y"],"zip":"01234","vip":true}',
  bob: '{"name":"Bob","born":1980.5,"home":{"city":"Bergen"},"zip":"1234","key":"k"}',
  cat: '{"name":"Cat","born":"1970","home":{"city":"O\'slo"},"a-b":1,"none":null}',
  dan: '{"name":"Dan","born":"unknown"}',
};

beforeAll(async () => {
  service = await startService();
  const run = (params: Readonly<Record<string, string | number>>) => service.command(queryOf(params));
  for (const cacheName of ['people', 'empty']) await run({ cmd: 'getorcreate', cacheName });
  for (const [key, val] of Object.entries(PEOPLE))
    await run({ cmd: 'put', cacheName: 'people', key, val, valueType: 'Person' });
  await run({ cmd: 'put', cacheName: 'people', key: 'eve', val: '{"born":2000,"name":"Eve"}' });
  for (const key of [7, 9, 10, 30]) {
    await run({
      cmd: 'put',
      cacheName: 'people',
      key,
      keyType: 'long',
      val: 'x',
      ...(key === 7 && { ttlMs: 3_600_000 }),
    });
  }
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

/** Parameters, and the keys of the entries. */
const FILTERS: ReadonlyArray<readonly [parameters: string, keys: readonly unknown[]]> = [
  ['', ['ann', 'bob', 'cat', 'dan', 'eve']],
  ['born=gt.1980', ['ann', 'bob', 'eve']],
  ['born=gt.1980&home.city=eq.Oslo', ['ann']],
  ['born=eq.1970', ['cat']],
  ['born=eq.unknown', ['dan']],
  ['born=not.gt.1980', ['cat']],
  ['born=in.(1970,1990)', ['ann', 'cat']],
  ['name=in.(Ann,Bob)', ['ann', 'bob']],
  ['name=like.*a*', ['cat', 'dan']],
  ['name=ilike.a*', ['ann']],
  ["home.city=eq.O'slo", ['cat']],
  ['zip=eq.01234', ['ann']],
  ['vip=is.true', ['ann']],
  ['home.city=is.null', ['dan', 'eve']],
  ['none=is.null&born=is.not_null', ['ann', 'bob', 'cat', 'dan', 'eve']],
  ['tags[1]=eq.y', ['ann']],
  ['a-b=eq.1', ['cat']],
  ['or=(name.eq.Ann,"home.city".eq.Bergen)', ['ann', 'bob']],
  ['key=gt.bob&key=lte.dan', ['cat', 'dan']],
  ['key=eq.bob', ['bob']],
  ['$.key=eq.k', ['bob']],
  ['valueType=eq.string', ['eve']],
  ['keyType=long', [7, 9, 10, 30]],
  ['keyType=long&key=gte.9', [9, 10, 30]],
  ['keyType=long&expires=is.not_null', [7]],
  ['order=born.desc', ['eve', 'ann', 'bob', 'cat', 'dan']],
  ['order=born', ['dan', 'cat', 'bob', 'ann', 'eve']],
  ['order=home.city,key.desc', ['eve', 'dan', 'bob', 'cat', 'ann']],
  ['order=key.desc&limit=2', ['eve', 'dan']],
];

test.each(FILTERS)('entries?%s', async (parameters, keys) => {
  const { json, text } = await send(
    service,
    `GET /caches/people/entries?${parameters}${parameters === '' ? '' : '&'}select=key`,
  );
  expect([text, json]).toEqual([text, keys.map((key) => ({ key }))]);
});

test.each(FILTERS.filter(([parameters]) => !parameters.includes('limit')))(
  'pages of one entry are the whole: %s',
  async (parameters, keys) => {
    const found: unknown[] = [];
    let path = `/caches/people/entries?${parameters}${parameters === '' ? '' : '&'}limit=1&select=key`;
    for (let pages = 0; pages <= keys.length && path !== ''; pages++) {
      const { json, headers } = await send(service, `GET ${path}`);
      if (Array.isArray(json)) found.push(...json);
      path = /<\/svc([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(found).toEqual(keys.map((key) => ({ key })));
  },
);

test('an entry has its value, its type and its deadline', async () => {
  const { json } = await send(service, 'GET /caches/people/entries?key=eq.ann');
  expect(json).toEqual([{ key: 'ann', value: JSON.parse(PEOPLE.ann ?? ''), valueType: 'Person', expires: null }]);
  const lines = await send(service, 'GET /caches/people/entries?key=in.(ann,bob)', undefined, {
    accept: 'application/x-ndjson',
  });
  expect(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).key),
  ).toEqual(['ann', 'bob']);
  expect((await send(service, 'GET /caches/empty/entries')).json).toEqual([]);
  expect((await send(service, 'GET /caches/default/entries')).json).toEqual([]);
});

describe('rejected', () => {
  test.each([
    ['GET /caches/nobody/entries', '404 CACHE_NOT_FOUND', 'nobody'],
    ['POST /caches/people/entries', '405 METHOD_NOT_ALLOWED', ''],
    ['GET /caches/people/entries?born=1980', '400 RESOURCE_INVALID', 'write an operator'],
    ['GET /caches/people/entries?select=born', '400 RESOURCE_INVALID', 'born is a part of the value'],
    ['GET /caches/people/entries?home..city=eq.1', '400 RESOURCE_INVALID', 'no column home..city'],
    ['GET /caches/people/entries?key=is.x', '400 RESOURCE_INVALID', 'is.null'],
    ['GET /caches/people/entries?value=eq.1', '400 RESOURCE_INVALID', 'value'],
    ['GET /caches/people/entries?keyType=uuid', '400 RESOURCE_INVALID', 'string, byte, short, int'],
    ['GET /caches/people/entries?order=born.asc.nullslast', '400 RESOURCE_INVALID', 'come first'],
    ['GET /caches/people/entries?cursor=x', '400 RESOURCE_INVALID', 'none that the service has returned'],
    ['GET /caches/nobody/entries?born=1980', '404 CACHE_NOT_FOUND', ''],
  ])('%s with %s', async (request, code, reason) => {
    const answer = await send(service, request);
    expect([codeOf(answer), answer.text]).toEqual([code, expect.stringContaining(reason)]);
  });
});
