/** The menu of cells, blocks that are pasted, and changes that are undone, in headless Chromium. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { queryOf } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  startForTests,
} from '../console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 100, qry }));
const started = startForTests();

async function itemsOf(qry: string): Promise<unknown> {
  const { items } = (await sql(qry)) as { readonly items: unknown };
  return items;
}

/** Creates a table of six rows for a test, and opens it. */
async function open(table: string, width = 1_200): Promise<ConsolePage> {
  await sql(`CREATE TABLE ${table} (id INT PRIMARY KEY, shop VARCHAR, n INT, kind VARCHAR DEFAULT 'shop')`);
  await sql(`INSERT INTO ${table} (id, shop, n) SELECT x, 'Oslo ' || x, x * 10 FROM SYSTEM_RANGE(1, 6)`);
  const console = await started.open({ width });
  const { page } = console;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`location.hash = '#/caches?name=SQL_PUBLIC_${table}'`);
  await page.getByText('6 rows,').waitFor();
  return console;
}

const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true }).first();
const clipboardOf = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+v');
}

describe(`the menu of a cell${NOTE}`, () => {
  browserTest('is opened by the second button, copies, filters, edits and deletes', async () => {
    await using console = await open('MENU');
    const { page } = console;
    const menu = page.getByRole('menu');
    const choose = async (text: string, item: string): Promise<void> => {
      await cell(page, text).click({ button: 'right' });
      await menu.getByRole('menuitem', { name: item }).click();
      await menu.waitFor({ state: 'detached' });
    };
    await cell(page, 'Oslo 2').click({ button: 'right' });
    await expectAccessible(page);
    await menu.getByRole('menuitem', { name: 'Copy value' }).click();
    await page.getByText('The value is copied.').waitFor();
    expect(await clipboardOf(page)).toBe('Oslo 2');
    await choose('Oslo 2', 'Copy row as JSON');
    await page.getByText('1 row copied as JSON.').waitFor();
    expect(JSON.parse(await clipboardOf(page))).toEqual([{ ID: 2, SHOP: 'Oslo 2', N: 20, KIND: 'shop' }]);
    await choose('Oslo 2', 'Copy row as CSV');
    await page.getByText('1 row copied as CSV.').waitFor();
    expect(await clipboardOf(page)).toBe('ID,SHOP,N,KIND\r\n2,Oslo 2,20,shop\r\n');
    // The selection stays, and the menu applies to it.
    await page.getByLabel('Select row 2', { exact: true }).click();
    await page.getByLabel('Select row 3', { exact: true }).click();
    await choose('Oslo 3', 'Copy 2 rows as INSERT');
    await page.getByText('2 rows copied as INSERT.').waitFor();
    expect(await clipboardOf(page)).toBe(
      `INSERT INTO PUBLIC.MENU (ID, SHOP, N, KIND) VALUES\n  (2, 'Oslo 2', 20, 'shop'),\n  (3, 'Oslo 3', 30, 'shop');\n`,
    );
    await choose('Oslo 4', 'Filter by this value');
    await page.getByText('1 row,').waitFor();
    expect(await page.getByLabel('Filter SHOP').inputValue()).toBe('= Oslo 4');
    await choose('Oslo 4', 'Set to NULL');
    await page.keyboard.press('Enter');
    await page.getByText('SHOP is saved.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await choose('NULL', 'Filter out this value');
    await page.getByText('5 rows,').waitFor();
    await choose('Oslo 5', 'Edit value');
    await page.getByLabel('New value of SHOP').waitFor();
    await page.keyboard.press('Escape');
    await choose('Oslo 5', 'Delete row');
    await page.getByRole('dialog', { name: 'Delete 1 row?' }).waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('is opened, walked through and left by keys, and leads back to the cell', async () => {
    await using console = await open('KEYS');
    const { page } = console;
    const menu = page.getByRole('menu');
    const grid = page.getByRole('grid', { name: 'Rows' });
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await cell(page, 'Oslo 3').click();
    await page.keyboard.press('Shift+F10');
    await menu.waitFor();
    expect(await focused()).toBe('Copy value');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Copy row as JSON');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toStartWith('Delete row');
    await page.keyboard.press('o');
    expect(await focused()).toStartWith('Open row');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await grid.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('ContextMenu');
    await menu.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('f');
    await page.keyboard.press('Enter');
    await page.getByText('1 row,').waitFor();
    expect(await page.getByLabel('Filter SHOP').inputValue()).toBe('= Oslo 3');
    expect(console.problems).toEqual([]);
  });

  browserTest('stays within a small screen, where a button opens it', async () => {
    await using console = await open('SMALL', 390);
    const { page } = console;
    await cell(page, 'Oslo 1').click();
    await page.getByRole('button', { name: 'More' }).click();
    const box = await page.getByRole('menu').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    await expectNoOverflow(page);
    await expectAccessible(page);
    await page.mouse.click(200, 60);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });
});

describe(`a block of cells${NOTE}`, () => {
  browserTest('is pasted from the active cell on, after a preview, and undone together', async () => {
    await using console = await open('BLOCK');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await cell(page, 'Oslo 2').click();
    await paste(page, 'Rome\t21\nParis\tmany\n');
    await dialog.getByText('Row 3: N (INTEGER) needs a whole number, not "many".').waitFor();
    expect(await dialog.getByRole('button', { name: 'Paste' }).isDisabled()).toBe(true);
    // The value that cannot be stored is marked, and comes first.
    expect(await dialog.getByRole('row').nth(1).innerText()).toContain('✕ many');
    expect(await dialog.locator('td .bad').allInnerTexts()).toHaveLength(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await paste(page, 'Rome\t21\nParis\t30\n');
    await page.getByRole('dialog', { name: 'Paste 2 lines into BLOCK?' }).waitFor();
    await dialog.getByText('3 values in 2 rows.').waitFor();
    await dialog.getByRole('table', { name: 'Changes' }).getByText('Oslo 3').waitFor();
    await dialog.getByText(`SET "SHOP" = 'Rome', "N" = 21 WHERE "ID" = 2 AND "SHOP" = 'Oslo 2'`).waitFor();
    await expectAccessible(page);
    expect(await itemsOf("SELECT COUNT(*) FROM block WHERE shop LIKE 'Oslo%'")).toEqual([[6]]);
    // Someone else is faster with one of them.
    await sql('UPDATE block SET n = 31 WHERE id = 3');
    await dialog.getByRole('button', { name: 'Paste' }).click();
    await page.getByText('Pasted 1 of 2 rows. The others have changed since they were read.').waitFor();
    expect(await itemsOf('SELECT shop, n FROM block WHERE id IN (2, 3) ORDER BY id')).toEqual([
      ['Rome', 21],
      ['Oslo 3', 31],
    ]);
    await page.getByRole('grid', { name: 'Rows' }).focus();
    await page.keyboard.press('Control+z');
    await dialog.getByText('Pasted 1 of 2 rows.').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).waitFor();
    await dialog.getByText(`SET "SHOP" = 'Oslo 2', "N" = 20 WHERE "ID" = 2 AND "SHOP" = 'Rome' AND "N" = 21`).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change is undone.').waitFor();
    expect(await itemsOf('SELECT shop, n FROM block WHERE id = 2')).toEqual([['Oslo 2', 20]]);
    expect(console.problems).toEqual([]);
  });

  browserTest('has new rows, from a spreadsheet or from a copy of this grid', async () => {
    await using console = await open('ADDED');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await cell(page, '1').click();
    await paste(page, '7,Rome,70\n8,"Paris, Texas",\n');
    await dialog.getByText('6 values in 2 rows, of which 2 are new.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Add new rows' }).getAttribute('aria-pressed')).toBe('true');
    await dialog.getByRole('button', { name: 'Change the rows from here' }).click();
    await dialog.getByText('A key cannot be changed.').first().waitFor();
    await dialog.getByRole('button', { name: 'Add new rows' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Paste' }).click();
    await page.getByText('Pasted 2 of 2 rows.').waitFor();
    await page.getByText('8 rows,').waitFor();
    expect(await itemsOf('SELECT shop, n, kind FROM added WHERE id > 6 ORDER BY id')).toEqual([
      ['Rome', 70, 'shop'],
      ['Paris, Texas', null, 'shop'],
    ]);
    // Rows copied here can be pasted here: the first line names the columns.
    await cell(page, 'Paris, Texas').waitFor();
    await page.getByLabel('Select row 7', { exact: true }).click();
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 row.').waitFor();
    expect(await clipboardOf(page)).toBe('ID\tSHOP\tN\tKIND\n7\tRome\t70\tshop');
    await page.keyboard.press('Control+v');
    await dialog.getByText('Nothing changes: all values are the same.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('grid', { name: 'Rows' }).focus();
    await page.keyboard.press('Control+z');
    await dialog.getByText(`DELETE FROM "PUBLIC"."ADDED" WHERE "ID" = 8 AND "SHOP" = 'Paris, Texas'`).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone 2 of 2.').waitFor();
    await page.getByText('6 rows,').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('of one value begins to change the active cell', async () => {
    await using console = await open('SINGLE');
    const { page } = console;
    await cell(page, 'Oslo 5').click();
    await paste(page, 'Rome, Italy');
    await page.getByText(`SET "SHOP" = 'Rome, Italy'`).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('SHOP is saved.').waitFor();
    expect(await itemsOf('SELECT shop FROM single WHERE id = 5')).toEqual([['Rome, Italy']]);
    expect(console.problems).toEqual([]);
  });
});

describe(`the last change of a page${NOTE}`, () => {
  browserTest('is undone by Control+Z, unless somebody has changed the row since', async () => {
    await using console = await open('REVERTED');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const grid = page.getByRole('grid', { name: 'Rows' });
    await cell(page, 'Oslo 2').click();
    await page.keyboard.press('Control+z');
    await page.getByText('There is nothing to undo: this page has saved no change here.').waitFor();
    await page.keyboard.type('Rome');
    await page.keyboard.press('Enter');
    await page.getByText('SHOP is saved.').waitFor();
    await page.keyboard.press('Control+z');
    await dialog.getByText(`SET "SHOP" = 'Oslo 2' WHERE "ID" = 2 AND "SHOP" = 'Rome'`).waitFor();
    await expectAccessible(page);
    await sql('UPDATE reverted SET n = 21 WHERE id = 2');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByRole('alert').getByText('Nothing was undone: the data has changed since.').waitFor();
    expect(await itemsOf('SELECT shop, n FROM reverted WHERE id = 2')).toEqual([['Rome', 21]]);
    await sql('UPDATE reverted SET n = 20 WHERE id = 2');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change is undone.').waitFor();
    await cell(page, 'Oslo 2').waitFor();
    expect(await itemsOf('SELECT shop, n FROM reverted WHERE id = 2')).toEqual([['Oslo 2', 20]]);

    // Rows that were deleted come back.
    await cell(page, 'Oslo 3').click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await dialog.getByText('The service would delete 2 of 2. Control+Z undoes it while this page is open.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('4 rows,').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('Times to live are not restored.').waitFor();
    await dialog
      .getByText(`INSERT INTO "PUBLIC"."REVERTED" ("ID", "SHOP", "N", "KIND") VALUES (3, 'Oslo 3', 30, 'shop')`)
      .waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone 2 of 2.').waitFor();
    await page.getByText('6 rows,').waitFor();

    // An added row is also undone, with the default that it got.
    await page.getByRole('button', { name: 'Add row' }).click();
    await dialog.getByLabel('ID INTEGER, key').fill('9');
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await page.getByText('7 rows,').waitFor();
    await grid.focus();
    await page.keyboard.press('Control+z');
    await dialog.getByText('DELETE FROM "PUBLIC"."REVERTED" WHERE "ID" = 9').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('6 rows,').waitFor();
    expect(await itemsOf('SELECT COUNT(*) FROM reverted')).toEqual([[6]]);
    expect(console.problems).toEqual([]);
  });

  browserTest('of an entry is undone by the command with the old value', async () => {
    await started.service.command('cmd=getorcreate&cacheName=stock');
    await started.service.command(queryOf({ cmd: 'put', cacheName: 'stock', key: 'a', val: 'one' }));
    await using console = await started.open();
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const read = () => started.service.command('cmd=get&cacheName=stock&key=a');
    await page.evaluate(`location.hash = '#/caches?name=stock'`);
    await cell(page, 'one').click();
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await page.getByText('Value is saved.').waitFor();
    expect(await read()).toBe('two');
    await page.keyboard.press('Control+z');
    await dialog.getByText('"val2": "two"').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change is undone.').waitFor();
    expect(await read()).toBe('one');
    expect(console.problems).toEqual([]);
  });
});
