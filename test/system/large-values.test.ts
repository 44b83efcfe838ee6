/** Commands on values of more than a MiB. */
import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../src/base/settable-limits.ts';
import { WORKERS } from './modes.ts';
import { newFolder, type ServiceProcess, startService } from './service-process.ts';

const TEXT = 'aé"\n😀'.repeat(200_000);
const OTHER = 'b'.repeat(1_200_000);

describe.each(WORKERS)('large values with %i HTTP threads', (workers) => {
  test('are read and changed like others', async () => {
    await using service = await startService({
      env: { SVC_WORKERS: String(workers), SVC_LIMITS_LARGE_READ_CHARACTERS: '2600000' },
    });
    const run = (params: Readonly<Record<string, string>>) =>
      service.send('', { method: 'POST', body: new URLSearchParams({ cacheName: 'large', ...params }) });
    await run({ cmd: 'getorcreate' });
    const steps: ReadonlyArray<readonly [Readonly<Record<string, string>>, unknown]> = [
      [{ cmd: 'put', key: 'a', val: TEXT }, true],
      // The first read finds out that the value is large; later ones know it.
      [{ cmd: 'get', key: 'a' }, TEXT],
      [{ cmd: 'get', key: 'a' }, TEXT],
      [{ cmd: 'conkey', key: 'a' }, true],
      [{ cmd: 'ttl', key: 'a' }, null],
      [{ cmd: 'append', key: 'a', val: 'z' }, true],
      [{ cmd: 'get', key: 'a' }, `${TEXT}z`],
      [{ cmd: 'cas', key: 'a', val: TEXT, val2: `${TEXT}z` }, true],
      [{ cmd: 'putall', k1: 'b', v1: OTHER, k2: 'c', v2: 'short' }, true],
      [
        { cmd: 'getall', k1: 'a', k2: 'b', k3: 'c', k4: 'd' },
        { a: TEXT, b: OTHER, c: 'short' },
      ],
      [{ cmd: 'getput', key: 'a', val: 'short' }, TEXT],
      [{ cmd: 'get', key: 'a' }, 'short'],
      [{ cmd: 'getrmv', key: 'b' }, OTHER],
      [{ cmd: 'get', key: 'b' }, null],
      [{ cmd: 'size' }, 2],
    ];
    for (const [params, expected] of steps) {
      const { error, response } = await run(params);
      expect(error).toBeNull();
      // Printing a difference of such strings would take minutes.
      expect(JSON.stringify(response) === JSON.stringify(expected)).toBe(true);
    }
    await run({ cmd: 'putall', k1: 'a', v1: TEXT, k2: 'b', v2: TEXT, k3: 'c', v3: TEXT });
    expect((await run({ cmd: 'getall', k1: 'a', k2: 'b', k3: 'c' })).error).toContain('2600000');
    expect((await run({ cmd: 'append', key: 'a', val: '1', valueType: 'long' })).error).toContain('Incompatible types');
    expect((await run({ cmd: 'put', cacheName: 'none', key: 'a', val: TEXT })).error).toContain('Failed to find cache');
  }, 60_000);
});

test.each(['ndjson', 'csv'])(
  'the longest value that a command stores is exported and imported again as %s',
  async (format) => {
    await using service = await startService();
    const longest = 'é€'.repeat(DEFAULT_LIMITS.valueCharacters / 2);
    const post = (query: string, body: URLSearchParams | ArrayBuffer) => service.send(query, { method: 'POST', body });
    await post('', new URLSearchParams({ cmd: 'put', key: 'k', val: longest }));
    const exported = await fetch(`${service.origin}/svc?cmd=export&cacheName=default&format=${format}`);
    const rows = await exported.arrayBuffer();
    await service.command('cmd=rmv&key=k');
    expect((await post(`cmd=import&cacheName=default&format=${format}`, rows)).response).toMatchObject({
      state: 'done',
      rows: 1,
    });
    expect((await service.command('cmd=get&key=k')) === longest).toBe(true);
  },
  60_000,
);

/** Scans and exports take a multiple of the length of a value: docs/operating.md says what to raise. */
const LONGER: ReadonlyArray<readonly [number, Readonly<Record<string, string>>]> = [
  [6_000_000, {}],
  [16_000_000, { SVC_QUERY_MAX_MEMORY_BYTES: '536870912' }],
];

