/** What a subcommand works with: the terminal, the clock, and the parts of the service that it may need. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';

/** The streams and the environment of the process. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly errors: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start at. */
  readonly cwd: string;
  /** Home folder of the user. */
  readonly home: string;
  /** Aborted by the first SIGINT or SIGTERM; the second ends the process. */
  readonly interrupted: AbortSignal;
}

/** Parts of the service that subcommands run in this process. Each loads its code when it is called. */
export interface ServiceParts {
  /** Returns the service that runs on a data folder; undefined if none does. */
  running(dataDir: string): Promise<RunningProcess | undefined>;
  /** Asks a process to stop, or ends it at once. */
  signal(processId: number, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Reports whether a process of that id exists. */
  isRunning(processId: number): boolean;
  /** Runs `svc migrate` with the arguments behind the word until it ends or is aborted; returns the exit code. */
  migrate(argv: readonly string[], interrupted: AbortSignal): Promise<number>;
}

/** A process that uses a data folder. */
export interface RunningProcess {
  readonly processId: number;
  readonly startedAtMs: number;
  readonly version: string;
  /** Address of the service; absent while it starts, and for programs that serve nothing. */
  readonly url?: string;
}

export interface Program {
  /** Version of the product. */
  readonly version: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly service: ServiceParts;
}
