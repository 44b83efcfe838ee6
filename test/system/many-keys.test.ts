/** Bulk commands with nearly as many keys as `limits.keysPerCommand` allows. */
import { describe, expect, test } from 'bun:test';
import { WORKERS } from './modes.ts';
import { type Answer, startService } from './service-process.ts';

type Params = Readonly<Record<string, string>>;

const COUNT = 2_000;

/** Returns k1..kN or v1..vN. */
function numbered(stem: string, count: number, textOf: (at: number) => string): Params {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${stem}${at + 1}`, textOf(at)]));
}

function entries(count: number, valueFor: (at: number) => string, keyFor = (at: number) => `key ${at}`): Params {
  return { ...numbered('k', count, keyFor), ...numbered('v', count, valueFor) };
}

const keys = (count: number): Params => numbered('k', count, (at) => `key ${at}`);

describe.each(WORKERS)('bulk commands of many keys with %i HTTP threads', (workers) => {
  async function open() {
    const service = await startService({ env: { SVC_WORKERS: String(workers) } });
    const run = (params: Params, headers: Params = {}): Promise<Answer> =>
      service.send('', { method: 'POST', headers, body: new URLSearchParams({ cacheName: 'many', ...params }) });
    await run({ cmd: 'getorcreate', changeFeed: 'true' });
    return { run, url: service.url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  }

  test('store, read and remove all of them, and count like others', async () => {
    await using service = await open();
    const { run } = service;
    const value = (at: number) => `${at} é"\n\u{1f600}`;
    expect(await run({ cmd: 'putall', ...entries(COUNT, value) })).toMatchObject({ error: null, response: true });
    const all = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`key ${at}`, value(at)]));
    expect((await run({ cmd: 'getall', ...keys(COUNT + 7) })).response).toEqual(all);
    const array = (await run({ cmd: 'getall', asArray: 'true', ...keys(COUNT) })).response;
    expect(array).toEqual(Object.entries(all).map(([key, each]) => ({ key, value: each })));
    expect((await run({ cmd: 'conkeys', ...keys(COUNT) })).response).toBe(true);
    expect((await run({ cmd: 'conkeys', ...keys(COUNT + 1) })).response).toBe(false);
    const metrics = await run({ cmd: 'cache' });
    expect(metrics.response).toMatchObject({ writes: COUNT, hits: 2 * COUNT, misses: 7 });
    expect((await run({ cmd: 'rmvall', ...keys(COUNT - 1) })).response).toBe(true);
    expect((await run({ cmd: 'size' })).response).toBe(1);
  }, 60_000);

  test('convert keys and values to their types', async () => {
    await using service = await open();
    const { run } = service;
    const types = { keyType: 'long', valueType: 'java.math.BigDecimal' };
    const typed = entries(
      COUNT,
      (at) => `${at}.50`,
      (at) => String(2n ** 60n + BigInt(at)),
    );
    expect((await run({ cmd: 'putall', ...types, ...typed })).error).toBeNull();
    const { text } = await run({ cmd: 'getall', ...types, ...typed });
    expect(text).toContain(`"${2n ** 60n + 7n}":7.50,`);
    const failed = await run({ cmd: 'putall', ...types, ...typed, [`v${COUNT}`]: 'x' });
    expect(failed.error).toContain('val=x');
  }, 60_000);

  test('expire together, and are in the change feed', async () => {
    await using service = await open();
    const { run } = service;
    await run({ cmd: 'putall', ttlMs: '600000', ...entries(COUNT, () => 'a') });
    expect(Number((await run({ cmd: 'ttl', key: 'key 7' })).response)).toBeGreaterThan(500_000);
    const watched = new URLSearchParams({ cmd: 'watch', cacheName: 'many', follow: 'false', from: 'start' });
    const text = await (await fetch(`${service.url}?${watched}`)).text();
    expect(text.split('\n').filter((line) => line.includes('"key 19'))).toHaveLength(111);
  }, 60_000);

  test('are executed in order in a batch, and in one transaction with others', async () => {
    await using service = await open();
    const { run } = service;
    const putAll = (value: string) => ({
      cmd: 'putall',
      cacheName: 'many',
      keys: Object.values(keys(COUNT)),
      values: Object.values(keys(COUNT)).map(() => value),
    });
    const put = (key: string, val: string) => ({ cmd: 'put', cacheName: 'many', key, val });
    const batch = (commands: readonly unknown[], atomic = false) =>
      run({ cmd: 'batch', atomic: String(atomic), commands: JSON.stringify(commands) });
    const get = async (key: string) => (await run({ cmd: 'get', key })).response;
    expect((await batch([put('key 1', 'before'), putAll('a'), put('key 2', 'after')])).error).toBeNull();
    expect([await get('key 1'), await get('key 2'), await get('key 3')]).toEqual(['a', 'after', 'a']);

    const read = { cmd: 'getall', cacheName: 'many', keys: Object.values(keys(COUNT)) };
    const { response } = await batch([putAll('c'), put('key 1', 'd'), read], true);
    const [, , { response: found }] = response as [unknown, unknown, { response: Readonly<Record<string, string>> }];
    expect([Object.keys(found).length, found['key 1'], found['key 2']]).toEqual([COUNT, 'd', 'c']);
    const condition = { cmd: 'cas', cacheName: 'many', key: 'key 1', val: 'f', val2: 'other', abortOnFalse: true };
    const aborted = await batch([putAll('e'), condition], true);
    expect(aborted).toMatchObject({ response: { command: 2, cmd: 'cas' } });
    expect(await get('key 2')).toBe('c');
  }, 60_000);
});
