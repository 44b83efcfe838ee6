/** The pictures of docs/console.md: `WRITE_PICTURES=true` takes them again. Always tests that they can be taken. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { browserTest, NOTE, openBrowser, openConsole, showPart, typeStatement } from './console-page.ts';
import { HOUR_SAMPLES, samplesFrom } from './samples.ts';

setDefaultTimeout(180_000);
const DOCS = join(import.meta.dir, '../../docs');
const FOLDER = join(DOCS, 'images');
const WIDTH = 960;
const HEIGHT = 780;
const ADMIN = { name: 'svc', password: 'console-password' };
/** Readers on slow connections load them all. */
const MAX_BYTES = 100_000;

let browser: Browser;
let service: ServiceProcess;
/** A service with users. */
let closed: ServiceProcess;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
  service = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: ADMIN.password } });
  const login = { 'svc.login': ADMIN.name, 'svc.password': ADMIN.password };
  for (const params of [
    { cmd: 'adduser', user: 'ann', password: 'secret', roles: 'user' },
    { cmd: 'adduser', user: 'ben', password: 'secret', roles: 'user' },
    { cmd: 'roleadd', name: 'clerk', rights: '{"caches":{"orders*":"write"},"counters":["order.*"]}' },
    { cmd: 'roleassign', user: 'ann', roles: 'clerk' },
  ]) {
    await closed.command(queryOf({ ...params, ...login }));
  }
  for (const qry of [
    'CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR, pay DECIMAL(9,2))',
    "INSERT INTO sale SELECT x, DATEADD('DAY', MOD(x, 90), DATE '2026-01-01'), " +
      "CASEWHEN(MOD(x, 3) = 0, 'Oslo', 'Rome'), 40 + MOD(x * 37, 60) FROM SYSTEM_RANGE(1, 3000)",
  ]) {
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));
  }
  await service.command('cmd=getorcreate&cacheName=colours');
  await service.command('cmd=putall&cacheName=colours&k1=sky&v1=blue&k2=grass&v2=green&k3=rose&v3=red');
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await closed?.[Symbol.asyncDispose]();
});

const QUERY = 'SELECT day, SUM(pay) AS paid FROM sale GROUP BY day ORDER BY day';

/** What each picture shows. */
const PICTURES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async overview(page) {
    await page.getByRole('figure', { name: 'Memory' }).locator('canvas').waitFor();
    await page.getByText('No statements running.').waitFor();
    await page.evaluate('scrollTo(0, 0)');
  },
  async query(page) {
    await page.getByText('Examples').click();
    await typeStatement(page, QUERY);
    await page.keyboard.press('Control+Enter');
    await page.getByText('90 rows,').waitFor();
    await page.getByRole('button', { name: 'Plot' }).click();
    await page.getByRole('figure').locator('canvas').waitFor();
    await page.evaluate("document.querySelector('figure').scrollIntoView({ block: 'end' })");
  },
  async caches(page) {
    await page.locator('main').getByRole('link', { name: 'colours' }).click();
    await page.getByRole('gridcell', { name: 'sky' }).waitFor();
  },
  async commands(page) {
    await page.getByLabel('Search').fill('counter');
    await page.locator('main').getByRole('link', { name: 'incr', exact: true }).click();
    await page.getByLabel('key').fill('visits');
    await page.getByLabel('delta').fill('1');
    await page.getByRole('button', { name: 'Send incr' }).click();
    await page.getByText('"response":').first().waitFor();
  },
  async administration(page) {
    await showPart(page, 'Roles');
    await page.getByRole('table', { name: 'Roles and what' }).getByText('orders*').waitFor();
  },
};

describe(`the pictures of the documentation${NOTE}`, () => {
  for (const [name, show] of Object.entries(PICTURES)) {
    browserTest(name, async () => {
      await using console = await openConsole(browser, (name === 'administration' ? closed : service).origin, {
        width: WIDTH,
        height: HEIGHT,
        async prepare(page) {
          await page.route('**/metricshistory', (route) => route.fulfill({ json: samplesFrom(0, HOUR_SAMPLES) }));
        },
      });
      if (name === 'administration') {
        await console.page.getByLabel('User').fill(ADMIN.name);
        await console.page.getByLabel('Password').fill(ADMIN.password);
        await console.page.keyboard.press('Enter');
      }
      await console.show(name);
      await show(console.page);
      await console.page.getByText('Loading …').first().waitFor({ state: 'detached' });
      // Nothing is under the pointer.
      await console.page.mouse.move(0, 0);
      const picture = await console.page.screenshot({ animations: 'disabled', caret: 'hide' });
      const file = join(FOLDER, `console-${name}.png`);
      if (Bun.env.WRITE_PICTURES === 'true') {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, picture);
      }
      expect(existsSync(file)).toBe(true);
      // The width and height of a PNG follow the head of its first chunk.
      const stored = readFileSync(file);
      expect([stored.readUInt32BE(16), stored.readUInt32BE(20)]).toEqual([WIDTH, HEIGHT]);
      expect(Math.max(stored.length, picture.length)).toBeLessThan(MAX_BYTES);
      expect(readFileSync(join(DOCS, 'console.md'), 'utf8')).toContain(`(images/console-${name}.png)`);
      expect(console.problems).toEqual([]);
    });
  }
});
