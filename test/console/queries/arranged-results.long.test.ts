/** Results that are sorted and filtered in place, in headless Chromium. */
import { expect, setDefaultTimeout } from 'bun:test';
import {
  browserTest,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  startForTests,
  typeStatement,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const started = startForTests();

browserTest(`a result is sorted and filtered in place, for the rows that were read${NOTE}`, async () => {
  await using console = await started.open();
  const { page } = console;
  await console.show('query');
  const statements: string[] = [];
  page.on('request', (request) => {
    // The page has its own statements.
    if (/SYSTEM_RANGE|"qryId"/.test(request.postData() ?? '')) statements.push(request.url());
  });
  await typeStatement(page, "SELECT x AS n, CASEWHEN(MOD(x, 2) = 0, 'even', 'odd') AS kind FROM SYSTEM_RANGE(1, 2500)");
  await page.keyboard.press('Control+Enter');
  await page.getByText('1,000 rows so far').waitFor();
  const grid = page.getByRole('grid', { name: 'Result' });
  const cell = (row: number) => grid.getByRole('row').nth(row).getByRole('gridcell').first();
  const before = statements.length;
  await grid.getByRole('button', { name: /^N/ }).click();
  await grid.getByRole('button', { name: /^N/ }).click();
  await page.getByText('1,000 of 1,000 rows read so far.').waitFor();
  expect(await cell(1).textContent()).toBe('1000');
  await page.getByLabel('Filter KIND').fill('odd');
  await page.getByText('500 of 1,000 rows read so far.').waitFor();
  expect(await cell(1).textContent()).toBe('999');
  await page.getByLabel('Filter N').fill('10..13');
  await page.getByText('2 of 1,000 rows read so far.').waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  // The service was not asked.
  expect(statements.length).toBe(before);
  await page.getByLabel('Filter N').fill('> many');
  await page.getByText('N (BIGINT) needs a whole number, not "many".').waitFor();
  await page.getByLabel('Filter N').fill('> 1990');
  await page.getByText('0 of 1,000 rows read so far.').waitFor();
  const more = page.getByRole('button', { name: 'Read more rows' });
  await more.click();
  await page.getByText('5 of 2,000 rows read so far.').waitFor();
  await more.click();
  await page.getByText('255 of 2,500 rows.').waitFor();
  expect(await more.count()).toBe(0);
  // The opened and copied values are those shown.
  await cell(1).dblclick();
  await page.getByRole('dialog').getByText('2499').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear order and filters' }).click();
  await page.getByText('2,500 rows, first page in').waitFor();
  expect(await cell(1).textContent()).toBe('1');
  expect(console.problems).toEqual([]);
});
browserTest(`a cell of a result has the menu of the grid, as far as nothing changes${NOTE}`, async () => {
  await using console = await started.open({ width: 1_440, height: 900 });
  const { page } = console;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  await console.show('query');
  await typeStatement(
    page,
    "SELECT x AS n, CASEWHEN(MOD(x, 2) = 0, 'even', NULL) AS kind, X'0aff' AS raw FROM SYSTEM_RANGE(1, 40)",
  );
  await page.keyboard.press('Control+Enter');
  await page.getByText('40 rows,').waitFor();
  const grid = page.getByRole('grid', { name: 'Result' });
  const choose = async (name: string, item: string): Promise<void> => {
    await grid.getByRole('gridcell', { name, exact: true }).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  await choose('0a ff', 'Copy value');
  await page.getByText('The value is copied.').waitFor();
  expect(await clipboard()).toBe('0a ff');
  await choose('4', 'Copy row as JSON');
  await page.getByText('1 row copied as JSON.').waitFor();
  expect(JSON.parse(await clipboard())).toEqual([{ N: 4, KIND: 'even', RAW: 'Cv8=' }]);
  await choose('even', 'Filter by this value');
  await page.getByText('20 of 40 rows.').waitFor();
  await choose('even', 'Filter out this value');
  await page.getByText('0 of 40 rows.').waitFor();
  await page.getByRole('button', { name: 'Clear order and filters' }).click();
  await choose('NULL', 'Filter by this value');
  await page.getByText('20 of 40 rows.').waitFor();
  // By keys: the menu of the active cell, and its value.
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menu', { name: 'Row, N' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+c');
  await page.getByText('The value is copied.').waitFor();
  expect(await clipboard()).toBe('1');
  await choose('1', 'Show whole value Enter');
  await page.getByRole('dialog', { name: 'N' }).waitFor();
  expect(console.problems).toEqual([]);
});

for (const [width, height, rows] of [
  [1_440, 900, 16],
  [1_366, 650, 7],
  [1_024, 768, 10],
  [390, 844, 10],
] as const) {
  browserTest(`a result fills the window of ${width}x${height} pixels, and scrolls alone${NOTE}`, async () => {
    await using console = await started.open({ width, height });
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT x AS n FROM SYSTEM_RANGE(1, 2500)');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,000 rows so far').waitFor();
    const scrollable = (selector: string) =>
      page.evaluate<number>(`(() => {
        const { scrollHeight, clientHeight } = document.querySelector(${JSON.stringify(selector)});
        return scrollHeight - clientHeight;
      })()`);
    expect([await scrollable('html'), await scrollable('main')]).toEqual([0, 0]);
    expect(await scrollable('.grid')).toBeGreaterThan(1_000);
    // Whole rows in view, below the heads.
    const shown = await page.evaluate<number>(`(() => {
      const { bottom } = document.querySelector('.grid').getBoundingClientRect();
      const rows = [...document.querySelectorAll('.grid-row:not(.grid-head)')];
      return rows.filter((row) => row.getBoundingClientRect().bottom <= bottom).length;
    })()`);
    expect(shown).toBeGreaterThanOrEqual(rows);
    const button = await page.getByRole('button', { name: 'Copy CSV' }).boundingBox();
    expect((button?.y ?? height) + (button?.height ?? 0)).toBeLessThan(height);
    await expectNoOverflow(page);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
}

browserTest(`the editor above a result is as high as its statement, and can be made higher${NOTE}`, async () => {
  await using console = await started.open({ width: 1_024, height: 768 });
  const { page } = console;
  await console.show('query');
  const editorHeight = async () => (await page.locator('.editor').boundingBox())?.height ?? 0;
  const scrollsInside = () =>
    page.locator('.editor .cm-scroller').evaluate((element) => element.scrollHeight > element.clientHeight + 1);
  await typeStatement(page, 'SELECT x AS n FROM SYSTEM_RANGE(1, 2500)');
  await page.keyboard.press('Control+Enter');
  await page.getByText('1,000 rows so far').waitFor();
  const low = await editorHeight();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  for (let line = 0; line < 5; line++) await page.keyboard.press('Enter');
  expect(await editorHeight()).toBeGreaterThan(low);
  expect(await scrollsInside()).toBe(false);
  // A long statement scrolls within the editor.
  for (let line = 0; line < 15; line++) await page.keyboard.press('Enter');
  expect(await editorHeight()).toBeLessThan(200);
  expect(await scrollsInside()).toBe(true);
  const corner = await page.locator('.editor').boundingBox();
  const [x, y] = [(corner?.x ?? 0) + (corner?.width ?? 0) - 4, (corner?.y ?? 0) + (corner?.height ?? 0) - 4];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + 120);
  await page.mouse.up();
  expect(await editorHeight()).toBeGreaterThan(250);
  expect(console.problems).toEqual([]);
});
