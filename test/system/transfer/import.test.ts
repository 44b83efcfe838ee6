/** Imports over real sockets: streaming, interruptions, kills, rights, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { WORKERS } from '../modes.ts';
import { rawSocket } from '../raw-socket.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const CREATE = 'CREATE TABLE Person(id BIGINT PRIMARY KEY, name VARCHAR, amount DECIMAL(12, 2))';
const HEADER = 'id,name,amount\n';
const line = (id: number) => `${id},"Name, ${id}",${(id % 1000) / 100}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at)).join('');

interface Report {
  readonly state: string;
  readonly rows: number;
  readonly offset: number;
  readonly line: number;
}

const reportOf = ({ response }: Answer) => response as Report;

function run(service: ServiceProcess, qry: string): Promise<Answer> {
  return service.send(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));
}

async function count(service: ServiceProcess): Promise<unknown> {
  const { response } = await run(service, 'SELECT COUNT(*), SUM(id) FROM Person');
  return (response as { items: unknown[] }).items[0];
}

function send(
  service: ServiceProcess,
  parameters: Readonly<Record<string, string | number>>,
  body: string | Uint8Array | ReadableStream<Uint8Array>,
  type = 'text/csv',
): Promise<Answer> {
  const headers = { 'Content-Type': type };
  return service.send(queryOf({ cmd: 'import', ...parameters }), { method: 'POST', headers, body });
}

/** Yields `parts` bodies of `rows` rows each. */
function rowStream(parts: number, rows: number): ReadableStream<Uint8Array> {
  let part = 0;
  return new ReadableStream({
    pull(controller) {
      if (part === 0) controller.enqueue(Buffer.from(HEADER));
      if (part === parts) controller.close();
      else controller.enqueue(Buffer.from(lines(part * rows, (part + 1) * rows)));
      part++;
    },
  });
}

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startService({ env: { SVC_WORKERS: workers } });
      await run(service, CREATE);
    }, 60_000);
    afterAll(() => service[Symbol.asyncDispose]());

    test('stores a body that is larger than any buffer', async () => {
      const { response, error } = await send(service, { table: 'person' }, rowStream(30, 5_000));
      expect(error).toBeNull();
      expect(response).toMatchObject({ state: 'done', rows: 150_000, rejected: 0, line: 150_001 });
      expect(await count(service)).toEqual([150_000, (150_000 * 149_999) / 2]);
    }, 60_000);

    const REQUESTS: ReadonlyArray<
      readonly [title: string, parameters: Record<string, string>, body: string, type: string, error: string]
    > = [
      ['neither table nor cache', {}, 'id\n', 'text/csv', 'Send either table or cacheName'],
      ['an unknown table', { table: 'x' }, 'id\n', 'text/csv', 'There is no table x'],
      ['another media type', { table: 'person' }, 'id\n', 'text/plain', 'send format=csv or format=ndjson'],
      ['a form', { table: 'person' }, 'id\n', 'application/x-www-form-urlencoded', 'The rows are missing'],
      ['a JSON object', { table: 'person' }, '{"id":9,"name":"x"}', 'application/json', 'application/x-ndjson'],
      ['a JSON array', { table: 'person' }, '[{"id":9}]', 'application/json;charset=utf-8', 'application/x-ndjson'],
      ['an unknown column', { table: 'person' }, 'id,x\n', 'text/csv', 'There is no column "x"'],
      ['a wrong value', { table: 'person' }, 'id\nx\n', 'text/csv', 'Line 2 was rejected: column ID'],
      ['a wrong delimiter', { table: 'person', delimiter: ';;' }, 'id\n', 'text/csv', 'delimiter must be one'],
      ['a wrong choice', { table: 'person', onError: 'x' }, 'id\n', 'text/csv', 'onError must be stop or skip'],
      ['a wrong id', { table: 'person', importId: 'a b' }, 'id\n', 'text/csv', 'importId must be'],
      [
        'an atomic import with an id',
        { table: 'person', atomic: 'true', importId: 'a' },
        'id\n',
        'text/csv',
        'importId',
      ],
      ['a wrong position', { table: 'person', offset: '-1' }, 'id\n', 'text/csv', 'offset must be'],
    ];
    for (const [title, parameters, body, type, error] of REQUESTS) {
      test(`rejects ${title}`, async () => {
        const answer = await send(service, parameters, body, type);
        expect(answer.error).toContain(error);
        expect(answer.successStatus).toBe(1);
      });
    }

    test('rejects a request without a body', async () => {
      expect((await service.send('cmd=import&table=person')).error).toContain('The rows are missing');
    });

    test('format beats the media type, and NDJSON is accepted', async () => {
      const ndjson = '{"id":1000000,"amount":1.5}\n';
      const answer = await send(service, { table: 'person', format: 'ndjson' }, ndjson, 'text/plain');
      expect(reportOf(answer).rows).toBe(1);
      const again = await send(service, { table: 'person', onDuplicate: 'replace' }, ndjson, 'application/x-ndjson');
      expect(reportOf(again).rows).toBe(1);
    });

    test('answers an error before the body is complete, and closes', async () => {
      const socket = await rawSocket(service.port);
      await socket.send(
        'POST /svc?cmd=import&table=nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\nid\n',
      );
      await socket.until((received) => received.includes('There is no table'));
      expect(socket.received()).toContain('Connection: close');
      socket.end();
    });

    test('keeps what was stored when the client leaves, and continues', async () => {
      const parameters = { table: 'person', importId: `left-${workers}` };
      const source = Buffer.from(HEADER + lines(2_000_000, 2_050_000));
      const socket = await rawSocket(service.port);
      await socket.send(
        `POST /svc?${queryOf({ cmd: 'import', ...parameters })} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n` +
          `Content-Length: ${source.length}\r\n\r\n`,
      );
      await socket.send(source.subarray(0, source.length / 2));
      const state = () => service.send(queryOf({ cmd: 'importstate', importId: parameters.importId }));
      for (let tries = 0; (await state()).error !== null && tries < 200; tries++) await Bun.sleep(10);
      const twice = await send(service, parameters, source);
      expect(twice.error).toContain('Another request is running this import');
      socket.end();
      let answer = await send(service, parameters, source);
      for (let tries = 0; answer.error?.includes('Another request') && tries < 100; tries++) {
        await Bun.sleep(20);
        answer = await send(service, parameters, source);
      }
      expect(answer.error).toBeNull();
      expect(reportOf(answer)).toMatchObject({ state: 'done', rows: 50_000, offset: source.length });
      expect((await state()).response).toEqual(answer.response);
      const found = await run(service, 'SELECT COUNT(*), SUM(id) FROM Person WHERE id >= 2000000');
      expect((found.response as { items: unknown[] }).items).toEqual([[50_000, 50_000 * 2_024_999.5]]);
    }, 60_000);
  });
}

