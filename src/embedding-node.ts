/** The package as programs on Node import it: like embedding.ts, but a service runs in a separate process, on Bun. */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { startForTests as startForTestsOnBun, start as startOnBun } from './embedding.ts';
import type { ProcessStart, StartReport, TestAnswer, TestCall } from './processes/embedding/embedding-messages.ts';
import type { StartedService, StartOptions } from './wiring/in-process.ts';

export * from './client/client.ts';
export * from './config.ts';
export type { StartedService, StartOptions };

/** The folder of the npm package, which has this module in dist/client. */
const PACKAGE = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const PROGRAM = join(PACKAGE, 'dist', 'service', 'embedding-process.js');

/**
 * Starts a service for this program's tests: on a free port, with its data in memory. Resolves when it serves requests.
 * It ends with the program, even if that is killed.
 */
export const start: typeof startOnBun = async (options: StartOptions = {}): Promise<StartedService> =>
  (await startProcess({ options, isForTests: false })).service;

/**
 * Starts a service that tests control; `@svc-grid/svc/testing` adds fixtures. It keeps no program running, because it
 * is never stopped if the hook that starts it takes too long.
 */
export const startForTests: typeof startForTestsOnBun = async (options) => {
  const { service, child, ended } = await startProcess({ options, isForTests: true });
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let last = 0;
  child.unref();
  child.channel?.unref();
  child.on('message', ({ id, error }: TestAnswer) => {
    if (error === undefined) waiting.get(id)?.resolve();
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
    if (waiting.size === 0) child.channel?.unref();
  });
  void ended.then((reason) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The service has ended: ${reason ?? 'it was stopped'}`));
  });
  const call = (name: TestCall['name'], byMs = 0): Promise<void> => {
    const answer = withResolvers();
    const message: TestCall = { id: ++last, name, byMs };
    waiting.set(message.id, answer);
    child.channel?.ref();
    child.send(message, (error) => error && answer.reject(error));
    return answer.promise;
  };
  return {
    ...service,
    advance: (byMs) => call('advance', byMs),
    snapshot: () => call('snapshot'),
    reset: () => call('reset'),
  };
};

/** Replaces Promise.withResolvers, which Node 20 lacks. */
function withResolvers(): PromiseWithResolvers<void> {
  let resolve: () => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}

/** A service in a separate process. */
interface ServiceProcess {
  readonly service: StartedService;
  readonly child: ChildProcess;
  /** Resolves when the process has ended: with the reason, unless it was meant to end. */
  readonly ended: Promise<string | undefined>;
}

async function startProcess(message: ProcessStart): Promise<ServiceProcess> {
  // The command svc-node uses the same file, and is not built.
  const { runtimePath }: { runtimePath(): string } = createRequire(PROGRAM)(join(PACKAGE, 'scripts', 'runtime.cjs'));
  const child = fork(PROGRAM, {
    execPath: runtimePath(),
    // Not Node's options, which are this program's.
    execArgv: ['--no-install'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? `code ${code}`}`));
  });
  const report = await reportOf(child, message, ended);
  if ('error' in report) throw new Error(report.error);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= disconnect(child, ended);
    return stopped;
  };
  return { service: { url: report.url, stop, [Symbol.asyncDispose]: stop }, child, ended };
}

/** Sends the first message and returns the process's report. */
async function reportOf(
  child: ChildProcess,
  message: ProcessStart,
  ended: Promise<string | undefined>,
): Promise<StartReport> {
  const reported = new Promise<StartReport>((resolve) =>
    child.once('message', (report: StartReport) => resolve(report)),
  );
  // Without a listener, the failure would end the program; `ended` reports it.
  child.send(message, () => {});
  return Promise.race([reported, ended.then((reason) => ({ error: `The service could not be started: ${reason}` }))]);
}

/** Stops the service, and waits for it. */
async function disconnect(child: ChildProcess, ended: Promise<string | undefined>): Promise<void> {
  child.ref();
  if (child.connected) child.disconnect();
  const reason = await ended;
  if (reason !== undefined) throw new Error(`The service did not stop as it should: ${reason}`);
}
