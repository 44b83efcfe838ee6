/** The change feed over real sockets: what every writing command records, positions, rights, two HTTP threads. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';
import { changeEvents, changesIn, eventsUpToNow } from './change-stream.fixture.ts';

setDefaultTimeout(60_000);

const ENV = { SVC_WORKERS: '2' };
const dataDir = newFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ env: ENV, dataDir });
  await run({ cmd: 'getorcreate', cacheName: 'c', changeFeed: 'true' });
  await sql('CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR, price INT) WITH "CACHE_NAME=items,CHANGE_FEED=true"');
}, 60_000);
afterAll(async () => {
  await service.stop();
}, 60_000);

type Request = Readonly<Record<string, string>>;

async function run(request: Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(`${service.url}?${queryOf(request)}`, init);
  const envelope = (await response.clone().json()) as { readonly error: string | null };
  if (envelope.error !== null) throw new Error(`${queryOf(request)}: ${envelope.error}`);
  return response;
}

const sql = (qry: string): Promise<Response> => run({ cmd: 'qryfldexe', pageSize: '10', qry });

/** Returns a position after everything so far. */
async function positionNow(cacheName: string): Promise<string> {
  return (await eventsUpToNow(service.url, { cacheName, from: 'now' })).at(-1)?.position ?? '';
}

const PUT = { cmd: 'put', cacheName: 'c', key: 'a', val: 'x' };
const PUT_DEFAULT = { cmd: 'put', key: 'a', val: 'x' };
const C = { cacheName: 'c', key: 'a' };
const JSON_BODY = { 'Content-Type': 'application/json' };

