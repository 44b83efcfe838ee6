/** Starts the watchdog in a dedicated thread. */
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { STOP_STEPS } from '../../base/limits.ts';
import { threadUrl } from '../../base/thread-url.ts';
import { COMMANDS } from '../../commands/registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { stopDelayMs } from '../../configuration/stop-delay.ts';
import { openGuardLibrary } from '../../engines/embedded/native/guard-library.ts';
import { countSignals } from '../../engines/embedded/native/signal-count.ts';
import type { Log } from '../../service/monitoring/log.ts';
import type { WatchedThreads } from '../../service/monitoring/watched-threads.ts';
import { LOG_FILE } from '../../wiring/http-part.ts';
import type { WatchdogStart } from './watchdog-thread.ts';

/** Its thread must not delay the first requests. */
const START_MS = 200;

/** Starts the watchdog soon. The signal handlers must already be installed. */
export function startWatchdog(threads: WatchedThreads, configuration: Configuration, clock: Clock, log: Log): void {
  const { log: settings } = configuration;
  clock.after(START_MS, async () => {
    const worker = new Worker(threadUrl('processes/watchdog/watchdog-thread.ts'), { smol: true });
    // Without it the service still works.
    worker.addEventListener('error', (event) => log.error('The watchdog failed', { detail: event.message }));
    worker.unref();
    const start: WatchdogStart = {
      threadCount: threads.count,
      memory: threads.memory,
      commands: COMMANDS.map(({ name }) => name),
      seesSignals: await seeSignals(threads),
      stopMs: stopDelayMs(configuration) + STOP_STEPS.killMs,
      logFile: path.join(settings.dir, LOG_FILE),
      logLevel: settings.level,
    };
    worker.postMessage(start);
  });
}

/** Counts the signals that stop the process. Returns false if that is impossible. */
async function seeSignals(threads: WatchedThreads): Promise<boolean> {
  const library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  try {
    const { SIGTERM, SIGINT } = os.constants.signals;
    return library.path !== undefined && countSignals(library.path, [SIGTERM, SIGINT], threads.signals);
  } finally {
    library.release();
  }
}
