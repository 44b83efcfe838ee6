/** Users and roles in the console, in headless Chromium: edited by mouse and by keyboard, in both themes and sizes. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, startService } from '../../system/service-process.ts';
import {
  browserTest,
  type ConsolePage,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  type PageOptions,
  showPart,
  startForTests,
  tabTo,
} from '../console-page.ts';

setDefaultTimeout(180_000);
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'svc',
  users: ['ann', 'ben', 'paul', 'rita'].map((name) => ({ name, password: name })),
  permissions: {
    roles: { reader: { caches: { stock: 'read' } }, people: { administration: ['users'] } },
    users: { rita: ['reader'], paul: ['people'] },
  },
};
const folder = newFolder();

const started = startForTests(async () => {
  const file = join(folder, 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
  return startService({ args: ['--config', file] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openAs(user: string, options?: PageOptions): Promise<ConsolePage> {
  const console = await started.open(options);
  await console.page.getByLabel('User').fill(user);
  await console.page.getByLabel('Password').fill(user);
  await console.page.keyboard.press('Enter');
  await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await console.show('administration');
  await showPart(console.page, 'Roles');
  await console.page.getByRole('table', { name: 'Roles and what' }).waitFor();
  return console;
}

const as = (user: string, params: Readonly<Record<string, string>>) =>
  started.service.send(queryOf({ ...params, 'svc.login': user, 'svc.password': user }));

/** The browser itself reports each answer that is an error. */
const unexpected = ({ problems }: ConsolePage) => problems.filter((each) => !/status of 40[0-9]/.test(each));

