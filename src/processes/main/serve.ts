/**
 * Entry of the main process and its main thread: `svc serve`, which main.ts selects.
 *
 * Runs: changes by key, in group commits; process-wide services (users, sessions, tasks, backups, nodes, logs, audit,
 * metrics); the choice of a process for each statement; and requests, as every HTTP thread does. src/wiring/run.ts
 * composes it. Owns: the data folder, its write lock's area and all shared memory, the log files, the reserved ports,
 * and every thread and process of the service. It starts the others, replaces those that die, and frees what they held.
 * Ends: on SIGTERM or SIGINT, or with the npm that started it, after requests and commits have finished; immediately on
 * a second signal, or if startup fails. The watchdog kills it if it does not stop. All others end with it, however it
 * ends.
 */
import { fstatSync } from 'node:fs';
import { systemClock } from '../../base/clock.ts';
import { STOP_STEPS } from '../../base/limits.ts';
import { OPTION_ROWS } from '../../configuration/options.ts';
import { stopDelayMs } from '../../configuration/stop-delay.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { loadOwnConfiguration } from '../../wiring/launch.ts';
import { portHolder } from '../../wiring/port-holder.ts';
import { runService } from '../../wiring/run.ts';
import type { RunningService } from '../../wiring/running-service.ts';
import { print, printResult } from '../../wiring/standard-output.ts';
import { exitWithFailure, startFailureText } from '../../wiring/start-failure.ts';

/** Runs the service with the given arguments until a signal stops it. Ends the process if it cannot start. */
export async function serve(argv: readonly string[]): Promise<void> {
  try {
    await start(argv);
  } catch (error) {
    exitWithFailure(error);
  }
}

async function start(argv: readonly string[]): Promise<void> {
  const loaded = await loadOwnConfiguration(argv, true);
  if (loaded.kind === 'run' && process.platform === 'win32') {
    throw new Error('the service does not run on Windows itself: run it in WSL or in the container (docs/packages.md)');
  }
  if (loaded.kind === 'print') {
    return printResult(loaded.what === 'help' ? await serviceHelp() : `${PRODUCT_VERSION}\n`);
  }
  const service = await runService(loaded.configuration, argv, systemClock);
  // A program that waits for the line below may send a signal right after it.
  stopOnSignals(service, stopDelayMs(loaded.configuration));
  // Separate from the output that programs read from standard output, and before it.
  if (service.movedFrom !== undefined) warnOfPort(service.movedFrom);
  await print(`listening on ${service.url}\n`);
  // For people. Programs read the line above.
  if (isTerminal() && service.consoleUrl !== undefined) await print(`console ${service.consoleUrl}\n`);
  if (service.role !== undefined) await print(`${service.role}\n`);
  if (service.waitsBecause !== undefined)
    await print(`commands fail until the cluster answers: ${service.waitsBecause}\n`);
  // Keys from a URL arrive later.
  void service.tokenKeyWarning?.then(async (warning) => {
    if (warning !== undefined) await print(`${warning}\n`);
  });
  service.watch();
}

function warnOfPort({ port, chosen }: { readonly port: number; readonly chosen: number }): void {
  const holder = portHolder(port);
  const inUse = `port ${port} is in use${holder === undefined ? '' : ` by ${holder}`}`;
  process.stderr.write(`svc: warning: ${inUse}, so this service listens on ${chosen} (--strict-port exits instead)\n`);
}

async function serviceHelp(): Promise<string> {
  const { helpText } = await import('../../documentation/help.ts');
  return helpText(OPTION_ROWS, PRODUCT_VERSION);
}

/** Whether standard output is a terminal, as far as its file tells: `process.stdout` and `node:tty` load slowly. */
function isTerminal(): boolean {
  return fstatSync(1).isCharacterDevice();
}

/** npm forwards a signal that the terminal also sends to this process; within this time both count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/**
 * Stops the service on the first signal: serves for `delayMs` while it is not ready, finishes in-flight requests and
 * commits changes. A later signal exits immediately. If npm started the process, npm's exit counts as a signal, because
 * users stop the process that they started.
 */
function stopOnSignals(service: RunningService, delayMs: number): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (): Promise<void> => {
    stoppingSinceMs = systemClock.monotonicMs();
    void print('stopping\n');
    // Acknowledged changes are on disk, so a shutdown that takes too long may be cut short.
    systemClock.after(delayMs + STOP_STEPS.exitMs, () => {
      process.stderr.write('svc: Stopping took too long, exiting.\n');
      process.exit(1);
    });
    try {
      await service.stop();
      await print('stopped\n');
      process.exit(0);
    } catch (error) {
      process.stderr.write(`svc: ${startFailureText(error)}\n`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingSinceMs === undefined) void stop();
      else if (systemClock.monotonicMs() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(1);
    });
  }
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  systemClock.every(PARENT_CHECK_MS, () => {
    if (process.ppid !== parent && stoppingSinceMs === undefined) void stop();
  });
}
