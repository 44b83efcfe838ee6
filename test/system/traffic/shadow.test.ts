/** Shadow mode: a service that sends its reads to a second one, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

let second: ServiceProcess;
let first: ServiceProcess;

beforeAll(async () => {
  second = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw', SVC_NAME: 'ignite' } });
  first = await startService({
    env: {
      SVC_SHADOW: second.url,
      SVC_SHADOW_SAMPLE_PERCENT: '100',
      SVC_SHADOW_TIMEOUT_MS: '60000',
      SVC_SHADOW_USER: 'ignite',
      SVC_SHADOW_PASSWORD: 'pw',
    },
  });
}, 60_000);
afterAll(async () => {
  await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
});

const inSecond = (query: string) => second.command(`${query}&ignite.login=ignite&ignite.password=pw`);

/** Returns the number of reads by result. */
async function results(of: ServiceProcess): Promise<Record<string, number>> {
  const page = await (await fetch(new URL('/metrics', of.url))).text();
  const found = page.matchAll(/^svc_shadow_reads_total\{result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, result = '', count]) => [result, Number(count)]));
}

/** Executes a request and waits until its comparison has been counted. */
async function compared(of: ServiceProcess, query: string): Promise<Record<string, number>> {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, each) => total + each, 0);
  const before = await results(of);
  await of.send(query);
  let after = before;
  await until('the comparison is counted', async () => {
    after = await results(of);
    return sum(after) > sum(before);
  });
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) =>
      count === before[name] ? [] : [[name, count - (before[name] ?? 0)]],
    ),
  );
}

/** Reads that are compared, with the result. Both services have the entry 1; the entry 2 differs. */
const READS: ReadonlyArray<readonly [query: string, result: string]> = [
  ['cmd=get&key=1', 'equal'],
  ['cmd=get&key=2', 'response'],
  ['cmd=version', 'equal'],
  [queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'select x from system_range(1, 3)' }), 'equal'],
];

describe('reads', () => {
  beforeAll(async () => {
    for (const query of ['cmd=put&key=1&val=a', 'cmd=put&key=2&val=']) {
      await first.command(`${query}${query.endsWith('=') ? 'b' : ''}`);
      await inSecond(`${query}${query.endsWith('=') ? 'c' : ''}`);
    }
  });

  for (const [query, result] of READS) {
    test(`${query}: ${result}`, async () => {
      expect(await compared(first, query)).toEqual({ [result]: 1 });
    });
  }

  test('cursors that they open in the second service are closed there', async () => {
    const { items } = (await inSecond(
      queryOf({
        cmd: 'qryfldexe',
        pageSize: 10,
        qry: "select count(*) from sys.sql_queries where sql like '%range(1, 3)%'",
      }),
    )) as { items: number[][] };
    // The statement itself is one of the running ones.
    expect(items[0]?.[0]).toBeLessThanOrEqual(1);
  });

  test('the log says where an answer differs, once and without values', async () => {
    await compared(first, 'cmd=get&key=2');
    const log = readFileSync(join(first.dataDir, 'log/svc.log'), 'utf8');
    const lines = log.split('\n').filter((line) => line.includes('An answer of the shadow service differs'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ command: 'get', kind: 'response', path: 'response' });
  });
});

test('writes, logins and statements that change rows are not sent', async () => {
  const before = await results(first);
  await first.command('cmd=put&key=mine&val=1');
  await first.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'create table mine(id int primary key, n int)' }));
  await first.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'insert into mine values (1, 2)' }));
  expect(await inSecond('cmd=get&key=mine')).toBeNull();
  expect(await results(first)).toEqual(before);
});

test('reads that fail are not sent', async () => {
  const received: Array<string | null> = [];
  const recorder = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push(new URLSearchParams(await request.text()).get('key'));
      return Response.json({ successStatus: 0, error: null, response: 'a', sessionToken: null });
    },
  });
  const configuration = {
    authentication: true,
    adminPassword: 'pw',
    users: [{ name: 'nora', password: 'pw-nora' }],
    permissions: { roles: { nothing: {} }, users: { nora: ['nothing'] } },
    shadow: { url: `http://127.0.0.1:${recorder.port}/svc`, samplePercent: 100, timeoutMs: 60_000 },
  };
  const file = join(newFolder(), 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(configuration)};`);
  try {
    await using guarded = await startService({ args: ['--config', file] });
    const login = 'svc.login=svc&svc.password=pw';
    await guarded.command(`cmd=put&key=1&val=a&${login}`);
    const { sessionToken } = await guarded.send('cmd=authenticate&svc.login=nora&svc.password=pw-nora');
    const rejected = [
      'cmd=get&key=anonymous',
      'cmd=get&key=password&svc.login=svc&svc.password=wrong',
      `cmd=get&key=token&sessionToken=${'0'.repeat(32)}`,
      `cmd=get&key=right&sessionToken=${sessionToken}`,
      `cmd=get&key=cache&cacheName=none&${login}`,
      `cmd=qryfldexe&key=statement&pageSize=1&qry=select+1+from+sys.tables&sessionToken=${sessionToken}`,
    ];
    for (const query of rejected) expect((await guarded.send(query)).successStatus).not.toBe(0);
    expect(await guarded.command(`cmd=get&key=1&${login}`)).toBe('a');
    await until('the read that succeeds is sent', async () => received.includes('1'));
    expect(received).toEqual(['1']);
  } finally {
    await recorder.stop(true);
  }
}, 60_000);

test('a second service that does not answer delays and fails nothing', async () => {
  await using alone = await startService({
    env: { SVC_SHADOW: `http://127.0.0.1:${freePort()}/svc`, SVC_SHADOW_SAMPLE_PERCENT: '100' },
  });
  await alone.command('cmd=put&key=1&val=a');
  expect(await compared(alone, 'cmd=get&key=1')).toEqual({ unanswered: 1 });
  expect(await alone.command('cmd=get&key=1')).toBe('a');
});

test('a sample of a quarter is every fourth read', async () => {
  await using sampled = await startService({ env: { SVC_SHADOW: second.url, SVC_SHADOW_SAMPLE_PERCENT: '25' } });
  for (let read = 0; read < 40; read++) await sampled.command('cmd=noop');
  await until('ten reads are compared', async () => {
    const counts = await results(sampled);
    return Object.values(counts).reduce((total, each) => total + each, 0) === 10;
  });
}, 60_000);
