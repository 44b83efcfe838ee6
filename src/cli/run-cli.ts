/** Runs the subcommand that the first argument names. */
import { Command, CommanderError } from 'commander';
import { nearestNames } from '../base/nearest.ts';
import { CommandLineError, EXIT_CODES, usageError } from './exit-codes.ts';
import type { Program } from './program.ts';
import type { Subcommand } from './subcommand.ts';
import { findSubcommand, SUBCOMMANDS } from './subcommands.ts';

/** Options of the whole program and the subcommands that they stand for. */
const PROGRAM_OPTIONS: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

/** Runs a subcommand and returns the exit code. Prints expected errors; throws others. */
export async function runCli(argv: readonly string[], program: Program): Promise<number> {
  const [word = 'help', ...rest] = argv;
  try {
    const name = PROGRAM_OPTIONS[word] ?? word;
    const subcommand = findSubcommand(name);
    if (subcommand === undefined) throw unknownSubcommand(name);
    return await runSubcommand(subcommand, rest, program);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.usage;
    if (!(error instanceof CommandLineError)) throw error;
    program.terminal.errors.write(`svc: ${error.message}\n`);
    return error.exitCode;
  }
}

async function runSubcommand(subcommand: Subcommand, argv: readonly string[], program: Program): Promise<number> {
  if ('forward' in subcommand) return subcommand.forward(argv, program);
  if (!('load' in subcommand)) throw usageError(`${subcommand.name}: is run by src/main.ts`);
  const { terminal } = program;
  let exitCode: number = EXIT_CODES.success;
  const command = new Command(`svc ${subcommand.name}`)
    .description(subcommand.summary)
    .exitOverride()
    .showHelpAfterError(`See svc help ${subcommand.name}.`)
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => terminal.output.columns ?? 100,
    });
  const declare = await subcommand.load();
  declare(command, {
    ...program,
    subcommands: SUBCOMMANDS,
    exit(code) {
      exitCode = code;
    },
  });
  await command.parseAsync([...argv], { from: 'user' });
  return exitCode;
}

function unknownSubcommand(word: string): CommandLineError {
  const near = nearestNames(
    word,
    SUBCOMMANDS.map(({ name }) => name),
  );
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : 'see svc help';
  return usageError(`${word}: unknown command, ${hint}`);
}
