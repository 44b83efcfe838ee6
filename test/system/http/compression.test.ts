/** Compressed responses of the real service: query pages, metadata, metrics and documents, but never the token. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type ServiceProcess, startService } from '../service-process.ts';

const LOGIN = 'svc.login=svc&svc.password=admin-password';
const ROWS = 'cmd=qryfldexe&qry=SELECT+x,+x*x+FROM+system_range(1,+1000)';

let open: ServiceProcess;
let closed: ServiceProcess;
let disabled: ServiceProcess;

beforeAll(async () => {
  [open, closed, disabled] = await Promise.all([
    startService(),
    startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } }),
    startService({ env: { SVC_HTTP_COMPRESSION_MIN_BYTES: '0' } }),
  ]);
  const columns = Array.from({ length: 200 }, (_, index) => `column${index} VARCHAR`);
  await open.command(`cmd=qryfldexe&pageSize=1&qry=CREATE TABLE wide (id INT PRIMARY KEY, ${columns})`);
}, 60_000);
afterAll(() => Promise.all([open, closed, disabled].map((service) => service[Symbol.asyncDispose]())));

async function codingOf(
  service: ServiceProcess,
  path: string,
  accepted: string,
  type = 'application/json',
): Promise<string | null> {
  const ask = (headers: Readonly<Record<string, string>>) =>
    fetch(`${service.origin}${path}`, { headers: { Accept: type, ...headers }, decompress: false });
  const response = await ask({ 'Accept-Encoding': accepted });
  const bytes = Buffer.from(await response.arrayBuffer());
  const coding = response.headers.get('content-encoding');
  const text = coding === 'gzip' ? gunzipSync(bytes) : coding === 'zstd' ? zstdDecompressSync(bytes) : bytes;
  const plain = await (await ask({ 'Accept-Encoding': 'identity' })).text();
  // Metrics, ids of queries and tokens change between requests.
  const stable = (each: string) => each.replace(/"(?:queryId|sessionToken)":[^,]*,/g, '').replace(/ [\d.e+-]+$/gm, '');
  expect(stable(text.toString())).toBe(stable(plain));
  return coding;
}

describe('are compressed', () => {
  const cases: ReadonlyArray<readonly [title: string, path: string, type?: string]> = [
    ['query pages', `/svc?${ROWS}&pageSize=500`],
    ['streams of rows', `/svc?${ROWS}&pageSize=500`, 'application/x-ndjson'],
    ['metadata', '/svc?cmd=metadata&cacheName=SQL_PUBLIC_WIDE'],
    ['metrics', '/metrics'],
    ['documents', '/openapi.json'],
  ];
  for (const [title, path, type] of cases) {
    test.each(['gzip', 'zstd'])(`${title}: %s`, async (coding) => {
      expect(await codingOf(open, path, coding, type)).toBe(coding);
    });
  }
});

describe('are not compressed', () => {
  test('envelopes with a token', async () => {
    expect(await codingOf(closed, `/svc?${ROWS}&pageSize=500&${LOGIN}`, 'gzip')).toBeNull();
  });
  test('short responses', async () => expect(await codingOf(open, '/svc?cmd=version', 'gzip')).toBeNull());
  test('any with http.compressionMinBytes=0', async () => {
    expect(await codingOf(disabled, '/openapi.json', 'gzip')).toBeNull();
  });
});

test('rows without an envelope are compressed beside authentication, too', async () => {
  expect(await codingOf(closed, `/svc?${ROWS}&pageSize=500&${LOGIN}`, 'gzip', 'text/csv')).toBe('gzip');
});
