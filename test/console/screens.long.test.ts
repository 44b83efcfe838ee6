/**
 * Every screen and state of the console in three sizes and both themes: accessible, without sideways scrolling, cut
 * texts of buttons and messages of the browser. `WRITE_PICTURES=true` writes a picture of each to build/screens, to
 * look at one by one. A new screen is a row of {@link STATES}.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import { browserTest, NOTE, openBrowser, openConsole, typeStatement } from './console-page.ts';
import { HOUR_SAMPLES, samplesFrom } from './samples.ts';

setDefaultTimeout(600_000);
const FOLDER = join(import.meta.dir, '../../build/screens');
const ADMIN = { name: 'svc', password: 'console-password' };
const MANY_CACHES = 150;
const LONG_NAME = 'a_table_whose_name_is_longer_than_any_sidebar_or_heading_has_room_for';
const COLUMNS = Array.from({ length: 24 }, (_, at) => `column_number_${at + 1}`);

/** Services with nothing, little and a lot of data, and one with users. */
type ServiceName = 'empty' | 'little' | 'lots' | 'closed';

interface State {
  readonly name: string;
  readonly service: ServiceName;
  /** What follows # in the address. */
  readonly address: string;
  /** A text of the screen that is there once it can be looked at. */
  readonly text: string | RegExp;
  /** What is done before it is looked at. */
  readonly act?: (page: Page) => Promise<void>;
}

const table = (name: string, tab = '') => `caches?name=SQL_PUBLIC_${name.toUpperCase()}${tab && `&tab=${tab}`}`;

async function run(page: Page, sql: string): Promise<void> {
  await typeStatement(page, sql);
  await page.keyboard.press('Control+Enter');
}

const TABS = ['structure', 'indexes', 'deadlines', 'feed', 'transfer', 'samples'];

/** Parts of the administration, the service in which each is shown, and what it says. */
const PARTS: Readonly<Record<string, readonly [service: ServiceName, text: string]>> = {
  users: ['closed', 'ann'],
  roles: ['closed', 'orders*'],
  keys: ['closed', 'There are no API keys'],
  sessions: ['closed', 'this one'],
  tasks: ['little', 'No task is running'],
  backups: ['little', 'first.svcbackup'],
  configuration: ['little', 'Only those that are set'],
  log: ['little', 'Listening'],
};
const AT_USERS = { service: 'closed', address: 'administration?part=users' } as const;

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
}

const STATES: readonly State[] = [
  { name: 'login', service: 'closed', address: 'overview', text: 'Log in' },
  { name: 'overview, nothing', service: 'empty', address: 'overview', text: 'Version and addresses' },
  { name: 'overview, little', service: 'little', address: 'overview', text: 'first.svcbackup' },
  { name: 'overview, lots', service: 'lots', address: 'overview', text: 'Traffic a second' },
  { name: 'caches, nothing', service: 'empty', address: 'caches', text: 'Caches and tables' },
  { name: 'caches, little', service: 'little', address: 'caches', text: 'colours' },
  { name: 'caches, lots', service: 'lots', address: 'caches', text: 'Caches and tables' },
  { name: 'table, little', service: 'little', address: table('sale'), text: 'Oslo' },
  { name: 'table, nothing', service: 'little', address: table('nobody'), text: 'The table has no rows' },
  { name: 'table, lots', service: 'lots', address: table(LONG_NAME), text: 'COLUMN_NUMBER_1' },
  ...TABS.map((tab): State => {
    return { name: `table, ${tab}`, service: 'little', address: table('sale', tab), text: 'SALE' };
  }),
  { name: 'cache, little', service: 'little', address: 'caches?name=colours', text: 'grass' },
  { name: 'cache, nothing', service: 'empty', address: 'caches?name=default', text: 'default' },
  { name: 'query, nothing', service: 'empty', address: 'query', text: 'Query' },
  {
    name: 'query, result',
    service: 'little',
    address: 'query',
    text: 'Rome',
    act: (page) => run(page, 'SELECT shop, day, SUM(pay) AS paid FROM sale GROUP BY shop, day ORDER BY day'),
  },
  {
    name: 'query, error',
    service: 'little',
    address: 'query',
    text: /not found|unknown|nowhere/i,
    act: (page) => run(page, 'SELECT * FROM nowhere'),
  },
  {
    name: 'query, wide result',
    service: 'lots',
    address: 'query',
    text: 'COLUMN_NUMBER_2',
    act: (page) => run(page, `SELECT * FROM ${LONG_NAME}`),
  },
  { name: 'commands', service: 'little', address: 'commands', text: 'Several entries at once' },
  { name: 'command', service: 'little', address: 'commands?name=qryfldexe', text: 'Executes an SQL statement' },
  {
    name: 'command, error',
    service: 'little',
    address: 'commands?name=size',
    text: 'absent',
    async act(page) {
      await page.getByLabel('cacheName').fill('absent');
      await page.getByRole('button', { name: 'Send size' }).click();
      await page.getByRole('alert').getByText('absent').waitFor();
    },
  },
  ...Object.entries(PARTS).map(([part, [service, text]]): State => {
    return { name: `administration, ${part}`, service, address: `administration?part=${part}`, text };
  }),
  { name: 'administration, no users', ...AT_USERS, service: 'little', text: 'Authentication is off' },
  { name: 'administration, new user', ...AT_USERS, text: 'New password', act: (page) => press(page, 'Add user …') },
  {
    name: 'administration, role',
    service: 'closed',
    address: 'administration?part=roles',
    text: 'Rights on caches',
    act: (page) => press(page, 'Change the role clerk …'),
  },
  {
    name: 'administration, new key',
    service: 'closed',
    address: 'administration?part=keys',
    text: 'Acts for the user',
    act: (page) => press(page, 'Create key …'),
  },
  {
    name: 'menu',
    service: 'lots',
    address: 'commands',
    text: 'cache-number-0',
    async act(page) {
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) await menu.click();
    },
  },
  {
    name: 'palette',
    service: 'little',
    address: 'commands',
    text: 'Several entries at once',
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('option').first().waitFor();
      await page.keyboard.type('sal');
    },
  },
];

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
  await little.command('cmd=putall&cacheName=colours&k1=sky&v1=blue&k2=grass&v2=green&k3=rose&v3=red');
  await little.command('cmd=backup&name=first.svcbackup');
  const lots = await startService();
  services.set('lots', lots);
  for (let at = 0; at < MANY_CACHES; at++) await lots.command(`cmd=getorcreate&cacheName=cache-number-${at}`);
  await sql(lots, `CREATE TABLE ${LONG_NAME} (id INT PRIMARY KEY, ${COLUMNS.map((name) => `${name} VARCHAR`)})`);
  const text = "'A text that is longer than a column of a grid shows of it, and then some more'";
  await sql(lots, `INSERT INTO ${LONG_NAME} SELECT x, ${COLUMNS.map(() => text)} FROM SYSTEM_RANGE(1, 500)`);
  const closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: ADMIN.password } });
  services.set('closed', closed);
  const login = { 'svc.login': ADMIN.name, 'svc.password': ADMIN.password };
  for (const params of [
    { cmd: 'adduser', user: 'ann', password: 'secret' },
    { cmd: 'roleadd', name: 'clerk', rights: '{"caches":{"orders*":"write"},"counters":["order.*"]}' },
    { cmd: 'roleassign', user: 'ann', roles: 'clerk' },
  ]) {
    await closed.command(queryOf({ ...params, ...login }));
  }
});
afterAll(async () => {
  await browser?.close();
  for (const service of services.values()) await service[Symbol.asyncDispose]();
});

