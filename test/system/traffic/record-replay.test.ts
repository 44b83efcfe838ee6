/** `svc record`, `svc replay` and `svc report`: real processes against real services. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedProgram } from '../../ended-program.ts';
import { freePort } from '../../free-port.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

const folder = newFolder();
const recording = join(folder, 'requests.ndjson');
const root = join(import.meta.dir, '../../..');
let ignite: ServiceProcess;
let svc: ServiceProcess;
let recordedOutput = '';

const run = (args: readonly string[]): Promise<EndedProgram> => runSvcProcess(args, { cwd: folder });
const lines = () =>
  readFileSync(recording, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Sends requests through `svc record`, as clients of a service in mode `reference` would. */
async function recordRequests(): Promise<void> {
  const port = freePort();
  const proxy = Bun.spawn(
    [
      ...[join(root, 'node_modules/.bin/bun'), join(root, 'src/main.ts'), 'record', recording],
      ...['--url', ignite.url, '--port', String(port)],
    ],
    { cwd: folder, stdout: 'pipe', stderr: 'inherit' },
  );
  const output = proxy.stdout.text();
  try {
    const url = `http://127.0.0.1:${port}${new URL(ignite.url).pathname}`;
    const isUp = () =>
      fetch(`${url}?cmd=noop`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('svc record listens', isUp);
    const post = (type: string, body: string) =>
      fetch(url, { method: 'POST', headers: { 'content-type': type, authorization: 'Basic eDp5' }, body });
    const get = async (query: string): Promise<{ response: { queryId: number } }> =>
      (await fetch(`${url}?${query}`)).json() as Promise<{ response: { queryId: number } }>;
    await get('cmd=getorcreate&cacheName=people');
    await get('cmd=put&cacheName=people&key=1&val=Ann&svc.login=ann&svc.password=hidden');
    await get('cmd=get&cacheName=people&key=1');
    await get('cmd=getall&cacheName=people&k1=1&k3=3');
    await post('application/json', '{"cmd":"get","cacheName":"people","key":1,"keyType":"int"}');
    const qry = 'select x from system_range(1, 5)';
    const page = await get(queryOf({ cmd: 'qryfldexe', cacheName: 'people', pageSize: 2, qry }));
    await get(`cmd=qryfetch&pageSize=10&qryId=${page.response.queryId}`);
    await post('text/csv', 'a,b');
    await get('cmd=top');
    const user = 'CREATE USER "ann" WITH PASSWORD \'hidden\'';
    await get(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: user }));
    const statement = JSON.stringify({ cmd: 'qryfldexe', pageSize: '1', qry: user });
    await post('application/json', `[{"cmd":"adduser","user":"ann","password":"hidden"},${statement}]`);
  } finally {
    proxy.kill('SIGINT');
    await proxy.exited;
  }
  recordedOutput = await output;
}

