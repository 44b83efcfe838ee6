/**
 * `bun bench/console.ts [--minutes 60]`: keeps the live plots of the console and its followed log open in Chromium
 * while requests are sent, and prints heap, elements and processor time of the page every minute. The first two minutes
 * fill caches. Exits with 1 when the heap grew by more than 4 MiB after them, or the page used more than a tenth of a
 * processor.
 */
import { parseArgs } from 'node:util';
import { installBrowser } from '../test/browser/chromium.ts';
import { heapBytes, openBrowser, openConsole } from '../test/console/console-page.ts';
import { startService } from '../test/system/service-process.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
const MINUTE_MS = 60_000;
const WARM_MINUTES = 2;
const MEBIBYTE = 1024 * 1024;
const MAX_GROWTH_BYTES = 4 * MEBIBYTE;
const MAX_PROCESSOR = 0.1;
/** Between two requests; enough for every plot to move. */
const PAUSE_MS = 100;

await installBrowser();
await using service = await startService();
const browser = await openBrowser();
let isOver = false;
let hasFailed = false;

async function sendRequests(): Promise<void> {
  await service.command('cmd=getorcreate&cacheName=plots');
  for (let count = 0; !isOver; count++) {
    await service.command(`cmd=put&cacheName=plots&key=${count % 1_000}&val=${count}`);
    await service.command(`cmd=get&cacheName=plots&key=${count % 1_000}`);
    await Bun.sleep(PAUSE_MS);
  }
}

/** Watches a screen, and prints a line each minute. */
async function watch(screen: string): Promise<void> {
  await using console = await openConsole(browser, service.origin);
  const { page } = console;
  await console.show(screen);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const taskSeconds = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  let warm: { readonly heap: number; readonly seconds: number } | undefined;
  for (let minute = 0; minute <= minutes; minute++) {
    const [heap, elements, seconds] = [await heapBytes(page), await page.locator('*').count(), await taskSeconds()];
    process.stdout.write(
      `${screen.padEnd(14)} ${String(minute).padStart(3)} min  heap ${(heap / MEBIBYTE).toFixed(2)} MiB  ` +
        `${elements} elements  ${seconds.toFixed(2)} s of tasks\n`,
    );
    if (minute === Math.min(WARM_MINUTES, minutes - 1)) warm = { heap, seconds };
    if (minute === minutes && warm !== undefined) {
      const share = (seconds - warm.seconds) / ((minutes - Math.min(WARM_MINUTES, minutes - 1)) * 60);
      const growth = heap - warm.heap;
      const isGood = growth <= MAX_GROWTH_BYTES && share <= MAX_PROCESSOR;
      if (!isGood) hasFailed = true;
      process.stdout.write(
        `${screen}: heap grew by ${(growth / MEBIBYTE).toFixed(2)} MiB, ${(share * 100).toFixed(1)} % of a processor` +
          `: ${isGood ? 'good' : 'too much'}\n`,
      );
    } else {
      await Bun.sleep(MINUTE_MS);
    }
  }
}

const requests = sendRequests();
try {
  await Promise.all(['overview', 'administration'].map(watch));
} finally {
  isOver = true;
  await requests;
  await browser.close();
}
process.exitCode = hasFailed ? 1 : 0;
