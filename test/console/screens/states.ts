/** The screens and states of the console that `screens.long.test.ts` looks at. */
import type { Page } from 'playwright-core';
import { typeStatement } from '../console-page.ts';

export const LONG_NAME = 'a_table_whose_name_is_longer_than_any_sidebar_or_heading_has_room_for';

/** Wide digits. */
export const UUID = 'd00d8a44-0e00-4b80-8d00-60a0b0d0e088';

/** Services with no, little and much data, one with users, and the same one for a user who may do nothing. */
export type ServiceName = 'empty' | 'little' | 'lots' | 'closed' | 'denied';

export interface State {
  readonly name: string;
  readonly service: ServiceName;
  /** The part of the address after #. */
  readonly address: string;
  /** A text of the screen that appears once it is ready. */
  readonly text: string | RegExp;
  /** Actions before the screen is checked. */
  readonly act?: (page: Page) => Promise<void>;
}

const table = (name: string, tab = '') => `caches?name=SQL_PUBLIC_${name.toUpperCase()}${tab && `&tab=${tab}`}`;

async function run(page: Page, sql: string): Promise<void> {
  await typeStatement(page, sql);
  await page.keyboard.press('Control+Enter');
}

const TABS = ['structure', 'indexes', 'deadlines', 'feed', 'transfer', 'samples'];

/** Parts of the administration, the service in which each is shown, and its text. */
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
const AT_SALE = { service: 'little', address: table('sale') } as const;
const AT_SAVED = { service: 'closed', address: 'query' } as const;
const AT_QUERY = { service: 'little', address: 'query' } as const;
const PAID = 'SELECT shop, day, SUM(pay) AS paid FROM sale GROUP BY shop, day ORDER BY day';

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
}

const pressing = (name: string) => (page: Page) => press(page, name);

async function chooseFile(page: Page): Promise<void> {
  const buffer = Buffer.from('id,day,shop,pay\n1,2026-01-05,Oslo,12.50\n2,2026-01-06,Rome,40\n');
  await page
    .getByLabel('File, CSV, JSON or NDJSON')
    .setInputFiles({ name: 'visits.csv', mimeType: 'text/csv', buffer });
}

/** Makes the first value of a column the active one. */
async function chooseValue(page: Page): Promise<void> {
  await page.getByRole('gridcell', { name: 'Rome' }).first().click();
}

async function newTable(page: Page): Promise<void> {
  await press(page, 'Create a table');
  await page.keyboard.type('visit');
  await press(page, 'Add a column');
}

async function newCache(page: Page): Promise<void> {
  await press(page, 'Create a cache');
  await page.keyboard.type('visits');
}

async function plot(page: Page, statement: string): Promise<void> {
  await run(page, statement);
  await page.getByText('90 rows').first().waitFor();
  await page.getByRole('button', { name: 'Plot', exact: true }).click();
  await page.getByRole('figure').locator('canvas').first().waitFor();
}

