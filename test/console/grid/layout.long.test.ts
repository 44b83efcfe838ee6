/**
 * The parts that the grid of a table keeps in view: its key, its foot, the page itself; and the rows that its boxes
 * select.
 */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { queryOf, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  startForTests,
} from '../console-page.ts';

setDefaultTimeout(180_000);

const UUID = 'd00d8a44-0e00-4b80-8d00-60a0b0d0e0';
const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

const started = startForTests(startService, async () => {
  await sql('CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR, pay DECIMAL(9, 2))');
  await sql("INSERT INTO sale SELECT x, DATE '2026-01-01', 'Rome', x * 1.25 FROM SYSTEM_RANGE(1, 3000)");
  const texts = Array.from({ length: 12 }, (_, at) => `text_${at + 1} VARCHAR`);
  await sql(`CREATE TABLE wide (id UUID PRIMARY KEY, ok BOOLEAN, at TIMESTAMP, raw VARBINARY, n INT, ${texts})`);
  for (let row = 10; row < 20; row++) {
    const values = texts.map((_, at) => `'A text that is rather long, number ${at}'`);
    const others = `TRUE, TIMESTAMP '2026-01-02 10:20:30', X'0aff', ${row}`;
    await sql(`INSERT INTO wide VALUES ('${UUID}${row}', ${others}, ${values})`);
  }
});

async function open(table: string, size: { width?: number; height?: number } = {}): Promise<ConsolePage> {
  const console = await started.open(size);
  await console.page.evaluate(`location.hash = '#/caches?name=SQL_PUBLIC_${table}'`);
  await console.page.getByText(/rows, the first/).waitFor();
  return console;
}

