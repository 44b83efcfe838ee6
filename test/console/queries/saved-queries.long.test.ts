/** Saved queries in headless Chromium: saved, shared by a link, with a form for parameters, renamed and deleted. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
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
  startForTests,
  typeStatement,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'svc',
  users: ['ann', 'bob', 'eve', 'rita'].map((name) => ({ name, password: name })),
  permissions: {
    roles: {
      few: { commands: ['@query', 'rolelist', 'savedquerylist', 'savedqueryget'], caches: { '*': 'read' } },
      reader: { tables: { TRIP: 'read' } },
    },
    users: { eve: ['few'], rita: ['reader'] },
  },
};
const folder = newFolder();

const started = startForTests(
  async () => {
    const file = join(folder, 'svc.config.ts');
    writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
    return startService({ args: ['--config', file] });
  },
  async () => {
    await run('CREATE TABLE trip (id INT PRIMARY KEY, city VARCHAR, minutes INT)');
    await run("INSERT INTO trip VALUES (1, 'Rome', 20), (2, 'Oslo', 30), (3, 'Rome', 40)");
  },
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Parameters = Readonly<Record<string, string>>;
const as = (user: string, params: Parameters) =>
  started.service.command(queryOf({ ...params, 'svc.login': user, 'svc.password': user }));
const run = (qry: string) => as('svc', { cmd: 'qryfldexe', pageSize: '1', qry });
const idOf = async (user: string, name: string): Promise<string> => {
  const listed = (await as(user, { cmd: 'savedquerylist' })) as ReadonlyArray<{ readonly [member: string]: string }>;
  return listed.find((each) => each.name === name)?.id ?? '';
};

async function openAs(user: string, hash = '#/query'): Promise<ConsolePage> {
  const console = await started.open({
    prepare: async (page) => {
      await page.goto(`${started.service.origin}/console${hash}`);
    },
  });
  const { page } = console;
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(user);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Log out ${user}` }).waitFor();
  await page.locator('.cm-content').waitFor();
  return console;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Queries' }).getByRole('button', { name, exact: true });
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' });
/** The browser itself reports answers that are failures. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !/status of 40[0349]/.test(each));

async function save(page: Page, name: string, sql: string): Promise<void> {
  await typeStatement(page, sql);
  await page.keyboard.press('Control+s');
  await page.getByLabel('Name of the query').fill(name);
  await button(page, 'Save query').click();
  await closed(page);
  await tab(page, name).waitFor();
}

browserTest(
  `a query is saved with labelled parameters, shared, and opened from its link by another user${NOTE}`,
  async () => {
    await using ann = await openAs('ann');
    const { page } = ann;
    await typeStatement(page, 'SELECT city, minutes FROM trip WHERE city = :city AND minutes >= :least ORDER BY id');
    await page.getByLabel('Type of least').selectOption('int');
    await page.getByLabel('Value of city').fill('Oslo');
    await button(page, 'Save …').click();
    await page.getByLabel('Name of the query').fill('Trips of a city');
    await page.getByLabel('All users may read it').check();
    await page.getByLabel('Label of city').fill('City of the trip');
    // The text typed now is offered as the default.
    expect(await page.getByLabel('Default of city').inputValue()).toBe('Oslo');
    await page.getByLabel('Default of least').fill('10');
    await expectAccessible(page);
    await button(page, 'Save query').click();
    await closed(page);
    // The typed text stays.
    expect(await page.getByLabel('City of the trip', { exact: true }).inputValue()).toBe('Oslo');
    expect(await page.getByLabel('Value of least').inputValue()).toBe('10');
    const id = await idOf('bob', 'Trips of a city');
    expect(id).not.toBe('');
    await page.waitForURL((url) => url.hash === `#/query?id=${id}`);

    await using bob = await openAs('bob', `#/query?id=${id}`);
    const other = bob.page;
    await tab(other, 'Trips of a city').waitFor();
    // A link runs nothing by itself.
    expect(await other.getByRole('grid', { name: 'Result' }).count()).toBe(0);
    expect(await other.getByLabel('Type of least').inputValue()).toBe('int');
    expect(await other.getByLabel('Value of least').inputValue()).toBe('10');
    expect(await other.getByLabel('City of the trip', { exact: true }).inputValue()).toBe('Oslo');
    await other.getByLabel('City of the trip', { exact: true }).fill('Rome');
    await other.keyboard.press('Enter');
    await other.getByText('2 rows,').waitFor();
    // A new default is the value, unless another one was typed.
    await button(page, 'Share, rename …').click();
    await page.getByLabel('Default of least').fill('35');
    await page.getByLabel('Default of city').fill('Paris');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await closed(page);
    expect(await page.getByLabel('Value of least').inputValue()).toBe('35');
    // Bob may not change it, but may save a copy.
    expect(await button(other, 'Save').count()).toBe(0);
    await button(other, 'Link …').click();
    await other.getByText('It belongs to ann, who shares it with you.').waitFor();
    await other.getByRole('dialog').getByText(`/console#/query?id=${id}`).waitFor();
    await expectAccessible(other);
    await other.keyboard.press('Escape');
    await button(other, 'Save as …').click();
    await button(other, 'Save query').click();
    await closed(other);
    await tab(other, 'Trips of a city (copy)').waitFor();
    await button(other, 'Saved and history').click();
    const dialog = other.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Shared by others' }).waitFor();
    await dialog.getByRole('button', { name: /^Trips of a city ann/ }).waitFor();
    await dialog.getByRole('button', { name: /^Trips of a city \(copy\) only you/ }).waitFor();
    await expectAccessible(other);
    await expectNoOverflow(other);
    expect([unexpected(ann), unexpected(bob)]).toEqual([[], []]);
  },
);

browserTest(`a saved query is changed, renamed and deleted; its tab keeps the text${NOTE}`, async () => {
  await using console = await openAs('ann');
  const { page } = console;
  await save(page, 'First', 'SELECT 1 AS one');
  await button(page, 'Saved').waitFor();
  await typeStatement(page, 'SELECT 2 AS two');
  await button(page, 'Save').click();
  await button(page, 'Saved').waitFor();
  const id = await idOf('ann', 'First');
  expect(await as('ann', { cmd: 'savedqueryget', id })).toMatchObject({ qry: 'SELECT 2 AS two', revision: 2 });
  await button(page, 'Share, rename …').click();
  await page.getByLabel('Name of the query').fill('Second');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await closed(page);
  await tab(page, 'Second').waitFor();
  await page.getByRole('complementary', { name: 'Areas and data' }).getByRole('link', { name: 'Second' }).waitFor();
  // The same after a reload.
  await page.reload();
  await tab(page, 'Second').waitFor();
  await button(page, 'Share, rename …').click();
  await button(page, 'Delete …').click();
  await page.getByRole('heading', { name: 'Delete “Second”?' }).waitFor();
  await button(page, 'Delete').click();
  await closed(page);
  await page.locator('.cm-content', { hasText: 'SELECT 2 AS two' }).waitFor();
  await button(page, 'Save …').waitFor();
  expect(await idOf('ann', 'Second')).toBe('');
  await page.waitForURL((url) => url.hash === '#/query');
  expect(unexpected(console)).toEqual([]);
});

browserTest(`nobody overwrites what somebody else has saved meanwhile${NOTE}`, async () => {
  await using console = await openAs('ann');
  const { page } = console;
  await save(page, 'Shared work', 'SELECT 1');
  const id = await idOf('ann', 'Shared work');
  await as('svc', { cmd: 'savedqueryupdate', id, qry: 'SELECT 2 AS by_svc' });
  await typeStatement(page, 'SELECT 3');
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { name: 'svc has changed “Shared work”' }).waitFor();
  await page.getByText('SELECT 2 AS by_svc').waitFor();
  await expectAccessible(page);
  await button(page, 'Discard yours').click();
  await page.locator('.cm-content', { hasText: 'SELECT 2 AS by_svc' }).waitFor();
  await as('svc', { cmd: 'savedqueryupdate', id, qry: 'SELECT 4' });
  await typeStatement(page, 'SELECT 5');
  await page.keyboard.press('Control+s');
  await button(page, 'Replace it with yours').click();
  await closed(page);
  await button(page, 'Saved').waitFor();
  expect(await as('ann', { cmd: 'savedqueryget', id })).toMatchObject({ qry: 'SELECT 5', revision: 4 });
  await as('svc', { cmd: 'savedqueryrmv', id });
  await typeStatement(page, 'SELECT 6');
  await page.keyboard.press('Control+s');
  await page.getByText('The saved query was deleted, or is no longer shared with you.').waitFor();
  await page.getByLabel('Name of the query').fill('Saved again');
  await button(page, 'Save query').click();
  await closed(page);
  expect(await idOf('ann', 'Saved again')).not.toBe('');
  expect(unexpected(console)).toEqual([]);
});

browserTest(`a link to a query that is not shared says so, and works once it is${NOTE}`, async () => {
  await as('ann', { cmd: 'savedqueryadd', name: 'Secret', qry: 'SELECT 42 AS secret' });
  const id = await idOf('ann', 'Secret');
  await using console = await openAs('bob', `#/query?id=${id}`);
  const { page } = console;
  await page.getByText('You cannot open the saved query of this link').waitFor();
  expect(await page.getByText('secret').count()).toBe(0);
  await as('ann', { cmd: 'savedqueryupdate', id, shared: 'true' });
  await page.reload();
  await tab(page, 'Secret').waitFor();
  await page.locator('.cm-content', { hasText: 'SELECT 42 AS secret' }).waitFor();
  expect(unexpected(console)).toEqual([]);
});

browserTest(`users see what their roles permit${NOTE}`, async () => {
  await as('svc', { cmd: 'savedqueryadd', name: 'For all', qry: 'SELECT COUNT(*) FROM trip', shared: 'true' });
  await using few = await openAs('eve');
  const { page } = few;
  const link = page.getByRole('complementary', { name: 'Areas and data' }).getByRole('link', { name: 'For all' });
  await link.click();
  await tab(page, 'For all').waitFor();
  await button(page, 'Link …').waitFor();
  // Actions without the right are not offered.
  for (const name of ['Save', 'Save …', 'Save as …']) expect(await button(page, name).count()).toBe(0);
  await using reader = await openAs('rita');
  await save(reader.page, 'Of a reader', 'SELECT * FROM trip');
  await reader.page.keyboard.press('Control+Enter');
  await reader.page.getByText('3 rows,').waitFor();
  expect(await idOf('rita', 'Of a reader')).not.toBe('');
  expect([unexpected(few), unexpected(reader)]).toEqual([[], []]);
});
