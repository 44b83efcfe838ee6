/** Opens the console in headless Chromium, and checks what every page of it must keep. */

import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A busy machine takes long for what takes milliseconds elsewhere. */
const LIMIT_MS = 30_000;

/** Says what violates the content security policy, beside the browser's own message. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, target }) => {
  const path = [target?.outerHTML?.slice(0, 300), target?.parentNode?.nodeName, target?.isConnected];
  console.error('policy violated', violatedDirective, ...path);
}, true);`;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: Bun.which('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** A page of the console with what went wrong in it. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Messages of the browser: errors, warnings, violations of the content security policy. */
  readonly problems: string[];
  /** Shows a screen by its name in the address. */
  show(screen: string): Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** Without the console: a proxy or an error is tested. */
  readonly path?: string;
}

/** Opens the console of a service at its first screen. */
export async function openConsole(browser: Browser, origin: string, options: PageOptions = {}): Promise<ConsolePage> {
  const { width = 1_200, height = 900, isDark = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    acceptDownloads: true,
  });
  await context.addInitScript({ content: AXE });
  await context.addInitScript({ content: REPORT_VIOLATIONS });
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error.stack)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${origin}/console`);
  await page.locator('h1').waitFor();
  return {
    page,
    problems,
    async show(screen) {
      await page.locator(`nav a[href="#/${screen}"]`).click();
      await page.locator(`nav a[aria-current][href="#/${screen}"]`).waitFor();
      await page.locator('h1').waitFor();
    },
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

/** Expects that axe finds nothing to complain about in what is shown. */
export async function expectAccessible(page: Page): Promise<void> {
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
    );
  });
  expect(found).toEqual([]);
}

/** Expects that the page needs no sideways scrolling. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [content, view] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: Sizes } }).document
      .documentElement;
    return [scrollWidth, clientWidth];
  });
  expect(content).toBeLessThanOrEqual(view ?? 0);
}

interface Sizes {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** Types a statement into the editor, whose completions may not take part. */
export async function typeStatement(page: Page, sql: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
  await page.keyboard.press('Escape');
}
