/** The entries of caches in the grid of the console, in headless Chromium: found, changed, added, deleted, followed. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { queryOf, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  type PageOptions,
  startForTests,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const MANY = 20_000;
const UUID = '00000000-0000-0001-0000-000000000002';

const send = (cmd: string, params: Readonly<Record<string, string | number>>) =>
  started.service.command(queryOf({ cmd, ...params }));
const put = (key: string | number, val: string, more: Readonly<Record<string, string | number>> = {}) =>
  send('put', { cacheName: 'stock', key, val, ...more });

const started = startForTests(startService, async () => {
  for (const cacheName of ['stock', 'many', 'none']) await send('getorcreate', { cacheName });
  await send('changefeed', { cacheName: 'stock' });
  await put(7, 'seven', { keyType: 'long', ttlMs: 3_600_000 });
  await put(8, '8.50', { keyType: 'int', valueType: 'decimal' });
  await put(8, 'acht');
  await put(UUID, 'true', { keyType: 'uuid', valueType: 'boolean' });
  await put('day', '2026-01-31', { valueType: 'date' });
  await put('{"page":"/"}', '1', { keyType: 'Page', valueType: 'long' });
  await send('getorcreate', { cacheName: 'maps' });
  await send('put', { cacheName: 'maps', key: '{"a":1}', keyType: 'java.util.LinkedHashMap', val: 'once' });
  await put('visit', '{"page":"/","tags":["a","b"]}', { valueType: 'Visit' });
  const lines = Array.from({ length: MANY }, (_, at) => `${at},value ${at}\n`).join('');
  const target = `${started.service.origin}/svc?cmd=import&cacheName=many&keyType=long`;
  const headers = { 'Content-Type': 'text/csv' };
  expect((await fetch(target, { method: 'POST', headers, body: `key,value\n${lines}` })).status).toBe(200);
});

async function openEntries(cacheName: string, options: PageOptions = {}): Promise<ConsolePage> {
  const console = await started.open(options);
  await console.page.evaluate(`location.hash = '#/caches?name=${cacheName}'`);
  await console.page.getByRole('grid', { name: 'Entries' }).waitFor();
  return console;
}

/** Returns the texts of the row whose cells include a text. */
async function textsBeside({ page }: ConsolePage, text: string): Promise<readonly string[]> {
  const row = page.getByRole('row').filter({ has: page.getByRole('gridcell', { name: text, exact: true }) });
  return await row.getByRole('gridcell').allTextContents();
}

const called = ({ page }: ConsolePage, name: string) => page.getByRole('gridcell', { name, exact: true });

