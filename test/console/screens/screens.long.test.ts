/**
 * Every screen and state of the console in three sizes and both themes: accessible, and without sideways scrolling,
 * cut-off button texts or browser messages. `WRITE_PICTURES=true` writes a picture of each to build/screens, to look at
 * one by one. A new screen is a row of states.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { missing } from '../../browser/chromium.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import { browserTest, NOTE, openBrowser, openConsole } from '../console-page.ts';
import { HOUR_SAMPLES, samplesFrom } from '../samples.ts';
import { LONG_NAME, type ServiceName, STATES, type State, UUID } from './states.ts';

setDefaultTimeout(1_200_000);
const FOLDER = join(import.meta.dir, '../../../build/screens');
const PASSWORD = 'console-password';
/** The users who log in, by service. */
const USERS: Partial<Record<ServiceName, string>> = { closed: 'svc', denied: 'nora' };
/** Which states to look at, as a regular expression of their names; all by default. */
const WANTED = new RegExp(Bun.env.SVC_TEST_SCREENS ?? '');
const MANY_CACHES = 150;
const COLUMNS = Array.from({ length: 24 }, (_, at) => `column_number_${at + 1}`);

const SIZES = [
  [1_440, 900],
  [1_024, 768],
  [390, 844],
] as const;

let browser: Browser;
const services = new Map<ServiceName, ServiceProcess>();

async function sql(service: ServiceProcess, qry: string): Promise<void> {
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));
}

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
  services.set('empty', await startService());
  const little = await startService({
    env: { SVC_CONSOLE_TITLE: 'Staging', SVC_CONSOLE_COLOUR: 'orange', SVC_BACKUP_FOLDER: newFolder() },
  });
  services.set('little', little);
  for (const qry of [
    'CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR, pay DECIMAL(9,2)) WITH "CHANGE_FEED=true"',
    'CREATE INDEX sale_day ON sale (day)',
    'CREATE TABLE nobody (id INT PRIMARY KEY, name VARCHAR)',
    "INSERT INTO sale SELECT x, DATEADD('DAY', MOD(x, 90), DATE '2026-01-01'), " +
      "CASEWHEN(MOD(x, 3) = 0, 'Oslo', 'Rome'), 40 + MOD(x * 37, 60) FROM SYSTEM_RANGE(1, 3000)",
  ]) {
    await sql(little, qry);
  }
  await little.command('cmd=getorcreate&cacheName=colours&ttlMs=3600000');
  await little.command('cmd=getorcreate&cacheName=visitors');
  await little.command('cmd=putall&cacheName=colours&k1=sky&v1=blue&k2=grass&v2=green&k3=rose&v3=red');
  await little.command(queryOf({ cmd: 'put', cacheName: 'visitors', key: UUID, keyType: 'uuid', val: 'Ann' }));
  await little.command('cmd=backup&name=first.svcbackup');
  const lots = await startService();
  services.set('lots', lots);
  for (let at = 0; at < MANY_CACHES; at++) await lots.command(`cmd=getorcreate&cacheName=cache-number-${at}`);
  await sql(lots, `CREATE TABLE ${LONG_NAME} (id INT PRIMARY KEY, ${COLUMNS.map((name) => `${name} VARCHAR`)})`);
  const text = "'A text that is longer than a column of a grid shows of it, and then some more'";
  await sql(lots, `INSERT INTO ${LONG_NAME} SELECT x, ${COLUMNS.map(() => text)} FROM SYSTEM_RANGE(1, 500)`);
  const closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
  services.set('closed', closed);
  services.set('denied', closed);
  const login = { 'svc.login': 'svc', 'svc.password': PASSWORD };
  for (const params of [
    { cmd: 'adduser', user: 'ann', password: 'secret', roles: 'user' },
    { cmd: 'roleadd', name: 'clerk', rights: '{"caches":{"orders*":"write"},"counters":["order.*"]}' },
    { cmd: 'roleassign', user: 'ann', roles: 'clerk' },
    { cmd: 'adduser', user: 'nora', password: PASSWORD, roles: 'user' },
    { cmd: 'roleadd', name: 'nothing', rights: '{"commands":["noop"]}' },
    { cmd: 'roleassign', user: 'nora', roles: 'nothing' },
    { cmd: 'savedqueryadd', name: 'Mine alone', qry: 'SELECT 1' },
    {
      ...{ cmd: 'savedqueryadd', name: 'Sales of a shop since a day', shared: 'true' },
      qry: 'SELECT *\nFROM sale\nWHERE shop = :shop AND day >= :since',
      parameters:
        '[{"name":"shop","label":"Shop"},{"name":"since","label":"From","type":"date","default":"2026-01-01"}]',
    },
  ]) {
    await closed.command(queryOf({ ...params, ...login }));
  }
  const shared = { cmd: 'savedqueryadd', name: 'Orders of ann', qry: 'SELECT 2', shared: 'true' };
  await closed.command(queryOf({ ...shared, 'svc.login': 'ann', 'svc.password': 'secret' }));
});
afterAll(async () => {
  await browser?.close();
  for (const service of new Set(services.values())) await service[Symbol.asyncDispose]();
});

