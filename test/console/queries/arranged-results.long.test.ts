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
    // The page has statements of its own.
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
  await page.getByText('1,000 rows of the 1,000 rows that were read.').waitFor();
  expect(await cell(1).textContent()).toBe('1000');
  await page.getByLabel('Filter KIND').fill('odd');
  await page.getByText('500 rows of the 1,000 rows that were read.').waitFor();
  expect(await cell(1).textContent()).toBe('999');
  await page.getByLabel('Filter N').fill('10..13');
  await page.getByText('2 rows of the 1,000 rows that were read.').waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  // The service was not asked.
  expect(statements.length).toBe(before);
  await page.getByLabel('Filter N').fill('> many');
  await page.getByText('N (BIGINT) needs a whole number, not "many".').waitFor();
  await page.getByLabel('Filter N').fill('> 1990');
  await page.getByText('0 rows of the 1,000 rows that were read.').waitFor();
  const more = page.getByRole('button', { name: 'Read more rows' });
  await more.click();
  await page.getByText('5 rows of the 2,000 rows that were read.').waitFor();
  await more.click();
  await page.getByText('255 rows of the 2,500.').waitFor();
  expect(await more.count()).toBe(0);
  // What is opened and copied is what is shown.
  await cell(1).dblclick();
  await page.getByRole('dialog').getByText('2499').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear order and filters' }).click();
  await page.getByText('2,500 rows, first page in').waitFor();
  expect(await cell(1).textContent()).toBe('1');
  expect(console.problems).toEqual([]);
});
