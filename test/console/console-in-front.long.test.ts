/** The console in headless Chromium, in front of a node of Apache Ignite. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { installBrowser, missing } from '../browser/chromium.ts';
import { missingForNodes, startCluster, type TestCluster } from '../cluster/ignite-node.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { expectAccessible, openBrowser, openConsole, openTab, typeStatement } from './console-page.ts';

setDefaultTimeout(180_000);
const reason = missingForNodes() ?? (missing ? 'skipped: chromium is not on the PATH' : undefined);
const SCREENS = ['overview', 'caches', 'query', 'commands', 'administration'];

let cluster: TestCluster;
let service: ServiceProcess;
let browser: Browser;

const clusterTest = test.skipIf(reason !== undefined);

beforeAll(async () => {
  if (reason !== undefined) return;
  await installBrowser();
  cluster = await startCluster(1);
  service = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe(`the console in front of a cluster${reason === undefined ? '' : ` (${reason})`}`, () => {
  clusterTest('shows every screen without an error', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await page.getByRole('table', { name: 'Nodes' }).getByText('port').first().waitFor();
    for (const screen of SCREENS) {
      await console.show(screen);
      await page.waitForLoadState('networkidle');
      expect([screen, await page.locator('.failure').allTextContents()]).toEqual([screen, []]);
      await expectAccessible(page);
    }
    expect(console.problems).toEqual([]);
  });

  clusterTest('runs statements, explains them, and scrolls through pages', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await console.show('query');
    await typeStatement(page, 'SELECT x, x * 2 AS y FROM SYSTEM_RANGE(1, 3000) ORDER BY x');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,000 rows so far').waitFor();
    const grid = page.getByRole('grid', { name: 'Result' });
    for (const rows of ['2,000 rows', '3,000 rows']) {
      await grid.focus();
      await page.keyboard.press('Control+End');
      await page.getByText(rows).waitFor();
    }
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.locator('.plan').getByText('SYSTEM_RANGE').first().waitFor();
    await typeStatement(page, 'SELECT * FROM no_such_table');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('NO_SUCH_TABLE').waitFor();
    expect(console.problems.filter((each) => !/status of 4/.test(each))).toEqual([]);
  });

  clusterTest(
    'creates a cache and an entry, changes it only if it has not changed, and destroys the cache',
    async () => {
      await using console = await openConsole(browser, service.origin);
      const { page } = console;
      await console.show('caches');
      await page.getByRole('button', { name: 'Create a cache' }).click();
      await page.getByLabel('Name (required)').fill('colours');
      await page.getByRole('button', { name: 'Create cache' }).click();
      await page.getByRole('button', { name: 'Add entry' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Key', { exact: true }).fill('7');
      await dialog.getByLabel('Key type').selectOption('long');
      await dialog.getByLabel('Value', { exact: true }).fill('red');
      await dialog.getByRole('button', { name: 'Add entry' }).click();
      await page.getByRole('gridcell', { name: '7', exact: true }).dblclick();
      await dialog.getByRole('heading', { name: 'Time to live: unknown' }).waitFor();
      await dialog.getByLabel('Unit of New time to live').selectOption('hours');
      await dialog.getByLabel('New time to live', { exact: true }).fill('1');
      await dialog.getByRole('button', { name: 'Set time to live' }).click();
      await dialog.getByText('The time to live is set.').waitFor();
      await dialog.getByRole('button', { name: 'Remove time to live' }).click();
      await dialog.getByText('The time to live is removed.').waitFor();
      expect((await dialog.getByRole('alert').allTextContents()).join('')).toBe('');
      await dialog.getByLabel('Value', { exact: true }).fill('green');
      await service.command('cmd=put&cacheName=colours&key=7&keyType=long&val=blue');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Nothing was changed').waitFor();
      expect(await service.command('cmd=get&cacheName=colours&key=7&keyType=long')).toBe('blue');
      await page.keyboard.press('Escape');
      await openTab(page, 'Structure');
      await page.getByRole('button', { name: 'Destroy the cache' }).click();
      await dialog.getByRole('textbox').fill('colours');
      await dialog.getByRole('button', { name: 'Destroy', exact: true }).click();
      await page.getByRole('heading', { name: 'Caches and tables' }).waitFor();
      expect(console.problems.filter((each) => !/status of 4\d\d .*\/(?:ttl|dryrun)$/.test(each))).toEqual([]);
    },
  );

  clusterTest('says what fails in an entry, an import, an argument and a command', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    const alert = page.getByRole('alert');
    await service.command('cmd=getorcreate&cacheName=stock');
    await console.show('caches');
    await page.locator('main').getByRole('link', { name: 'stock', exact: true }).click();
    await page.getByRole('button', { name: 'Add entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key', { exact: true }).fill('new');
    await dialog.getByLabel('Value type').selectOption('integer');
    await dialog.getByLabel('Value', { exact: true }).fill('twelve');
    await dialog.getByText('Value needs a whole number, not "twelve".').waitFor();
    await page.keyboard.press('Escape');
    await openTab(page, 'Import and export');
    const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };
    await page.getByLabel('File, CSV, JSON or NDJSON').setInputFiles(file);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await alert.getByText(/key/).first().waitFor();
    await console.show('query');
    await typeStatement(page, 'SELECT CAST(? AS INT)');
    await page.getByLabel('Type of argument 1').selectOption('int');
    await page.getByLabel('Value of argument 1').fill('one');
    await page.getByRole('button', { name: 'Run' }).click();
    await alert.getByText('arg1').waitFor();
    await console.show('commands');
    await page.getByLabel('Search').fill('size');
    await page.locator('main').getByRole('link', { name: 'size', exact: true }).click();
    await page.getByLabel('cacheName').fill('absent');
    await page.getByRole('button', { name: 'Send size' }).click();
    await alert.getByText('absent').waitFor();
    await expectAccessible(page);
    expect(console.problems.filter((each) => !/status of 4/.test(each))).toEqual([]);
  });

  // The last one: the node stays killed.
  clusterTest('says on every screen that the cluster cannot be reached', async () => {
    await using console = await openConsole(browser, service.origin);
    const { page } = console;
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    // A request waits for the node for a while before it fails.
    await cluster.nodes[0]?.kill();
    const gone = page
      .getByRole('alert')
      .getByText(/[Cc]luster/)
      .first();
    await gone.waitFor({ timeout: 60_000 });
    await expectAccessible(page);
    await console.show('caches');
    await gone.waitFor({ timeout: 60_000 });
    await console.show('query');
    await typeStatement(page, 'SELECT 1');
    await page.getByRole('button', { name: 'Run' }).click();
    await gone.waitFor({ timeout: 60_000 });
    expect(console.problems.filter((each) => !/status of [45]/.test(each))).toEqual([]);
  });
});
