/** The page at /docs in headless Chromium: it documents all commands and tries them, without errors in its console. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { COMMANDS } from '../../src/commands/registry.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { type Chromium, installBrowser, missing, type Page, startChromium } from './chromium.ts';

setDefaultTimeout(280_000);
const PASSWORD = 'docs-password';
const skipped = missing ? ' (skipped: chromium is not on the PATH)' : '';
let open: ServiceProcess;
let closed: ServiceProcess;
let chromium: Chromium;

beforeAll(async () => {
  if (missing) return;
  await installBrowser();
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } });
  chromium = startChromium();
});
afterAll(() => Promise.all([open, closed, chromium].map((each) => each?.[Symbol.asyncDispose]())));

/** Opens the page of a command and waits until it shows the command. */
async function openCommand({ origin }: ServiceProcess, command: string, group: string): Promise<Page> {
  const page = await chromium.open();
  await page.goto(`${origin}/docs#/${group}/${command}`);
  await page.until(`document.querySelector('#operations-${group}-${command} .execute') !== null`);
  return page;
}

/** Fills in a parameter as a user does, once its field is there: React listens to the events of the field. */
async function fill(page: Page, parameter: string, value: string): Promise<void> {
  const input = `tr[data-param-name="${parameter}"] input`;
  await page.until(`document.querySelector('${input}') !== null`);
  await page.evaluate(`(() => {
    const field = document.querySelector('${input}');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(value)});
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
}

/** Sends the request of the command and returns the body of the response as the page shows it. */
async function execute(page: Page): Promise<string> {
  const shown = '.live-responses-table .highlight-code code';
  // The page picks up the input with a delay, so the first click may come too early. Each additional click discards the
  // response to the previous one, which takes seconds to appear on a busy machine.
  await page.until(`(async () => {
    document.querySelector('.execute').click();
    for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 100) {
      if (document.querySelector('${shown}') !== null) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return false;
  })()`);
  return String(await page.evaluate(`document.querySelector('${shown}').textContent`));
}

/** Checks that nothing failed and that all requests went to the service itself. */
function expectNoErrors({ errors, requests }: Page, { origin }: ServiceProcess): void {
  expect(errors).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
}

test.skipIf(missing)(`it documents every command${skipped}`, async () => {
  const page = await openCommand(open, 'get', 'entry');
  await page.evaluate(
    `document.querySelectorAll('.opblock-tag-section:not(.is-open) > h3').forEach((each) => each.click())`,
  );
  await page.until(`document.querySelectorAll('.opblock-tag-section:not(.is-open)').length === 0`);
  const paths = await page.evaluate(
    `[...document.querySelectorAll('.opblock-summary-path')].map((each) => each.dataset.path)`,
  );
  expect(COMMANDS.map(({ name }) => `/svc/${name}`).filter((path) => !Object(paths).includes(path))).toEqual([]);
  expectNoErrors(page, open);
});

test.skipIf(missing)(`it tries a command, and shows numbers with all their digits${skipped}`, async () => {
  await open.command('cmd=put&key=long&val=9007199254740993&valueType=long');
  const page = await openCommand(open, 'get', 'entry');
  await fill(page, 'key', 'long');
  expect(await execute(page)).toContain('"response":9007199254740993');
  expectNoErrors(page, open);
});

test.skipIf(missing)(`with authentication, it tries commands with the credentials of its form${skipped}`, async () => {
  const page = await openCommand(closed, 'size', 'cache');
  await page.evaluate(`ui.preauthorizeBasic('basic', 'svc', '${PASSWORD}')`);
  expect(JSON.parse(await execute(page))).toMatchObject({ successStatus: 0, response: 0 });
  expectNoErrors(page, closed);
});
