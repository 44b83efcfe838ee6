/**
 * The first minutes with the console, in headless Chromium: from a service without data to an imported file, a filtered
 * grid, a corrected cell, a plot and a live feed, in few clicks and without documentation; and what else is offered.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Locator } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { allowedMs } from '../system/machine.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import {
  browserTest,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openBrowser,
  openConsole,
  openTab,
} from './console-page.ts';

setDefaultTimeout(180_000);
/** Clicks that someone new may need; a double click is two, and choosing a file is one. */
const MAX_CLICKS = 15;
/** Nobody waits longer than this. */
const MAX_MS = 60_000;

let browser: Browser;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const SHOPS = ['Oslo', 'Rome', 'Bern'];
const ROWS = Array.from(
  { length: 200 },
  (_, index) =>
    `${index + 1},2026-01-${String((index % 28) + 1).padStart(2, '0')},${SHOPS[index % 3]},${index / 4 + 10}`,
);
const SALES = {
  name: 'sales 2026.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`id,day,shop,pay\n${ROWS.join('\n')}\n`),
};

const sql = (service: ServiceProcess, qry: string) =>
  service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry })) as Promise<{ readonly items: unknown }>;

describe(`the first minute${NOTE}`, () => {
  browserTest('leads from nothing to a file, a filter, a correction, a plot and a feed', async () => {
    await using service = await startService();
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks++;
      await target.click();
    };
    const button = (name: string) => page.getByRole('button', { name });
    const grid = page.getByRole('grid', { name: 'Rows' });
    const dialog = page.getByRole('dialog');
    const begin = performance.now();

    await click(button('Import a CSV file'));
    clicks++;
    await dialog.getByLabel('File, CSV, JSON or NDJSON').setInputFiles(SALES);
    await dialog.getByLabel('Type of PAY').waitFor();
    await click(dialog.getByRole('button', { name: 'Import', exact: true }));
    await grid.getByText('2026-01-01').first().waitFor();

    await click(page.getByLabel('Filter SHOP'));
    await page.keyboard.type('oslo');
    await page.getByText('67 rows').first().waitFor();
    clicks += 2;
    await grid.getByRole('gridcell', { name: 'Oslo' }).first().dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Oslo Airport');
    await click(dialog.getByRole('button', { name: 'Save' }));
    await grid.getByRole('gridcell', { name: 'Oslo Airport' }).waitFor();
    expect((await sql(service, "SELECT COUNT(*) FROM sales_2026 WHERE shop = 'Oslo Airport'")).items).toEqual([[1]]);

    await click(page.getByRole('link', { name: 'Open in Query' }));
    await click(page.getByRole('button', { name: 'Run', exact: true }));
    await click(page.getByRole('button', { name: 'Plot', exact: true }));
    await page.getByRole('figure').locator('canvas').waitFor();

    await click(page.getByRole('list', { name: 'Caches and tables' }).getByRole('link', { name: 'SALES_2026' }));
    await click(page.getByRole('link', { name: 'Feed', exact: true }));
    await click(button('Switch the feed on'));
    await page.getByText('Live', { exact: true }).waitFor();
    await sql(service, 'UPDATE sales_2026 SET pay = 99.5 WHERE id = 1');
    await page.getByText('PAY: 10 → 99.5').waitFor();

    expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
    expect(performance.now() - begin).toBeLessThan(allowedMs(MAX_MS));
    await expectAccessible(page);
    expect(console.problems.filter((each) => !/status of 4\d\d .*\/watch$/.test(each))).toEqual([]);
  });

  for (const [isDark, width] of [
    [false, 1_200],
    [true, 390],
  ] as const) {
    browserTest(`offers sample data, forms and clients, at ${width} pixels`, async () => {
      await using service = await startService();
      await using console = await openConsole(browser, service.origin, { isDark, width });
      const { page } = console;
      const dialog = page.getByRole('dialog');
      const button = (name: string) => page.getByRole('button', { name });
      await button('Connect a client').waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);

      await button('Connect a client').click();
      await dialog.getByText(service.url, { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Python' }).click();
      await dialog.getByText('from svc_grid import SvcClient').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await button('Connect a client').evaluate((each) => each === each.ownerDocument.activeElement)).toBe(true);

      await button('Load the sample data').click();
      await page.getByRole('heading', { name: 'TRIP', exact: true }).waitFor();
      await page.getByRole('grid', { name: 'Rows' }).getByText('2026-06-').first().waitFor();
      await openTab(page, 'Feed');
      await button('Show earlier changes').click();
      await page.getByText(/^601 changes received/).waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.evaluate("location.hash = '#/caches?name=reservations&tab=deadlines'");
      await page.getByRole('table', { name: 'Next to expire' }).getByText('bike-31').waitFor();
      await page.getByText('Entries expire 30 min after they were last written.').waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await console.show('overview');
      expect(await button('Load the sample data').count()).toBe(0);
      expect(console.problems).toEqual([]);
    });
  }
});
