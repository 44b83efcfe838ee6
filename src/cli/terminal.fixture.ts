/** Runs the command line in this process, with texts for the streams of a terminal. */
import { PassThrough, Readable } from 'node:stream';
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
  migrate: () => Promise.reject(new Error('migrate is not part of this test')),
};

/** Runs `svc` with the given arguments and returns what it printed. */
export async function runSvc(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { input = '', environment = {}, cwd = '/', home = '/nonexistent', service = {} } = options;
  const output = new PassThrough();
  const errors = new PassThrough();
  const exitCode = await runCli(argv, {
    version: '9.8.7',
    clock: systemClock,
    terminal: {
      input: Readable.from([Buffer.from(input)]),
      output,
      errors,
      environment,
      cwd,
      home,
      interrupted: new AbortController().signal,
    },
    service: { ...NOT_RUN, ...service },
  });
  return { exitCode, output: textOf(output), errors: textOf(errors) };
}

function textOf(stream: PassThrough): string {
  const chunk: unknown = stream.read();
  return chunk === null ? '' : String(chunk);
}
