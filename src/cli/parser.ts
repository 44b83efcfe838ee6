/** The common parts of all subcommands: the argument parser, and error reporting. */
import { Command, CommanderError } from 'commander';
import type { ErrorCode } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { CommandLineError, ServiceFailure } from './failures.ts';
import type { Terminal } from './program.ts';
import type { Subcommand } from './subcommand.ts';

const HELP_COLUMNS = 100;

/** Errors whose remedies help on the command line. Others repeat the text, or mention HTTP or the endpoint. */
const WITH_REMEDY: ReadonlySet<string> = new Set<ErrorCode>([
  'API_KEY_EXISTS',
  'API_KEY_NOT_FOUND',
  'API_KEY_UNKNOWN',
  'CACHE_IS_SYSTEM',
  'CACHE_LIMIT',
  'CACHE_NOT_FOUND',
  'CLASS_NOT_FOUND',
  'COUNTER_LIMIT',
  'COUNTER_NOT_FOUND',
  'GROUP_MISMATCH',
  'GROUP_MODE_MISMATCH',
  'INACTIVE',
  'INCOMPATIBLE_TYPES',
  'KEY_NOT_FOUND',
  'NOT_A_BOOLEAN',
  'NOT_A_LONG',
  'NOT_AN_INTEGER',
  'PERMISSION_DENIED',
  'QUERIES_BUSY',
  'QUERIES_MEMORY',
  'QUERY_CACHE_NOT_FOUND',
  'QUERY_DISK',
  'QUERY_MEMORY',
  'QUERY_RESULT_BYTES',
  'QUERY_TIMEOUT',
  'READ_ONLY',
  'REGION_FULL',
  'ROLE_EXISTS',
  'ROLE_IN_USE',
  'ROLE_NOT_FOUND',
  'SECURITY_DISABLED',
  'STATE_INVALID',
  'STORAGE_CORRUPT',
  'STORAGE_FULL',
  'STORAGE_LOW',
  'STORAGE_READ_ONLY',
  'TASK_NOT_FOUND',
  'USER_EXISTS',
  'USER_NOT_FOUND',
  'WRITE_LOCK_TIME',
]);

/** The command line's replacement for a code's remedy, which mentions requests. */
const OWN_REMEDIES: ReadonlyMap<string, string> = new Map<ErrorCode, string>([
  ['CHANGE_POSITION_INVALID', 'Name now, start, or a position as watch has printed it.'],
  ['CHANGE_FEED_OFF', 'Switch it on with svc changefeed cacheName=NAME.'],
  ['TOKEN_MISSING', 'Log in with svc login, name a user with --user, or set SVC_API_KEY to a valid key.'],
]);

/** Returns a subcommand's parser, without arguments and options. */
export function newParser({ name, summary }: Subcommand, terminal: Terminal): Command {
  const parser = new Command(`svc ${name}`);
  return parser
    .description(summary)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text),
      outputError: (text, write) =>
        write(`${mistakeText(text, parser)}\nUsage: svc ${name} ${parser.usage()} (svc help ${name})\n`),
      getOutHelpWidth: () => terminal.output.columns ?? HELP_COLUMNS,
    });
}

/** Returns the text of a mistake in the arguments, with the meaning of a missing argument. */
function mistakeText(text: string, { registeredArguments }: Command): string {
  const missing = /missing required argument '(.*)'/.exec(text)?.[1];
  const description = registeredArguments.find((each) => each.name() === missing)?.description;
  return `svc: ${text.trimEnd().replace(/^error: /, '')}${description === undefined ? '' : `: ${description}`}`;
}

/** Prints an error that a user may cause and returns the exit code. Throws any other. */
export function reportExpected(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.usage;
  // The program's entry point reports configuration errors, as it does the service's.
  if (!(error instanceof CommandLineError)) throw error;
  const advice = adviceOf(error);
  terminal.errors.write(`svc: ${error.message}\n${advice === undefined ? '' : `${advice}\n`}`);
  return error.exitCode;
}

/** Returns the remedy for an error, if its text does not contain it. */
export function adviceOf(error: CommandLineError): string | undefined {
  const { code, remedy } = error instanceof ServiceFailure ? error.details : {};
  const own = code === undefined ? undefined : (OWN_REMEDIES.get(code) ?? (WITH_REMEDY.has(code) ? remedy : undefined));
  return own ?? error.advice;
}
