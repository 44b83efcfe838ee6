/** The overview of the console in headless Chromium: health, metrics, plots, statements, backups, time to appear. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import type { Page } from 'playwright-core';
import { allowedMs } from '../../system/machine.ts';
import { newFolder, queryOf, startService } from '../../system/service-process.ts';
import { until } from '../../system/until.ts';
import { browserTest, expectAccessible, expectNoOverflow, NOTE, startForTests } from '../console-page.ts';
import { HOUR_SAMPLES, samplesFrom } from '../samples.ts';

setDefaultTimeout(180_000);
/** Users would take a longer time for a hang. */
const FIRST_SCREEN_MS = 1_000;
/** A statement that takes longer than `log.slowMs` of the service below, and one that runs until it is ended. */
const SLOW = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 200000) a WHERE MOD(a.x * 7, 3) = 1';
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b WHERE a.x + b.x < 0';

const started = startForTests(async () => {
  const service = await startService({
    env: {
      SVC_LOG_SLOW_MS: '1',
      SVC_BACKUP_FOLDER: newFolder(),
      SVC_BACKUP_CONTINUOUS_URL: `file://${newFolder()}`,
      SVC_BACKUP_VERIFY_INTERVAL: '1s',
    },
  });
  await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: SLOW }));
  await service.command('cmd=backup&name=first.svcbackup');
  return service;
});

interface SampleResponse {
  readonly series: Record<string, (number | null)[]>;
  readonly commands: Record<string, (number | null)[]>;
}

/** Makes the page see an hour of samples that a test has changed. */
async function showHour(page: Page, change: (response: SampleResponse) => void = () => {}): Promise<void> {
  const answer = samplesFrom(0, HOUR_SAMPLES) as { readonly response: SampleResponse };
  change(answer.response);
  await page.route('**/metricshistory', (route) => route.fulfill({ json: answer }));
}

const fill = (response: SampleResponse, name: string, value: number) => {
  response.series[name] = new Array<number>(HOUR_SAMPLES).fill(value);
};

