/** Opens the console in headless Chromium, and checks the requirements on every page. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { installBrowser, missing } from '../browser/chromium.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** On a busy machine, things take long that take milliseconds elsewhere. */
export const LIMIT_MS = 30_000;

/** Reports violations of the content security policy, in addition to the browser's own message. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, target }) => {
  const path = [target?.outerHTML?.slice(0, 300), target?.parentNode?.nodeName, target?.isConnected];
  console.error('policy violated', violatedDirective, ...path);
}, true);`;

/** The suffix of the titles of skipped tests. */
export const NOTE = missing ? ' (skipped: chromium is not on the PATH)' : '';

export const browserTest = test.skipIf(missing);

export async function openBrowser(): Promise<Browser> {
  await installBrowser();
  return chromium.launch({
    executablePath: Bun.which('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** A page of the console with the problems found in it. */
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
  readonly locale?: string;
  /** Prepares the page before it is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens the console of a service at its first screen. */
export async function openConsole(browser: Browser, origin: string, options: PageOptions = {}): Promise<ConsolePage> {
  const { width = 1_200, height = 900, isDark = false, locale = 'en-US' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    acceptDownloads: true,
    locale,
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
  await options.prepare?.(page);
  await page.goto(`${origin}/console`);
  await page.locator('h1').waitFor();
  return {
    page,
    problems,
    async show(screen) {
      // On a small screen the links are in a drawer.
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) await menu.click();
      await page.locator(`nav a[href="#/${screen}"]`).first().click();
      await page.waitForURL((url) => url.hash === `#/${screen}`);
      await page.locator('h1').waitFor();
    },
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

/** Starts a browser and a service before the tests of a file, prepares these, and ends them afterwards. */
export function startForTests(start: () => Promise<ServiceProcess> = startService, prepare?: () => Promise<void>) {
  const started = {
    get browser(): Browser {
      throw new Error('The browser starts before the first test.');
    },
    get service(): ServiceProcess {
      throw new Error('The service starts before the first test.');
    },
    /** Opens the console of the service at its first screen. */
    open: (options: PageOptions = {}) => openConsole(started.browser, started.service.origin, options),
  };
  const set = (name: 'browser' | 'service', value: object) => Object.defineProperty(started, name, { value });
  beforeAll(async () => {
    if (missing) return;
    set('browser', await openBrowser());
    set('service', await start());
    await prepare?.();
  });
  afterAll(async () => {
    if (missing) return;
    await started.browser.close();
    await started.service[Symbol.asyncDispose]();
  });
  return started;
}

/** Shows a tab of the cache or table that is open. */
export async function openTab(page: Page, title: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Views of the' }).getByRole('link', { name: title, exact: true });
  await tab.click();
  await tab.and(page.locator('[aria-current=page]')).waitFor();
}

/** Shows a part of the screen Administration by its title. */
export async function showPart(page: Page, title: string): Promise<void> {
  const parts = page.getByRole('navigation', { name: 'Administration' });
  await parts.getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor();
}

/** Expects that axe finds no problem in what is shown. */
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

/** Types a statement into the editor without accepting completions. */
export async function typeStatement(page: Page, sql: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
  await page.keyboard.press('Escape');
}

/** Returns the bytes of the JavaScript heap of a page, after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    for (let count = 0; count < 2; count++) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize;
  } finally {
    await session.detach();
  }
}

/** Returns when a page was first painted, in milliseconds after its navigation began. Waits until it is. */
export function firstPaintMs(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const found = list.getEntriesByName('first-contentful-paint')[0];
      if (found !== undefined) resolve(found.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Marks the beginning of the traced work, after the page has been prepared. */
const BEGIN = 'test-begin';

/** Returns the processor time of the longest task of a page during some work, in milliseconds. */
export async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  return Math.max(...(await taskTimesMs(page, work)));
}

/**
 * Returns the processor times of the tasks of a page during some work, in milliseconds. Other processes of a busy
 * machine make tasks last longer, but do not take their processor time.
 */
export async function taskTimesMs(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing', '__metadata'] });
  await page.evaluate(`performance.mark('${BEGIN}')`);
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const begin = traceEvents.find(({ name }) => name === BEGIN);
  if (begin === undefined) throw new Error('the trace does not say when the work began');
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid, ts }) =>
      name.endsWith('RunTask') && ph === 'X' && pid === begin.pid && tid === begin.tid && ts > begin.ts,
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks');
  return tasks.map(({ tdur = 0 }) => tdur / 1_000);
}

/** How much sooner timers of a second or more fire in {@link hastenTimers}. */
const HASTE = 100;

/** Makes the timers of a page fire sooner, so an hour passes in half a minute. */
export async function hastenTimers(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms = 0, ...args) => setTimeout(work, ms >= 1000 ? ms / ${HASTE} : ms, ...args);
  })()`);
}

/** Focuses an element with the Tab key alone. Throws if that never reaches it. */
export async function tabTo(page: Page, target: Locator, mostPresses = 150): Promise<void> {
  const hasFocus = () =>
    target.evaluate((element) => {
      const each = element as unknown as { getRootNode(): { readonly activeElement: unknown } };
      return each.getRootNode().activeElement === each;
    });
  for (let presses = 0; presses <= mostPresses; presses++) {
    if (await hasFocus()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}`);
}