beforeAll(async () => {
  [ignite, svc] = await Promise.all([startService({ env: { SVC_COMPATIBILITY: 'reference' } }), startService()]);
  await recordRequests();
}, 60_000);
afterAll(async () => {
  await Promise.all([ignite[Symbol.asyncDispose](), svc[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('a recording', () => {
  test('has a line for each request, with its answer and its client', () => {
    expect(recordedOutput).toMatch(
      /^recording on http:\/\/127\.0\.0\.1:\d+\/svc, forwarding to .*\n\d+ requests recorded\n$/,
    );
    const get = lines().find(({ target }) => target.includes('cmd=get&'));
    expect(get).toMatchObject({ method: 'GET', client: { address: '127.0.0.1' }, answer: { status: 200 } });
    expect(JSON.parse(get.answer.text).response).toBe('Ann');
  });

  test('has no secrets, and says which were there', () => {
    const text = readFileSync(recording, 'utf8');
    expect(text).not.toMatch(/hidden|eDp5/);
    expect(lines().find(({ target }) => target.includes('cmd=put')).removed).toEqual(['svc.login', 'svc.password']);
    expect(lines().find(({ body }) => body?.type === 'application/json').removed).toEqual(['authorization']);
    const incomplete = lines().filter(({ isIncomplete, removed }) => isIncomplete === true && removed.includes('qry'));
    expect(incomplete.map(({ answer }) => answer.text)).toEqual([undefined, undefined]);
  });

  test('belongs to its user alone', () => {
    expect(statSync(recording).mode & 0o777).toBe(0o600);
  });

  test('is not replaced', async () => {
    const { exitCode, errors } = await run(['record', recording, '--url', ignite.url]);
    expect([exitCode, errors]).toEqual([2, `svc: ${recording} exists; --append adds to it\n`]);
  });
});

describe('a replay', () => {
  test('against the recorded service finds no difference, and changes nothing', async () => {
    const { exitCode, output } = await run(['replay', recording, '--against', ignite.url, '--speed', '0', '--json']);
    const { commands, findings, skipped } = JSON.parse(output);
    expect({ exitCode, findings, skipped }).toEqual({
      exitCode: 0,
      findings: [],
      skipped: { write: 2, incomplete: 3 },
    });
    const fetched = commands.find(({ command }: { command: string }) => command === 'qryfetch');
    expect([fetched.sent, fetched.equal]).toEqual([1, 1]);
  });

  test('against two services names what differs between them', async () => {
    const args = ['replay', recording, '--against', ignite.url, '--and', svc.url, '--writes', '--speed', '0'];
    const { exitCode, output } = await run(args);
    expect(exitCode).toBe(1);
    expect(output).toContain(', 1 that only one side executed,');
    expect(output).toContain(
      '1 x getall (failure, error): success | Failed to find mandatory parameter in request: k2 (k3 is present)\n' +
        '  first: ?cmd=getall&cacheName=people&k1=1&k3=3\n',
    );
    expect(await svc.command('cmd=get&cacheName=people&key=1')).toBe('Ann');
  });

  test('keeps the pace of the recording', async () => {
    const { atMs } = lines().at(-1);
    const startMs = performance.now();
    const { exitCode } = await run(['replay', recording, '--against', ignite.url, '--speed', '0.5']);
    expect(exitCode).toBe(0);
    expect(performance.now() - startMs).toBeGreaterThan(atMs * 2);
  });

  test('reports a service that does not answer', async () => {
    const url = `http://127.0.0.1:${freePort()}/svc`;
    const { exitCode, output } = await run(['replay', recording, '--against', url, '--speed', '0']);
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining(` without answer of ${url}: no service answers at`),
    ]);
  });
});

test('a report shows what is in use and what svc would reject', async () => {
  const { exitCode, output } = await run(['report', recording, '--name', 'svc', '--json']);
  expect(exitCode).toBe(0);
  const report = JSON.parse(output);
  expect(report.types).toEqual([{ name: 'int', requests: 1 }]);
  expect(report.commands).toContainEqual({ name: 'get', requests: 2 });
  expect(report.rejections).toContainEqual({
    command: 'getall',
    error: 'Failed to find mandatory parameter in request: k2 (k3 is present)',
    requests: 1,
    executed: 1,
    isRestored: true,
    target: '?cmd=getall&cacheName=people&k1=1&k3=3',
  });
  expect((await run(['report', recording])).output).toContain('What a switch would change');
});

/** Arguments and the error, which names the argument. */
const MISTAKES: ReadonlyArray<readonly [args: readonly string[], error: RegExp]> = [
  [['replay', 'none.ndjson', '--against', 'localhost:1'], /^svc: there is no file .*none\.ndjson\n$/],
  [['replay', 'bad.ndjson', '--against', 'localhost:1'], /^svc: bad\.ndjson:2: it is not a request that svc record/],
  [['replay', 'bad.ndjson'], /required option '--against <url>'/],
  [['replay', 'bad.ndjson', '--against', 'localhost:1', '--speed', 'x'], /^svc: --speed: must be a number, not x\n$/],
  [['record', 'new.ndjson', '--port', '99999'], /^svc: --port: must be a whole number of at most 65535, not 99999\n$/],
];

describe('mistakes', () => {
  for (const [args, error] of MISTAKES) {
    test(args.join(' '), async () => {
      writeFileSync(join(folder, 'bad.ndjson'), '\n{}\n');
      const result = await run(args);
      expect([result.exitCode, result.output]).toEqual([2, '']);
      expect(result.errors).toMatch(error);
    });
  }
});
