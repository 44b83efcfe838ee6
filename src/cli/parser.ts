/** What all subcommands have in common: the parser of their arguments, and how their errors are reported. */
import { Command, CommanderError } from 'commander';
import { CommandLineError, EXIT_CODES } from './exit-codes.ts';
import type { Terminal } from './program.ts';
import type { Subcommand } from './subcommand.ts';

const HELP_COLUMNS = 100;

/** Returns the parser of a subcommand, without arguments and options. */
export function newParser({ name, summary }: Subcommand, terminal: Terminal): Command {
  return new Command(`svc ${name}`)
    .description(summary)
    .exitOverride()
    .showHelpAfterError(`See svc help ${name}.`)
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => terminal.output.columns ?? HELP_COLUMNS,
    });
}

/** Prints an error that a user may cause and returns the exit code. Throws any other. */
export function reportExpected(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.usage;
  // The entry of the program reports errors of the configuration as those of the service.
  if (!(error instanceof CommandLineError)) throw error;
  terminal.errors.write(`svc: ${error.message}\n`);
  return error.exitCode;
}
