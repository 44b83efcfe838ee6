/** Results of a million rows, plots of extreme values, live plots over a long time: bounded memory, no long task. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../../system/until.ts';
import {
  browserTest,
  hastenTimers,
  heapBytes,
  longestTaskMs,
  NOTE,
  startForTests,
  typeStatement,
} from '../console-page.ts';
import { HOUR_SAMPLES, samplesFrom } from '../samples.ts';

setDefaultTimeout(900_000);
const MEBIBYTE = 1024 * 1024;
const ROWS = 1_000_000;
const MILLION = `SELECT x, 'name ' || x AS name, x * 1.5 AS pay FROM SYSTEM_RANGE(1, ${ROWS})`;

/** Height of a row of the grid. */
const ROW_PIXELS = 28;
/** Longer contents scroll faster. */
const MAX_PIXELS = 16_000_000;

/** Rows of which the browser keeps most, but not all. */
const WIDE_ROWS = 14_000;
const WIDE = `SELECT x, 'name ' || x AS name, REPEAT('y', 1500) AS text FROM SYSTEM_RANGE(1, ${WIDE_ROWS})`;

const started = startForTests();

async function run(page: Page, sql: string): Promise<void> {
  await typeStatement(page, sql);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Result' }).waitFor();
}

describe(`a result of a million rows${NOTE}`, () => {
  browserTest('is scrolled to its end and back in 50 MB, with fewer than 200 rows in the page', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('query');
    await run(page, MILLION);
    const before = await heapBytes(page);
    await scroll(page, 'end');
    await page.getByText(`${ROWS.toLocaleString('en')} rows,`).waitFor();
    await page.getByRole('gridcell', { name: `name ${ROWS}`, exact: true }).waitFor({ timeout: 120_000 });
    expect(await page.locator('.grid-row').count()).toBeLessThan(200);
    await scroll(page, 'start');
    await page.getByRole('gridcell', { name: 'name 1', exact: true }).waitFor();
    // Pages in the middle were dropped.
    await scroll(page, 'middle');
    await page.getByRole('gridcell', { name: `name ${ROWS / 2 + 1}`, exact: true }).waitFor({ timeout: 120_000 });
    expect(await page.locator('.grid-row').count()).toBeLessThan(200);
    expect((await heapBytes(page)) - before).toBeLessThan(50 * MEBIBYTE);
    expect(console.problems).toEqual([]);
  });

  browserTest('is scrolled without a task over 50 ms, also over rows that are read again', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('query');
    await run(page, WIDE);
    const longest = await longestTaskMs(page, async () => {
      await scroll(page, 'end');
      await page.getByText(`${WIDE_ROWS.toLocaleString('en')} rows,`).waitFor();
      await scroll(page, 'start');
      await page.getByRole('gridcell', { name: 'name 1', exact: true }).waitFor();
    });
    expect(longest).toBeLessThan(50);
    expect(console.problems).toEqual([]);
  });

  browserTest('stops reading when a page cannot be read, and reads on when asked to', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('query');
    await run(page, MILLION);
    let requests = 0;
    await page.getByText('1,000 rows so far').waitFor();
    await page.route('**/qryfetch', (route) => {
      requests++;
      return route.abort();
    });
    await scroll(page, 'bottom');
    await page.getByRole('alert').getByText('No answer').waitFor();
    await page.waitForTimeout(1_000);
    expect(requests).toBe(1);
    await page.unroute('**/qryfetch');
    await page.getByRole('button', { name: 'Read on' }).click();
    await page.getByText('2,000 rows so far').waitFor();
    await scroll(page, 'bottom');
    await page.getByText('3,000 rows so far').waitFor();
    await page.getByRole('gridcell', { name: 'name 2000', exact: true }).waitFor();
  });
});