/** Finds what is wrong with what is shown. It runs in the page. */
const FIND_FAULTS = `(async () => {
  const { violations } = await axe.run();
  const { scrollWidth, clientWidth } = document.documentElement;
  const cut = [...document.querySelectorAll('button, [role=button], [role=tab]')].filter((element) =>
    element.checkVisibility() && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1 &&
    // Heads of columns are as wide as their column, and say their whole name.
    element.title === '' && element.closest('.grid') === null);
  return [
    ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + failureSummary)),
    ...(scrollWidth > clientWidth ? ['the page scrolls sideways: ' + scrollWidth + ' of ' + clientWidth] : []),
    ...cut.map(({ textContent }) => 'the text of a button is cut off: ' + textContent),
  ];
})()`;

/** Shows a state in a page of its service. Returns what is wrong with it. */
async function look(page: Page, { address, text, act }: State): Promise<readonly string[]> {
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('h1').waitFor();
  await act?.(page);
  await page.getByText(text).locator('visible=true').first().waitFor();
  // Nothing is being loaded, and plots are drawn.
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  return page.evaluate<string[]>(FIND_FAULTS);
}

/** Logs in where the login is shown: the tab keeps the session. */
async function logIn(page: Page): Promise<void> {
  if (!(await page.getByRole('heading', { name: 'Log in' }).isVisible())) return;
  await page.getByLabel('User').fill(ADMIN.name);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

describe(`every screen${NOTE}`, () => {
  for (const [width, height] of SIZES) {
    for (const isDark of [false, true]) {
      const size = `${width}x${height}, ${isDark ? 'dark' : 'light'}`;
      browserTest(size, async () => {
        const faults: string[] = [];
        for (const [name, service] of services) {
          await using console = await openConsole(browser, service.origin, {
            width,
            height,
            isDark,
            async prepare(page) {
              if (name !== 'lots') return;
              await page.route('**/metricshistory', (route) => route.fulfill({ json: samplesFrom(0, HOUR_SAMPLES) }));
            },
          });
          const { page, problems } = console;
          for (const state of STATES.filter((each) => each.service === name)) {
            if (name === 'closed' && state.name !== 'login') await logIn(page);
            const address = `${service.origin}/console#/${state.address}`;
            const found = await look(page, { ...state, address });
            // Statements and commands that are rejected are errors to the browser, too.
            const unexpected = problems.splice(0).filter((each) => !/status of 4\d\d/.test(each));
            faults.push(...[...found, ...unexpected].map((fault) => `${state.name}, ${size}: ${fault}`));
            if (Bun.env.WRITE_PICTURES === 'true') {
              mkdirSync(FOLDER, { recursive: true });
              const file = `${state.name} ${size}.png`.replaceAll(/[ ,]+/g, '-');
              await page.screenshot({ path: join(FOLDER, file), animations: 'disabled', caret: 'hide' });
            }
          }
        }
        expect(faults).toEqual([]);
      });
    }
  }
});
