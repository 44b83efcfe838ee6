/** Tables and caches that are created and changed by forms, in headless Chromium, and the feed of one. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { queryOf } from '../system/service-process.ts';
import { browserTest, expectAccessible, expectNoOverflow, NOTE, openTab, startForTests } from './console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

const started = startForTests();

describe(`forms${NOTE}`, () => {
  browserTest('create a table beside its SQL, and change its columns and indexes', async () => {
    await using console = await started.open();
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const button = (name: string) => page.getByRole('button', { name });
    await console.show('caches');
    await page.locator('.toolbar').getByRole('button', { name: 'Create a table' }).click();
    const create = dialog.getByRole('button', { name: 'Create table' });
    expect(await create.isDisabled()).toBe(true);
    await page.keyboard.type('sale');
    await dialog.getByRole('button', { name: 'Add a column' }).click();
    await page.keyboard.type('pay');
    await dialog.getByLabel('Type of pay').selectOption('DECIMAL');
    await dialog.getByLabel('Size of pay').fill('9, 2');
    await dialog.getByLabel('Default of pay').fill('1.5');
    await dialog.getByLabel('name is not NULL').check();
    await dialog.getByText('Time to live, feed and cache').click();
    await dialog.getByLabel('Time to live of rows', { exact: true }).fill('2');
    await dialog.getByText('WITH "TTLMS=7200000"').waitFor();
    await dialog.getByText('pay DECIMAL(9, 2) DEFAULT 1.5').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name of column 3').fill('name');
    await dialog.getByText('Two columns have the name NAME.').waitFor();
    await dialog.getByLabel('Name of column 3').fill('order');
    await dialog.getByText('"ORDER" DECIMAL(9, 2) DEFAULT 1.5').waitFor();
    await dialog.getByLabel('Name of column 3').fill('pay');
    await dialog.getByLabel('Default of pay').fill('1 5');
    await create.click();
    await dialog.getByRole('alert').getByText('Invalid default value').waitFor();
    await dialog.getByLabel('Default of pay').fill('1.5');
    await create.click();
    await page.getByRole('heading', { name: 'SALE' }).waitFor();

    await openTab(page, 'Structure');
    const columns = page.getByRole('table', { name: 'Columns' });
    await columns.getByRole('row', { name: 'PAY DECIMAL(9, 2) allowed 1.5' }).waitFor();
    await columns.getByRole('row', { name: 'NAME VARCHAR not allowed' }).waitFor();
    await button('Add a column').click();
    await page.keyboard.type('note');
    await dialog.getByText('ALTER TABLE SALE ADD COLUMN note VARCHAR').waitFor();
    await dialog.getByRole('button', { name: 'Add the column' }).click();
    await columns.getByRole('row', { name: 'NOTE' }).waitFor();
    await button('Drop NOTE').click();
    await dialog.getByText('ALTER TABLE SALE DROP COLUMN NOTE').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Drop the column' }).click();
    await columns.getByRole('row', { name: 'NOTE' }).waitFor({ state: 'detached' });

    await openTab(page, 'Indexes');
    await button('Create an index').click();
    await dialog.getByLabel('First column').selectOption('PAY');
    await dialog.getByLabel('descending PAY').check();
    await dialog.getByLabel('Next column').selectOption('NAME');
    await dialog.getByText('CREATE INDEX ON SALE (PAY DESC, NAME)').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create the index' }).click();
    await page.getByRole('table', { name: 'Indexes' }).getByText('PAY DESC, NAME, ID').waitFor();
    await button('Drop SALE_PAY').click();
    await dialog.getByRole('button', { name: 'Drop the index' }).click();
    await button('Drop SALE_PAY').waitFor({ state: 'detached' });
    await openTab(page, 'Expiry');
    await page.getByText('Rows expire 2 h after they were last written.').waitFor();
    await sql("INSERT INTO sale (id, name) VALUES (5, 'tea')");
    await openTab(page, 'Rows');
    await page.getByRole('gridcell', { name: 'tea' }).dblclick();
    await dialog.getByRole('heading', { name: 'Time to live: 1 h 59 min' }).waitFor();
    await dialog.getByRole('button', { name: 'Remove time to live' }).click();
    await dialog.getByRole('heading', { name: 'Time to live: none' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await openTab(page, 'Samples');
    await page.getByLabel('What a program does').selectOption({ label: 'Add a row' });
    await page.getByText('INSERT INTO SALE (ID, NAME, PAY) VALUES (?, ?, ?)').waitFor();
    await expectAccessible(page);
    expect(console.problems.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });

  browserTest('create a cache beside its command, whose deadlines are shown', async () => {
    await using console = await started.open({ width: 390, isDark: true });
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await console.show('caches');
    await page.getByRole('button', { name: 'Create a cache' }).click();
    await page.keyboard.type('codes');
    await dialog.getByLabel('Time to live of entries', { exact: true }).fill('1.5');
    await dialog.getByLabel('Reads also extend the time to live').check();
    await dialog.getByLabel('Record changes for the feed').check();
    await dialog.getByText('"ttlMs": 5400000').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create cache' }).click();
    await page.getByRole('heading', { name: 'codes' }).waitFor();
    await started.service.command('cmd=put&cacheName=codes&key=a&val=1');
    await openTab(page, 'Expiry');
    await page.getByText('Entries expire 1 h 30 min after they were last written or read.').waitFor();
    await page.getByRole('table', { name: 'Next to expire' }).getByText('1 h').waitFor();
    await expectAccessible(page);
    await started.service.command('cmd=persist&cacheName=codes&key=a');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('No entry has a deadline.').waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
    expect(console.problems).toEqual([]);
  });
});

describe(`the feed${NOTE}`, () => {
  browserTest('is paused, filtered and cleared, keeps up with thousands of changes, and is switched off', async () => {
    await using console = await started.open();
    const { page } = console;
    await sql('CREATE TABLE tick (id INT PRIMARY KEY, n INT) WITH "CHANGE_FEED=true"');
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_TICK&tab=feed'");
    await page.getByText('Live', { exact: true }).waitFor();
    await sql('INSERT INTO tick SELECT x, x FROM SYSTEM_RANGE(1, 20000)');
    await page.getByText('20,000 changes received; the latest 1,000 are kept.').waitFor();
    const list = page.getByRole('list', { name: 'Changes, latest first' });
    await list.getByText('N: 20000').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(100);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await sql('UPDATE tick SET n = 0 WHERE id = 7');
    await page.getByText('20,001 changes received').waitFor();
    expect(await list.getByText('N: 7 → 0').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await list.getByRole('button', { name: 'N: 7 → 0' }).click();
    await page.getByRole('dialog', { name: 'updated 7' }).getByText('N: 7 → 0').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Filter').fill('updated');
    await list.getByText('N: 20000').waitFor({ state: 'detached' });
    expect(await list.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No change has arrived yet.').waitFor();
    await page.getByRole('button', { name: 'Switch the feed off' }).click();
    await page.getByRole('heading', { name: 'The change feed is off' }).waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