describe(`the entries of a cache${NOTE}`, () => {
  browserTest('are shown with their types and deadlines, in both themes and three sizes', async () => {
    for (const [width, height, isDark] of [
      [1_440, 900, false],
      [1_024, 768, true],
      [390, 844, true],
    ] as const) {
      await using console = await openEntries('stock', { width, height, isDark });
      const { page } = console;
      await page.getByText('7 entries.').waitFor();
      expect(await textsBeside(console, 'seven')).toEqual([
        '7',
        'long',
        'seven',
        'string',
        expect.stringMatching(/\d:\d\d/),
      ]);
      expect(await textsBeside(console, '8.50')).toEqual(['8', 'integer', '8.50', 'decimal', '–']);
      expect(await textsBeside(console, UUID)).toEqual([UUID, 'uuid', 'true', 'boolean', '–']);
      expect(await textsBeside(console, 'Page')).toEqual(['{"page":"/"}', 'Page', '1', 'long', '–']);
      expect(await textsBeside(console, 'visit')).toEqual([
        'visit',
        'string',
        '{"page":"/","tags":["a","b"]}',
        'Visit',
        '–',
      ]);
      await called(console, '{"page":"/","tags":["a","b"]}').click();
      await expectAccessible(page);
      await expectNoOverflow(page);
      if (width < 640) await page.getByRole('button', { name: 'More' }).click();
      const role = width < 640 ? 'menuitem' : 'button';
      await page.getByRole(role, { name: 'Show whole value' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Visit, 29 bytes').waitFor();
      await dialog.getByText('"tags": [').waitFor();
      await dialog.getByRole('button', { name: 'Hex' }).click();
      await dialog.getByText('7b 22 70 61 67 65').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      expect(console.problems).toEqual([]);
    }
  });

  browserTest('are found by a key of the type under which they are stored, or of several', async () => {
    await using console = await openEntries('stock');
    const { page } = console;
    await page.getByText('7 entries.').waitFor();
    const search = async (key: string) => {
      await page.getByLabel('Search by key').fill(key);
      await page.keyboard.press('Enter');
    };
    await search('7');
    await page.getByText('1 entry.').waitFor();
    expect(await textsBeside(console, 'seven')).toEqual([
      '7',
      'long',
      'seven',
      'string',
      expect.stringMatching(/\d:\d\d/),
    ]);
    await search('8');
    await page.getByText('2 entries.').waitFor();
    expect(await textsBeside(console, 'acht')).toEqual(['8', 'string', 'acht', 'string', '–']);
    expect(await textsBeside(console, '8.50')).toEqual(['8', 'integer', '8.50', 'decimal', '–']);
    await expectAccessible(page);
    for (const [key, type] of [
      [UUID, 'uuid'],
      ['{"page":"/"}', 'Page'],
    ] as const) {
      await search(key);
      await called(console, key).waitFor();
      expect((await textsBeside(console, key))[1]).toBe(type);
    }
    await search('visit');
    await called(console, 'visit').waitFor();
    expect((await textsBeside(console, 'visit'))[3]).toBe('Visit');
    await search('9');
    await page.getByText('The cache has no entry with this key, of any type.').waitFor();
    await page.getByLabel('Type of the key').selectOption('uuid');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('alert').getByText('uuid').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await page.getByText('7 entries.').waitFor();
    // The browser itself reports the response 400 for a text that is not a value of the type.
    expect(console.problems.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });

  browserTest('are found once by a key that is an object', async () => {
    await using console = await openEntries('maps');
    const { page } = console;
    await called(console, 'once').waitFor();
    await page.getByLabel('Search by key').fill('{"a":1}');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show all entries' }).waitFor();
    await page.getByText('1 entry.').waitFor();
    await called(console, 'once').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('are changed in their cells with their types, if nobody else has changed them', async () => {
    await using console = await openEntries('stock');
    const { page } = console;
    await called(console, '8.50').click();
    await page.keyboard.press('F2');
    await page.getByLabel('New value of Value').fill('9.250');
    await page.getByText('"val2": "8.50"').waitFor();
    await expectAccessible(page);
    await put(8, '8.75', { keyType: 'int', valueType: 'decimal' });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('"val2": "8.75"').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Value is saved.').waitFor();
    expect(await textsBeside(console, '9.250')).toEqual(['8', 'integer', '9.250', 'decimal', '–']);
    await called(console, 'true').click();
    await page.keyboard.press('F2');
    await page.getByLabel('New value of Value').selectOption('false');
    await page.keyboard.press('Enter');
    await called(console, 'false').waitFor();
    expect(await send('get', { cacheName: 'stock', key: UUID, keyType: 'uuid' })).toBe(false);
    // A key and a type are not values, and an object has more than one line.
    await called(console, 'day').click();
    expect(await page.getByRole('button', { name: 'Edit cell' }).isDisabled()).toBe(true);
    await called(console, '{"page":"/","tags":["a","b"]}').click();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Value', { exact: true }).inputValue()).toContain('\n  "page": "/",\n');
    await dialog.getByLabel('Value', { exact: true }).fill('{"page":"/","tags":[]}');
    await dialog.getByText('"valueType": "Visit"').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await called(console, '{"page":"/","tags":[]}').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest(
    'of bytes are changed as hexadecimal digits, of collections as JSON, of others not, with the reason',
    async () => {
      const target = `${started.service.origin}/svc?cmd=import&cacheName=typed`;
      await send('getorcreate', { cacheName: 'typed' });
      const body = [
        '{"key":"bytes","value":{"bytes":"AQI="},"valueType":"SvcValue"}',
        '{"key":"list","value":[1,"x"],"valueType":"java.util.ArrayList"}',
        '{"key":"longs","value":{"list":[{"long":"1"}]},"valueType":"SvcValue"}',
      ].join('\n');
      const headers = { 'Content-Type': 'application/x-ndjson' };
      expect((await fetch(target, { method: 'POST', headers, body })).status).toBe(200);
      await using console = await openEntries('typed');
      const { page } = console;
      const dialog = page.getByRole('dialog');
      await called(console, '01 02').click();
      await page.keyboard.press('F2');
      const field = page.getByLabel('New value of Value');
      expect(await field.inputValue()).toBe('01 02');
      await field.fill('01 0');
      await page.getByText('Value needs pairs of hexadecimal digits such as 0a ff, not "01 0".').waitFor();
      await field.fill('01 03');
      await page.getByText('"valueType": "[B"').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
      await called(console, '01 03').waitFor();
      expect(await textsBeside(console, '01 03')).toEqual(['bytes', 'string', '01 03', 'bytes', '–']);
      await called(console, '[1,"x"]').click();
      await page.keyboard.press('F2');
      await dialog.getByLabel('Value', { exact: true }).fill('[1,');
      await dialog.getByText('Value needs JSON such as {"a": 1}, not "[1,".').waitFor();
      await dialog.getByLabel('Value', { exact: true }).fill('[1, "y"]');
      await dialog.getByText('"valueType": "java.util.ArrayList"').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await called(console, '[1,"y"]').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await called(console, '{"list":[{"long":"1"}]}').click();
      await page.getByText('commands cannot describe all its parts, such as a list of longs').waitFor();
      expect(await page.getByRole('button', { name: 'Edit cell' }).isDisabled()).toBe(true);
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await dialog.getByText('commands cannot describe all its parts').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      // Keys and values of bytes are also found.
      await page.getByLabel('Search by key').fill('bytes');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText('1 entry.').waitFor();
      expect(await textsBeside(console, '01 03')).toEqual(['bytes', 'string', '01 03', 'bytes', '–']);
      expect(console.problems).toEqual([]);
    },
  );

  browserTest('are added, duplicated, and deleted together after a preview, by the keyboard', async () => {
    await using console = await openEntries('none');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByText('The cache has no entries.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add entry' }).click();
    await dialog.getByLabel('Key', { exact: true }).fill('1');
    await dialog.getByLabel('Key type').selectOption('long');
    await dialog.getByLabel('Value', { exact: true }).fill('one');
    await dialog.getByText('"cmd": "putifabs"').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add entry' }).click();
    await called(console, 'one').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Entries' }).focus();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await dialog.getByText('Time to live: none').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await dialog.getByRole('button', { name: 'Add entry' }).click();
    await dialog.getByText('already has an entry with this key').waitFor();
    await dialog.getByLabel('Key', { exact: true }).fill('2');
    await dialog.getByRole('button', { name: 'Add entry' }).click();
    await called(console, '2').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Entries' }).focus();
    for (const key of ['ArrowDown', 'Control+a']) await page.keyboard.press(key);
    await page.getByText('2 entries are selected.').waitFor();
    await send('put', { cacheName: 'none', key: 2, keyType: 'long', val: 'two' });
    await page.keyboard.press('Delete');
    await dialog.getByText('would delete 1 of 2; the others have changed').waitFor();
    await dialog.getByText('"cmd":"rmvval"').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 1 of 2.').waitFor();
    await called(console, 'two').waitFor();
    await page.getByText('1 entry.').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('flash when others change them while Live is pressed, and keep those that are changed', async () => {
    await using console = await openEntries('stock');
    const { page } = console;
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByText('changes a second').waitFor();
    await put(7, 'sieben', { keyType: 'long' });
    const row = page.getByRole('row').filter({ hasText: 'sieben' });
    await row.and(page.locator('.changed, .changed-again')).waitFor();
    await page.locator('.changed, .changed-again').waitFor({ state: 'detached' });
    await called(console, 'sieben').click();
    await page.keyboard.press('F2');
    await page.getByLabel('New value of Value').fill('sette');
    await put('{"page":"/"}', '2', { keyType: 'Page', valueType: 'long' });
    await put('added', 'now');
    await page.waitForTimeout(2_000);
    expect(await called(console, 'added').count()).toBe(0);
    await page.keyboard.press('Enter');
    await called(console, 'sette').waitFor();
    await called(console, 'added').waitFor();
    expect(await send('get', { cacheName: 'stock', key: 7, keyType: 'long' })).toBe('sette');
    // Also for an entry found by its key, whatever its type.
    await page.getByLabel('Search by key').fill('{"page":"/"}');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('1 entry.').waitFor();
    await put('{"page":"/"}', '3', { keyType: 'Page', valueType: 'long' });
    await page.getByRole('row').filter({ hasText: 'Page' }).and(page.locator('.changed, .changed-again')).waitFor();
    await called(console, '3').waitFor();
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await called(console, 'added').waitFor();
    await send('rmv', { cacheName: 'stock', key: 'added' });
    await called(console, 'added').waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('are read as they are scrolled to, with few elements and no open export left', async () => {
    await using console = await openEntries('many');
    const { page } = console;
    const grid = page.getByRole('grid', { name: 'Entries' });
    await page.getByText('20,000 entries.').waitFor();
    await grid.focus();
    const far = page.waitForRequest((request) => /"skip":19[58]00/.test(request.postData() ?? ''));
    for (const key of ['ArrowDown', 'Control+End']) await page.keyboard.press(key);
    // The entries before it are not all read.
    await far;
    await called(console, `value ${MANY - 1}`).waitFor();
    for (const key of ['PageUp', 'PageUp', 'PageUp']) await page.keyboard.press(key);
    await grid.getByText('…').first().waitFor({ state: 'detached' });
    expect(await grid.getByRole('row').count()).toBeLessThan(100);
    await page.keyboard.press('Control+Home');
    await called(console, 'value 0').waitFor();
    await expectAccessible(page);
    await page.evaluate("location.hash = '#/caches'");
    await page.getByRole('heading', { name: 'Caches and tables' }).waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('are filtered and sorted by column, while they are looked at', async () => {
    await using console = await openEntries('stock');
    const { page } = console;
    const keys = () => page.locator('[role=rowheader] + [role=gridcell]').allTextContents();
    await page.getByText('entries.').first().waitFor();
    await page.getByLabel('Filter Value', { exact: true }).fill('>= 0');
    await page.getByLabel('Filter Key', { exact: true }).fill('page');
    await page.getByText('1 entry.').waitFor();
    expect(await keys()).toEqual(['{"page":"/"}']);
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.getByLabel('Filter Key', { exact: true }).fill('nothing');
    await page.getByText('No entry matches the filters.').waitFor();
    await page.getByLabel('Filter Expires').fill('> soon');
    await page.getByRole('alert').getByText('Expires needs a date and time').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('Filter Key type').fill('string');
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Key' }).and(page.locator('[aria-sort]')).waitFor();
    await until('the keys in descending order', async () => (await keys()).join() === 'visit,day,8');
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('of a large cache are counted as they are found, and the first ones in an order are shown', async () => {
    await using console = await openEntries('many');
    const { page } = console;
    await page.getByText('20,000 entries.').waitFor();
    await page.getByLabel('Filter Key', { exact: true }).fill('>= 19990');
    await page.getByText('10 entries.').waitFor();
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await called(console, 'value 19999').waitFor();
    await page.getByRole('row').nth(1).getByText('value 19999').waitFor();
    await page.getByLabel('Filter Key', { exact: true }).fill('>= 5');
    await page.getByText('These are the first 10,000 of 19,995 in this order.').waitFor();
    await page.getByRole('row').nth(1).getByText('value 19999').waitFor();
    await page.getByRole('row').nth(2).getByText('value 19998').waitFor();
    await page.getByText('10,000 entries').waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual(expect.arrayContaining(['']));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByText('300 entries so far').waitFor();
    await page.getByText(/^Checked [\d,]+ of 20,000 entries\.$/).waitFor();
    await page.evaluate("document.querySelector('[role=grid]').scrollTop = 1e6");
    await page.getByText('600 entries so far').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('of a cache that has just gone leave no failed request behind the list of caches', async () => {
    await using console = await started.open();
    const { page } = console;
    await send('getorcreate', { cacheName: 'passing' });
    let asked = 0;
    await page.route('**/batch', async (route) => {
      if (asked++ === 0) await send('destcache', { cacheName: 'passing' });
      await route.continue();
    });
    await console.show('caches');
    const row = page.getByRole('table').getByRole('row').filter({ hasText: 'stock' });
    await row.getByText('%').waitFor();
    expect([asked, console.problems]).toEqual([1, []]);
  });

  browserTest('have columns that are hidden, which the browser remembers', async () => {
    await using console = await openEntries('stock');
    const { page } = console;
    await page.getByRole('button', { name: 'Columns …' }).click();
    await page.getByRole('dialog').getByLabel('Key type').uncheck();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Key type' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('grid', { name: 'Entries' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      '',
      'Key',
      'Value',
      'Value type',
      'Expires',
    ]);
    expect(console.problems).toEqual([]);
  });
});
