/** What the console says when something fails, in headless Chromium, in front of the embedded engine. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { missing } from '../browser/chromium.ts';
import { queryOf, type ServiceProcess, startService } from '../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  LIMIT_MS,
  NOTE,
  openBrowser,
  openConsole,
  openTab,
  showPart,
  typeStatement,
} from './console-page.ts';

setDefaultTimeout(180_000);
/** For a press that the login may prevent. */
const PRESS_LIMIT_MS = 3_000;
const PASSWORD = 'console-password';
const ADMIN = { 'svc.login': 'svc', 'svc.password': PASSWORD };
const SCREENS = ['overview', 'caches', 'query', 'commands', 'administration'];

let browser: Browser;
let service: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
  service = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
  await service.command('cmd=getorcreate&cacheName=stock');
  await service.command('cmd=put&cacheName=stock&key=tea&val=12&valueType=int');
  await service.command(
    queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE item (id INT PRIMARY KEY, n INT)' }),
  );
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await closed?.[Symbol.asyncDispose]();
});

/** The browser itself reports answers that are errors, and requests without one. */
const unexpected = ({ problems }: ConsolePage) =>
  problems.filter((each) => !/status of [45]\d\d|ERR_(?:FAILED|CONNECTION|EMPTY|SOCKET)/.test(each));

async function run(page: Page, sql: string): Promise<void> {
  await typeStatement(page, sql);
  await page.getByRole('button', { name: 'Run' }).click();
}

async function openCache(page: Page, name: string): Promise<void> {
  // A table is listed and headed by its own name.
  const title = name.replace('SQL_PUBLIC_', '');
  await page.locator('main').getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
}

async function openEntry(page: Page): Promise<void> {
  await openCache(page, 'stock');
  await page.getByRole('button', { name: 'Add entry' }).click();
  await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill('new');
}

