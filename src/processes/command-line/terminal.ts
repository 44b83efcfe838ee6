/** This process's streams, which a subcommand loads on first use: each takes as long as a short request. */
import { fstatSync, statSync } from 'node:fs';
import { devNull, homedir } from 'node:os';
import { type Clock, keepAlive } from '../../base/clock.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { interruptedError } from '../../cli/failures.ts';
import type { Terminal } from '../../cli/program.ts';
import { INSTALLATION_FOLDER } from '../../wiring/installation.ts';
import { endWithReader, printResult } from '../../wiring/standard-output.ts';

const STANDARD_OUTPUT = 1;

/** Runs a subcommand on the streams of this process and returns its exit code. */
export async function onTerminal(clock: Clock, run: (terminal: Terminal) => Promise<number>): Promise<number> {
  const alive = keepAlive();
  const interrupted = interruption(clock);
  let output: Terminal['output'] | undefined;
  const exitCode = await run({
    get input() {
      return standardInput();
    },
    get output() {
      output ??= standardOutput();
      return output;
    },
    get errors() {
      return process.stderr;
    },
    get printsToTerminal() {
      return isTerminal();
    },
    async print(chunk) {
      // In order, after what the stream still holds.
      if (output !== undefined) await written(output, chunk);
      else await printResult(chunk);
    },
    environment: process.env,
    cwd: process.cwd(),
    installationFolder: INSTALLATION_FOLDER,
    home: homedir(),
    get interrupted() {
      return interrupted();
    },
  });
  // Exiting would cut off what a pipe has not read.
  if (output !== undefined) await written(output, '');
  alive.cancel();
  return exitCode;
}

/** Returns standard input. A subcommand that reads none does not fail because of it. */
function standardInput(): typeof process.stdin {
  process.stdin.off('error', ignored);
  return process.stdin.on('error', ignored);
}

function ignored(): void {}

/** Resolves when the chunk has been written. If it cannot be, the stream's error ends the process. */
function written(output: Terminal['output'], chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) =>
    output.write(chunk, (error) => {
      if (!error) resolve();
    }),
  );
}

/**
 * Returns standard output as a stream. Unless it is a terminal, it is written as by {@link printResult}, because
 * `process.stdout` reports no error for a file on a full disk.
 */
function standardOutput(): Terminal['output'] {
  if (isTerminal()) return process.stdout.on('error', endWithReader);
  // Importing it would also load the module for commands that print in one go.
  const { Writable } = process.getBuiltinModule('node:stream');
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      void printResult(chunk).then(() => done());
    },
  });
}

/** Returns whether standard output is a terminal. Only a device other than the null device can be one. */
function isTerminal(): boolean {
  try {
    const opened = fstatSync(STANDARD_OUTPUT);
    if (!opened.isCharacterDevice() || opened.rdev === statSync(devNull).rdev) return false;
  } catch {
    // Windows has no such device.
  }
  return process.stdout.isTTY === true;
}

/** Time for removing files and closing connections after a signal. */
const CLEAN_UP_MS = 2_000;

/**
 * Returns a function that returns a signal, which the first SIGINT or SIGTERM aborts. The process ends soon after it at
 * the latest, and immediately at the second. Until the first call, signals have their default effect: a subcommand
 * without anything to clean up ends immediately, even if it blocks this thread.
 */
function interruption(clock: Clock): () => AbortSignal {
  let controller: AbortController | undefined;
  const end = (): never => process.exit(EXIT_CODES.interrupted);
  return () => {
    if (controller !== undefined) return controller.signal;
    const created = new AbortController();
    controller = created;
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (created.signal.aborted) end();
        clock.after(CLEAN_UP_MS, end);
        created.abort();
        // Unblocks code that waits for input that does not come.
        standardInput().destroy(interruptedError());
      });
    }
    return created.signal;
  };
}
