/** Runs the real program as `svc SUBCOMMAND ...` in its own process. */

import { type EndedProgram, endOf } from '../../ended-program.ts';
import { BUN, MAIN } from '../program.ts';

export interface CliProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Program and its first arguments; default: that of all tests. */
  readonly program?: readonly string[];
}

/** Runs the program to its end. Variables of this process that begin with SVC_ are not inherited. */
export function runSvcProcess(args: readonly string[], options: CliProcessOptions): Promise<EndedProgram> {
  const { cwd, env = {}, input = '', program = [BUN, MAIN] } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|XDG_|CI$|FORCE_COLOR)/.test(name));
  const environment = { ...Object.fromEntries(inherited), NO_COLOR: '1', HOME: cwd, ...env };
  return endOf([...program, ...args], { cwd, env: environment, input });
}
