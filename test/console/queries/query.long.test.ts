/** The Query screen in headless Chromium: tabs, completion, error positions, several results, plans, copies. */
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
  typeStatement,
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

async function openQuery(options: PageOptions = {}): Promise<ConsolePage> {
  const console = await started.open(options);
  await console.show('query');
  return console;
}

/** The browser itself reports answers that are errors. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !/status of 4\d\d/.test(each));

describe(`the query screen${NOTE}`, () => {
  browserTest('keeps tabs with their texts, also when the page is loaded again', async () => {
    await using console = await openQuery();
    const { page } = console;
    const editor = page.locator('.cm-content');
    await typeStatement(page, 'SELECT 1 AS one');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: 'ONE' }).waitFor();
    await page.getByRole('button', { name: 'New query' }).click();
    await typeStatement(page, 'SELECT 2 AS two');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: 'TWO' }).waitFor();
    await page.getByRole('button', { name: 'Query 1', exact: true }).click();
    await page.getByRole('columnheader', { name: 'ONE' }).waitFor();
    await editor.getByText('one').waitFor();
    await editor.click();
    await page.keyboard.press('Control+z');
    await page.locator('.cm-placeholder').waitFor();
    await page.keyboard.press('Control+y');
    await expectAccessible(page);
    await page.reload();
    await editor.getByText('one').waitFor();
    await page.getByRole('button', { name: 'Query 2', exact: true }).press('Delete');
    expect(await page.getByRole('button', { name: 'Query 2', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close Query 1' }).click();
    await page.locator('.cm-placeholder').waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('completes tables, columns and aliases in the case of what is typed', async () => {
    await using console = await openQuery();
    const { page } = console;
    const proposals = page.locator('.cm-tooltip-autocomplete');
    await page.locator('.cm-content').click();
    await page.keyboard.type('select * from sal');
    await proposals.getByText('sale', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await page.keyboard.type(' s where s.');
    for (const column of ['id', 'day', 'shop', 'pay']) await proposals.getByText(column, { exact: true }).waitFor();
    await page.keyboard.type('SH');
    await proposals.getByText('SHOP').waitFor();
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    expect(await page.locator('.cm-content').innerText()).toBe('select * from sale s where s.SHOP');
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('offers tables first behind FROM, accepts one by Tab, and colours INSERT', async () => {
    await sql('CREATE TABLE orders (id INT PRIMARY KEY, n INT)');
    await using console = await openQuery();
    const { page } = console;
    const content = page.locator('.cm-content');
    await content.click();
    await page.keyboard.type('insert into sale (id) select id from or');
    const proposals = page.locator('.cm-tooltip-autocomplete li');
    await proposals.getByText('orders', { exact: true }).waitFor();
    const first = proposals.first().and(page.locator('[aria-selected]'));
    await first.filter({ hasText: /^orders/ }).waitFor();
    const text = () => content.innerText();
    // A list that has just opened does not accept keys yet, and keeps the focus in the editor.
    await until('the accepted name', async () => {
      await page.keyboard.press('Tab');
      return (await text()) === 'insert into sale (id) select id from orders';
    });
    const colourOf = (word: string) =>
      content
        .getByText(word, { exact: true })
        .first()
        .evaluate((each) => String(each.ownerDocument.defaultView?.getComputedStyle(each).color));
    const colour = await colourOf('select');
    expect(colour).toMatch(/^(?:rgb|color|ok)/);
    expect(await colourOf('insert')).toBe(colour);
    // Nothing is open: Tab moves on.
    await page.keyboard.press('Tab');
    await until('the focus elsewhere', async () => (await page.locator('.cm-focused').count()) === 0);
    expect(await text()).toBe('insert into sale (id) select id from orders');
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('underlines an error at its place, which replaces the result before', async () => {
    await using console = await openQuery();
    const { page } = console;
    await typeStatement(page, 'SELECT * FROM sale');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,000 rows so far').waitFor();
    await typeStatement(page, "SELECT 1;\nSELECT :one, id\nFROM sale WHERE shopp = 'x'");
    await page.getByLabel('Value of one').fill('1');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('Column "SHOPP" not found (did you mean SHOP?)').waitFor();
    expect(await page.locator('.cm-mistake').allTextContents()).toEqual(['shopp']);
    expect(await page.getByRole('grid').count()).toBe(0);
    await expectAccessible(page);
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'More about this error' }).click(),
    ]);
    expect(new URL(opened.url()).pathname).toBe('/docs/errors/SQL_OBJECT_NOT_FOUND');
    await opened.close();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' ');
    expect(await page.locator('.cm-mistake').count()).toBe(0);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('runs the statement at the cursor, a selection, or all with a result each', async () => {
    await using console = await openQuery();
    const { page } = console;
    const lines = [
      'CREATE TABLE IF NOT EXISTS few (id INT PRIMARY KEY, n INT);',
      'MERGE INTO few VALUES (1, 1), (2, 2);',
      'SELECT id AS found FROM few;',
      'SELECT missing FROM few;',
      'SELECT 5',
    ];
    await typeStatement(page, lines.join('\n'));
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByRole('alert').getByText('"MISSING" not found').waitFor();
    await page.getByText('The statement after it was not executed.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^2 MERGE INTO few .* · 2 rows changed$/ }).click();
    await page.getByText('2 rows were changed').waitFor();
    await page.getByRole('button', { name: '3 SELECT id AS found FROM few · 2 rows' }).click();
    await page.getByRole('columnheader', { name: 'FOUND' }).waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: '5', exact: true }).waitFor();
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < 2; line++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+End');
    await page.getByRole('button', { name: 'Run selection' }).click();
    await page.getByRole('columnheader', { name: 'FOUND' }).waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('sends parameters by name, and finds the statement in the history', async () => {
    await using console = await openQuery();
    const { page } = console;
    await typeStatement(page, 'SELECT :name AS name, COUNT(*) AS n FROM sale WHERE shop = :name AND day >= :since');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('The parameter name has no value').waitFor();
    await page.getByLabel('Value of name').fill('Oslo');
    await page.getByLabel('Value of since').fill('2026-03-01');
    await page.getByLabel('Type of since').selectOption('date');
    await expectAccessible(page);
    await page.getByLabel('Value of since').press('Enter');
    await page.getByRole('gridcell', { name: 'Oslo' }).waitFor();
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.keyboard.type('Sales of a shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sales of a shop', exact: true }).waitFor();
    await page.reload();
    expect(await page.getByLabel('Value of since').inputValue()).toBe('2026-03-01');
    await page.getByRole('button', { name: 'New query' }).click();
    await page.getByRole('button', { name: 'History' }).click();
    const dialog = page.getByRole('dialog');
    // Its first field has the focus.
    await page.keyboard.type('nothing like it');
    await dialog.getByText('No statement matches.').waitFor();
    await dialog.getByLabel('Search').fill('count sale');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: /COUNT.*1 row/ }).click();
    await page.locator('.cm-content', { hasText: 'AND day >= :since' }).waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('shows a plan with rows, creates the advised index, and measures', async () => {
    await using console = await openQuery();
    const { page } = console;
    await sql('CREATE TABLE visit (id INT PRIMARY KEY, place VARCHAR)');
    await sql("INSERT INTO visit SELECT x, 'place ' || MOD(x, 50) FROM SYSTEM_RANGE(1, 500)");
    await page.reload();
    await typeStatement(page, "SELECT id FROM visit WHERE place = 'place 7'");
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('reads all rows of PUBLIC.VISIT').waitFor();
    await page.locator('.plan').getByText('500 rows', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create this index' }).click();
    await page.getByText('finds rows of PUBLIC.VISIT by').waitFor();
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.getByText(/It returned 10 rows in /).waitFor();
    // A plan that was asked for by hand is shown in the same way.
    await typeStatement(page, 'EXPLAIN SELECT id FROM visit WHERE id = 7');
    await page.keyboard.press('Control+Enter');
    await page.getByText('finds rows of PUBLIC.VISIT by the primary key').waitFor();
    await page.locator('.plan').getByText('primary key', { exact: true }).waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('draws bars for texts, lines for times, and copies rows', async () => {
    await using console = await openQuery();
    const { page } = console;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [statement, kind, title] of [
      ['SELECT shop, SUM(id) AS paid FROM sale GROUP BY shop ORDER BY shop', 'bar', 'PAID by SHOP'],
      ['SELECT SUM(id) AS paid, day FROM sale GROUP BY day', 'line', 'PAID by DAY'],
      ['SELECT id FROM sale', 'histogram', 'Histogram of ID'],
    ] as const) {
      await typeStatement(page, statement);
      await page.keyboard.press('Control+Enter');
      await page.getByText('Running …').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Plot' }).click();
      await page.getByRole('figure', { name: title }).locator('canvas').waitFor();
      expect(await page.getByLabel('Kind').inputValue()).toBe(kind);
      await expectAccessible(page);
    }
    await typeStatement(page, 'SELECT shop, id FROM sale WHERE id < 3 ORDER BY id');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 rows,').waitFor();
    for (const [format, text] of [
      ['CSV', 'SHOP,ID\r\nRome,1\r\nRome,2\r\n'],
      ['INSERT', "INSERT INTO PUBLIC.SALE (SHOP, ID) VALUES\n  ('Rome', 1),\n  ('Rome', 2);\n"],
    ] as const) {
      await page.getByRole('button', { name: `Copy ${format}` }).click();
      await page.getByText(`2 rows copied as ${format}.`).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
    }
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('shows a time with any digits', async () => {
    await using console = await openQuery();
    const { page } = console;
    await page.route('**/qryfldexe', async (route) => {
      // The page also reads the list of tables now and then, even while this test ends.
      if (route.request().postData()?.includes('SELECT 1') !== true) return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace(/"timeMs":[\d.]+/, '"timeMs":8.580');
      await route.fulfill({ response, body });
    });
    await typeStatement(page, 'SELECT 1');
    await page.keyboard.press('Control+Enter');
    await page.getByText('first page in 8.6 ms').waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('shows the whole value of a column as text, JSON and bytes', async () => {
    await using console = await openQuery();
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await typeStatement(page, `SELECT '{"a": [1, 2]}' AS doc, X'00ff' AS raw, CAST(NULL AS INT) AS none`);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('grid', { name: 'Result' }).focus();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await dialog.getByText('"a": [').waitFor();
    await dialog.getByRole('button', { name: 'Hex' }).click();
    await dialog.getByText('000000  7b 22 61 22').waitFor();
    await expectAccessible(page);
    const closeDialog = async (): Promise<void> => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await closeDialog();
    for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
    await dialog.getByText('000000  00 ff').waitFor();
    await closeDialog();
    await page.getByRole('gridcell', { name: 'NULL' }).dblclick();
    await dialog.getByText('NULL', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('resizes columns by the pointer and by keys', async () => {
    await using console = await openQuery();
    const { page } = console;
    await typeStatement(page, 'SELECT id, shop FROM sale');
    await page.keyboard.press('Control+Enter');
    const head = page.getByRole('columnheader', { name: 'ID' });
    await head.waitFor();
    const isWide = (pixels: number) =>
      until(`a width of ${pixels}`, async () => Math.abs(((await head.boundingBox())?.width ?? 0) - pixels) < 1);
    const box = await head.boundingBox();
    if (box === null) throw new Error('the head is not shown');
    const { x, y } = { x: box.x + box.width - 3, y: box.y + box.height / 2 };
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y, { steps: 4 });
    await page.mouse.up();
    await isWide(box.width + 100);
    await page.getByRole('grid', { name: 'Result' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Alt+ArrowLeft');
    await isWide(box.width + 84);
    // The focus may have scrolled the page.
    const moved = await head.boundingBox();
    if (moved === null) throw new Error('the head is gone');
    await page.mouse.dblclick(moved.x + moved.width - 3, moved.y + moved.height / 2);
    await isWide(box.width);
    expect(unexpected(console)).toEqual([]);
  });

  for (const [width, isDark] of [
    [390, false],
    [1_024, true],
  ] as const) {
    browserTest(`fits ${width} pixels in ${isDark ? 'dark' : 'light'}, in every state`, async () => {
      await using console = await openQuery({ width, isDark });
      const { page } = console;
      const check = async (): Promise<void> => {
        await expectNoOverflow(page);
        await expectAccessible(page);
      };
      await typeStatement(page, 'SELECT *, :p AS p FROM sale; UPDATE sale SET pay = pay WHERE id = 1; SELECT x');
      await page.getByLabel('Value of p').fill('long '.repeat(40));
      await page.getByRole('button', { name: 'Run all' }).click();
      await page.getByRole('alert').getByText('"X" not found').waitFor();
      await check();
      for (const name of [/^1 SELECT/, /^2 UPDATE/]) {
        await page.getByRole('button', { name }).click();
        await check();
      }
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Plan' }).or(page.getByRole('alert').getByText('X')).first().waitFor();
      await check();
      for (const name of ['Save …', 'History']) {
        await page.getByRole('button', { name }).click();
        await check();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      expect(unexpected(console)).toEqual([]);
    });
  }
});
