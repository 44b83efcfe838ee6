/** The selection of a port: in use, from a range, never shared, and printed in the first line. */
import { expect, test } from 'bun:test';
import { WORKERS } from './modes.ts';
import { StartFailure, sendTo, startService } from './service-process.ts';

/** Listens on a port like another program. */
function holdPort(port: number): Disposable {
  const listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
  return { [Symbol.dispose]: () => listener.stop(true) };
}

/** Finds consecutive free ports below the ephemeral range. */
function freeRun(length: number): number {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      for (let port = first; port < first + length; port++) holdPort(port)[Symbol.dispose]();
      return first;
    } catch {
      // One of them is in use; the next attempt tries others.
    }
  }
  throw new Error(`There is no run of ${length} free ports.`);
}

for (const workers of WORKERS.map(String)) {
  test(`uses and prints the next free port of the range, workers=${workers} [8.3]`, async () => {
    const port = freeRun(4);
    using _first = holdPort(port);
    using _second = holdPort(port + 1);
    const env = { SVC_HTTP_PORT_RANGE: '4', SVC_WORKERS: workers };
    await using service = await startService({ port, env });
    expect(service.port).toBe(port + 2);
    expect(await service.command('cmd=probe')).toBe('grid has started');
  });

  test(`two services never share a port, workers=${workers}`, async () => {
    const port = freeRun(2);
    const env = { SVC_HTTP_PORT_RANGE: '10', SVC_WORKERS: workers };
    await using first = await startService({ port, env });
    await using second = await startService({ port, env });
    expect(first.port).toBe(port);
    expect(second.port).not.toBe(port);
    await first.command('cmd=put&key=who&val=first');
    await second.command('cmd=put&key=who&val=second');
    const seen = await Promise.all(
      Array.from({ length: 40 }, () => sendTo(first.url, 'cmd=get&key=who', { headers: { connection: 'close' } })),
    );
    expect(new Set(seen.map(({ response }) => response))).toEqual(new Set(['first']));
  });
}

test('a port in use is reported, and --strict-port exits instead', async () => {
  const port = freeRun(2);
  using _first = holdPort(port);
  await using service = await startService({ port });
  expect(await service.stop()).toBe(0);
  const holder = process.platform === 'linux' ? `process ${process.pid} \\([^)]+\\)` : 'process';
  // Usually the next one, unless another test has it.
  const next = Number(new URL(service.url).port);
  expect(next).toBeGreaterThan(port);
  const moved = `so this service listens on ${next} \\(--strict-port exits instead\\)\n`;
  expect(service.output()).toMatch(new RegExp(`svc: warning: port ${port} is in use by ${holder}, ${moved}`));
  expect(service.output()).toMatch(new RegExp(`^listening on http.*:${next}/svc\n`, 'm'));
  expect(service.output()).toEndWith('stopping\nstopped\n');
  const strict = startService({ port, args: ['--strict-port'] });
  await expect(strict).rejects.toThrow(new RegExp(`port ${port} is in use .*; ${holder} listens on it`));
});

test('the page at / is HTML for browsers and JSON for those who ask for it', async () => {
  await using service = await startService();
  const html = await fetch(`${service.origin}/`, { headers: { accept: 'text/html' } });
  expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8']);
  expect(html.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await html.text()).toContain('It is ready.');
  const headers = { accept: 'application/json' };
  const json: unknown = await (await fetch(`${service.origin}/`, { headers })).json();
  expect(json).toMatchObject({ name: 'svc', state: 'ready', endpoint: '/svc' });
  const { links } = json as { links: Readonly<Record<string, string>> };
  expect(Object.keys(links)).toContain('/metrics');
  for (const path of Object.keys(links)) {
    const linked = await fetch(`${service.origin}${path}`, { headers: { accept: 'text/html' } });
    expect([path, linked.status]).toEqual([path, 200]);
  }
  // The request as curl sends it.
  for (const accept of ['*/*', 'text/plain']) {
    const page = await fetch(`${service.origin}/`, { headers: { accept } });
    expect([accept, page.status, await page.json()]).toEqual([accept, 200, json]);
  }
  expect((await fetch(`${service.origin}/`, { method: 'POST', headers })).status).toBe(404);
  expect((await fetch(`${service.origin}/?cmd=version`, { headers })).status).toBe(404);
  expect((await fetch(`${service.origin}/other`)).status).toBe(404);
});

test('the log also goes to standard output', async () => {
  await using service = await startService({ env: { SVC_LOG_STDOUT: 'text', SVC_LOG_SLOW_MS: '1' } });
  await service.command(
    `cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent('SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000)')}`,
  );
  await service.stop();
  expect(service.output()).toMatch(/Z INFO Starting version="/);
  expect(service.output()).toMatch(/Z WARN A (?:command|statement) was slow .*durationMs=|slow/);
});

test('two services that start concurrently do not share a port', async () => {
  const port = freeRun(3);
  const env = { SVC_HTTP_PORT_RANGE: '10', SVC_WORKERS: '2' };
  const services = await Promise.all([0, 1, 2].map(() => startService({ port, env })));
  try {
    expect(new Set(services.map((service) => service.port)).size).toBe(3);
  } finally {
    await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
  }
});

test('a range without a free port fails the start with the ports [8.5]', async () => {
  const port = freeRun(2);
  using _first = holdPort(port);
  using _second = holdPort(port + 1);
  try {
    await using service = await startService({ port, env: { SVC_HTTP_PORT_RANGE: '1' } });
    throw new Error(`The service started on ${service.port}.`);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    expect(error.exitCode).not.toBe(0);
    expect(error.output).toContain(String(port));
  }
});

test('localhost listens on 127.0.0.1 and ::1 only', async () => {
  await using service = await startService({ env: { SVC_HTTP_HOST: 'localhost' } });
  const reachable = async (host: string) => {
    try {
      return (await fetch(`http://${host}:${service.port}/svc?cmd=probe`)).status === 200;
    } catch {
      return false;
    }
  };
  expect(await reachable('127.0.0.1')).toBe(true);
  expect(await reachable('127.0.0.2')).toBe(false);
  const hasIpv6 = await Bun.file('/proc/net/if_inet6')
    .text()
    .then(
      (text) => text.includes(' lo'),
      () => false,
    );
  expect(await reachable('[::1]')).toBe(hasIpv6);
});