describe('a writing command is recorded:', () => {
  const cases: ReadonlyArray<{
    readonly title: string;
    readonly before?: readonly Request[];
    readonly run: () => Promise<unknown>;
    readonly cache?: string;
    readonly expected: readonly string[];
  }> = [
    { title: 'put', run: () => run(PUT), expected: ['created "a" "x" -'] },
    { title: 'add', run: () => run({ ...PUT, cmd: 'add' }), expected: ['created "a" "x" -'] },
    { title: 'putifabs', run: () => run({ ...PUT, cmd: 'putifabs' }), expected: ['created "a" "x" -'] },
    {
      title: 'getput',
      before: [PUT],
      run: () => run({ ...PUT, cmd: 'getput', val: 'y' }),
      expected: ['updated "a" "y" "x"'],
    },
    { title: 'getputifabs', run: () => run({ ...PUT, cmd: 'getputifabs' }), expected: ['created "a" "x" -'] },
    {
      title: 'rep',
      before: [PUT],
      run: () => run({ ...PUT, cmd: 'rep', val: 'y' }),
      expected: ['updated "a" "y" "x"'],
    },
    {
      title: 'getrep',
      before: [PUT],
      run: () => run({ ...PUT, cmd: 'getrep', val: 'y' }),
      expected: ['updated "a" "y" "x"'],
    },
    {
      title: 'cas',
      before: [PUT],
      run: () => run({ ...C, cmd: 'cas', val: 'y', val2: 'x' }),
      expected: ['updated "a" "y" "x"'],
    },
    {
      title: 'cas that does not hold',
      before: [PUT],
      run: () => run({ ...C, cmd: 'cas', val: 'y', val2: 'z' }),
      expected: [],
    },
    {
      title: 'repval',
      before: [PUT],
      run: () => run({ ...C, cmd: 'repval', val: 'y', val2: 'x' }),
      expected: ['updated "a" "y" "x"'],
    },
    {
      title: 'append',
      before: [PUT],
      run: () => run({ ...PUT, cmd: 'append', val: 'y' }),
      expected: ['updated "a" "xy" "x"'],
    },
    {
      title: 'prepend',
      before: [PUT],
      run: () => run({ ...PUT, cmd: 'prepend', val: 'y' }),
      expected: ['updated "a" "yx" "x"'],
    },
    { title: 'rmv', before: [PUT], run: () => run({ ...C, cmd: 'rmv' }), expected: ['removed "a" - "x"'] },
    { title: 'getrmv', before: [PUT], run: () => run({ ...C, cmd: 'getrmv' }), expected: ['removed "a" - "x"'] },
    {
      title: 'rmvval',
      before: [PUT],
      run: () => run({ ...C, cmd: 'rmvval', val: 'x' }),
      expected: ['removed "a" - "x"'],
    },
    {
      title: 'putall',
      run: () => run({ cmd: 'putall', cacheName: 'c', k1: 'a', v1: '1', k2: 'b', v2: '2' }),
      expected: ['created "a" "1" -', 'created "b" "2" -'],
    },
    {
      title: 'rmvall',
      before: [PUT],
      run: () => run({ cmd: 'rmvall', cacheName: 'c', k1: 'a', k2: 'b' }),
      expected: ['removed "a" - "x"'],
    },
    { title: 'clear', before: [PUT], run: () => run({ cmd: 'clear', cacheName: 'c' }), expected: ['cleared - - -'] },
    {
      title: 'updatettl',
      before: [PUT],
      run: () => run({ ...C, cmd: 'updatettl', ttlMs: '60000' }),
      expected: ['expiryChanged "a" - -'],
    },
    {
      title: 'persist',
      before: [{ ...PUT, ttlMs: '60000' }],
      run: () => run({ ...C, cmd: 'persist' }),
      expected: ['expiryChanged "a" - -'],
    },
    {
      title: 'an atomic batch, and nothing of one that is rolled back',
      run: async () => {
        const send = (commands: readonly Request[]) =>
          service.send('cmd=batch&atomic=true', {
            method: 'POST',
            headers: JSON_BODY,
            body: JSON.stringify({ commands }),
          });
        await send([PUT, { ...PUT, key: 'b' }, { ...C, cmd: 'rmv' }]);
        await send([
          { ...PUT, key: 'lost' },
          { ...C, cmd: 'cas', val: 'y', val2: 'z' },
        ]);
      },
      expected: ['created "a" "x" -', 'created "b" "x" -', 'removed "a" - "x"'],
    },
    {
      title: 'a request with an idempotency key, once',
      run: async () => {
        const headers = { 'Idempotency-Key': crypto.randomUUID() };
        await run(PUT, { headers });
        await run(PUT, { headers });
      },
      expected: ['created "a" "x" -'],
    },
    {
      title: 'import',
      run: () =>
        run(
          { cmd: 'import', cacheName: 'c' },
          { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'key,value\na,1\nb,2\n' },
        ),
      expected: ['created "a" "1" -', 'created "b" "2" -'],
    },
    {
      title: 'an atomic import',
      run: () =>
        run(
          { cmd: 'import', cacheName: 'c', atomic: 'true' },
          { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'key,value\na,1\nb,2\n' },
        ),
      expected: ['created "a" "1" -', 'created "b" "2" -'],
    },
    {
      title: 'INSERT, UPDATE, MERGE and DELETE',
      cache: 'items',
      run: async () => {
        await sql("INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 2)");
        await sql('UPDATE item SET price = price * 10 WHERE price > 1');
        await sql("MERGE INTO item (id, name, price) VALUES (1, 'z', 3)");
        await sql('DELETE FROM item');
      },
      expected: [
        'created 1 {"NAME":"a","PRICE":1} -',
        'created 2 {"NAME":"b","PRICE":2} -',
        'updated 2 {"NAME":"b","PRICE":20} {"NAME":"b","PRICE":2}',
        'updated 1 {"NAME":"z","PRICE":3} {"NAME":"a","PRICE":1}',
        'removed 1 - {"NAME":"z","PRICE":3}',
        'removed 2 - {"NAME":"b","PRICE":20}',
      ],
    },
    {
      title: 'ALTER TABLE and CREATE INDEX',
      cache: 'items',
      run: async () => {
        await sql('ALTER TABLE item ADD COLUMN note VARCHAR');
        await sql("INSERT INTO item (id, note) VALUES (3, 'n')");
        await sql('CREATE INDEX by_name ON item (name)');
        await sql('ALTER TABLE item DROP COLUMN note');
        await sql('DELETE FROM item WHERE id = 3');
      },
      expected: [
        'cacheAltered - - -',
        'created 3 {"NAME":null,"PRICE":null,"NOTE":"n"} -',
        'cacheAltered - - -',
        'cacheAltered - - -',
        'removed 3 - {"NAME":null,"PRICE":null,"NOTE":"n"}',
      ],
    },
    {
      title: 'getorcreate, destcache',
      cache: 'brief',
      run: async () => {
        await run({ cmd: 'getorcreate', cacheName: 'brief', changeFeed: 'true' });
        await run({ ...PUT, cacheName: 'brief' });
        await run({ cmd: 'destcache', cacheName: 'brief' });
      },
      expected: ['cacheCreated - - -', 'created "a" "x" -', 'cacheDestroyed - - -'],
    },
    {
      title: 'changefeed',
      cache: 'switched',
      before: [{ cmd: 'getorcreate', cacheName: 'switched' }],
      run: async () => {
        await run({ cmd: 'changefeed', cacheName: 'switched' });
        await run({ ...PUT, cacheName: 'switched' });
        await run({ cmd: 'changefeed', cacheName: 'switched', enabled: 'false' });
        await run({ ...PUT, cacheName: 'switched', key: 'b' });
      },
      expected: ['feedStarted - - -', 'created "a" "x" -', 'feedEnded - - -'],
    },
    {
      title: 'expiry',
      run: async () => {
        const from = await positionNow('c');
        await run({ ...PUT, ttlMs: '1' });
        for await (const { operation } of changeEvents(service.url, { cacheName: 'c', from })) {
          if (operation === 'expired') break;
        }
      },
      expected: ['created "a" "x" -', 'expired "a" - "x"'],
    },
  ];
  for (const { title, before = [], run: act, cache = 'c', expected } of cases) {
    test(title, async () => {
      await run({ cmd: 'clear', cacheName: 'c' });
      for (const each of before) await run(each);
      const from = await positionNow('c');
      await act();
      const events = await eventsUpToNow(service.url, { cacheName: cache, from, oldValue: 'true' });
      expect(changesIn(events)).toEqual([...expected]);
    });
  }
});

