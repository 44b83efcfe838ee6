/** The requests that the console shows as programs: each program does what the click did. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { missing } from '../../browser/chromium.ts';
import { missingProgram, pythonEnvironment, writeGoModule } from '../../clients/programs.ts';
import { newFolder, startService } from '../../system/service-process.ts';
import {
  browserTest,
  expectAccessible,
  expectNoOverflow,
  NOTE,
  openBrowser,
  openConsole,
  openTab,
} from '../console-page.ts';

setDefaultTimeout(240_000);
const CLIENT = join(import.meta.dir, '../../../src/client/client.ts');

let browser: Browser;

beforeAll(async () => {
  if (missing) return;
  browser = await openBrowser();
});
afterAll(() => browser?.close());

describe(`requests of the page${NOTE}`, () => {
  /** Runs a sample in a folder with the file fruit.csv. */
  const ran = async (text: string, file: string, command: readonly string[], cwd: string): Promise<string> => {
    writeFileSync(join(cwd, file), text.replace('@svc-grid/svc/client', CLIENT));
    const env = { ...process.env, ...(await pythonEnvironment()), GOFLAGS: '-mod=mod' };
    const child = Bun.spawn([...command, file], { cwd, env, stdout: 'pipe', stderr: 'ignore' });
    return (await new Response(child.stdout).text()) + String(await child.exited);
  };
  /** The file of a sample in each language, and the command that executes it. */
  const EXECUTED: ReadonlyArray<readonly [language: string, file: string, ...command: string[]]> = [
    ['curl', 'sample.sh', 'bash'],
    ['TypeScript', 'sample.ts', process.execPath],
    ['Python', 'sample.py', 'python3'],
    ['Go', 'sample.go', 'go', 'run'],
    ['Java', 'Program.java', 'java'],
  ];

  browserTest('are shown for every click, and do the same as programs', async () => {
    await using open = await startService();
    await using console = await openConsole(browser, open.origin);
    const { page } = console;
    const folder = newFolder();
    const content = 'key,value\na,apple\n';
    writeFileSync(join(folder, 'fruit.csv'), content);
    writeGoModule(folder);
    await console.show('caches');
    await page.getByText('Requests of this page').click();
    const shown = page.locator('footer pre');
    await shown.waitFor();
    await page.getByRole('button', { name: 'Create a cache' }).click();
    await page.getByLabel('Name (required)').fill('clicked');
    await page.getByRole('button', { name: 'Create cache' }).click();
    await page.getByRole('heading', { name: 'clicked' }).waitFor();
    const request = page.locator('footer').getByLabel('Request');
    const samplesOf = async (begin: string): Promise<ReadonlyMap<string, string>> => {
      const label = await request.locator('option', { hasText: begin }).first().textContent();
      await request.selectOption({ label: label ?? '' });
      const samples = new Map<string, string>();
      for (const [language] of EXECUTED) {
        await page.locator('footer').getByRole('button', { name: language }).click();
        samples.set(language, await shown.innerText());
      }
      return samples;
    };
    const created = await samplesOf('getorcreate');
    await openTab(page, 'Import and export');
    const file = page.getByLabel('File, CSV, JSON or NDJSON');
    await file.setInputFiles({ name: 'fruit.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported:').waitFor();
    const imported = await samplesOf('import');
    await expectAccessible(page);
    await expectNoOverflow(page);
    for (const [language, file, ...command] of EXECUTED) {
      const [program = ''] = command;
      if (missingProgram(program) !== undefined && process.env.SVC_TEST_CI !== 'true') continue;
      await open.command('cmd=destcache&cacheName=clicked');
      for (const samples of [created, imported]) {
        expect([language, await ran(samples.get(language) ?? '', file, command, folder)]).toEqual([
          language,
          expect.stringMatching(/0$/),
        ]);
      }
      expect([language, await open.command('cmd=get&cacheName=clicked&key=a')]).toEqual([language, 'apple']);
    }
    rmSync(folder, { recursive: true, force: true });
    expect(console.problems).toEqual([]);
  });
});