/** Finds faults in what is shown. It runs in the page. */
const FIND_FAULTS = `(async () => {
  const { violations } = await axe.run({ resultTypes: ['violations'] });
  const { scrollWidth, clientWidth } = document.documentElement;
  const cut = [...document.querySelectorAll('button, [role=button], [role=tab]')].filter((element) =>
    element.checkVisibility() && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 &&
    // Column headings are as wide as their column, and have the whole name as a tooltip.
    element.title === '' && element.closest('.grid') === null);
  // Columns are as wide as their texts, up to a width. A key that stays in view leaves room on a small screen.
  const cells = [...document.querySelectorAll('[role=gridcell]:not(.pinned)')].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth < 400);
  return [
    ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + failureSummary)),
    ...(scrollWidth > clientWidth ? ['the page scrolls sideways: ' + scrollWidth + ' of ' + clientWidth] : []),
    ...cut.map(({ textContent }) => 'the text of a button is cut off: ' + textContent),
    ...cells.map(({ textContent }) => 'the text of a cell is cut off: ' + textContent),
  ];
})()`;

/** Shows a state in a page of its service. */
async function show(page: Page, origin: string, { address, text, act }: State): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${origin}/console#/${address}`);
  await page.locator('h1').waitFor();
  await act?.(page);
  await page.getByText(text).locator('visible=true').first().waitFor();
  // Nothing is being loaded, and plots are drawn.
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
}

/** Logs in where the login is shown: the tab keeps the session. */
async function logIn(page: Page, user: string): Promise<void> {
  if (!(await page.getByRole('heading', { name: 'Log in' }).isVisible())) return;
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Looks at the states of a service in one size and both themes. Returns the faults. */
async function look(name: ServiceName, origin: string, width: number, height: number): Promise<readonly string[]> {
  const faults: string[] = [];
  await using console = await openConsole(browser, origin, {
    width,
    height,
    async prepare(page) {
      if (name !== 'lots') return;
      await page.route('**/metricshistory', (route) => route.fulfill({ json: samplesFrom(0, HOUR_SAMPLES) }));
    },
  });
  const { page, problems } = console;
  const user = USERS[name];
  for (const state of STATES.filter((each) => each.service === name && WANTED.test(each.name))) {
    try {
      if (user !== undefined && !state.name.startsWith('login')) await logIn(page, user);
      await show(page, origin, state);
    } catch (error) {
      faults.push(`${state.name} ${width}x${height}: ${error}`);
      continue;
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate<string[]>(FIND_FAULTS);
      // Rejected statements and commands are also errors to the browser.
      const unexpected = problems.splice(0).filter((each) => !/status of 4\d\d/.test(each));
      const title = `${state.name} ${width}x${height} ${colorScheme}`;
      faults.push(...[...found, ...unexpected].map((fault) => `${title}: ${fault}`));
      if (Bun.env.WRITE_PICTURES === 'true') {
        mkdirSync(FOLDER, { recursive: true });
        const path = join(FOLDER, `${title.replaceAll(/[ ,]+/g, '-')}.png`);
        await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      }
    }
  }
  return faults;
}

describe(`every screen${NOTE}`, () => {
  for (const [width, height] of SIZES) {
    browserTest(`${width}x${height}`, async () => {
      const faults: string[] = [];
      for (const [name, { origin }] of services) faults.push(...(await look(name, origin, width, height)));
      expect(faults).toEqual([]);
    });
  }
});