test.each(LONGER)(
  'values of %i characters, beyond the limit of now, can be read and removed',
  async (length, env) => {
    const dataDir = newFolder();
    const text = `aé"\n😀${'a'.repeat(length)}`;
    const open = async (env: Readonly<Record<string, string>> = {}) => {
      const service = await startService({ dataDir, env });
      const run = async (params: Readonly<Record<string, string>>) =>
        await service.send('', { method: 'POST', body: new URLSearchParams({ cacheName: 'large', ...params }) });
      return { run, url: service.url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
    };
    const query = (qry: string) => ({ cmd: 'qryfldexe', pageSize: '10', qry });
    try {
      {
        const raised = { SVC_LIMITS_VALUE_CHARACTERS: '33554432' };
        await using service = await open(raised);
        const { run } = service;
        await run({ cmd: 'getorcreate' });
        expect((await run({ cmd: 'put', key: 'a', val: text })).error).toBeNull();
        expect((await run({ ...query('CREATE TABLE l (id INT PRIMARY KEY, text VARCHAR)') })).error).toBeNull();
        expect((await run({ ...query('INSERT INTO l VALUES (1, ?)'), arg1: text })).error).toBeNull();
      }
      await using service = await open(env);
      const { run } = service;
      for (const change of [
        { cmd: 'put', key: 'b', val: text },
        { cmd: 'append', key: 'a', val: 'b' },
        { ...query('INSERT INTO l VALUES (2, ?)'), arg1: text },
      ]) {
        expect((await run(change)).error).toContain('4194304');
      }
      // Printing a difference of such strings would take minutes.
      const isText = (found: unknown, wrap: (each: string) => unknown = (each) => each) =>
        JSON.stringify(found) === JSON.stringify(wrap(text));
      expect(isText((await run({ cmd: 'get', key: 'a' })).response)).toBe(true);
      expect(isText((await run({ cmd: 'getall', k1: 'a' })).response, (a) => ({ a }))).toBe(true);
      const { response } = await run(query('SELECT text FROM l WHERE id = 1'));
      expect(isText((response as { items: unknown }).items, (each) => [[each]])).toBe(true);
      const scanned = (await run({ cmd: 'qryscanexe', pageSize: '10' })).response;
      expect(isText((scanned as { items: unknown }).items, (value) => [{ key: 'a', value }])).toBe(true);
      const exported = await (await fetch(`${service.url}?cmd=export&cacheName=large`)).text();
      expect(exported).toStartWith('{"key"');
      expect(isText((JSON.parse(exported) as { value: unknown }).value)).toBe(true);
      expect(isText((await run({ cmd: 'getrmv', key: 'a' })).response)).toBe(true);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  60_000,
);

test.each(WORKERS)(
  'the longest texts are rows of queries by key, with %i HTTP threads',
  async (workers) => {
    const text = 'a'.repeat(4_000_000);
    await using service = await startService({ env: { SVC_WORKERS: String(workers) } });
    const query = async (qry: string, args: Readonly<Record<string, string>> = {}) => {
      const params = { cmd: 'qryfldexe', pageSize: '10', qry, ...args };
      const { error, response } = await service.send('', { method: 'POST', body: new URLSearchParams(params) });
      expect(error).toBeNull();
      return (response as { items: unknown }).items;
    };
    await query('CREATE TABLE l (id INT PRIMARY KEY, text VARCHAR)');
    await query('INSERT INTO l VALUES (1, ?)', { arg1: text });
    const rows = await Promise.all([1, 2, 3].map(() => query('SELECT text FROM l WHERE id = 1')));
    const isWhole = rows.map((items) => JSON.stringify(items) === JSON.stringify([[text]]));
    expect(isWhole).toEqual([true, true, true]);
  },
  60_000,
);

describe.each(WORKERS)('changes of large values with an idempotency key and %i HTTP threads', (workers) => {
  const env = { SVC_WORKERS: String(workers) };
  type Params = Readonly<Record<string, string>>;

  function client(service: ServiceProcess) {
    const get = async (key: string) => (await send({ cmd: 'get', key })).response;
    const send = async (params: Params, key?: string) => {
      const answer = await fetch(service.url, {
        method: 'POST',
        headers: key === undefined ? {} : { 'idempotency-key': key },
        body: new URLSearchParams({ cacheName: 'large', ...params }),
      });
      const { error, response } = (await answer.json()) as { error: string | null; response: unknown };
      return { http: answer.status, error, response, replayed: answer.headers.get('idempotent-replayed') === 'true' };
    };
    return { get, send };
  }
  const done = (response: unknown) => ({ http: 200, error: null, response, replayed: false });
  const append = { cmd: 'append', key: 'a', val: 'z' };
  const many = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => [
      [`k${at + 1}`, `many ${at}`],
      [`v${at + 1}`, String(at)],
    ]).flat(),
  );

  test('are made once, and their results are kept in the commit', async () => {
    await using service = await startService({ env });
    const { send, get } = client(service);
    await send({ cmd: 'getorcreate' });
    const changes: ReadonlyArray<readonly [key: string, params: Params, response: unknown]> = [
      ['put', { cmd: 'put', key: 'a', val: OTHER }, true],
      ['append', append, true],
      ['absent', { cmd: 'putifabs', key: 'a', val: 'x' }, false],
      ['cas', { cmd: 'cas', key: 'a', val: `${OTHER}y`, val2: `${OTHER}z` }, true],
      ['putall', { cmd: 'putall', k1: 'b', v1: OTHER, k2: 'c', v2: 'short' }, true],
      ['many', { cmd: 'putall', ...many }, true],
      ['remove', { cmd: 'rmvall', ...many }, true],
    ];
    for (const [key, params, response] of changes) {
      expect(await send(params, key)).toEqual(done(response));
      expect(await send(params, key)).toEqual({ ...done(response), replayed: true });
    }
    expect((await get('a')) === `${OTHER}y`).toBe(true);
    expect((await send({ cmd: 'size' })).response).toBe(3);
    expect(await send({ ...append, val: 'other' }, 'append')).toMatchObject({ http: 409, replayed: false });

    // The stored result is found even when the value is no longer large, and when its cache is gone.
    await send({ cmd: 'put', key: 'a', val: 'short' });
    expect(await send(append, 'append')).toEqual({ ...done(true), replayed: true });
    expect(await get('a')).toBe('short');
    await send({ cmd: 'destcache' });
    expect(await send(append, 'append')).toEqual({ ...done(true), replayed: true });
    const [, put = {}] = changes[0] ?? [];
    expect(await send(put, 'put')).toEqual({ ...done(true), replayed: true });
    expect((await send(put, 'unknown cache')).error).toContain('Failed to find cache');
  }, 60_000);

  test('that cannot be kept or made change nothing', async () => {
    await using service = await startService({ env });
    const { send, get } = client(service);
    await send({ cmd: 'getorcreate' });
    await send({ cmd: 'put', key: 'a', val: OTHER });
    const getput = await send({ cmd: 'getput', key: 'a', val: 'b' }, 'getput');
    expect(getput.error).toContain('characters of a result with an Idempotency-Key');
    const failed = { cmd: 'append', key: 'a', val: '1', valueType: 'long' };
    expect((await send(failed, 'failed')).error).toContain('Incompatible types');
    expect((await send(failed, 'failed')).error).toContain('Incompatible types');
    expect((await get('a')) === OTHER).toBe(true);
  }, 60_000);

  test('that are sent several times at once are made once', async () => {
    await using service = await startService({ env });
    const { send, get } = client(service);
    await send({ cmd: 'getorcreate' });
    await send({ cmd: 'put', key: 'a', val: OTHER });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(append, 'append')));
    for (const { http, error } of answers) expect(error === null || http === 409).toBe(true);
    expect(answers.filter(({ error, replayed }) => error === null && !replayed)).toHaveLength(1);
    expect((await get('a')) === `${OTHER}z`).toBe(true);
  }, 60_000);

  test('are remembered by the next process', async () => {
    const dataDir = newFolder();
    try {
      {
        await using service = await startService({ env, dataDir });
        const { send } = client(service);
        await send({ cmd: 'getorcreate' });
        expect(await send({ cmd: 'put', key: 'a', val: OTHER }, 'put')).toEqual(done(true));
        expect(await send(append, 'append')).toEqual(done(true));
      }
      await using service = await startService({ env, dataDir });
      const { send, get } = client(service);
      expect(await send(append, 'append')).toEqual({ ...done(true), replayed: true });
      expect((await get('a')) === `${OTHER}z`).toBe(true);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 60_000);
});
