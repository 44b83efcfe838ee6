/**
 * Values in cells and filters of the console, in headless Chromium: what is typed is stored, and in the right place.
 */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { queryOf, startService } from '../../system/service-process.ts';
import { browserTest, expectAccessible, longestTaskMs, NOTE, startForTests } from '../console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

/** Columns: what is typed over the value of each, and what is stored then. */
const TYPED: ReadonlyArray<readonly [column: string, type: string, before: string, typed: string, stored: string]> = [
  ['TINY', 'TINYINT', '12', '45', '45'],
  ['NUM', 'INT', '20', '45', '45'],
  ['BIG', 'BIGINT', '9007199254740993', '-1', '-1'],
  ['DEC', 'DECIMAL(9, 2)', '1.50', '2.25', '2.25'],
  ['DBL', 'DOUBLE', '1.5', '.5', '0.5'],
  [
    'UID',
    'UUID',
    "'123e4567-e89b-12d3-a456-426614174000'",
    '00000000-0000-0000-0000-00000000000a',
    '00000000-0000-0000-0000-00000000000a',
  ],
  ['BIN', 'BINARY', "X'0102'", 'ff 00', '/wA='],
  ['DAY', 'DATE', "DATE '2026-01-02'", '2027-12-31', '2027-12-31'],
  ['CLOCK', 'TIME', "TIME '10:20:30'", '23:59:58', '23:59:58'],
  ['MOMENT', 'TIMESTAMP', "TIMESTAMP '2026-01-02 10:20:30'", '2027-12-31 23:59:58', '2027-12-31 23:59:58'],
  ['FLAG', 'BOOLEAN', 'TRUE', 'f', 'FALSE'],
  ['TXT', 'VARCHAR', "'old'", 'new', 'new'],
];

const started = startForTests(startService, async () => {
  await sql(`CREATE TABLE typed (id INT PRIMARY KEY, ${TYPED.map(([name, type]) => `${name} ${type}`).join(', ')})`);
  await sql(`INSERT INTO typed VALUES (1, ${TYPED.map(([, , before]) => before).join(', ')})`);
});

const readStored = async (column: string): Promise<string> => {
  const text = column === 'BIN' ? column : `CAST(${column} AS VARCHAR)`;
  const { items } = (await sql(`SELECT ${text} FROM typed`)) as { items: readonly (readonly [string])[] };
  return String(items[0]?.[0]);
};

