/** Runs the subcommand that the first argument names. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { nearestNames } from '../base/nearest.ts';
import { findClientSubcommand } from './client-subcommands.ts';
import { type CommandLineError, usageError } from './failures.ts';
import { newParser, reportExpected } from './parser.ts';
import type { Program } from './program.ts';
import type { Invocation, Subcommand } from './subcommand.ts';
import { findSubcommand, SUBCOMMANDS } from './subcommands.ts';

/** Options of the whole program and the words that they represent. */
const PROGRAM_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['--help', ['help']],
  ['-h', ['help']],
  ['--version', ['version']],
  ['-v', ['version']],
]);

/** Runs a subcommand and returns the exit code. Prints expected errors; throws others. */
export async function runCli(argv: readonly string[], program: Program): Promise<number> {
  const [first = 'help', ...rest] = argv;
  try {
    const [word = first, ...added] = PROGRAM_OPTIONS.get(first) ?? [first];
    const subcommand = await subcommandOf(word);
    if (subcommand === undefined) throw await unknownWord(word);
    return await runSubcommand(subcommand, [...added, ...rest], program);
  } catch (error) {
    return reportExpected(error, program.terminal);
  }
}

async function runSubcommand(subcommand: Subcommand, argv: readonly string[], program: Program): Promise<number> {
  if ('forward' in subcommand) return subcommand.forward(argv, program);
  let exitCode: number = EXIT_CODES.success;
  const command = await parserOf(subcommand, program, (code) => {
    exitCode = code;
  });
  if (command === undefined) throw usageError(`${subcommand.name}: is run by src/main.ts`);
  await command.parseAsync([...argv], { from: 'user' });
  return exitCode;
}

/** Returns a subcommand's parser, or undefined if it reads its own arguments. */
async function parserOf(
  subcommand: Subcommand,
  program: Program,
  exit: (code: number) => void,
): Promise<Command | undefined> {
  if (!('load' in subcommand)) return undefined;
  const command = newParser(subcommand, program.terminal);
  const invocation: Invocation = {
    ...program,
    exit,
    subcommands: SUBCOMMANDS,
    async helpOf(name) {
      const found = await subcommandOf(name);
      if (found === undefined) throw await unknownWord(name);
      return (await parserOf(found, program, exit))?.helpInformation();
    },
  };
  await (await subcommand.load())(command, invocation);
  return command;
}

/** Returns the subcommand with that name, or the command. */
async function subcommandOf(name: string): Promise<Subcommand | undefined> {
  return findSubcommand(name) ?? findClientSubcommand(name);
}

/** Words that other programs use for `serve`. */
const STARTING: ReadonlySet<string> = new Set(['start', 'run', 'up', 'server', 'daemon']);

async function unknownWord(word: string): Promise<CommandLineError> {
  const { COMMANDS } = await import('../commands/registry.ts');
  const { nearestCommands } = await import('../commands/nearest.ts');
  const known = new Set([...SUBCOMMANDS, ...COMMANDS].map(({ name }) => name));
  const { SYNONYMS } = await import('../commands/synonyms.ts');
  const synonym = SYNONYMS.get(word.toLowerCase());
  const meant = STARTING.has(word) ? 'serve' : synonym === 'qryfldexe' ? 'sql' : synonym;
  const near = meant !== undefined ? [meant] : [...new Set([...nearestNames(word, known), ...nearestCommands(word)])];
  const names = SUBCOMMANDS.map(({ name }) => name).join(', ');
  const hint =
    near.length > 0
      ? `did you mean ${near.map((each) => `svc ${each}`).join(', ')}?`
      : `there are ${names}, and commands such as get`;
  return usageError(`${word}: unknown command, ${hint} (svc help)`);
}
