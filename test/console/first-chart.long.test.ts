/** The console as someone new uses it: from a fresh service to a plot of their own rows. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Browser } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { startService } from '../system/service-process.ts';
import { browserTest, expectAccessible, NOTE, openBrowser, openConsole, openTab } from './console-page.ts';

setDefaultTimeout(180_000);
/** Clicks from the first view to the plot: two minutes leave 15 s for each. */
const MAX_STEPS = 8;

let browser: Browser;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
});
afterAll(() => browser?.close());

describe(`a first chart${NOTE}`, () => {
  browserTest('takes eight clicks on a new service, and no typing', async () => {
    await using service = await startService();
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    let steps = 0;
    const press = async (name: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).click();
      steps++;
    };
    await console.show('query');
    steps++;
    const grid = page.getByRole('grid', { name: 'Result' });
    for (const [example, shown] of [
      ['Create a table', page.getByText(/^Done in /)],
      ['Insert rows', page.getByText(/^3 rows were changed in /)],
      ['Select rows', grid.getByText('210.25', { exact: true })],
    ] as const) {
      await press(example);
      await press('Run');
      await shown.waitFor();
    }
    // The result takes the space of the examples.
    await page.getByRole('button', { name: 'Insert rows' }).waitFor({ state: 'hidden' });
    await expectAccessible(page);
    await press('Plot');
    await page.getByRole('figure', { name: 'AMOUNT by DAY' }).locator('canvas').waitFor();
    expect(steps).toBeLessThanOrEqual(MAX_STEPS);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('of a CSV file follows from the table: import, select, plot', async () => {
    await using service = await startService();
    await service.command('cmd=qryfldexe&pageSize=1&qry=CREATE TABLE visit (day DATE PRIMARY KEY, visitors INT)');
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'VISIT' }).click();
    await openTab(page, 'Import and export');
    const buffer = Buffer.from('day,visitors\n2026-01-05,12\n2026-01-06,40\n2026-01-07,31\n');
    await page
      .getByLabel('File, CSV, JSON or NDJSON')
      .setInputFiles({ name: 'visit.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported:').waitFor();
    await openTab(page, 'Rows');
    await page.getByRole('link', { name: 'Open in Query' }).click();
    await page.locator('.cm-content', { hasText: 'SELECT "DAY", "VISITORS" FROM "PUBLIC"."VISIT"' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('3 rows,').waitFor();
    await page.getByRole('button', { name: 'Plot', exact: true }).click();
    await page.getByRole('figure', { name: 'VISITORS by DAY' }).locator('canvas').waitFor();
    expect(console.problems).toEqual([]);
  });
});