/** Opens a saved query from the list. */
async function openSaved(page: Page, name: string): Promise<void> {
  await press(page, 'Saved and history');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${name} (?!Properties)`) })
    .click();
  await page.getByRole('navigation', { name: 'Queries' }).getByRole('button', { name, exact: true }).waitFor();
}

export const STATES: readonly State[] = [
  { name: 'login', service: 'closed', address: 'overview', text: 'Log in' },
  {
    name: 'login, rejected',
    service: 'closed',
    address: 'overview',
    text: 'Error',
    async act(page) {
      await page.getByLabel('User').fill('svc');
      await page.getByLabel('Password').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('rror').waitFor();
    },
  },
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
  { name: 'cache, UUID keys', service: 'little', address: 'caches?name=visitors', text: UUID },
  { name: 'cache, nothing', service: 'empty', address: 'caches?name=default', text: 'default' },
  { name: 'query, nothing', service: 'empty', address: 'query', text: 'Query' },
  {
    name: 'query, result',
    service: 'little',
    address: 'query',
    text: 'Rome',
    act: (page) => run(page, PAID),
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
  {
    name: 'overview, plots',
    service: 'lots',
    address: 'overview',
    text: 'Traffic a second',
    async act(page) {
      await page.getByRole('figure', { name: 'Memory' }).locator('canvas').waitFor();
      await page.evaluate('scrollTo(0, 1e6)');
    },
  },
  {
    name: 'overview, state',
    service: 'little',
    address: 'overview',
    text: 'Change the state to ACTIVE_READ_ONLY',
    async act(page) {
      await page.getByText('Change the state').first().click();
      await page.getByLabel('New state').selectOption('ACTIVE_READ_ONLY');
      await press(page, 'Change to ACTIVE_READ_ONLY');
    },
  },
  { name: 'connect', service: 'empty', address: 'overview', text: 'Python', act: pressing('Connect a client') },
  { name: 'new table', service: 'little', address: 'caches', text: 'CREATE TABLE', act: newTable },
  { name: 'new cache', service: 'little', address: 'caches', text: '"cacheName"', act: newCache },
  {
    name: 'import, new table',
    service: 'little',
    address: 'caches',
    text: 'Columns',
    async act(page) {
      await press(page, 'Import a file');
      await chooseFile(page);
      await page.getByLabel('Type of PAY').waitFor();
    },
  },
  { name: 'import, table', service: 'little', address: table('sale', 'transfer'), text: 'Export', act: chooseFile },
  { name: 'new row', ...AT_SALE, text: 'New row of SALE', act: pressing('Add row') },
  {
    name: 'row',
    ...AT_SALE,
    text: 'Save',
    async act(page) {
      await chooseValue(page);
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'value, edited',
    ...AT_SALE,
    text: 'Save',
    async act(page) {
      await chooseValue(page);
      await page.keyboard.press('F2');
    },
  },
  {
    name: 'value',
    ...AT_SALE,
    text: 'Hex',
    async act(page) {
      await chooseValue(page);
      await press(page, 'More');
      await page.getByRole('menuitem', { name: 'Show whole value' }).click();
    },
  },
  {
    name: 'value, menu',
    ...AT_SALE,
    text: 'Copy row as JSON',
    async act(page) {
      await chooseValue(page);
      await page.keyboard.press('Shift+F10');
    },
  },
  {
    name: 'rows, pasted',
    ...AT_SALE,
    text: '4 values in 2 rows',
    async act(page) {
      await chooseValue(page);
      await page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'Bergen\\t1.5\\nParis\\tmany');
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(paste);
      }`);
    },
  },
  {
    name: 'rows, deletion',
    ...AT_SALE,
    text: 'The service would delete 3 of 3',
    async act(page) {
      await chooseValue(page);
      for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown', 'Delete']) await page.keyboard.press(key);
    },
  },
  { name: 'columns', ...AT_SALE, text: 'Columns', act: pressing('Columns') },
  { name: 'go to row', ...AT_SALE, text: '1 to 3,000', act: pressing('Go to row') },
  {
    name: 'rows, none found',
    ...AT_SALE,
    text: 'No row matches the filters',
    act: (page) => page.getByLabel('Filter SHOP').fill('Paris'),
  },
  {
    name: 'rows, wrong filter',
    ...AT_SALE,
    text: 'many',
    async act(page) {
      await page.getByLabel('Filter ID').fill('many');
      await page.getByRole('alert').getByText('many').waitFor();
    },
  },
  {
    name: 'new column',
    service: 'little',
    address: table('sale', 'structure'),
    text: 'Add a column to SALE',
    act: pressing('Add a column'),
  },
  {
    name: 'drop column',
    service: 'little',
    address: table('sale', 'structure'),
    text: 'ALTER TABLE SALE DROP COLUMN SHOP',
    act: pressing('Drop SHOP'),
  },
  {
    name: 'drop table',
    service: 'little',
    address: table('sale', 'structure'),
    text: 'This cannot be undone',
    act: pressing('Drop the table'),
  },
  {
    name: 'new index',
    service: 'little',
    address: table('sale', 'indexes'),
    text: 'Create an index of SALE',
    act: pressing('Create an index'),
  },
  {
    name: 'drop index',
    service: 'little',
    address: table('sale', 'indexes'),
    text: 'Drop the index SALE_DAY',
    act: pressing('Drop SALE_DAY'),
  },
  {
    name: 'destroy cache',
    service: 'little',
    address: 'caches?name=colours&tab=structure',
    text: 'This cannot be undone',
    act: pressing('Destroy the cache'),
  },
  {
    name: 'deadlines of a cache',
    service: 'little',
    address: 'caches?name=colours&tab=deadlines',
    text: 'Next to expire',
  },
  {
    name: 'feed, changes',
    service: 'little',
    address: table('sale', 'feed'),
    text: 'changes received',
    act: pressing('Show earlier changes'),
  },
  {
    name: 'query, plan',
    ...AT_QUERY,
    text: 'whole table',
    async act(page) {
      await typeStatement(page, "SELECT id FROM sale WHERE shop = 'Oslo'");
      await press(page, 'Explain');
    },
  },
  { name: 'query, plot', ...AT_QUERY, text: 'rows that were read', act: (page) => plot(page, PAID) },
  {
    name: 'query, lines',
    ...AT_QUERY,
    text: 'rows that were read',
    act: (page) => plot(page, 'SELECT day, SUM(pay) AS paid FROM sale GROUP BY day ORDER BY day'),
  },
  {
    name: 'query, several',
    ...AT_QUERY,
    text: 'statement after it was not executed',
    async act(page) {
      await typeStatement(page, 'SELECT 1 AS one;\nSELECT * FROM nowhere;\nSELECT 3 AS three');
      await press(page, 'Run all');
    },
  },
  {
    name: 'query, parameters',
    ...AT_QUERY,
    text: 'has no value',
    act: (page) => run(page, 'SELECT * FROM sale WHERE shop = :shop AND day >= :since'),
  },
  { name: 'query, history', ...AT_QUERY, text: 'Saved queries', act: pressing('Saved and history') },
  {
    name: 'query, save',
    ...AT_QUERY,
    text: 'Name of the query',
    async act(page) {
      await typeStatement(page, 'SELECT * FROM sale WHERE shop = :shop AND day >= :since');
      await press(page, 'Save …');
    },
  },
  { name: 'query, saved ones', ...AT_SAVED, text: 'Shared by others', act: pressing('Saved and history') },
  {
    name: 'query, saved and shared',
    ...AT_SAVED,
    text: 'Share, rename …',
    act: (page) => openSaved(page, 'Sales of a shop since a day'),
  },
  {
    name: 'query, share',
    ...AT_SAVED,
    text: 'All users may read it',
    async act(page) {
      await openSaved(page, 'Sales of a shop since a day');
      await press(page, 'Share, rename …');
    },
  },
  {
    name: 'query, of another user',
    ...AT_SAVED,
    address: 'query?id=0123456789abcdef',
    text: 'You cannot open the saved query of this link',
  },
  {
    name: 'query, completion',
    ...AT_QUERY,
    text: 'shop',
    async act(page) {
      await typeStatement(page, 'SELECT * FROM sale WHERE sale.');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete').waitFor();
    },
  },
  {
    name: 'command, response',
    service: 'little',
    address: 'commands?name=size',
    text: '"response":',
    async act(page) {
      await press(page, 'Send size');
      await press(page, 'Python');
    },
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
    name: 'administration, password',
    ...AT_USERS,
    text: 'Change the password of ann',
    act: pressing('Password of ann'),
  },
  { name: 'administration, roles of a user', ...AT_USERS, text: 'Roles of ann', act: pressing('Roles of ann') },
  {
    name: 'administration, delete user',
    ...AT_USERS,
    text: 'Delete the user ann',
    act: pressing('Delete the user ann'),
  },
  {
    name: 'administration, new role',
    service: 'closed',
    address: 'administration?part=roles',
    text: 'Rights on caches',
    act: pressing('New role'),
  },
  {
    name: 'administration, limited key',
    service: 'closed',
    address: 'administration?part=keys',
    text: 'Rights on caches',
    async act(page) {
      await press(page, 'Create key …');
      await page.getByLabel('Permissions').selectOption('limited');
      await page.getByText('Addresses and rate').click();
    },
  },
  {
    name: 'administration, restore',
    service: 'little',
    address: 'administration?part=backups',
    text: 'Restore first.svcbackup',
    act: pressing('Restore first.svcbackup'),
  },
  ...['overview', 'caches', 'query', 'administration'].map((screen): State => {
    return { name: `denied, ${screen}`, service: 'denied', address: screen, text: /You need/ };
  }),
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
