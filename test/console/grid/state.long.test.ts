/** The state of screens of the console, in headless Chromium: a tab, Back and a reload show them as they were left. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { queryOf, startService } from '../../system/service-process.ts';
import { browserTest, NOTE, openTab, startForTests, typeStatement } from '../console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

const started = startForTests(startService, async () => {
  await sql('CREATE TABLE sale (id INT PRIMARY KEY, shop VARCHAR, pay INT)');
  await sql("INSERT INTO sale SELECT x, CASEWHEN(MOD(x, 2) = 0, 'Oslo', 'Rome'), x FROM SYSTEM_RANGE(1, 3000)");
  await started.service.command('cmd=getorcreate&cacheName=stock');
  for (const key of ['tea', 'rice']) await started.service.command(`cmd=put&cacheName=stock&key=${key}&val=1`);
});

/** The text of the first cell of the first row in view. */
const firstInView = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as { document: { querySelector(selector: string): Grid | null } };
    const grid = document.querySelector('[role=grid]');
    const head = grid?.querySelector('.grid-head')?.getBoundingClientRect().bottom ?? 0;
    const rows = [...(grid?.querySelectorAll('.grid-row:not(.grid-head)') ?? [])].map((row) => ({
      y: row.getBoundingClientRect().bottom,
      text: row.querySelector('[role=gridcell]')?.textContent ?? '',
    }));
    return rows.filter(({ y }) => y > head + 4).sort((a, b) => a.y - b.y)[0]?.text ?? '';
  });

interface Grid {
  readonly textContent: string | null;
  querySelector(selector: string): Grid | null;
  querySelectorAll(selector: string): readonly Grid[];
  getBoundingClientRect(): { readonly bottom: number };
}

describe(`how a screen was left${NOTE}`, () => {
  browserTest('is in its address: filters, order and place survive a tab, Back and another load', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_SALE'");
    await page.getByText('3,000 rows,').waitFor();
    await page.getByLabel('Filter SHOP').fill('osl');
    await page.getByText('1,500 rows,').waitFor();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('gridcell', { name: '3000' }).first().waitFor();
    await page.evaluate("document.querySelector('[role=grid]').scrollTop = 28 * 1000");
    await page.waitForURL((url) => url.hash.includes('row=1000'));
    const expectSame = async (): Promise<void> => {
      await page.getByText('1,500 rows,').waitFor();
      expect(await page.getByLabel('Filter SHOP').inputValue()).toBe('osl');
      await page.getByRole('columnheader', { name: 'PAY' }).and(page.locator('[aria-sort=descending]')).waitFor();
      await page.getByRole('gridcell', { name: '1000', exact: true }).first().waitFor();
      expect(await firstInView(page)).toBe('1000');
    };
    await expectSame();
    await openTab(page, 'Structure');
    await openTab(page, 'Rows');
    await expectSame();
    await page.locator('nav a[href="#/overview"]').click();
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    await page.goBack();
    await expectSame();
    await page.reload();
    await expectSame();
    // Another filter begins at the first row.
    await page.getByLabel('Filter SHOP').fill('rom');
    await page.getByRole('gridcell', { name: '2999' }).first().waitFor();
    expect(await firstInView(page)).toBe('2999');
    expect(console.problems).toEqual([]);
  });

  browserTest('is in its address: the key that was searched for, and the search in a list', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=stock'");
    await page.getByRole('gridcell', { name: 'rice', exact: true }).waitFor();
    await page.getByLabel('Search by key').fill('tea');
    await page.keyboard.press('Enter');
    await page.getByText('1 entry.').waitFor();
    await page.reload();
    await page.getByText('1 entry.').waitFor();
    expect(await page.getByLabel('Search by key').inputValue()).toBe('tea');
    await console.show('commands');
    await page.getByLabel('Search').fill('getput');
    await page.locator('main').getByRole('link', { name: 'getput', exact: true }).click();
    await page.getByRole('heading', { name: 'getput', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'getput', exact: true }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('getput');
    expect(console.problems).toEqual([]);
  });

  browserTest('is the text of each query, which another page of the browser does not overwrite', async () => {
    await using console = await started.open();
    const { page } = console;
    const other = await page.context().newPage();
    const shown = (of: Page, text: string) => of.locator('.cm-content', { hasText: text }).waitFor();
    await console.show('query');
    await typeStatement(page, 'SELECT 1 AS first');
    await other.goto(`${started.service.origin}/console#/query`);
    await other.locator('.cm-content').waitFor();
    await typeStatement(other, 'SELECT 2 AS second');
    await typeStatement(page, 'SELECT 3 AS third');
    await other.reload();
    await shown(other, 'SELECT 2 AS second');
    await page.reload();
    await shown(page, 'SELECT 3 AS third');
    expect(await page.locator('.query-tab').count()).toBe(1);
    // The next page has the queries of one that is closed.
    await other.close({ runBeforeUnload: true });
    await page.reload();
    await page.locator('.query-tab').nth(1).click();
    await shown(page, 'SELECT 2 AS second');
    expect(console.problems).toEqual([]);
  });
});
