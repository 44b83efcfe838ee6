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
    const subcommand = findSubcommand(name) ?? (await interfaceCommand(name));
    if (subcommand === undefined) throw await unknownWord(name);
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

/** Returns the command of the interface of that name as a subcommand. */
async function interfaceCommand(name: string): Promise<Subcommand | undefined> {
  const { findCommand } = await import('../commands/registry.ts');
  const declared = findCommand(name);
  if (declared === undefined) return undefined;
  return {
    name: declared.name,
    summary: declared.summary,
    group: 'client',
    load: async () => (await import('./interface-command.ts')).declareInterfaceCommand(declared),
  };
}

async function unknownWord(word: string): Promise<CommandLineError> {
  const { COMMANDS } = await import('../commands/registry.ts');
  const near = nearestNames(word, new Set([...SUBCOMMANDS, ...COMMANDS].map(({ name }) => name)));
  const names = SUBCOMMANDS.map(({ name }) => name).join(', ');
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are ${names}, and commands such as get`;
  return usageError(`${word}: unknown command, ${hint} (svc help)`);
}
