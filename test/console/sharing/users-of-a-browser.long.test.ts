/** What one browser keeps for several users, in headless Chromium. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newFolder, startService } from '../../system/service-process.ts';
import { browserTest, NOTE, startForTests, typeStatement } from '../console-page.ts';

setDefaultTimeout(180_000);
const CONFIGURATION = {
  authentication: true,
  adminPassword: 'svc',
  users: [{ name: 'rita', password: 'rita' }],
  permissions: { roles: { reader: { caches: { stock: 'read' } } }, users: { rita: ['reader'] } },
};
const folder = newFolder();

const started = startForTests(async () => {
  const file = join(folder, 'svc.config.ts');
  writeFileSync(file, `export default ${JSON.stringify(CONFIGURATION)};`);
  return startService({ args: ['--config', file] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function logIn(page: Page, user: string): Promise<void> {
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(user);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Log out ${user}` }).waitFor();
}

/** Returns the text of the editor, and how many values its result shows. */
async function shownTo(page: Page): Promise<readonly [text: string | null, count: number]> {
  await page.evaluate("location.hash = '#/query'");
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  return [await editor.textContent(), await page.getByRole('gridcell').count()];
}

browserTest(`a user sees no statement and no result of another one${NOTE}`, async () => {
  await using console = await started.open();
  const { page } = console;
  await logIn(page, 'svc');
  await page.evaluate("location.hash = '#/query'");
  await typeStatement(page, 'SELECT 4711 AS secret');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('gridcell', { name: '4711' }).waitFor();
  await page.getByRole('button', { name: 'Log out svc' }).click();
  await logIn(page, 'rita');
  expect(await shownTo(page)).toEqual(['SELECT …', 0]);
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByText('This browser has executed no statements.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Log out rita' }).click();
  await logIn(page, 'svc');
  expect((await shownTo(page))[0]).toBe('SELECT 4711 AS secret');
  // The browser itself reports what rita may not do, and requests that were overtaken by a logout.
  expect(console.problems.filter((each) => !each.includes('status of 40'))).toEqual([]);
});
