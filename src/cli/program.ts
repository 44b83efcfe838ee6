/** What a subcommand works with: the terminal, the clock, and the parts of the service that it may need. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';

/** The streams and the environment of the process. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
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
  /** Runs `svc migrate` with the arguments behind the word until it ends or is aborted; returns the exit code. */
  migrate(argv: readonly string[], interrupted: AbortSignal): Promise<number>;
}

export interface Program {
  /** Version of the product. */
  readonly version: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly service: ServiceParts;
}
