/** Runs the configurations of docs/proxies.md: what clients and the service see through each proxy. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { mistakesIn, survive } from '../../client/survivors.ts';
import { blocksOf } from '../../documentation/shell.ts';
import { outputOf } from '../../ended-program.ts';
import { freePort } from '../../free-port.ts';
import { allowedMs } from '../machine.ts';
import { newFolder, type ServiceOptions, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';
import {
  HOST,
  PROXIES,
  PROXY_NAMES,
  type ProxyName,
  proxyProgram,
  type RunningProxy,
  startProxy,
} from './proxy-programs.ts';

setDefaultTimeout(600_000);
const RESTARTS = 20;
const IMPORT_BYTES = 64 * 1024 * 1024;
const CACHE = 'proxied';
const LONGER_THAN_LIMITS_MS = 130_000;
/** Not the address of the proxy. */
const CLIENT_ADDRESS = '127.0.0.9';

const programs = await Promise.all(PROXY_NAMES.map(async (name) => ({ name, program: await proxyProgram(name) })));
const runnable = programs.flatMap(({ name, program }) => ('missing' in program ? [] : [{ name, program }]));
for (const { name, program } of programs) if ('missing' in program) test.skip(`${name} (${program.missing})`, () => {});

/** Returns the variables of a line of the page that starts the service. */
function startOf(line: string): Readonly<Record<string, string>> {
  const page = readFileSync(join(import.meta.dir, '../../../docs/proxies.md'), 'utf8');
  const text = blocksOf(page).find(({ language, text }) => language === 'sh' && text.includes(line))?.text ?? '';
  return Object.fromEntries([...text.matchAll(/(SVC_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}
const BEHIND = startOf('SVC_HTTP_TRUSTED_PROXIES=127.0.0.1 npm start');
const WITH_PROXY_PROTOCOL = startOf('SVC_HTTP_PROXY_PROTOCOL=true');

/** Sends a request from CLIENT_ADDRESS on a new connection. */
function curl({ port, authorityFile }: RunningProxy, path: string, ...args: readonly string[]): Promise<string> {
  const place = ['--interface', CLIENT_ADDRESS, '--resolve', `${HOST}:${port}:127.0.0.1`, '--cacert', authorityFile];
  return outputOf(['curl', '--silent', '--show-error', ...args, ...place, `https://${HOST}:${port}${path}`]);
}

/** Returns the address in the audit log of the client that created a cache. */
async function auditedAddress(service: ServiceProcess, cacheName: string): Promise<unknown> {
  const lines = () => readFileSync(join(service.dataDir, 'log/audit.log'), 'utf8').split('\n');
  let found: string | undefined;
  await until(`the audit log has ${cacheName}`, () => {
    found = lines().find((line) => line.includes(`"${cacheName}"`));
    return found !== undefined;
  });
  return JSON.parse(found ?? '{}').address;
}

/** Yields the events of a feed, with the time at which each arrived. */
async function* eventsOf(proxy: RunningProxy, query: string) {
  const { body } = await proxy.fetch(`${proxy.url}/watch?cacheName=${CACHE}${query}`);
  let rest = '';
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as { readonly event: string; readonly key?: string };
  }
}

function startBehind(env: Readonly<Record<string, string>>, options: ServiceOptions = {}): Promise<ServiceProcess> {
  return startService({ ...options, env: { ...env, SVC_WORKERS: '1' } });
}

test('no change is lost or repeated through a proxy while the service restarts 20 times', async () => {
  const at = { dataDir: newFolder(), port: freePort() };
  let service = await startBehind(BEHIND, at);
  await service.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
  await using stack = new AsyncDisposableStack();
  const names = runnable.map(({ name }) => name);
  const reconnections = new Map<string, number>();
  const waiting = new Set<string>();
  const untilAllRead = async () => {
    for (const name of names) waiting.add(name);
    await until('every reader has read a change', () => waiting.size === 0, 120_000);
  };
  const readers: Promise<readonly string[]>[] = [];
  for (const { name, program } of runnable) {
    const proxy = stack.use(await startProxy(name, program, at.port));
    const onReconnect = () => reconnections.set(name, (reconnections.get(name) ?? 0) + 1);
    const onChange = () => waiting.delete(name);
    readers.push(survive(proxy.url, CACHE, name, names, { fetch: proxy.fetch, onReconnect, onChange }));
  }
  for (let restart = 0; restart < RESTARTS; restart++) {
    await Promise.race([untilAllRead(), ...readers]);
    expect(await service.stop()).toBe(0);
    await Bun.sleep(1_000 + (restart % 2) * 1_000);
    service = await startBehind(BEHIND, at);
  }
  await using _ = service;
  await service.command(`cmd=put&cacheName=${CACHE}&key=stop&val=1`);
  for (const seen of await Promise.all(readers)) expect(mistakesIn(seen, names)).toEqual([]);
  // Once for each restart, however often a reader tries.
  expect(Object.fromEntries(reconnections)).toEqual(Object.fromEntries(names.map((name) => [name, RESTARTS])));
});

test('a silent feed lasts longer than the time limits of the proxies, by the heartbeats of the default', async () => {
  await using service = await startBehind(BEHIND);
  await service.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
  const followed = runnable.map(async ({ name, program }) => {
    await using proxy = await startProxy(name, program, service.port);
    const events: string[] = [];
    for await (const { event } of eventsOf(proxy, '')) {
      events.push(event);
      if (event === 'change') break;
    }
    return events;
  });
  await Bun.sleep(LONGER_THAN_LIMITS_MS);
  await service.command(`cmd=put&cacheName=${CACHE}&key=late&val=1`);
  for (const events of await Promise.all(followed)) {
    expect([events[0], events.at(-1)]).toEqual(['open', 'change']);
    expect(events.slice(1, -1).every((event) => event === 'heartbeat')).toBe(true);
  }
});

describe.each(runnable)('$name', ({ name, program }) => {
  test('passes the first line of a feed at once, each change, and heartbeats', async () => {
    await using service = await startBehind(BEHIND);
    await service.command(`cmd=getorcreate&cacheName=${CACHE}&changeFeed=true`);
    await using proxy = await startProxy(name, program, service.port);
    const startedMs = performance.now();
    const events: string[] = [];
    for await (const { event, key } of eventsOf(proxy, '&heartbeatMs=1000')) {
      events.push(event);
      if (events.length === 1) {
        expect(performance.now() - startedMs).toBeLessThan(allowedMs(900));
        await service.command(`cmd=put&cacheName=${CACHE}&key=a&val=1`);
      }
      if (event === 'change') expect(key).toBe('a');
      if (events.filter((each) => each === 'heartbeat').length === 3) break;
    }
    expect(events).toEqual(['open', 'change', 'heartbeat', 'heartbeat', 'heartbeat']);
  });

  test('passes an import of 64 MiB on', async () => {
    await using service = await startBehind(BEHIND);
    await using proxy = await startProxy(name, program, service.port);
    const rows: string[] = [];
    for (let bytes = 0; bytes < IMPORT_BYTES; bytes += rows.at(-1)?.length ?? 0)
      rows.push(`${JSON.stringify({ id: rows.length, text: 'x'.repeat(4_000) })}\n`);
    const answer = await proxy.fetch(`${proxy.url}/import?format=ndjson&table=big&create=true&httpStatus=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.join(''),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { response: { rows: rows.length } }]);
  });

  test('uses its connections again, and passes the name of the host on', async () => {
    const [ports, hosts] = [new Set<number | undefined>(), new Set<string | undefined>()];
    const upstream = createServer((request, response) => {
      if (request.url?.startsWith('/svc/get') === true) {
        ports.add(request.socket.remotePort);
        hosts.add(request.headers.host);
      }
      response.end('{}');
    });
    const port = freePort();
    await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
    try {
      await using proxy = await startProxy(name, program, port);
      for (let at = 0; at < 20; at++) await (await proxy.fetch(`${proxy.url}/get?key=a`)).text();
      expect([...hosts]).toEqual([HOST]);
      expect(ports.size).toBeLessThanOrEqual(2);
    } finally {
      upstream.close();
      upstream.closeAllConnections();
    }
  });

  test('repeats a request after a broken connection only where the page says so', async () => {
    const seen: string[] = [];
    const upstream = createServer(({ url, method, socket }, response) => {
      if (url?.startsWith('/svc/incr') !== true) return response.end('{}');
      seen.push(`${method}`);
      return socket.destroy();
    });
    const port = freePort();
    await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
    try {
      await using proxy = await startProxy(name, program, port);
      for (const method of ['POST', 'GET']) {
        // The next request finds a kept-alive connection.
        await curl(proxy, '/svc/version');
        const status = ['--output', '/dev/null', '--write-out', '%{http_code}'];
        const failed = await curl(proxy, '/svc/incr?key=a', '--request', method, ...status).catch(() => 'closed');
        expect(['502', 'closed']).toContain(failed);
      }
      const repeats = name === 'caddy' || name === 'traefik';
      expect(seen).toEqual(['POST', 'GET', ...(repeats ? ['GET'] : [])]);
    } finally {
      upstream.close();
      upstream.closeAllConnections();
    }
  });

  test('reports the address of a client, which the audit log has', async () => {
    await using service = await startBehind(BEHIND);
    await using proxy = await startProxy(name, program, service.port);
    await curl(proxy, '/svc?cmd=getorcreate&cacheName=byHeader', '--fail');
    expect(await auditedAddress(service, 'byHeader')).toBe(CLIENT_ADDRESS);
  });

  if ('withProxyProtocol' in PROXIES[name as ProxyName])
    test('reports it with the PROXY protocol, also on connections that are used again', async () => {
      await using service = await startBehind(WITH_PROXY_PROTOCOL);
      await using proxy = await startProxy(name, program, service.port, true);
      for (const cacheName of ['first', 'second']) {
        await curl(proxy, `/svc?cmd=getorcreate&cacheName=${cacheName}`, '--fail');
        expect(await auditedAddress(service, cacheName)).toBe(CLIENT_ADDRESS);
        // Another client.
        const answer = await proxy.fetch(`${proxy.url}?cmd=getorcreate&cacheName=${cacheName}Other`);
        expect(answer.status).toBe(200);
        expect(await auditedAddress(service, `${cacheName}Other`)).toBe('127.0.0.1');
      }
    });
});