test('the answer of every write has a position, also that which destroys the last recorded cache', async () => {
  await using own = await startService();
  const positionsOf = async (requests: readonly Request[]): Promise<ReadonlyArray<string | null>> => {
    const found: Array<string | null> = [];
    for (const each of requests) {
      const response = await fetch(`${own.url}?${queryOf(each)}`);
      expect(((await response.json()) as { readonly error: string | null }).error).toBeNull();
      found.push(response.headers.get('change-position')?.split('.')[1] ?? null);
    }
    return found;
  };
  const statement = (qry: string): Request => ({ cmd: 'qryfldexe', pageSize: '1', qry });
  const batch = (commands: readonly Request[]): Request => ({ cmd: 'batch', commands: JSON.stringify(commands) });
  expect(await positionsOf([PUT_DEFAULT, statement('CREATE TABLE none (id INT PRIMARY KEY, n INT)')])).toEqual([
    null,
    null,
  ]);
  const create = { cmd: 'getorcreate', cacheName: 'c', changeFeed: 'true' };
  const destroy = { cmd: 'destcache', cacheName: 'c' };
  expect(await positionsOf([create, destroy, batch([create, PUT, destroy])])).toEqual(['1', '2', '5']);
  const table = statement('CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH "CHANGE_FEED=true"');
  expect(await positionsOf([table, statement('DROP TABLE t')])).toEqual(['6', '7']);
  const enabled = (on: boolean): Request => ({ cmd: 'changefeed', cacheName: 'default', enabled: String(on) });
  expect(await positionsOf([enabled(true), PUT_DEFAULT, enabled(false)])).toEqual(['8', '9', '10']);
  expect(await positionsOf([PUT_DEFAULT, statement('INSERT INTO none VALUES (1, 1)')])).toEqual([null, null]);
});

test('a service starts again with the changes of tables', async () => {
  const folder = newFolder();
  const columns = Array.from({ length: 12 }, (_, index) => `c${index} INT`).join(', ');
  const starts = [
    [
      `CREATE TABLE t (id INT PRIMARY KEY, ${columns}) WITH "CACHE_NAME=t,CHANGE_FEED=true"`,
      'INSERT INTO t (id, c11) VALUES (1, 2)',
    ],
    ['UPDATE t SET c11 = 3', 'DELETE FROM t'],
  ];
  const operations: string[] = [];
  for (const statements of starts) {
    await using own = await startService({ dataDir: folder });
    for (const qry of statements) await own.command(queryOf({ cmd: 'qryfldexe', pageSize: '1', qry }));
    const events = await eventsUpToNow(own.url, { cacheName: 't', from: 'start' });
    operations.push(events.flatMap(({ operation }) => operation ?? []).join());
  }
  expect(operations).toEqual(['cacheCreated,created', 'cacheCreated,created,updated,removed']);
});

