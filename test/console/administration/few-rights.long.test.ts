/** The console of users with few rights, in headless Chromium: every screen says what is missing. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  NOTE,
  openTab,
  showPart,
  startForTests,
  typeStatement,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'svc',
  users: [
    { name: 'rita', password: 'rita' },
    { name: 'nora', password: 'nora' },
    { name: 'tom', password: 'tom' },
  ],
  permissions: {
    roles: {
      reader: { caches: { stock: 'read' } },
      nothing: { commands: ['noop'] },
      table: { tables: { TRIP: 'read' } },
    },
    users: { rita: ['reader'], nora: ['nothing'], tom: ['table'] },
  },
};
const folder = newFolder();

const started = startForTests(async () => {
  const file = join(folder, 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
  const service = await startService({ args: ['--config', file] });
  const { sessionToken } = await service.send('cmd=authenticate&svc.login=svc&svc.password=svc');
  for (const cacheName of ['stock', 'salaries']) {
    await service.command(`cmd=getorcreate&cacheName=${cacheName}&sessionToken=${sessionToken}`);
    await service.command(`cmd=put&cacheName=${cacheName}&key=tea&val=12&sessionToken=${sessionToken}`);
  }
  for (const qry of [
    'CREATE TABLE trip (id INT PRIMARY KEY, city VARCHAR, minutes INT)',
    "INSERT INTO trip SELECT x, CASEWHEN(MOD(x, 2) = 0, 'Oslo', 'Rome'), x * 2 FROM SYSTEM_RANGE(1, 700)",
    'CREATE TABLE secret (id INT PRIMARY KEY, n INT)',
  ]) {
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: String(sessionToken) }));
  }
  return service;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Screens of the user rita, who may only read one cache, with their texts. */
const READER: Readonly<Record<string, readonly string[]>> = {
  overview: ['ACTIVE', 'You need the right "metrics" to see the load', 'the right "backup"'],
  caches: ['caches and tables that you may use', 'stock'],
  query: ['Other tables and the system views need more rights'],
  commands: ['cachelist'],
  administration: ['You need the right "users" to add and delete users.', 'you'],
};
/** Screens of the user nora, who may send one command only. */
const NEARLY_NOTHING: Readonly<Record<string, readonly string[]>> = {
  overview: ['metricshistory', 'state', 'top', 'backups', 'qryfldexe'].map((cmd) => `a right on the command "${cmd}"`),
  caches: ['a right on the command "cachelist"', 'Name of a cache that you may read'],
  query: ['You need a right on the command "qryfldexe" to run statements.'],
  commands: ['cachelist'],
  administration: ['the command "userlist"'],
};

/** Parts of the administration, with their texts for each user. */
const PARTS: Readonly<Record<string, { readonly rita: string; readonly nora: string }>> = {
  Roles: { rita: 'stock: read', nora: 'the command "rolelist"' },
  'API keys': { rita: 'There are no API keys', nora: 'the command "apikeylist"' },
  Sessions: { rita: 'this one', nora: 'the command "sessionlist"' },
  Tasks: { rita: 'No task is running', nora: 'the command "tasklist"' },
  Backups: { rita: 'the right "backup"', nora: 'the command "backups"' },
  Configuration: { rita: 'the right "state"', nora: 'the command "config"' },
  Log: { rita: 'the right "log"', nora: 'the command "log"' },
};

/** Texts that would be false about data that a user may not read. */
const UNTRUE = /Loading|There (?:are|is) no|None is|0 of 0|first plots|No statements running/;

async function openAs(user: string): Promise<ConsolePage> {
  const console = await started.open();
  await console.page.getByLabel('User').fill(user);
  await console.page.getByLabel('Password').fill(user);
  await console.page.keyboard.press('Enter');
  await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
  return console;
}