/** Returns by how many pixels the page can be scrolled. */
const scrollable = (page: Page, selector: string) =>
  page.evaluate<readonly [number, number]>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    return [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight];
  })()`);

/** Returns the position and the size of the first element of a kind. */
async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return box;
}

describe(`the grid${NOTE}`, () => {
  for (const [width, height] of [
    [1_440, 900],
    [1_024, 768],
    [390, 844],
  ] as const) {
    browserTest(`fills the window of ${width} pixels, and scrolls alone`, async () => {
      await using console = await open('WIDE', { width, height });
      const { page } = console;
      // One bar for each direction: neither the page nor its parts scroll.
      expect((await scrollable(page, 'html'))[1]).toBe(0);
      expect((await scrollable(page, 'main'))[1]).toBe(0);
      expect((await scrollable(page, '.grid'))[0]).toBeGreaterThan(100);
      await expectNoOverflow(page);
      const [grid, foot] = [await boxOf(page, '.grid'), await boxOf(page, '.grid-foot')];
      expect(foot.y).toBeGreaterThanOrEqual(grid.y + grid.height);
      expect(foot.y + foot.height).toBeLessThanOrEqual(height);
      // The frame, the tabs, the heads and the foot leave most of the window.
      expect(grid.height).toBeGreaterThan(height * (width < 640 ? 0.35 : 0.5));
      await expectAccessible(page);
      expect(console.problems).toEqual([]);
    });
  }

  browserTest('stays where it is when a cell is clicked, changed and left again', async () => {
    await using console = await open('SALE', { height: 700 });
    const { page } = console;
    const before = await boxOf(page, '.grid');
    const cells = page.getByRole('gridcell', { name: 'Rome' });
    await cells.nth(3).click();
    expect(await boxOf(page, '.grid')).toEqual(before);
    const row = await cells.nth(3).boundingBox();
    // The last row is cut by the end of the grid, and a click leaves it there.
    const y = before.y + before.height - 4;
    await page.mouse.click(row?.x ?? 0, y);
    await page.locator('.grid-row .active').waitFor();
    expect(await page.evaluate('document.querySelector(".grid").scrollTop + document.documentElement.scrollTop')).toBe(
      0,
    );
    expect(await boxOf(page, '.grid')).toEqual(before);
    // The statement is below the grid, which is less high meanwhile and still shows the cell.
    await page.keyboard.type('Paris');
    await page.getByText(`SET "SHOP" = 'Paris'`).waitFor();
    const [field, grid] = [await boxOf(page, '.value-editor'), await boxOf(page, '.grid')];
    expect(grid.y).toBe(before.y);
    expect(field.y + field.height).toBeLessThanOrEqual(grid.y + grid.height);
    await page.keyboard.press('Escape');
    expect(await boxOf(page, '.grid')).toEqual(before);
    // The message that the key cannot be changed appears where nothing moves.
    await page.getByRole('gridcell', { name: '2', exact: true }).click();
    await page.getByText('A key cannot be changed.').waitFor();
    expect(await boxOf(page, '.grid')).toEqual(before);
    expect(console.problems).toEqual([]);
  });

  browserTest('stays where it is when a filter adds a button', async () => {
    await using console = await open('SALE', { width: 1_024, height: 768 });
    const { page } = console;
    const before = await boxOf(page, '.grid');
    await page.getByLabel('Filter SHOP').fill('rom');
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    expect(await boxOf(page, '.grid')).toEqual(before);
    await expectNoOverflow(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('keeps the key and the numbers of the rows in view, which cover no active cell', async () => {
    await using console = await open('WIDE');
    const { page } = console;
    const key = page.getByRole('gridcell', { name: `${UUID}10` });
    const number = page.getByRole('rowheader', { name: 'Row 1', exact: true });
    const [keyBefore, numberBefore] = [await key.boundingBox(), await number.boundingBox()];
    await key.click();
    await page.keyboard.press('End');
    expect((await scrollable(page, '.grid'))[0]).toBeGreaterThan(100);
    expect(await page.evaluate<number>('document.querySelector(".grid").scrollLeft')).toBeGreaterThan(100);
    expect(await key.boundingBox()).toEqual(keyBefore);
    expect(await number.boundingBox()).toEqual(numberBefore);
    const right = (keyBefore?.x ?? 0) + (keyBefore?.width ?? 0);
    for (let press = 0; press < 14; press++) {
      await page.keyboard.press('ArrowLeft');
      expect((await boxOf(page, '.grid-row .active')).x).toBeGreaterThanOrEqual(right - 1);
    }
    expect(console.problems).toEqual([]);
  });

  browserTest('has columns as wide as values of their types, and heads and bytes as in queries', async () => {
    await using console = await open('WIDE', { width: 1_440 });
    const { page } = console;
    const widthOf = async (name: string) => (await boxOf(page, `[role=columnheader]:has-text("${name}")`)).width;
    const whole = (text: string) =>
      page
        .getByRole('gridcell', { name: text })
        .first()
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
    expect(await whole(`${UUID}10`)).toBe(true);
    expect(await whole('2026-01-02 10:20:30')).toBe(true);
    expect(await widthOf('OK')).toBeLessThan(80);
    await page.getByRole('gridcell', { name: '0a ff' }).first().click();
    await page.keyboard.press('F2');
    expect(await page.getByLabel('New value of RAW').inputValue()).toBe('0a ff');
    const head = await page.getByRole('columnheader', { name: 'AT' }).locator('.column-name').textContent();
    await page.evaluate(`location.hash = '#/query?sql=SELECT id, at, raw FROM wide'`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('gridcell', { name: '0a ff' }).first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'AT' }).locator('.column-name').textContent()).toBe(head);
    expect(await whole(`${UUID}10`)).toBe(true);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('selects rows by their boxes, and ranges of them with Shift', async () => {
    await using console = await open('SALE');
    const { page } = console;
    const box = (row: number) => page.getByRole('checkbox', { name: `Select row ${row}`, exact: true });
    await box(2).click();
    await page.getByText('1 row is selected.').waitFor();
    await box(5).click({ modifiers: ['Shift'] });
    await page.getByText('4 rows are selected.').waitFor();
    // The end of a range that was selected already stays so.
    await box(3).click({ modifiers: ['Shift'] });
    expect(await box(3).isChecked()).toBe(true);
    await box(8).click();
    await page.getByText('5 rows are selected.').waitFor();
    for (const row of [3, 4, 5]) await box(row).click();
    await page.getByText('2 rows are selected.').waitFor();
    expect(await box(4).isChecked()).toBe(false);
    await expectAccessible(page);
    // Keys continue from there.
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 rows?' });
    await dialog.getByText('The service would delete 2 of 2.').waitFor();
    await dialog.getByText('"ID" = 2 AND').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByText('1,000 rows are selected, the maximum.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByText('selected').waitFor({ state: 'detached' });
    expect(await box(2).isChecked()).toBe(false);
    expect(console.problems).toEqual([]);
  });

  browserTest('has a foot with the rows in view, which leads to other pages', async () => {
    await using console = await open('SALE');
    const { page } = console;
    const shown = page.locator('.pages-rows');
    const first = async () => Number(/^[\d,]+/.exec((await shown.textContent()) ?? '')?.[0].replaceAll(',', ''));
    expect(await first()).toBe(1);
    expect(await page.getByRole('button', { name: 'Previous page' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Next page' }).click();
    await shown.filter({ hasText: /^1–/ }).waitFor({ state: 'detached' });
    expect(await first()).toBeGreaterThan(10);
    await page.getByRole('button', { name: 'Last page' }).click();
    await shown.filter({ hasText: '–3,000' }).waitFor();
    await page.getByRole('gridcell', { name: '3000', exact: true }).waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await shown.filter({ hasText: /^1–/ }).waitFor();
    expect(await page.locator('.grid-foot details').getAttribute('open')).toBeNull();
    await page.getByRole('button', { name: 'Add row to SALE' }).click();
    await page.getByRole('dialog', { name: 'New row of SALE' }).waitFor();
    expect(console.problems).toEqual([]);
  });

  for (const [width, height] of [
    [1_440, 900],
    [390, 844],
  ] as const) {
    browserTest(
      `opens a row in a panel beside it, in groups, with its buttons in view at ${width} pixels`,
      async () => {
        await using console = await open('WIDE', { width, height });
        const { page } = console;
        await page.getByRole('gridcell', { name: '0a ff' }).nth(1).dblclick();
        const panel = page.getByRole('dialog', { name: 'Row of WIDE' });
        const box = await panel.boundingBox();
        expect([(box?.x ?? 0) + (box?.width ?? 0), box?.y, box?.height]).toEqual([width, 0, height]);
        if (width > 640) expect(box?.width).toBeLessThan(width / 2);
        await panel.getByRole('region', { name: 'Key' }).getByLabel('ID UUID, key').waitFor();
        await panel.getByRole('region', { name: 'Values' }).getByLabel('TEXT_12 VARCHAR').waitFor();
        await panel.getByRole('region', { name: 'Details' }).getByText('Size of the values').waitFor();
        await panel.getByRole('region', { name: 'Details' }).getByText('Time to live: none').waitFor();
        // However many columns there are, the button that saves them is in view.
        const save = await panel.getByRole('button', { name: 'Save' }).boundingBox();
        expect((save?.y ?? height) + (save?.height ?? 0)).toBeLessThanOrEqual(height);
        await panel.getByLabel('N INTEGER').fill(`${width}`);
        await expectNoOverflow(page);
        await expectAccessible(page);
        await page.keyboard.press('Enter');
        await panel.waitFor({ state: 'detached' });
        await page.getByRole('gridcell', { name: `${width}`, exact: true }).waitFor();
        expect(console.problems).toEqual([]);
      },
    );
  }

  browserTest('keeps a UUID in view on a small screen, and has most of it', async () => {
    await using console = await open('WIDE', { width: 390, height: 844 });
    const { page } = console;
    const key = page.getByRole('row').nth(1).getByRole('gridcell').first();
    const before = await key.boundingBox();
    expect(
      await page.evaluate(
        "(document.querySelector('.grid').scrollLeft = 400, document.querySelector('.grid').scrollLeft)",
      ),
    ).toBe(400);
    const after = await key.boundingBox();
    expect(after?.x).toBe(before?.x);
    expect((after?.x ?? 0) + (after?.width ?? 0)).toBeLessThan(390 * 0.65);
    expect((await boxOf(page, '.grid')).height).toBeGreaterThan(844 * 0.6);
    await expectNoOverflow(page);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('of a cache leaves room on a small screen: the search has one line', async () => {
    await started.service.command('cmd=getorcreate&cacheName=stock');
    await started.service.command('cmd=put&cacheName=stock&key=a&val=b');
    await using console = await started.open({ width: 390, height: 844 });
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=stock'");
    await page.getByText('1 entry.').waitFor();
    const [field, button] = [
      await page.getByLabel('Search by key').boundingBox(),
      await page.getByRole('button', { name: 'Search', exact: true }).boundingBox(),
    ];
    expect(button?.y).toBeLessThan((field?.y ?? 0) + (field?.height ?? 0));
    expect((await boxOf(page, '.grid')).height).toBeGreaterThan(240);
    expect((await scrollable(page, 'main'))[1]).toBe(0);
    await expectNoOverflow(page);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
