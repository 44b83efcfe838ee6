/** The rows of a table in the console, in headless Chromium: sorted, filtered, added, changed, removed. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { pageStatement, type Statement, statementOf } from '../../../src/console/caches/row-query.ts';
import type { RowTexts } from '../../../src/console/rows/row.ts';
import { queryOf, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openTab,
  startForTests,
} from '../console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

const started = startForTests(startService, async () => {
  await sql('CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR, pay DECIMAL(9, 2))');
  await sql(
    "INSERT INTO sale SELECT x, DATEADD('DAY', MOD(x, 90), DATE '2026-01-01'), " +
      "CASEWHEN(MOD(x, 3) = 0, 'Oslo', 'Rome'), x * 1.25 FROM SYSTEM_RANGE(1, 3000)",
  );
});

/** Opens the rows of the table. */
async function openRows(width = 1_200): Promise<ConsolePage> {
  const console = await started.open({ width });
  await console.page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_SALE'");
  await console.page.getByRole('grid', { name: 'Rows' }).getByText('2026-01-02').first().waitFor();
  return console;
}

describe(`the rows of a table${NOTE}`, () => {
  browserTest('are filtered and sorted by column, and open as a query', async () => {
    await using console = await openRows();
    const { page } = console;
    const grid = page.getByRole('grid', { name: 'Rows' });
    await page.getByText('3,000 rows,').waitFor();
    await page.getByLabel('Filter SHOP').fill('OSL');
    await page.getByLabel('Filter ID').fill('> 2990');
    await page.getByText('4 rows,').waitFor();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('button', { name: 'PAY' }).click();
    await page.getByRole('columnheader', { name: 'PAY' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await grid.getByRole('row').nth(1).getByText('3000', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Filter ID').fill('many');
    await page.getByRole('alert').getByText('ID (INTEGER) needs a whole number, not "many".').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3,000 rows,').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual(expect.arrayContaining(['']));
    await page.getByLabel('Filter SHOP').fill('= Rome');
    await page.getByText('Open in Query').click();
    await page.locator('.cm-content', { hasText: `WHERE "SHOP" = 'Rome' ORDER BY "PAY" DESC, "ID"` }).waitFor();
    expect(console.problems).toEqual([]);
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
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'Rome' }).dblclick();
    await shop.fill("O'Hare");
    await dialog.getByRole('button', { name: /^Set to NULL\s*: DAY/ }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: "O'Hare" }).waitFor();
    await page.getByRole('gridcell', { name: 'NULL' }).waitFor();

    await page.getByRole('gridcell', { name: "O'Hare" }).dblclick();
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await dialog.getByLabel('ID INTEGER, key').fill('9001');
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Filter ID').fill('9001');
    await page.getByRole('gridcell', { name: '9001' }).dblclick();
    await dialog.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByText('The service would delete 1 of 1.').waitFor();
    await dialog.getByText('DELETE FROM "PUBLIC"."SALE" WHERE "ID" = 9001 AND').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No row matches the filters.').waitFor();
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

  browserTest('are changed in their cells, with the field of their type and the statement below', async () => {
    await using console = await openRows();
    const { page } = console;
    await page.getByLabel('Filter ID').fill('11');
    await page.getByText('1 row,').waitFor();
    await page.getByRole('gridcell', { name: 'Rome' }).click();
    await page.getByRole('button', { name: 'Show whole value' }).click();
    await page.getByRole('button', { name: 'Hex' }).click();
    await page.getByRole('dialog').getByText('52 6f 6d 65').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Rows' }).focus();
    await page.keyboard.type('Bergen');
    await page.getByText(`SET "SHOP" = 'Bergen' WHERE "ID" = 11 AND`).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByText('SHOP is saved.').waitFor();
    await page.getByRole('gridcell', { name: 'Bergen' }).waitFor();
    // The focus is in the grid again, where the arrow keys lead to the date.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('F2');
    await page.getByLabel('New value of DAY').fill('2030-05-06');
    await sql('UPDATE sale SET pay = 5 WHERE id = 11');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('gridcell', { name: /^5(?:\.00)?$/ }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('DAY is saved.').waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('button', { name: 'Set to NULL' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'NULL' }).waitFor();
    const { items } = (await sql('SELECT shop, day FROM sale WHERE id = 11')) as { items: unknown };
    expect(items).toEqual([['Bergen', null]]);
    expect(console.problems).toEqual([]);
  });

  browserTest('with bytes are filtered, added and changed as hexadecimal digits', async () => {
    await sql('CREATE TABLE photo (id INT PRIMARY KEY, raw VARBINARY)');
    await sql("INSERT INTO photo VALUES (1, X'0102'), (2, X'ff')");
    await using console = await started.open();
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_PHOTO'");
    await page.getByText('2 rows,').waitFor();
    await page.getByLabel('Filter RAW').fill('< 1');
    await page.getByText('RAW (VARBINARY) needs pairs of hexadecimal digits such as 0a ff, not "1".').waitFor();
    await page.getByLabel('Filter RAW').fill('< 10');
    await page.getByText('1 row,').waitFor();
    await page.getByRole('gridcell', { name: '01 02' }).click();
    await page.keyboard.press('F2');
    const field = page.getByLabel('New value of RAW');
    expect(await field.inputValue()).toBe('01 02');
    await field.fill('01 03');
    await page.getByText(`SET "RAW" = X'0103' WHERE "ID" = 1 AND "RAW" = X'0102'`).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: '01 03' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Add row' }).click();
    expect(await dialog.getByLabel('ID INTEGER, key').getAttribute('placeholder')).toBe('required');
    expect(await dialog.getByLabel(/^RAW/).getAttribute('placeholder')).toBe('NULL');
    await dialog.getByLabel(/^RAW/).fill('0a0b');
    expect(await dialog.getByRole('button', { name: 'Add row' }).isDisabled()).toBe(true);
    await dialog.getByLabel('ID INTEGER, key').fill('3');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add row' }).click();
    await page.getByRole('gridcell', { name: '0a 0b' }).waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('are selected, copied and deleted together, with a preview', async () => {
    await using console = await openRows();
    const { page } = console;
    await page.getByLabel('Filter ID').fill('> 2900');
    await page.getByText('100 rows,').waitFor();
    const grid = page.getByRole('grid', { name: 'Rows' });
    await grid.getByText('2901', { exact: true }).click();
    for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key);
    await page.getByText('3 rows are selected.').waitFor();
    await grid.getByText('2906', { exact: true }).click({ modifiers: ['Control'] });
    await page.getByText('4 rows are selected.').waitFor();
    await expectAccessible(page);
    await page.evaluate(`addEventListener('copy', ({ clipboardData }) => {
      globalThis.copied = clipboardData.getData('text/plain');
    })`);
    await page.keyboard.press('Control+c');
    const copied = await page.waitForFunction('globalThis.copied');
    expect(String(await copied.jsonValue()).split('\n')).toHaveLength(5);
    await page.getByText('Copied 4 rows.').waitFor();
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 4 rows' });
    await dialog.getByText('The service would delete 4 of 4.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 4 of 4.').waitFor();
    await page.getByText('96 rows,').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('have columns that are hidden, moved and widened, which the browser remembers', async () => {
    await using console = await openRows();
    const { page } = console;
    const heads = () =>
      page
        .getByRole('columnheader')
        .getByRole('button')
        .evaluateAll((names) => names.map(({ firstChild }) => firstChild?.textContent));
    expect(await heads()).toEqual(['ID', 'DAY', 'SHOP', 'PAY']);
    await page.getByRole('button', { name: 'Columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel('DAY').uncheck();
    await dialog.getByRole('button', { name: 'Move PAY before' }).click();
    await dialog.getByText('PAY is column 3 of 4.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await heads()).toEqual(['ID', 'PAY', 'SHOP']);
    await page.getByRole('button', { name: 'SHOP' }).dragTo(page.getByRole('button', { name: 'PAY' }));
    expect(await heads()).toEqual(['ID', 'SHOP', 'PAY']);
    const shop = page.getByRole('columnheader', { name: 'SHOP' });
    await page.getByRole('gridcell', { name: 'Oslo' }).first().click();
    for (let press = 0; press < 3; press++) await page.keyboard.press('Alt+ArrowRight');
    const width = (await shop.boundingBox())?.width;
    await page.reload();
    await page.getByRole('gridcell', { name: 'Oslo' }).first().waitFor();
    expect(await heads()).toEqual(['ID', 'SHOP', 'PAY']);
    expect((await shop.boundingBox())?.width).toBe(width);
    await page.getByRole('button', { name: 'Columns' }).click();
    await dialog.getByRole('button', { name: 'Reset' }).click();
    await page.keyboard.press('Escape');
    expect(await heads()).toEqual(['ID', 'DAY', 'SHOP', 'PAY']);
    expect(console.problems).toEqual([]);
  });

  browserTest('are marked and read again when others change them, while Live is pressed', async () => {
    await using console = await openRows();
    const { page } = console;
    const live = page.getByRole('button', { name: 'Live', exact: true });
    await live.click();
    await page.getByText('The change feed is off.').waitFor();
    await started.service.command('cmd=changefeed&cacheName=SQL_PUBLIC_SALE');
    await live.click();
    await live.click();
    await page.getByText('changes a second').waitFor();
    await sql("UPDATE sale SET shop = 'Live Street' WHERE id = 5");
    const row = page.getByRole('row').filter({ hasText: 'Live Street' });
    await row.and(page.locator('.changed, .changed-again')).waitFor();
    await page.locator('.changed, .changed-again').waitFor({ state: 'detached' });
    await row.waitFor();
    await live.click();
    await sql("UPDATE sale SET shop = 'Oslo' WHERE id = 5");
    await page.waitForTimeout(1_500);
    expect(await row.count()).toBe(1);
    await started.service.command('cmd=changefeed&cacheName=SQL_PUBLIC_SALE&enabled=false');
    expect(console.problems.filter((each) => !/status of 4\d\d .*\/watch$/.test(each))).toEqual([]);
  });

  browserTest('are filtered by values of each type, and the statement that is shown does the same', async () => {
    await sql('CREATE TABLE kinds (id INT PRIMARY KEY, ok BOOLEAN, day DATE, at TIMESTAMP, u UUID)');
    await sql(
      "INSERT INTO kinds VALUES (1, TRUE, DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', " +
        "'00000000-0000-0001-0000-000000000002'), (2, FALSE, DATE '2027-01-02', NULL, NULL)",
    );
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_KINDS'");
    await page.getByText('2 rows,').waitFor();
    for (const [column, filter] of [
      ['OK', 'true'],
      ['DAY', '< 2026-12-31'],
      ['AT', '>= 2026-01-02 03:04:05'],
      ['U', '00000000-0000-0001-0000-000000000002'],
    ] as const) {
      await page.getByLabel(`Filter ${column}`, { exact: true }).fill(filter);
    }
    await page.getByText('1 row,').waitFor();
    await page.getByText('Statement', { exact: true }).click();
    await page.getByText(`WHERE "OK" = TRUE AND "DAY" < '2026-12-31'`).waitFor();
    await page.getByText('Open in Query').click();
    await page.locator('.cm-content', { hasText: '"OK" = TRUE' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('1 row,').waitFor();
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

  browserTest('that are left after a failed deletion are shown', async () => {
    await using console = await openRows();
    const { page } = console;
    await page.getByLabel('Filter ID').fill('<= 60');
    await page.getByText('60 rows,').waitFor();
    await page.getByRole('grid', { name: 'Rows' }).getByText('1', { exact: true }).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 60 rows' });
    await dialog.getByText('The service would delete 60 of 60.').waitFor();
    let statements = 0;
    await page.route('**/qryfldexe', (route) => {
      // The page also reads the list of tables now and then.
      const isDeletion = route.request().postData()?.includes('DELETE FROM') === true;
      return isDeletion && ++statements === 2 ? route.abort() : route.continue();
    });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Deleted 50, then: No answer').waitFor();
    await page.getByText('10 rows,').waitFor();
  });
});

describe('pages of rows, each read from the one before it or after it', () => {
  const column = (name: string, type: string, isKey: boolean) => ({
    name,
    type: `java.lang.${type}`,
    sqlType: '',
    isKey,
    isNullable: !isKey,
    defaultValue: null,
  });
  const columns = [column('A', 'Integer', true), column('B', 'Integer', true), column('V', 'Integer', false)];
  const query = { table: { schema: 'PUBLIC', name: 'PAIR' }, columns, filters: { A: '< 9' } };

  /** Returns what a statement reads, as texts. */
  async function read({ sql: qry, args }: Statement): Promise<readonly RowTexts[]> {
    const numbered = args.flatMap(({ type, value }, at) => [
      [`arg${at + 1}`, value],
      [`arg${at + 1}Type`, type],
    ]);
    const params = { cmd: 'qryfldexe', pageSize: 1_000, qry, ...Object.fromEntries(numbered) };
    const { items } = (await started.service.command(queryOf(params))) as {
      items: ReadonlyArray<ReadonlyArray<number | null>>;
    };
    return items.map((row) =>
      Object.fromEntries(columns.map(({ name }, at) => [name, row[at] === null ? null : String(row[at])])),
    );
  }

  for (const order of [undefined, { column: 'V', isDescending: false }, { column: 'V', isDescending: true }]) {
    browserTest(`are all rows, ordered by ${JSON.stringify(order) ?? 'the key'}`, async () => {
      await sql('CREATE TABLE IF NOT EXISTS pair (a INT, b INT, v INT, PRIMARY KEY (a, b))');
      await sql(
        'MERGE INTO pair SELECT MOD(x, 10), x, CASEWHEN(MOD(x, 4) = 0, NULL, MOD(x, 5)) FROM SYSTEM_RANGE(1, 100)',
      );
      const all = await read(statementOf({ ...query, order }));
      expect(all).toHaveLength(90);
      for (let at = 0; at < all.length - 7; at += 7) {
        const [row = {}, next = {}] = [all[at], all[at + 7]];
        expect(await read(pageStatement({ ...query, order }, { after: row }, 7))).toEqual(all.slice(at + 1, at + 8));
        const before = await read(pageStatement({ ...query, order }, { before: next }, 7));
        expect([...before].reverse()).toEqual(all.slice(at, at + 7));
      }
    });
  }
});
