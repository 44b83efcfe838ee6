/** The frame of the console in headless Chromium: sidebar, palette, breadcrumbs, menu, and the name of the service. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { queryOf, startService } from '../system/service-process.ts';
import {
  browserTest,
  expectAccessible,
  expectNoOverflow,
  longestTaskMs,
  NOTE,
  openTab,
  showPart,
  startForTests,
  typeStatement,
} from './console-page.ts';

setDefaultTimeout(180_000);
const MANY = 5_000;
/** Longer tasks are visible as a jerk. */
const SMOOTH_MS = 50;

const started = startForTests(async () => {
  const service = await startService({ env: { SVC_CONSOLE_TITLE: 'Shop <live>', SVC_CONSOLE_COLOUR: 'red' } });
  await service.command(
    queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE sale (id INT PRIMARY KEY, pay INT)' }),
  );
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'INSERT INTO sale VALUES (1, 10), (2, 20)' }));
  await service.command('cmd=getorcreate&cacheName=colours');
  await service.command('cmd=getorcreate&cacheName=sessions&ttlMs=3600000');
  await service.command('cmd=changefeed&cacheName=sessions');
  return service;
});

describe(`the frame${NOTE}`, () => {
  browserTest('lists caches and tables, finds them by name, and opens them', async () => {
    await using console = await started.open();
    const { page } = console;
    const list = page.getByRole('list', { name: 'Caches and tables' });
    await list.getByRole('link', { name: 'SALE 2' }).waitFor();
    await page.getByLabel('Find caches and tables').fill('COL');
    expect(await list.getByRole('link').allTextContents()).toEqual(['colours0']);
    await list.getByRole('link').click();
    await page.getByRole('heading', { name: 'colours', level: 1 }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).innerText()).toMatch(
      /Caches and tables\s+colours/,
    );
    await page.getByLabel('Find caches and tables').fill('nothing');
    await page.getByText('No name matches.').waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('asks the service for a name that the list lacks before it denies it', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('caches');
    await page.getByRole('table', { name: 'All caches and tables' }).waitFor();
    await started.service.command('cmd=getorcreate&cacheName=just-created');
    await page.evaluate(`globalThis.denied = false;
      new MutationObserver(() => { denied ||= document.body.innerText.includes('There is no cache'); })
        .observe(document.body, { childList: true, subtree: true, characterData: true });
      location.hash = '#/caches?name=just-created'`);
    await page.getByRole('heading', { name: 'just-created', level: 1 }).waitFor({ timeout: 10_000 });
    expect(await page.evaluate('denied')).toBe(false);
    await page.evaluate("location.hash = '#/caches?name=never-created'");
    await page.getByText('There is no cache never-created.').waitFor();
    // One that is created afterwards is also found by its address.
    await started.service.command('cmd=getorcreate&cacheName=never-created');
    await page.evaluate("location.hash = '#/caches'");
    await page.evaluate("location.hash = '#/caches?name=never-created'");
    await page.getByRole('heading', { name: 'never-created', level: 1 }).waitFor({ timeout: 10_000 });
    for (const name of ['just-created', 'never-created']) {
      await started.service.command(`cmd=destcache&cacheName=${name}`);
    }
    expect(console.problems).toEqual([]);
  });

  browserTest('shows numbers and dates by the locale of the browser, but not values of data', async () => {
    await started.service.command(
      queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE many (id INT PRIMARY KEY, n INT)' }),
    );
    const fill = 'INSERT INTO many SELECT x, x FROM SYSTEM_RANGE(1, 12345)';
    await started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: fill }));
    await using console = await started.open({ locale: 'de-DE' });
    const { page } = console;
    await page.getByTitle('MANY, a table, 12.345 rows').waitFor();
    await page
      .getByText(/^\d+(?:,\d+)? (?:MiB|GiB)$/)
      .first()
      .waitFor();
    await console.show('query');
    await typeStatement(page, 'SELECT 1234567.50 AS pay, id FROM many ORDER BY id DESC');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1.000 rows so far').waitFor();
    await page.getByRole('gridcell', { name: '1234567.50', exact: true }).first().waitFor();
    await page.getByRole('gridcell', { name: '12345', exact: true }).waitFor();
    await console.show('administration');
    await showPart(page, 'Log');
    expect(await page.locator('.log-time').first().innerText()).toMatch(/^\d\d\.\d\d\.20\d\d, \d\d:\d\d:\d\d$/);
    await started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'DROP TABLE many' }));
    expect(console.problems).toEqual([]);
  });

  browserTest('marks caches with a change feed and a time to live', async () => {
    await using console = await started.open();
    const link = console.page.getByRole('list', { name: 'Caches and tables' }).getByRole('link', { name: 'sessions' });
    await link.getByText('change feed').waitFor();
    await link.getByText('time to live').waitFor();
    expect(await link.getAttribute('title')).toBe(
      'sessions, a cache, 0 entries, with a change feed, with a time to live',
    );
    expect(await link.locator('svg').count()).toBe(3);
    await expectAccessible(console.page);
    expect(console.problems).toEqual([]);
  });

  browserTest('follows what is created and removed', async () => {
    await using console = await started.open();
    const { page } = console;
    const list = page.getByRole('list', { name: 'Caches and tables' });
    await console.show('caches');
    await page.getByRole('button', { name: 'Create a cache' }).click();
    await page.getByLabel('Name (required)').fill('fresh');
    await page.getByRole('button', { name: 'Create cache' }).click();
    await list.getByRole('link', { name: 'fresh' }).click();
    await openTab(page, 'Structure');
    await page.getByRole('button', { name: 'Destroy the cache' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('fresh');
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy', exact: true }).click();
    await list.getByRole('link', { name: 'fresh' }).waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('lists what was created while the list was being read, and what others create meanwhile', async () => {
    const begun = Promise.withResolvers<void>();
    const created = Promise.withResolvers<void>();
    let readings = 0;
    await using console = await started.open({
      async prepare(page) {
        // The sidebar reads the list every half a minute.
        await page.addInitScript(`(() => {
          const { setInterval } = globalThis;
          globalThis.setInterval = (work, ms, ...args) => setInterval(work, ms / 30, ...args);
        })()`);
        await page.route('**/cachelist', async (route) => {
          if (readings++ > 0) return route.continue();
          const response = await route.fetch();
          begun.resolve();
          await created.promise;
          await route.fulfill({ response });
        });
      },
    });
    const { page } = console;
    const list = page.locator('main').getByRole('table');
    await begun.promise;
    await started.service.command('cmd=getorcreate&cacheName=late');
    await console.show('caches');
    created.resolve();
    await list.getByRole('link', { name: 'late' }).waitFor();
    await started.service.command('cmd=getorcreate&cacheName=later');
    await list.getByRole('link', { name: 'later' }).waitFor();
    for (const name of ['late', 'later']) await started.service.command(`cmd=destcache&cacheName=${name}`);
    expect(console.problems).toEqual([]);
  });

  browserTest('goes to tables, commands and screens by keyboard with the palette', async () => {
    await using console = await started.open();
    const { page } = console;
    const palette = page.getByRole('dialog', { name: 'Go to' });
    for (const [text, heading] of [
      ['sal', 'SALE'],
      ['putal', 'putall'],
      ['admin', 'Administration'],
      ['backups', 'Backups'],
    ] as const) {
      await page.keyboard.press('Control+k');
      // A fast typist loses no letter.
      await page.keyboard.type(text);
      expect(await palette.getByRole('combobox').inputValue()).toBe(text);
      // Tables and commands are there when they have been read.
      await palette.getByRole('option', { name: heading }).first().waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await palette.waitFor({ state: 'detached' });
      await page.locator('main').getByRole('heading', { name: heading }).first().waitFor();
    }
    await page.getByRole('button', { name: 'Go to' }).click();
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.type('qqqq');
    await palette.getByText('No name matches.').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('shows the keyboard shortcuts, but not for a question mark that is typed', async () => {
    await using console = await started.open();
    const { page } = console;
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.keyboard.press('?');
    await dialog.getByText('Control+K').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Find caches and tables').focus();
    await page.keyboard.type('?');
    await page.getByText('No name matches.').waitFor();
    expect(await dialog.count()).toBe(0);
    await page.goto(`${page.url().split('#')[0]}#/query`);
    await page.locator('.cm-content').click();
    await page.keyboard.type('SELECT ?');
    await page.locator('.cm-content', { hasText: 'SELECT ?' }).waitFor();
    expect(await dialog.count()).toBe(0);
    expect(console.problems).toEqual([]);
  });

  browserTest('prints the content of a screen without what is around it', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const around of ['.sidebar', '.bar', 'footer']) expect(await page.locator(around).isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'Overview' }).isVisible()).toBe(true);
    expect(console.problems).toEqual([]);
  });

  browserTest('prints all rows that were read, without tools', async () => {
    await started.service.command(
      queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE printed (id INT PRIMARY KEY, n INT)' }),
    );
    const fill = 'INSERT INTO printed SELECT x, x + 1000 FROM SYSTEM_RANGE(1, 250)';
    await started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: fill }));
    await using console = await started.open();
    const { page } = console;
    const print = async (): Promise<readonly number[]> => {
      await page.emulateMedia({ media: 'print' });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      for (const tool of ['.grid-head input', '.grid input', '.grid-foot', 'main .actions', '.result-foot']) {
        expect(await page.locator(tool).locator('visible=true').count()).toBe(0);
      }
      const heights = await page.evaluate<number[]>(`(() => {
        const rows = [...document.querySelectorAll('.grid-row')].map((row) => row.getBoundingClientRect());
        const { bottom, right } = document.querySelector('main').getBoundingClientRect();
        const isInside = rows.every((row) => row.bottom <= bottom + 1 && row.right <= right + 1);
        return isInside ? rows.map(({ height }) => height) : [];
      })()`);
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      await page.emulateMedia({ media: 'screen' });
      return heights;
    };
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_PRINTED'");
    await page.getByText('250 rows,').waitFor();
    // With the head.
    expect(await print()).toHaveLength(251);
    expect(await page.locator('.printed').count()).toBe(0);
    expect(await page.locator('.grid-row').count()).toBeLessThan(100);
    await console.show('query');
    await typeStatement(page, 'SELECT x FROM SYSTEM_RANGE(1, 5000)');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,000 rows so far').waitFor();
    expect(await print()).toHaveLength(1_001);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.getByText(/These are 1,000 of [\d,]+ or more rows/).waitFor();
    await started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'DROP TABLE printed' }));
    expect(console.problems).toEqual([]);
  });

  browserTest('moves nothing for users who want less motion', async () => {
    await using console = await started.open();
    const { page } = console;
    const motion = () =>
      page.evaluate<string[]>(`(() => {
        const marked = document.body.appendChild(document.createElement('p'));
        marked.className = 'changed';
        const { animationTimingFunction } = getComputedStyle(marked);
        marked.remove();
        const { transitionDuration } = getComputedStyle(document.querySelector('button.go-to'));
        return [animationTimingFunction, transitionDuration];
      })()`);
    expect(await motion()).toEqual(['ease', '0.15s']);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await motion()).toEqual(['steps(1)', '0s']);
    expect(console.problems).toEqual([]);
  });

  browserTest('shows the name and the colour of the service', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.getByText('Shop <live>', { exact: true }).waitFor();
    expect(await page.title()).toBe('Overview: Shop <live>, svc');
    const colour = await page.evaluate<string>("getComputedStyle(document.querySelector('.bar')).borderTopColor");
    expect(colour).toBe('rgb(180, 35, 24)');
    expect(console.problems).toEqual([]);
  });

  browserTest('has a menu in one bar on a small screen', async () => {
    await using console = await started.open({ width: 390, height: 844 });
    const { page } = console;
    expect((await page.locator('.bar').boundingBox())?.height).toBeLessThanOrEqual(52);
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await menu.getByRole('link', { name: 'SALE 2' }).waitFor();
    await menu.getByLabel('Theme').selectOption('Dark theme');
    await page.locator('html[data-theme=dark]').waitFor();
    await expectAccessible(page);
    await menu.getByRole('link', { name: 'Query' }).click();
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Query', level: 1 }).waitFor();
    await expectNoOverflow(page);
    expect(console.problems).toEqual([]);
  });

  browserTest(`stays smooth with ${MANY} caches`, async () => {
    const listed = Array.from({ length: MANY }, (_, index) => ({ cacheName: `cache-${index}`, cacheSize: index }));
    await using console = await started.open({
      async prepare(page) {
        await page.route('**/cachelist', (route) =>
          route.fulfill({ json: { successStatus: 0, sessionToken: null, error: null, response: listed } }),
        );
      },
    });
    const { page } = console;
    const list = page.getByRole('list', { name: 'Caches and tables' });
    await list.getByRole('link').first().waitFor();
    expect(await list.getByRole('link').count()).toBeLessThan(100);
    const find = page.getByLabel('Find caches and tables');
    const longest = await longestTaskMs(page, async () => {
      for (let step = 1; step <= 10; step++) {
        await page.evaluate(`document.querySelector('.virtual-list').scrollTop = ${step * 12_000}`);
        await page.waitForTimeout(50);
      }
      await find.fill('49');
      await find.fill('499');
    });
    expect(longest).toBeLessThan(SMOOTH_MS);
    await list.getByRole('link', { name: 'cache-4999' }).waitFor();
    expect(console.problems).toEqual([]);
  });
});
