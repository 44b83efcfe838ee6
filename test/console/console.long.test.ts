/** The console in headless Chromium, in front of the embedded engine: every screen, errors, keyboard, themes, sizes. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { freePort } from '../free-port.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import {
  browserTest,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openBrowser,
  openConsole,
  openTab,
  showPart,
  typeStatement,
} from './console-page.ts';

setDefaultTimeout(180_000);
const PASSWORD = 'console-password';
const SCREENS = ['overview', 'caches', 'query', 'commands', 'administration'];

let browser: Browser;
let open: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
  await open.command('cmd=qryfldexe&pageSize=1&qry=CREATE TABLE sale (id INT PRIMARY KEY, day DATE, pay DECIMAL(9,2))');
  await open.command(
    "cmd=qryfldexe&pageSize=1&qry=INSERT INTO sale SELECT x, DATEADD('DAY', x, DATE '2026-01-01'), x * 1.25 " +
      'FROM SYSTEM_RANGE(1, 3000)',
  );
});
afterAll(async () => {
  await browser?.close();
  await open?.[Symbol.asyncDispose]();
  await closed?.[Symbol.asyncDispose]();
});

describe(`the console${NOTE}`, () => {
  browserTest('has a strict content security policy, and loads nothing from elsewhere', async () => {
    await using console = await openConsole(browser, open.origin);
    const addresses = new Set<string>();
    console.page.on('request', (request) => addresses.add(new URL(request.url()).origin));
    const response = await console.page.reload();
    for (const screen of SCREENS) await console.show(screen);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
    expect(addresses).toEqual(new Set([open.origin]));
    expect(console.problems).toEqual([]);
  });

  for (const [isDark, width] of [
    [false, 1_200],
    [true, 320],
  ] as const) {
    browserTest(`is accessible in ${isDark ? 'dark' : 'light'} at ${width} pixels, on every screen`, async () => {
      await using console = await openConsole(browser, open.origin, { isDark, width });
      for (const screen of SCREENS) {
        await console.show(screen);
        await expectAccessible(console.page);
        await expectNoOverflow(console.page);
      }
      expect(console.problems).toEqual([]);
    });
  }
});

describe(`the overview${NOTE}`, () => {
  browserTest('shows the state, the node and plots of samples', async () => {
    await using console = await openConsole(browser, open.origin);
    await console.page.getByText('All commands are executed').first().waitFor();
    await console.page.getByRole('table', { name: 'Nodes' }).getByText('127.0.0.1').waitFor();
    await console.page.getByRole('figure', { name: 'Memory' }).locator('canvas').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('changes the state after its name was typed', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await page.getByText('Change the state').first().click();
    await page.getByLabel('New state').selectOption('ACTIVE_READ_ONLY');
    await page.getByRole('button', { name: 'Change to ACTIVE_READ_ONLY' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Change the state' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('ACTIVE_READ_ONLY');
    await expectAccessible(page);
    await confirm.click();
    await page.getByText('Every change is rejected').first().waitFor();
    expect(await open.command('cmd=state')).toBe('ACTIVE_READ_ONLY');
    await open.command('cmd=setstate&state=ACTIVE');
    expect(console.problems).toEqual([]);
  });
});

describe(`the query screen${NOTE}`, () => {
  browserTest('runs a statement by keyboard, scrolls through pages, and plots it', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT id, day, pay FROM sale ORDER BY id');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,000 rows so far').waitFor();
    const grid = page.getByRole('grid', { name: 'Result' });
    await grid.getByText('2026-01-02', { exact: true }).waitFor();
    await expectAccessible(page);
    for (const rows of ['2,000 rows', '3,000 rows,']) {
      await grid.focus();
      await page.keyboard.press('Control+End');
      await page.getByText(rows).waitFor();
    }
    await page.keyboard.press('Control+End');
    await grid.getByText('3750', { exact: false }).first().waitFor();
    expect(await page.locator('.grid-row').count()).toBeLessThan(200);
    await page.getByRole('button', { name: 'Plot' }).click();
    await page.getByRole('figure').locator('canvas').waitFor();
    await page.getByLabel('Kind').selectOption('histogram');
    await page.getByRole('figure', { name: 'Histogram of' }).locator('canvas').waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('shows decimals as they were sent', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT CAST(2410611 AS DECIMAL(20, 2)) AS price');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('grid', { name: 'Result' }).getByText('2410611.00', { exact: true }).waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('shows errors, plans, history and saved queries', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT nothing FROM nowhere');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('NOWHERE').waitFor();
    await typeStatement(page, 'SELECT * FROM sale WHERE pay > 5 ORDER BY pay');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('reads all rows of PUBLIC.SALE').waitFor();
    await page.getByText('CREATE INDEX ON PUBLIC.SALE(PAY)').waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: 'SELECT nothing FROM nowhere' }).click();
    await page.locator('.cm-content', { hasText: 'SELECT nothing FROM nowhere' }).waitFor();
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.getByLabel('Name of the query').fill('broken');
    await page.getByRole('button', { name: 'Save query' }).click();
    await page.getByRole('button', { name: 'broken', exact: true }).waitFor();
    await expectAccessible(page);
    // The browser itself reports the answer 400.
    expect(console.problems.filter((each) => !/status of 40[04]/.test(each))).toEqual([]);
  });

  browserTest('takes typed arguments and exports all rows', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT id, pay FROM sale WHERE id <= ? ORDER BY id');
    await page.getByLabel('Type of argument 1').selectOption('int');
    await page.getByLabel('Value of argument 1').fill('2');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('2 rows,').waitFor();
    for (const [format, expected] of [
      ['CSV', 'ID,PAY\r\n1,1.25\r\n2,2.50\r\n'],
      ['JSON', '[\n{"ID":1,"PAY":1.25},\n{"ID":2,"PAY":2.50}\n]\n'],
      ['NDJSON', '{"ID":1,"PAY":1.25}\n{"ID":2,"PAY":2.50}\n'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Export ${format}`, exact: true }).click(),
      ]);
      expect([format, await Bun.file(await download.path()).text()]).toEqual([format, expected]);
    }
    expect(console.problems).toEqual([]);
  });

  browserTest('cancels a statement, and kills one of another client', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('query');
    const long = 'SELECT COUNT(x) FROM SYSTEM_RANGE(1, 1000000000)';
    await typeStatement(page, long);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The statement was cancelled.').waitFor();
    const other = open.send(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(long.replace('COUNT', 'SUM'))}`);
    await page.getByText('Running statements').click();
    await page.getByRole('button', { name: /^Kill SELECT SUM/ }).click();
    expect((await other).error).not.toBeNull();
    expect(console.problems).toEqual([]);
  });
});

describe(`scans and type queries${NOTE}`, () => {
  browserTest('are commands, whose forms the query screen leads to', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await open.command('cmd=getorcreate&cacheName=numbers');
    await open.command('cmd=put&cacheName=numbers&key=seven&val=7');
    await console.show('query');
    await page.getByRole('link', { name: 'qryscanexe' }).click();
    await page.getByLabel('cacheName').fill('numbers');
    await page.getByLabel('pageSize').fill('10');
    await page.keyboard.press('Enter');
    await page.getByText('"key": "seven"').waitFor();
    expect(console.problems).toEqual([]);
  });
});

describe(`caches and tables${NOTE}`, () => {
  browserTest('creates a cache, changes an entry only if it has not changed, and destroys the cache', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('caches');
    await page.getByRole('table').getByRole('link', { name: 'SALE' }).waitFor();
    await page.getByRole('columnheader', { name: 'Hit ratio' }).waitFor();
    await page.getByRole('button', { name: 'Create a cache' }).click();
    await page.getByLabel('Name (required)').fill('colours');
    await page.getByRole('dialog').getByText('"cacheName": "colours"').waitFor();
    await page.getByRole('button', { name: 'Create cache' }).click();
    await page.getByText('The cache has no entries.').waitFor();
    await page.getByRole('button', { name: 'Add entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key', { exact: true }).fill('9007199254740993');
    await dialog.getByLabel('Key type').selectOption('long');
    await dialog.getByLabel('Value', { exact: true }).fill('red');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add entry' }).click();
    await page.getByRole('gridcell', { name: '9007199254740993' }).dblclick();
    await dialog.getByText('Time to live: none').waitFor();
    await dialog.getByLabel('Value', { exact: true }).fill('green');
    await open.command('cmd=put&cacheName=colours&key=9007199254740993&keyType=long&val=blue');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Nothing was changed').waitFor();
    expect(await open.command('cmd=get&cacheName=colours&key=9007199254740993&keyType=long')).toBe('blue');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openTab(page, 'Structure');
    await page.getByRole('button', { name: 'Destroy the cache' }).click();
    await dialog.getByRole('textbox').fill('colours');
    await dialog.getByRole('button', { name: 'Destroy', exact: true }).click();
    await page.getByRole('heading', { name: 'Caches and tables' }).waitFor();
    await page.locator('main').getByRole('link', { name: 'colours' }).waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('sets the time to live of an entry, and removes it', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await open.command('cmd=getorcreate&cacheName=offers');
    await open.command('cmd=put&cacheName=offers&key=today&val=tea');
    const ttl = () => open.command('cmd=ttl&cacheName=offers&key=today');
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'offers' }).click();
    await page.getByRole('gridcell', { name: 'today' }).dblclick();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Time to live: none' }).waitFor();
    const set = dialog.getByRole('button', { name: 'Set time to live' });
    expect(await set.isDisabled()).toBe(true);
    const amount = dialog.getByLabel('New time to live', { exact: true });
    await amount.fill('-1');
    await dialog.getByText('A number, such as 1.5.').waitFor();
    expect(await set.isDisabled()).toBe(true);
    // The number of hours changes after half an hour.
    await amount.fill('1.9');
    await dialog.getByLabel('Unit of New time to live').selectOption('days');
    await set.click();
    await dialog.getByRole('heading', { name: 'Time to live: 1 d 21 h' }).waitFor();
    await dialog.getByText('The time to live is set.').waitFor();
    expect((await dialog.getByRole('alert').allTextContents()).join('')).toBe('');
    expect(Number(await ttl())).toBeWithin(1, 164_160_001);
    const expiry = page.locator('[role=gridcell]', { hasText: /\d:\d\d:\d\d/ });
    await expiry.waitFor();
    expect(await expiry.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Remove time to live' }).click();
    await dialog.getByRole('heading', { name: 'Time to live: none' }).waitFor();
    await dialog.getByText('The time to live is removed.').waitFor();
    expect(await ttl()).toBeNull();
    expect(await open.command('cmd=get&cacheName=offers&key=today')).toBe('tea');
    await open.command('cmd=rmv&cacheName=offers&key=today');
    await set.click();
    await dialog.getByRole('alert').getByText('The entry no longer exists').waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('edits entries of every type, which keep their types and all digits', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await open.command('cmd=getorcreate&cacheName=typed');
    for (const [type, title, text, edited] of [
      ['integer', 'integer', '5', '6'],
      ['long', 'long', '9007199254740993', '9007199254740995'],
      ['double', 'double', '1.5', '2.5'],
      ['java.math.BigDecimal', 'decimal', '12345678901234567890.10', '12345678901234567890.20'],
      ['java.math.BigDecimal', 'decimal', '2410611.00', '2410612.00'],
      ['uuid', 'uuid', '00000000-0000-0001-0000-000000000002', '00000000-0000-0001-0000-000000000003'],
      ['date', 'date', '2026-01-02', '2026-01-03'],
      ['timestamp', 'timestamp', '2026-01-02 03:04:05.5', '2026-01-02 03:04:06.5'],
      ['java.lang.Object', 'map', '{"a":1.10}', '{"a":1.20}'],
    ] as const) {
      const entry = { cacheName: 'typed', key: '1', keyType: 'int' };
      await open.command(queryOf({ cmd: 'put', ...entry, val: text, valueType: type }));
      await console.show('caches');
      await page.locator('main').getByRole('link', { name: 'typed' }).click();
      await page.getByRole('gridcell', { name: '1', exact: true }).dblclick();
      expect(await dialog.getByLabel('Value type').inputValue()).toBe(title);
      await dialog.getByLabel('Value', { exact: true }).fill(edited);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const kept = await open.send(queryOf({ cmd: 'repval', ...entry, val: text, val2: edited, valueType: type }));
      expect([type, kept.response, kept.error]).toEqual([type, true, null]);
    }
    await open.command('cmd=destcache&cacheName=typed');
    expect(console.problems).toEqual([]);
  });

  browserTest('imports a file into a new table, whose inferred columns are corrected before', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('caches');
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.from('code;full name;zip\n1;Ann;101\n2;Bob;102\n');
    const file = { name: 'guest list.csv', mimeType: 'text/csv', buffer };
    await dialog.getByLabel('File, CSV, JSON or NDJSON').setInputFiles(file);
    expect(await dialog.getByLabel('Table').inputValue()).toBe('guest_list');
    expect(await dialog.getByLabel('Type of CODE').inputValue()).toBe('INTEGER');
    expect(await dialog.getByLabel('CODE is part of the key').isChecked()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel('Name of full name').fill('fullName');
    await dialog.getByLabel('Type of ZIP').selectOption('VARCHAR');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'GUEST_LIST' }).waitFor();
    await page.getByRole('gridcell', { name: 'Ann' }).waitFor();
    const { response } = await open.send(
      queryOf({ cmd: 'qryfldexe', pageSize: 10, qry: 'SELECT code, fullName, zip FROM guest_list ORDER BY code' }),
    );
    expect((response as { items: unknown }).items).toEqual([
      [1, 'Ann', '101'],
      [2, 'Bob', '102'],
    ]);
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'GUEST_LIST' }).waitFor();
    await open.command('cmd=qryfldexe&pageSize=1&qry=DROP%20TABLE%20guest_list');
    expect(console.problems).toEqual([]);
  });

  browserTest('imports and exports a file', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await open.command('cmd=getorcreate&cacheName=fruit');
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'fruit' }).click();
    await openTab(page, 'Import and export');
    const buffer = Buffer.from('key,value\na,apple\nb,banana\n');
    await page
      .getByLabel('File, CSV, JSON or NDJSON')
      .setInputFiles({ name: 'fruit.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported:').waitFor();
    expect(await open.command('cmd=get&cacheName=fruit&key=b')).toBe('banana');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(await Bun.file(await download.path()).text()).toContain('banana');
    expect(console.problems).toEqual([]);
  });
});

describe(`commands${NOTE}`, () => {
  browserTest('sends a command from its form, and shows the same request for programs', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('commands');
    await page.getByLabel('Search').fill('counter');
    await page.locator('main').getByRole('link', { name: 'incr', exact: true }).click();
    await page.getByLabel('key').fill('visits');
    await page.getByLabel('delta').fill('9007199254740993');
    await page.getByRole('button', { name: 'Send incr' }).click();
    await page.getByText('"response": 9007199254740993').waitFor();
    await page
      .getByText(/"delta": ?"?9007199254740993/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Python' }).click();
    await page.getByText('from svc_grid import SvcClient').first().waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});

describe(`administration${NOTE}`, () => {
  browserTest('starts a task, and filters the log', async () => {
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    await console.show('administration');
    await page.getByLabel('Task (required)').fill('no.such.task');
    await page.getByRole('button', { name: 'Start task' }).click();
    await page
      .getByRole('alert')
      .getByText('no.such.task')
      .or(page.getByRole('cell', { name: 'failed' }))
      .first()
      .waitFor();
    await showPart(page, 'Log');
    await page.getByLabel('Find', { exact: true }).fill('Listening');
    await page.getByText(/^1 of [\d,]+ lines/).waitFor();
    expect(console.problems.filter((each) => !each.includes('status of'))).toEqual([]);
  });
});

describe(`the login${NOTE}`, () => {
  browserTest('rejects a wrong password, and leads to the screen', async () => {
    await using console = await openConsole(browser, closed.origin);
    const { page } = console;
    await expectAccessible(page);
    await page.getByLabel('User').fill('svc');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('rror').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    await page.getByRole('button', { name: 'Log out svc' }).click();
    await page.getByRole('heading', { name: 'Log in to svc' }).waitFor();
    expect(console.problems.filter((each) => !each.includes('status of 401'))).toEqual([]);
  });
});

describe(`signed requests${NOTE}`, () => {
  browserTest('need the secret key, with and without a login', async () => {
    const secret = { SVC_SECRET_KEY: 'console-key' };
    for (const authentication of [false, true]) {
      await using service = await startService({
        env: { ...secret, ...(authentication && { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD }) },
      });
      await using console = await openConsole(browser, service.origin);
      const { page } = console;
      if (authentication) {
        await page.getByLabel('User').fill('svc');
        await page.getByLabel('Password').fill(PASSWORD);
      }
      await page.getByLabel('Secret key').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('security check failed').waitFor();
      await page.getByLabel('Secret key').fill('console-key');
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await page.getByRole('table', { name: 'Nodes' }).waitFor();
      await page.reload();
      await page.getByRole('table', { name: 'Nodes' }).waitFor();
      expect(console.problems.filter((each) => !each.includes('status of 401'))).toEqual([]);
    }
  });
});

describe('options of the console', () => {
  test('http.console turns it off, and the page at / does not link it', async () => {
    await using service = await startService({ env: { SVC_HTTP_CONSOLE: 'off' } });
    expect((await fetch(`${service.origin}/console`)).status).toBe(404);
    const home = await (await fetch(service.origin, { headers: { Accept: 'text/html' } })).text();
    expect(home).not.toContain('/console');
  });

  test('http.consolePort gives it a port of its own, which serves commands, too', async () => {
    const consolePort = freePort();
    await using service = await startService({ env: { SVC_HTTP_CONSOLE_PORT: String(consolePort) } });
    expect((await fetch(`${service.origin}/console`)).status).toBe(404);
    const own = `http://127.0.0.1:${consolePort}`;
    expect((await fetch(`${own}/console`)).status).toBe(200);
    expect(await (await fetch(`${own}/svc?cmd=version`)).text()).toContain('"successStatus":0');
  });
});
