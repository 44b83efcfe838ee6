/** Clients of other languages and makers: test/clients/README.md. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { missingForNodes, startCluster, type TestCluster } from '../cluster/ignite-node.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { missingProgram, nodeModules, pythonEnvironment, runProgram } from './programs.ts';

setDefaultTimeout(240_000);
const UUID = '123e4567-e89b-12d3-a456-426614174000';

/** Defines a test that is skipped, with a line that says why, where its program is missing. */
function testWith(program: string, title: string, run: () => Promise<void>): void {
  const missing = missingProgram(program);
  if (missing === undefined) test(title, run);
  else test.skip(`${title} (${missing})`, () => {});
}

describe('HTTP clients', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  testWith('curl', 'curl sends a query string, a form and a JSON body', async () => {
    const { url } = service;
    const curl = async (...more: string[]) =>
      JSON.parse(await runProgram(['curl', '--silent', '--show-error', ...more])) as { readonly response: unknown };
    expect((await curl(`${url}?cmd=put&key=curl&val=1`)).response).toBe(true);
    expect(
      (await curl('--data-urlencode', 'cmd=put', '--data-urlencode', 'key=a b', '-d', 'val=é', url)).response,
    ).toBe(true);
    const body = ['--header', 'Content-Type: application/json', '--data', '{"cmd":"get","key":"a b"}'];
    expect((await curl(...body, url)).response).toBe('é');
    expect((await curl('--compressed', '--http1.1', `${url}?cmd=get&key=curl`)).response).toBe('1');
  });

  testWith('python3', "Python's requests", async () => {
    const output = await runProgram(['python3', 'requests_client.py', service.url], await pythonEnvironment());
    expect(output).toBe('done\n');
  });

  testWith('python3', "the package ignite, a client of Ignite's HTTP interface", async () => {
    const output = await runProgram(['python3', 'ignite_client.py', service.url], await pythonEnvironment());
    expect(output).toBe('done\n');
  });

  testWith('java', 'java.net.http, also with 200 requests at once', async () => {
    const command = ['java', '-Dfile.encoding=UTF-8', 'HttpClientTest.java', service.url];
    expect(await runProgram(command)).toBe('done\n');
  });

  testWith('go', "Go's net/http", async () => {
    expect(await runProgram(['go', 'run', 'client.go', service.url], { GOFLAGS: '-mod=mod' })).toBe('done\n');
  });
});

const missing = missingForNodes();
if (missing !== undefined) {
  describe('thin clients', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('thin clients', () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    beforeAll(async () => {
      cluster = await startCluster(1);
      service = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
      await service.command('cmd=getorcreate&cacheName=clients');
      const put = (query: string) => service.command(`cmd=put&cacheName=clients&${query}`);
      await put(`key=text&val=${encodeURIComponent('é€😀')}`);
      await put('key=long&valueType=long&val=1152921504606846976');
      await put('key=double&valueType=double&val=1.5');
      await put('key=boolean&valueType=boolean&val=true');
      await put(`key=uuid&valueType=uuid&val=${UUID}`);
      await put('key=7&keyType=int&val=by%20number');
    }, 180_000);
    afterAll(async () => {
      await service.stop();
      await cluster[Symbol.asyncDispose]();
    });
    const endpoint = (): string => cluster.endpoints[0] ?? '';
    const get = (query: string) => service.send(`cmd=get&cacheName=clients&${query}`);

    testWith('python3', 'pyignite reads what svc wrote, and svc reads what it wrote', async () => {
      const env = await pythonEnvironment();
      const port = endpoint().split(':')[1] ?? '';
      expect(await runProgram(['python3', 'thin_client.py', port, 'read'], env)).toBe('done\n');
      expect(await runProgram(['python3', 'thin_client.py', port, 'write'], env)).toBe('done\n');
      expect((await get('key=python text')).response).toBe('é€😀');
      expect((await get('key=python long')).text).toContain('"response":1152921504606846976');
      expect((await get('key=python uuid')).response).toBe(UUID);
      expect((await get('key=8&keyType=int')).response).toBe('by number');
    });

    testWith('npm', 'the Node thin client reads what svc wrote, and svc reads what it wrote', async () => {
      const modules = await nodeModules();
      expect(await runProgram(['node', 'thin-client.cjs', endpoint(), 'read', modules])).toBe('done\n');
      expect(await runProgram(['node', 'thin-client.cjs', endpoint(), 'write', modules])).toBe('done\n');
      expect((await get('key=node text')).response).toBe('é€😀');
      expect((await get('key=node double')).response).toBe(2.5);
    });
  });
}
