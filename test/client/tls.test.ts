/** The TypeScript client over TLS, in Bun and Node: a private authority, a wrong host name, an expired certificate. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcClient } from '../../src/client/client.ts';
import { startTlsEndpoints, type TlsEndpoints } from '../clients/tls-endpoints.ts';
import { runSvcProcess } from '../system/cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';

setDefaultTimeout(60_000);
let service: ServiceProcess;
let tls: TlsEndpoints;

beforeAll(async () => {
  service = await startService();
  tls = await startTlsEndpoints(service.url);
});
afterAll(async () => {
  await tls[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

function clientOf(url: string, ca?: string): SvcClient {
  return new SvcClient({ url, retries: 0, fetch: (address, init) => fetch(address, { ...init, tls: { ca } }) });
}

test("an authority of one's own is trusted", async () => {
  const client = clientOf(tls.url, tls.authority);
  await client.put({ key: 'tls', val: 'a' });
  expect(await client.get({ key: 'tls' })).toBe('a');
});

test('a certificate that cannot be verified is rejected', async () => {
  await expect(clientOf(tls.wrongNameUrl, tls.authority).put({ key: 'tls', val: 'b' })).rejects.toThrow(
    /ALTNAME|altname|hostname/i,
  );
  await expect(clientOf(tls.expiredUrl, tls.authority).put({ key: 'tls', val: 'b' })).rejects.toThrow(/expired/i);
  await expect(clientOf(tls.url).put({ key: 'tls', val: 'b' })).rejects.toThrow(/certificate/i);
});

test('the command line says what to do about the certificate', async () => {
  const advice = async (url: string, ...options: string[]): Promise<readonly [number | null, string]> => {
    const run = await runSvcProcess(['get', 'tls', '--url', url, ...options], { cwd: newFolder() });
    return [run.exitCode, run.errors.slice(run.errors.lastIndexOf(': ') + 2)];
  };
  const trusted = ['--ca', tls.authorityFile];
  expect(await advice(tls.url)).toEqual([3, 'name its authority with --ca\n']);
  expect(await advice(tls.wrongNameUrl, ...trusted)).toEqual([3, 'use a host name that it contains\n']);
  expect(await advice(tls.expiredUrl, ...trusted)).toEqual([3, 'it has to be renewed\n']);
  const [exitCode, plain] = await advice(tls.url.replace('https:', 'http:'));
  expect([exitCode, plain]).toEqual([3, 'write https:// if it has a certificate\n']);
});

test('in Node, the authority is that of NODE_EXTRA_CA_CERTS', async () => {
  const folder = newFolder();
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../src/client/client.ts')],
    outdir: folder,
    target: 'browser',
    format: 'esm',
  });
  expect(built.success).toBe(true);
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { SvcClient } from './client.js';
    const results = {};
    for (const url of process.argv.slice(2)) {
      const client = new SvcClient({ url, retries: 0 });
      const stored = client.put({ key: 'node', val: 'a' });
      results[url] = await stored.then(() => 'stored', (error) => error.cause?.code ?? String(error));
    }
    process.stdout.write(JSON.stringify(results));`,
  );
  const urls = [tls.url, tls.wrongNameUrl, tls.expiredUrl];
  const resultsWith = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
    const child = Bun.spawn(['node', program, ...urls], { env: { ...process.env, ...env }, stdout: 'pipe' });
    const results = await child.stdout.json();
    expect(await child.exited).toBe(0);
    return results;
  };
  expect(await resultsWith({ NODE_EXTRA_CA_CERTS: tls.authorityFile })).toEqual({
    [tls.url]: 'stored',
    [tls.wrongNameUrl]: 'ERR_TLS_CERT_ALTNAME_INVALID',
    [tls.expiredUrl]: 'CERT_HAS_EXPIRED',
  });
  expect(await resultsWith({})).toMatchObject({ [tls.url]: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
});