test('changes are kept for changeFeed.retentionSeconds, and a position before them is an error', async () => {
  await using own = await startService({ env: { SVC_CHANGE_FEED_RETENTION_SECONDS: '1' } });
  await own.command('cmd=getorcreate&cacheName=c&changeFeed=true');
  const first = (await fetch(`${own.url}?${queryOf(PUT)}`)).headers.get('change-position') ?? '';
  const watch = () => fetch(`${own.url}?${queryOf({ cmd: 'watch', cacheName: 'c', from: first, follow: 'false' })}`);
  let gone = '';
  await until('the first changes are gone', async () => {
    await own.command(queryOf(PUT));
    const response = await watch();
    const text = await response.text();
    if (response.status === 410) gone = text;
    return gone !== '';
  });
  expect(JSON.parse(gone).error).toBe(
    `The change feed cannot continue at ${first}: changes after it are no longer kept`,
  );
  const kept = await eventsUpToNow(own.url, { cacheName: 'c', from: 'start' });
  expect(kept.at(-1)).toMatchObject({ event: 'end', reason: 'complete' });
});

test('a cache with a comma in its name is watched by its name in double quotes', async () => {
  await using own = await startService();
  for (const name of ['a,b', 'a"b', 'c']) {
    await own.command(`cmd=getorcreate&changeFeed=true&${queryOf({ cacheName: name })}`);
    await own.command(queryOf({ cmd: 'put', cacheName: name, key: 'k', val: 'v' }));
  }
  const events = await eventsUpToNow(own.url, { cacheName: '"a,b","a""b"', from: 'start', operation: 'created' });
  expect(events.flatMap(({ cache }) => cache ?? [])).toEqual(['a,b', 'a"b']);
});

