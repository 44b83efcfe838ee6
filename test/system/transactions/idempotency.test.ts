/** The Idempotency-Key header over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKERS } from '../modes.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const CONFIG = join(import.meta.dir, '../../fixtures/queries.config.ts');

interface Answer {
  readonly http: number;
  readonly replayed: boolean;
  readonly error: string | null;
  readonly response: unknown;
}

type Body = readonly object[] | undefined;

let lastKey = 0;
const newKey = () => `key-${++lastKey}`;

async function send(
  { url }: ServiceProcess,
  query: string,
  key: string,
  body?: Body,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${url}?${query}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'idempotency-key': key, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { error, response } = (await answer.json()) as Pick<Answer, 'error' | 'response'>;
  return { http: answer.status, replayed: answer.headers.get('idempotent-replayed') === 'true', error, response };
}

const sql = (statement: string, pageSize = 10) =>
  `cmd=qryfldexe&pageSize=${pageSize}&qry=${encodeURIComponent(statement)}`;

describe.each(WORKERS)('idempotency keys with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({
      env: { SVC_CONFIG: CONFIG, SVC_WORKERS: String(workers), SVC_LIMITS_IDEMPOTENCY_ANSWER_CHARACTERS: '1000' },
    });
    await service.command(sql('CREATE TABLE IF NOT EXISTS person (id INT PRIMARY KEY, name VARCHAR, age INT)'));
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  /** Requests that change something each time, and what the first one returns. */
  const CHANGES: ReadonlyArray<readonly [title: string, query: string, response: unknown, body?: Body]> = [
    ['a counter', 'cmd=incr&key=hits&delta=1', 1],
    ['the previous value of an entry', 'cmd=getput&key=a&val=1', null],
    ['a condition that is met', 'cmd=putifabs&key=b&val=1', true],
    ['a condition that is not met', 'cmd=putifabs&key=b&val=2', false],
    ['a statement by key', sql("INSERT INTO person VALUES (1, 'Ann', 30)"), expect.objectContaining({ items: [[1]] })],
    ['a statement over rows', sql('UPDATE person SET age = age + 1'), expect.objectContaining({ items: [[1]] })],
    ['a cache', 'cmd=getorcreate&cacheName=made', null],
    ['a definition', sql('CREATE TABLE once (id INT PRIMARY KEY, a INT)'), expect.objectContaining({ items: [[0]] })],
    ['an atomic batch', 'cmd=batch&atomic=true', expect.anything(), [{ cmd: 'incr', key: 'atomic', delta: 1 }]],
    [
      'a batch',
      'cmd=batch',
      expect.anything(),
      [
        { cmd: 'incr', key: 'each', delta: 1 },
        { cmd: 'append', key: 'b', val: 'x' },
      ],
    ],
  ];

  for (const [title, query, response, body] of CHANGES) {
    test(`returns the answer again: ${title} [13.2]`, async () => {
      const key = newKey();
      const first = await send(service, query, key, body);
      expect(first).toEqual({ http: 200, replayed: false, error: null, response });
      expect(await send(service, query, key, body)).toEqual({ ...first, replayed: true });
      expect(await send(service, query, `"${key}"`, body)).toEqual({ ...first, replayed: true });
    });
  }

  test('changes nothing again', async () => {
    const found = await Promise.all([
      service.command('cmd=incr&key=hits&delta=0'),
      service.command('cmd=incr&key=atomic&delta=0'),
      service.command('cmd=incr&key=each&delta=0'),
      service.command('cmd=get&key=b'),
    ]);
    expect(found).toEqual([1, 1, 1, '1x']);
    expect(await service.command(sql('SELECT age FROM person'))).toMatchObject({ items: [[31]] });
  });

  test('rejects the key with another request, and executes nothing [13.3]', async () => {
    const key = newKey();
    expect(await send(service, 'cmd=put&key=c&val=1', key)).toMatchObject({ response: true });
    for (const query of [
      'cmd=put&key=c&val=2',
      'cmd=incr&key=c&delta=1',
      sql('DELETE FROM person'),
      'cmd=getorcreate&cacheName=c',
    ]) {
      expect(await send(service, query, key)).toMatchObject({
        http: 409,
        error: expect.stringContaining('The Idempotency-Key was used with a different request'),
      });
    }
    const batch = [{ cmd: 'put', key: 'c', val: '3' }];
    for (const query of ['cmd=batch', 'cmd=batch&atomic=true']) {
      expect(await send(service, query, key, batch)).toMatchObject({ http: 409 });
    }
    expect(await service.command('cmd=get&key=c')).toBe('1');
  });

  test('rejects a value of another JSON type with the same text', async () => {
    const put = async (key: string, val: unknown, path = '') => {
      const command = { cmd: 'put', key: 'typed', val };
      const answer = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(path === '' ? command : [command]),
      });
      await answer.body?.cancel();
      return answer.status;
    };
    for (const path of ['', '/batch', '/batch?atomic=true']) {
      const key = newKey();
      expect([path, await put(key, 5, path), await put(key, '5', path), await put(key, 5, path)]).toEqual([
        path,
        ...[200, 409, 200],
      ]);
      expect((await send(service, 'cmd=put&key=typed&val=5', key)).http).toBe(409);
      expect(await service.command('cmd=get&key=typed')).toBe(5);
    }
  });

  test('rejects a batch with the key of another one as a whole, even if only reads have used the key', async () => {
    await service.command('cmd=put&key=d&val=1');
    const reads = [{ cmd: 'get', key: 'd' }];
    const changes = [
      { cmd: 'put', key: 'd', val: '2' },
      { cmd: 'incr', key: 'whole', delta: 1 },
    ];
    for (const query of ['cmd=batch', 'cmd=batch&stopOnError=true']) {
      const key = newKey();
      expect(await send(service, query, key, reads)).toMatchObject({ http: 200 });
      expect(await send(service, query, key, changes)).toMatchObject({ http: 409, response: null });
    }
    expect(await service.command('cmd=get&key=d')).toBe('1');
    expect(await service.command('cmd=incr&key=whole&delta=0')).toBe(0);
  });

  test('executes one of different batches with the same key that arrive together', async () => {
    for (let round = 0; round < 20; round++) {
      const key = newKey();
      // The one that reads first has no change with the index of the other's.
      const batches = [
        [{ cmd: 'put', key: `r${round}`, val: 'a' }],
        [
          { cmd: 'get', key: 'b' },
          { cmd: 'put', key: `r${round}`, val: 'b' },
        ],
      ];
      const sent = round % 2 === 0 ? batches : batches.toReversed();
      const answers = await Promise.all(sent.map((batch) => send(service, 'cmd=batch', key, batch)));
      expect(answers.map(({ http }) => http).toSorted()).toEqual([200, 409]);
      const made = sent[answers.findIndex(({ http }) => http === 200)]?.at(-1);
      expect(await service.command(`cmd=get&key=r${round}`)).toBe(Object(made).val);
    }
  });

  test('stores the key of a batch of changes in the commit of the changes', async () => {
    const commits = async (): Promise<number> => {
      const page = await (await fetch(new URL('/metrics', service.url))).text();
      return Number(/^svc_commit_duration_seconds_count (\d+)$/m.exec(page)?.[1]);
    };
    const batch = Array.from({ length: 10 }, (_, at) => ({ cmd: 'put', key: `s${at}`, val: '1' }));
    let fewest = Number.POSITIVE_INFINITY;
    // The service may commit on its own in the meantime.
    for (let attempt = 0; attempt < 5 && fewest > 1; attempt++) {
      const before = await commits();
      await send(service, 'cmd=batch', newKey(), batch);
      fewest = Math.min(fewest, (await commits()) - before);
    }
    expect(fewest).toBe(1);
  });

  test('executes a request with 20 concurrent retries once', async () => {
    const key = newKey();
    const requests = Array.from({ length: 20 }, () => send(service, 'cmd=incr&key=together&delta=1', key));
    const answers = await Promise.all(requests);
    expect(answers.map(({ response }) => response)).toEqual(answers.map(() => 1));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('rejects a concurrent retry of a transaction or definition, or answers it [13.5]', async () => {
    const body = Array.from({ length: 50 }, () => ({ cmd: 'incr', key: 'rivals', delta: 1 }));
    for (const [query, commands] of [
      ['cmd=batch&atomic=true', body],
      [sql('CREATE TABLE rivals (id INT PRIMARY KEY, a INT)'), undefined],
    ] as const) {
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(service, query, key, commands)));
      for (const { http, error } of answers) {
        // A busy machine rejects transactions that would wait for long.
        expect([200, 409, 503]).toContain(http);
        if (http === 409) expect(error).toContain('is still running');
      }
      let last = await send(service, query, key, commands);
      await until('the request is answered', async () => {
        if (last.http === 200) return true;
        last = await send(service, query, key, commands);
        return false;
      });
      expect([...answers, last].filter(({ http, replayed }) => http === 200 && !replayed)).toHaveLength(1);
    }
    expect(await service.command('cmd=incr&key=rivals&delta=0')).toBe(50);
  });

  test('keeps no errors: the retry is executed [13.4]', async () => {
    const key = newKey();
    const query = 'cmd=put&cacheName=later&key=a&val=1';
    expect((await send(service, query, key)).error).toContain('Failed to find cache');
    await service.command('cmd=getorcreate&cacheName=later');
    expect(await send(service, query, key)).toMatchObject({ response: true, replayed: false });
    const definition = newKey();
    expect((await send(service, sql('DROP TABLE unknown'), definition)).error).not.toBeNull();
    expect((await send(service, sql('DROP TABLE unknown'), definition)).error).not.toContain('Idempotency-Key');
    const batch = [
      { cmd: 'incr', key: 'undone', delta: 1 },
      { cmd: 'cas', key: 'none', val: '1', val2: '2' },
    ];
    const atomic = newKey();
    for (let time = 0; time < 2; time++) {
      expect(await send(service, 'cmd=batch&atomic=true', atomic, batch)).toMatchObject({
        replayed: false,
        response: { command: 2, cmd: 'cas' },
      });
    }
    expect(await service.command('cmd=incr&key=undone&delta=0')).toBe(0);
  });

  test('continues a batch of which only some commands took effect [13.6]', async () => {
    const key = newKey();
    const batch = [
      { cmd: 'incr', key: 'parts', delta: 1 },
      { cmd: 'put', cacheName: 'partial', key: 'a', val: '1' },
    ];
    const first = await send(service, 'cmd=batch', key, batch);
    expect(first.response).toEqual([
      expect.objectContaining({ response: 1 }),
      expect.objectContaining({ error: expect.stringContaining('Failed to find cache') }),
    ]);
    await service.command('cmd=getorcreate&cacheName=partial');
    expect((await send(service, 'cmd=batch', key, batch)).response).toEqual([
      expect.objectContaining({ response: 1 }),
      expect.objectContaining({ response: true }),
    ]);
  });

  test('returns the answer after the cache is gone', async () => {
    const key = newKey();
    await service.command('cmd=getorcreate&cacheName=gone');
    await send(service, 'cmd=getput&cacheName=gone&key=a&val=1', key);
    await service.command('cmd=destcache&cacheName=gone');
    expect(await send(service, 'cmd=getput&cacheName=gone&key=a&val=1', key)).toMatchObject({ replayed: true });
  });

  test('rolls back a change whose result is too large to be kept [13.7]', async () => {
    await service.command(`cmd=put&key=large&val=${'x'.repeat(2_000)}`);
    const together = await Promise.all([
      send(service, 'cmd=getput&key=large&val=new', newKey()),
      send(service, 'cmd=incr&key=beside&delta=1', newKey()),
    ]);
    expect(together[0]?.error).toContain('Limit exceeded');
    expect(together[1]?.response).toBe(1);
    expect(await service.command('cmd=get&key=large')).toBe('x'.repeat(2_000));
  });

  const REJECTED: ReadonlyArray<
    readonly [title: string, query: string, key: string, text: string, headers?: Record<string, string>]
  > = [
    ['an import', 'cmd=import&cacheName=default', 'k', 'importId and offset', { 'content-type': 'text/csv' }],
    ['an empty key', 'cmd=put&key=a&val=1', '""', '1 to 255'],
    ['a long key', 'cmd=put&key=a&val=1', 'k'.repeat(256), '1 to 255'],
    ['a statement whose result would be CSV', sql('DELETE FROM person'), 'csv', 'kept as JSON', { accept: 'text/csv' }],
  ];
  for (const [title, query, key, text, headers] of REJECTED) {
    test(`rejects ${title} [13.1]`, async () => {
      const body = query.includes('import') ? [] : undefined;
      expect(await send(service, query, key, body, headers)).toMatchObject({
        http: 400,
        error: expect.stringContaining(text),
      });
    });
  }

  test('ignores the header for commands that only read [13.9]', async () => {
    const key = newKey();
    for (const query of ['cmd=get&key=b', sql('SELECT 1'), 'cmd=size&cacheName=default']) {
      expect(await send(service, query, key)).toMatchObject({ error: null, replayed: false });
    }
  });
});

