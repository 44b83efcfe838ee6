/**
 * The suite of the TypeScript client in headless Chromium, on a page of another origin than the services, which allow
 * it by `http.origins`. Debian's chromium is installed if it is missing: test/browser/README.md.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { bundle } from '../client/bundle.ts';
import { CASES, type SuiteServices } from '../client/suite.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { installBrowser, missing, startChromium } from './chromium.ts';

setDefaultTimeout(280_000);
const PASSWORD = 'client-password';
const services: ServiceProcess[] = [];
const results = Promise.withResolvers<Record<string, string>>();
let page = '';
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method !== 'POST') return new Response(page, { headers: { 'Content-Type': 'text/html' } });
    results.resolve(JSON.parse(await request.text()));
    return new Response();
  },
});

beforeAll(async () => {
  if (missing) return;
  await installBrowser();
  const origins = { SVC_HTTP_ORIGINS: server.url.origin };
  services.push(await startService({ env: origins }));
  services.push(await startService({ env: { ...origins, SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } }));
  const [open, closed] = services.map(({ url }) => url);
  const given: SuiteServices = { open: open ?? '', closed: closed ?? '', password: PASSWORD };
  page = `<!doctype html><script type="module">${(await bundle()).replaceAll('</script', '<\\/script')}
    const results = await runSuite(${JSON.stringify(given)});
    await fetch('/results', { method: 'POST', body: JSON.stringify(results) });
  </script>`;
});
afterAll(async () => {
  await server.stop(true);
  await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
});

test.skipIf(missing)(
  `all cases pass in Chromium${missing ? ' (skipped: chromium is not on the PATH)' : ''}`,
  async () => {
    await using chromium = startChromium(server.url.href);
    const ended = chromium.exited.then((code) => {
      throw new Error(`Chromium exited with ${code}`);
    });
    const found = await Promise.race([results.promise, ended]);
    expect(found).toEqual(Object.fromEntries(Object.keys(CASES).map((title) => [title, 'passed'])));
  },
);
