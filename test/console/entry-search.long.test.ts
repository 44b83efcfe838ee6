/** Finds entries of a cache by their keys in the console, in headless Chromium, whose types it finds by itself. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { startService } from '../system/service-process.ts';
import { browserTest, expectAccessible, NOTE, startForTests } from './console-page.ts';

setDefaultTimeout(180_000);

const started = startForTests(async () => {
  const service = await startService();
  await service.command('cmd=getorcreate&cacheName=numbers');
  await service.command('cmd=put&cacheName=numbers&key=7&keyType=long&val=seven');
  await service.command('cmd=put&cacheName=numbers&key=8&keyType=int&val=eight');
  await service.command('cmd=put&cacheName=numbers&key=8&keyType=string&val=acht');
  return service;
});

describe(`a key that is searched for${NOTE}`, () => {
  browserTest('is found with the type under which it is stored, or offered with several', async () => {
    await using console = await started.open();
    const { page } = console;
    await page.evaluate("location.hash = '#/caches?name=numbers'");
    const search = async (key: string) => {
      await page.getByLabel('Search by key').fill(key);
      await page.getByRole('button', { name: 'Search', exact: true }).click();
    };
    await search('7');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value', { exact: true }).waitFor();
    expect(await dialog.getByLabel('Key type').inputValue()).toBe('long');
    await page.keyboard.press('Escape');
    await search('9');
    await page.getByRole('alert').getByText('no entry with this key, of any type').waitFor();
    await search('8');
    await page.getByText('of several types').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'string', exact: true }).click();
    await dialog
      .getByText('acht')
      .or(dialog.getByLabel('Value', { exact: true }))
      .first()
      .waitFor();
    expect(await dialog.getByLabel('Value', { exact: true }).inputValue()).toBe('acht');
    // The browser itself reports the answer 400 to a text that a type has not.
    expect(console.problems.filter((each) => !/status of 400/.test(each))).toEqual([]);
  });
});