describe('positions', () => {
  test('are in the answers of writes to recorded caches only, and reads wait for them', async () => {
    const position = (await run(PUT)).headers.get('change-position') ?? '';
    expect(position).toBe(await positionNow('c'));
    expect((await run({ cmd: 'get', ...C })).headers.get('change-position')).toBeNull();
    expect((await run({ ...PUT, cacheName: 'default' })).headers.get('change-position')).toBeNull();
    expect((await sql('INSERT INTO item (id) VALUES (9)')).headers.get('change-position')).not.toBeNull();
    const read = await run({ cmd: 'get', ...C }, { headers: { 'Wait-For-Position': position } });
    expect(((await read.json()) as { response: string }).response).toBe('x');
    const [file, number] = position.split('.');
    const beyond = await service.send(queryOf({ cmd: 'get', ...C }), {
      headers: { 'Wait-For-Position': `${file}.${Number(number) + 1_000}`, Prefer: 'wait=0' },
    });
    expect([beyond.http, beyond.error]).toEqual([504, expect.stringContaining('was not reached within 0 ms')]);
  });

  test.each([
    ['an unknown file', { from: '0123456789ab.1' }, 410],
    ['no position', { from: 'x' }, 400],
    ['a cache without a feed', { cacheName: 'default' }, 409],
    ['an unknown cache', { cacheName: 'c, nothing' }, 404],
    ['a list of too many caches', { cacheName: 'c,'.repeat(2_000) }, 400],
    ['an unknown operation', { operation: 'created,exploded' }, 400],
    ['a heartbeat that is too short', { heartbeatMs: '1' }, 400],
  ])('%s is rejected', async (_, changes, status) => {
    const answer = await service.send(queryOf({ cmd: 'watch', cacheName: 'c', httpStatus: 'true', ...changes }));
    expect([answer.http, answer.error === null]).toEqual([status, false]);
  });

  test('an unknown operation, a wrong heartbeat and the name of a table are rejected with what to send', async () => {
    const rejection = async (changes: Readonly<Record<string, string>>) => {
      const { error } = await service.send(queryOf({ cmd: 'watch', errors: 'object', ...changes }));
      return error as unknown;
    };
    expect(await rejection({ cacheName: 'c', operation: 'exploded' })).toMatchObject({
      code: 'PARAMETER_INVALID',
      parameter: 'operation',
      message: expect.stringContaining('created, updated, removed'),
    });
    expect(await rejection({ cacheName: 'c', heartbeatMs: '1' })).toMatchObject({
      code: 'PARAMETER_INVALID',
      message: expect.stringContaining('heartbeatMs must be from 100 to 300000'),
    });
    await run({ cmd: 'qryfldexe', pageSize: '1', qry: 'CREATE TABLE room (id INT PRIMARY KEY, seats INT)' });
    expect(await rejection({ cacheName: 'room' })).toMatchObject({
      code: 'CACHE_NOT_FOUND',
      message: expect.stringMatching(/Failed to find cache for given cache name: room$/),
      remedy: 'room is a table: name its cache, SQL_PUBLIC_ROOM.',
    });
    const scan = { cmd: 'qryscanexe', cacheName: 'room', pageSize: '1', errors: 'object' };
    expect((await service.send(queryOf(scan))).error).toMatchObject({
      code: 'QUERY_CACHE_NOT_FOUND',
      remedy: 'room is a table: name its cache, SQL_PUBLIC_ROOM.',
    });
  });

  describe('a client that repeats its request resumes after the last event it received:', () => {
    const SSE = 'text/event-stream';
    const CASES: ReadonlyArray<
      readonly [title: string, query: Request, header: string | undefined, accept: string, expected: readonly string[]]
    > = [
      ['by Last-Event-ID', {}, 'POSITION', SSE, ['later']],
      ['which beats from=start', { from: 'start' }, 'POSITION', SSE, ['later']],
      ['which beats from=now', { from: 'now' }, 'POSITION', SSE, ['later']],
      ['which beats a position', { from: 'BEFORE' }, 'POSITION', SSE, ['later']],
      ['and the parameter of a proxied address', { lastEventId: 'BEFORE' }, 'POSITION', SSE, ['later']],
      ['by lastEventId', { lastEventId: 'POSITION' }, undefined, SSE, ['later']],
      ['which beats from', { lastEventId: 'POSITION', from: 'BEFORE' }, undefined, SSE, ['later']],
      ['with format=ndjson, too', { from: 'BEFORE', format: 'ndjson' }, 'POSITION', SSE, ['later']],
      ['an empty header is none', { from: 'BEFORE' }, '', SSE, ['earlier', 'later']],
      ['an empty header is none without from', {}, '', SSE, []],
      ['an empty parameter is none', { from: 'BEFORE', lastEventId: '' }, undefined, SSE, ['earlier', 'later']],
      ['no events where their weight is 0', {}, 'POSITION', `${SSE};q=0, application/x-ndjson`, ['later']],
      ['the greater weight decides', {}, 'POSITION', `${SSE};q=0.5, application/x-ndjson`, ['later']],
    ];
    for (const [title, query, header, accept, expected] of CASES) {
      test(title, async () => {
        const before = (await run({ ...PUT, val: 'first' })).headers.get('change-position') ?? '';
        const position = (await run({ ...PUT, val: 'earlier' })).headers.get('change-position') ?? '';
        await run({ ...PUT, val: 'later' });
        const filled = (text: string): string => text.replace('POSITION', position).replace('BEFORE', before);
        const named = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, filled(value)]));
        const response = await fetch(
          `${service.url}?${queryOf({ cmd: 'watch', cacheName: 'c', follow: 'false', ...named })}`,
          { headers: { Accept: accept, ...(header !== undefined && { 'Last-Event-ID': filled(header) }) } },
        );
        const isEvents = accept === SSE && query['format'] === undefined;
        expect(response.headers.get('x-accel-buffering')).toBe('no');
        expect(response.headers.get('content-type')).toMatch(
          isEvents ? /^text\/event-stream/ : /^application\/x-ndjson/,
        );
        const text = await response.text();
        if (isEvents) expect(text).toMatch(/^event: open\n.*^event: end$/ms);
        expect([...text.matchAll(/"value":"(\w+)"/g)].map(([, value]) => value)).toEqual([...expected]);
      });
    }
  });
});

test('consumers of both HTTP threads receive every change in order, and are listed', async () => {
  const from = await positionNow('c');
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  const read = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { event, key } of changeEvents(service.url, { cacheName: 'c', from }, { keepalive: false })) {
      if (event === 'change') found.push(key);
      if (found.length === keys.length) break;
    }
    return found;
  };
  const reading = Array.from({ length: 6 }, read);
  const listed = await sql('SELECT CACHES, BEHIND FROM SYS.CHANGE_FEED_CONSUMERS');
  expect(((await listed.json()) as { response: { items: unknown[] } }).response.items.length).toBeGreaterThan(0);
  for (const key of keys) await run({ ...PUT, key });
  for (const found of await Promise.all(reading)) expect(found).toEqual(keys);
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  expect(Number(/^svc_change_feed_changes_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(6 * keys.length);
}, 60_000);
