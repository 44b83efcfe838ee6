/** The administration in the console, in headless Chromium: users, keys, tasks, backups, configuration and log. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newFolder, queryOf, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openConsole,
  type PageOptions,
  showPart,
  startForTests,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const ADMIN = { 'svc.login': 'svc', 'svc.password': 'svc' };
/** The parts, and what each shows once it has been read. */
const PARTS = {
  Users: 'rita',
  Roles: 'May use',
  'API keys': 'There are no API keys',
  Sessions: 'this one',
  Tasks: 'No task is running',
  Backups: 'There are no backups yet',
  Configuration: 'backup.folder',
  Log: 'Listening',
};
const folder = newFolder();

const started = startForTests(async () => {
  const file = join(folder, 'svc.config.ts');
  const users = [{ name: 'rita', password: 'rita' }];
  writeFileSync(file, `export default ${JSON.stringify({ authentication: true, adminPassword: 'svc', users })};`);
  const service = await startService({
    args: ['--config', file],
    env: {
      SVC_BACKUP_FOLDER: join(folder, 'backups'),
      SVC_BACKUP_CONTINUOUS_URL: `file://${join(folder, 'continuous')}`,
    },
  });
  await service.send(queryOf({ cmd: 'getorcreate', cacheName: 'stock', ...ADMIN }));
  await service.send(queryOf({ cmd: 'put', cacheName: 'stock', key: 'tea', val: '1', ...ADMIN }));
  return service;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openAs(user: string, options?: PageOptions): Promise<ConsolePage> {
  const console = await started.open(options);
  await console.page.getByLabel('User').fill(user);
  await console.page.getByLabel('Password').fill(user);
  await console.page.keyboard.press('Enter');
  await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await console.show('administration');
  return console;
}

const secretOf = (page: Page) => page.getByRole('dialog').locator('pre').innerText();
/** The browser itself reports each answer that is an error. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !/status of 40[0-9]/.test(each));

describe(`the administration${NOTE}`, () => {
  for (const [width, isDark] of [
    [1_440, false],
    [1_024, true],
    [390, false],
  ] as const) {
    browserTest(`is accessible in every part at ${width} pixels, ${isDark ? 'dark' : 'light'}`, async () => {
      await using console = await openAs('svc', { width, isDark });
      for (const [part, text] of Object.entries(PARTS)) {
        await showPart(console.page, part);
        await console.page.locator('main').getByText(text).first().waitFor();
        await expectAccessible(console.page);
        await expectNoOverflow(console.page);
      }
      expect(unexpected(console)).toEqual([]);
    });
  }

  browserTest('adds a user with a made-up password, which logs in, and deletes the user', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add user …' }).click();
    await dialog.getByLabel('Name').fill('ann');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await dialog.getByText('It is shown only once').waitFor();
    const password = await secretOf(page);
    expect(password).toHaveLength(20);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const login = { 'svc.login': 'ann', 'svc.password': password };
    const { sessionToken } = await started.service.send(queryOf({ cmd: 'authenticate', ...login }));
    expect(sessionToken).toBeString();
    await showPart(page, 'Sessions');
    await page.getByRole('button', { name: /^End the session of ann/ }).click();
    await page.getByText('One session has ended.').waitFor();
    expect((await started.service.send(queryOf({ cmd: 'noop', sessionToken: String(sessionToken) }))).error).toContain(
      'session',
    );
    await showPart(page, 'Users');
    await page.getByRole('button', { name: 'Delete the user ann' }).click();
    await dialog.getByRole('textbox').fill('ann');
    await dialog.getByRole('button', { name: 'Delete the user' }).click();
    await page.getByText('Deleted the user ann').waitFor();
    await page.getByRole('rowheader', { name: 'ann' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Delete the user svc' }).count()).toBe(0);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('creates a key with a scope, rotates it, and deletes it', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await showPart(page, 'API keys');
    await page.getByRole('button', { name: 'Create key …' }).click();
    await dialog.getByLabel('Name of the key').fill('reports');
    await dialog.getByLabel('Expires').selectOption('In 30 days');
    await dialog.getByLabel('Permissions').selectOption('limited');
    await dialog.getByRole('button', { name: 'Add a cache' }).click();
    await dialog.getByLabel('Name of cache 1').fill('stock');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await dialog.getByText('It is shown only once').waitFor();
    const key = await secretOf(page);
    const withKey = async (params: Readonly<Record<string, string>>, secret = key) => {
      const headers = { authorization: `Bearer ${secret}` };
      const response = await fetch(`${started.service.origin}/svc?${queryOf(params)}`, { headers });
      return (await response.json()) as { readonly error: string | null };
    };
    const get = { cmd: 'get', cacheName: 'stock', key: 'tea' };
    expect((await withKey(get)).error).toBeNull();
    expect((await withKey({ ...get, cmd: 'put', val: '2' })).error).toContain('missing=put on cache stock');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'Keys, without' }).getByText('stock: read').waitFor();
    await page.getByRole('button', { name: 'Rotate reports' }).click();
    await dialog.getByLabel('Accept the old secret').selectOption('No longer');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await dialog.getByText('It is shown only once').waitFor();
    const rotated = await secretOf(page);
    expect((await withKey(get)).error).not.toBeNull();
    expect((await withKey(get, rotated)).error).toBeNull();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete reports' }).click();
    await dialog.getByRole('textbox').fill('reports');
    await dialog.getByRole('button', { name: 'Delete the key' }).click();
    await page.getByText('There are no API keys.').waitFor();
    expect((await withKey(get, rotated)).error).not.toBeNull();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('runs a task with arguments, and cancels one that runs', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    await showPart(page, 'Tasks');
    await page.getByLabel('Task (required)').fill('svc.cacheSizes');
    await page.getByRole('button', { name: 'Add an argument' }).click();
    await page.getByLabel('Argument 1').fill('stock');
    await page.getByRole('button', { name: 'Start task' }).click();
    const own = page.getByRole('table', { name: 'Tasks started in this tab' });
    await own.getByText('{"stock":1}').waitFor();
    await page.getByLabel('Task (required)').fill('svc.sleep');
    await page.getByLabel('Argument 1').fill('60000');
    await page.getByRole('button', { name: 'Start task' }).click();
    await page.getByRole('button', { name: 'Cancel svc.sleep' }).click();
    await own.getByText('failed', { exact: true }).waitFor();
    await page.getByText('No task is running.').waitFor();
    await expectAccessible(page);
    // The result of a failed task is also an error to the browser.
    expect(unexpected(console).filter((each) => !each.endsWith('/res'))).toEqual([]);
  });

  browserTest('makes a backup, verifies it, and says how to restore it and the continuous one', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    await showPart(page, 'Backups');
    await page.locator('.tile', { hasText: 'Lag of the backup' }).getByText('Shipping').waitFor();
    await page.getByLabel('Name of the backup').fill('today');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('Started the backup today.svcbackup').waitFor();
    await page.getByRole('button', { name: 'Verify today.svcbackup' }).click();
    await page.getByText('sound, 1 entry, not encrypted').waitFor();
    await page.getByRole('button', { name: 'Restore today.svcbackup' }).click();
    const path = join(folder, 'backups', 'today.svcbackup');
    expect(await secretOf(page)).toBe(
      `svc verify ${path}\nsvc restore ${path} --to restored\nSVC_DATA_DIR=restored svc serve`,
    );
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'States that can be restored' }).waitFor();
    const continuous = page.locator('pre').filter({ hasText: '--from' });
    expect(await continuous.innerText()).toStartWith(`svc restore --from file://${join(folder, 'continuous')} --to`);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('shows options with their sources, and hides secrets', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    await showPart(page, 'Configuration');
    const option = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await option('backup.folder').getByText('environment', { exact: true }).waitFor();
    await option('adminPassword').getByText('file', { exact: true }).waitFor();
    await option('adminPassword').getByText('***').waitFor();
    await option('defaultCache').getByText('default', { exact: true }).first().waitFor();
    await page.getByLabel('Find options').fill('backup folder');
    await page.getByText(/^\d of \d+ options$/).waitFor();
    await page.getByLabel('Find options').fill('nothing like it');
    await page.getByText('No option matches.').waitFor();
    await page.getByLabel('Find options').fill('');
    await page.getByLabel('Only those that are set').check();
    await option('defaultCache').waitFor({ state: 'detached' });
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('follows the log until it is paused, and finds lines by level and words', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    await showPart(page, 'Log');
    const lines = page.getByRole('region', { name: 'Lines' });
    await lines.getByText('Listening').waitFor();
    await page.getByLabel('Level').selectOption('error');
    await lines.getByText('Listening').waitFor({ state: 'detached' });
    await page.getByLabel('File').selectOption('audit.log');
    await page.getByLabel('Find', { exact: true }).fill('followed');
    await started.service.send(queryOf({ cmd: 'destcache', cacheName: 'followed-1', ...ADMIN }));
    await lines.getByText('followed-1').first().waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByText(/; paused$/).waitFor();
    await started.service.send(queryOf({ cmd: 'destcache', cacheName: 'followed-2', ...ADMIN }));
    await page.waitForTimeout(3_000);
    expect(await lines.getByText('followed-2').count()).toBe(0);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await lines.getByText('followed-2').first().waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('names the missing right to a user without it, and offers nothing that needs it', async () => {
    await using console = await openAs('rita');
    const { page } = console;
    await page.getByText('You need the right "users" to add and delete users.').waitFor();
    expect(await page.getByRole('button', { name: /^(Delete|Roles)/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Password of rita' }).waitFor();
    await showPart(page, 'Roles');
    await page.getByText('You need the right "users" to change roles.').waitFor();
    await showPart(page, 'Backups');
    await page.getByText('the right "backup"').waitFor();
    expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('explains what a service without users and backups lacks', async () => {
    await using plain = await startService({ env: { SVC_AUTHENTICATION: 'false' } });
    await using console = await openConsole(started.browser, plain.origin);
    const { page } = console;
    await console.show('administration');
    await showPart(page, 'Users');
    await page.getByText('SVC_AUTHENTICATION=true svc serve').waitFor();
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    await showPart(page, 'Backups');
    await page.getByText('The service has no backup folder').waitFor();
    await page.getByText('There is no continuous backup. It ships every commit').waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