test('a batch runs beside an import', async () => {
  await using service = await startService();
  await run(service, CREATE);
  let last: Answer | undefined;
  const importing = send(service, { table: 'person' }, rowStream(20, 5_000)).then((answer) => {
    last = answer;
  });
  let batches = 0;
  for (; last === undefined; batches++) {
    const commands = JSON.stringify([
      { cmd: 'incr', key: 'c', init: 0, delta: 1 },
      { cmd: 'put', key: 'n', val: String(batches) },
      { cmd: 'qryfldexe', pageSize: 1, qry: `INSERT INTO Person(id) VALUES(${-1 - batches})` },
    ]);
    const headers = { 'Content-Type': 'application/json' };
    const body = `{"cmd":"batch","commands":${commands}}`;
    const answer = await service.send('', { method: 'POST', headers, body });
    expect(answer.error).toBeNull();
    const errors = (answer.response as Array<{ error: string | null }>).map(({ error }) => error);
    expect(errors).toEqual([null, null, null]);
  }
  await importing;
  expect(last.error).toBeNull();
  expect(batches).toBeGreaterThan(1);
  expect(await count(service)).toEqual([100_000 + batches, (100_000 * 99_999) / 2 - (batches * (batches + 1)) / 2]);
  expect(await service.command('cmd=get&key=n')).toBe(String(batches - 1));
}, 60_000);