describe(`what is typed over a value${NOTE}`, () => {
  browserTest('replaces it in cells of every type, as it does in a spreadsheet', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_TYPED'");
    const grid = page.getByRole('grid', { name: 'Rows' });
    await grid.getByRole('gridcell').first().click();
    const found: string[][] = [];
    for (const [column, , , typed] of TYPED) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.type(typed);
      await page.keyboard.press('Enter');
      await page.getByText(`${column} is saved.`).waitFor();
      found.push([column, await readStored(column)]);
    }
    expect(found).toEqual(TYPED.map(([column, , , , stored]) => [column, stored]));
    expect(console.problems).toEqual([]);
  });

  browserTest('replaces it in the field of a row that Enter has opened', async () => {
    await sql('CREATE TABLE opened (id INT PRIMARY KEY, n INT)');
    await sql('INSERT INTO opened VALUES (1, 20)');
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_OPENED'");
    await page.getByRole('gridcell', { name: '20' }).click();
    await page.keyboard.press('Enter');
    const field = page.getByRole('dialog').getByLabel('N INTEGER');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('45');
    expect(await field.inputValue()).toBe('45');
    expect(console.problems).toEqual([]);
  });

  browserTest('is a date and time in the form of the grid, in its cell and in its filter', async () => {
    await using console = await started.open({ locale: 'en-US' });
    const { page } = console;
    await sql("UPDATE typed SET moment = TIMESTAMP '2024-11-02 16:02:36.001'");
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_TYPED'");
    const cell = page.getByRole('gridcell', { name: '2024-11-02 16:02:36.001' });
    await cell.click();
    await page.keyboard.press('F2');
    expect(await page.getByLabel('New value of MOMENT').inputValue()).toBe('2024-11-02 16:02:36.001');
    await page.keyboard.press('Escape');
    for (const [filter, count] of [
      ['>= 2024-11-02', 1],
      ['> 2024-11-02', 0],
      ['2024', 1],
      ['2024-11-01..2024-11-30', 1],
      ['< 2024-11', 0],
    ] as const) {
      await page.getByLabel('Filter MOMENT').fill(filter);
      if (count === 1) await cell.waitFor();
      else await page.getByText('No row matches the filters.').waitFor();
    }
    expect(console.problems).toEqual([]);
  });

  browserTest('is a date and time without the fraction that it does not have, which changes nothing', async () => {
    await sql('CREATE TABLE moments (id INT PRIMARY KEY, at TIMESTAMP, n INT)');
    await sql("INSERT INTO moments VALUES (1, TIMESTAMP '2024-11-02 16:02:36', 1)");
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_MOMENTS'");
    const cell = page.getByRole('gridcell', { name: '2024-11-02 16:02:36', exact: true });
    await cell.click();
    await page.keyboard.press('F2');
    const field = page.getByLabel('New value of AT');
    expect(await field.inputValue()).toBe('2024-11-02 16:02:36');
    // The same moment is no change.
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await field.fill('2024-11-02 16:02:37');
    await page.keyboard.press('Enter');
    await page.getByText('AT is saved.').waitFor();
    // The moment as it is shown is the condition of the next change, and of its inverse.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await page.getByText('N is saved.').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change is undone.').waitFor();
    const { items } = (await sql('SELECT CAST(at AS VARCHAR), n FROM moments')) as { readonly items: unknown };
    expect(items).toEqual([['2024-11-02 16:02:37', 1]]);
    await page.getByRole('gridcell', { name: '2024-11-02 16:02:37', exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Filter by this value' }).click();
    await page.getByText('1 row,').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('appears at once beside a value of 4 MB, of which the statement shows the begin', async () => {
    await sql('CREATE TABLE large (id INT PRIMARY KEY, name VARCHAR, body VARCHAR)');
    await sql("INSERT INTO large VALUES (1, 'old', REPEAT('0123456789abcdef', 262143))");
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_LARGE'");
    await page.getByRole('gridcell', { name: 'old', exact: true }).click();
    await page.keyboard.press('n');
    await page.getByText('(4,194,288 characters)').waitFor();
    const longest = await longestTaskMs(page, async () => {
      await page.keyboard.type('ew name');
      await page.getByText(`SET "NAME" = 'new name'`).waitFor();
    });
    expect(longest).toBeLessThan(200);
    await page.keyboard.press('Enter');
    await page.getByText('NAME is saved.').waitFor();
    expect(console.problems).toEqual([]);
  });
});

describe(`what stands in cells${NOTE}`, () => {
  browserTest('has each NULL on the side where the values of its column are', async () => {
    await sql('CREATE TABLE gaps (id INT PRIMARY KEY, n INT, pay DECIMAL(9, 2), shop VARCHAR)');
    await sql("INSERT INTO gaps VALUES (1, 5, 1.25, 'Oslo'), (2, NULL, NULL, NULL)");
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_GAPS'");
    await page.getByText('2 rows,').waitFor();
    const sidesOf = (row: number) =>
      page
        .getByRole('row')
        .nth(row)
        .getByRole('gridcell')
        .evaluateAll((cells) => cells.map((cell) => cell.ownerDocument.defaultView?.getComputedStyle(cell).textAlign));
    expect(await sidesOf(1)).toEqual(['right', 'right', 'right', 'start']);
    expect(await sidesOf(2)).toEqual(await sidesOf(1));
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