/** The browser itself reports each answer 403. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !each.includes('status of 403'));

describe(`the console of a user with few rights${NOTE}`, () => {
  for (const [user, screens] of [
    ['rita', READER],
    ['nora', NEARLY_NOTHING],
  ] as const) {
    browserTest(`says on every screen what ${user} may not see`, async () => {
      await using console = await openAs(user);
      const main = console.page.locator('main');
      for (const [screen, texts] of Object.entries(screens)) {
        await console.show(screen);
        for (const text of texts) await main.getByText(text).first().waitFor();
        if (user === 'nora') expect(await main.getByRole('button', { name: /^(Run|Explain)/ }).count()).toBe(0);
        // Hidden parts are not failures.
        expect(await main.getByRole('alert').getByText('missing=').count()).toBe(0);
        if (user === 'nora') expect((await main.innerText()).match(UNTRUE)?.[0]).toBeUndefined();
        await expectAccessible(console.page);
      }
      for (const [title, said] of Object.entries(PARTS)) {
        await showPart(console.page, title);
        await main.getByText(said[user]).first().waitFor();
        expect(await main.getByRole('alert').getByText('missing=').count()).toBe(0);
        if (user === 'nora') expect((await main.innerText()).match(UNTRUE)?.[0]).toBeUndefined();
        await expectAccessible(console.page);
      }
      expect(unexpected(console)).toEqual([]);
    });
  }

  browserTest('opens the one cache that its user may read, and offers no change', async () => {
    await using console = await openAs('rita');
    const { page } = console;
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'stock', exact: true }).click();
    await page.getByRole('heading', { name: 'stock', exact: true }).waitFor();
    await page.getByText('You may read these entries, but not change them.').waitFor();
    await page.getByRole('gridcell', { name: 'tea', exact: true }).dblclick();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value', { exact: true }).waitFor();
    expect(await dialog.getByLabel('Value', { exact: true }).isEditable()).toBe(false);
    // Fields that cannot be changed look like it, and the panel says why.
    await dialog.getByText('You may read these entries, but not change them.').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('dialog textarea')).borderStyle")).toBe(
      'dashed',
    );
    expect(await dialog.getByRole('button', { name: /Save|Duplicate|Delete/ }).count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.evaluate("location.hash = '#/caches?name=salaries'");
    await page.getByText('There is no cache salaries, or you may not use it.').waitFor();
    expect(await page.getByRole('gridcell', { name: 'tea', exact: true }).count()).toBe(0);
    await expectAccessible(page);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('lets the reader of one table do what reading allows, without an error on any screen', async () => {
    await using console = await openAs('tom');
    const { page } = console;
    const main = page.locator('main');
    const expectNoError = async (): Promise<void> => {
      expect((await page.getByRole('alert').allTextContents()).join('')).toBe('');
    };
    for (const screen of Object.keys(READER)) {
      await console.show(screen);
      await main.getByText('Loading').first().waitFor({ state: 'detached' });
      await expectNoError();
      await expectAccessible(page);
      // An unknown number is a dash.
      const unknown = { caches: 'TRIP – – table 3 – –', overview: /^[0-9a-f-]{36} – – – –$/ }[screen];
      if (unknown !== undefined) await main.getByRole('row', { name: unknown }).first().waitFor();
    }
    // Finds the table in the sidebar, and opens it as a table.
    const sidebar = page.getByRole('complementary', { name: 'Areas and data' });
    expect(await sidebar.getByText('SECRET').count()).toBe(0);
    await sidebar.getByRole('link', { name: 'TRIP' }).click();
    const grid = page.getByRole('grid', { name: 'Rows' });
    await page.getByText('700 rows,').waitFor();
    expect(await page.getByRole('button', { name: /Add|Live|Delete|Edit/ }).count()).toBe(0);
    // Filters and sorts.
    await page.getByLabel('Filter CITY').fill('osl');
    await page.getByText('350 rows,').waitFor();
    await page.getByRole('button', { name: 'MINUTES' }).click();
    await page.getByRole('button', { name: 'MINUTES' }).click();
    await grid.getByRole('row').nth(1).getByText('1400').waitFor();
    // Goes to a row by its number, opens it, and shows a whole value.
    await page.getByRole('button', { name: 'Go to row …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Number of the row').fill('350');
    await page.keyboard.press('Enter');
    await page.locator('.grid-row [role=gridcell].active').getByText('2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open row' }).click();
    await dialog.getByLabel('CITY VARCHAR').waitFor();
    // Which columns are the key is not known to this user.
    await dialog.getByText('You may read these rows, but not change them.').waitFor();
    await dialog.getByText('Size of the values').waitFor();
    expect(await dialog.getByText(/^Key$|Size of the key/).count()).toBe(0);
    await expectNoError();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show whole value' }).click();
    await dialog.getByText('INTEGER').waitFor();
    await page.keyboard.press('Escape');
    // Typing and Delete change nothing.
    await grid.focus();
    await page.keyboard.press('Delete');
    await page.keyboard.type('5');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // Sees its columns, and exports it.
    await openTab(page, 'Structure');
    await page.getByRole('table', { name: 'Columns' }).getByText('MINUTES').waitFor();
    expect(await main.getByRole('button').count()).toBe(0);
    await openTab(page, 'Import and export');
    expect(await main.getByRole('button', { name: /^Import/ }).count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await download).suggestedFilename()).toEndWith('.csv');
    await expectNoError();
    // Queries it, with completed names, and explains that.
    await console.show('query');
    await typeStatement(page, 'SELECT city, COUNT(*) FROM trip GROUP BY city');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('2 rows,').waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.locator('.plan').first().waitFor();
    await expectNoError();
    expect(unexpected(console)).toEqual([]);
  });
});
