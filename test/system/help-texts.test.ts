/** What a newcomer sees over sockets: the texts for first mistakes, and an orchestrator's probes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from './service-process.ts';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService({ env: { SVC_WORKERS: '2' } });
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

async function errorOf(path: string, init?: RequestInit): Promise<[status: number, error: string]> {
  const response = await fetch(`${service.origin}${path}`, init);
  return [response.status, ((await response.json()) as { error: string }).error];
}

const EXAMPLE =
  'For example: /svc?cmd=version, or the JSON body {"cmd":"version"} with Content-Type: application/json.';
const MISSING = 'Failed to find mandatory parameter in request: cmd. ';

test('a path without a page says where commands are sent [1.3, 4.2]', async () => {
  expect(await errorOf('/other')).toEqual([404, 'Not found, commands are sent to /svc, for example /svc?cmd=version']);
});

test('a path that other services have says where the same is', async () => {
  for (const path of ['/health', '/healthz', '/ready'])
    expect(await errorOf(path)).toEqual([404, 'Not found, the state is at /health/live and /health/ready']);
  for (const path of ['/metrics/', '/prometheus', '/svc/actuator/prometheus'])
    expect(await errorOf(path)).toEqual([404, 'Not found, the metrics are at /metrics']);
  expect(await errorOf('/svc/health/live')).toEqual([404, 'Not found, the state is at /health/live and /health/ready']);
  expect(await errorOf('/mcp/')).toEqual([404, 'Not found, the tools for language models are at /mcp']);
  expect(await errorOf('/caches/default/entries/a')).toEqual([
    404,
    'Not found, entries are at /svc/caches/CACHE/entries/KEY, and rows at /svc/tables/TABLE/rows',
  ]);
  for (const [name, place] of [
    ['metrics', 'The metrics are at /metrics'],
    ['openapi.json', 'The description of the interface is at /docs and /openapi.json'],
    ['console', 'The console is at /console'],
    ['mcp', 'The tools for language models are at /mcp'],
  ] as const) {
    const text = (await errorOf(`/svc/${name}`)).at(1);
    expect(text).toStartWith(`Unknown command: ${name}.`);
    expect(text).toEndWith(`${place}, not below the path of commands.`);
  }
  const description = 'the description of the interface is at /docs and /openapi.json';
  expect(await errorOf('/swagger/index.html')).toEqual([404, `Not found, ${description}`]);
});

test('no error leads to a page that is switched off', async () => {
  const env = { SVC_HTTP_CONSOLE: 'off', SVC_HTTP_MCP: 'false' };
  await using without = await startService({ env });
  for (const path of ['/sse', '/mcp', '/console', '/svc/mcp', '/svc/console', '/docs', '/swagger', '/svc/docs']) {
    const answer = await fetch(`${without.origin}${path}`);
    expect([path, await answer.text()]).toEqual([path, expect.not.stringMatching(/(?<!svc)\/(?:mcp|console|docs)\b/)]);
  }
}, 60_000);

test('an incomplete address of a resource says how addresses are written', async () => {
  for (const path of ['/svc/caches', '/svc/caches/default', '/svc/tables', '/svc/tables/city']) {
    const response = await fetch(`${service.origin}${path}`);
    expect([path, await response.json()]).toEqual([
      path,
      expect.objectContaining({
        code: 'PATH_NOT_FOUND',
        message:
          'Not found, entries are at /svc/caches/CACHE/entries and /svc/caches/CACHE/entries/KEY, and rows at ' +
          '/svc/tables/TABLE/rows. The command cachelist lists caches, SELECT * FROM SYS.TABLES lists tables',
      }),
    ]);
  }
});

test('a path like that of a resource says how addresses are written', async () => {
  const places = 'entries are at /svc/caches/CACHE/entries/KEY, and rows at /svc/tables/TABLE/rows';
  for (const path of ['/svc/cache/default/entries/a', '/svc/table/city/rows', '/rest/v1/city']) {
    expect([path, await errorOf(path)]).toEqual([path, [404, `Not found, ${places}`]]);
  }
});

test('the endpoint without a command gives an example', async () => {
  expect(await errorOf('/svc')).toEqual([400, MISSING + EXAMPLE]);
  expect(await errorOf('/svc?cmd=')).toEqual([400, MISSING + EXAMPLE]);
});

test('a JSON body without its content type is said not to have been read', async () => {
  const body = '{"cmd":"version"}';
  const types: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [{ 'Content-Type': 'text/plain' }, 'text/plain'],
    [{ 'Content-Type': '' }, 'missing'],
  ];
  for (const [headers, type] of types) {
    const [status, error] = await errorOf('/svc', { method: 'POST', headers, body: new TextEncoder().encode(body) });
    expect([status, error]).toEqual([
      400,
      `${MISSING}The body was not read: its Content-Type is ${type}, not application/json or application/x-www-form-urlencoded.`,
    ]);
  }
  const [, put] = await errorOf('/svc?cmd=put', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body });
  expect(put).toContain('in request: key. The body was not read: its Content-Type is text/plain');
});

test('a misspelt parameter destroys nothing', async () => {
  expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
  const { error } = await service.send('cmd=destcache&cachename=other');
  expect(error).toBe('Unknown parameter "cachename". Did you mean "cacheName"?');
  expect(await service.command('cmd=get&key=a')).toBe('1');
});

test('a harmless undeclared parameter is ignored, counted and logged once', async () => {
  for (let each = 0; each < 20; each++) expect(await service.command('cmd=state&_=1732243972')).toBe('ACTIVE');
  const readCount = async () =>
    Number(/^svc_ignored_parameters_total (\d+)$/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1]);
  expect(await readCount()).toBe(20);
  const lines = (await service.command('cmd=log&lines=1000')) as string[];
  const found = lines.filter((line) => line.includes('A parameter was ignored') && line.includes('"_"'));
  // Once for each thread that has seen it.
  expect(found.length).toBeGreaterThanOrEqual(1);
  expect(found.length).toBeLessThanOrEqual(2);
});

test('a draining service is not ready on any thread, and keeps answering', async () => {
  const statuses = async (path: string) =>
    Promise.all(Array.from({ length: 8 }, async () => (await fetch(`${service.origin}${path}`)).status));
  const each = (status: number) => Array.from({ length: 8 }, () => status);
  expect(await service.command('cmd=drain&action=start')).toEqual({ draining: true });
  expect(await statuses('/svc?cmd=probe&kind=readiness')).toEqual(each(503));
  expect(await statuses('/health/ready')).toEqual(each(503));
  expect(await statuses('/svc?cmd=probe')).toEqual(each(200));
  expect(await statuses('/svc?cmd=get&key=a')).toEqual(each(200));
  expect(await service.command('cmd=drain&action=stop')).toEqual({ draining: false });
  expect(await statuses('/svc?cmd=probe&kind=readiness')).toEqual(each(200));
  expect(await statuses('/health/ready')).toEqual(each(200));
});
