/**
 * `npm run bench:console [-- --rows N] [--rounds N]`: measures the console in headless Chromium: its first paint with
 * an empty and a full browser cache, the time from a click on a table to its first rows and from a click on Run to the
 * first rows of a query, frames while the rows are scrolled, and the bytes of all files, compressed.
 */
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { firstPaintMs, openBrowser, openConsole, taskTimesMs, typeStatement } from '../test/console/console-page.ts';
import { queryOf, startService } from '../test/system/service-process.ts';
import { medianOf } from './load.ts';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { rows: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '9' } },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const ROWS_AT_ONCE = 25_000;
const LONG_TASK_MS = 50;

const print = (title: string, times: readonly number[]): void => {
  const [least, middle, most] = [Math.min(...times), medianOf(times), Math.max(...times)].map((ms) => ms.toFixed(0));
  process.stdout.write(`${title.padEnd(52)} ${middle?.padStart(6)} ms  (${least} to ${most})\n`);
};

await using service = await startService();
const sql = (qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));
await sql('CREATE TABLE sale (id INT PRIMARY KEY, day DATE, shop VARCHAR(60), pay DECIMAL(9, 2), note VARCHAR)');
for (let first = 1; first <= rows; first += ROWS_AT_ONCE) {
  const last = Math.min(rows, first + ROWS_AT_ONCE - 1);
  await sql(
    "INSERT INTO sale SELECT x, DATEADD('DAY', MOD(x, 90), DATE '2026-01-01'), " +
      `CASEWHEN(MOD(x, 3) = 0, 'Oslo', 'Rome'), x * 1.25, 'note ' || x FROM SYSTEM_RANGE(${first}, ${last})`,
  );
}

/** Clicks the table in the sidebar, and returns the time until its first row was drawn. */
const openTable = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const start = performance.now();
    const look = () =>
      document.querySelector('[role=gridcell]')?.textContent === '1' ? resolve(performance.now() - start)
        : requestAnimationFrame(look);
    [...document.querySelectorAll('.sidebar a')].find((each) => each.textContent.startsWith('SALE')).click();
    look();
  })`);

/** Scrolls with the wheel and by jumps, and returns the number of frames and their durations. */
const scroll = (page: Page): Promise<readonly [frames: number, ms: number]> =>
  page.evaluate<readonly [number, number]>(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const start = performance.now();
    let frames = 0;
    const next = () => {
      if (++frames > 600) return resolve([frames, performance.now() - start]);
      if (frames % 100 === 0) grid.scrollTop = (grid.scrollHeight * ((frames * 7) % 600)) / 600;
      else grid.scrollTop += 240;
      requestAnimationFrame(next);
    };
    next();
  })`);

const browser = await openBrowser();
const cold: number[] = [];
const warm: number[] = [];
const opened: number[] = [];
const counted: number[] = [];
const queried: number[] = [];
for (let round = 0; round < rounds; round++) {
  await using console = await openConsole(browser, service.origin);
  const { page } = console;
  cold.push(await firstPaintMs(page));
  await page.reload();
  await page.locator('.sidebar a', { hasText: 'SALE' }).waitFor();
  warm.push(await firstPaintMs(page));
  const startMs = performance.now();
  opened.push(await openTable(page));
  await page.getByText(/rows, the first in/).waitFor();
  counted.push(performance.now() - startMs);
  await console.show('query');
  await typeStatement(page, 'SELECT * FROM sale');
  queried.push(
    await page.evaluate<number>(`new Promise((resolve) => {
      const start = performance.now();
      const look = () => document.querySelector('[role=gridcell]') ? resolve(performance.now() - start)
        : requestAnimationFrame(look);
      [...document.querySelectorAll('button')].find((each) => each.textContent === 'Run').click();
      look();
    })`),
  );
}
print('first paint, empty cache', cold);
print('first paint, full cache', warm);
print(`first rows of a table of ${rows}`, opened);
print('its rows are counted', counted);
print('first rows of SELECT *', queried);

await using scrolled = await openConsole(browser, service.origin);
await scrolled.page.locator('.sidebar a', { hasText: 'SALE' }).waitFor();
await openTable(scrolled.page);
await scrolled.page.getByText(/rows, the first in/).waitFor();
let scrolling: readonly [frames: number, ms: number] = [0, 0];
const tasks = await taskTimesMs(scrolled.page, async () => {
  scrolling = await scroll(scrolled.page);
});
const [frames, ms] = scrolling;
const longTasks = tasks.filter((each) => each > LONG_TASK_MS).length;
process.stdout.write(
  `scrolling: ${frames} frames, ${((frames * 1_000) / ms).toFixed(0)} a second, longest task ` +
    `${Math.max(...tasks).toFixed(0)} ms, ${longTasks} above ${LONG_TASK_MS} ms\n`,
);

/** All files of the page, found through their references. */
const sizes = new Map<string, readonly [bytes: number, compressed: number]>();
const wanted = ['/console'];
while (wanted.length > 0) {
  const path = wanted.pop() ?? '';
  if (sizes.has(path)) continue;
  const body = Buffer.from(await (await fetch(`${service.origin}${path}`)).arrayBuffer());
  sizes.set(path, [body.length, brotliCompressSync(body).length]);
  if (!/(?:console|\.js|\.css)$/.test(path)) continue;
  for (const [, name] of body.toString('utf8').matchAll(/["'(/]([\w-]+-[\w-]{6,}\.(?:js|css|svg))["')]/g)) {
    wanted.push(`/console/${name}`);
  }
}
for (const [path, [bytes, compressed]] of [...sizes].sort(([, a], [, b]) => b[1] - a[1])) {
  process.stdout.write(
    `${path.padEnd(52)} ${(bytes / 1_000).toFixed(1)} kB, ${(compressed / 1_000).toFixed(1)} kB brotli\n`,
  );
}
const total = [...sizes.values()].reduce((sum, [, compressed]) => sum + compressed, 0);
process.stdout.write(`all ${sizes.size} files: ${(total / 1_000).toFixed(1)} kB brotli\n`);
await browser.close();
