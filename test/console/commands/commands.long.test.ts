/** The Commands screen in headless Chromium: search, help, favourites, last values, the request in five languages. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserTest, expectAccessible, expectNoOverflow, NOTE, startForTests } from '../console-page.ts';

setDefaultTimeout(180_000);

const started = startForTests();

async function openCommand(page: Page, name: string): Promise<void> {
  await page.getByLabel('Search').fill(name);
  await page.locator('main').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

describe(`the screen Commands${NOTE}`, () => {
  for (const isDark of [false, true]) {
    browserTest(`lists commands with their summaries in groups, ${isDark ? 'dark' : 'light'}`, async () => {
      await using console = await started.open({ isDark });
      const { page } = console;
      await console.show('commands');
      const list = page.getByRole('region', { name: 'All commands' });
      await list.getByRole('heading', { name: 'Several entries at once' }).waitFor();
      await list.getByText('Adds a number to a counter').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Search').fill('counter DELTA');
      await list.getByText(/^2 of \d+ commands$/).waitFor();
      expect(await list.getByRole('link').allTextContents()).toEqual(['decr', 'incr']);
      await page.getByLabel('Search').fill('no such command');
      await list.getByText(/^0 of \d+ commands$/).waitFor();
      expect(console.problems).toEqual([]);
    });
  }

  browserTest('renders the help of a command, with its errors', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('commands');
    await openCommand(page, 'qryfldexe');
    const help = page.locator('.command-help');
    await help.locator('code', { hasText: 'Accept: application/x-ndjson' }).waitFor();
    await help.getByText('Response:').waitFor();
    expect(await help.innerText()).not.toContain('`');
    await help.getByText(/Possible errors/).click();
    const error = help.getByRole('link', { name: 'QUERY_TIMEOUT' });
    const address = await error.evaluate((link) => (link as unknown as { readonly href: string }).href);
    expect((await fetch(address)).status).toBe(200);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('remembers favourites and the values that were sent last', async () => {
    await using console = await started.open();
    const { page } = console;
    await console.show('commands');
    await openCommand(page, 'incr');
    await page.getByRole('button', { name: 'Add to favourites' }).press('Enter');
    await page.getByLabel('key').fill('visits');
    await page.getByLabel('delta').fill('3');
    await page.getByRole('button', { name: 'Send incr' }).click();
    await page.getByText('"response": 3').first().waitFor();
    await page.reload();
    const favourites = page.getByRole('region', { name: 'Favourites' });
    await favourites.getByRole('link', { name: 'incr' }).waitFor();
    expect(await page.getByLabel('key').inputValue()).toBe('visits');
    expect(await page.getByLabel('delta').inputValue()).toBe('3');
    await page.getByRole('button', { name: 'Clear the fields' }).click();
    expect(await page.getByLabel('key').inputValue()).toBe('');
    await expectAccessible(page);
    await page.getByRole('button', { name: '★ Favourite' }).click();
    await favourites.waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('shows the request in each language, on a small screen, too', async () => {
    await using console = await started.open({ width: 390, height: 844 });
    const { page } = console;
    await console.show('commands');
    await openCommand(page, 'get');
    await page.getByLabel('key (required)').fill('colour');
    for (const [language, text] of [
      ['curl', '/svc'],
      ['TypeScript', 'await client.get('],
      ['Python', 'client.get('],
      ['Go', 'client.Get(ctx, '],
      ['Java', '"cmd": "get"'],
    ] as const) {
      await page.getByRole('button', { name: language, exact: true }).click();
      const sample = page.locator('main pre', { hasText: text });
      await sample.first().waitFor();
      expect(await sample.first().innerText()).toContain('colour');
    }
    await expectNoOverflow(page);
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });
});
