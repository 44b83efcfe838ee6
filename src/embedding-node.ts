/** The package as programs on Node import it: like embedding.ts, but a service runs in a process of its own, on Bun. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { start as startOnBun } from './embedding.ts';
import type { StartReport } from './embedding-process.ts';
import type { StartedService, StartOptions } from './wiring/in-process.ts';

export * from './client/client.ts';
export * from './config.ts';
export type { StartedService, StartOptions };

/** The npm package has the client, and with it this module, beside the service. */
const PROGRAM = join(dirname(dirname(fileURLToPath(import.meta.url))), 'service', 'embedding-process.js');

/**
 * Starts a service for the tests of this program: on a free port, with its data in memory. Resolves when it serves
 * requests. It ends with the program, even if that is killed.
 */
export const start: typeof startOnBun = async (options: StartOptions = {}): Promise<StartedService> => {
  const child = fork(PROGRAM, {
    execPath: runtimePath(),
    // Options of Node, which are those of this program.
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? `code ${code}`}`));
  });
  const report = await reportOf(child, options, ended);
  if ('error' in report) throw new Error(report.error);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= disconnect(child, ended);
    return stopped;
  };
  return { url: report.url, stop, [Symbol.asyncDispose]: stop };
};

/** Sends the options and returns what the process reports. */
async function reportOf(
  child: ChildProcess,
  options: StartOptions,
  ended: Promise<string | undefined>,
): Promise<StartReport> {
  const reported = new Promise<StartReport>((resolve) =>
    child.once('message', (report: StartReport) => resolve(report)),
  );
  // Without a listener, the failure would end the program; `ended` reports it.
  child.send(options, () => {});
  return Promise.race([reported, ended.then((reason) => ({ error: `The service could not be started: ${reason}` }))]);
}

/** Has the service stop, and waits for it. */
async function disconnect(child: ChildProcess, ended: Promise<string | undefined>): Promise<void> {
  if (child.connected) child.disconnect();
  const reason = await ended;
  if (reason !== undefined) throw new Error(`The service did not stop as it should: ${reason}`);
}

/** Returns the Bun that npm installed beside this package. */
function runtimePath(): string {
  const path = join(dirname(createRequire(import.meta.url).resolve('bun/package.json')), 'bin', 'bun.exe');
  if (existsSync(path)) return path;
  throw new Error('The Bun runtime is not installed: run npm install again with install scripts allowed');
}
