/**
 * What the console says about its connection, in headless Chromium: one sentence on every screen, which disappears by
 * itself.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync, statfsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { missing } from '../../browser/chromium.ts';
import { freePort } from '../../free-port.ts';
import { mountLoopDisk } from '../../system/loop-disk.ts';
import { allowedMs } from '../../system/machine.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openBrowser,
  openConsole,
  typeStatement,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const SCREENS = ['overview', 'caches', 'query', 'commands', 'administration'];
const PASSWORD = 'console-password';
const MEBIBYTE = 1024 * 1024;
/** Room for the data, and a reserve for which it does not matter how much that is. */
const DISK_MEBIBYTES = 512;
const RESERVE_MEBIBYTES = 64;
const folder = newFolder();
let browser: Browser;

beforeAll(async () => {
  if (!missing) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const sql = (service: ServiceProcess, qry: string) => service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }));

const notice = (page: Page) => page.locator('.connection');

/** Expects one sentence in the frame, and no other sentence about the connection. */
async function expectNotice(page: Page, text: string): Promise<void> {
  await notice(page).getByText(text).waitFor();
  expect(await notice(page).locator('.notice').count()).toBe(1);
  await page.getByText('All is well').waitFor({ state: 'detached' });
  const alerts = page.getByRole('alert').filter({ hasText: /No answer|Failed to fetch|cannot be loaded/ });
  expect(await alerts.allTextContents()).toEqual([]);
}

/** The browser itself reports requests without an answer, and answers that are errors. */
const unexpected = ({ problems }: ConsolePage) =>
  problems.filter((each) => !/status of [45]\d\d|ERR_(?:FAILED|CONNECTION|EMPTY|SOCKET)/.test(each));

/** The time within which the page recovers once the cause has ended. */
const HEALED_MS = 5_000;

const expectHealed = (page: Page) =>
  notice(page)
    .locator('.notice')
    .waitFor({ state: 'detached', timeout: allowedMs(HEALED_MS) });

const DRAFT = "'a draft'";

/** What each screen has once it has read from the service: the query screen keeps what was typed. */
const CONTENTS: Readonly<Record<string, string>> = {
  overview: 'Version and addresses',
  caches: 'TRIP',
  query: DRAFT,
  commands: 'cachelist',
  administration: 'No task is running',
};

async function createTrips(service: ServiceProcess): Promise<void> {
  await sql(service, 'CREATE TABLE trip (id INT PRIMARY KEY, n INT)');
  await sql(service, 'INSERT INTO trip SELECT x, x FROM SYSTEM_RANGE(1, 5)');
}

interface Trouble {
  /** The beginning of the sentence on every screen. */
  readonly said: string;
  begin(page: Page): Promise<unknown>;
  end(page: Page): Promise<unknown>;
}

/** Begins to change a value, while there is a draft on the query screen. */
async function edit({ page, show }: ConsolePage): Promise<void> {
  await show('query');
  await typeStatement(page, `SELECT ${DRAFT}`);
  await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_TRIP'");
  await page.getByText('5 rows,').waitFor();
  await page.getByRole('gridcell').nth(1).click();
  await page.keyboard.type('77');
}

/** Expects one sentence on every screen, also on those not loaded yet, soon none afterwards, and no lost input. */
async function expectTold(console: ConsolePage, { said, begin, end }: Trouble): Promise<void> {
  const { page } = console;
  await edit(console);
  await begin(page);
  await expectNotice(page, said);
  await end(page);
  await expectHealed(page);
  expect(await page.getByLabel('New value of N').inputValue()).toBe('77');
  await page.keyboard.press('Enter');
  await page.getByText('N is saved.').waitFor();
  await begin(page);
  for (const screen of SCREENS) {
    await console.show(screen);
    await expectNotice(page, said);
    // Nothing is being loaded, on screens that were not shown before either.
    await page.getByText('Loading …').locator('visible=true').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await expectNoOverflow(page);
  }
  await end(page);
  await expectHealed(page);
  for (const screen of SCREENS) {
    await console.show(screen);
    await page
      .locator('main')
      .getByText(CONTENTS[screen] ?? screen)
      .first()
      .waitFor();
    expect(await notice(page).locator('.notice').count()).toBe(0);
  }
  expect(unexpected(console)).toEqual([]);
}