async function importFile(page: Page, cache: string, content: string): Promise<void> {
  await openCache(page, cache);
  await openTab(page, 'Import and export');
  const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
  await page.getByLabel('File, CSV, JSON or NDJSON').setInputFiles(file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
}

async function sendCommand(page: Page, name: string, params: Readonly<Record<string, string>>): Promise<void> {
  await page.getByLabel('Search').fill(name);
  await page.locator('main').getByRole('link', { name, exact: true }).click();
  for (const [label, text] of Object.entries(params))
    await page.getByLabel(new RegExp(`^${label}( \\(required\\))?$`)).fill(text);
  await page.getByRole('button', { name: `Send ${name}` }).click();
}

type Case = readonly [title: string, screen: string, act: (page: Page) => Promise<void>, text: string | RegExp];

/** Shows the error of each case on its screen. The cases of a screen share a page. */
function errorCases(cases: readonly Case[], open: () => Promise<ConsolePage>): void {
  for (const screen of new Set(cases.map(([, each]) => each))) {
    browserTest(`on the screen ${screen} is said there`, async () => {
      await using console = await open();
      const { page } = console;
      await console.show(screen);
      for (const [title, of, act, text] of cases) {
        if (of !== screen) continue;
        await page.evaluate(`location.hash = '#/${screen}'`);
        await page.reload();
        await page.locator('h1').waitFor();
        await act(page);
        // Values that cannot be sent are reported while they are typed.
        const said = page.locator('[role=alert], [role=status]').getByText(text).first();
        await said.waitFor().catch((error: unknown) => {
          throw new Error(`${title}: nothing says ${text}`, { cause: error });
        });
        await page.unrouteAll();
      }
      await expectAccessible(page);
      expect(unexpected(console)).toEqual([]);
    });
  }
}

const CASES: readonly Case[] = [
  [
    'a region that there is not',
    'caches',
    async (page) => {
      await page.getByRole('button', { name: 'Create a cache' }).click();
      await page.getByLabel('Name (required)').fill('bad');
      await page.getByLabel('Region').fill('nowhere');
      await page.getByRole('button', { name: 'Create cache' }).click();
    },
    'nowhere',
  ],
  [
    'a value that is not of its type',
    'caches',
    async (page) => {
      await openEntry(page);
      await page.getByRole('dialog').getByLabel('Value type').selectOption('integer');
      await page.getByLabel('Value', { exact: true }).fill('twelve');
      expect(await page.getByRole('dialog').getByRole('button', { name: 'Add entry' }).isDisabled()).toBe(true);
    },
    'Value needs a whole number, not "twelve".',
  ],
  [
    'an object that is not JSON',
    'caches',
    async (page) => {
      await openEntry(page);
      await page.getByRole('dialog').getByLabel('Value type').selectOption('java.lang.Object');
      await page.getByLabel('Value', { exact: true }).fill('{"a":');
    },
    'Value needs JSON',
  ],
  [
    'a key that exists',
    'caches',
    async (page) => {
      await openEntry(page);
      await page.getByLabel('Key', { exact: true }).fill('tea');
      await page.getByRole('dialog').getByRole('button', { name: 'Add entry' }).click();
    },
    'already has an entry with this key',
  ],
  [
    'a file with a record that cannot be stored',
    'caches',
    (page) => importFile(page, 'SQL_PUBLIC_ITEM', 'ID,N\n1,2\n2,many\n'),
    /many/,
  ],
  ['a file without the column of the key', 'caches', (page) => importFile(page, 'stock', 'a,b\n1,2\n'), /key/],
  [
    'an import whose connection ends',
    'caches',
    async (page) => {
      await page.route('**/import?*', (route) => route.abort());
      await importFile(page, 'stock', 'key,value\na,b\n');
    },
    'The connection was closed before the answer.',
  ],
  [
    'an export that fails',
    'caches',
    async (page) => {
      await openCache(page, 'stock');
      await openTab(page, 'Import and export');
      await page.route('**/export', (route) => route.abort());
      await page.getByRole('button', { name: 'Export CSV' }).click();
    },
    'No answer',
  ],
  [
    'an answer of something between the browser and the service',
    'caches',
    async (page) => {
      const readAgain = page.getByRole('button', { name: 'Refresh' });
      await readAgain.waitFor();
      await page.route('**/cachelist', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
      await readAgain.click();
    },
    'The service answered with 502: <h1>Bad Gateway</h1>',
  ],
  ['no statement', 'query', (page) => run(page, ' '), 'Write a statement first.'],
  ['a table that there is not', 'query', (page) => run(page, 'SELECT 1 FROM nowhere'), 'Table "NOWHERE" not found'],
  [
    'an argument that is not of its type',
    'query',
    async (page) => {
      await typeStatement(page, 'SELECT CAST(? AS INT)');
      await page.getByLabel('Type of argument 1').selectOption('int');
      await page.getByLabel('Value of argument 1').fill('one');
      await page.getByRole('button', { name: 'Run' }).click();
    },
    'arg1',
  ],
  ['an argument that is missing', 'query', (page) => run(page, 'SELECT CAST(? AS INT)'), /arg1|argument 1/],
  [
    'a schema that there is not',
    'query',
    async (page) => {
      await page.getByText('Default schema').click();
      await page.getByLabel('Cache whose schema is the default').fill('absent');
      await run(page, 'SELECT 1');
    },
    'absent',
  ],
  [
    'an export that is rejected',
    'query',
    async (page) => {
      // The previous tab has a schema that does not exist.
      await page.getByRole('button', { name: 'New query' }).click();
      await run(page, 'SELECT 1 AS a');
      await page.getByRole('button', { name: 'Export CSV' }).waitFor();
      await page.route('**/export', (route) => route.abort());
      await page.route('**/qryfldexe', (route) => route.abort());
      await page.getByRole('button', { name: 'Export CSV' }).click();
    },
    'No answer',
  ],
  ['a cache that there is not', 'commands', (page) => sendCommand(page, 'get', { cacheName: 'no', key: 'a' }), 'no'],
  [
    'a list that is not JSON',
    'commands',
    async (page) => {
      await page.getByLabel('Search').fill('exe');
      await page.locator('main').getByRole('link', { name: 'exe', exact: true }).click();
      await page.getByLabel('params').fill('[1');
    },
    'A list is not JSON',
  ],
  [
    'a time limit beyond all bounds',
    'administration',
    async (page) => {
      await page.getByLabel('Task (required)').fill('svc.echo');
      await page.getByLabel('Time limit').fill('99999999999999999999');
      await page.getByRole('button', { name: 'Start task' }).click();
    },
    'timeout',
  ],
  [
    'a log that cannot be read',
    'administration',
    async (page) => {
      await showPart(page, 'Log');
      await page.route('**/log', (route) => route.abort());
      await page.getByRole('button', { name: 'Refresh' }).click();
    },
    'No answer',
  ],
];

describe(`an error${NOTE}`, () => {
  errorCases(CASES, () => openConsole(browser, service.origin));

  browserTest('of a statement moves the cursor to its place', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await console.show('query');
    for (const button of ['Run', 'Explain']) {
      await typeStatement(page, `SELECT 1 FROM no${button}`);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('alert').getByText(`"NO${button.toUpperCase()}" not found`).waitFor();
      await page.keyboard.insertText('!');
      expect(await page.locator('.cm-content').innerText()).toContain(`FROM !no${button}`);
    }
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('in a result without numbers is said where the plot would be', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await console.show('query');
    await run(page, "SELECT 'a' AS b");
    await page.getByRole('button', { name: 'Plot' }).click();
    await page.getByText('No column has numbers').waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('of a name that does not match keeps what was to be removed', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await console.show('caches');
    await openCache(page, 'stock');
    await openTab(page, 'Structure');
    for (const button of ['Remove all entries …', 'Destroy the cache …']) {
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').fill('Stock');
      await page.keyboard.press('Enter');
      expect(await dialog.locator('button.danger').isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    expect(await service.command('cmd=size&cacheName=stock')).toBe(1);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('while a screen is loaded is shown, and another click loads it', async () => {
    await using console = await openConsole(browser, service.origin, {
      async prepare(page) {
        await page.route('**/administration-*', (route) => route.abort());
      },
    });
    const { page } = console;
    await page.locator('nav a[href="#/administration"]').click();
    await page.getByRole('alert').getByText('The screen cannot be loaded').waitFor();
    await console.show('caches');
    await page.getByRole('table').first().waitFor();
    expect((await page.getByRole('alert').allTextContents()).join('')).toBe('');
    expect(unexpected(console)).toEqual([]);
  });
});

describe(`an inactive cluster${NOTE}`, () => {
  browserTest('is said on every screen that needs an active one', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await service.command('cmd=setstate&state=INACTIVE&force=true');
    try {
      await page.getByText('No entry can be read or changed').first().waitFor();
      await console.show('query');
      await run(page, 'SELECT 1 FROM item');
      await page.getByRole('alert').getByText('inactive').first().waitFor();
      await console.show('commands');
      await sendCommand(page, 'get', { cacheName: 'stock', key: 'tea' });
      await page.getByRole('alert').getByText('inactive').first().waitFor();
      await expectAccessible(page);
      await console.show('caches');
      await page
        .locator('main')
        .getByRole('link', { name: 'stock', exact: true })
        .or(page.getByRole('alert').getByText('inactive'))
        .first()
        .waitFor();
    } finally {
      await service.command('cmd=setstate&state=ACTIVE');
    }
    expect(unexpected(console)).toEqual([]);
  });
});

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('User').fill('svc');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

const CLOSED_CASES: readonly Case[] = [
  [
    'a user who exists',
    'administration',
    async (page) => {
      await page.getByRole('button', { name: 'Add user …' }).click();
      await page.getByLabel('Name').fill('svc');
      await page.getByLabel('New password').fill('secret');
      await page.keyboard.press('Enter');
    },
    'svc',
  ],
  [
    'an old password that is wrong',
    'administration',
    async (page) => {
      await page.getByRole('button', { name: 'Password of svc' }).click();
      await page.getByLabel('Old password').fill('wrong');
      await page.getByLabel('New password').fill('secret');
      await page.keyboard.press('Enter');
    },
    'old password',
  ],
  [
    'a rate of a key that is none',
    'administration',
    async (page) => {
      await showPart(page, 'API keys');
      await page.getByRole('button', { name: 'Create key …' }).click();
      await page.getByLabel('Name of the key').fill('k');
      await page.getByText('Addresses and rate').click();
      await page.getByLabel('Rate').fill('often');
      await page.keyboard.press('Enter');
    },
    'rate',
  ],
  [
    'a session that has ended meanwhile',
    'administration',
    async (page) => {
      const login = { 'svc.login': 'svc', 'svc.password': PASSWORD };
      const { sessionToken } = await closed.send(queryOf({ cmd: 'authenticate', ...login }));
      await showPart(page, 'Sessions');
      await page.getByRole('button', { name: 'Refresh sessions' }).click();
      const end = page.getByRole('button', { name: /^End the session of svc/ }).first();
      await end.waitFor();
      const listed = await closed.send(queryOf({ cmd: 'sessionlist', sessionToken: String(sessionToken) }));
      const own = (listed.response as ReadonlyArray<{ readonly id: string; readonly current: boolean }>).find(
        ({ current }) => current,
      );
      const route = { id: own?.id ?? '' };
      await closed.send(queryOf({ cmd: 'sessionrmv', ...route, ...ADMIN }));
      await page.route('**/sessionrmv', (sent) =>
        sent.continue({ postData: JSON.stringify({ ...route, httpStatus: true }) }),
      );
      await end.click();
    },
    'There is no session with this id',
  ],
];

describe(`an error with users${NOTE}`, () => {
  errorCases(CLOSED_CASES, async () => {
    const console = await openConsole(browser, closed.origin);
    await logIn(console.page);
    await console.page.getByRole('table', { name: 'Nodes' }).waitFor();
    return console;
  });

  browserTest('a session that has ended opens the login over every screen, with one sentence', async () => {
    await using console = await openConsole(browser, closed.origin);
    const { page } = console;
    await logIn(page);
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    /** The button that sends a request on each screen. The overview sends requests by itself. */
    const buttons: Readonly<Record<string, string>> = {
      caches: 'Refresh',
      query: 'Explain',
      administration: 'Refresh sessions',
    };
    const login = page.getByRole('dialog', { name: 'Log in to svc again' });
    for (const screen of SCREENS) {
      await console.show(screen);
      await closed.command(queryOf({ cmd: 'sessionrmv', user: 'svc', ...ADMIN }));
      // Pending requests of the screen may show the login before anything is pressed.
      if (screen === 'administration' && !(await login.isVisible())) await showPart(page, 'Sessions').catch(() => {});
      const button = page.getByRole('button', { name: buttons[screen] ?? 'nothing', exact: true }).first();
      page.setDefaultTimeout(PRESS_LIMIT_MS);
      while (screen !== 'overview' && !(await login.isVisible())) {
        const pressed = screen === 'commands' ? sendCommand(page, 'noop', {}) : button.click();
        await pressed.catch(() => {});
      }
      page.setDefaultTimeout(LIMIT_MS);
      await login.waitFor();
      await page.locator('.connection .notice').getByText('Your session ended at').waitFor();
      expect(await page.locator('.connection .notice').count()).toBe(1);
      await login.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await login.waitFor({ state: 'detached' });
      await page.locator(`nav a[aria-current][href="#/${screen}"]`).waitFor();
      await page.locator('h1').waitFor();
      await page.locator('.connection .notice').waitFor({ state: 'detached' });
    }
    expect(unexpected(console)).toEqual([]);
  });
});