describe(`the overview${NOTE}`, () => {
  for (const isDark of [false, true]) {
    browserTest(`has metrics with their limits, ${isDark ? 'dark' : 'light'}`, async () => {
      await using console = await started.open({ isDark, prepare: (page) => showHour(page) });
      const { page } = console;
      const main = page.locator('main');
      for (const text of ['slow from 1 s', 'of 8 GiB in the machine', 'warning from 5 %', 'reserve 256 MiB']) {
        await main.getByText(text).first().waitFor();
      }
      await main.getByText('All is well').waitFor();
      await page.getByRole('figure', { name: 'Traffic a second' }).locator('canvas').waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(console.problems).toEqual([]);
    });
  }

  browserTest('says what is wrong, and leads to where it is mended', async () => {
    await using console = await started.open({
      prepare: (page) =>
        showHour(page, (response) => {
          fill(response, 'p99Ms', 4_000);
        }),
    });
    const { page } = console;
    await page.getByText('One in 100 requests took 4 s or longer in the last minute.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show the statements' }).click();
    await page.waitForFunction("document.activeElement?.id === 'statements'");
    await started.service.command('cmd=setstate&state=ACTIVE_READ_ONLY');
    try {
      await page.getByText('The service is read-only').waitFor();
      await page.getByRole('link', { name: 'Change the state' }).click();
      await page.getByLabel('New state').waitFor();
    } finally {
      await started.service.command('cmd=setstate&state=ACTIVE');
    }
    await page.getByText('The service is read-only').waitFor({ state: 'detached' });
    expect(console.problems).toEqual([]);
  });

  browserTest('legends show values without a pointer, and those under it', async () => {
    await using console = await started.open({ prepare: (page) => showHour(page) });
    const { page } = console;
    const memory = page.getByRole('figure', { name: 'Memory' });
    const canvas = memory.locator('canvas');
    await canvas.waitFor();
    expect(await memory.getByRole('list').innerText()).toMatch(/Now\s+Process\s+[\d.]+ MiB\s+Heap\s+[\d.]+ MiB/);
    await memory.locator('.u-over').hover({ position: { x: 40, y: 40 } });
    await memory.getByText(/^\d\d:\d\d:\d\d$/).waitFor();
    const heap = memory.getByRole('button', { name: 'Heap' });
    await heap.press('Enter');
    expect(await heap.getAttribute('aria-pressed')).toBe('false');
    await canvas.waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('cuts off what flattens an hour, says so, and shows it in full', async () => {
    await using console = await started.open({
      prepare: (page) =>
        showHour(page, ({ commands }) => {
          commands.put?.fill(60_000, 300, 330);
        }),
    });
    const { page } = console;
    const requests = page.getByRole('figure', { name: 'Requests a second' });
    await requests.getByText('30 of 720 values are cut off. The highest is 60,000').waitFor();
    await requests.getByRole('button', { name: 'Show in full' }).click();
    await requests.getByText('Shown in full.').waitFor();
    await expectAccessible(page);
    expect(console.problems).toEqual([]);
  });

  browserTest('lists slow statements, opens one as a query, and ends one that runs', async () => {
    await using console = await started.open();
    const { page } = console;
    const running = started.service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: ENDLESS }));
    const row = page.getByRole('table', { name: 'Running statements' }).getByRole('row', { name: ENDLESS });
    await row.getByRole('button').click();
    await row.waitFor({ state: 'detached' });
    expect((await running).error).toContain('cancelled');
    const slow = page.getByRole('table', { name: 'Slow statements since startup' });
    await slow.getByRole('link', { name: SLOW }).waitFor();
    await expectAccessible(page);
    expect(await slow.innerText()).not.toContain('console:');
    await slow.getByRole('link', { name: SLOW }).click();
    await page.locator('.cm-content').getByText('SYSTEM_RANGE').first().waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('shows the last backup, the lag of the continuous one and its last verified restore', async () => {
    await using console = await started.open();
    const backups = console.page.getByRole('region', { name: 'Backups' });
    const tile = (name: string) => backups.locator('.tile', { hasText: name });
    await tile('Last backup').getByText('first.svcbackup').waitFor();
    await tile('Lag of the backup').getByText('Shipping').waitFor();
    await tile('Last verified restore').getByText('ago').first().waitFor();
    await backups.getByRole('link', { name: 'Create and verify backups' }).click();
    await console.page.getByRole('heading', { name: 'Backups' }).first().waitFor();
    expect(console.problems).toEqual([]);
  });

  browserTest('names version and addresses at the end', async () => {
    await using console = await started.open({ width: 390, height: 844 });
    const about = console.page.getByRole('region', { name: 'Version and addresses' });
    await about.getByText(`${started.service.origin}/svc`).waitFor();
    expect(await about.innerText()).toMatch(/svc \d+\.\d+\.\d+/);
    await expectNoOverflow(console.page);
    await expectAccessible(console.page);
    expect(console.problems).toEqual([]);
  });

  browserTest(`is usable within ${FIRST_SCREEN_MS} ms from a cold cache`, async () => {
    // The first request bundles the console from its sources, which packages carry bundled.
    await (await fetch(`${started.service.origin}/console`)).text();
    const times: number[] = [];
    for (let count = 0; count < 3; count++) {
      const context = await started.browser.newContext();
      const page = await context.newPage();
      await page.goto(`${started.service.origin}/console`, { waitUntil: 'commit' });
      await page.locator('main .notice').first().waitFor();
      await page.getByRole('list', { name: 'Caches and tables' }).getByRole('link').first().waitFor();
      // Time since the browser began to request the page, by its own clock.
      times.push(await page.evaluate<number>('performance.now()'));
      await context.close();
    }
    expect(Math.min(...times)).toBeLessThan(allowedMs(FIRST_SCREEN_MS));
  });

  browserTest('draws plots in the colours of the system, which may change', async () => {
    await using console = await started.open({ prepare: (page) => showHour(page) });
    const { page } = console;
    const canvas = page.getByRole('figure', { name: 'Memory' }).locator('canvas');
    await canvas.waitFor();
    const pixels = () =>
      page.evaluate<string>("document.querySelector('figure[aria-label=Memory] canvas').toDataURL()");
    const light = await pixels();
    await page.emulateMedia({ colorScheme: 'dark' });
    await until('the plot is drawn anew', async () => (await pixels()) !== light);
    expect(console.problems).toEqual([]);
  });
});