describe(`a service that stops${NOTE}`, () => {
  browserTest('is told once on every screen, and the page heals when it is back', async () => {
    const port = freePort();
    const dataDir = `${folder}/stops`;
    let service = await startService({ port, dataDir });
    try {
      await createTrips(service);
      await using console = await openConsole(browser, service.origin);
      await expectTold(console, {
        said: 'svc has not answered since',
        begin: () => service.stop(),
        async end() {
          service = await startService({ port, dataDir });
        },
      });
    } finally {
      await service[Symbol.asyncDispose]();
    }
  });

  browserTest('while a value is saved says that it may have been, and keeps it', async () => {
    const port = freePort();
    const dataDir = `${folder}/saves`;
    const first = await startService({ port, dataDir });
    await createTrips(first);
    await using console = await openConsole(browser, first.origin);
    const { page } = console;
    await edit(console);
    await first.stop();
    await expectNotice(page, 'svc has not answered since');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No answer: it is not known whether this was executed.').waitFor();
    expect(await page.getByLabel('New value of N').inputValue()).toBe('77');
    await using second = await startService({ port, dataDir });
    await expectHealed(page);
    await page.keyboard.press('Enter');
    await page.getByText('N is saved.').waitFor();
    expect(second.port).toBe(port);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('and comes back with another build asks on every screen to load the page again', async () => {
    const port = freePort();
    const dataDir = `${folder}/upgraded`;
    const first = await startService({ port, dataDir });
    await createTrips(first);
    await using console = await openConsole(browser, first.origin);
    const { page } = console;
    await edit(console);
    await first.stop();
    await expectNotice(page, 'svc has not answered since');
    await page.route('**/console', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/page-[\w-]+\.js/, 'page-other.js') });
    });
    await page.route('**/administration-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await using second = await startService({ port, dataDir });
    await expectNotice(page, 'svc has run another version since');
    // The page of the previous version goes on as far as it is loaded.
    expect(await page.getByLabel('New value of N').inputValue()).toBe('77');
    await page.keyboard.press('Enter');
    await page.getByText('N is saved.').waitFor();
    for (const screen of SCREENS) {
      await console.show(screen);
      await expectNotice(page, 'svc has run another version since');
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
    await page.getByText('This screen has not been loaded yet.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('navigation', { name: 'Administration' }).waitFor();
    expect(await notice(page).locator('.notice').count()).toBe(0);
    await console.show('query');
    await page.locator('.cm-content').getByText(DRAFT).waitFor();
    expect(second.port).toBe(port);
    expect(unexpected(console)).toEqual([]);
  });
});

describe(`a service that answers no command${NOTE}`, () => {
  const CASES: ReadonlyArray<readonly [title: string, code: string, message: string, said: string]> = [
    ['starts', 'NOT_READY', 'grid is not ready', 'svc has been starting since'],
    [
      'is a standby',
      'STANDBY',
      'This service is a standby, which answers no commands; the primary is http://127.0.0.1:1/svc',
      'svc has been a standby since',
    ],
  ];
  for (const [title, code, message, said] of CASES) {
    browserTest(`since it ${title} is told once on every screen, and then does`, async () => {
      await using service = await startService();
      await createTrips(service);
      await using console = await openConsole(browser, service.origin);
      const error = { code, message };
      const body = JSON.stringify({ successStatus: 1, error, response: null, sessionToken: null });
      const answer = { status: 503, contentType: 'application/json', body };
      await expectTold(console, {
        said,
        async begin(page) {
          await page.route('**/health/ready', (route) => route.fulfill({ status: 503, body: '{"status":"down"}' }));
          await page.route('**/svc/*', (route) => route.fulfill(answer));
          if (code !== 'STANDBY') return;
          const link = notice(page).getByRole('link');
          await link.waitFor();
          expect(await link.getAttribute('href')).toBe('http://127.0.0.1:1/console');
        },
        end: (page) => page.unrouteAll(),
      });
    });
  }

  browserTest('on entries since it is inactive is told once on every screen, and then does', async () => {
    await using service = await startService();
    await createTrips(service);
    await using console = await openConsole(browser, service.origin);
    await expectTold(console, {
      said: 'svc has been inactive since',
      begin: () => service.command('cmd=setstate&state=INACTIVE&force=true'),
      end: () => service.command('cmd=setstate&state=ACTIVE'),
    });
  });
});

describe(`a disk that is almost full${NOTE}`, () => {
  const disk = missing ? { missing: 'no browser' } : mountLoopDisk(folder, DISK_MEBIBYTES);
  const filler = 'folder' in disk ? `${disk.folder}/filler` : '';
  afterAll(() => {
    if ('folder' in disk) disk.unmount();
  });

  test.skipIf('missing' in disk)(
    `is told by its name once on every screen, until there is space again${'missing' in disk ? ` (${disk.missing})` : ''}`,
    async () => {
      if ('missing' in disk) return;
      const env = { SVC_STORAGE_MIN_FREE_BYTES: String(RESERVE_MEBIBYTES * MEBIBYTE) };
      await using service = await startService({ env, dataDir: `${disk.folder}/data` });
      await createTrips(service);
      await using console = await openConsole(browser, service.origin);
      await expectTold(console, {
        said: 'The disk has been almost full since',
        async begin() {
          const { bavail, bsize } = statfsSync(disk.folder);
          const bytes = bavail * bsize - (RESERVE_MEBIBYTES / 2) * MEBIBYTE;
          expect(Bun.spawnSync(['fallocate', '-l', `${bytes}`, filler]).exitCode).toBe(0);
        },
        end: async () => rmSync(filler),
      });
    },
  );
});

describe(`a session${NOTE}`, () => {
  const ADMIN = { 'svc.login': 'svc', 'svc.password': PASSWORD };
  const env = { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD, SVC_REST_SESSION_TIMEOUT: '1' };

  async function logIn(page: Page): Promise<void> {
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
  }

  browserTest('of the console outlives those of programs, and a login over the page loses no edit', async () => {
    await using service = await startService({ env });
    const as = (params: Readonly<Record<string, string>>) => service.send(queryOf({ ...params, ...ADMIN }));
    await as({ cmd: 'qryfldexe', pageSize: '1', qry: 'CREATE TABLE trip (id INT PRIMARY KEY, n INT)' });
    await as({ cmd: 'qryfldexe', pageSize: '1', qry: 'INSERT INTO trip VALUES (1, 20)' });
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await page.getByLabel('User').fill('svc');
    await logIn(page);
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    // A hidden page sends no request, for longer than sessions of programs last.
    await page.route('**/svc/*', (route) => route.abort());
    const program = await as({ cmd: 'authenticate' });
    const ofProgram = { cmd: 'noop', sessionToken: String(program.sessionToken) };
    while ((await service.send(queryOf(ofProgram))).successStatus === 0) await Bun.sleep(1_200);
    await page.unrouteAll();
    await page.evaluate("location.hash = '#/caches?name=SQL_PUBLIC_TRIP'");
    await page.getByRole('gridcell', { name: '20' }).click();
    await page.keyboard.type('45');
    await as({ cmd: 'sessionrmv', user: 'svc' });
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Log in to svc again' });
    await dialog.waitFor();
    await notice(page).getByText('Your session ended at').waitFor();
    await expectAccessible(page);
    await logIn(page);
    await page.getByText('N is saved.').waitFor();
    expect((await as({ cmd: 'qryfldexe', pageSize: '1', qry: 'SELECT n FROM trip' })).text).toContain('[45]');
    expect(await notice(page).locator('.notice').count()).toBe(0);
    expect(unexpected(console)).toEqual([]);
  });
});
