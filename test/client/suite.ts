/**
 * The suite of the TypeScript client: the same cases in Bun, in Node and in browsers, on running services. Its programs
 * are bundled, so it imports nothing of a runtime.
 */
import { type ClientOptions, Decimal, SvcClient, SvcError } from '../../src/client/client.ts';

/** The services that the suite needs: one without and one with authentication, whose user is `svc`. */
export interface SuiteServices {
  readonly open: string;
  readonly closed: string;
  readonly password: string;
}

type Case = (services: SuiteServices) => Promise<void>;

function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [shown(actual), shown(expected)];
  if (found !== wanted) throw new Error(`${found} instead of ${wanted}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? `${each}n` : each)) ?? 'undefined';
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

/** A client whose requests are counted by command, and changed by the case. */
function observed(
  options: ClientOptions,
  change: (send: () => Promise<Response>, init: RequestInit) => Promise<Response>,
) {
  const commands: string[] = [];
  const client = new SvcClient({
    ...options,
    fetch: (url, init) => {
      commands.push(/([a-z]+)\?/.exec(url)?.[1] ?? '');
      return change(() => fetch(url, init), init);
    },
  });
  return { client, commands };
}

const unchanged = (send: () => Promise<Response>) => send();
let caches = 0;

async function newCache(client: SvcClient): Promise<string> {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const cacheName = `client${random}x${++caches}`;
  await client.getorcreate({ cacheName });
  return cacheName;
}

export const CASES: Readonly<Record<string, Case>> = {
  async 'keys and values keep their types and digits'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    const values = [
      'text é€😀\u0000"\\',
      9_007_199_254_740_993n,
      -5n,
      1.5,
      0.1,
      true,
      new Decimal('1234567890123456789.012345'),
      new Decimal('2410611.00'),
      new Decimal('1E+3'),
      3,
      1e20,
      1e-7,
      { name: 'Ann', ids: [9_007_199_254_740_993n, 'a'] },
      ['a', 1, {}],
    ];
    for (const [index, val] of values.entries()) await client.put({ cacheName, key: `v${index}`, val });
    const found: unknown[] = [];
    for (const index of values.keys()) found.push(await client.get({ cacheName, key: `v${index}` }));
    equal(found, [...values.slice(0, 2), -5, ...values.slice(3)]);
    equal(await client.put({ cacheName, key: 7n, val: 1n }), true);
    equal(await client.get({ cacheName, key: '7', keyType: 'long' }), 1);
    equal(await client.get({ cacheName, key: '7' }), null);
    const all = await client.getall({ cacheName, keys: ['v0', 'v1', 'none'] });
    equal(all, { v0: values[0], v1: values[1] });
  },

  async 'wrong calls of plain JavaScript are a TypeError that names what is wrong'({ open }) {
    const { client, commands } = observed({ url: open }, unchanged);
    const misused = client as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
    const wrong: ReadonlyArray<readonly [command: string, given: readonly unknown[], text: string]> = [
      ['getorcreate', ['zzz'], 'the parameters of getorcreate are an object, such as { cacheName: ... }, got "zzz"'],
      ['get', [{ cachename: 'x', key: 'a' }], 'the parameters of get: unknown cachename, did you mean cacheName?'],
      [
        'get',
        [{ key: 'a' }, { idempotencykey: 'a' }],
        'the options of get: unknown idempotencykey, did you mean idempotencyKey?',
      ],
    ];
    for (const [command, given, text] of wrong) {
      const error = await failure(Promise.resolve(misused[command]?.call(client, ...given)));
      equal([error instanceof TypeError, error instanceof Error && error.message], [true, text]);
    }
    equal(commands, []);
  },

  async 'dates are those of ISO 8601 where the client asks for them'({ open }) {
    const [usual, iso] = [new SvcClient({ url: open }), new SvcClient({ url: open, dates: 'iso' })];
    const cacheName = await newCache(usual);
    const val = '2024-01-02 03:04:05.5';
    await usual.put({ cacheName, key: 'a', val, valueType: 'timestamp' });
    const found = [await usual.get({ cacheName, key: 'a' }), await iso.get({ cacheName, key: 'a' })];
    equal(found, [val, '2024-01-02T03:04:05.5']);
  },

  async 'counters and sizes are bigint'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    equal(await client.size({ cacheName }), 0n);
    const key = `${cacheName}-counter`;
    equal(await client.incr({ key, init: 9_007_199_254_740_992n, delta: 1n }), 9_007_199_254_740_993n);
  },

  async 'a write whose answer is lost is executed once'({ open }) {
    let lost = 2;
    const { client, commands } = observed({ url: open }, async (send) => {
      const response = await send();
      if (lost-- > 0) throw new TypeError('the connection was closed');
      return response;
    });
    const key = `lost${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    equal(await client.incr({ key, delta: 3n }), 3n);
    equal(await client.incr({ key, delta: 0n }), 3n);
    equal(commands, ['incr', 'incr', 'incr', 'incr']);
  },

  async 'a service that is busy is asked again, after the time that it asks for'({ open }) {
    const started = performance.now();
    let busy = true;
    const { client } = observed({ url: open }, (send) => {
      if (!busy) return send();
      busy = false;
      return Promise.resolve(new Response('{"successStatus":1}', { status: 503, headers: { 'Retry-After': '1' } }));
    });
    equal(typeof (await client.version()), 'string');
    equal(performance.now() - started >= 990, true);
  },

  async 'a failure that does not pass is not repeated'({ open }) {
    const { client, commands } = observed({ url: open }, unchanged);
    const error = await failure(client.get({ cacheName: 'none', key: 'a' }));
    if (!(error instanceof SvcError)) throw error;
    equal([error.command, error.successStatus, error.http], ['get', 1, 404]);
    equal(error.message, 'Failed to find cache for given cache name: none');
    equal(commands, ['get']);
  },

  async 'a failure has its code, and says what is wrong'({ open }) {
    const client = new SvcClient({ url: open });
    const details = async (call: Promise<unknown>) => {
      const error = await failure(call);
      if (!(error instanceof SvcError)) throw error;
      const { code, parameter, position, documentation } = error;
      equal(typeof error.remedy, 'string');
      equal(documentation, `/docs/errors/${code}`);
      return [code, parameter, position];
    };
    equal(await details(client.get({ cacheName: 'none', key: 'a' })), ['CACHE_NOT_FOUND', undefined, undefined]);
    equal(await details(client.get({ key: 'x', keyType: 'int' })), ['CONVERSION', 'key', undefined]);
    equal(await details(client.query('SELECT nothing').next()), ['SQL_OBJECT_NOT_FOUND', undefined, 8]);
    equal(await details(client.watch({ caches: ['none'] }).next()), ['CACHE_NOT_FOUND', undefined, undefined]);
    const val = new (class Order {
      readonly seats = 4;
    })();
    equal(await client.put({ key: 'room', val }), true);
    equal(await client.get({ key: 'room' }), { seats: 4 });
    const batch = await failure(client.batch({ commands: [{ cmd: 'get' }], atomic: true }));
    equal(batch instanceof SvcError && batch.code, 'PARAMETER_MISSING');
    const [result] = await client.batch({ commands: [{ cmd: 'get' }] });
    equal([result?.error?.code, result?.error?.parameter], ['PARAMETER_MISSING', 'key']);
  },

  async 'rows that an error ends fail with its code'({ open }) {
    const lines = ['{"id":1}\n', '{"error":{"code":"QUERY_LOST","message":"lost","remedy":"again"}}\n'];
    const { client } = observed({ url: open }, () => {
      const sent = [...lines];
      const body = new ReadableStream({
        pull(controller) {
          const line = sent.shift();
          if (line === undefined) controller.error(new TypeError('cut'));
          else controller.enqueue(new TextEncoder().encode(line));
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'application/x-ndjson' } }));
    });
    const reader = (await client.export({ table: 'T', format: 'ndjson' })).getReader();
    equal(new TextDecoder().decode((await reader.read()).value), lines[0]);
    const error = await failure(reader.read());
    equal(error instanceof SvcError && [error.code, error.message, error.command], ['QUERY_LOST', 'lost', 'export']);
  },

  async 'a code is never derived from a text'({ open }) {
    const answers = [
      new Response('{"successStatus":1,"sessionToken":null,"error":"CACHE_NOT_FOUND","response":null}'),
      new Response('CACHE_NOT_FOUND', { status: 404 }),
      new Response('{"successStatus":1,"sessionToken":null,"error":"text","response":null}', {
        headers: { 'Error-Code': 'INACTIVE' },
      }),
    ];
    const { client } = observed({ url: open, retries: 0 }, () => Promise.resolve(answers.shift() ?? Response.error()));
    for (const code of [undefined, undefined, 'INACTIVE']) {
      const error = await failure(client.version());
      equal(error instanceof SvcError && [error.code, error.parameter], [code, undefined]);
    }
  },

  async 'a network that fails for good is reported after the retries'({ open }) {
    const { client, commands } = observed({ url: open, retries: 1 }, () =>
      Promise.reject(new TypeError('unreachable')),
    );
    const error = await failure(client.version());
    if (!(error instanceof SvcError)) throw error;
    equal(
      [error.command, error.http, error.code, error.message],
      ['version', 0, undefined, `No answer from ${open} (unreachable)`],
    );
    equal([typeof error.remedy, String(error.cause)], ['string', 'TypeError: unreachable']);
    equal(commands, ['version', 'version']);
  },

  async 'the primary is found among several addresses, and nothing is sent to another one'({ open }) {
    const standby = 'http://standby.example:8080/svc';
    const third = 'http://127.0.0.1:9/svc';
    const origins: string[] = [];
    const headers = { 'Retry-After': '9', 'Error-Code': 'STANDBY' };
    const client = new SvcClient({
      url: [third, standby, open].join(' , '),
      fetch: (url, init) => {
        origins.push(url.slice(0, url.lastIndexOf('/')));
        if (!url.startsWith(standby)) return fetch(url, init);
        const error = `This service is a standby, which answers no commands; the primary is http://elsewhere.example:8080`;
        return Promise.resolve(Response.json({ successStatus: 1, error, response: null }, { status: 503, headers }));
      },
    });
    const started = performance.now();
    equal(typeof (await client.version()), 'string');
    equal(typeof (await client.version()), 'string');
    equal(origins, [third, standby, open, open]);
    equal(performance.now() - started < 5_000, true);
  },

  async 'a command that may have been executed is sent to no other address without a key'({ open }) {
    const body = { successStatus: 1, error: { code: 'DEPOSED', message: 'deposed' }, response: null };
    let deposed = 1;
    const { client, commands } = observed({ url: `${open},${open}` }, (send) =>
      deposed-- > 0 ? Promise.resolve(Response.json(body, { status: 503 })) : send(),
    );
    const error = await failure(client.qryfetch({ qryId: 1n, pageSize: 1 }));
    equal(error instanceof SvcError && error.code, 'DEPOSED');
    deposed = 1;
    const key = `deposed${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    equal(await client.incr({ key, delta: 3n }), 3n);
    // It was not sent over a connection that was refused.
    const page = await client.qryfldexe({ qry: 'SELECT X FROM SYSTEM_RANGE(1, 2)', pageSize: 1 });
    let refused = true;
    const moved = observed({ url: `http://127.0.0.1:9/svc,${open}` }, (send) => {
      if (!refused) return send();
      refused = false;
      return Promise.reject(Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED' }));
    });
    equal((await moved.client.qryfetch({ qryId: page.queryId, pageSize: 1 })).items, [[2]]);
    equal(commands, ['qryfetch', 'incr', 'incr', 'qryfldexe']);
  },

  async 'a request is repeated as long as the service may be back'({ open }) {
    let away = 6;
    const { client, commands } = observed({ url: open, retryMs: 10_000 }, (send) =>
      away-- > 0 ? Promise.reject(new TypeError('away')) : send(),
    );
    equal(typeof (await client.version()), 'string');
    equal(commands.length, 7);
    const started = performance.now();
    const bounded = observed({ url: open, retryMs: 400 }, () => Promise.reject(new TypeError('away')));
    equal((await failure(bounded.client.version())) instanceof SvcError, true);
    equal(performance.now() - started < 2_000, true);
    equal(bounded.commands.length > 1, true);
  },

  async 'a service that is not there is named'() {
    const url = 'http://127.0.0.1:9/svc';
    const client = new SvcClient({ url, retries: 0, user: 'svc', password: 'a' });
    const calls = [client.version(), client.watch().next(), client.export({ table: 'T', format: 'csv' })];
    for (const error of await Promise.all(calls.map(failure))) {
      const isNamed =
        error instanceof SvcError && error.http === 0 && error.message.startsWith(`No answer from ${url} (`);
      equal([isNamed, error instanceof Error && error.cause instanceof Error], [true, true]);
    }
  },

  async 'roles are an array or one string'({ open }) {
    const client = new SvcClient({ url: open });
    for (const roles of [['reader', 'writer'], 'reader,writer'] as const) {
      const error = await failure(client.adduser({ user: 'ann', password: 'secret', roles }));
      equal(error instanceof SvcError && error.code, 'SECURITY_DISABLED');
    }
  },

  async 'an address that is none, and a parameter that cannot be sent, are named'({ open }) {
    for (const url of ['localhost:8080/svc', 'ftp://localhost/svc', 'http://localhost:8080', '']) {
      const error = await failure((async () => new SvcClient({ url }))());
      const expected = 'TypeError: url must be the endpoint of a service, such as http://localhost:8080/svc, got';
      equal(String(error), `${expected} "${url}"`);
    }
    const ofPlainJavaScript = JSON.parse('{"url":["http://a/svc","http://b/svc"]}');
    const list = await failure((async () => new SvcClient(ofPlainJavaScript))());
    equal(String(list), 'TypeError: url must be one string: separate several addresses by commas');
    const names = await failure((async () => new SvcClient({ url: 'http://a/svc,http://b/other' }))());
    equal(String(names), 'TypeError: url must end with one service name, got svc and other');
    const client = new SvcClient({ url: open });
    const errors = [
      client.put({ key: 'a', val: Number.NaN }),
      client.putall({ keys: ['a', 'b'], values: ['1', 2] }),
      new SvcClient({ url: open, bulkKeys: 1 }).putall({ keys: ['a', 'b'], values: ['1'] }),
    ];
    equal((await Promise.all(errors.map(failure))).map(String), [
      'TypeError: val: JSON has no NaN',
      'TypeError: values has values of the types string and double: name one of them in valueType',
      'TypeError: keys and values differ in number: 2 and 1',
    ]);
  },

  async 'the client logs in once for concurrent calls, and again when its session has expired'({ closed, password }) {
    let expired = false;
    const { client, commands } = observed({ url: closed, user: 'svc', password }, (send, init) => {
      if (expired && init.headers !== undefined) {
        expired = false;
        Object.assign(init.headers, { Authorization: `Bearer ${'0'.repeat(32)}` });
      }
      return send();
    });
    await Promise.all([client.size(), client.size(), client.size()]);
    equal(commands, ['authenticate', 'size', 'size', 'size']);
    expired = true;
    equal(typeof (await client.size()), 'bigint');
    equal(commands.slice(4), ['size', 'authenticate', 'size']);
  },

  async 'a wrong password and a missing login are reported'({ closed }) {
    const wrong = await failure(new SvcClient({ url: closed, user: 'svc', password: 'wrong' }).size());
    const none = await failure(new SvcClient({ url: closed }).size());
    for (const error of [wrong, none]) equal(error instanceof SvcError && error.http, 401);
    equal(wrong instanceof SvcError && wrong.code, 'CREDENTIALS_WRONG');
    equal(none instanceof SvcError && none.code, 'TOKEN_MISSING');
  },

  async 'bulk commands of any size are split'({ open }) {
    const { client, commands } = observed({ url: open, bulkKeys: 10 }, unchanged);
    const cacheName = await newCache(client);
    const keys = Array.from({ length: 25 }, (_, index) => `k${index}`);
    const values = keys.map((_, index) => BigInt(index));
    equal(await client.putall({ cacheName, keys, values }), true);
    const found = await client.getall({ cacheName, keys });
    equal(found, Object.fromEntries(keys.map((key, index) => [key, index])));
    equal(await client.conkeys({ cacheName, keys: [...keys, 'none'] }), false);
    equal(await client.conkeys({ cacheName, keys }), true);
    equal(await client.rmvall({ cacheName, keys }), true);
    equal(await client.size({ cacheName }), 0n);
    equal(commands.filter((command) => command === 'putall').length, 3);
    equal(String(await failure(client.putall({ cacheName, keys, values: [1n] }))).startsWith('TypeError'), true);
  },

  async 'a query returns decimals of every page as they were sent'({ open }) {
    const client = new SvcClient({ url: open });
    const qry = 'SELECT CAST(X AS DECIMAL(10, 1)), CAST(X / 2.0 AS DOUBLE), 1.50 FROM SYSTEM_RANGE(1, 3)';
    const rows: unknown[][] = [];
    for await (const row of client.query(qry, { pageSize: 2 })) rows.push([...row]);
    equal(
      rows,
      ['1.0', '2.0', '3.0'].map((text, index) => [new Decimal(text), (index + 1) / 2, new Decimal('1.50')]),
    );
    equal(
      rows.flat().every((value, index) => value instanceof Decimal || index % 3 === 1),
      true,
    );
  },

  async 'a scan returns decimals as they were sent'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    const values = { a: new Decimal('2410611.00'), b: new Decimal('1.50'), c: 3, d: 1e20 };
    for (const [key, val] of Object.entries(values)) await client.put({ cacheName, key, val });
    const found: Record<string, unknown> = {};
    for await (const { key, value } of client.scan({ cacheName })) found[String(key)] = value;
    equal(found, values);
    equal(typeof found.c, 'number');
  },

  async 'a query returns the rows of all pages'({ open }) {
    const { client, commands } = observed({ url: open }, unchanged);
    const rows: unknown[] = [];
    const qry = 'SELECT X, CAST(X AS VARCHAR) FROM SYSTEM_RANGE(1, ?)';
    for await (const row of client.query(qry, { args: [5], pageSize: 2 })) rows.push(row);
    equal(
      rows,
      [1, 2, 3, 4, 5].map((each) => [each, String(each)]),
    );
    equal(commands, ['qryfldexe', 'qryfetch', 'qryfetch']);
  },

  async 'a loop that ends early closes its cursor'({ open }) {
    const { client, commands } = observed({ url: open }, unchanged);
    for await (const [first] of client.query('SELECT X FROM SYSTEM_RANGE(1, 1000)', { pageSize: 10 })) {
      if (first === 15) break;
    }
    equal(commands, ['qryfldexe', 'qryfetch', 'qrycls']);
  },

  async 'watch returns the changes, and resumes when the connection ends'({ open }) {
    let streams = 0;
    const client = new SvcClient({
      url: open,
      async fetch(url, init) {
        const response = await fetch(url, init);
        if (!url.includes('/watch?') || ++streams > 1) return response;
        // The first stream is cut after its second line.
        const lines = (await response.text()).split('\n').slice(0, 2);
        return new Response(`${lines.join('\n')}\n`, { status: response.status });
      },
    });
    const cacheName = await newCache(client);
    await client.changefeed({ cacheName });
    for (const val of ['1', '2', '3']) await client.put({ cacheName, key: 'a', val });
    const found: string[] = [];
    const options = { caches: [cacheName], from: 'start', operations: ['created', 'updated'], follow: false };
    for await (const { operation, key, value } of client.watch(options)) found.push(`${operation} ${key}=${value}`);
    equal(found, ['created a=1', 'updated a=2', 'updated a=3']);
    equal(streams, 2);
    const gone = await failure(client.watch({ caches: [cacheName], from: '0123456789ab.1' }).next());
    equal(gone instanceof SvcError && [gone.http, gone.code], [410, 'CHANGE_POSITION_GONE']);
  },

  async 'a stream that cannot be resumed reports where changes may be missing'({ open }) {
    const opened = '{"event":"open","position":null,"resumable":false}';
    const gap = '{"event":"gap","position":null,"cache":"c","reason":"a node left"}';
    const change = '{"event":"change","position":null,"operation":"removed","cache":"c","time":"t","key":"a"}';
    const end = '{"event":"end","position":null,"reason":"complete","error":null}';
    // In front of a cluster, the first stream ends without a reason, the second one completely.
    let streams = 0;
    const client = new SvcClient({
      url: open,
      fetch: async () => {
        streams += 1;
        const lines = streams === 1 ? [opened, change, gap] : [opened, change, end];
        return new Response(`${lines.join('\n')}\n`, { headers: { 'Content-Type': 'application/x-ndjson' } });
      },
    });
    const gaps: string[] = [];
    const positions: Array<string | null> = [];
    for await (const { position } of client.watch({ onGap: (reason) => gaps.push(reason) })) positions.push(position);
    equal(positions, [null, null]);
    equal(gaps, ['a node left', 'the connection to the service ended']);
    streams = 0;
    const changes = client.watch();
    equal((await changes.next()).done, false);
    const failed = await failure(changes.next());
    equal(failed instanceof SvcError && failed.message.includes('a node left'), true);
  },

  async 'a scan returns the entries'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    await client.putall({ cacheName, keys: [1n, 2n, 3n], values: ['a', 'b', 'c'] });
    const found: unknown[] = [];
    for await (const { key, value } of client.scan({ cacheName, pageSize: 2 })) found.push(`${key}=${value}`);
    equal(found.sort(), ['1=a', '2=b', '3=c']);
  },

  async 'a signal cancels a call, and the wait before a retry'({ open }) {
    const stop = new AbortController();
    const { client } = observed({ url: open }, () => {
      setTimeout(() => stop.abort(new Error('enough')), 10);
      return Promise.resolve(new Response('{"successStatus":1}', { status: 503, headers: { 'Retry-After': '20' } }));
    });
    equal(String(await failure(client.version({}, { signal: stop.signal }))), 'Error: enough');
    const aborted = AbortSignal.abort(new Error('before'));
    equal(String(await failure(new SvcClient({ url: open }).version({}, { signal: aborted }))), 'Error: before');
  },

  async 'a time limit ends a request'({ open }) {
    const client = new SvcClient({ url: open, timeoutMs: 50, retries: 0 });
    const qry = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 3000000) A, SYSTEM_RANGE(1, 3000000) B';
    const error = await failure(client.qryfldexe({ qry, pageSize: 1, timeout: 5_000 }));
    if (!(error instanceof SvcError)) throw error;
    equal([error.message, Object(error.cause).name], [`No answer from ${open} within 50 ms`, 'TimeoutError']);
  },

  async 'rows are imported and exported as streams'({ open }) {
    const { client, commands } = observed({ url: open }, unchanged);
    const cacheName = await newCache(client);
    const rows = 'key,value\na,1\nb,9007199254740993\n';
    const stored = await client.import(rows, { cacheName, format: 'csv', valueType: 'long' });
    equal([stored.state, stored.rows], ['done', 2]);
    equal(await client.get({ cacheName, key: 'b' }), 9_007_199_254_740_993n);
    equal((await client.import(new Blob(['{"key":"c","value":3}']), { cacheName, format: 'ndjson' })).rows, 1);
    const lines = (await new Response(await client.export({ cacheName, format: 'ndjson' })).text()).split('\n');
    equal(lines.filter((line) => line.includes('9007199254740993')).length, 1);
    equal(lines.length, 4);
    equal(commands.slice(1), ['import', 'get', 'import', 'export']);
  },

  async 'an import that fails says what it has stored'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    const rows = 'key,value\na,1\nb,x\n';
    const error = await failure(client.import(rows, { cacheName, format: 'csv', valueType: 'long' }));
    if (!(error instanceof SvcError)) throw error;
    equal([error.command, error.http, Object(error.response).rows], ['import', 400, 1]);
    const missing = await failure(client.export({ cacheName: 'none', format: 'csv' }));
    equal(missing instanceof SvcError && [missing.command, missing.http], ['export', 404]);
  },

  async 'a backup is a stream of bytes'({ closed, password }) {
    const client = new SvcClient({ url: closed, user: 'svc', password });
    let bytes = 0;
    const reader = (await client.backupStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
    equal(bytes > 1_000, true);
  },

  async 'a batch executes typed commands'({ open }) {
    const client = new SvcClient({ url: open });
    const cacheName = await newCache(client);
    const results = await client.batch({
      commands: [
        { cmd: 'put', cacheName, key: 'a', val: '1' },
        { cmd: 'get', cacheName, key: 'a' },
      ],
    });
    equal(
      results.map(({ response }) => response),
      [true, '1'],
    );
  },
};

/** Runs all cases and returns the names of those that passed and the errors of the others. */
export async function runSuite(services: SuiteServices): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const [name, run] of Object.entries(CASES)) {
    try {
      await run(services);
      results[name] = 'passed';
    } catch (error) {
      results[name] = error instanceof Error ? `${error.stack}` : String(error);
    }
  }
  return results;
}
