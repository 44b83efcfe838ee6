/** Files that are dropped on the page and imported, in headless Chromium. */
import { expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { queryOf } from '../../system/service-process.ts';
import { browserTest, expectAccessible, expectNoOverflow, NOTE, startForTests } from '../console-page.ts';

setDefaultTimeout(180_000);
const started = startForTests();

/** Drops files with texts by their names, as a browser does. */
async function drop(page: Page, files: Readonly<Record<string, string>>, selector = 'main'): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name));
      return data;
    })()`,
  );
  for (const type of ['dragover', 'drop'])
    await page.locator(selector).first().dispatchEvent(type, { dataTransfer: transfer });
}

const rowsOf = async (qry: string) =>
  ((await started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 100, qry }))) as { readonly items: unknown })
    .items;

browserTest(`a JSON array is dropped, its rows are shown, a column is left out, a type is changed${NOTE}`, async () => {
  await using console = await started.open();
  const { page } = console;
  const trips = Array.from({ length: 8 }, (_, at) => ({
    id: at + 1,
    city: 'Oslo',
    secret: `s${at}`,
    minutes: at * 10,
  }));
  await drop(page, { 'trips.json': JSON.stringify(trips, null, 2) });
  const dialog = page.getByRole('dialog', { name: 'Import a file into a new table' });
  const field = dialog.getByLabel('File, CSV, JSON or NDJSON');
  await dialog.getByText(/^[\d.]+ (?:B|KiB)$/).waitFor();
  expect(await field.inputValue()).toEndWith('trips.json');
  const first = dialog.getByRole('region', { name: 'First rows' });
  await first.getByRole('columnheader', { name: 'MINUTES INTEGER' }).waitFor();
  expect(await first.getByRole('row').count()).toBe(6);
  await first.getByRole('cell', { name: 's4' }).waitFor();
  expect(await dialog.getByLabel('First line of CSV').count()).toBe(0);
  // Nothing is stored before Import is pressed.
  expect(JSON.stringify(await started.service.command('cmd=cachelist'))).not.toContain('TRIPS');
  await dialog.getByLabel('Import SECRET').uncheck();
  await dialog.getByLabel('Type of MINUTES').selectOption('BIGINT');
  expect(await first.getByRole('columnheader', { name: 'SECRET' }).count()).toBe(0);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('grid').getByText('70', { exact: true }).waitFor();
  expect(await rowsOf('SELECT COUNT(*), MAX(minutes) FROM trips')).toEqual([[8, 70]]);
  expect(await rowsOf("SELECT column_name FROM sys.table_columns WHERE table_name = 'TRIPS'")).not.toContainEqual([
    'SECRET',
  ]);
  expect(console.problems).toEqual([]);
});

browserTest(
  `CSV with quotes and a semicolon is dropped on the editor, and shown as it will be read${NOTE}`,
  async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('query');
    await page.locator('.cm-content').waitFor();
    await drop(page, { 'my visits.csv': 'id;name;paid\n1;"Ann; B";1,50\n2;;2,25\n' }, '.cm-content');
    const dialog = page.getByRole('dialog');
    const first = dialog.getByRole('region', { name: 'First rows' });
    await first.getByRole('cell', { name: 'Ann; B' }).waitFor();
    await first.getByText('NULL').waitFor();
    expect(await dialog.getByLabel('First line of CSV').inputValue()).toBe('inferred');
    expect(await dialog.getByRole('textbox', { name: 'Table (required)' }).inputValue()).toBe('my_visits');
    await dialog.getByLabel('Import NAME').uncheck();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('grid').getByText('2.25', { exact: true }).waitFor();
    expect(await rowsOf('SELECT * FROM my_visits ORDER BY id')).toEqual([
      [1, 1.5],
      [2, 2.25],
    ]);
    expect(console.problems).toEqual([]);
  },
);

browserTest(`the button that imports stays in view below many columns${NOTE}`, async () => {
  for (const [width, height] of [
    [1_440, 900],
    [390, 844],
  ] as const) {
    await using console = await started.open({ width, height });
    const { page } = console;
    const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const lines = Array.from({ length: 6 }, (_, row) => names.map((_, at) => row * at).join(','));
    await drop(page, { 'wide.csv': `${names.join(',')}\n${lines.join('\n')}\n` });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'First rows' }).waitFor();
    const { y = height, height: pixels = 0 } =
      (await dialog.getByRole('button', { name: 'Import', exact: true }).boundingBox()) ?? {};
    expect(y + pixels).toBeLessThan(height);
    await dialog.getByText('Nothing is stored yet.').scrollIntoViewIfNeeded();
    await expectNoOverflow(page);
    expect(console.problems).toEqual([]);
  }
});

browserTest(`what cannot be imported is told${NOTE}`, async () => {
  await using console = await started.open();
  const { page } = console;
  for (const [files, text] of [
    [{ 'photo.png': 'x' }, 'photo.png is not a CSV, JSON or NDJSON file.'],
    [{ 'a.csv': 'x', 'b.csv': 'y' }, 'Drop one file at a time.'],
  ] as const) {
    await drop(page, files);
    await page.getByText(text).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await drop(page, { 'open.json': '[{"a": 1}, {"a": 2}' });
  await page.getByRole('alert').getByText('The file ends within its JSON array.').waitFor();
  // The form stays, and takes another file.
  await drop(page, { 'other.csv': 'id\n1\n' });
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(console.problems).toEqual([]);
});
