/** The rows of a table in the console, in headless Chromium: sorted, filtered, added, changed, removed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { installBrowser, missing } from '../browser/chromium.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import {
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  openBrowser,
  openConsole,
  openTab,
} from './console-page.ts';

setDefaultTimeout(180_000);
const NOTE = missing ? ' (skipped: chromium is not on the PATH)' : '';

let browser: Browser;
let service: ServiceProcess;
const browserTest = test.skipIf(missing);
const sql = (qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

beforeAll(async () => {
  if (missing) return;
  await installBrowser();
  browser = await openBrowser();
  service = await startService();
  await sql('CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR, pay DECIMAL(9, 2))');
  await sql(
    "INSERT INTO sale SELECT x, DATEADD('DAY', MOD(x, 90), DATE '2026-01-01'), " +
      "CASEWHEN(MOD(x, 3) = 0, 'Oslo', 'Rome'), x * 1.25 FROM SYSTEM_RANGE(1, 3000)",
  );
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

/** Opens the rows of the table. */
async function openRows(width = 1_200): Promise<ConsolePage> {
  const console = await openConsole(browser, service.origin, { width });
  await console.page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_SALE'");
  await console.page.getByRole('grid', { name: 'Rows' }).getByText('2026-01-02').first().waitFor();
  return console;
}

describe(`the rows of a table${NOTE}`, () => {
  browserTest('are filtered and sorted by column, and open as a query', async () => {
    await using console = await openRows();
    const { page } = console;
    const grid = page.getByRole('grid', { name: 'Rows' });
    await page.getByText('1,000 rows so far').waitFor();
    await page.getByLabel('Filter SHOP').fill('OSL');
    await page.getByLabel('Filter ID').fill('> 2990');
    await page.getByText('4 rows,').waitFor();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('columnheader', { name: 'PAY' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await grid.getByRole('row').nth(1).getByText('3000', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Filter ID').fill('many');
    await page.getByRole('alert').getByText('many').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('1,000 rows so far').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual(expect.arrayContaining(['']));
    await page.getByLabel('Filter SHOP').fill('= Rome');
    await page.getByText('Open as a query').click();
    await page.locator('.cm-content', { hasText: `WHERE "SHOP" = 'Rome' ORDER BY "PAY" DESC, "ID"` }).waitFor();
    // The browser itself reports the answer 400.
    expect(console.problems.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });

  browserTest('are changed only if they have not changed, added, duplicated and removed', async () => {
    await using console = await openRows();
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Filter ID').fill('7');
    await page.getByText('1 row,').waitFor();
    await page.getByRole('gridcell', { name: 'Rome' }).dblclick();
    const shop = dialog.getByLabel('SHOP VARCHAR');
    expect(await shop.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await shop.fill("O'Hare");
    await dialog.getByText(`SET "SHOP" = 'O''Hare' WHERE "ID" = 7 AND`).waitFor();
    await expectAccessible(page);
    await sql('UPDATE sale SET pay = 1 WHERE id = 7');
    await dialog.getByRole('button', { name: 'Save if unchanged' }).click();
    await dialog.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'Rome' }).dblclick();
    await shop.fill("O'Hare");
    await dialog.getByRole('button', { name: /^Set to NULL\s*: DAY/ }).click();
    await dialog.getByRole('button', { name: 'Save if unchanged' }).click();
    await page.getByRole('gridcell', { name: "O'Hare" }).waitFor();
    await page.getByRole('gridcell', { name: 'NULL' }).waitFor();

    await page.getByRole('gridcell', { name: "O'Hare" }).dblclick();
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await dialog.getByLabel('ID INTEGER, key').fill('9001');
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Filter ID').fill('9001');
    await page.getByRole('gridcell', { name: '9001' }).dblclick();
    await dialog.getByRole('button', { name: 'Delete if unchanged' }).click();
    await page.getByText('0 rows').waitFor();
    const { items } = (await sql('SELECT shop, day FROM sale WHERE id IN (7, 9001)')) as { items: unknown };
    expect(items).toEqual([["O'Hare", null]]);
    expect(console.problems).toEqual([]);
  });

  browserTest('are reached by the arrow keys, and opened by Enter', async () => {
    await using console = await openRows();
    const { page } = console;
    await page.getByRole('grid', { name: 'Rows' }).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    const day = page.getByRole('dialog').getByLabel('DAY DATE');
    await day.waitFor();
    expect(await day.inputValue()).toBe('2026-01-03');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('fit a small screen, and show the structure of the table', async () => {
    await using console = await openRows(390);
    const { page } = console;
    await expectNoOverflow(page);
    await expectAccessible(page);
    await openTab(page, 'Structure');
    await page.getByRole('table', { name: 'Columns' }).getByText('DECIMAL(9, 2)').waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