test.each([1, 3_000])(
  'returns the answers after a restart, with %i keys',
  async (keys) => {
    const dataDir = newFolder();
    const batch = Array.from({ length: Math.min(keys, 1_000) }, () => ({ cmd: 'incr', key: 'n', delta: 1 }));
    try {
      await using first = await startService({ dataDir });
      for (let at = 0; at < keys; at += batch.length) await send(first, 'cmd=batch', `batch-${at}`, batch);
      expect(await send(first, 'cmd=incr&key=n&delta=1', 'one')).toMatchObject({ response: keys + 1 });
      await first.stop();
      await using second = await startService({ dataDir });
      const again = await send(second, 'cmd=incr&key=n&delta=1', 'one');
      expect(again).toMatchObject({ response: keys + 1, replayed: true });
      expect(await send(second, 'cmd=batch', 'batch-0', batch)).toMatchObject({ replayed: true });
      expect(await send(second, 'cmd=incr&key=n&delta=1', 'two')).toMatchObject({
        response: keys + 2,
        replayed: false,
      });
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  20_000,
);

test('a batch that a kill interrupts is made once, however often it is repeated', async () => {
  const dataDir = newFolder();
  const LENGTH = 40;
  const batch = Array.from({ length: LENGTH }, () => ({ cmd: 'incr', key: 'n', delta: 1 }));
  let batches = 0;
  try {
    for (let kill = 0; kill < 4; kill++) {
      await using service = await startService({ dataDir });
      const senders = Array.from({ length: 3 }, async (_, sender) => {
        for (let number = 0; ; number++) {
          const key = `kill-${kill}-${sender}-${number}`;
          const answer = await send(service, 'cmd=batch', key, batch).catch(() => undefined);
          batches++;
          if (answer === undefined) return key;
        }
      });
      await until('some batches are answered', () => batches > 30 * (kill + 1));
      await service.kill();
      const unanswered = await Promise.all(senders);
      await using next = await startService({ dataDir });
      for (const key of unanswered) {
        const { http, response } = await send(next, 'cmd=batch', key, batch);
        expect([http, response]).toEqual([200, batch.map(() => expect.objectContaining({ successStatus: 0 }))]);
        expect((await send(next, 'cmd=batch', key, batch)).response).toEqual(response);
        expect((await send(next, 'cmd=batch', key, batch.slice(1))).http).toBe(409);
      }
      expect(await next.command('cmd=incr&key=n&delta=0')).toBe(batches * LENGTH);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 120_000);

test('a request that a kill ended between its two commits is not executed again', async () => {
  const dataDir = newFolder();
  const folder = newFolder();
  const begun = join(folder, 'begun');
  writeFileSync(
    join(folder, 'endless.ts'),
    `import { appendFileSync } from 'node:fs';
     export default {
       map: (file) => [file],
       async job(file) { appendFileSync(file, 'x'); await new Promise((resolve) => setTimeout(resolve, 60_000)); },
       reduce: () => null,
     };`,
  );
  const config = join(folder, 'svc.config.ts');
  writeFileSync(config, `export default ${JSON.stringify({ tasks: { Endless: './endless.ts' } })};`);
  const exe = `cmd=exe&name=Endless&p1=${encodeURIComponent(begun)}`;
  const options = { dataDir, args: ['--config', config] };
  try {
    await using first = await startService(options);
    const lost = send(first, exe, 'lost').catch(() => undefined);
    await until('the task runs', () => existsSync(begun));
    expect(await send(first, exe, 'lost')).toMatchObject({
      http: 409,
      error: expect.stringContaining('is still running'),
    });
    await first.kill();
    await lost;
    await using second = await startService(options);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await send(second, exe, 'lost')).toMatchObject({
        http: 409,
        error: expect.stringContaining('its outcome is unknown: this request changed nothing'),
      });
    }
    expect(await send(second, `${exe}x`, 'lost')).toMatchObject({
      http: 409,
      error: expect.stringContaining('used with a different request'),
    });
    expect(readFileSync(begun, 'utf8')).toBe('x');
  } finally {
    for (const each of [dataDir, folder]) rmSync(each, { recursive: true, force: true });
  }
}, 60_000);

test('forgets keys after their time, and rejects further ones beyond the limit [13.8]', async () => {
  await using service = await startService({
    env: { SVC_IDEMPOTENCY_RETENTION_SECONDS: '1', SVC_LIMITS_IDEMPOTENCY_KEYS: '2' },
  });
  const incr = (key: string) => send(service, 'cmd=incr&key=n&delta=1', key);
  expect(await incr('a')).toMatchObject({ response: 1 });
  expect(await incr('b')).toMatchObject({ response: 2 });
  expect(await incr('c')).toMatchObject({
    http: 503,
    error: expect.stringContaining('Too many stored idempotency keys'),
  });
  await Bun.sleep(1_100);
  expect(await incr('a')).toMatchObject({ response: 3, replayed: false });
  expect(await incr('c')).toMatchObject({ response: 4, replayed: false });
}, 20_000);

test('a client that has all keys leaves a reserve to others', async () => {
  const dataDir = newFolder();
  const env = { SVC_LIMITS_IDEMPOTENCY_KEYS: '100', SVC_HTTP_TRUSTED_PROXIES: '127.0.0.1' };
  const incr = (service: ServiceProcess, key: string, address: string) =>
    send(service, 'cmd=incr&key=n&delta=1', key, undefined, { 'X-Forwarded-For': address });
  const full = { http: 503, error: expect.stringContaining('Too many stored idempotency keys') };
  try {
    await using first = await startService({ dataDir, env });
    for (let number = 1; number <= 100; number++) {
      expect(await incr(first, `a${number}`, '192.0.2.1')).toMatchObject({ response: number });
    }
    expect(await incr(first, 'b1', '192.0.2.1')).toMatchObject(full);
    expect(await incr(first, 'c1', '192.0.2.2')).toMatchObject({ response: 101 });
    expect(await incr(first, 'c2', '192.0.2.2')).toMatchObject({ response: 102 });
    expect(await incr(first, 'c3', '192.0.2.2')).toMatchObject(full);
    expect(await incr(first, 'a7', '192.0.2.1')).toMatchObject({ response: 7, replayed: true });
    await first.stop();
    await using second = await startService({ dataDir, env });
    expect(await incr(second, 'b1', '192.0.2.1')).toMatchObject(full);
    for (let number = 3; number <= 12; number++) {
      expect(await incr(second, `d${number}`, `192.0.2.${number}`)).toMatchObject({ response: 100 + number });
    }
    expect(await incr(second, 'e', '192.0.2.99')).toMatchObject(full);
    expect(await incr(second, 'a7', '192.0.2.1')).toMatchObject({ response: 7, replayed: true });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);
