/** The suite of the TypeScript client in Bun and in Node. test/browser runs it in a browser. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcClient } from '../../src/client/client.ts';
import { outputOf } from '../ended-program.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';
import { bundle } from './bundle.ts';
import { CASES, type SuiteServices } from './suite.ts';

setDefaultTimeout(60_000);
const PASSWORD = 'client-password';
let open: ServiceProcess;
let closed: ServiceProcess;
let services: SuiteServices;

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
  services = { open: open.url, closed: closed.url, password: PASSWORD };
});
afterAll(() => Promise.all([open, closed].map((service) => service[Symbol.asyncDispose]())));

describe('in Bun', () => {
  for (const [title, run] of Object.entries(CASES)) test(title, () => run(services));
});

test('all cases pass in Node', async () => {
  const file = join(newFolder(), 'suite.mjs');
  const program = `${await bundle()}\nprocess.stdout.write(JSON.stringify(await runSuite(${JSON.stringify(services)})));`;
  writeFileSync(file, program);
  const results = JSON.parse(await outputOf(['node', file]));
  expect(results).toEqual(Object.fromEntries(Object.keys(CASES).map((title) => [title, 'passed'])));
});

test('a stream is imported while it is read, after a session that has expired', async () => {
  let expired = false;
  const client = new SvcClient({
    url: services.closed,
    user: 'svc',
    password: PASSWORD,
    fetch: (url, init) => {
      if (expired) Object.assign(init.headers ?? {}, { Authorization: `Bearer ${'0'.repeat(32)}` });
      expired = false;
      return fetch(url, init);
    },
  });
  await client.getorcreate({ cacheName: 'streamed' });
  expired = true;
  let sent = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 100) controller.close();
      else controller.enqueue(Buffer.from(`{"key":"${++sent}","value":${sent}}\n`));
    },
  });
  const { rows, state } = await client.import(source, { cacheName: 'streamed', format: 'ndjson' });
  expect([rows, state]).toEqual([100, 'done']);
  expect(await client.size({ cacheName: 'streamed' })).toBe(100n);
});

test('a counter beyond 2^53 is not rounded on its way', async () => {
  // Compared with the text of the answer, which the client does not read.
  const { text } = await open.send('cmd=incr&key=beyond&init=9007199254740992&delta=1');
  expect(text).toContain('"response":9007199254740993');
});

test('a redirect takes no credentials elsewhere', async () => {
  const sent: string[] = [];
  using elsewhere = Bun.serve({
    port: 0,
    async fetch(request) {
      sent.push(`${request.headers.get('Authorization')} ${await request.text()}`);
      return Response.json({ successStatus: 0, sessionToken: 'a', response: 'b' });
    },
  });
  using redirecting = Bun.serve({
    port: 0,
    fetch: ({ url }) => Response.redirect(new URL(new URL(url).pathname, elsewhere.url).href, 307),
  });
  const url = new URL('/svc', redirecting.url).href;
  const clients = [new SvcClient({ url, token: 'secret' }), new SvcClient({ url, user: 'svc', password: 'secret' })];
  for (const client of clients) {
    await expect(client.put({ key: 'a', val: 'b' })).rejects.toThrow('answered with 307');
    await expect(client.watch().next()).rejects.toThrow('answered with 307');
  }
  expect(sent).toEqual([]);
});