describe(`plots of extreme values${NOTE}`, () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['numbers that doubles cannot tell apart', 'SELECT 1000000000000000000 + x AS a, x AS b FROM SYSTEM_RANGE(1, 20)'],
    ['one number', 'SELECT 7 AS a, x AS b FROM SYSTEM_RANGE(1, 20)'],
    ['one row', 'SELECT 7 AS a, 8 AS b'],
    ['one day', "SELECT DATE '2026-01-01' AS a, x AS b FROM SYSTEM_RANGE(1, 20)"],
    [
      'days of ten thousand years',
      "SELECT DATEADD('YEAR', x * 400, DATE '0001-01-01') AS a, x AS b FROM SYSTEM_RANGE(1, 24)",
    ],
    ['the largest doubles', 'SELECT x AS a, 1.7E308 / x AS b FROM SYSTEM_RANGE(1, 20)'],
    ['the smallest doubles', 'SELECT x * 1E-320 AS a, x * 1E-320 AS b FROM SYSTEM_RANGE(1, 20)'],
    ['nothing but NULL in x', 'SELECT NULL AS a, x AS b FROM SYSTEM_RANGE(1, 20)'],
  ];
  for (const [title, sql] of cases) {
    browserTest(title, async () => {
      await using console = await started.open();
      const { page } = console;
      await console.show('query');
      await run(page, sql);
      await page.getByRole('button', { name: 'Plot' }).click();
      for (const kind of ['line', 'bar', 'scatter', 'histogram']) {
        await page.getByLabel('Kind').selectOption(kind);
        await page.getByRole('figure').locator('canvas').waitFor();
      }
      expect(console.problems).toEqual([]);
    });
  }
});

describe(`live plots${NOTE}`, () => {
  browserTest('do not grow while samples of an hour replace those of the hour before', async () => {
    let polls = 0;
    await using console = await started.open({
      async prepare(page) {
        await hastenTimers(page);
        await page.route('**/metricshistory', (route) =>
          route.fulfill({ json: samplesFrom(POLL_SAMPLES * polls++, POLL_SAMPLES) }),
        );
      },
    });
    const { page } = console;
    const elements = () => page.locator('*').count();
    const polled = (count: number) => until('enough polls', () => polls >= count, 120_000);
    // The samples of the first hour, and code that is compiled only after a while.
    await polled(HOUR_POLLS + 20);
    const [bytesBefore, elementsBefore] = [await heapBytes(page), await elements()];
    await polled(2 * HOUR_POLLS + 20);
    expect((await heapBytes(page)) - bytesBefore).toBeLessThan(2 * MEBIBYTE);
    expect(await elements()).toBeLessThan(elementsBefore + 50);
    expect(console.problems).toEqual([]);
  });
});

/** Samples of one poll, and polls of an hour. */
const POLL_SAMPLES = 6;
const HOUR_POLLS = HOUR_SAMPLES / POLL_SAMPLES;

/** Scrolls the result; `end` reads all of its rows on the way. */
async function scroll(page: Page, to: 'start' | 'middle' | 'bottom' | 'end'): Promise<void> {
  const ratio = { start: 0, middle: 0.5, bottom: 1, end: 1 }[to];
  await page.evaluate(`(async () => {
    const grid = document.querySelector('.grid');
    const status = () => document.querySelector('section:has(.grid) .status').textContent;
    const isRead = () => !status().includes('rows so far');
    // The rows that are counted are not part of the page at once, and before there is nothing to scroll to.
    const rows = () => Number(status().replaceAll(',', '').match(/\\d+/)?.[0] ?? Number.NaN);
    const isDrawn = () => grid.scrollHeight >= Math.min(${MAX_PIXELS}, rows() * ${ROW_PIXELS});
    while (!isDrawn()) await new Promise((resolve) => setTimeout(resolve, 10));
    grid.scrollTop = grid.scrollHeight * ${ratio};
    while (${to === 'end'} && !isRead()) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      grid.scrollTop = grid.scrollHeight;
    }
  })()`);
}