test('an atomic import that kill -9 or its client interrupts leaves nothing', async () => {
  const dataDir = join(newFolder(), 'data');
  const port = freePort();
  const source = HEADER + lines(0, 60_000);
  let service = await startService({ dataDir, port });
  try {
    await run(service, CREATE);
    const sending = send(service, { table: 'person', atomic: 'true' }, source).catch(() => undefined);
    await Bun.sleep(150);
    await service.kill();
    await sending;
    service = await startService({ dataDir, port });
    expect(await count(service)).toEqual([0, null]);
    const socket = await rawSocket(service.port);
    await socket.send(
      `POST /svc?cmd=import&table=person&atomic=true HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${source.length}\r\n\r\n${source.slice(0, source.length / 2)}`,
    );
    await Bun.sleep(50);
    socket.end();
    expect(await count(service)).toEqual([0, null]);
    const answer = await send(service, { table: 'person', atomic: 'true' }, source);
    expect(reportOf(answer)).toMatchObject({ state: 'done', rows: 60_000 });
    expect(await count(service)).toEqual([60_000, (60_000 * 59_999) / 2]);
    // The swapped table is the one that is stored.
    await service.kill();
    service = await startService({ dataDir, port });
    expect(await count(service)).toEqual([60_000, (60_000 * 59_999) / 2]);
  } finally {
    await service[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);

describe('rights', () => {
  const folder = newFolder();
  let service: ServiceProcess;
  const tokens = new Map<string, string>();
  const CONFIGURATION = `export default {
    users: [{ name: 'ann', password: 'ann' }, { name: 'bob', password: 'bob' }],
    permissions: {
      roles: { shop: { caches: { 'SQL_PUBLIC_SHOP*': 'write' } }, reader: { caches: { '*': 'read' } } },
      users: { ann: ['shop'], bob: ['reader'] },
    },
  };`;

  beforeAll(async () => {
    const config = join(folder, 'svc.config.ts');
    writeFileSync(config, CONFIGURATION);
    const env = { SVC_CONFIG: config, SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'svc' };
    service = await startService({ dataDir: join(folder, 'data'), env });
    for (const user of ['svc', 'ann', 'bob']) {
      const login = queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': user });
      tokens.set(user, (await service.send(login)).sessionToken ?? '');
    }
    for (const name of ['Shop', 'Salaries']) {
      const qry = `CREATE TABLE ${name}(id INT PRIMARY KEY, v INT)`;
      await service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: tokens.get('svc') ?? '' }));
    }
  }, 60_000);
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const RIGHTS: ReadonlyArray<readonly [user: string, parameters: Record<string, string>, error: string | null]> = [
    ['ann', { table: 'shop' }, null],
    ['ann', { table: 'PUBLIC.SHOP', onDuplicate: 'skip' }, null],
    ['ann', { table: 'salaries' }, 'put on table salaries or cache *'],
    ['ann', { table: 'nothing' }, 'put on table nothing or cache *'],
    ['ann', { cacheName: 'default' }, 'put on cache default'],
    ['bob', { table: 'shop' }, 'put on table shop or cache *'],
    ['svc', { table: 'salaries' }, null],
    ['ann', { table: 'shop', create: 'true' }, 'read, put, remove, create, destroy on cache *'],
    ['ann', { table: 'shop', dryRun: 'true' }, null],
    ['ann', { table: 'nothing', dryRun: 'true' }, 'put on table nothing or cache *'],
    ['svc', { table: 'fresh', create: 'true' }, null],
  ];
  for (const [user, parameters, error] of RIGHTS) {
    test(`${user}: ${queryOf(parameters)} ${error === null ? 'is allowed' : 'is rejected'}`, async () => {
      const answer = await send(service, { ...parameters, sessionToken: tokens.get(user) ?? '' }, 'id,v\n1,1\n');
      if (error === null) expect(answer.error).toBeNull();
      else expect(answer.error).toContain(error);
    });
  }

  test('the audit log has the imports that may create a table, and no others', async () => {
    let imports: readonly string[] = [];
    await until('the log is written', async () => {
      const lines = await Bun.file(join(service.dataDir, 'log', 'audit.log')).text();
      imports = lines.split('\n').filter((each) => each.includes('"command":"import"'));
      return imports.length > 0;
    });
    expect(imports).toEqual([expect.stringMatching(/"user":"svc".*"table":"fresh".*"create":"true"/)]);
  });

  test('a sender who is not known is not asked for the body', async () => {
    const socket = await rawSocket(service.port);
    await socket.send(
      'POST /svc?cmd=import&table=shop HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n' +
        'Expect: 100-continue\r\n\r\n',
    );
    await socket.until((received) => received.includes('"successStatus":2'));
    expect(socket.received()).not.toContain('100 Continue');
    socket.end();
  });
});
