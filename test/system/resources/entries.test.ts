/** Entries by their addresses over real sockets. */
import { describe, expect, test } from 'bun:test';
import { WORKERS } from '../modes.ts';
import { startService } from '../service-process.ts';
import { runEntriesSuite } from './entries.suite.ts';
import { send } from './resource-client.ts';

describe.each(WORKERS)('with %i HTTP threads', (workers) => {
  runEntriesSuite({ environment: () => ({ SVC_WORKERS: String(workers) }), isCluster: false, limitMs: 60_000 });
});

test('the name of the service is the prefix', async () => {
  await using service = await startService({ env: { SVC_NAME: 'ignite' } });
  expect((await send(service, 'PUT /caches/default/entries/k', '1')).status).toBe(201);
  expect((await fetch(`${service.origin}/svc/caches/default/entries/k`)).status).toBe(404);
});

test('pages of allowed origins may use all methods and conditions', async () => {
  await using service = await startService({ env: { SVC_HTTP_ORIGINS: 'https://app.example' } });
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
  const preflight = await fetch(`${service.url}/caches/default/entries/k`, { method: 'OPTIONS', headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('If-Match');
  const put = await send(service, 'PUT /caches/default/entries/k', '1', { origin: 'https://app.example' });
  expect([put.status, put.headers.get('access-control-expose-headers')]).toEqual([
    201,
    expect.stringContaining('ETag'),
  ]);
});