describe(`users and roles${NOTE}`, () => {
  browserTest('are edited where the user may: a role is created, assigned, changed and removed', async () => {
    await using console = await openAs('svc');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New role …' }).click();
    await dialog.getByLabel('Name of the role').fill('clerk');
    await dialog.getByLabel('Commands', { exact: true }).selectOption('Only these commands');
    await dialog.getByLabel('Find commands').fill('getp');
    await dialog.getByLabel('getput', { exact: true }).check();
    await dialog.getByLabel('Find commands').fill('');
    await dialog.getByLabel('@entry').check();
    await dialog.getByRole('button', { name: 'Add a cache' }).click();
    await dialog.getByLabel('Name of cache 1').fill('stock*');
    await dialog.getByRole('group', { name: 'Rights on cache 1' }).getByLabel('put').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add role' }).click();
    await page.getByText('Added the role clerk').waitFor();
    const roles = page.getByRole('table', { name: 'Roles and what' });
    await roles.getByText('stock*: read put').waitFor();

    await showPart(page, 'Users');
    await page.getByRole('button', { name: 'Roles of ann' }).click();
    await dialog.getByLabel('user', { exact: true }).uncheck();
    await dialog.getByLabel('clerk').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Assign roles' }).click();
    await page.getByText('Assigned the roles of ann').waitFor();
    await showPart(page, 'Roles');
    await roles.getByRole('row', { name: 'clerk' }).getByText('ann').waitFor();
    const put = { cmd: 'put', cacheName: 'stock1', key: 'a', val: '1' };
    expect((await as('ann', put)).error).toContain('cache name: stock1');
    expect((await as('ann', { ...put, cacheName: 'other' })).error).toContain('missing=put on cache other');

    await page.getByRole('button', { name: 'Change the role clerk' }).click();
    expect(await dialog.getByLabel('@entry').isChecked()).toBe(true);
    await dialog.getByRole('group', { name: 'Rights on cache 1' }).getByLabel('put').uncheck();
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByText('Changed the role clerk').waitFor();
    expect((await as('ann', put)).error).toContain('missing=put on cache stock1');

    await page.getByRole('button', { name: 'Delete the role clerk' }).click();
    await dialog.getByRole('textbox').fill('clerk');
    await dialog.getByRole('button', { name: 'Delete the role' }).click();
    await dialog.getByRole('alert').getByText('The role is assigned to a user').waitFor();
    await page.keyboard.press('Escape');
    await showPart(page, 'Users');
    await page.getByRole('button', { name: 'Roles of ann' }).click();
    await dialog.getByLabel('clerk').uncheck();
    await dialog.getByText('Without a role, the user may do nothing.').waitFor();
    await dialog.getByRole('button', { name: 'Assign roles' }).click();
    await page.getByText('Assigned the roles of ann').waitFor();
    await showPart(page, 'Roles');
    await page.getByRole('button', { name: 'Delete the role clerk' }).click();
    await dialog.getByRole('textbox').fill('clerk');
    await dialog.getByRole('button', { name: 'Delete the role' }).click();
    await page.getByText('Deleted the role clerk').waitFor();
    await roles.getByRole('row', { name: 'clerk' }).waitFor({ state: 'detached' });
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('of the configuration file are marked, and cannot be changed', async () => {
    await using console = await openAs('svc');
    const roles = console.page.getByRole('table', { name: 'Roles and what' });
    await roles.getByRole('row', { name: 'reader' }).getByText('defined in the configuration file').waitFor();
    await roles
      .getByRole('row', { name: /^admin/ })
      .getByText('built in')
      .waitFor();
    expect(await roles.getByRole('button').count()).toBe(0);
    await showPart(console.page, 'Users');
    const users = console.page.getByRole('table', { name: 'Users and their roles' });
    await users.getByRole('row', { name: 'rita' }).getByText('defined in the configuration file').waitFor();
    expect(await users.getByRole('button', { name: 'Roles of rita' }).count()).toBe(0);
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('are not granted beyond what the user has', async () => {
    await using console = await openAs('paul');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New role …' }).click();
    await dialog.getByLabel('Name of the role').fill('wide');
    await dialog.getByRole('group', { name: 'Administration rights' }).getByLabel('state').check();
    await dialog.getByRole('button', { name: 'Add role' }).click();
    await dialog.getByRole('alert').getByText('No role of this user includes all rights of this role').waitFor();
    await page.keyboard.press('Escape');
    await showPart(page, 'Users');
    await page.getByRole('button', { name: 'Roles of ben' }).click();
    await dialog.getByLabel('admin').check();
    await dialog.getByRole('button', { name: 'Assign roles' }).click();
    await dialog.getByRole('alert').getByText('No role of this user includes all rights of this role').waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  browserTest('are edited by keyboard only, in dark, at 320 pixels', async () => {
    await using console = await openAs('svc', { isDark: true, width: 320 });
    const { page } = console;
    const { keyboard } = page;
    const dialog = page.getByRole('dialog');
    await tabTo(page, page.getByRole('button', { name: 'New role …' }));
    await keyboard.press('Enter');
    await tabTo(page, dialog.getByLabel('Name of the role'));
    await keyboard.type('night');
    await tabTo(page, dialog.getByRole('button', { name: 'Add a table' }));
    await keyboard.press('Enter');
    await keyboard.press('Shift+Tab');
    await tabTo(page, dialog.getByLabel('Name of table 1'));
    await keyboard.type('SHOP.*');
    await tabTo(page, dialog.getByLabel('log'));
    await keyboard.press('Space');
    await expectAccessible(page);
    await expectNoOverflow(page);
    await keyboard.press('Enter');
    await page.getByText('Added the role night').waitFor();
    await page.getByRole('table', { name: 'Roles and what' }).getByText('SHOP.*: read').waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Users', exact: true }));
    await keyboard.press('Enter');
    await page.getByRole('table', { name: 'Users and their roles' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Roles of ben' }));
    await keyboard.press('Enter');
    await tabTo(page, dialog.getByLabel('night'));
    await keyboard.press('Space');
    await expectAccessible(page);
    await expectNoOverflow(page);
    await keyboard.press('Enter');
    await page.getByText('Assigned the roles of ben').waitFor();
    await page.getByRole('table', { name: 'Users and their roles' }).getByText('user, night').waitFor();
    expect(unexpected(console)).toEqual([]);
  });
});
