/** Runs the command line in this process, with texts for the streams of a terminal. */
import { Readable, Writable } from 'node:stream';
import { systemClock } from '../base/clock.ts';
import type { ServiceParts } from './program.ts';
import { runCli } from './run-cli.ts';

export interface CliRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

export interface CliOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly home?: string;
  readonly service?: Partial<ServiceParts>;
}

const NOT_RUN: ServiceParts = {
  running: () => Promise.resolve(undefined),
  isRunning: () => false,
  signal: () => {},
  backups: () => Promise.reject(new Error('backups are not part of this test')),
  migrate: () => Promise.reject(new Error('migrate is not part of this test')),
};

/** Runs `svc` with the given arguments and returns what it printed. */
export async function runSvc(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { input = '', environment = {}, cwd = '/', home = '/nonexistent', service = {} } = options;
  const output = new TextStream();
  const errors = new TextStream();
  const exitCode = await runCli(argv, {
    version: '9.8.7',
    clock: systemClock,
    terminal: {
      input: Readable.from([Buffer.from(input)]),
      output,
      errors,
      environment,
      cwd,
      installationFolder: cwd,
      home,
      interrupted: new AbortController().signal,
    },
    service: { ...NOT_RUN, ...service },
  });
  return { exitCode, output: output.text, errors: errors.text };
}

/** Collects what is written. */
class TextStream extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}
