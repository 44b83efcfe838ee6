/** Runs a subcommand that only sends requests to a service. */

import { EXIT_CODES } from '../base/exit-codes.ts';
import { newParser, reportExpected } from './parser.ts';
import type { ClientProgram } from './program.ts';
import type { ClientSubcommand } from './subcommand.ts';

/** Runs a subcommand and returns the exit code. Prints expected errors; throws others. */
export async function runClient(
  subcommand: ClientSubcommand,
  argv: readonly string[],
  program: ClientProgram,
): Promise<number> {
  let exitCode: number = EXIT_CODES.success;
  try {
    const command = newParser(subcommand, program.terminal);
    const exit = (code: number): void => {
      exitCode = code;
    };
    await (await subcommand.load())(command, { ...program, exit });
    await command.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportExpected(error, program.terminal);
  }
}
