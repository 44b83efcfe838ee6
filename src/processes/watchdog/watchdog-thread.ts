/**
 * Entry of the watchdog's thread.
 *
 * Runs: polls the heartbeats that each HTTP thread counts in shared memory, and the counted signals. It logs stalled
 * threads with their commands, and kills the process if a stop signal has had no effect for long: a hanging main
 * thread's event loop would never see the signal. Owns: nothing. It opens the log file for each line, because the
 * thread that owns it may be the one that hangs. Started by watchdog.ts a moment after startup, so that it does not
 * delay the first response. Ends: with the process. Without it the service still works, and the log says so.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { systemClock as clock } from '../../base/clock.ts';
import { createLog, type LogLevel } from '../../service/monitoring/log.ts';
import { WATCHDOG_POLL_MS, Watchdog } from '../../service/monitoring/watchdog.ts';
import { WatchedThreads } from '../../service/monitoring/watched-threads.ts';

declare const self: Worker;

/** The only message to the thread. */
export interface WatchdogStart {
  readonly threadCount: number;
  readonly memory: SharedArrayBuffer;
  readonly commands: readonly string[];
  readonly seesSignals: boolean;
  readonly stopMs: number;
  readonly logFile: string;
  readonly logLevel: LogLevel;
}

const STDERR = 2;

self.onmessage = ({ data }: MessageEvent<WatchdogStart>) => {
  const { threadCount, memory, commands, seesSignals, stopMs, logFile, logLevel } = data;
  const watchdog = new Watchdog({
    clock,
    // The thread that owns the file may hang, so this one opens it for each line.
    log: createLog({ append: (line) => append(logFile, `${line}\n`) }, logLevel, clock),
    threads: new WatchedThreads(threadCount, memory),
    commands,
    seesSignals,
    stopMs,
    kill(reason) {
      write(`svc: ${reason}; it is killed.\n`);
      process.kill(process.pid, 'SIGKILL');
    },
  });
  clock.every(WATCHDOG_POLL_MS, () => watchdog.poll());
};

function append(file: string, text: string): void {
  try {
    appendFileSync(file, text, { mode: 0o600 });
  } catch {
    write(text);
  }
}

function write(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // The output is not being read, and watching matters more.
  }
}
