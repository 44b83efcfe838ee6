/** The console of users with few rights, in headless Chromium: every screen says what is missing. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, startService } from '../system/service-process.ts';
import { browserTest, type ConsolePage, expectAccessible, NOTE, showPart, startForTests } from './console-page.ts';

setDefaultTimeout(180_000);
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'svc',
  users: [
    { name: 'rita', password: 'rita' },
    { name: 'nora', password: 'nora' },
  ],
  permissions: {
    roles: { reader: { caches: { stock: 'read' } }, nothing: { commands: ['noop'] } },
    users: { rita: ['reader'], nora: ['nothing'] },
  },
};
const folder = newFolder();

const started = startForTests(async () => {
  const file = join(folder, 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
  const service = await startService({ args: ['--config', file] });
  const { sessionToken } = await service.send('cmd=authenticate&svc.login=svc&svc.password=svc');
  for (const cacheName of ['stock', 'salaries']) {
    await service.command(`cmd=getorcreate&cacheName=${cacheName}&sessionToken=${sessionToken}`);
    await service.command(`cmd=put&cacheName=${cacheName}&key=tea&val=12&sessionToken=${sessionToken}`);
  }
  return service;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Screens of the user rita, who may only read one cache: what they say. */
const READER: Readonly<Record<string, readonly string[]>> = {
  overview: ['ACTIVE', 'missing=administration metrics', 'missing=administration backup'],
  caches: ['missing=read on cache *', 'Name of a cache that you may read'],
  query: ['You may not read the system views'],
  commands: ['cachelist'],
  administration: ['missing=administration users', 'you'],
};
/** Screens of the user nora, who may send one command only. */
const NEARLY_NOTHING: Readonly<Record<string, readonly string[]>> = {
  overview: ['metricshistory', 'state', 'top', 'backups', 'qryfldexe'].map((cmd) => `missing=command ${cmd}`),
  caches: ['missing=command cachelist', 'Name of a cache that you may read'],
  query: ['You may not read the system views'],
  commands: ['cachelist'],
  administration: ['missing=command userlist'],
};

/** Parts of the administration: what they say to each. */
const PARTS: Readonly<Record<string, { readonly rita: string; readonly nora: string }>> = {
  Roles: { rita: 'stock: read', nora: 'missing=command rolelist' },
  'API keys': { rita: 'There are no API keys', nora: 'missing=command apikeylist' },
  Sessions: { rita: 'this one', nora: 'missing=command sessionlist' },
  Tasks: { rita: 'No task is running', nora: 'missing=command tasklist' },
  Backups: { rita: 'missing=administration backup', nora: 'missing=command backups' },
  Configuration: { rita: 'missing=administration state', nora: 'missing=command config' },
  Log: { rita: 'missing=administration log', nora: 'missing=command log' },
};

/** What would be untrue of what a user may not read. */
const UNTRUE = /Loading|There (?:are|is) no|None is|0 of 0|first plots|No other statement/;

async function openAs(user: string): Promise<ConsolePage> {
  const console = await started.open();
  await console.page.getByLabel('User').fill(user);
  await console.page.getByLabel('Password').fill(user);
  await console.page.keyboard.press('Enter');
  await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
  return console;
}

/** The browser itself reports each answer 403. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !each.includes('status of 403'));

describe(`the console of a user with few rights${NOTE}`, () => {
  for (const [user, screens] of [
    ['rita', READER],
    ['nora', NEARLY_NOTHING],
  ] as const) {
    browserTest(`says on every screen what ${user} may not see`, async () => {
      await using console = await openAs(user);
      const main = console.page.locator('main');
      for (const [screen, texts] of Object.entries(screens)) {
        await console.show(screen);
        for (const text of texts) await main.getByText(text).first().waitFor();
        // What is not shown is no failure.
        expect(await main.getByRole('alert').getByText('missing=').count()).toBe(0);
        if (user === 'nora') expect((await main.innerText()).match(UNTRUE)?.[0]).toBeUndefined();
        await expectAccessible(console.page);
      }
      for (const [title, said] of Object.entries(PARTS)) {
        await showPart(console.page, title);
        await main.getByText(said[user]).first().waitFor();
        expect(await main.getByRole('alert').getByText('missing=').count()).toBe(0);
        if (user === 'nora') expect((await main.innerText()).match(UNTRUE)?.[0]).toBeUndefined();
        await expectAccessible(console.page);
      }
      expect(unexpected(console)).toEqual([]);
    });
  }

  browserTest('opens the one cache that its user may read, and rejects the others and every change', async () => {
    await using console = await openAs('rita');
    const { page } = console;
    await console.show('caches');
    const name = page.getByLabel('Name of a cache that you may read');
    await name.fill('stock');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'stock', exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'tea', exact: true }).dblclick();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value', { exact: true }).fill('13');
    await dialog.getByRole('button', { name: 'Save if unchanged' }).click();
    await dialog.getByRole('alert').getByText('missing=').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').click();
    await name.fill('salaries');
    await page.getByRole('button', { name: 'Open cache' }).click();
    await page.getByRole('heading', { name: 'salaries', exact: true }).waitFor();
    await page.getByRole('alert').getByText('missing=read on cache salaries').first().waitFor();
    expect(await page.getByRole('gridcell', { name: 'tea', exact: true }).count()).toBe(0);
    await expectAccessible(page);
    expect(unexpected(console)).toEqual([]);
  });
});
